"""Amounts and percentages of a report's text that follow from its table, that grow with it, or that make others."""

from __future__ import annotations

import re
from bisect import bisect_right
from collections.abc import Iterator, Mapping, Sequence
from fractions import Fraction
from itertools import combinations
from typing import Final, NamedTuple

from dnc_datasets import numerals
from dnc_datasets.memoization import memoized
from dnc_datasets.numerals import Quantity
from dnc_datasets.perturbations.numbers.amounts import AMOUNTS, currency_before, is_name, is_year
from dnc_datasets.perturbations.tables.document import (
    AMOUNT_OPERATIONS,
    SHARE_OPERATIONS,
    Origin,
    Origins,
    Shown,
    agreed,
    belongs,
    names,
    rewritten,
    sentence_at,
    shown,
)
from dnc_datasets.problem import Problem
from dnc_datasets.tables.relations import Cell

_SCALES: Final = {"thousand": 10**3, "million": 10**6, "billion": 10**9}
_TEXT_SCALES: Final = [1, 10**3, 10**6, 10**9]
_CURRENCY_CODE: Final = re.compile(
    r"(?:\$ ?US|\b(?:US|CA|AU|HK|NZ)D?|\bRMB|\bEUR|\bGBP|\bCHF|\bRs\.?) ?\Z", re.IGNORECASE
)
# A price, a rate, a value of one share: it stays where the amounts grow.
_PRICE_BEFORE: Final = re.compile(
    r"\b(?:price|prices|par value|nominal value|rate|exercise|strike|fee)s?\b[^.;]{0,30}\Z|"
    r"\bper (?:\w+ ){0,2}(?:share|unit)\b[^.;]{0,40}\Z",
    re.IGNORECASE,
)
_PRICE_AFTER: Final = re.compile(
    r"(?: (?:million|billion|thousand))?,?(?: par value)? (?:per|an?|each)\b|/", re.IGNORECASE
)
# A sentence whose short numbers may be results: "an increase of $2 million".
_COMPARES: Final = re.compile(
    r"\b(?:in|de)creas|\bchange|\bdifference|\bhigher\b|\blower\b|\bgrew\b|\bgrowth\b|\brose\b|\bfell\b|\bdeclin|"
    r"\bup\b|\bdown\b|\btotal|\bof\b[^.]{0,60}%|%"
)
_CHANGED: Final = re.compile(
    r"\b(?:in|de)creas\w*|\bhigher\b|\blower\b|\bgrew\b|\bgrowth\b|\brose\b|\bfell\b|\bdeclin\w*|\bup\b|\bdown\b",
    re.IGNORECASE,
)
_WINDOW: Final = 60
_CODE: Final = 8
_IN_FULL: Final = 1_000_000
_LONG: Final = 100_000
_TELLING: Final = 3  # digits: shorter numbers are shown by chance
# Amounts that belong together stand near each other.
_NEIGHBOURS: Final = 5
_REACH: Final = 300
_EXACT: Final = Fraction(1, 100)
_SENTENCE_END: Final = re.compile(r"[.!?;] (?=\S)|\n")
Found = Sequence[tuple[Origin, int]]


class Mention(NamedTuple):
    """A number of the body: its origins in the table, and whether it grows with the table where it has none.

    Where it is `open` whether a short number has these origins, it stays or grows in agreement with one of them.
    """

    quantity: Quantity
    number: Shown
    origins: Found
    grows: bool
    open: bool = False

    def moved(self, new: Mapping[Cell, Fraction], factor: Fraction) -> Fraction | None:
        """The new size of the number; None where it cannot be stated."""
        number = self.number
        if self.origins and not self.open:
            return agreed(self.origins, number, new)
        size = number.rounded(number.value * factor) if self.grows else number.value
        if not self.open:
            return size
        by_cells = {agreed([one], number, new) for one in self.origins} - {None}
        if size in by_cells:
            return size
        return by_cells.pop() if len(by_cells) == 1 and self.grows else None


class Texts(NamedTuple):
    """The numbers of a body that move when the table does."""

    mentions: tuple[Mention, ...]

    def moved(self, problem: Problem, new: Mapping[Cell, Fraction], factor: Fraction) -> Problem | None:
        """The problem with its body in agreement with new cells; None where two origins of a number disagree."""
        edits = []
        for mention in self.mentions:
            value = mention.moved(new, factor)
            if value is None or not value:
                return None
            if value != mention.number.value:
                edits.append((mention.quantity, value))
        return problem.replace(body=rewritten(problem.body, edits)) if edits else problem


def read_texts(problem: Problem, origins: Origins) -> Texts | None:
    """The numbers of the body that follow from cells or grow with them; None where one cannot be stated."""
    body, found = problem.body, []
    unit = _SCALES.get(problem.note("table_scale"), 1)
    for quantity in numerals.find(body):
        if quantity.kind not in AMOUNTS or not quantity.value:
            continue
        start, end = quantity.start, quantity.end
        number = shown(quantity)
        if quantity.kind == "percent":
            possible = origins.of(number, SHARE_OPERATIONS)
            shares = _by_sentence(possible, origins, body, quantity)
            changes = [one for one in possible if one[0].operation == "change"]
            if shares:
                found.append(Mention(quantity, number, shares, False))
            elif changes and _digits(quantity) == _TELLING - 1 and _names_change(body, quantity):
                found.append(Mention(quantity, number, changes, False, True))
            continue
        money = (
            quantity.kind == "money"
            or currency_before(body, start) != ""
            or _CURRENCY_CODE.search(body, max(0, start - _CODE), start) is not None
        )
        scales = [1, unit] if unit > 1 else _TEXT_SCALES if number.unit > 1 else [1]
        cells = origins.cells(number, scales)
        unsure: Found = ()
        if not _tells(quantity):
            sentence = sentence_at(body, start, end)
            scaled = money or number.unit > 1
            named = [one for one in cells if names(one[0], origins.table, sentence)] if scaled else []
            # "$1.4 million" beside 1.4 in a table in millions, whatever its row is called.
            short = scaled and not named and _digits(quantity) == _TELLING - 1
            unsure = [one for one in cells if one[1] == max(unit, 1)] if short else ()
            cells = named
        if not money and is_year(quantity.text):
            continue
        if not money and unsure and number.unit > 1 and not is_year(quantity.text):
            found.append(Mention(quantity, number, unsure, False, True))
            continue
        if not money and not cells:
            if _is_result(quantity, number, origins, body) or _is_shortened(quantity, number, origins):
                return None  # other numbers beside it may follow from it
            continue
        if not money and is_name(body, "body", quantity.text, start, end):
            return None  # it may name something, or be the amount
        priced = number.unit == 1 and _PRICE_BEFORE.search(body, max(0, start - _WINDOW), start)
        if priced or _PRICE_AFTER.match(body, end):
            if cells:
                return None  # it may be either
            continue
        if quantity.value < 0 or not quantity.in_digits:
            return None
        results = (
            []
            if cells
            else _by_sentence(origins.of(number, AMOUNT_OPERATIONS, scales), origins, body, quantity)
        )
        open_to = unsure if not cells and not results else ()
        found.append(Mention(quantity, number, cells or results or open_to, money, bool(open_to)))
    return Texts(tuple(found))


def _names_change(body: str, quantity: Quantity) -> bool:
    """Whether a percentage is said of a change: "grew by 12%"."""
    return _CHANGED.search(body, max(0, quantity.start - _WINDOW), quantity.start) is not None


def _is_result(quantity: Quantity, number: Shown, origins: Origins, body: str) -> bool:
    """Whether a count of the text is the sum or difference of two cells whose rows its sentence names."""
    if not _tells(quantity) or not quantity.in_digits:
        return False
    sentence = sentence_at(body, quantity.start, quantity.end)
    found = origins.of(number, AMOUNT_OPERATIONS, (1, 10**3, 10**6))
    full = quantity.value >= _IN_FULL and not quantity.value % 1000  # 1329000 beside a table in thousands
    return any(full or belongs(origin, origins.table, sentence) for origin, _ in found)


def _is_shortened(quantity: Quantity, number: Shown, origins: Origins) -> bool:
    """Whether a count of the text is a long count of the table in thousands: 153 of 152,644."""
    if not _tells(quantity) or not quantity.in_digits or is_year(quantity.text) or number.unit > 1:
        return False
    return any(abs(value) >= _LONG and number.shows(abs(value) / 1000) for value in origins.values.values())


def _digits(quantity: Quantity) -> int:
    return sum(char.isdigit() for char in quantity.text.strip("0.,"))


def _tells(quantity: Quantity) -> bool:
    return _digits(quantity) >= _TELLING


def _by_sentence(found: Found, origins: Origins, body: str, quantity: Quantity) -> Found:
    """The origins whose rows the sentence names; all where it names none and the number is too long for chance."""
    if not found:
        return ()
    sentence = sentence_at(body, quantity.start, quantity.end)
    named = [one for one in found if belongs(one[0], origins.table, sentence)]
    if _tells(quantity):
        return named or found
    return named if _COMPARES.search(sentence) else ()


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
    return (
        all(_adds_up([new[at].value for at in one]) for one in _sums(before))
        and all(
            _is_change(new[share], new[one].value, new[other].value) for share, one, other in _changes(before)
        )
        and all(_is_product(*(new[at] for at in one)) for one in _products(before))
        and all(_parts_fit(before, [new[at].value for at in one], one) for one in _compared(before))
    )


@memoized
def _compared(text: str) -> tuple[tuple[int, ...], ...]:
    """The amounts of money of each sentence that has several."""
    found = numerals.find(text)
    sentences: dict[int, list[int]] = {}
    ends = [match.start() for match in _SENTENCE_END.finditer(text)]
    for at, one in enumerate(found):
        if one.value > 0 and (one.kind == "money" or currency_before(text, one.start)):
            sentences.setdefault(bisect_right(ends, one.start), []).append(at)
    return tuple(tuple(some) for some in sentences.values() if len(some) > 1)


def _parts_fit(before: str, new: Sequence[Fraction], places: Sequence[int]) -> bool:
    """Whether amounts of a sentence keep their order, and parts that were no more than their whole still are not."""
    found = numerals.find(before)
    old = [found[at].value for at in places]
    for (was, now), (was_other, now_other) in combinations(zip(old, new, strict=True), 2):
        if (was < was_other and now > now_other) or (was > was_other and now < now_other):
            return False
        if was == was_other and now != now_other:
            return False
    largest = max(range(len(old)), key=old.__getitem__)
    return sum(old) > 2 * old[largest] or sum(new) <= 2 * new[largest]


@memoized
def _products(text: str) -> tuple[tuple[int, int, int], ...]:
    """Amounts that are a number of things at a price: 2.0 million shares at $25.50, $51.0 million."""
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
    """Whether two numbers make a third, as exactly as all three are stated, which is more than chance explains."""
    error = sum((_error(each) for each in (one, other, whole)), Fraction(0))
    size = one.value * other.value
    return error <= _EXACT and abs(size - whole.value) <= error * size


def _error(quantity: Quantity) -> Fraction:
    """By what share of itself a number may be off by rounding."""
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


def _near(found: Sequence[Quantity], places: Sequence[int]) -> Iterator[list[int]]:
    """For each place, it and those that follow closely."""
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
