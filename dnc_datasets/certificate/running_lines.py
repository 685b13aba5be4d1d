"""Running balances, products of lines, and columns of years, codes and degrees, for the promises."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from fractions import Fraction
from itertools import combinations, pairwise

from dnc_datasets.certificate.tables import Figure, Place, figures
from dnc_datasets.memoization import memoized

_MOST_COLUMNS = 10
_FEWEST = 2
_LEAST = 6  # smaller products hold by chance
_NAMING_HEAD = re.compile(
    r"\W*(?:(?:year )?(?:built|founded|born|died|opened|established)|year|zip(?: code)?|post(?:al )?code|"
    r"phone(?: number)?|telephone(?: number)?|id)\W*",
    re.IGNORECASE,
)
_DEGREES = re.compile(r"°\s?[CF]\b")

Figures = Mapping[Place, Figure]
Terms = tuple[tuple[int, Place], ...]


def running_lines_hold(table: tuple[tuple[str, ...], ...], after: Figures) -> bool:
    """Return whether running balances and products hold, and numbers that are names did not change."""
    balances, products, names = _lines(table)
    if any(sum((sign * after[place].value for sign, place in terms), Fraction(0)) for terms in balances):
        return False
    if any(after[whole].value != after[one].value * after[other].value for whole, one, other in products):
        return False
    before = figures(table)
    return all(before[place].value == after[place].value for place in names)


@memoized
def _lines(
    table: tuple[tuple[str, ...], ...],
) -> tuple[tuple[Terms, ...], tuple[tuple[Place, Place, Place], ...], tuple[Place, ...]]:
    found = figures(table)
    names = tuple(place for place in found if _names(table, place))
    plain = {
        place: figure
        for place, figure in found.items()
        if place not in names and not figure.share and figure.value
    }
    columns: dict[int, dict[int, Place]] = {}
    for place in plain:
        columns.setdefault(place[1], {})[place[0]] = place
    if len(columns) > _MOST_COLUMNS:
        return (), (), names
    balances = [terms for column in columns for terms in _balance(column, columns, found)]
    return tuple(balances), tuple(_products(columns, found)), names


def _names(table: Sequence[Sequence[str]], place: Place) -> bool:
    row, column = place
    heads = [cells[column] for cells in table[: min(2, row)] if column < len(cells)]
    if any(_DEGREES.search(text) for text in (*heads, table[row][0], table[row][column])):
        return True
    return table[row][column].strip().isdigit() and any(map(_NAMING_HEAD.fullmatch, heads))


def _balance(column: int, columns: Mapping[int, Mapping[int, Place]], found: Figures) -> Iterator[Terms]:
    """Yield each amount of a column as the one above it plus or minus other columns in its row.

    One or two other columns take part.
    """
    balance = columns[column]
    rows = sorted(balance)
    others = [other for other in columns if other != column]
    ways: list[tuple[tuple[int, int], ...]] = [((1, one),) for one in others]
    ways += [((1, one), (sign, other)) for one, other in combinations(others, 2) for sign in (1, -1)]
    ways += [((-1, one), (1, other)) for one, other in combinations(others, 2)]
    if len(rows) <= _FEWEST or rows[-1] - rows[0] != len(rows) - 1:
        return
    for way in ways:
        steps: list[Terms] = [
            (
                (-1, balance[row]),
                (1, balance[above]),
                *((sign, columns[line][row]) for sign, line in way if row in columns[line]),
            )
            for above, row in pairwise(rows)
        ]
        used = {place[1] for terms in steps for _, place in terms} - {column}
        if len(used) < len(way) or any(len(terms) < _FEWEST + 1 for terms in steps):
            continue
        if not any(sum((sign * found[place].value for sign, place in terms), Fraction(0)) for terms in steps):
            yield from steps
            return


def _products(
    columns: Mapping[int, Mapping[int, Place]], found: Figures
) -> Iterator[tuple[Place, Place, Place]]:
    """Yield the amounts of a column that are the product of two others, in every row that has all three."""
    for one, other in combinations(columns, 2):
        for whole in columns:
            if whole in (one, other):
                continue
            trios = [
                (columns[whole][row], columns[one][row], columns[other][row])
                for row in columns[whole]
                if row in columns[one] and row in columns[other]
            ]
            sizes = [tuple(found[place].value for place in trio) for trio in trios]
            if len({size[0] for size in sizes if abs(size[0]) >= _LEAST}) < _FEWEST:
                continue
            if all(size[0] == size[1] * size[2] and Fraction(1) not in map(abs, size[1:]) for size in sizes):
                yield from trios
