"""What models that do not read the question would score: the floor beside which every result is to be seen.

always 0            "0"
always no           "no"
always yes          "yes"
first number        the first number of the text
largest number      the largest number of the text
original's answer   the answer of the row before it was perturbed
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any

from dnc_datasets import numerals
from dnc_datasets.expression import canonical
from dnc_metrics import replies

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
    """What each baseline replies to a row; "" where the text has no number; `original` is the answer before.

    >>> answers({"body": "Ann had 3 pens and got 14.", "question": "How many?"})["largest number"]
    '14'
    """
    numbers = [quantity.value for text in _texts(row) for quantity in numerals.find(text)]
    found = {
        ZERO: "0",
        NO: "no",
        YES: "yes",
        FIRST: canonical(numbers[0]) if numbers else "",
        LARGEST: canonical(max(numbers)) if numbers else "",
    }
    return found if original is None else {**found, ORIGINAL: original}


def accuracies(rows: Iterable[Row], originals: Mapping[str, str] | None = None) -> dict[str, float]:
    """The lenient accuracy of each baseline; `originals` (row id -> answer before) adds the last one.

    The original's answer is scored over the rows that have one there.
    """
    right = dict.fromkeys(BASELINES, 0)
    asked = dict.fromkeys(BASELINES, 0)
    for row in rows:
        before = originals.get(row["id"]) if originals is not None else None
        scored: dict[str, bool] = {}  # two of them often say the same
        for name, reply in answers(row, before).items():
            if reply not in scored:
                scored[reply] = replies.score(row, reply).lenient
            asked[name] += 1
            right[name] += scored[reply]
    return {name: right[name] / asked[name] for name in BASELINES if asked[name]}


def _texts(row: Row) -> Iterable[str]:
    """The texts of a row in reading order."""
    yield str(row.get("body") or "")
    yield from row.get("segments") or ()
    for line in row.get("table") or ():
        yield from line
    yield str(row.get("question") or "")
