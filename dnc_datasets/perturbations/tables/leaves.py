"""New amounts for a table whose sums still hold: leaves move independently, and what follows from them is rebuilt."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence, Set
from fractions import Fraction
from itertools import combinations
from typing import Final, NamedTuple

from dnc_datasets.draws import Draw
from dnc_datasets.fast_fraction import FastFraction
from dnc_datasets.tables.relations import Cell, Relation

_MOST_VARIABLES: Final = 120
_MOST_RELATIONS: Final = 400
# How far leaves move beside the common factor, from bold to timid: profits that are small differences need the last.
_SPREADS: Final = tuple(FastFraction(percent, 100) for percent in (25, 25, 18, 18, 12, 12, 7, 7, 4, 2))
_LARGEST: Final = 2
_STEPS: Final = tuple(step for step in range(-5, 6) if step)
_LEAST_SHARE, _MOST_SHARE = Fraction(2, 5), Fraction(5, 2)
_LARGE: Final = 1000  # smaller amounts are the sum of two others by chance
_TELLING: Final = 10  # of the last digit: from this size on, equal amounts are one


class System(NamedTuple):
    """The amounts of a table as variables: which cells share one, and how some follow from others.

    `follows` gives a variable as a constant and the coefficients of leaves. `leader` gives the variable whose step
    another one shares: the fair value of a debt moves with its cost. `sums` holds large amounts of a column, each with
    two others whose sum it is, whatever their labels say.
    """

    variable: Mapping[Cell, int]
    sizes: Sequence[Fraction]
    places: Sequence[int]
    follows: Mapping[int, tuple[Fraction, Mapping[int, Fraction]]]
    leader: Mapping[int, int]
    sums: Sequence[tuple[Cell, Cell, Cell]]

    def leaves_of(self, cells: Iterable[Cell], attempt: int) -> set[int]:
        """One leaf for each of these cells: the cell, or of the leaves that it follows from one of the largest."""
        found = set()
        for one in {self.variable[cell] for cell in cells if cell in self.variable}:
            _, terms = self.follows.get(one, (0, {one: Fraction(1)}))
            order = sorted(terms, key=lambda leaf: (-abs(terms[leaf]) * self.sizes[leaf], leaf))
            if order:
                found.add(order[attempt % min(len(order), _LARGEST)])
        return found


def system(
    values: Mapping[Cell, Fraction],
    places: Mapping[Cell, int],
    held: Sequence[Relation],
    groups: Sequence[Sequence[Cell]] = (),
) -> System | None:
    """The variables of these amounts, and those that the relations give; None where there are too many."""
    known: dict[Fraction, int] = {}
    variable: dict[Cell, int] = {}
    sizes: list[Fraction] = []
    shown: list[int] = []
    for cell, value in values.items():
        size = abs(value)
        telling = size * 10 ** places[cell] >= _TELLING
        if not telling or size not in known:
            if telling:
                known[size] = len(sizes)
            variable[cell] = len(sizes)
            sizes.append(size)
            shown.append(places[cell])
        else:
            variable[cell] = known[size]
            shown[known[size]] = max(shown[known[size]], places[cell])
    if len(sizes) > _MOST_VARIABLES or len(held) > _MOST_RELATIONS:
        return None
    leader = _leaders([[variable[cell] for cell in group if cell in variable] for group in groups])
    solved = _solved(values, variable, sizes, held)
    return System(variable, sizes, shown, solved, leader, list(_column_sums(values)))


def _leaders(groups: Sequence[Sequence[int]]) -> dict[int, int]:
    """The first variable of all that are in one group, or in groups that share a variable."""
    leader: dict[int, int] = {}

    def first(one: int) -> int:
        while leader.setdefault(one, one) != one:
            one = leader[one]
        return one

    for group in groups:
        for one in group[1:]:
            low, high = sorted((first(group[0]), first(one)))
            leader[high] = low
    return {one: first(one) for one in leader}


def _solved(
    values: Mapping[Cell, Fraction],
    variable: Mapping[Cell, int],
    sizes: Sequence[Fraction],
    held: Sequence[Relation],
) -> dict[int, tuple[Fraction, dict[int, Fraction]]]:
    """Gaussian elimination: what is off by rounding stays off by as much."""
    solved: dict[int, tuple[Fraction, dict[int, Fraction]]] = {}
    for relation in held:
        row: dict[int, Fraction] = {}
        for sign, cells in ((1, (relation.target,)), (-1, relation.plus), (1, relation.minus)):
            for cell in cells:
                if values.get(cell):
                    coefficient = Fraction(sign if values[cell] > 0 else -sign)
                    row[variable[cell]] = row.get(variable[cell], Fraction(0)) + coefficient
        constant = sum((coefficient * sizes[one] for one, coefficient in row.items()), Fraction(0))
        row, constant = _substituted(row, constant, solved)
        if not row:
            continue
        target = variable.get(relation.target, -1)
        pivot = target if target in row else max(row, key=lambda one: sizes[one])
        own = row.pop(pivot)
        made = (constant / own, {one: -coefficient / own for one, coefficient in row.items()})
        for other, (rest, terms) in list(solved.items()):
            if pivot in terms:
                solved[other] = _with(rest, dict(terms), pivot, made)
        solved[pivot] = made
    return solved


def _substituted(
    row: dict[int, Fraction], constant: Fraction, solved: Mapping[int, tuple[Fraction, dict[int, Fraction]]]
) -> tuple[dict[int, Fraction], Fraction]:
    """The row, "sum of terms = constant", over leaves only."""
    for one in [one for one in row if one in solved]:
        coefficient = row.pop(one)
        rest, terms = solved[one]
        constant -= coefficient * rest
        for other, factor in terms.items():
            row[other] = row.get(other, Fraction(0)) + coefficient * factor
    return {one: coefficient for one, coefficient in row.items() if coefficient}, constant


def _with(
    rest: Fraction, terms: dict[int, Fraction], pivot: int, made: tuple[Fraction, dict[int, Fraction]]
) -> tuple[Fraction, dict[int, Fraction]]:
    coefficient = terms.pop(pivot)
    for other, factor in made[1].items():
        terms[other] = terms.get(other, Fraction(0)) + coefficient * factor
    return rest + coefficient * made[0], {one: factor for one, factor in terms.items() if factor}


def moved(
    values: Mapping[Cell, Fraction],
    found: System,
    factors: Mapping[Cell, Fraction],
    draw: Draw,
    attempt: int | None,
    chosen: Set[int] = frozenset(),
) -> dict[Cell, Fraction] | None:
    """New amounts: leaves by their factor, and `chosen` ones by a step of their own; None where one would break.

    `factors` is the common factor of each cell, 1 where the cell only moves beside it. Without an attempt, leaves
    move by their factor alone, rounded as they are shown. A sign, the order of a row and the size of what follows
    are kept.
    """
    spread = Fraction(0) if attempt is None else _SPREADS[attempt]
    common = {found.variable[cell]: factor for cell, factor in factors.items()}
    sizes: dict[int, Fraction] = {}
    steps: dict[int, int] = {}
    leaders = {found.leader.get(one, one) for one in chosen}
    for one, size in enumerate(found.sizes):
        leader = found.leader.get(one, one)
        if one in found.follows or one not in common:
            sizes[one] = size
            continue
        if leader in leaders and leader not in steps:
            steps[leader] = draw.choice(_STEPS)
        power = 10 ** found.places[one]
        shown = size * power * common[one]
        if leader in steps:
            shown *= 1 + spread * steps[leader] / 5
        sizes[one] = FastFraction.quotient(max(1, round(shown)), power)
    _keep_order(values, found, sizes, chosen)
    for one, (rest, terms) in found.follows.items():
        # What rounding left over stays as it is, whatever the factor.
        sizes[one] = rest + sum((factor * sizes[other] for other, factor in terms.items()), Fraction(0))
    finest = 10 ** max(found.places, default=0)
    for one, size in sizes.items():
        expected = found.sizes[one] * common.get(one, 1)
        if size <= 0 or finest % size.denominator:
            return None
        if size != expected and not _LEAST_SHARE * expected <= size <= _MOST_SHARE * expected:
            return None
    new = {cell: sizes[found.variable[cell]] * (1 if value > 0 else -1) for cell, value in values.items()}
    kept = all(new[target] == new[one] + new[other] for target, one, other in found.sums)
    return new if kept and order_kept(values, new) else None


def _column_sums(values: Mapping[Cell, Fraction]) -> Iterator[tuple[Cell, Cell, Cell]]:
    columns: dict[int, list[Cell]] = {}
    for cell in values:
        columns.setdefault(cell[1], []).append(cell)
    for cells in columns.values():
        targets = {values[cell]: cell for cell in cells if abs(values[cell]) >= _LARGE}
        for one, other in combinations(cells, 2):
            target = targets.get(values[one] + values[other])
            if target is not None and target not in (one, other):
                yield target, one, other


def attempts() -> int:
    """How often `moved` can be tried."""
    return len(_SPREADS)


def _keep_order(
    values: Mapping[Cell, Fraction], found: System, sizes: dict[int, Fraction], chosen: Set[int]
) -> None:
    """Exchange the new sizes of the chosen leaves of a row so that they are in the order of the old ones."""
    rows: dict[int, list[int]] = {}
    for (row, _), one in ((cell, found.variable[cell]) for cell in values):
        if one in chosen and one not in rows.setdefault(row, []):
            rows[row].append(one)
    seen: set[int] = set(found.leader)
    for leaves in rows.values():
        if seen.isdisjoint(leaves):  # a leaf of two rows, or one that shares its step, stays where it is
            ordered = sorted(leaves, key=lambda one: found.sizes[one])
            for one, size in zip(ordered, sorted(sizes[one] for one in leaves), strict=True):
                sizes[one] = size
        seen.update(leaves)


def order_kept(values: Mapping[Cell, Fraction], new: Mapping[Cell, Fraction]) -> bool:
    """Whether of two amounts of a row the larger still is: what rose from year to year rises."""
    rows: dict[int, list[tuple[Fraction, Fraction]]] = {}
    changed = {cell[0] for cell, value in values.items() if new[cell] != value}
    for cell, value in values.items():
        if cell[0] in changed:
            rows.setdefault(cell[0], []).append((value, new[cell]))
    return all(
        (was < was_other) == (now < now_other) and (was == was_other) == (now == now_other)
        for row in rows.values()
        for (was, now), (was_other, now_other) in combinations(row, 2)
    )
