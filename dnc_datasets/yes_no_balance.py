"""Checks of a yes-or-no config: balance of labels, and answers predictable from thresholds."""

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
    r"\b(more than|greater than|fewer than|less than|at least|at most|exactly|above|below) \$?(-?\d[\d,.]{0,30})"
)
_UP = ("more than", "greater than", "above", "at least")


class Guess(NamedTuple):
    """The number of rows with a right guess without the problem, and of rows where a guess is possible."""

    right: int
    asked: int

    @property
    def share(self) -> float | None:
        """The accuracy of the guess, or None where no guess is possible."""
        return self.right / self.asked if self.asked else None


class Labels(NamedTuple):
    """The labels of the yes-or-no rows of a config, and the accuracy of guesses without the problem.

    `threshold` is the best rule on the comparison and its threshold alone, fitted on one half of the rows and
    scored on the other. `largest` compares the threshold with the largest number of the text.
    """

    yes: int
    no: int
    threshold: Guess
    largest: Guess

    @property
    def p(self) -> float:
        """The probability that a fair coin gives a split at least as uneven."""
        return even(self.yes, self.no)


def even(one: int, other: int) -> float:
    """Return the exact two-sided binomial probability of counts at least as uneven as these.

    >>> even(6, 0), even(5, 4)
    (0.03125, 1.0)
    """
    count, few = one + other, min(one, other)
    if 2 * few >= count - 1:
        return 1.0
    tail = sum(math.comb(count, k) for k in range(few + 1))
    return min(1.0, float(Fraction(2 * tail, 2**count)))


class Closed(NamedTuple):
    """The label and the comparison of a yes-or-no row."""

    yes: bool
    learnt: bool  # whether it belongs to the half on which cuts are fitted
    compared: tuple[str, Fraction] | None  # "more than", 12
    above: (
        bool | None
    )  # whether the largest number of the text is above the threshold; None where there is none


def closed(row: Row) -> Closed | None:
    """Return the row's label and threshold, or None for an unchanged row or another answer."""
    if row.get("answer") not in ("yes", "no") or not row.get("perturbed", True):
        return None
    compared = _threshold(str(row["question"]))
    above = None
    if compared and compared[0] != "exactly":
        numbers = [quantity.value for quantity in numerals.find(str(row.get("body") or ""))]
        above = max(numbers) > compared[1] if numbers else None
    learnt = bool(sha256(str(row["id"]).encode()).digest()[0] % 2)
    return Closed(row["answer"] == "yes", learnt, compared, above)


def labels(rows: Iterable[Row]) -> Labels | None:
    """Return a summary of the labels of yes-or-no rows, or None where there are none."""
    return counted([row for row in map(closed, rows) if row])


def counted(found: Sequence[Closed]) -> Labels | None:
    """Return a summary of the labels of these rows, or None where there are none."""
    yes = sum(row.yes for row in found)
    if not found:
        return None
    return Labels(yes, len(found) - yes, _by_threshold(found), _by_largest(found))


def _threshold(question: str) -> tuple[str, Fraction] | None:
    match = _COMPARED.search(question)
    value = numerals.parse(match[2].rstrip(".,")) if match else None
    return (match[1], value) if match and value is not None else None


def _by_threshold(rows: Sequence[Closed]) -> Guess:
    """Score the best cut for each comparison on the half of the rows on which it was not learnt."""
    learnt: dict[str, list[tuple[Fraction, bool]]] = {}
    scored = []
    for row in rows:
        if row.compared is None:
            continue
        words, value = row.compared
        if row.learnt:
            learnt.setdefault(words, []).append((value, row.yes))
        else:
            scored.append((words, value, row.yes))
    if not learnt:
        return Guess(0, 0)
    cuts = {words: _best_cut(seen) for words, seen in learnt.items()}
    right = 0
    for words, value, truth in scored:
        cut, above = cuts.get(words, (Fraction(0), True))
        right += int(((value > cut) == above) == truth)
    return Guess(right, len(scored))


def _best_cut(labelled: Sequence[tuple[Fraction, bool]]) -> tuple[Fraction, bool]:
    """Return the best cut between yes and no among the thresholds, and whether yes is above it."""
    ordered = sorted(labelled)
    yes_above = sum(truth for _, truth in ordered)  # all thresholds are above a cut before the first
    best = max(
        (yes_above, Fraction(-1), True),
        (len(ordered) - yes_above, Fraction(-1), False),
        key=lambda candidate: candidate[0],
    )
    right = yes_above
    for value, truth in ordered:
        right += -1 if truth else 1
        for count, above in ((right, True), (len(ordered) - right, False)):
            if count > best[0]:
                best = (count, value, above)
    return best[1], best[2]


def _by_largest(rows: Sequence[Closed]) -> Guess:
    comparable = [row for row in rows if row.above is not None and row.compared]
    right = sum((row.above == (row.compared[0] in _UP)) == row.yes for row in comparable if row.compared)
    return Guess(right, len(comparable))
