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


class Closed(NamedTuple):
    """What is kept of a row that is answered by yes or no."""

    yes: bool
    learnt: bool  # is it of the half that cuts are learnt on?
    compared: tuple[str, Fraction] | None  # "more than", 12
    above: bool | None  # is the largest number of the text above the threshold? None where that says nothing


def closed(row: Row) -> Closed | None:
    """The row's label and threshold; None where it is not answered by yes or no, or was not changed."""
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
    """The labels of the rows whose answer is yes or no; None where there are none."""
    return counted([one for one in map(closed, rows) if one])


def counted(found: Sequence[Closed]) -> Labels | None:
    """The labels of these rows; None where there are none."""
    yes = sum(one.yes for one in found)
    if not found:
        return None
    return Labels(yes, len(found) - yes, _by_threshold(found), _by_largest(found))


def _threshold(question: str) -> tuple[str, Fraction] | None:
    found = _COMPARED.search(question)
    value = numerals.parse(found[2].rstrip(".,")) if found else None
    return (found[1], value) if found and value is not None else None


def _by_threshold(found: Sequence[Closed]) -> Guess:
    """The best cut for each comparison, on the half of the rows that it was not learnt on."""
    learnt: dict[str, list[tuple[Fraction, bool]]] = {}
    scored = []
    for one in found:
        if one.compared is None:
            continue
        words, value = one.compared
        if one.learnt:
            learnt.setdefault(words, []).append((value, one.yes))
        else:
            scored.append((words, value, one.yes))
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


def _by_largest(found: Sequence[Closed]) -> Guess:
    asked = [one for one in found if one.above is not None and one.compared]
    right = sum((one.above == (one.compared[0] in _UP)) == one.yes for one in asked if one.compared)
    return Guess(right, len(asked))
