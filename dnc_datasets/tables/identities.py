"""Sums between the lines of a table, found by arithmetic: a row or column is the sum of others in every cell.

Labels are ignored. An identity counts if it holds in several cells and is too exact for chance.
"""

from __future__ import annotations

from bisect import bisect_left, bisect_right
from collections.abc import Iterator, Mapping, Sequence
from itertools import combinations, product
from typing import Final

from dnc_datasets.tables.relations import Amounts, Cell, Relation, Signed

_MOST_LINES: Final = 60
_MOST_SIGNED_TERMS: Final = 6
_MOST_FOR_TRIPLES: Final = 16
_FEWEST_CELLS: Final = 2
_MANY_CELLS: Final = 3
_NEIGHBOURS: Final = 4
_MOST_FAILURES: Final = 4  # the required number of cells that hold for each one that does not
# The highest probability of a chance identity: between any lines, and between neighbours.
_ANYWHERE, _NEARBY = 1e-6, 1e-4
# The signs that a number of terms may have.
_SIGNS: Final = {count: list(product((1, -1), repeat=count)) for count in range(2, _MOST_SIGNED_TERMS)}

Line = Mapping[int, int]


def line_sums(values: Signed) -> list[Relation]:
    """Return the rows and columns that are the sum or difference of others, in every cell of at least two.

    >>> from fractions import Fraction
    >>> reported, adjustment, adjusted = (201, 45, 18), (-6, 12, 4), (195, 57, 22)
    >>> rows = enumerate(zip(reported, adjustment, adjusted))
    >>> len(line_sums({(row, at): Fraction(size) for row, line in rows for at, size in enumerate(line)}))
    3
    """
    amounts = Amounts(values)
    found: dict[Relation, None] = {}
    for axis in (0, 1):
        lines: dict[int, dict[int, int]] = {}
        for cell, size in amounts.sizes.items():
            if size:
                lines.setdefault(cell[axis], {})[cell[1 - axis]] = size
        if not _FEWEST_CELLS < len(lines) <= _MOST_LINES:
            continue
        seen: set[frozenset[int]] = set()
        for target, terms in _candidates(lines, amounts.unit):
            key = frozenset((target, *(line for _, line in terms)))
            if key in seen:
                continue
            seen.add(key)
            turned = _largest_first(lines, target, terms)
            found.update(dict.fromkeys(_verified(lines, *turned, axis, amounts)))
    return list(found)


def sums_of_all_columns(held: Sequence[Relation], values: Signed) -> list[Relation]:
    """Return the sums of a column over the rows of another column's sum, up to the rounding of their terms.

    A small total of many rounded terms is no evidence alone: 139 for 137. The sum of the column beside it is.
    """
    amounts = Amounts(values)
    columns = {column for _, column in values}
    found: dict[Relation, None] = {}
    known = {one.target for one in held}
    for one in held:
        cells = (one.target, *one.plus, *one.minus)
        if len(cells) <= _MANY_CELLS or len({column for _, column in cells}) > 1:
            continue
        for column in sorted(columns - {one.target[1]}):
            plus, minus = (
                tuple((row, column) for row, _ in terms if (row, column) in values)
                for terms in (one.plus, one.minus)
            )
            other = Relation((one.target[0], column), plus, minus)
            if other.target in known or other.target not in values or len(plus) + len(minus) < _FEWEST_CELLS:
                continue
            if amounts.rounds(other):
                found[other] = None
    return list(found)


def _largest_first(
    lines: Mapping[int, Line], target: int, terms: Sequence[tuple[int, int]]
) -> tuple[int, tuple[tuple[int, int], ...]]:
    """Return the identity solved for its largest line, so that no small difference is its target."""
    sizes = {line: sum(map(abs, lines[line].values())) for line in (target, *(line for _, line in terms))}
    largest = max(sizes, key=lambda line: (sizes[line], line))
    if largest == target:
        return target, tuple(terms)
    own = next(sign for sign, line in terms if line == largest)
    rest = tuple((-own * sign, line) for sign, line in terms if line != largest)
    return largest, ((own, target), *rest)


def _candidates(lines: Mapping[int, Line], unit: int) -> Iterator[tuple[int, tuple[tuple[int, int], ...]]]:
    """Yield lines with the signed terms that make them at the two places with the most amounts."""
    filled: dict[int, int] = {}
    for line in lines.values():
        for at in line:
            filled[at] = filled.get(at, 0) + 1
    order = sorted(lines)
    for at in sorted(filled, key=lambda one: (-filled[one], one))[:2]:
        here = [line for line in order if at in lines[line]]
        sizes = sorted((abs(lines[line][at]), line) for line in here)
        only = [size for size, _ in sizes]
        for one, other in combinations(here, 2):
            total = lines[one][at] + lines[other][at]
            size, slack = abs(total), 1.5 * unit
            for _, target in sizes[bisect_left(only, size - slack) : bisect_right(only, size + slack)]:
                if target not in (one, other):
                    sign = 1 if (total > 0) == (lines[target][at] > 0) else -1
                    yield target, ((sign, one), (sign, other))
        yield from _signed_runs(lines, order, at, unit)
        if len(here) <= _MOST_FOR_TRIPLES:
            yield from _triples(lines, here, at, unit)


def _triples(
    lines: Mapping[int, Line], here: Sequence[int], at: int, unit: int
) -> Iterator[tuple[int, tuple[tuple[int, int], ...]]]:
    """Yield lines that three others make, at any distance.

    An example is a balance: the previous one, all additions and all deductions.
    """
    sums = sorted(
        (lines[one][at] + sign * lines[other][at], one, sign, other)
        for one, other in combinations(here, 2)
        for sign in (1, -1)
    )
    sizes = [size for size, *_ in sums]
    for target in here:
        for third in here:
            for sign in (1, -1) if third != target else ():
                wanted = lines[target][at] - sign * lines[third][at]
                for turned in (1, -1):
                    low, high = turned * wanted - 2 * unit, turned * wanted + 2 * unit
                    for _, one, own, other in sums[bisect_left(sizes, low) : bisect_right(sizes, high)]:
                        if third > other > one and target not in (one, other):
                            yield target, ((turned, one), (turned * own, other), (sign, third))


def _signed_runs(
    lines: Mapping[int, Line], order: Sequence[int], at: int, unit: int
) -> Iterator[tuple[int, tuple[tuple[int, int], ...]]]:
    """Yield lines that are the first of their neighbours plus or minus each of the others."""
    for place, target in enumerate(order):
        size = lines[target].get(at)
        if size is None:
            continue
        above = order[max(0, place - _MOST_SIGNED_TERMS) : place][::-1]
        for near in (above, order[place + 1 : place + 1 + _MOST_SIGNED_TERMS]):
            values = [lines[line].get(at, 0) for line in near]
            reach, added, sums = sum(map(abs, values[:1])), 0, [0]
            for count in range(3, len(near) + 1):
                reach += abs(values[count - 2])
                left, slack = size - values[count - 1], (count + 1) * unit / 2
                if values[count - 1] == 0 or abs(left) > reach + slack:
                    continue
                for value in values[added : count - 1]:  # in the order of _SIGNS
                    sums = [total for one in sums for total in (one + value, one - value)]
                added = count - 1
                for signs, total in zip(_SIGNS[count - 1], sums, strict=True):
                    if -slack <= total - left <= slack:
                        yield target, ((1, near[count - 1]), *zip(signs, near[: count - 1], strict=True))


def _verified(
    lines: Mapping[int, Line],
    target: int,
    terms: Sequence[tuple[int, int]],
    axis: int,
    amounts: Amounts,
) -> list[Relation]:
    """Return the relation of each cell of a line, or none if too few hold or chance could explain them."""
    chance, failures, found = 1.0, 0, []

    def at_cell(line: int, at: int) -> Cell:
        return (line, at) if axis == 0 else (at, line)

    telling = 0
    for at, size in lines[target].items():
        present = [(sign, line) for sign, line in terms if at in lines[line]]
        if not present:
            failures += 1
            continue
        off = abs(size - sum(sign * lines[line][at] for sign, line in present))
        cells = [at_cell(target, at), *(at_cell(line, at) for _, line in present)]
        shown = amounts.unit // 10 ** max(amounts.places[cell] for cell in cells)
        if 2 * off > len(cells) * shown:
            failures += 1
            continue
        if len(present) > 1:
            telling += 1
            chance *= min(1.0, (2 * off + shown) / abs(size))
        plus = tuple(at_cell(line, at) for sign, line in present if sign > 0)
        minus = tuple(at_cell(line, at) for sign, line in present if sign < 0)
        found.append(Relation(cells[0], plus, minus))
    if telling < _FEWEST_CELLS or (
        failures and (telling < _MANY_CELLS or telling < _MOST_FAILURES * failures)
    ):
        return []
    places = [target, *(line for _, line in terms)]
    near = max(places) - min(places) <= max(_NEIGHBOURS, len(terms) + 1)
    limit = _NEARBY / 2 ** max(0, len(terms) - 2) if near else _ANYWHERE
    return found if chance <= limit else []
