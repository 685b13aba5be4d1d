"""Are yes and no even, and does a question's threshold give its answer away? What a yes-or-no config is checked for."""

from __future__ import annotations

import math
import re
from collections.abc import Iterable, Mapping, Sequence
from fractions import Fraction
from hashlib import sha256
from typing import Any, NamedTuple

from dnc_datasets import numerals

Row = Mapping[str, Any]
_COMPARED = re.compile(
    r"\b(more than|greater than|fewer than|less than|at least|at most|exactly) \$?(-?\d[\d,.]{0,30})"
)
_UP = ("more than", "greater than", "at least")


class Guess(NamedTuple):
    """How often a guess is right that does not read the problem, and on how many rows it can be made."""

    right: int
    asked: int

    @property
    def share(self) -> float | None:
        """The accuracy of the guess; None where it cannot be made."""
        return self.right / self.asked if self.asked else None


class Labels(NamedTuple):
    """The labels of the yes-or-no rows of a config, and how far one gets without the problem.

    `threshold` is the best rule on the comparison and its threshold alone, learnt on one half of the rows and scored
    on the other; `largest` compares the threshold with the largest number of the text.
    """

    yes: int
    no: int
    threshold: Guess
    largest: Guess

    @property
    def p(self) -> float:
        """The probability of a split as uneven as this by a fair coin."""
        return even(self.yes, self.no)


def even(one: int, other: int) -> float:
    """The exact two-sided binomial probability of counts as uneven as these.

    >>> even(6, 0), even(5, 4)
    (0.03125, 1.0)
    """
    count, few = one + other, min(one, other)
    if 2 * few >= count - 1:
        return 1.0
    tail = sum(math.comb(count, k) for k in range(few + 1))
    return min(1.0, float(Fraction(2 * tail, 2**count)))


def labels(rows: Iterable[Row]) -> Labels | None:
    """The labels of the rows whose answer is yes or no; None where there are none."""
    yes = no = 0
    compared = []
    for row in rows:
        if not row.get("perturbed", True) or row.get("answer") not in ("yes", "no"):
            continue
        yes, no = yes + (row["answer"] == "yes"), no + (row["answer"] == "no")
        if one := _threshold(str(row["question"])):
            compared.append((row, one))
    return Labels(yes, no, _by_threshold(compared), _by_largest(compared)) if yes + no else None


def _threshold(question: str) -> tuple[str, Fraction] | None:
    found = _COMPARED.search(question)
    value = numerals.parse(found[2].rstrip(".,")) if found else None
    return (found[1], value) if found and value is not None else None


def _by_threshold(compared: Sequence[tuple[Row, tuple[str, Fraction]]]) -> Guess:
    """The accuracy of the best cut for each comparison, on the half of the rows that it was not learnt on."""
    learnt: dict[str, list[tuple[Fraction, bool]]] = {}
    scored = []
    for row, (words, value) in compared:
        truth = bool(row["answer"] == "yes")
        if sha256(str(row["id"]).encode()).digest()[0] % 2:
            learnt.setdefault(words, []).append((value, truth))
        else:
            scored.append((words, value, truth))
    if not learnt:
        return Guess(0, 0)
    cuts = {words: _best_cut(seen) for words, seen in learnt.items()}
    right = 0
    for words, value, truth in scored:
        cut, above = cuts.get(words, (Fraction(0), True))
        right += int(((value > cut) == above) == truth)
    return Guess(right, len(scored))


def _best_cut(seen: Sequence[tuple[Fraction, bool]]) -> tuple[Fraction, bool]:
    """Above which threshold to say yes (or no): the cut that is right most often."""
    ordered = sorted(seen)
    yes_above = sum(truth for _, truth in ordered)  # all thresholds lie above a cut before the first
    best = max(
        (yes_above, Fraction(-1), True),
        (len(ordered) - yes_above, Fraction(-1), False),
        key=lambda one: one[0],
    )
    right = yes_above
    for value, truth in ordered:
        right += -1 if truth else 1
        for count, above in ((right, True), (len(ordered) - right, False)):
            if count > best[0]:
                best = (count, value, above)
    return best[1], best[2]


def _by_largest(compared: Sequence[tuple[Row, tuple[str, Fraction]]]) -> Guess:
    right = asked = 0
    for row, (words, value) in compared:
        numbers = [quantity.value for quantity in numerals.find(str(row.get("body") or ""))]
        if numbers and words != "exactly":
            asked += 1
            above = max(numbers) > value
            right += (above == (words in _UP)) == (row["answer"] == "yes")
    return Guess(right, asked)
