"""What the amounts of a report's text make together: "$10.1 million and $5.2 million, in all $15.3 million"."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from fractions import Fraction
from itertools import combinations
from typing import Final

from dnc_datasets import numerals
from dnc_datasets.memoization import memoized
from dnc_datasets.numerals import Quantity
from dnc_datasets.perturbations.numbers.amounts import AMOUNTS

# Amounts that belong together stand near each other.
_NEIGHBOURS: Final = 5
_REACH: Final = 300
# Shorter sums and shares come about by chance.
_TELLING: Final = 3


def stated_sums_hold(before: str, after: str) -> bool:
    """Whether sums, differences and shares of amounts that held in a text hold in it with other numbers.

    >>> stated_sums_hold("It cost $10.1 and $5.2, in all $15.3.", "It cost $60.6 and $5.2, in all $91.8.")
    False
    """
    if before == after:
        return True
    new = numerals.find(after)
    if len(new) != len(numerals.find(before)):
        return False
    return all(_adds_up([new[at].value for at in one]) for one in _sums(before)) and all(
        _is_change(new[share], new[one].value, new[other].value) for share, one, other in _changes(before)
    )


@memoized
def _sums(text: str) -> tuple[tuple[int, ...], ...]:
    found = numerals.find(text)
    return tuple(
        some
        for near in _near(found, [at for at, one in enumerate(found) if _is_amount(one)])
        for size in (3, 4)
        for rest in combinations(near[1:], size - 1)
        for some in [(near[0], *rest)]
        if _tells(found[max(some, key=lambda at: found[at].value)])
        and _adds_up([found[at].value for at in some])
    )


@memoized
def _changes(text: str) -> tuple[tuple[int, int, int], ...]:
    found = numerals.find(text)
    places = [at for at, one in enumerate(found) if _is_amount(one) or _is_share(one)]
    return tuple(
        (share, one, other)
        for near in _near(found, places)
        for trio in combinations(near, 3)
        if near[0] in trio
        for share in trio
        if _is_share(found[share]) and _tells(found[share])
        for one, other in [tuple(at for at in trio if at != share)]
        if not _is_share(found[one]) and not _is_share(found[other])
        if _is_change(found[share], found[one].value, found[other].value)
    )


def _near(found: Sequence[Quantity], places: Sequence[int]) -> Iterator[list[int]]:
    """For each place, it and those that follow closely."""
    for at, first in enumerate(places):
        end = found[first].end + _REACH
        yield [place for place in places[at : at + _NEIGHBOURS] if found[place].start <= end]


def _is_amount(quantity: Quantity) -> bool:
    return quantity.kind in AMOUNTS and quantity.kind != "percent" and quantity.value > 0


def _is_share(quantity: Quantity) -> bool:
    return quantity.kind == "percent"


def _tells(quantity: Quantity) -> bool:
    return sum(char.isdigit() for char in quantity.text) >= _TELLING


def _adds_up(values: Sequence[Fraction]) -> bool:
    """Whether the largest is what the others make, added up or one of them taken away."""
    *others, largest = sorted(values)
    left = sum(others, Fraction(0)) - largest
    return left == 0 or (len(others) > 2 and any(left == 2 * other for other in others))


def _is_change(share: Quantity, one: Fraction, other: Fraction) -> bool:
    """Whether the share, as exactly as it is stated, is by what one amount is more or less than the other."""
    half = Fraction(1, 2 * 10 ** len(share.text.partition(".")[2].rstrip("% ")))
    percent = abs(share.value)
    return any(
        base and abs(abs(new - base) / base * 100 - percent) <= half
        for base, new in ((one, other), (other, one))
    )
