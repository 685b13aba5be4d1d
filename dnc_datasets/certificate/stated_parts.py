"""The promise that a text and its table agree on parts and totals, lists of parts, and products."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from fractions import Fraction

from dnc_datasets import numerals
from dnc_datasets.certificate.tables import Figure, Place
from dnc_datasets.memoization import memoized
from dnc_datasets.numerals import Quantity
from dnc_datasets.problem import Problem

_UNITS = {"thousand": 10**3, "million": 10**6, "billion": 10**9}
_SENTENCE_END = re.compile(r"[.!?;]\s+(?=[A-Z\"“(])|\n")
_DIGITS = re.compile(r"\d[\d,]*(?:\.(\d+))?")
_MARKS = re.compile(r"\(\w{1,2}\)|[*†‡]")
_LISTED = re.compile(
    r"\b(?:consist(?:s|ed|ing)? of|compris(?:es|ed|ing)|includ(?:es|ed|ing))\b", re.IGNORECASE
)
_PER = re.compile(r" per [a-z]+\b")
_ANY_UNIT = (1, 10**3, 10**6)
_SIMILAR = 20
_CURRENCY = "$€£¥"
_SHORTEST_LABEL = 8  # letters
_FEWEST_PARTS = 2
_EXACT, _NEARLY = Fraction(1, 100), Fraction(1, 50)
_MOST_AMOUNTS = 60


def parts_agree(
    original: Problem, perturbed: Problem, before: Mapping[Place, Figure], after: Mapping[Place, Figure]
) -> bool:
    """Return whether parts stay within their rows, lists make their totals, and products hold.

    A product is a price times a count.
    """
    old, new = numerals.find(original.body), numerals.find(perturbed.body)
    if len(old) != len(new) or len(old) > 4 * _MOST_AMOUNTS:
        return len(old) == len(new)
    paid = _paid(original.body)
    if not all(_makes(*(new[at] for at in trio)) for trio in paid):
        return False
    known = _UNITS.get(original.note("table_scale"))
    units = (known,) if known else _ANY_UNIT
    return all(
        _stays_within(
            old[at], new[at], abs(before[place].value) * unit, abs(after[place].value) * unit, known
        )
        for at, row in _beside(original.table, original.body)
        for place in before
        if place[0] == row and not before[place].share and before[place].value
        for unit in units
    ) and all(
        _still_listed(
            [(old[at], new[at]) for at in places],
            before[place].place * unit,
            abs(before[place].value) * unit,
            abs(after[place].value) * unit,
        )
        for row, places in _lists(original.table, original.body)
        for place in before
        if place[0] == row and not before[place].share and before[place].value
        for unit in units
    )


def _stays_within(old: Quantity, new: Quantity, was: Fraction, now: Fraction, known: int | None) -> bool:
    """Return whether an amount keeps its side of a figure, in a likely unit if none is known."""
    if was == now:
        return True
    if known is None and not old.value <= _SIMILAR * was <= _SIMILAR**2 * old.value:
        return True
    if old.value <= was:
        return new.value <= now + _half(new)
    return new.value >= now - _half(new)


def _still_listed(
    parts: list[tuple[Quantity, Quantity]], step: Fraction, was: Fraction, now: Fraction
) -> bool:
    """Return whether amounts that nearly made a figure make its new value as nearly."""
    old = sum((one.value for one, _ in parts), Fraction(0))
    new = sum((other.value for _, other in parts), Fraction(0))
    off = abs(old - was)
    slack = sum((_half(other) for _, other in parts), step)
    return off > _NEARLY * was or abs(new - now) <= off * max(Fraction(1), now / was) + slack


def _half(quantity: Quantity) -> Fraction:
    """Return half of a unit of the last digit that a number shows."""
    digits = _DIGITS.search(quantity.text)
    stated = numerals.parse(digits[0].rstrip(",")) if digits else None
    if digits is None or not stated:
        return Fraction(1, 2)
    half: Fraction = abs(quantity.value) / stated / (2 * 10 ** len(digits[1] or ""))
    return half


def _is_money(text: str, one: Quantity) -> bool:
    before = text[max(0, one.start - 3) : one.start].rstrip()
    return one.value > 0 and (one.kind == "money" or before[-1:] in tuple(_CURRENCY))


def _spans(text: str) -> Iterator[tuple[int, int]]:
    start = 0
    for match in _SENTENCE_END.finditer(text):
        yield start, match.start()
        start = match.end()
    yield start, len(text)


def _named(table: tuple[tuple[str, ...], ...], sentence: str) -> list[int]:
    """Return the rows whose complete label is in a sentence."""
    found = []
    small = sentence.lower()
    for row, cells in enumerate(table):
        label = " ".join(_MARKS.sub(" ", cells[0]).lower().split()) if cells else ""
        at = small.find(label) if len(label) >= _SHORTEST_LABEL else -1
        ends = small[at + len(label) : at + len(label) + 1] if at >= 0 else ""
        if at >= 0 and not small[max(0, at - 1) : at].isalpha() and not ends.isalpha():
            found.append(row)
    return found


@memoized
def _beside(table: tuple[tuple[str, ...], ...], body: str) -> tuple[tuple[int, int], ...]:
    """Return the scaled amounts of money in sentences that name exactly one row: the position and the row."""
    quantities = numerals.find(body)
    found = []
    for start, end in _spans(body):
        inside = [
            at for at, one in enumerate(quantities) if start <= one.start < end and _is_scaled(body, one)
        ]
        rows = _named(table, body[start:end]) if inside else []
        found += [(at, rows[0]) for at in inside if len(rows) == 1]
    return tuple(found)


def _is_scaled(body: str, one: Quantity) -> bool:
    return _is_money(body, one) and one.text.rstrip()[-1:].isalpha()


@memoized
def _lists(table: tuple[tuple[str, ...], ...], body: str) -> tuple[tuple[int, tuple[int, ...]], ...]:
    """Return rows with the amounts that a sentence lists: "Rent consists of $12 million and $9 million"."""
    quantities = numerals.find(body)
    found = []
    for start, end in _spans(body):
        lists = _LISTED.search(body, start, end)
        if lists is None:
            continue
        inside = tuple(
            at
            for at, one in enumerate(quantities)
            if lists.end() <= one.start < end and _is_scaled(body, one)
        )
        rows = _named(table, body[start : lists.start()]) if len(inside) >= _FEWEST_PARTS else []
        found += [(row, inside) for row in rows]
    return tuple(found)


@memoized
def _paid(body: str) -> tuple[tuple[int, int, int], ...]:
    """Return prices of a thing, counts, and the amounts of money that are their products."""
    quantities = numerals.find(body)
    prices = [at for at, one in enumerate(quantities) if _is_money(body, one) and _PER.match(body, one.end)]
    if not prices:
        return ()
    scaled = [at for at, one in enumerate(quantities) if one.value > 0 and one.text[-1:].isalpha()][
        :_MOST_AMOUNTS
    ]
    counts = [at for at in scaled if not _is_money(body, quantities[at])]
    sums = [at for at in scaled if at not in counts]
    return tuple(
        (price, count, whole)
        for price in prices
        for count in counts
        for whole in sums
        if _makes(quantities[price], quantities[count], quantities[whole])
    )


def _makes(price: Quantity, count: Quantity, whole: Quantity) -> bool:
    error: Fraction = sum((_half(one) / one.value for one in (price, count, whole) if one.value), Fraction(0))
    return error <= _EXACT and abs(price.value * count.value - whole.value) <= error * whole.value
