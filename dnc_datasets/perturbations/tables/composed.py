"""Amounts of a text that add up to a cell, are part of it or equal its growth.

Changes must keep these relations.
"""

from __future__ import annotations

import re
from bisect import bisect_left, bisect_right
from collections import Counter
from collections.abc import Iterator, Sequence
from fractions import Fraction
from itertools import combinations
from operator import itemgetter
from typing import Final, NamedTuple

from dnc_datasets import numerals
from dnc_datasets.english.reading.report_sentences import sentence_spans
from dnc_datasets.english.reading.report_words import words
from dnc_datasets.numerals import Quantity
from dnc_datasets.perturbations.numbers.amounts import AMOUNTS, currency_before, is_year
from dnc_datasets.perturbations.numbers.value_search import places as places_of
from dnc_datasets.perturbations.tables.document import shown
from dnc_datasets.perturbations.tables.labels import row_labels
from dnc_datasets.tables.relations import Cell, Signed

_REACH: Final = 700  # characters from the first part to the last
_BEFORE: Final = 300  # characters before the first part in which the row is named
_MOST_AMOUNTS: Final = 40
_MOST_NEAR: Final = 10
_MOST_PARTS: Final = 3
# The number of coincidences that a search may expect: of a row that the text names, and of any row.
_NAMED, _ANYWHERE = Fraction(1, 2), Fraction(1, 50)
_LISTS: Final = re.compile(r"\b(?:consist|compris|includ|made up of|composed of|represent)\w*", re.IGNORECASE)
_LISTED: Final = Fraction(3, 2)  # listed parts may differ from their total by more than their rounding
_NEARLY: Final = Fraction(1, 25)
_ROUGHLY: Final = Fraction(1, 8)
_GROWS_BY: Final = re.compile(r"\b(?:accumulated|allowances?|reserves?)\b", re.IGNORECASE)
_EXPENSE: Final = re.compile(
    r"\b(?:expenses?|amorti[sz]ation|depreciation|charges?|provisions?|recorded)\b", re.IGNORECASE
)
_PER_THING: Final = re.compile(r",? per (?:dozen|[a-z]+)\b")
_UNITS: Final = (1, 10**3, 10**6)
_FAR: Final = 2
_SIMILAR: Final = 20
_PRICES: Final = Fraction(1, 100)


class Composed(NamedTuple):
    """A cell, or the difference of two cells, with the signed amounts of the text that make it."""

    cells: tuple[Cell, ...]
    parts: tuple[tuple[int, int], ...]
    off: Fraction
    step: Fraction  # a unit of the last digit that the table shows


class Said(NamedTuple):
    """The relations that a text states between its amounts and the table, in a unit.

    Amounts are given by their positions in `numerals.find`.
    """

    unit: int
    composed: tuple[Composed, ...]
    beside: tuple[
        tuple[int, tuple[Cell, ...]], ...
    ]  # an amount, and the cells of the rows that its sentence names
    growth: tuple[tuple[int, Cell, Cell, Fraction], ...]
    priced: tuple[tuple[int, int, int], ...]  # a price, a count and their product


def composed_amounts_hold(
    said: Said, pairs: Sequence[tuple[Quantity, Quantity]], old: Signed, new: Signed
) -> bool:
    """Return whether amounts of the text still make up their cell, and parts do not exceed their total."""
    unit = said.unit
    return (
        all(_makes(one, pairs, unit, old, new) for one in said.composed)
        and all(
            _keeps_side(*pairs[at], unit * abs(old[cell]), unit * abs(new[cell]))
            for at, cells in said.beside
            for cell in cells
        )
        and all(_is_growth(pairs[at], one, other, unit, by, old, new) for at, one, other, by in said.growth)
        and all(_is_paid(*(pairs[at][1] for at in trio)) for trio in said.priced)
    )


def composed_exactly(
    said: Sequence[Said], pairs: Sequence[tuple[Quantity, Quantity]], old: Signed, new: Signed
) -> bool:
    """Return whether amounts that make up a cell still do, up to their present rounding."""
    return all(
        _makes(one, pairs, some.unit, old, new, exactly=True) for some in said for one in some.composed
    )


def _makes(
    one: Composed,
    pairs: Sequence[tuple[Quantity, Quantity]],
    unit: int,
    old: Signed,
    new: Signed,
    exactly: bool = False,
) -> bool:
    was, now = _size(one.cells, old) * unit, _size(one.cells, new) * unit
    moved = [(sign, *pairs[at]) for sign, at in one.parts]
    if was == now and all(before.ratio == after.ratio for _, before, after in moved):
        return True
    total = sum((sign * after.value for sign, _, after in moved), Fraction(0))
    slack = one.off + one.step
    if now >= _FAR * was and not exactly:  # the rounding difference grows with the amounts
        slack = sum((shown(before).half for _, before, _ in moved), slack) * now / was
    return abs(abs(total) - now) <= slack + sum((shown(after).half for *_, after in moved), Fraction(0))


def _size(cells: tuple[Cell, ...], values: Signed) -> Fraction:
    return abs(values[cells[0]] - values[cells[1]]) if len(cells) > 1 else abs(values[cells[0]])


def _keeps_side(before: Quantity, after: Quantity, was: Fraction, now: Fraction) -> bool:
    """Return whether an amount that was at most, or at least, a cell still is, up to its rounding."""
    half = shown(after).half
    if before.value <= was:
        return after.value <= now + half
    return after.value >= now - half


def _is_growth(
    pair: tuple[Quantity, Quantity],
    one: Cell,
    other: Cell,
    unit: int,
    by: Fraction,
    old: Signed,
    new: Signed,
) -> bool:
    was, now = (abs(values[one] - values[other]) * unit for values in (old, new))
    if was == now and pair[0].ratio == pair[1].ratio:
        return True
    return abs(now - pair[1].value) <= by * pair[1].value


def _is_paid(price: Quantity, count: Quantity, whole: Quantity) -> bool:
    """Return whether a price times a count is an amount, up to the rounding of all three."""
    error = sum((shown(each).half / (shown(each).value or 1) for each in (price, count, whole)), Fraction(0))
    return abs(price.value * count.value - whole.value) <= error * whole.value and error <= _PRICES


def read_said(table: Sequence[Sequence[str]], unit: int, body: str, cells: Signed) -> tuple[Said, ...]:
    """Read the relations that a text states about these cells.

    An unknown table unit is read as each likely one.
    """
    found = numerals.find(body)
    scaled = any(shown(one).unit > 1 for one in found if one.kind in AMOUNTS and one.value > 0)
    units = [unit] if unit > 1 or not scaled else _UNITS
    return tuple(_read_said(table, one, body, cells, len(units) == 1) for one in units)


def _read_said(table: Sequence[Sequence[str]], unit: int, body: str, cells: Signed, is_known: bool) -> Said:
    found = numerals.find(body)
    places = [at for at, one in enumerate(found) if _is_amount(body, one, unit)]
    if not places or len(places) > _MOST_AMOUNTS:
        return Said(unit, (), (), (), ())
    values = {cell: value for cell, value in cells.items() if value}
    rows: dict[int, list[Cell]] = {}
    for cell in values:
        rows.setdefault(cell[0], []).append(cell)
    labels = [(row, label) for row, label in row_labels(table) if row in rows]
    spans = list(sentence_spans(body))
    named = [
        (start, end, [row for row, label in labels if label.is_named(body[start:end])])
        for start, end in spans
        if any(start <= found[at].start < end for at in places) or len(spans) < _MOST_AMOUNTS
    ]
    return Said(
        unit,
        (
            *_composed(body, found, places, values, named, unit),
            *_listed(body, found, places, values, rows, named, unit),
            *_in_sentences(found, places, values, rows, named, unit),
        ),
        tuple(_beside(body, found, places, rows, named, None if is_known else (values, unit))),
        tuple(_growth(table, body, found, places, values, rows, named, unit)),
        tuple(_priced(body, found, places)),
    )


def _is_amount(body: str, one: Quantity, unit: int) -> bool:
    """Return whether a number of the text is an amount in the unit of the table or a larger one."""
    if one.kind not in AMOUNTS or one.kind == "percent" or one.value <= 0 or not one.in_digits:
        return False
    if is_year(one.text) and one.kind != "money":
        return False
    scaled = shown(one).unit > 1
    return scaled or (_is_money(body, one) and (one.value >= unit or "," in one.text))


def _is_money(body: str, one: Quantity) -> bool:
    return one.kind == "money" or currency_before(body, one.start) != ""


_Named = Sequence[tuple[int, int, list[int]]]


def _composed(
    body: str,
    found: Sequence[Quantity],
    places: Sequence[int],
    values: Signed,
    named: _Named,
    unit: int,
) -> Iterator[Composed]:
    """Yield cells, and changes of rows, that two or three amounts of the text make."""
    step = Fraction(unit, 10 ** max(map(places_of, values.values()), default=0))
    targets: list[tuple[tuple[Cell, ...], Fraction]] = [
        ((cell,), abs(value) * unit) for cell, value in values.items()
    ]
    targets += [
        ((one, other), abs(values[one] - values[other]) * unit)
        for one, other in combinations(values, 2)
        if one[0] == other[0] and values[one] != values[other]
    ]
    targets.sort(key=itemgetter(1))
    sizes = [float(target) for _, target in targets]
    of_row = Counter(cells[0][0] for cells, _ in targets)
    numbers = {at: shown(found[at]) for at in places}
    for start, first in enumerate(places):
        near = [
            at for at in places[start : start + _MOST_NEAR] if found[at].start - found[first].start <= _REACH
        ]
        runs = [(first, *rest) for size in (1, 2) for rest in combinations(near[1:], size)]
        if not runs:
            continue
        since, until = found[first].start - _BEFORE, found[near[-1]].end
        rows = {row for begin, end, some in named if begin < until and end > since for row in some}
        ways: list[tuple[tuple[tuple[int, int], ...], tuple[int, ...]]] = [
            (tuple((1, at) for at in run), run) for run in runs
        ]
        ways += [(((1, run[0]), (-1, run[1])), run) for run in runs if len(run) == 2]
        for parts, run in ways:
            size = abs(sum((sign * numbers[at].value for sign, at in parts), Fraction(0)))
            slack = sum((numbers[at].half for at in run), Fraction(0))
            if 2 * size < max(numbers[at].value for at in run):
                continue
            reach = float(slack + step)
            for cells, target in targets[
                bisect_left(sizes, float(size) - reach) : bisect_right(sizes, float(size) + reach)
            ]:
                is_named = cells[0][0] in rows
                tries = len(ways) * (of_row[cells[0][0]] if is_named else len(targets))
                most = _NAMED if is_named else _ANYWHERE
                off = abs(size - target)
                if off <= slack + step / 2 and tries * (2 * slack + step) <= most * target:
                    yield Composed(cells, parts, off, step)


def _listed(
    body: str,
    found: Sequence[Quantity],
    places: Sequence[int],
    values: Signed,
    rows: dict[int, list[Cell]],
    named: _Named,
    unit: int,
) -> Iterator[Composed]:
    """Yield cells of a row whose parts a sentence lists: "The fee consists of $1.2 million for ..."."""
    step = Fraction(unit, 10 ** max(map(places_of, values.values()), default=0))
    for start, end, some in named:
        lists = _LISTS.search(body, start, end) if some else None
        if lists is None:
            continue
        inside = [at for at in places if lists.end() <= found[at].start < end]
        runs = [inside[:count] for count in range(2, len(inside) + 1)]
        for run in runs:
            size = sum((found[at].value for at in run), Fraction(0))
            slack = sum((shown(found[at]).half for at in run), step / 2) * _LISTED
            for cell in (cell for row in some for cell in rows[row]):
                target = abs(values[cell]) * unit
                off = abs(size - target)
                if off <= slack and 2 * slack * len(runs) * len(rows[cell[0]]) <= target:
                    yield Composed((cell,), tuple((1, at) for at in run), off, step)


def _in_sentences(
    found: Sequence[Quantity],
    places: Sequence[int],
    values: Signed,
    rows: dict[int, list[Cell]],
    named: _Named,
    unit: int,
) -> Iterator[Composed]:
    """Yield cells of a row that two or three amounts make, each in a sentence that names the row."""
    step = Fraction(unit, 10 ** max(map(places_of, values.values()), default=0))
    for row, cells in rows.items():
        inside = [
            at
            for at in places
            for start, end, some in named
            if row in some and start <= found[at].start < end
        ]
        sizes = {abs(values[cell]) * unit for cell in cells}
        parts = [at for at in inside if not any(shown(found[at]).shows(size) for size in sizes)]
        if not 1 < len(parts) <= _MOST_NEAR:
            continue
        runs = [run for count in (2, 3) for run in combinations(parts, count)]
        for run in runs:
            size = sum((found[at].value for at in run), Fraction(0))
            slack = sum((shown(found[at]).half for at in run), step / 2)
            for cell in cells:
                target = abs(values[cell]) * unit
                if abs(size - target) <= slack and slack * len(runs) * len(cells) <= target:
                    yield Composed((cell,), tuple((1, at) for at in run), abs(size - target), step)


def _beside(
    body: str,
    found: Sequence[Quantity],
    places: Sequence[int],
    rows: dict[int, list[Cell]],
    named: _Named,
    unsure: tuple[Signed, int] | None,
) -> Iterator[tuple[int, tuple[Cell, ...]]]:
    """Yield each amount of a sentence with the cells of the rows that the sentence names.

    If the unit of the table is not known, only cells of similar size count.
    """
    for start, end, some in named:
        for at in places if some else ():
            if not start <= found[at].start < end or not _is_money(body, found[at]):
                continue
            cells = tuple(cell for row in some for cell in rows[row])
            if unsure is not None:
                values, unit = unsure
                size = found[at].value
                cells = tuple(
                    cell
                    for cell in cells
                    if size <= _SIMILAR * abs(values[cell]) * unit <= _SIMILAR**2 * size
                )
            if cells:
                yield at, cells


def _growth(
    table: Sequence[Sequence[str]],
    body: str,
    found: Sequence[Quantity],
    places: Sequence[int],
    values: Signed,
    rows: dict[int, list[Cell]],
    named: _Named,
    unit: int,
) -> Iterator[tuple[int, Cell, Cell, Fraction]]:
    """Yield amounts that are nearly the change of a row: an expense and its accumulated balance."""
    pairs = [
        (one, other, abs(values[one] - values[other]) * unit)
        for cells in rows.values()
        for one, other in combinations(cells, 2)
        if values[one] != values[other]
    ]
    for start, end, _ in named:
        sentence = body[start:end]
        inside = [at for at in places if start <= found[at].start < end and _tells(found[at])]
        if not inside or not _EXPENSE.search(sentence):
            continue
        spoken = words(sentence)
        for one, other, size in pairs:
            label = table[one[0]][0]
            if spoken.isdisjoint(words(label)):
                continue
            by = _ROUGHLY if _GROWS_BY.search(label) else _NEARLY
            for at in inside:
                if abs(found[at].value - size) <= by * found[at].value:
                    yield at, one, other, by


def _tells(one: Quantity) -> bool:
    """Return whether an amount has at least two significant digits."""
    digits = re.sub(r"\D", "", one.text).strip("0")
    return len(digits) > 1


def _priced(body: str, found: Sequence[Quantity], places: Sequence[int]) -> Iterator[tuple[int, int, int]]:
    """Yield prices, counts and their products: $0.12 per pound, 1,000.5 million pounds, $120.1 million."""
    prices = [at for at, one in enumerate(found) if one.value > 0 and _PER_THING.match(body, one.end)]
    counts = [at for at in places if not currency_before(body, found[at].start)]
    for price in prices:
        for count in counts:
            for whole in places:
                if whole not in (price, count) and count != price and whole not in counts:
                    trio = (found[price], found[count], found[whole])
                    if _is_paid(*trio):
                        yield price, count, whole
