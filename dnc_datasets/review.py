"""Review of perturbed rows: a random sample of pairs, the marks of the judges, and their agreement."""

from __future__ import annotations

import difflib
import json
import re
from collections import Counter
from collections.abc import Callable, Collection, Iterable, Sequence
from itertools import combinations
from pathlib import Path
from statistics import median
from typing import NamedTuple

from dnc_datasets import escaping, json_lines
from dnc_datasets.draws import Draw
from dnc_datasets.errors import DncError
from dnc_datasets.serving.settings import Row

VERDICTS = ("good", "bad")
# The forms of a judgement. "pair": good or bad. "adversarial": the same equation or not, similarity of meaning (0 to 1)
# and grammar (1 to 5). "answer": a person answers the perturbed problem without seeing the gold answer.
FORMS = ("pair", "adversarial", "answer")
RATINGS = {"similarity": (0.0, 1.0), "grammar": (1.0, 5.0)}
_SECONDS = re.compile(r"[0-9]{1,9}(\.[0-9]{1,3})?")
_PIECE = re.compile(r"\s+|[\w.,$%'-]+|.", re.DOTALL)


class Mark(NamedTuple):
    """One judge's verdict on one pair.

    In the adversarial form, "good" means that the equation is the same, and there are ratings. In the answer form,
    `answer` is the person's answer and there is no verdict. `seconds` is the time from the display of the pair to the
    mark.
    """

    config: str
    id: str
    judge: str
    verdict: str
    reason: str = ""
    similarity: str = ""
    grammar: str = ""
    answer: str = ""
    seconds: str = ""


def sample(
    rows: Iterable[Row], count: int, config: str, seed: int = 0, judged: Collection[str] = ()
) -> list[Row]:
    """Draw `count` of the perturbed rows. The same seed gives the same rows.

    Rows whose ids are in `judged` are left out, so that a fix is judged on rows that nobody has seen.
    """
    changed = [row for row in rows if row.original is not None and row.problem.id not in judged]
    return Draw(seed, config, "sample", "review").shuffled(changed)[:count]


def suspects(
    rows: Sequence[Row], score: Callable[[Sequence[str]], Sequence[float]]
) -> list[tuple[float, Row]]:
    """Return each row with the drop in mean log-probability from the original to the perturbed text, largest first.

    `score` returns the mean log-probability per word of each text.
    """
    pairs = [(row.original, row) for row in rows if row.original is not None]
    scores = list(score([text for old, row in pairs for text in (old.text, row.problem.text)]))
    if len(scores) != 2 * len(pairs):
        raise DncError(
            f"the scorer gave {len(scores)} numbers for {2 * len(pairs)} texts; one each is needed"
        )
    drops = [(scores[2 * at] - scores[2 * at + 1], row) for at, (_, row) in enumerate(pairs)]
    return sorted(drops, key=lambda pair: (-pair[0], pair[1].problem.id))


def read_marks(path: Path) -> list[Mark]:
    """Return the marks of a JSON lines file that `dnc research review` or its page wrote."""
    marks = []
    for number, record in json_lines.objects(path):
        mark = Mark(**{name: str(record.get(name, "")) for name in Mark._fields})
        if mark.verdict not in VERDICTS and not (mark.answer and not mark.verdict):
            raise DncError(f"{path}, line {number}: verdict {mark.verdict!r}; it must be good or bad")
        for name in RATINGS:
            if getattr(mark, name) and rating(name, getattr(mark, name)) is None:
                raise DncError(f"{path}, line {number}: {name} {getattr(mark, name)!r}; {asked(name)}")
        if mark.seconds and not _SECONDS.fullmatch(mark.seconds):
            raise DncError(
                f"{path}, line {number}: seconds {mark.seconds!r}; they must be a number, 0 or more"
            )
        marks.append(mark)
    return marks


def rating(name: str, text: str) -> str | None:
    """Return a rating in the form that is stored (.9 -> 0.9), or None where the text is not a rating."""
    low, high = RATINGS[name]
    try:
        value = float(text)
    except ValueError:
        return None
    return f"{value:g}" if low <= value <= high else None


def asked(name: str) -> str:
    """Describe the values that a rating may have."""
    low, high = RATINGS[name]
    return f"{name} is a number from {low:g} to {high:g}"


def line(mark: Mark) -> str:
    """Return the mark as one line of JSON. Empty fields of other forms are left out."""
    record = {name: value for name, value in mark._asdict().items() if value or name in Mark._fields[:5]}
    return json.dumps(record, ensure_ascii=False)


def is_mark(first: str) -> bool:
    """Return whether this is the first line of a file of marks, or of an empty file."""
    return not first or '"verdict": ' in first


def is_page(first: str) -> bool:
    """Return whether this is the first line of a page that `page` wrote."""
    return first == _PAGE.partition("\n")[0] + "\n"


def last_words(marks: Iterable[Mark]) -> list[Mark]:
    """Keep the last mark of each judge on each pair.

    A rating that the last mark lacks is kept from an earlier one.

    An answer and a verdict are marks of different things, so both are kept.
    """
    latest: dict[tuple[str, str, str, bool], Mark] = {}
    for mark in marks:
        key = (mark.config, mark.id, mark.judge, bool(mark.verdict))
        earlier = latest.pop(key, mark)
        latest[key] = mark._replace(
            **{name: getattr(mark, name) or getattr(earlier, name) for name in RATINGS}
        )
    return list(latest.values())


class Agreement(NamedTuple):
    """Agreement of two judges on the pairs that both have judged."""

    one: str
    two: str
    pairs: int
    agreed: int
    kappa: float | None


def agreement(marks: Sequence[Mark]) -> list[Agreement]:
    """Return how often each two judges agree, with Cohen's kappa (None where agreement by chance is certain)."""
    by_judge: dict[str, dict[tuple[str, str], str]] = {}
    for mark in marks:
        if mark.answer:
            continue
        by_judge.setdefault(mark.judge, {})[mark.config, mark.id] = mark.verdict
    agreements = []
    for one, two in combinations(sorted(by_judge), 2):
        shared = sorted(by_judge[one].keys() & by_judge[two].keys())
        verdicts = [(by_judge[one][key], by_judge[two][key]) for key in shared]
        agreed = sum(a == b for a, b in verdicts)
        agreements.append(Agreement(one, two, len(shared), agreed, _kappa(verdicts)))
    return agreements


def _kappa(verdicts: Sequence[tuple[str, str]]) -> float | None:
    total = len(verdicts)
    if not total:
        return None
    ones, twos = Counter(a for a, _ in verdicts), Counter(b for _, b in verdicts)
    chance = sum(ones[verdict] * twos[verdict] for verdict in VERDICTS) / total**2
    if chance == 1:
        return None
    return (sum(a == b for a, b in verdicts) / total - chance) / (1 - chance)


def counts(marks: Sequence[Mark]) -> dict[tuple[str, str], Counter[str]]:
    """Count the verdicts good and bad by (config, judge)."""
    verdicts: dict[tuple[str, str], Counter[str]] = {}
    for mark in marks:
        if mark.verdict:
            verdicts.setdefault((mark.config, mark.judge), Counter())[mark.verdict] += 1
    return verdicts


def median_seconds(marks: Iterable[Mark]) -> tuple[int, float | None]:
    """Return the number of marks with a time, and the median time."""
    times = [float(mark.seconds) for mark in marks if mark.seconds]
    return len(times), median(times) if times else None


def plain(row: Row, at: int) -> str:
    """Return the pair as lines of text: an unchanged field once, a changed field as two lines.

    >>> from dnc_datasets.problem import Problem
    >>> pair = [Problem("r", f"Amy has {number} pens.", "How many?") for number in (3, 2)]
    >>> print(plain(Row(*pair, ()), 1))
    1. r
       body      - Amy has 2 pens.
                 + Amy has 3 pens.
       question    How many?
    """
    before, lines = row.original or row.problem, [f"{at}. {row.problem.id}"]
    for name in ("body", "question", "equation", "answer"):
        old, new = str(getattr(before, name)), str(getattr(row.problem, name))
        shown = [f"  {new}"] if old == new else [f"- {old}", f"+ {new}"]
        if old or new:
            lines += [f"   {name:9} {shown[0]}", *(f"   {'':9} {text}" for text in shown[1:])]
    return "\n".join(lines)


def page(rows: Sequence[Row], config: str, judge: str, form: str = "pair") -> str:
    """Return a self-contained HTML page: the pairs side by side, keys to mark them, a button that saves the marks."""
    pairs = "\n".join(_pair(row, at, form) for at, row in enumerate(rows))
    # A name must not end the script or begin a comment in it.
    data = json.dumps({"config": config, "judge": judge}).replace("<", "\\u003c")
    parts = {
        "title": escaping.html(config), "data": data, "pairs": pairs, "keys": _KEYS[form],
        "form": json.dumps(form), "ranges": json.dumps(RATINGS),
    }  # fmt: skip
    # One substitution for all parts, so that a name like "{pairs}" is not itself replaced.
    return re.sub(r"\{(title|data|pairs|keys|form|ranges)\}", lambda match: parts[match[1]], _PAGE)


def _pair(row: Row, at: int, form: str) -> str:
    before, after = row.original or row.problem, row.problem
    cells = []
    # A person who answers must see neither the original, whose answer may be the same, nor the gold answer.
    shown = ("body", "question") if form == "answer" else ("body", "question", "equation", "answer")
    for name in shown:
        old, new = _marked(str(getattr(before, name)), str(getattr(after, name)))
        left = "" if form == "answer" else f"<td>{old}</td>"
        new = escaping.html(str(getattr(after, name))) if form == "answer" else new
        cells.append(f"<tr><th>{name}</th>{left}<td>{new}</td></tr>")
    return (
        f'<section tabindex="0" data-id="{escaping.html(after.id)}">'
        f"<h2>{at + 1}. {escaping.html(after.id)}"
        f" <output></output></h2><table>{''.join(cells)}</table></section>"
    )


def _marked(old: str, new: str) -> tuple[str, str]:
    olds, news = _PIECE.findall(old), _PIECE.findall(new)
    left, right = [], []
    for operation, a, b, c, d in difflib.SequenceMatcher(None, olds, news, autojunk=False).get_opcodes():
        removed, added = escaping.html("".join(olds[a:b])), escaping.html("".join(news[c:d]))
        left.append(removed if operation == "equal" or not removed else f"<del>{removed}</del>")
        right.append(added if operation == "equal" or not added else f"<ins>{added}</ins>")
    return "".join(left), "".join(right)


_KEYS = {
    "pair": "<kbd>g</kbd> good, <kbd>b</kbd> bad (with a reason)",
    "adversarial": "<kbd>g</kbd> the same equation, <kbd>b</kbd> another (with a reason), then two ratings",
    "answer": "<kbd>a</kbd> answer the problem",
}
_PAGE = """<!doctype html><!-- written by dnc review -->
<html lang="en"><head><meta charset="utf-8"><title>Review {title}</title>
<style>
body{font:16px/1.5 system-ui,sans-serif;margin:2rem auto;max-width:70rem;padding:0 1rem}
table{width:100%;border-collapse:collapse}th{width:6rem;text-align:left;vertical-align:top}
td{width:50%;padding:.2rem .6rem;vertical-align:top}
del{background:#fdd;text-decoration:none}
ins{background:#dfd;text-decoration:none}
section{border:1px solid #ccc;border-radius:.4rem;padding:.2rem 1rem;margin:1rem 0}
section:focus{outline:3px solid #36c}
section.good{border-color:#2a2}section.bad{border-color:#c22}h2{font-size:1rem}
@media (prefers-color-scheme:dark){body{background:#111;color:#eee}del{background:#522}ins{background:#252}}
</style></head><body><h1>Review {title}</h1>
<p>Keys on the framed pair: {keys}, <kbd>j</kbd> and
<kbd>k</kbd> next and previous. Marks stay in this browser.
<button id="save">Save the marks</button> <output id="count"></output></p>
{pairs}
<script>
const about={data}, form={form}, ranges={ranges}, key="review "+form+" "+about.config+" "+about.judge;
function rated(name){const [low,high]=ranges[name];for(;;){const said=prompt(name+", "+low+" to "+high);
 if(said===null)return null;const value=parseFloat(said);if(value>=low&&value<=high)return String(value);}}
const marks=JSON.parse(localStorage.getItem(key)||"{}"), all=[...document.querySelectorAll("section")];
function show(){all.forEach(s=>{const m=marks[s.dataset.id];s.className=m?m.verdict||"good":"";
 s.querySelector("output").textContent=m?(m.answer||m.verdict)+(m.reason?": "+m.reason:""):""});
 document.getElementById("count").textContent=Object.keys(marks).length+" of "+all.length+" marked";
 localStorage.setItem(key,JSON.stringify(marks));}
let since=0;all.forEach(s=>s.addEventListener("focus",()=>{since=Date.now();}));
document.addEventListener("keydown",e=>{let at=all.indexOf(document.activeElement);
 if(e.key=="j"||e.key=="k"){at=Math.max(0,Math.min(all.length-1,at+(e.key=="j"?1:-1)));all[at].focus();return;}
 if(at<0||!(form=="answer"?"a":"gb").includes(e.key))return;
 const bad=e.key=="b", made={...about,id:all[at].dataset.id,verdict:bad?"bad":"good",reason:""};
 made.seconds=((Date.now()-since)/1000).toFixed(1);
 if(form=="answer"){made.verdict="";made.answer=prompt("Your answer");if(!made.answer)return;}
 if(bad){made.reason=prompt("What is wrong?");if(made.reason===null)return;}
 if(form=="adversarial")for(const name in ranges){made[name]=rated(name);if(made[name]===null)return;}
 e.preventDefault();marks[made.id]=made;
 show();if(at+1<all.length)all[at+1].focus();});
document.getElementById("save").onclick=()=>{
 const lines=Object.values(marks).map(m=>JSON.stringify(m)).join("\\n")+"\\n";
 const a=document.createElement("a");a.href=URL.createObjectURL(new Blob([lines]));
 a.download=about.config+"-"+about.judge+".jsonl";a.click();};
show();if(all.length)all[0].focus();
</script></body></html>
"""
