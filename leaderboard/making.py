"""Makes the record of a system from its scored rows: cells, tables, causes, and one outcome per row."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from fractions import Fraction
from typing import Any

from dnc_datasets.errors import ExpressionError
from dnc_datasets.expression import canonical
from dnc_leaderboard import contrasts, statistics
from dnc_leaderboard.figures import CAPABILITIES
from dnc_leaderboard.labels import labels
from dnc_leaderboard.record import (
    RIGHT,
    TRUNCATED,
    WRONG,
    CauseLine,
    Causes,
    Cell,
    Outcome,
    Provenance,
    Record,
    Repeated,
    System,
    by_cell,
)
from dnc_metrics import causes, intervals, robustness
from dnc_metrics.causes import Explained, Mistake, Question

# Longer texts of failures are cut where they are shown; the whole of them is in the dataset.
_MAX_SHOWN = 4000
# Longer replies are cut: they cannot be scored again.
MAX_REPLY = 100_000


@dataclass(frozen=True)
class Scored:
    """One reply: the row that was asked (a dataset row, with its `source` where it was perturbed), and its score."""

    row: Mapping[str, Any]
    right: bool
    status: str
    answer: Fraction | None = None
    reply: str = ""
    stated: str = ""
    cluster: str = ""
    scores: Mapping[str, float] = field(default_factory=dict)
    rule: str = ""
    cut_off: bool = False  # the limit of tokens ended it
    asked_id: str = ""  # the row, where it was asked several times and the replies have ids of their own
    # What the record says of the row: found now, while its numbers are known from scoring it.
    labels: Mapping[str, str] = field(init=False)
    question: Question | None = field(init=False)  # of a wrong reply: what its mistake is searched in

    def __post_init__(self) -> None:
        object.__setattr__(self, "labels", labels(self.row))
        object.__setattr__(self, "question", None if self.right else Question.of(self.row))


@dataclass(frozen=True)
class Asked:
    """A config as it was asked: all of a `Cell` that does not follow from the replies, and the replies."""

    config: str
    dataset: str
    fold: str
    perturbation: str
    setting: str
    capability: str
    prompt: str
    score: str
    replies: Sequence[Scored]
    baselines: Mapping[str, float] = field(default_factory=dict)
    data: Mapping[str, Any] = field(default_factory=dict)
    left_out: int = 0


def make(
    system: System, made: Provenance, asked: Sequence[Asked], margin: float = robustness.MARGIN
) -> tuple[Record, list[Outcome]]:
    """The record of these replies, and the outcomes that are written beside it."""
    cells = [_cell(one) for one in asked]
    explained = _explained(asked)
    outcomes = [
        _outcome(cell.key, reply, explained.get((cell.key, str(reply.row["id"]))))
        for cell, one in zip(cells, asked, strict=True)
        for reply in one.replies
    ]
    tables = statistics.tables(cells, by_cell(outcomes), margin)
    why = _causes(cells, asked, explained)
    return Record(system, made, tuple(cells), tables, why, contrasts.contrasts(asked)), outcomes


def _cell(asked: Asked) -> Cell:
    replies = asked.replies
    names = dict.fromkeys(name for reply in replies for name in reply.scores)
    shares = {name: sum(reply.scores.get(name, False) for reply in replies) / len(replies) for name in names}
    right = sum(reply.right for reply in replies)
    return Cell(
        config=asked.config,
        dataset=asked.dataset,
        fold=asked.fold,
        perturbation=asked.perturbation,
        setting=asked.setting,
        capability=asked.capability,
        prompt=asked.prompt,
        score=asked.score,
        rows=len(replies),
        changed=sum(bool(reply.row.get("perturbed")) for reply in replies),
        right=right,
        scores=shares or {asked.score: right / len(replies) if replies else 0.0},
        statuses=dict(Counter(reply.status for reply in replies).most_common()),
        rules=dict(Counter(reply.rule for reply in replies if reply.rule).most_common()),
        baselines=asked.baselines,
        data=asked.data,
        left_out=asked.left_out,
        cut_off=sum(reply.cut_off for reply in replies),
        repeated=_repeated(replies),
    )


def _repeated(replies: Sequence[Scored]) -> Repeated | None:
    """How replies to the same row agree, where rows were asked several times."""
    rows: dict[str, list[bool]] = {}
    sizes: Counter[str] = Counter()
    right: Counter[str] = Counter()
    for reply in replies:
        name = reply.asked_id or str(reply.row["id"])
        rows.setdefault(name, []).append(reply.right)
        sizes[reply.cluster or name] += 1
        right[reply.cluster or name] += reply.right
    if len(rows) == len(replies):
        return None
    times = max(map(len, rows.values()))
    shares = [sum(one) / len(one) for one in rows.values()]
    mean = sum(shares) / len(shares)
    # Of a row: the unbiased variance of one reply. Of all rows: what is left once that is taken off.
    inner = [
        p * (1 - p) * len(one) / (len(one) - 1)
        for p, one in zip(shares, rows.values(), strict=True)
        if len(one) > 1
    ]
    within = sum(inner) / len(inner)
    outer = sum((share - mean) ** 2 for share in shares) / (len(shares) - 1) if len(shares) > 1 else 0.0
    interval = intervals.bootstrap(list(sizes.values()), [right[name] for name in sizes])
    return Repeated(times, mean, interval, within, max(0.0, outer - within / times))


def _explained(asked: Sequence[Asked]) -> dict[tuple[str, str], Explained]:
    """Why each wrong answer is wrong; chance is measured among all wrong answers of the system."""
    mistakes: list[Mistake] = []
    questions: dict[str, Question | None] = {}
    places: list[tuple[str, str]] = []
    for one in asked:
        key = f"{one.config}|{one.prompt}"
        for reply in one.replies:
            if not reply.right:
                row = str(reply.row["id"])
                name = f"{key}\t{row}"
                problem = f"{one.dataset}\t{reply.row.get('original_id') or reply.asked_id or row}"
                questions[name] = reply.question
                cut = reply.status == TRUNCATED
                worded = reply.status == WRONG
                mistakes.append(Mistake(name, reply.answer, reply.stated, cut, problem, worded))
                places.append((key, row))
    return dict(zip(places, causes.explain_all(mistakes, questions), strict=True))


def _outcome(cell: str, reply: Scored, explained: Explained | None) -> Outcome:
    row = reply.row
    wrong: dict[str, Any] = {}
    if not reply.right and explained is not None:
        source = row.get("source")
        wrong = {
            "causes": explained.causes,
            "sentence": explained.sentence,
            "gold": str(row["answer"]),
            "text": shown(row),
            "before": shown(source) if source else "",
        }
    return Outcome(
        cell=cell,
        id=str(row["id"]),
        right=reply.right,
        status=RIGHT if reply.right else reply.status,
        answer="" if reply.answer is None else _written(reply.answer),
        reply=reply.reply[:MAX_REPLY],
        stated=reply.stated,
        cut_off=reply.cut_off,
        perturbed=bool(row.get("perturbed")),
        cluster=reply.cluster,
        scores=reply.scores,
        labels=reply.labels,
        **wrong,
    )


def _written(answer: Fraction) -> str:
    """The number as people write it: 40.33, and 22/7 where no decimal ends."""
    try:
        return canonical(answer)
    except ExpressionError:  # more digits than a problem's number may have
        return str(answer)


def shown(row: Mapping[str, Any]) -> str:
    """The row as text: conversation, table, body and question, cut where it is very long."""
    parts = [f"{turn['question']} {turn['answer']}" for turn in row.get("history") or ()]
    parts += [" | ".join(cells) for cells in row.get("table") or ()]
    parts += [row.get("body") or "", *(row.get("segments") or ()), row.get("question") or ""]
    text = "\n".join(part for part in dict.fromkeys(parts) if part)
    return text if len(text) <= _MAX_SHOWN else f"{text[:_MAX_SHOWN]} ..."


def _causes(
    cells: Sequence[Cell], asked: Sequence[Asked], explained: Mapping[tuple[str, str], Explained]
) -> tuple[Causes, ...]:
    made = []
    pooled: dict[str, list[Explained]] = {}
    for cell, one in zip(cells, asked, strict=True):
        rows = [reply for reply in one.replies if not cell.perturbation or reply.row.get("perturbed")]
        found = [explained[cell.key, str(reply.row["id"])] for reply in rows if not reply.right]
        if found:
            made.append(_table(cell.key, False, found))
        if cell.perturbation:
            pooled.setdefault(cell.capability, []).extend(found)
    order = dict.fromkeys((*CAPABILITIES, *pooled))
    return (*made, *(_table(name, True, pooled[name]) for name in order if pooled.get(name)))


def _table(name: str, is_capability: bool, found: Sequence[Explained]) -> Causes:
    lines = tuple(CauseLine(**vars(line)) for line in causes.table(found))
    known = causes.memorised(found)
    return Causes(name, is_capability, len(found), lines, known.count, known.p_value)
