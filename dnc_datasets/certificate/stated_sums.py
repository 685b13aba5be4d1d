"""Sums and changes in percent that a sentence states: "$10.1 million and $5.2 million, in all $15.3 million"."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from fractions import Fraction
from itertools import combinations

from dnc_datasets import numerals
from dnc_datasets.numerals import Quantity

_SENTENCE_END = re.compile(r"[.!?]\s+(?=[A-Z\"“(])")
_AMOUNTS = ("cardinal", "decimal", "money")
# With fewer digits, a sum or a share is often a coincidence.
_MIN_DIGITS = 3
# A longer sentence is a list, in which many sums are coincidences.
_MAX_AMOUNTS = 8
_SHARE_AND_TWO_AMOUNTS = 3


def stated_sums_hold(before: str, after: str) -> bool:
    """Return whether the sums and changes in percent within each sentence of a text hold with its new numbers.

    >>> stated_sums_hold("It cost $10.1 and $5.2, in all $15.3.", "It cost $60.6 and $5.2, in all $91.8.")
    False
    """
    if before == after:
        return True
    old, new = numerals.find(before), numerals.find(after)
    if len(old) != len(new):
        return False
    for places in _sentences(before, old):
        for group in (*combinations(places, 3), *combinations(places, 4)):
            if _related([old[at] for at in group]) and not _related([new[at] for at in group], digits=0):
                return False
    return True


def _sentences(text: str, quantities: Sequence[Quantity]) -> Iterator[list[int]]:
    """Yield the places of the amounts and percentages of each sentence."""
    ends = [match.start() for match in _SENTENCE_END.finditer(text)] + [len(text)]
    start = 0
    for end in ends:
        inside = [at for at, one in enumerate(quantities) if start <= one.start < end]
        usable = [
            at for at in inside if quantities[at].kind in (*_AMOUNTS, "percent") and quantities[at].value > 0
        ]
        if len(usable) <= _MAX_AMOUNTS:
            yield usable
        start = end


def _related(group: Sequence[Quantity], digits: int = _MIN_DIGITS) -> bool:
    """Return whether one amount is the sum of the others, or the percentage is the change between the others."""
    shares = [one for one in group if one.kind == "percent"]
    if not shares:
        *others, largest = sorted(group, key=lambda one: one.value)
        return sum(one.value for one in others) == largest.value and _digits(largest) >= digits
    if len(shares) > 1 or len(group) != _SHARE_AND_TWO_AMOUNTS or _digits(shares[0]) < digits:
        return False
    one, other = (amount.value for amount in group if amount.kind != "percent")
    return any(_is_change(shares[0], base, new) for base, new in ((one, other), (other, one)))


def _is_change(share: Quantity, base: Fraction, new: Fraction) -> bool:
    """Return whether `new` differs from `base` by the share, rounded as the share is."""
    decimals = len(re.sub(r"[^\d].*", "", share.text.partition(".")[2]))
    error: Fraction = abs(abs(new - base) * 100 / base - share.value)
    return error <= Fraction(1, 2 * 10**decimals)


def _digits(quantity: Quantity) -> int:
    return sum(char.isdigit() for char in quantity.text)
