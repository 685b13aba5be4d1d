"""Sums, differences, shares and products among the numbers of a text."""

from __future__ import annotations

import re
from bisect import bisect_right
from collections.abc import Iterator, Sequence
from fractions import Fraction
from itertools import combinations, pairwise, product
from typing import Final

from dnc_datasets import numerals
from dnc_datasets.memoization import memoized
from dnc_datasets.numerals import Quantity
from dnc_datasets.perturbations.numbers.amounts import AMOUNTS, currency_before
from dnc_datasets.perturbations.tables.document import shown

_TELLING: Final = 3  # digits: shorter numbers agree by chance
# Amounts that belong together are near each other.
_NEIGHBOURS: Final = 5
_REACH: Final = 300
_EXACT: Final = Fraction(1, 100)
_MOST_IN_SENTENCE: Final = 7
_ROUGH: Final = 12  # the largest amount is at least this multiple of all rounding errors
_SENTENCE_END: Final = re.compile(r"[.!?;] (?=\S)|\n")


def stated_sums_hold(before: str, after: str) -> bool:
    """Return whether sums, differences and shares of amounts in a text hold with its new numbers.

    >>> stated_sums_hold("It cost $10.1 and $5.2, in all $15.3.", "It cost $60.6 and $5.2, in all $91.8.")
    False
    """
    if before == after:
        return True
    new = numerals.find(after)
    if len(new) != len(numerals.find(before)):
        return False
    return (
        all(_adds_up([new[at].value for at in one]) for one in _sums(before))
        and all(_adds_up_nearly([new[at] for at in one]) for one in _rounded_sums(before))
        and all(
            _is_change(new[share], new[one].value, new[other].value) for share, one, other in _changes(before)
        )
        and all(_is_product(*(new[at] for at in one)) for one in _products(before))
        and all(_parts_fit(before, [new[at].value for at in one], one) for one in _compared(before))
    )


@memoized
def _compared(text: str) -> tuple[tuple[int, ...], ...]:
    """Return the amounts of money of each sentence that has several."""
    found = numerals.find(text)
    sentences: dict[int, list[int]] = {}
    ends = [match.start() for match in _SENTENCE_END.finditer(text)]
    for at, one in enumerate(found):
        if one.value > 0 and (one.kind == "money" or currency_before(text, one.start)):
            sentences.setdefault(bisect_right(ends, one.start), []).append(at)
    return tuple(tuple(some) for some in sentences.values() if len(some) > 1)


def _parts_fit(before: str, new: Sequence[Fraction], places: Sequence[int]) -> bool:
    """Return whether the amounts of a sentence keep their order, and parts do not exceed their total."""
    found = numerals.find(before)
    old = [found[at].value for at in places]
    for (was, now), (was_other, now_other) in pairwise(sorted(zip(old, new, strict=True))):
        if now > now_other or (was == was_other and now != now_other):
            return False
    largest = max(range(len(old)), key=old.__getitem__)
    return sum(old) > 2 * old[largest] or sum(new) <= 2 * new[largest]


@memoized
def _products(text: str) -> tuple[tuple[int, int, int], ...]:
    """Return amounts that are a number of things times a price: 2 million shares at $25.50, $51 million."""
    found = numerals.find(text)
    places = [at for at, one in enumerate(found) if _is_amount(one)]
    return tuple(
        (one, other, whole)
        for near in _near(found, places)
        for trio in combinations(near, 3)
        if near[0] in trio
        for whole in [max(trio, key=lambda at: found[at].value)]
        for one, other in [tuple(at for at in trio if at != whole)]
        if min(found[one].value, found[other].value) > 1
        and _is_product(found[one], found[other], found[whole])
    )


def _is_product(one: Quantity, other: Quantity, whole: Quantity) -> bool:
    """Return whether one number is the product of two others, up to rounding that leaves no chance match."""
    error = sum((_error(each) for each in (one, other, whole)), Fraction(0))
    size = one.value * other.value
    return error <= _EXACT and abs(size - whole.value) <= error * size


def _error(quantity: Quantity) -> Fraction:
    """Return the relative rounding error of a number."""
    number = shown(quantity)
    return number.half / number.value if number.value else Fraction(1)


@memoized
def _sums(text: str) -> tuple[tuple[int, ...], ...]:
    found = numerals.find(text)
    return tuple(
        some
        for near in _near(found, [at for at, one in enumerate(found) if _is_amount(one)])
        for size in (3, 4)
        for rest in combinations(near[1:], size - 1)
        for some in [(near[0], *rest)]
        if _is_long(found[max(some, key=lambda at: found[at].value)])
        and _adds_up([found[at].value for at in some])
    )


@memoized
def _rounded_sums(text: str) -> tuple[tuple[int, ...], ...]:
    """Return two amounts that make a third up to rounding.

    An example is $316 million and $693 million, in all $1.01 billion.
    """
    found = numerals.find(text)
    return tuple(
        trio
        for near in _near(found, [at for at, one in enumerate(found) if _is_amount(one)])
        for trio in combinations(near, 3)
        if near[0] in trio
        and max(_error(found[at]) * found[at].value for at in trio)
        <= _EXACT / 2 * max(found[at].value for at in trio)
        and _adds_up_nearly([found[at] for at in trio])
    )


def _adds_up_nearly(some: Sequence[Quantity]) -> bool:
    one, other, largest = sorted(some, key=lambda each: each.value)
    slack = sum((shown(each).half for each in some), Fraction(0))
    return abs(one.value + other.value - largest.value) <= slack


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
        if _is_share(found[share]) and _is_long(found[share])
        for one, other in [tuple(at for at in trio if at != share)]
        if not _is_share(found[one]) and not _is_share(found[other])
        if _is_change(found[share], found[one].value, found[other].value)
    )


def rounded_parts_hold(before: str, after: str) -> bool:
    """Return whether amounts of a sentence that make another one, up to rounding, still do.

    >>> rounded_parts_hold("Of $2.8 billion, $2.9 billion is owed and $118 million is not.",
    ...     "Of $33.4 billion, $34.8 billion is owed and $1,416 million is not.")
    True
    """
    new = numerals.find(after)
    return len(new) == len(numerals.find(before)) and all(
        abs(sum((sign * new[at].value for sign, at in parts), Fraction(0)))
        <= sum((shown(new[at]).half for _, at in parts), Fraction(0))
        for parts in _rounded_parts(before)
    )


@memoized
def _rounded_parts(text: str) -> tuple[tuple[tuple[int, int], ...], ...]:
    """Return groups of amounts of a sentence: two that make a third, or all that make the first."""
    found = numerals.find(text)
    made: dict[tuple[tuple[int, int], ...], None] = {}
    for places in _compared(text):
        near = places[:_MOST_IN_SENTENCE]
        groups = [some for size in range(3, 4) for some in combinations(near, size)]
        groups += [near[:size] for size in range(4, len(near) + 1)]
        for some in groups:
            halves = sum((shown(found[at]).half for at in some), Fraction(0))
            if halves * _ROUGH > max(found[at].value for at in some):
                continue
            for signs in product((1, -1), repeat=len(some) - 1):
                parts = ((1, some[0]), *zip(signs, some[1:], strict=True))
                if abs(sum((sign * found[at].value for sign, at in parts), Fraction(0))) <= halves:
                    made[parts] = None
    return tuple(made)


def _near(found: Sequence[Quantity], places: Sequence[int]) -> Iterator[list[int]]:
    """Yield for each position the position and those that follow closely."""
    for at, first in enumerate(places):
        end = found[first].end + _REACH
        yield [place for place in places[at : at + _NEIGHBOURS] if found[place].start <= end]


def _is_amount(quantity: Quantity) -> bool:
    return quantity.kind in AMOUNTS and quantity.kind != "percent" and quantity.value > 0


def _is_share(quantity: Quantity) -> bool:
    return quantity.kind == "percent"


def _is_long(quantity: Quantity) -> bool:
    return sum(char.isdigit() for char in quantity.text) >= _TELLING


def _adds_up(values: Sequence[Fraction]) -> bool:
    """Return whether the largest is the sum of the others, with at most one of them subtracted."""
    *others, largest = sorted(values)
    left = sum(others, Fraction(0)) - largest
    return left == 0 or (len(others) > 2 and any(left == 2 * other for other in others))


def _is_change(share: Quantity, one: Fraction, other: Fraction) -> bool:
    """Return whether the share is the relative difference of two amounts, up to the rounding of the share."""
    half = Fraction(1, 2 * 10 ** len(share.text.partition(".")[2].rstrip("% ")))
    percent = abs(share.value)
    return any(
        base and abs(abs(new - base) / base * 100 - percent) <= half
        for base, new in ((one, other), (other, one))
    )
