"""Break-downs of a test set: accuracy by kind of problem, Easy and Hard, and what a kind weighs in the whole."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Mapping, Sequence

from dnc_datasets import expression
from dnc_datasets.errors import ExpressionError
from dnc_datasets.problem import Problem
from dnc_metrics import intervals
from dnc_trainers.protocol import RIGHT
from dnc_trainers.tables import Cell, change, interval, markdown, percent, share

BREAKDOWNS = ("type", "operation", "operators", "quantities", "variation", "category", "shows")
# Kinds of which it is asked what the whole would be without them.
WEIGHED = ("type", "variation", "category")
_TYPES = {"+": "addition", "-": "subtraction", "*": "multiplication", "/": "division"}
Labels = Mapping[str, Sequence[str]]


def problem_labels(kind: str) -> Callable[[Problem], Sequence[str]]:
    """How a problem is labelled: by `type` (the operation done last, or what its source says), `operators`,
    `quantities`, `operation`, or a key of its meta data."""

    def labels(problem: Problem) -> Sequence[str]:
        if kind == "type" and problem.note("type"):
            return (problem.note("type").lower().removeprefix("common-"),)
        if kind in ("type", "operators", "operation"):
            return (_of_equation(kind, problem.equation),)
        if kind == "quantities":
            return (str(len(problem.quantities())),)
        # The published labels name one of them twice on some rows.
        return tuple(dict.fromkeys(problem.note(kind, "none").split("+")))

    return labels


def _of_equation(kind: str, equation: str) -> str:
    try:
        tree = expression.parse(equation)
    except ExpressionError:
        return "none"
    if kind == "operators":
        return str(len(tree.operators))
    if kind == "operation":
        return "".join(sorted(set(tree.operators))) or "none"
    return _TYPES.get(tree.prefix().split()[0], "none")


def labels_of(problems: Sequence[Problem], kind: str) -> Labels:
    """The labels of every row id; none at all where there is only one."""
    label = problem_labels(kind)
    found = {problem.id: label(problem) for problem in problems}
    return found if len({name for some in found.values() for name in some}) > 1 else {}


def breakdown(cell: Cell, labels: Labels) -> list[tuple[str, int, float]]:
    """(label, rows, accuracy) of each label; `labels` gives the labels of every row id."""
    rows: Counter[str] = Counter()
    right: Counter[str] = Counter()
    for row, outcome in cell["outcomes"].items():
        for label in labels[row]:
            rows[label] += 1
            right[label] += bool(outcome & RIGHT)
    return [(label, count, right[label] / count) for label, count in sorted(rows.items())]


def easy_hard(full: Cell, without_question: Cell) -> list[tuple[str, int, float]]:
    """Accuracy on the rows that the same model solves without seeing the question, and on the others."""
    labels = {
        row: ("easy" if outcome & RIGHT else "hard",) for row, outcome in without_question["outcomes"].items()
    }
    return breakdown(full, labels)


def breakdown_tables(full: Mapping[str, Cell], blind: Mapping[str, Cell], problems: Sequence[Problem]) -> str:
    """A test set by every kind of BREAKDOWNS, one column per name in `full`, then Easy and Hard.

    `blind` holds the cells of the same models on the problems without their questions.
    """
    made = []
    for kind in BREAKDOWNS:
        if labels := labels_of(problems, kind):
            made.append(_table(f"by {kind}", {name: breakdown(cell, labels) for name, cell in full.items()}))
    split = {name: easy_hard(cell, blind[name]) for name, cell in full.items() if name in blind}
    if split:
        made.append(_table("easy: solved without the question (rows differ by model)", split))
    return "\n".join(made)


def weight_table(cells: Sequence[Cell], labels: Labels, kind: str) -> str:
    """What each label weighs: its rows, its accuracy, and how that of the whole changes when it is taken out.

    `cells` are those of one model, of one seed or several, on the same rows. Intervals are over problems.
    """
    right: Counter[str] = Counter()
    for cell in cells:
        for row, outcome in cell["outcomes"].items():
            right[row] += bool(outcome & RIGHT)
    rows, hits = list(right), list(right.values())
    sizes, whole = [len(cells)] * len(rows), share(cells)
    lines = [["(all)", str(len(rows)), percent(whole), interval(_share(sizes, hits)), "", ""]]
    for label in sorted({name for row in rows for name in labels[row]}):
        has = [label in labels[row] for row in rows]
        inside = [hit for hit, here in zip(hits, has, strict=True) if here]
        outside = [hit for hit, here in zip(hits, has, strict=True) if not here]
        line = [label, str(len(inside)), percent(sum(inside) / (len(inside) * len(cells)))]
        line.append(interval(_share(sizes[: len(inside)], inside)))
        if outside:
            without = sum(outside) / (len(outside) * len(cells))
            ends = interval(intervals.taken_out(sizes, hits, has))
            line += [change(without - whole), ends]
        lines.append(line + [""] * (6 - len(line)))
    return markdown(
        (kind, "rows", "accuracy", "95 % interval", "change when taken out", "95 % interval"), lines
    )


def _share(sizes: Sequence[int], right: Sequence[int]) -> tuple[float, float]:
    """Wilson's interval for one seed, for several a bootstrap over problems."""
    if set(sizes) == {1}:
        return intervals.wilson(sum(right), len(sizes))
    return intervals.bootstrap(sizes, right)


def _table(title: str, found: Mapping[str, Sequence[tuple[str, int, float]]]) -> str:
    counts = {label: count for rows in found.values() for label, count, _ in rows}
    shared = all(counts[label] == count for rows in found.values() for label, count, _ in rows)
    shares = {name: {label: (count, part) for label, count, part in rows} for name, rows in found.items()}

    def shown(entry: tuple[int, float] | None) -> str:
        if entry is None:
            return ""
        return percent(entry[1]) if shared else f"{percent(entry[1])} ({entry[0]})"

    lines = [
        [label, str(count) if shared else "", *(shown(of.get(label)) for of in shares.values())]
        for label, count in sorted(counts.items())
    ]
    return markdown((title, "rows", *shares), lines)
