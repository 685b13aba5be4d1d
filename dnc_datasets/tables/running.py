"""Running balances and products in columns and rows: a balance after each payment, hours times rate."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from fractions import Fraction
from itertools import combinations, permutations
from typing import Final

from dnc_datasets.tables.relations import Cell, Relation, Signed

_MOST_LINES: Final = 14
_FEWEST_STEPS: Final = 2
_FEWEST_PRODUCTS: Final = 2
_LEAST_PRODUCT: Final = 6  # 2 times 2 is 4 by chance

Line = Mapping[int, Cell]


def running_sums(values: Signed) -> list[Relation]:
    """Return the relations of running balances: each amount is the one before it plus or minus later flows.

    >>> from fractions import Fraction
    >>> rows = (10, 10), (14, 24), (9, 33)
    >>> len(running_sums({(row, at): Fraction(size) for row, line in enumerate(rows) for at, size in enumerate(line)}))
    3
    """
    found: dict[Relation, None] = {}
    for axis in (1, 0):
        lines = _by_line(values, axis)
        if not 1 < len(lines) <= _MOST_LINES:
            continue
        for balance, cells in lines.items():
            if len(cells) <= _FEWEST_STEPS:
                continue
            for order in (sorted(cells), sorted(cells, reverse=True)):
                gain = values[cells[order[1]]] - values[cells[order[0]]]
                others = {
                    line: _between(lines[line], order[0], order[1], values)
                    for line in lines
                    if line != balance
                }
                ways = (_running(cells, order, lines, some, values) for some in _steps(others, gain))
                found.update(dict.fromkeys(next((way for way in ways if way), ())))
    return list(found)


def _between(line: Line, before: int, at: int, values: Signed) -> Fraction:
    """Return the sum of a line between two places of a balance: after the first, up to the second."""
    if before < at:
        inside = [cell for place, cell in line.items() if before < place <= at]
    else:
        inside = [cell for place, cell in line.items() if at <= place < before]
    return sum((values[cell] for cell in inside), Fraction(0))


def products(values: Signed) -> list[tuple[Cell, Cell, Cell]]:
    """Return the cells of lines that are the product of two other lines: 30 hours at $20, $600.

    The product must hold in every common cell, of which there are at least two.
    """
    found = []
    for axis in (1, 0):
        lines = _by_line(values, axis)
        if not 2 < len(lines) <= _MOST_LINES:
            continue
        for whole, one, other in permutations(lines, 3):
            trios = [
                (lines[whole][at], lines[one][at], lines[other][at])
                for at in lines[whole]
                if one < other and at in lines[one] and at in lines[other]
            ]
            telling = {values[trio[0]] for trio in trios if abs(values[trio[0]]) >= _LEAST_PRODUCT}
            if len(telling) < _FEWEST_PRODUCTS or not all(_multiply(trio, values) for trio in trios):
                continue
            if all(abs(values[factor]) != 1 for trio in trios for factor in trio[1:]):
                found += trios
    return found


def _multiply(trio: tuple[Cell, Cell, Cell], values: Signed) -> bool:
    whole, one, other = (values[cell] for cell in trio)
    return whole == one * other


def products_kept(known: Sequence[tuple[Cell, Cell, Cell]], new: Signed) -> bool:
    """Return whether the products still hold with new values."""
    return all(_multiply(trio, new) for trio in known)


def _by_line(values: Signed, axis: int) -> dict[int, dict[int, Cell]]:
    lines: dict[int, dict[int, Cell]] = {}
    for cell in values:
        if values[cell]:
            lines.setdefault(cell[axis], {})[cell[1 - axis]] = cell
    return lines


def _steps(others: Mapping[int, Fraction], gain: Fraction) -> Iterator[tuple[tuple[int, int], ...]]:
    """Yield the one or two signed lines whose first amounts make the first gain of a balance."""
    for line, first in others.items():
        if first == gain:
            yield ((1, line),)
        if first == -gain:
            yield ((-1, line),)
    for (one, first), (other, second) in combinations(others.items(), 2):
        total, difference = first + second, first - second
        if total == gain:
            yield ((1, one), (1, other))
        if difference == gain:
            yield ((1, one), (-1, other))
        if difference == -gain:
            yield ((-1, one), (1, other))


def _running(
    cells: Line,
    order: Sequence[int],
    lines: Mapping[int, Line],
    steps: Sequence[tuple[int, int]],
    values: Signed,
) -> tuple[Relation, ...]:
    """Return the relation of each cell of a balance to the one before it.

    Return none unless all relations hold and each line takes part.
    """
    made, used, changes = [], set(), 0
    forward = len(order) < 2 or order[0] < order[-1]
    places = sorted(
        {at for line in (cells, *(lines[line] for _, line in steps)) for at in line}, reverse=not forward
    )
    before: int | None = None
    terms: list[tuple[int, Cell]] = []
    for at in places:
        for sign, line in steps:
            if at in lines[line]:
                terms.append((sign, lines[line][at]))
                used.add(line)
        if at not in cells:
            continue
        plus = [cell for sign, cell in terms if sign > 0]
        minus = [cell for sign, cell in terms if sign < 0]
        if before is not None:
            plus.insert(0, cells[before])
        total = sum((values[cell] for cell in plus), Fraction(0)) - sum(
            (values[cell] for cell in minus), Fraction(0)
        )
        if plus or minus:
            first = before is None
            if total == values[cells[at]]:
                made.append(Relation(cells[at], tuple(plus), tuple(minus)))
                changes += not first and bool(terms)
            elif not first:
                return ()
        before, terms = at, []
    if changes < _FEWEST_STEPS or len(used) < len(steps):
        return ()
    return tuple(one for one in made if len(one.plus) + len(one.minus) > 1 or one.plus)
