"""Scores of baselines that do not read the question.

always 0            "0"
always no           "no"
always yes          "yes"
first number        the first number of the text
largest number      the largest number of the text
original's answer   the answer of the row before it was perturbed
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from fractions import Fraction
from typing import Any

from dnc_datasets import numerals
from dnc_datasets.expression import canonical
from dnc_metrics import replies
from dnc_metrics.extraction import plain

ZERO, NO, YES, FIRST, LARGEST, ORIGINAL = BASELINES = (
    "always 0",
    "always no",
    "always yes",
    "first number",
    "largest number",
    "original's answer",
)
Row = Mapping[str, Any]


def answers(row: Row, original: str | None = None) -> dict[str, str]:
    """Return each baseline's reply to a row, "" without a number in it; `original` is the earlier answer.

    >>> answers({"body": "Ann had 3 pens and got 14.", "question": "How many?"})["largest number"]
    '14'
    """
    numbers = [Fraction(*ratio) for ratio in _numbers(row)]
    found = {
        ZERO: "0",
        NO: "no",
        YES: "yes",
        FIRST: canonical(numbers[0]) if numbers else "",
        LARGEST: canonical(max(numbers)) if numbers else "",
    }
    return found if original is None else {**found, ORIGINAL: original}


class Tally:
    """Counter of correct replies of each baseline, row by row."""

    def __init__(self) -> None:
        self._right = dict.fromkeys(BASELINES, 0)
        self._asked = dict.fromkeys(BASELINES, 0)

    def add(self, row: Row, original: str | None = None) -> None:
        """Count a row; `original` is its answer before the perturbation, if it was perturbed."""
        right = _right_numbers(row, original) or _right_replies(row, original)
        for name, is_right in right.items():
            self._asked[name] += 1
            self._right[name] += is_right

    def shares(self) -> dict[str, float]:
        """Return the lenient accuracy of each baseline over the rows to which it applies."""
        return {name: self._right[name] / asked for name, asked in self._asked.items() if asked}


def accuracies(rows: Iterable[Row], originals: Mapping[str, str] | None = None) -> dict[str, float]:
    """Return the lenient accuracy of each baseline; `originals` (row id -> earlier answer) adds the last one.

    The original's answer is scored over the rows that have one in `originals`.
    """
    tally = Tally()
    for row in rows:
        tally.add(row, originals.get(row["id"]) if originals is not None else None)
    return tally.shares()


def _right_replies(row: Row, original: str | None) -> dict[str, bool]:
    """Return whether each baseline is correct, with its reply scored as any other."""
    scored: dict[str, bool] = {}  # two of them often have the same reply
    said = answers(row, original)
    for reply in said.values():
        if reply not in scored:
            scored[reply] = replies.score(row, reply).lenient
    return {name: scored[reply] for name, reply in said.items()}


def _right_numbers(row: Row, original: str | None) -> dict[str, bool] | None:
    """Return the same without reading text if only an integer can be correct; None elsewhere."""
    golds = replies.whole_golds(row)
    before = None if original is None else plain(original)
    if golds is None or (before is None and original is not None):
        return None
    numbers = _numbers(row)
    if all(bottom == 1 for _, bottom in numbers):
        largest: int | Fraction | None = max(numbers)[0] if numbers else None
    else:
        largest = max(Fraction(*ratio) for ratio in numbers)
    found = {
        ZERO: 0 in golds,
        NO: False,
        YES: False,
        FIRST: bool(numbers) and numbers[0][1] == 1 and numbers[0][0] in golds,
        LARGEST: largest is not None and largest in golds,
    }
    return found if before is None else {**found, ORIGINAL: before in golds}


def _numbers(row: Row) -> list[tuple[int, int]]:
    """Return the numbers of a row as ratios, in reading order."""
    return [quantity.ratio for text in _texts(row) for quantity in numerals.find(text)]


def _texts(row: Row) -> Iterable[str]:
    """Yield the texts of a row in reading order."""
    yield str(row.get("body") or "")
    yield from row.get("segments") or ()
    for line in row.get("table") or ():
        yield from line
    yield str(row.get("question") or "")
