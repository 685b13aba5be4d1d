"""Percentages, ratios and values per share that follow from a table's amounts, and groups of amounts."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from fractions import Fraction
from itertools import combinations
from typing import Final, NamedTuple

from dnc_datasets.english.reading.report_words import words
from dnc_datasets.perturbations.tables.document import (
    RATIO_OPERATIONS,
    SHARE_OPERATIONS,
    Origins,
    Shown,
    agreed,
    shown,
)
from dnc_datasets.perturbations.tables.periods import years
from dnc_datasets.tables.quotients import Quotient, Stated, hidden_bases, near_lines, quotients
from dnc_datasets.tables.relations import Cell
from dnc_datasets.tables.typed import AMOUNT, GROWING, PER_SHARE, PERCENT, RATIO, Typed

_ABOUT: Final = Fraction(1, 200)
_POINTS: Final = Fraction(3, 10)
_RATIO: Final = re.compile(r"\b(?:ratio|gearing|leverage|margin|intensity)\b", re.IGNORECASE)
_AVERAGE: Final = re.compile(
    r"\b(?:average|mean|turns|turnover|multiple|coverage|rates?|per (?!cent\b)[a-z]+)\b", re.IGNORECASE
)
_TO: Final = re.compile(
    r"(?:ratio of )?(?P<top>[A-Za-z][A-Za-z ]{2,40}?)(?: to | ?/ ?)[A-Za-z]", re.IGNORECASE
)
_EARNINGS: Final = re.compile(r"\b(?:earnings|income|loss|losses|profit|eps)\b", re.IGNORECASE)
_NET: Final = re.compile(
    r"\bnet (?:\(?loss\)? ?)?(?:income|earnings|profit|loss)|\bprofit (?:for|attributable)|\bloss for\b",
    re.IGNORECASE,
)
_SHARES: Final = re.compile(r"\b(?:shares|stock)\b", re.IGNORECASE)
_NEAR_EARNINGS: Final = Fraction(1, 20)
_STEADY: Final = Fraction(5, 4)
_TELLING: Final = 3
_FEW: Final = 2
_WHOLE: Final = 100
_MOST_ROWS: Final = 12
_CENTS: Final = 2


class Earnings(NamedTuple):
    """Earnings per share with the cells of the income and, if the table has it, of the number of shares."""

    target: Cell
    income: Cell
    shares: Cell | None

    def growth(self, old: Mapping[Cell, Fraction], new: Mapping[Cell, Fraction]) -> Fraction:
        """Return the growth factor of the earnings per share."""
        grown = new[self.income] / old[self.income]
        return grown if self.shares is None else grown * old[self.shares] / new[self.shares]


class Shares(NamedTuple):
    """The quotients of a table's amounts, and groups of amounts that move by a common step."""

    read: Typed
    cells: frozenset[Cell]
    quotients: Mapping[Cell, Sequence[Quotient]]
    earnings: Sequence[Earnings]
    groups: Sequence[Sequence[Cell]]
    likely: Sequence[Quotient]
    points: Sequence[tuple[Cell, Cell, Cell]] = ()

    def moved(self, origins: Origins, new: Mapping[Cell, Fraction]) -> dict[Cell, Fraction] | None:
        """Return the percentages and ratios for new amounts. Return None if one cannot be stated."""
        found: dict[Cell, Fraction] = {}
        earned = {one.target: one for one in self.earnings}
        for cell in sorted(self.cells):
            number, old = shown(self.read.numbers[cell]), origins.values[cell]
            if cell in self.quotients:
                ways = self.quotients[cell]
                values = {one.computed(new) for one in ways}
                if any(_turns(one.computed(origins.values), one.computed(new)) for one in ways):
                    return None  # growth that becomes a decline
                sizes = {number.rounded(abs(value)) for value in values if value is not None}
                size = sizes.pop() if len(sizes) == 1 else None
            elif cell in earned:
                size = number.rounded(abs(old) * earned[cell].growth(origins.values, new))
            else:
                size = self._restated(cell, number, origins, new)
            if size is None or (not size and old) or self._exceeds_whole(cell, abs(old), size):
                return None
            found[cell] = size if old >= 0 else -size
        return found if self._points_kept(origins, found) else None

    def _points_kept(self, origins: Origins, found: dict[Cell, Fraction]) -> bool:
        """Return whether percentages that are the sum of two others still are.

        The lowest percentage that follows from nothing else is adjusted in `found`.
        """
        for whole, one, other in self.points:
            trio = (whole, one, other)
            halves = [shown(self.read.numbers[cell]).half for cell in trio]
            if abs(found[whole] - found[one] - found[other]) <= max(
                sum(halves), abs(origins.values[whole] - origins.values[one] - origins.values[other])
            ):
                continue
            free = [
                cell
                for cell in sorted(trio)
                if cell not in self.quotients and found[cell] == origins.values[cell]
            ]
            if not free:
                return False
            last = free[-1]
            rest = other if last == one else one
            size = found[one] + found[other] if last == whole else found[whole] - found[rest]
            if size * origins.values[last] <= 0 or self._exceeds_whole(
                last, abs(origins.values[last]), abs(size)
            ):
                return False
            found[last] = size
        return True

    def sources(self, cell: Cell) -> set[Cell]:
        """Return the amounts from which a cell follows by division, or the cell."""
        earned = {one.income for one in self.earnings if one.target == cell}
        return earned | {at for one in self.quotients.get(cell, ()) for at in (one.top, one.bottom)} or {cell}

    def _exceeds_whole(self, cell: Cell, old: Fraction, new: Fraction) -> bool:
        """Return whether a percentage of at most 100 now exceeds 100."""
        return self.read.kinds[cell] == PERCENT and old <= _WHOLE < new

    def hold(self, origins: Origins, new: Mapping[Cell, Fraction]) -> bool:
        """Return whether all quotients hold with these new amounts and shares."""
        ways = (*self.likely, *(one for some in self.quotients.values() for one in some))
        if not ways and not self.earnings:
            return True
        used = {cell for one in ways for cell in (one.target, one.top, one.bottom)}
        cells = stated(self.read, new, used.union(one.target for one in self.earnings))
        for one in ways:
            if not cells[one.bottom].value:
                return False
            off, most = one.off(cells)
            if off > most:
                return False
        return all(
            abs(new[one.target] / origins.values[one.target] - one.growth(origins.values, new))
            <= _NEAR_EARNINGS * abs(one.growth(origins.values, new))
            + cells[one.target].half / abs(cells[one.target].value)
            for one in self.earnings
        )

    def _restated(
        self, cell: Cell, number: Shown, origins: Origins, new: Mapping[Cell, Fraction]
    ) -> Fraction | None:
        """Return the new size of a cell that no line explains.

        It is unchanged if no amounts of its row give it.
        """
        row, column = cell
        percent = self.read.kinds[cell] == PERCENT
        operations = SHARE_OPERATIONS if percent else RATIO_OPERATIONS
        found = [one for one in origins.of(number, operations, (1, 10**3)) if cell not in one[0].cells]
        in_row = [one for one in found if all(place[0] == row for place in one[0].cells)]
        if in_row:
            return agreed(in_row, number, new)
        in_column = [one for one in found if all(place[1] == column for place in one[0].cells)]
        alone = sum(other[0] == row for other in self.cells) < _FEW
        if in_column and alone:
            # A number with few digits is the quotient of two of many amounts by chance.
            telling = len(str(int(number.value / (2 * number.half)))) >= _TELLING
            return agreed(in_column, number, new) if telling else None
        about = Shown(number.value, _POINTS if percent else number.value * _ABOUT, number.unit)
        nearly = [
            one
            for one, _ in origins.of(about, {"share": None} if percent else operations, (1, 10**3))
            if cell not in one.cells and {at[1] for at in one.cells} == {column}
        ]
        # The report may have rounded a ratio more than it shows, or computed it from rounded amounts.
        unsure = nearly and (not percent or _RATIO.search(origins.table[row][0]))
        return None if unsure else number.value


def _turns(before: Fraction | None, after: Fraction | None) -> bool:
    return before is not None and after is not None and (before < 0) != (after < 0)


def stated(read: Typed, values: Mapping[Cell, Fraction], cells: Iterable[Cell]) -> dict[Cell, Stated]:
    """Return the numbers of these cells with these values, as the table shows them."""
    return {cell: Stated(float(values[cell]), float(shown(read.numbers[cell]).half)) for cell in cells}


def read_shares(table: Sequence[Sequence[str]], read: Typed, origins: Origins) -> Shares:
    """Read the values of a table that follow from its amounts by division."""
    cells = stated(read, origins.values, read.numbers)
    amounts = read.cells(*GROWING)
    percent, ratios = read.cells(PERCENT), read.cells(RATIO, PER_SHARE)
    summed = {cell for one in read.relations for cell in (one.target, *one.plus, *one.minus)}
    averages = {cell for cell in amounts - summed if _AVERAGE.search(table[cell[0]][0])}
    found = quotients(cells, percent, ratios | averages, amounts)
    averages &= found.keys()
    # A quotient of averages would not hold after these are re-computed.
    found = {
        cell: [one for one in ways if not averages & {one.top, one.bottom}] for cell, ways in found.items()
    }
    found = {cell: ways for cell, ways in found.items() if ways}
    found.update(_named_quotients(table, cells, (percent | ratios) - found.keys(), amounts))
    open_shares = percent - found.keys()
    groups: list[Sequence[Cell]] = [*hidden_bases(cells, open_shares, amounts)]
    groups += near_lines({cell: cells[cell] for cell in amounts}, _undated(table, read))
    earnings = _earnings(table, read, origins, found)
    per_share = _like_per_share(read) if ratios else set()
    likely = quotients(cells, percent - found.keys(), ratios - found.keys(), amounts, likely=True)
    some = tuple(one for ways in likely.values() for one in ways)
    points = list(_points(read, origins, percent))
    return Shares(
        read, frozenset(percent | ratios | averages | per_share), found, earnings, groups, some, points
    )


def _points(read: Typed, origins: Origins, percent: set[Cell]) -> Iterator[tuple[Cell, Cell, Cell]]:
    """Yield the cells of rows of percentages that are the exact sum of two others in every column."""
    rows: dict[int, dict[int, Cell]] = {}
    for row, column in sorted(percent):
        rows.setdefault(row, {})[column] = (row, column)
    if not _FEW < len(rows) <= _MOST_ROWS:
        return
    for first, second, third in combinations(rows, 3):
        for whole, one, other in ((first, second, third), (second, first, third), (third, first, second)):
            common = [at for at in rows[whole] if at in rows[one] and at in rows[other]]
            ways = [(rows[whole][at], rows[one][at], rows[other][at]) for at in common]
            values = origins.values
            if len(ways) >= _FEW and all(
                values[a] == values[b] + values[c] and min(map(abs, (values[b], values[c]))) >= 1
                for a, b, c in ways
            ):
                yield from ways


def _named_quotients(
    table: Sequence[Sequence[str]], cells: Mapping[Cell, Stated], targets: set[Cell], amounts: set[Cell]
) -> dict[Cell, list[Quotient]]:
    """Return quotients of two rows that a label names, "Net debt to EBITDA", in all cells of the row.

    The label names the first row. Exactly one other row must fit as the second one.
    """
    found: dict[Cell, list[Quotient]] = {}
    rows = {row for row, _ in amounts}
    for row in {row for row, _ in targets}:
        named = _TO.match(table[row][0])
        tops = [one for one in rows if named and words(table[one][0]) == words(named["top"]) != frozenset()]
        line = [cell for cell in targets if cell[0] == row and cells[cell].value]
        if len(tops) != 1 or not line:
            continue
        fitting = []
        for bottom in rows - {tops[0]}:
            pairs = [(cell, (tops[0], cell[1]), (bottom, cell[1])) for cell in line]
            if not all(top in amounts and base in amounts and cells[base].value for _, top, base in pairs):
                continue
            for factor in (1.0, float(_WHOLE)):
                way = [Quotient(cell, top, base, factor) for cell, top, base in pairs]
                if all(off <= most for one in way for off, most in [one.off(cells)]):
                    fitting.append(way)
        if len(fitting) == 1:
            found.update({one.target: [one] for one in fitting[0]})
    return found


def _like_per_share(read: Typed) -> set[Cell]:
    """Return the amounts with cents in a table whose other amounts have none: values per share."""
    if not read.cells(PER_SHARE):
        return set()
    amounts = read.cells(AMOUNT)
    cents = {cell for cell in amounts if len(read.numbers[cell].text.partition(".")[2]) == _CENTS}
    rest = amounts - cents
    if any(not read.numbers[cell].is_integer for cell in rest) or len(rest) <= len(cents):
        return set()
    return {cell for cell in cents if read.numbers[cell].value < _WHOLE}


def _undated(table: Sequence[Sequence[str]], read: Typed) -> set[int]:
    """Return the columns of a table, if no two columns are of different years."""
    width = max(map(len, table), default=0)
    heads = [
        tuple(years(" ".join(row[column] for row in table[: read.headings] if column < len(row))))
        for column in range(width)
    ]
    named = {head for head in heads if head}
    return set(range(width)) if len(named) < _FEW else set()


def _earnings(
    table: Sequence[Sequence[str]], read: Typed, origins: Origins, known: Mapping[Cell, object]
) -> list[Earnings]:
    """Return the earnings per share that follow, at least nearly, from an income and the number of shares."""
    rows = sorted({row for row, _ in read.numbers})
    section = ""
    labels: dict[int, str] = {}
    for row, line in enumerate(table):
        if line and not any(cell.strip() for cell in line[1:]):
            section = line[0]
        labels[row] = f"{section} {line[0] if line else ''}"
    incomes = [row for row in rows if _NET.search(table[row][0]) and _are(read, row, {AMOUNT})]
    shares = [row for row in rows if _SHARES.search(labels[row]) and _are(read, row, GROWING)]
    found: list[Earnings] = []
    for row in rows:
        cells = [cell for cell in read.numbers if cell[0] == row and read.kinds[cell] == PER_SHARE]
        cells = [cell for cell in cells if cell not in known]
        if not cells or not _EARNINGS.search(labels[row]):
            continue
        ways = [(income, count) for income in incomes for count in (*shares, None)]
        best: tuple[Fraction, list[Earnings]] | None = None
        for income, count in ways:
            made = [
                Earnings(cell, (income, cell[1]), None if count is None else (count, cell[1]))
                for cell in cells
            ]
            if any(
                origins.values.get(at, 0) == 0
                for one in made
                for at in (one.income, one.shares or one.income)
            ):
                continue
            sizes = [_one_share(one, origins) for one in made]
            spread = max(sizes) / min(sizes)
            near = sum(abs(_mantissa(size) - 1) <= _NEAR_EARNINGS for size in sizes)
            # One year in three may use another income, such as that of the owners alone.
            agrees = near == len(sizes) or (near >= _FEW and 3 * near >= 2 * len(sizes))
            if spread > _STEADY or (count is not None and not agrees):
                continue
            rank = spread - (1 if count is not None else 0)
            if best is None or rank < best[0]:
                best = rank, made
        found += best[1] if best else []
    return found


def _are(read: Typed, row: int, kinds: set[str] | frozenset[str]) -> bool:
    return all(read.kinds[cell] in kinds for cell in read.numbers if cell[0] == row)


def _one_share(one: Earnings, origins: Origins) -> Fraction:
    """Return earnings per share, times shares, over income: a power of ten if they agree."""
    size = abs(origins.values[one.target] / origins.values[one.income])
    return size if one.shares is None else size * abs(origins.values[one.shares])


def _mantissa(size: Fraction) -> Fraction:
    """Return the size times the power of ten that brings it near one."""
    while size >= 5:
        size /= 10
    while size < Fraction(1, 2):
        size *= 10
    return size
