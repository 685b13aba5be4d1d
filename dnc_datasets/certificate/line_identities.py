"""Identities between the lines of a table, for the promises: sums, shares, growth, rates and balances."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from itertools import combinations, pairwise, permutations, product

from dnc_datasets.certificate.tables import Figure, Figures, Place, figures, in_units
from dnc_datasets.memoization import memoized

_HUNDRED = 100
# Shorter numbers or fewer cells agree by chance.
_MIN_DIGITS, _MIN_CELLS, _SUM_DIGITS, _SHARE_DIGITS = 3, 2, 7, 6
_REACH, _MOST_LINES = 6, 60
_FLOAT_ERROR = 1e-9
_NEARLY = 0.04
_BEGINS = re.compile(r"\bbeginning\b|\bopening\b|\bstart\b|\b1 january\b|\bjanuary 1\b", re.IGNORECASE)
_ENDS = re.compile(r"\bend(?:ing)?\b|\bclosing\b|\b31 december\b|\bdecember 31\b", re.IGNORECASE)
_RATIO_LABEL = re.compile(r"\bratio\b|\bmargins?\b|\bgearing\b|\bintensity\b|\bleverage\b", re.IGNORECASE)
_PER_SHARE = re.compile(r"\bper (?:\w+ ){0,3}share\b|\beps\b", re.IGNORECASE)
_INCOME = re.compile(r"\bnet (?:income|earnings|profit|loss)\b", re.IGNORECASE)
_INCOME_PER = re.compile(r"\bearnings\b|\bincome\b|\bprofit\b|\bloss\b|\beps\b", re.IGNORECASE)
_SHARE_COUNT = re.compile(r"\bshares\b", re.IGNORECASE)
_RATE = re.compile(r"\bper (?!cent\b|share\b)[a-z]+\b|\brates?\b|\baverage\b", re.IGNORECASE)
_POWERS = (0, 3, 6, -3, -6)
_MOST_RATE_LINES = 30
_MOST_SHARE_LINES = 12


def lines_hold(table: tuple[tuple[str, ...], ...], changed: tuple[tuple[str, ...], ...]) -> bool:
    """Return whether rows and columns that were sums, differences, shares or changes of others still are."""
    sums, quotients, balances = _line_identities(table)
    read, after = in_units(changed), figures(changed)
    if any(after[one].value != after[other].value for one, other in balances):
        return False
    if not all(_adds_up(terms, read) for terms in sums):
        return False
    return all(_is_quotient(way, *(after[place] for place in places)) for way, *places in quotients) and all(
        _share_one_base(pairs, after) for pairs in _hidden_bases(table)
    )


_Terms = tuple[tuple[int, Place], ...]
_Quotients = tuple[tuple[str, Place, Place, Place], ...]


@memoized
def _line_identities(
    table: tuple[tuple[str, ...], ...],
) -> tuple[tuple[_Terms, ...], _Quotients, tuple[tuple[Place, Place], ...]]:
    """Return the sums and quotients of lines, and running balances.

    An identity must hold in at least two cells and in every cell.
    """
    found, read = figures(table), in_units(table)
    sums: list[_Terms] = []
    quotients: list[tuple[str, Place, Place, Place]] = []
    for turned in (False, True):
        plain: dict[int, dict[int, Place]] = {}
        shares: dict[int, dict[int, Place]] = {}
        for place, figure in found.items():
            line, at = place[::-1] if turned else place
            if figure.value:
                (shares if figure.share else plain).setdefault(line, {})[at] = place
        order = sorted(plain)
        if _MIN_CELLS < len(order) <= _MOST_LINES:
            for whole, line in enumerate(order):
                for runs in _parts(order, whole, plain, read):
                    # A longer run only adds terms that cancel out.
                    made = (
                        _sum_of_lines([plain[line], *(plain[part] for part in run)], read) for run in runs
                    )
                    sums += next((terms for terms in made if terms), [])
            if not turned:
                for whole, parts in _of_one_label(table, order):
                    sums += _sum_of_lines([plain[whole], *(plain[part] for part in parts)], read)
        for line, share in shares.items():
            for a, b in permutations([other for other in plain if other != line], 2):
                quotients += _quotients_of_lines(share, plain[a], plain[b], found)
            for cells in plain.values():
                if any(found[cell].digits < _MIN_DIGITS for cell in cells.values()):
                    continue
                for bases in _neighbours(cells):
                    quotients += _quotients_of_lines(share, cells, bases, found)
        if not turned:
            sums += _spreads(shares, found)
    ratios = (
        _named_ratios(table, found)
        + _ratios_by_label(table, found)
        + _per_share(table, found)
        + _rates(table, found)
    )
    return tuple(sums), (*quotients, *ratios), tuple(_balances(table, found))


def _spreads(lines: Mapping[int, Mapping[int, Place]], found: Mapping[Place, Figure]) -> Iterator[_Terms]:
    """Yield rows of percentages that are the exact sum of two others, in all of at least two columns."""
    if not _MIN_CELLS < len(lines) <= _MOST_SHARE_LINES:
        return
    for one, other in combinations(lines, 2):
        for whole in lines.keys() - {one, other}:
            made = tuple(
                ((-1, lines[whole][at]), (1, lines[one][at]), (1, lines[other][at]))
                for at in lines[whole]
                if at in lines[one] and at in lines[other]
            )
            if len(made) >= _MIN_CELLS and all(
                sum(sign * found[place].value for sign, place in terms) == 0
                and all(found[place].digits >= _MIN_CELLS for _, place in terms)
                for terms in made
            ):
                yield from made


def _named_ratios(
    table: tuple[tuple[str, ...], ...], found: Mapping[Place, Figure]
) -> list[tuple[str, Place, Place, Place]]:
    """Return rows called "A to B" if a row is called A and exactly one row as B gives these figures."""
    made: list[tuple[str, Place, Place, Place]] = []
    labels = {row: " ".join(cells[0].lower().split()) for row, cells in enumerate(table) if cells}
    for row, label in labels.items():
        first, to, _ = label.partition(" to ")
        line = [place for place in found if place[0] == row and found[place].value]
        tops = [other for other, name in labels.items() if other != row and name == first]
        if not to or len(tops) != 1 or not line or any(abs(found[place].value) >= _HUNDRED for place in line):
            continue
        ways = []
        for bottom in {place[0] for place in found} - {row, tops[0]}:
            some = [(place, (tops[0], place[1]), (bottom, place[1])) for place in line]
            if all(a in found and b in found for _, a, b in some) and all(
                _is_quotient("a / b exactly", *(found[place] for place in places)) for places in some
            ):
                ways.append([("a / b exactly", *places) for places in some])
        made += ways[0] if len(ways) == 1 else []
    return made


def _neighbours(cells: Mapping[int, Place]) -> Iterator[dict[int, Place]]:
    """Yield the next cell for each cell of a line, then the previous one: the bases of yearly growth."""
    order = list(pairwise(sorted(cells)))
    yield {at: cells[after] for at, after in order}
    yield {at: cells[before] for before, at in order}


def _of_one_label(
    table: tuple[tuple[str, ...], ...], order: Sequence[int]
) -> Iterator[tuple[int, Sequence[int]]]:
    """Yield rows with the equally labelled rows above them.

    An example is the carrying amount below the balances of cost and depreciation.
    """
    labelled: dict[str, list[int]] = {}
    for row in order:
        for label, rows in labelled.items():
            if label and 1 < len(rows) <= _REACH:
                yield row, rows
        labelled.setdefault(table[row][0].strip().lower(), []).append(row)


def _balances(
    table: tuple[tuple[str, ...], ...], found: Mapping[Place, Figure]
) -> Iterator[tuple[Place, Place]]:
    """Yield the opening balances that equal the closing balance of another period."""
    begins = [place for place in found if _BEGINS.search(table[place[0]][0])]
    ends = [place for place in found if _ENDS.search(table[place[0]][0])]
    for one in begins:
        for other in ends:
            if one[1] != other[1] and found[one].value == found[other].value and found[one].digits > 1:
                yield one, other


def _ratios_by_label(
    table: tuple[tuple[str, ...], ...], found: Mapping[Place, Figure]
) -> list[tuple[str, Place, Place, Place]]:
    """Return percentages of ratio or margin rows that exactly one pair of figures above them gives."""
    made = []
    for place, share in found.items():
        if not share.share or not _RATIO_LABEL.search(table[place[0]][0]) or share.digits < _MIN_DIGITS:
            continue
        above = [
            other
            for other in found
            if other[1] == place[1] and 0 < place[0] - other[0] <= _REACH and not found[other].share
        ]
        ways = [
            ("a / b * 100", place, a, b)
            for a, b in permutations(above, 2)
            if _is_quotient("a / b * 100", share, found[a], found[b])
        ]
        made += ways if len(ways) == 1 else []
    return made


def _per_share(
    table: tuple[tuple[str, ...], ...], found: Mapping[Place, Figure]
) -> list[tuple[str, Place, Place, Place]]:
    """Return earnings per share that are nearly net income over shares, in several columns."""
    labels, section = {}, ""
    for row, cells in enumerate(table):
        if not any(cell.strip() for cell in cells[1:]):
            above = row and not any(cell.strip() for cell in table[row - 1][1:])
            section = f"{section if above else ''} {cells[0] if cells else ''}"
        labels[row] = f"{section} {cells[0] if cells else ''}"
    rows = sorted({row for row, _ in found})
    incomes = [row for row in rows if _INCOME.search(table[row][0]) and not _PER_SHARE.search(labels[row])]
    shares = [row for row in rows if _SHARE_COUNT.search(labels[row]) and not _PER_SHARE.search(labels[row])]
    made: list[tuple[str, Place, Place, Place]] = []
    for row in rows:
        columns = [column for at, column in found if at == row]
        if not _PER_SHARE.search(labels[row]) or not _INCOME_PER.search(labels[row]):
            continue
        for income, count in product(incomes, shares):
            ways = [
                (("a / b", (row, column), (income, column), (count, column)))
                for column in columns
                if (income, column) in found and (count, column) in found
            ]
            holding = [way for way in ways if _is_quotient(way[0], *(found[place] for place in way[1:]))]
            if len(holding) > 1 and 3 * len(holding) >= 2 * len(ways):
                made += holding
    return made


def _rates(
    table: tuple[tuple[str, ...], ...], found: Mapping[Place, Figure]
) -> list[tuple[str, Place, Place, Place]]:
    """Return rows called rates or averages that are the quotient of two others in all of several cells."""
    lines: dict[int, dict[int, Place]] = {}
    for place, figure in found.items():
        if figure.value and not figure.share:
            lines.setdefault(place[0], {})[place[1]] = place
    made: list[tuple[str, Place, Place, Place]] = []
    for row, line in lines.items() if len(lines) <= _MOST_RATE_LINES else ():
        if not _RATE.search(table[row][0]) or sum(found[at].digits for at in line.values()) < _SUM_DIGITS:
            continue
        for a, b in permutations([other for other in lines if other != row], 2):
            cells = [at for at in line if at in lines[a] and at in lines[b]]
            if not all(_is_precise(found[lines[other][at]]) for other in (a, b) for at in cells):
                continue  # 1 / 10 and 4 / 22 give many rates by chance
            ways = [("a / b exactly", line[at], lines[a][at], lines[b][at]) for at in cells]
            if len(ways) >= _MIN_CELLS and all(
                _is_quotient(way, *(found[place] for place in places)) for way, *places in ways
            ):
                made += ways
    return made


def _is_precise(figure: Figure) -> bool:
    """Return whether the rounding error of a figure is at most a twentieth of it."""
    return 10 * figure.place <= abs(figure.value)


_Pairs = tuple[tuple[Place, Place], ...]


@memoized
def _hidden_bases(table: tuple[tuple[str, ...], ...]) -> tuple[_Pairs, ...]:
    """Return columns of amounts with adjacent percentages that are shares of one amount, shown or not."""
    found = figures(table)
    made = []
    for column in {column for (_, column), figure in found.items() if figure.share}:
        for beside in (column - 1, column + 1):
            pairs = tuple(
                ((row, beside), (row, column))
                for row, at in found
                if at == column and found[row, at].share and found[row, at].value
                if (row, beside) in found and found[row, beside].value and not found[row, beside].share
            )
            if len(pairs) > _MIN_CELLS and _share_one_base(pairs, found):
                made.append(pairs)
    return tuple(made)


def _share_one_base(pairs: _Pairs, found: Mapping[Place, Figure]) -> bool:
    """Return whether one base gives all of these percentages, up to rounding."""
    least, most = 0.0, float("inf")
    for one, other in pairs:
        amount, share = abs(float(found[one].value)), abs(float(found[other].value))
        half = float(found[other].place) / 2 * (1 + _FLOAT_ERROR)
        least = max(least, (amount - float(found[one].place) / 2) / (share + half))
        most = min(most, (amount + float(found[one].place) / 2) / (share - half) if share > half else most)
    return least <= most


def _parts(
    order: Sequence[int], whole: int, plain: Mapping[int, Mapping[int, Place]], read: Figures
) -> Iterator[Iterable[Sequence[int]]]:
    """Yield the lines that may make up a line: two neighbours, or adjacent runs, the shortest first."""
    above, below = order[max(0, whole - _REACH) : whole][::-1], order[whole + 1 : whole + 1 + _REACH]
    line, near = plain[order[whole]], [*above, *below]
    sizes, most = read.sizes, 3 * max(read.places[place] for place in line.values())
    tried: set[tuple[int, int]] = set()
    for at, place in line.items():
        # The first cell that the line shares with a pair must be the sum or difference of the pair.
        size = abs(sizes[place])
        having = [(abs(sizes[plain[one][at]]), one) for one in near if at in plain[one]]
        for (first, one), (second, other) in combinations(having, 2):
            if (one, other) in tried:
                continue
            tried.add((one, other))
            total, left = 2 * (first + second - size), 2 * (abs(first - second) - size)
            if -most <= total <= most or -most <= left <= most:
                yield [(one, other)]
        if 2 * len(tried) == len(near) * (len(near) - 1):
            break
    for run in (above, below):
        yield (run[:count] for count in range(3, len(run) + 1))


def _sum_of_lines(lines: Sequence[Mapping[int, Place]], read: Figures) -> list[_Terms]:
    """Return the sums that make the cells of the first line from the others, with one sign for each line."""
    whole, *parts = lines
    cells = [at for at in whole if sum(at in part for part in parts) > 1]
    if len(cells) < _MIN_CELLS or sum(read.figures[whole[at]].digits for at in cells) < _SUM_DIGITS:
        return []
    # The signs are tried on the first cell. All cells must then agree.
    sizes, first = read.sizes, cells[0]
    wanted, most = sizes[whole[first]], (len(parts) + 1) * max(read.places[whole[at]] for at in cells)
    sums = [0]
    for part in parts:  # in the order of the product of signs
        value = sizes[part[first]] if first in part else 0
        sums = [total for one in sums for total in (one + value, one - value)]
    for signs, total in zip(product((1, -1), repeat=len(parts)), sums, strict=True):
        if 2 * abs(total - wanted) > most:
            continue
        made = [
            (
                (-1, whole[at]),
                *((sign, part[at]) for sign, part in zip(signs, parts, strict=True) if at in part),
            )
            for at in whole
        ]
        if all(_adds_up(terms, read) for terms in made):
            return [terms for terms in made if len(terms) > _MIN_CELLS]
    return []


def _adds_up(terms: _Terms, read: Figures) -> bool:
    off, sizes = 0, read.sizes
    for sign, place in terms:
        off += sign * sizes[place]
    return 2 * abs(off) <= len(terms) * min([read.places[place] for _, place in terms])


def _quotients_of_lines(
    share: Mapping[int, Place], a: Mapping[int, Place], b: Mapping[int, Place], found: Mapping[Place, Figure]
) -> list[tuple[str, Place, Place, Place]]:
    """Return the percentages of a line as shares or changes of two others, if all cells agree."""
    cells = [at for at in share if at in a and at in b]
    if len(cells) < _MIN_CELLS or sum(found[share[at]].digits for at in cells) < _SHARE_DIGITS:
        return []
    for way in ("a / b * 100", "(a - b) / b * 100"):
        if all(_is_quotient(way, found[share[at]], found[a[at]], found[b[at]]) for at in cells):
            return [(way, share[at], a[at], b[at]) for at in cells]
    return []


def _is_quotient(way: str, share: Figure, a: Figure, b: Figure) -> bool:
    """Return whether a percentage follows from two figures, up to the rounding of all three."""
    if not a.value or not b.value:
        return False
    if way == "a / b":  # amounts in thousands with shares in millions, and other scales
        quotient = abs(float(share.value) * float(b.value) / float(a.value))
        off = min(abs(quotient / 10**power - 1) for power in range(-6, 7))
        return off <= _NEARLY + float(share.place / abs(share.value)) / 2 if share.value else False
    top, bottom = float(a.value), float(b.value)
    if way == "a / b exactly":
        rounding = float(a.place) / abs(top) + float(b.place) / abs(bottom)
        size, half = abs(float(share.value)), float(share.place) / 2
        ratios = [abs(top / bottom) * 10.0**power for power in _POWERS]
        return any(abs(one - size) <= half + one * rounding / 2 + _FLOAT_ERROR for one in ratios)
    value = abs((top / bottom - (1 if way.startswith("(") else 0)) * _HUNDRED)
    spread = abs(top / bottom) * (float(a.place) / abs(top) + float(b.place) / abs(bottom)) * _HUNDRED / 2
    return abs(value - abs(float(share.value))) <= float(share.place) / 2 + spread + _FLOAT_ERROR
