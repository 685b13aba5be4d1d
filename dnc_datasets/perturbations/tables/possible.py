"""Relations of a table that may be intended or due to chance. A change that loses one is refused."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence, Set
from fractions import Fraction
from itertools import combinations, product
from typing import Final, NamedTuple

from dnc_datasets import numerals
from dnc_datasets.tables.relations import Cell, Signed

Terms = tuple[tuple[int, Cell], ...]
Lines = Sequence[Sequence[Cell]]

# The number of coincidences that a search may expect in a line, and in the entire table.
_IN_LINE, _IN_TABLE = Fraction(3, 10), Fraction(1, 20)
_LONGEST_RUN: Final = 7
# The signs of a run, by the number of its amounts.
_SIGNS: Final = {
    count: [(1, *signs) for signs in product((1, -1), repeat=count - 1)]
    for count in range(4, _LONGEST_RUN + 1)
}
_MOST_CELLS: Final = 120
_LARGE: Final = 1000
_STEADY: Final = Fraction(3, 100)
_APART: Final = 3  # lines
_FEWEST_PRICED: Final = 3
_EXACTLY: Final = Fraction(1, 100)
# An average whose weights are amounts of the table. The average number of shares is an amount.
_WEIGHTED: Final = re.compile(
    r"\bweighted(?:[- ]average)?\b(?![^.]{0,40}\b(?:shares|stock|number|units)\b)|\baverage price\b",
    re.IGNORECASE,
)
_SHARE_OF: Final = re.compile(r"\W{0,3}(?:as )?(?:an? )?(?:%|percent(?:age)?) of\b", re.IGNORECASE)
# A quotient of which the table may not show both amounts: a tax rate, a margin, a cost ratio, tons per employee.
_QUOTIENT: Final = re.compile(
    r"\beffective (?:[a-z]+ ){0,2}rate\b|\bmargins?\b|\bintensity\b|\bratios?\b|(?:%|\bpercent(?:age)?) (?:of|to)\b|"
    r"\bper (?!cents?\b|annum\b|(?:[a-z]+ )?(?:share|unit|adr)s?\b)[a-z]{3,}",
    re.IGNORECASE,
)
_AVERAGE: Final = re.compile(r"\b(?:average|mean)\b", re.IGNORECASE)
_AT_RATE: Final = re.compile(
    r"\bstatutory\b|\bat (?:[\w.%]+ ){0,6}rates?\b|\brate of\b|\btax at\b|\bstandard rate\b", re.IGNORECASE
)


class Sum(NamedTuple):
    """Signed cells with a sum close to zero: `off` is the size of the sum, in the unit of the table."""

    terms: Terms
    cells: frozenset[Cell]
    off: Fraction | int


class Possible(NamedTuple):
    """The possible relations of a table: sums that are zero, and cells that are steady shares of others.

    A pair of lines with one price is a line of counts and one of amounts, such as shares and their par value.
    """

    sums: tuple[Sum, ...]
    steady: tuple[tuple[tuple[Cell, Cell], ...], ...]
    weighted: frozenset[Cell]
    priced: tuple[tuple[tuple[Cell, Cell], ...], ...]
    places: Mapping[Cell, int]
    unit: int

    def kept(self, old: Signed, new: Signed, factor: Fraction) -> bool:
        """Return whether all relations hold for the cells that do not just move by the common factor."""
        return self.kept_beside(old, new, _stepped(old, new, factor))

    def kept_beside(self, old: Signed, new: Signed, stepped: Set[Cell]) -> bool:
        """Return whether all relations of the cells in `stepped` hold. They moved by another factor."""
        if not stepped.isdisjoint(self.weighted) or not self._sums_kept(new, stepped):
            return False
        for pairs in self.priced:
            if any(one in stepped or other in stepped for one, other in pairs) and not _price(
                pairs, new, self.places
            ):
                return False
        return all(
            abs(new[part] * old[base] - old[part] * new[base]) <= _STEADY * abs(old[part] * new[base])
            for pairs in self.steady
            for part, base in pairs
            if not stepped.isdisjoint((part, base))
        )

    def sums_kept(self, old: Signed, new: Signed, factor: Fraction) -> bool:
        """Return whether sums hold whose amounts moved by another factor or were rounded."""
        return self._sums_kept(new, _stepped(old, new, factor))

    def _sums_kept(self, new: Signed, stepped: Set[Cell]) -> bool:
        return not any(
            not -one.off <= _total(one.terms, new, self.unit) <= one.off
            for one in self.sums
            if not one.cells.isdisjoint(stepped)
        )


def _total(terms: Terms, values: Signed, unit: int) -> Fraction | int:
    """Return the sum of signed cells, in a unit."""
    total: Fraction | int = 0
    for sign, cell in terms:
        value = values[cell]
        whole, rest = divmod(unit, value.denominator)
        total += sign * (value * unit if rest else value.numerator * whole)
    return total


def _size(total: Fraction | int) -> Fraction | int:
    return max(total, -total)


def _stepped(old: Signed, new: Signed, factor: Fraction) -> set[Cell]:
    """Return the cells that did not change by exactly the common factor."""
    return {cell for cell, size in old.items() if new[cell] != size * factor}


def possible(
    table: Sequence[Sequence[str]],
    headings: int,
    values: Signed,
    places: Mapping[Cell, int],
    parts: Set[Cell] = frozenset(),
    based: Set[Cell] = frozenset(),
) -> Possible:
    """Return the relations of the amounts of a table that labels do not announce.

    `parts` are the terms of known sums, `based` the percentages that follow from amounts of the table.
    """
    unit = 10 ** max(places.values(), default=0)
    sizes = {cell: int(value * unit) for cell, value in values.items() if value}
    averages = any(_AVERAGE.search(cell) for row in table for cell in row)
    found: dict[frozenset[Cell], Terms] = {}
    # Totals of blocks can form their own balance, without the parts of the blocks.
    totals = {cell: size for cell, size in sizes.items() if cell not in parts}
    for line in (*lines(sizes), *lines(totals)):
        for terms in (
            *_triples(line, sizes, _IN_LINE),
            *_runs(line, sizes),
            *(_means(table, headings, line, values) if averages else ()),
        ):
            found.setdefault(frozenset(cell for _, cell in terms), terms)
    large = [cell for cell, size in sizes.items() if abs(size) >= _LARGE]
    if len(large) <= _MOST_CELLS:
        for terms in _triples(large, sizes, _IN_TABLE, len(large)):
            found.setdefault(frozenset(cell for _, cell in terms), terms)
    return Possible(
        tuple(Sum(terms, cells, _size(_total(terms, values, unit))) for cells, terms in found.items()),
        tuple(_steady(table, values)),
        _weights(table, headings, values) | _parts_of_unseen(table, values, based),
        tuple(_priced(values, places)),
        places,
        unit,
    )


def lines(cells: Mapping[Cell, object]) -> list[list[Cell]]:
    """Return the cells of each row and of each column, in order."""
    found: dict[tuple[int, int], list[Cell]] = {}
    for cell in sorted(cells):
        for axis in (0, 1):
            found.setdefault((axis, cell[axis]), []).append(cell)
    return [line for line in found.values() if len(line) > 1]


def _triples(
    line: Sequence[Cell], sizes: Mapping[Cell, int], most: Fraction, factor: int = 1
) -> Iterator[Terms]:
    """Yield one amount that is exactly the sum or difference of two others."""
    top, bottom = (2 * most).as_integer_ratio()
    fewest = len(line) ** 2 * factor * bottom
    by_size: dict[int, list[Cell]] = {}
    for cell in line:
        by_size.setdefault(abs(sizes[cell]), []).append(cell)
    for one, other in combinations(line, 2):
        total = sizes[one] + sizes[other]
        targets = by_size.get(abs(total))
        if not total or targets is None:
            continue
        if fewest > top * max(abs(total), abs(sizes[one]), abs(sizes[other])):
            continue
        for target in targets:
            if target not in (one, other):
                yield ((-1 if total * sizes[target] > 0 else 1, target), (1, one), (1, other))


def _runs(line: Sequence[Cell], sizes: Mapping[Cell, int]) -> Iterator[Terms]:
    """Yield running balances: an amount and its neighbours, each added or subtracted."""
    for start in range(len(line) - 3):
        values = [sizes[cell] for cell in line[start : start + _LONGEST_RUN]]
        sums = values[:1]
        for count, value in enumerate(values[1:], 2):
            # In the order of _SIGNS: each sum is extended by the next amount, first added, then subtracted.
            sums = [total for one in sums for total in (one + value, one - value)]
            if count < 4 or 2 * min(map(abs, sums)) > count:
                continue
            run, largest = line[start : start + count], max(map(abs, values[:count]))
            for signs, total in zip(_SIGNS[count], sums, strict=True):
                off = abs(total)
                if 2 * off > count:
                    continue
                # Equal signs, except for that of the result, are more probable than others.
                plain = signs.count(-1) in (1, count - 1)
                ways = len(line) * (2 if plain else 2 ** (count - 1)) * (2 * off + 1)
                if ways <= _IN_LINE * largest:
                    yield tuple(zip(signs, run, strict=True))


def _means(
    table: Sequence[Sequence[str]], headings: int, line: Sequence[Cell], values: Signed
) -> Iterator[Terms]:
    """Yield cells with an average label that are the average of the amounts before or after them."""
    for at, cell in enumerate(line):
        if not _AVERAGE.search(_label(table, headings, cell)):
            continue
        for terms in (line[:at], line[at + 1 :]):
            total = sum((values[one] for one in terms), Fraction(0))
            if len(terms) > 1 and abs(total - len(terms) * values[cell]) <= Fraction(len(terms), 2):
                yield ((-len(terms), cell), *((1, one) for one in terms))


def _label(table: Sequence[Sequence[str]], headings: int, cell: Cell) -> str:
    heads = [row[cell[1]] for row in table[: max(headings, 1)] if cell[1] < len(row)]
    return " ".join((table[cell[0]][0], *heads))


def _steady(table: Sequence[Sequence[str]], values: Signed) -> Iterator[tuple[tuple[Cell, Cell], ...]]:
    """Yield rows that are a rate of another row in all columns: "tax at the statutory rate"."""
    rows: dict[int, dict[int, Cell]] = {}
    for cell, value in values.items():
        if value:
            rows.setdefault(cell[0], {})[cell[1]] = cell
    for row, parts in rows.items():
        if not _AT_RATE.search(table[row][0]):
            continue
        for other, bases in rows.items():
            pairs = [(parts[at], bases[at]) for at in parts if at in bases]
            shares = [abs(values[part] / values[base]) for part, base in pairs]
            if (
                other != row
                and len(shares) > 1
                and max(shares) <= min(min(shares) * (1 + _STEADY), Fraction(3, 5))
            ):
                yield tuple(pairs)


def _weights(table: Sequence[Sequence[str]], headings: int, values: Signed) -> frozenset[Cell]:
    """Return the amounts in the rows or columns of a weighted average, which are its weights."""
    rows = {at for at, row in enumerate(table) if row and _WEIGHTED.search(row[0])}
    heads = any(_WEIGHTED.search(cell) for row in table[: max(headings, 1)] for cell in row)
    columns = {
        column for row in rows for column, cell in enumerate(table[row]) if column and numerals.find(cell)
    }
    return frozenset(cell for cell in values if heads or cell[1] in columns)


def _parts_of_unseen(table: Sequence[Sequence[str]], values: Signed, based: Set[Cell]) -> frozenset[Cell]:
    """Return the amounts that make a percentage of an amount that the table does not show.

    They are above a row such as "% of net revenue", or in a column with a margin or an effective tax rate.
    """
    shares = {at for at, row in enumerate(table) if row and _SHARE_OF.match(row[0])}
    rates = {at for at, row in enumerate(table) if row and _QUOTIENT.search(row[0])}

    def is_unseen(row: int, column: int) -> bool:
        shown = column < len(table[row]) and numerals.find(table[row][column])
        return bool(shown) and (row, column) not in based

    return frozenset(
        (row, column)
        for row, column in values
        if (row + 1 in shares and is_unseen(row + 1, column))
        or any(is_unseen(rate, column) for rate in rates)
    )


def _priced(values: Signed, places: Mapping[Cell, int]) -> Iterator[tuple[tuple[Cell, Cell], ...]]:
    """Yield pairs of nearby columns or rows whose amounts have one ratio, up to rounding."""
    for axis in (1, 0):
        by_line: dict[int, dict[int, Cell]] = {}
        for cell, value in values.items():
            if value:
                by_line.setdefault(cell[axis], {})[cell[1 - axis]] = cell
        for one, other in combinations(sorted(by_line), 2):
            if other - one > _APART:
                continue
            pairs = tuple(
                (by_line[one][at], by_line[other][at]) for at in by_line[one] if at in by_line[other]
            )
            sizes = {abs(values[first]) for first, _ in pairs}
            if len(sizes) >= _FEWEST_PRICED and _price(pairs, values, places):
                yield pairs


def _price(pairs: Sequence[tuple[Cell, Cell]], values: Signed, places: Mapping[Cell, int]) -> bool:
    """Return whether one ratio fits all pairs and is too exact for chance."""
    least, below = 0, 1  # the bounds of the ratio, as quotients of integers
    most, below_most = 0, 0
    for first, second in pairs:
        one, other = values[first], values[second]
        unit, other_unit = 2 * 10 ** places.get(first, 0), 2 * 10 ** places.get(second, 0)
        size, half = abs(one.numerator) * unit, one.denominator
        other_size, other_half = abs(other.numerator) * other_unit, other.denominator
        if size <= half or other_size <= other_half:
            continue
        top, bottom = other_half * other_unit, half * unit
        low, low_below = (size - half) * top, (other_size + other_half) * bottom
        high, high_below = (size + half) * top, (other_size - other_half) * bottom
        if low * below > least * low_below:
            least, below = low, low_below
        if not below_most or high * below_most < most * high_below:
            most, below_most = high, high_below
        if least * below_most > most * below:
            return False
    exact, scale = (1 + _EXACTLY).as_integer_ratio()
    return below_most > 0 and most * below * scale <= least * exact * below_most
