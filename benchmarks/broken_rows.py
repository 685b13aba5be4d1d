"""Rates at which the certificates and the second reader refuse broken and good rows.

    DNC_MIRROR=... python benchmarks/broken_rows.py --part test                       # without spaCy
    DNC_MIRROR=... python benchmarks/broken_rows.py --part test --second-reader --from gsm8k=DIR
    DNC_MIRROR=... python benchmarks/broken_rows.py --alarms                          # `make alarms`

A good changed row is broken by one exchange: two names, counted nouns, verbs, modifiers or numbers in
different clauses are swapped, the sides of a comparison are swapped, or the equation gets another operation
or operand. The answer of a broken equation is re-computed, so that its arithmetic is correct. Every row is
drawn by its id, none by hand.

With `--alarms` nothing is broken. The second reader reads the test rows of the embedded word problems and of
ASDiv-a, and its objections are compared with a list. The exit code is 1 if one is not on the list, or a
listed one is missing.
"""

from __future__ import annotations

import argparse
import re
import sys
from collections import Counter, defaultdict
from collections.abc import Iterator
from pathlib import Path

from dnc_datasets import expression, perturbations
from dnc_datasets.certificate import CHECKS
from dnc_datasets.draws import Draw
from dnc_datasets.english.lexicon import AUXILIARIES, EMPTY_WORDS, is_first_name, is_past
from dnc_datasets.errors import DncError, ExpressionError
from dnc_datasets.expression import Binary, Number
from dnc_datasets.perturbations import Perturbation
from dnc_datasets.problem import Problem
from dnc_datasets.second_reader import objections, reading
from dnc_datasets.serving import catalogue
from dnc_datasets.serving.settings import stream

WORDED = ("order", "question_reordering", "paraphrase")
ASKED = ("logic", "replace_arith", "vary-different_object_different_structure")
DATASETS = ("asdiv_a", "svamp", "mawps", "gsm8k")
NEW = ("words_stay_together", "asked_as_computed")
_MOST = 30  # maximum number of broken rows of one kind, perturbation and dataset
_SEPARATED = re.compile(r"[.,;?!]| and | that | while | but | than ")
_WORD = re.compile(r"[A-Za-z]+")
_COUNTED = re.compile(r"(?P<number>\b\d[\d,.]*\d|\b\d) (?:(?P<kind>[a-z]{3,}) )?(?P<noun>[a-z]{3,}s)\b")
_NOT_KINDS = EMPTY_WORDS | frozenset(("fewer", "less", "other", "times", "left"))
Span = tuple[int, int]
# Perturbation -> reviewed correct rows of `--alarms` (dataset/id) to which the second reader objects.
KNOWN_ALARMS: dict[str, str] = {
    "noise_plausible": "asdiv_a/nluds-1949",
    "order": "tiny/add-036-1",
    "vary-change_order_of_objects": "tiny/add-036-1",
}  # fmt: skip


def exchanges(text: str, kind: str) -> list[tuple[Span, Span]]:
    """Return the pairs of words of this kind that can be swapped: different words in different clauses."""
    spans = {
        "names": lambda: [
            m.span() for m in _WORD.finditer(text) if m[0][0].isupper() and is_first_name(m[0])
        ],
        "verbs": lambda: [
            m.span()
            for m in _WORD.finditer(text)
            if is_past(m[0]) and m[0] not in AUXILIARIES and m[0].islower()
        ],
        "nouns": lambda: [m.span("noun") for m in _COUNTED.finditer(text)],
        "numbers": lambda: [m.span("number") for m in _COUNTED.finditer(text)],
        "modifiers": lambda: [
            m.span("kind") for m in _COUNTED.finditer(text) if m["kind"] and m["kind"] not in _NOT_KINDS
        ],
    }[kind]()
    return [
        (one, two)
        for at, one in enumerate(spans)
        for two in spans[at + 1 :]
        if text[slice(*one)] != text[slice(*two)]
        and _SEPARATED.search(text[one[1] : two[0]])
        # "Amy and Ben" and "Amy's and Ben's" may be swapped.
        and not (
            kind == "names"
            and (text[one[1] : two[0]] in (" and ", ", ") or "'" in (text[one[1]], text[two[1]]))
        )
    ]


def exchanged(text: str, one: Span, two: Span) -> str:
    """Return the text with two parts swapped."""
    first, second = text[slice(*one)], text[slice(*two)]
    return text[: one[0]] + second + text[one[1] : two[0]] + first + text[two[1] :]


_SIDES = (
    re.compile(r"\b(?P<one>[A-Z][a-z]+)\b[^.?!]{0,80} than (?P<two>[A-Z][a-z]+)\b"),
    re.compile(r"\bmore (?P<one>[a-z]+(?: [a-z]+s)?) than (?P<two>[a-z]+(?: [a-z]+s)?)\b"),
    re.compile(r"(?P<one>\b(?:on|in|at) [A-Za-z ]{3,20}?) than (?P<two>(?:on|in|at) [A-Za-z ]{3,20}?)(?=\?)"),
)


def broken(original: Problem, good: Problem, kind: str, draw: Draw) -> Problem | None:
    """Return the row with one fault of this kind, or None if nothing can be exchanged."""
    if kind == "sides":
        return _other_side(good)
    if kind in ("operation", "operand"):
        return _other_equation(good, kind, draw)
    fields = [(name, pair) for name in ("body", "question") for pair in exchanges(getattr(good, name), kind)]
    if not fields:
        return None
    name, (one, two) = draw.choice(fields)
    return good.replace(**{name: exchanged(getattr(good, name), one, two)})


def _other_side(good: Problem) -> Problem | None:
    for pattern in _SIDES:
        match = pattern.search(good.question)
        names = match and [is_first_name(match[side]) for side in ("one", "two")]
        if match and match["one"] != match["two"] and (pattern is not _SIDES[0] or names == [True, True]):
            return good.replace(question=exchanged(good.question, match.span("one"), match.span("two")))
    return None


def _other_equation(good: Problem, kind: str, draw: Draw) -> Problem | None:
    try:
        tree = expression.parse(good.equation)
        if not isinstance(tree, Binary) or tree.op not in "+-":
            return None
        if kind == "operation":
            tree = Binary({"+": "-", "-": "+"}[tree.op], tree.left, tree.right)
        else:
            used = {leaf.number for leaf in tree.leaves() if isinstance(leaf, Number)}
            spare = [value for value in good.values() if value not in used and value > 1 == value.denominator]
            if not spare or not isinstance(tree.right, Number):
                return None
            tree = Binary(tree.op, tree.left, expression.number(draw.choice(spare)))
        value = tree.value()
    except ExpressionError:
        return None
    return good.replace(equation=tree.infix(), answer=expression.canonical(value)) if value > 0 else None


def good_rows(step: Perturbation, problems: list[Problem], dataset: str) -> Iterator[tuple[Problem, Problem]]:
    """Yield the original and the perturbed problem of each row that satisfies all promises."""
    for row in stream("test", problems, "attack", (step,), dataset=dataset):
        if row.original is not None:
            yield row.original, row.problem


def refused_by(original: Problem, row: Problem, promises: tuple[str, ...]) -> str:
    """Return the first promise that the row breaks, or an empty text."""
    for name in promises:
        if not CHECKS[name](original, row):
            return name
    return ""


def alarms(dataset: str) -> Iterator[str]:
    """Yield the second reader's objections to the test rows of a dataset, as "perturbation dataset/id"."""
    source, problems = catalogue.find(dataset).source, catalogue.read(dataset)["test"]
    for name in perturbations.names(source.shape):
        step = perturbations.get(name, source.shape)
        rows = list(good_rows(step, problems, dataset))
        found = objections([(original, row, reading([step])) for original, row in rows])
        for (original, _), objection in zip(rows, found, strict=True):
            if objection:
                yield f"{name} {dataset}/{original.id}"


def _compare_alarms() -> int:
    """Print the alarms that are not on the list and the missing listed ones; return the exit code."""
    found = {alarm for dataset in ("tiny", "asdiv_a") for alarm in alarms(dataset)}
    known = {f"{name} {row}" for name, rows in KNOWN_ALARMS.items() for row in rows.split()}
    for state, some in (("new", found - known), ("gone", known - found)):
        for alarm in sorted(some):
            print(f"{state}: {alarm}")
    print(f"{len(found)} alarms, {len(known)} known")
    return int(found != known)


def main() -> None:
    """Break rows, and count refusals by the former promises, by all promises, and by the second reader."""
    arguments = _arguments()
    if arguments.alarms:
        sys.exit(_compare_alarms())
    given = dict(item.split("=", 1) for item in arguments.given)
    totals: dict[str, Counter[str]] = defaultdict(Counter)
    good = Counter[str]()
    for dataset in arguments.datasets:
        try:
            folder = Path(given[dataset]) if dataset in given else None
            problems = catalogue.read(dataset, given=folder)[arguments.part][: arguments.most]
        except DncError as error:
            print(f"{dataset} is left out: {error}")
            continue
        for name in (*WORDED, *ASKED):
            _measure(name, dataset, problems, arguments, totals, good)
    _print_table(totals, good, arguments.second_reader)


def _measure(
    name: str,
    dataset: str,
    problems: list[Problem],
    arguments: argparse.Namespace,
    totals: dict[str, Counter[str]],
    good: Counter[str],
) -> None:
    step = perturbations.get(name)
    former = tuple(promise for promise in step.promises if promise not in NEW)
    rows = list(good_rows(step, problems, dataset))
    kinds = (
        ("names", "nouns", "verbs", "modifiers", "numbers")
        if name in WORDED
        else ("sides", "operation", "operand")
    )
    if arguments.second_reader:
        what = reading([step])
        found = list(objections([(one, two, what) for one, two in rows]))
        good["read"] += len(rows)
        good["objected to"] += sum(map(bool, found))
    for kind in kinds:
        made = []
        for original, row in rows:
            fault = broken(
                original, row, kind, Draw(arguments.seed, dataset, original.id, f"break-{name}-{kind}")
            )
            if fault is not None and fault.text + fault.equation != row.text + row.equation:
                made.append((original, fault))
            if len(made) == _MOST:
                break
        read = (
            list(objections([(one, two, reading([step])) for one, two in made]))
            if arguments.second_reader
            else []
        )
        for at, (original, fault) in enumerate(made):
            before, now = refused_by(original, fault, former), refused_by(original, fault, step.promises)
            counted = totals[f"{name} {kind}"]
            counted["rows"] += 1
            counted["before"] += bool(before)
            counted["now"] += bool(now)
            counted["with spaCy"] += bool(now) or bool(read and read[at])
            if arguments.show and not now:
                print(f"PASSED {name} {kind}\n  {original.text}\n  {fault.text} [{fault.equation}]")


def _print_table(totals: dict[str, Counter[str]], good: Counter[str], second_reader: bool) -> None:
    print(f"{'':55} rows  before  now{'  with spaCy' if second_reader else ''}")
    everything = Counter[str]()
    for name, counted in sorted(totals.items()):
        everything += counted
        _line(name, counted, second_reader)
    _line("all", everything, second_reader)
    if second_reader:
        print(f"good rows read {good['read']}, objected to {good['objected to']}")


def _line(name: str, counted: Counter[str], second_reader: bool) -> None:
    parts = [
        f"{100 * counted[key] / max(1, counted['rows']):6.1f} %" for key in ("before", "now", "with spaCy")
    ]
    print(f"{name:55} {counted['rows']:4} {' '.join(parts if second_reader else parts[:2])}")


def _arguments() -> argparse.Namespace:
    parser = argparse.ArgumentParser(description="Break good rows and count what is refused.")
    parser.add_argument("--part", default="test", help="take the problems of this split (default test)")
    parser.add_argument("--datasets", nargs="+", default=list(DATASETS), help="take these datasets")
    parser.add_argument("--from", dest="given", action="append", default=[], metavar="DATASET=DIR")
    parser.add_argument(
        "--most", type=int, default=1000, help="take this number of problems of each (default 1000)"
    )
    parser.add_argument("--seed", type=int, default=0, help="set the seed of the exchanges (default 0)")
    parser.add_argument("--second-reader", action="store_true", help="read every row with spaCy, too")
    parser.add_argument(
        "--alarms", action="store_true", help="compare the second reader's alarms with a list"
    )
    parser.add_argument("--show", action="store_true", help="print the broken rows that pass")
    return parser.parse_args()


if __name__ == "__main__":
    main()
