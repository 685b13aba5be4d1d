"""New amounts for a table whose sums still hold: leaves move independently, and the others follow.

All amounts of a table are integers of one small unit. Only coefficients other than one need fractions.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence, Set
from fractions import Fraction
from itertools import combinations, pairwise
from math import lcm
from typing import Final, NamedTuple

from dnc_datasets.draws import Draw
from dnc_datasets.fast_fraction import FastFraction
from dnc_datasets.tables.relations import Cell, Relation

# An integer, or a fraction if no unit makes it an integer.
Exact = int | Fraction
Terms = Mapping[int, Exact]
Solved = dict[int, tuple[Exact, dict[int, Exact]]]

_MOST_VARIABLES: Final = 120
_MOST_RELATIONS: Final = 400
# The movement of leaves beside the common factor, in percent, from large to small. Profits that are small
# differences need the last ones.
_SPREADS: Final = (25, 25, 18, 18, 12, 12, 7, 7, 4, 2)
_LARGEST: Final = 2
_STEPS: Final = tuple(step for step in range(-5, 6) if step)
_STEP: Final = 500  # one step is a fifth of a percent
_LARGE: Final = 1000  # smaller amounts are the sum of two others by chance
_TELLING: Final = 10  # in last digits: from this size on, equal amounts share a variable


class Moved(NamedTuple):
    """New amounts, and the cells that did not just grow by the common factor."""

    values: dict[Cell, Fraction]
    stepped: set[Cell]


class System:
    """The amounts of a table as variables, with the cells that share one and the dependencies among them.

    `counts` are the sizes of the variables in the unit of the table. `follows` gives a variable as a constant
    and the coefficients of leaves. `leader` gives the variable whose step another one shares: the fair value
    of a debt moves with its cost. `_sums` holds large amounts of a column, each with two others whose sum it
    is, regardless of labels.
    """

    def __init__(
        self,
        values: Mapping[Cell, Fraction],
        variable: Mapping[Cell, int],
        sizes: Sequence[Fraction],
        places: Sequence[int],
        held: Sequence[Relation],
        groups: Sequence[Sequence[Cell]],
    ) -> None:
        self.variable = variable
        self.unit: int = 10 ** max(places, default=0)
        self.counts = [_in_units(size, self.unit) for size in sizes]
        self.leader = _leaders([[variable[cell] for cell in group if cell in variable] for group in groups])
        self.is_negative = {cell: value <= 0 for cell, value in values.items()}
        signed = {
            cell: -self.counts[one] if self.is_negative[cell] else self.counts[one]
            for cell, one in variable.items()
        }
        self.follows = _solved(values, variable, self.counts, held)
        self._grains = [10**count for count in places]
        self._free = [
            (one, self.leader.get(one, one), _in_units(sizes[one], grain), self.unit // grain)
            for one, grain in enumerate(self._grains)
            if one not in self.follows
        ]
        self._followed = [(one, *_over_one(rest, terms)) for one, (rest, terms) in self.follows.items()]
        self._sums = [tuple(map(self._signed, cells)) for cells in _column_sums(signed, _LARGE * self.unit)]
        self._orders = list(self._neighbours(signed))
        self._largest: dict[int, list[int]] = {}

    def _signed(self, cell: Cell) -> tuple[int, int]:
        return (-1 if self.is_negative[cell] else 1), self.variable[cell]

    def _neighbours(self, signed: Mapping[Cell, Exact]) -> Iterator[tuple[int, int, int, int, bool]]:
        """Yield for neighbours by size in a row the sign and variable of both, and whether they are equal."""
        rows: dict[int, list[Cell]] = {}
        for cell in signed:
            rows.setdefault(cell[0], []).append(cell)
        for cells in rows.values():
            for one, other in pairwise(sorted(cells, key=signed.__getitem__)):
                first, second = self._signed(one), self._signed(other)
                yield *first, *second, signed[one] == signed[other]

    def leaves_of(self, cells: Iterable[Cell], attempt: int) -> set[int]:
        """Return one leaf for each of these cells: the cell, or one of the largest leaves that give it."""
        found = set()
        for one in {self.variable[cell] for cell in cells if cell in self.variable}:
            largest = self._largest.get(one)
            if largest is None:
                _, terms = self.follows.get(one, (0, {one: 1}))
                order = sorted(
                    terms, key=lambda leaf: (min(terms[leaf], -terms[leaf]) * self.counts[leaf], leaf)
                )
                largest = self._largest[one] = order[:_LARGEST]
            if largest:
                found.add(largest[attempt % len(largest)])
        return found

    def moved(
        self, factor: Fraction, draw: Draw, attempt: int | None, chosen: Set[int] = frozenset()
    ) -> Moved | None:
        """Return new amounts, or None if one would break a relation.

        Leaves move by the common factor, and `chosen` ones also by their own step. Without an attempt, all
        leaves move by the factor alone, rounded as they are shown. Signs, the order of a row and the size of
        dependent amounts are kept.
        """
        percent = 0 if attempt is None else _SPREADS[attempt]
        top, bottom = factor.numerator, factor.denominator
        counts = self.counts
        leaders = {self.leader.get(one, one) for one in chosen}
        new: list[int] = [0] * len(counts)
        steps: dict[int, int] = {}
        for one, leader, shown, grain in self._free:
            if leader in leaders:
                if leader not in steps:
                    steps[leader] = draw.choice(_STEPS)
                size = _nearest(shown * top * (_STEP + percent * steps[leader]), bottom * _STEP)
            else:
                size = _nearest(shown * top, bottom)
            new[one] = max(1, size) * grain
        self._keep_order(new, chosen)
        for one, rest, terms, below in self._followed:
            # The rounding difference does not change, whatever the factor.
            size = rest + sum([factor * new[other] for other, factor in terms])
            if below != 1:
                size, left = divmod(size, below)
                if left:
                    return None
            new[one] = size
        stepped = set()
        for one, size in enumerate(new):
            if size <= 0:
                return None
            expected, now = counts[one] * top, size * bottom
            if now != expected:
                if not (2 * expected <= 5 * now and 2 * now <= 5 * expected):
                    return None
                stepped.add(one)
        for (sign, whole), (one_sign, one), (other_sign, other) in self._sums:
            if sign * new[whole] != one_sign * new[one] + other_sign * new[other]:
                return None
        for sign, one, other_sign, other, equal in self._orders:
            size, larger = sign * new[one], other_sign * new[other]
            if size != larger if equal else size >= larger:
                return None
        return self._as_cells(new, stepped)

    def _as_cells(self, new: Sequence[int], stepped: Set[int]) -> Moved:
        sizes = [FastFraction.quotient(size, self.unit) for size in new]
        negative = self.is_negative
        return Moved(
            {cell: -sizes[one] if negative[cell] else sizes[one] for cell, one in self.variable.items()},
            {cell for cell, one in self.variable.items() if one in stepped} if stepped else set(),
        )

    def _keep_order(self, new: list[int], chosen: Set[int]) -> None:
        """Exchange the new sizes of the chosen leaves of a row to keep the order of the old ones."""
        if len(chosen) < 2:
            return
        rows: dict[int, list[int]] = {}
        for (row, _), one in self.variable.items():
            if one in chosen and one not in rows.setdefault(row, []):
                rows[row].append(one)
        seen: set[int] = set(self.leader)
        for leaves in rows.values():
            if seen.isdisjoint(leaves):  # a leaf of two rows, or one that shares its step, is not exchanged
                ordered = sorted(leaves, key=self.counts.__getitem__)
                for one, size in zip(ordered, sorted([new[one] for one in leaves]), strict=True):
                    new[one] = size
            seen.update(leaves)


def system(
    values: Mapping[Cell, Fraction],
    places: Mapping[Cell, int],
    held: Sequence[Relation],
    groups: Sequence[Sequence[Cell]] = (),
) -> System | None:
    """Return the variables of these amounts, with their relations. Return None if there are too many."""
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
    return System(values, variable, sizes, shown, held, groups)


def _in_units(size: Fraction, unit: int) -> Exact:
    """Return a size in a unit: an integer, except for a number such as a third."""
    whole, rest = divmod(unit, size.denominator)
    return size * unit if rest else size.numerator * whole


def _nearest(top: Exact, bottom: int) -> int:
    """Return the integer nearest to a quotient. A tie gives the even integer."""
    if bottom == 1 and type(top) is int:
        return top
    size, rest = divmod(top, bottom)
    return int(size) + (2 * rest > bottom or (2 * rest == bottom and size % 2 == 1))


def _over_one(rest: Exact, terms: Terms) -> tuple[int, list[tuple[int, int]], int]:
    """Return a constant and coefficients as integers over a common denominator, and the denominator."""
    below = lcm(rest.denominator, *(factor.denominator for factor in terms.values()))
    return int(rest * below), [(one, int(factor * below)) for one, factor in terms.items()], below


def _leaders(groups: Sequence[Sequence[int]]) -> dict[int, int]:
    """Return the first variable of each set of groups that share variables."""
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
    sizes: Sequence[Exact],
    held: Sequence[Relation],
) -> Solved:
    """Solve the relations by Gaussian elimination. Differences from rounding are kept."""
    solved: Solved = {}
    for relation in held:
        row: dict[int, Exact] = {}
        for sign, cells in ((1, (relation.target,)), (-1, relation.plus), (1, relation.minus)):
            for cell in cells:
                value = values.get(cell)
                if value:
                    one = variable[cell]
                    row[one] = row.get(one, 0) + (sign if value > 0 else -sign)
        constant: Exact = sum([coefficient * sizes[one] for one, coefficient in row.items()])
        row, constant = _substituted(row, constant, solved)
        if not row:
            continue
        target = variable.get(relation.target, -1)
        pivot = target if target in row else max(row, key=sizes.__getitem__)
        own = row.pop(pivot)
        made = (_over(constant, own), {one: _over(-coefficient, own) for one, coefficient in row.items()})
        for other, (rest, terms) in list(solved.items()):
            if pivot in terms:
                solved[other] = _with(rest, dict(terms), pivot, made)
        solved[pivot] = made
    return solved


def _over(top: Exact, bottom: Exact) -> Exact:
    """Return a quotient. Most denominators are one."""
    if bottom == 1:
        return top
    if bottom == -1:
        return -top
    size = Fraction(top) / bottom
    return size.numerator if size.denominator == 1 else size


def _substituted(row: dict[int, Exact], constant: Exact, solved: Solved) -> tuple[dict[int, Exact], Exact]:
    """Return the row, "sum of terms = constant", over leaves only."""
    for one in [one for one in row if one in solved]:
        coefficient = row.pop(one)
        rest, terms = solved[one]
        constant -= coefficient * rest
        for other, factor in terms.items():
            row[other] = row.get(other, 0) + coefficient * factor
    return {one: coefficient for one, coefficient in row.items() if coefficient}, constant


def _with(
    rest: Exact, terms: dict[int, Exact], pivot: int, made: tuple[Exact, Terms]
) -> tuple[Exact, dict[int, Exact]]:
    coefficient = terms.pop(pivot)
    for other, factor in made[1].items():
        terms[other] = terms.get(other, 0) + coefficient * factor
    return rest + coefficient * made[0], {one: factor for one, factor in terms.items() if factor}


def _column_sums(values: Mapping[Cell, Exact], large: int) -> Iterator[tuple[Cell, Cell, Cell]]:
    columns: dict[int, list[Cell]] = {}
    for cell in values:
        columns.setdefault(cell[1], []).append(cell)
    for cells in columns.values():
        targets = {values[cell]: cell for cell in cells if not -large < values[cell] < large}
        for one, other in combinations(cells, 2) if targets else ():
            target = targets.get(values[one] + values[other])
            if target is not None and target not in (one, other):
                yield target, one, other


def attempts() -> int:
    """Return the number of attempts to move the leaves of a system."""
    return len(_SPREADS)


def order_kept(values: Mapping[Cell, Fraction], new: Mapping[Cell, Fraction]) -> bool:
    """Return whether the amounts of each row keep their order: an amount that rose over the years rises."""
    rows: dict[int, list[tuple[Fraction, Fraction]]] = {}
    changed = {cell[0] for cell, value in values.items() if new[cell] != value}
    for cell, value in values.items():
        if cell[0] in changed:
            rows.setdefault(cell[0], []).append((value, new[cell]))
    return all(
        now == now_other if was == was_other else now < now_other
        for row in rows.values()
        for (was, now), (was_other, now_other) in pairwise(sorted(row))
    )
