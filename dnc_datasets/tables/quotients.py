"""Quotients between the lines of a table, found by arithmetic: percentages, ratios, growth and hidden bases.

Labels are ignored. An identity counts if it holds in several cells and is too exact for chance.
"""

from __future__ import annotations

from bisect import bisect_left, bisect_right
from collections.abc import Iterator, Mapping, Sequence
from fractions import Fraction
from itertools import pairwise
from typing import Final, NamedTuple

from dnc_datasets.tables.relations import Cell

_FEWEST_CELLS: Final = 2
_MANY_CELLS: Final = 3
# The highest probability of a chance identity.
_SHARE_BY_CHANCE: Final = 1e-4
_BESIDE_BY_CHANCE: Final = 1e-2  # growth in the line beside its amounts
_LIKELY: Final = 0.1
_HUNDRED: Final = 100.0
_RATIO_SCALES: Final = (1.0, _HUNDRED, 1e3, 1e-3, 1e6, 1e-6)
_ERROR: Final = 1e-9
_NEARLY: Final = 0.1
_MOST_FAILURES: Final = 4  # the required number of cells that hold for each one that does not


class Stated(NamedTuple):
    """A number as a cell shows it: its signed value and half of a unit of its last digit."""

    value: float
    half: float


class Quotient(NamedTuple):
    """A quotient: `target` is `factor` times `top` over `bottom`, minus the factor if it is a `change`."""

    target: Cell
    top: Cell
    bottom: Cell
    factor: float
    change: bool = False

    def computed(self, values: Mapping[Cell, Fraction]) -> Fraction | None:
        """Return the target computed from the other cells. Return None if the bottom is zero."""
        if not values[self.bottom]:
            return None
        factor = Fraction(self.factor).limit_denominator(10**6)
        return factor * values[self.top] / values[self.bottom] - (factor if self.change else 0)

    def off(self, cells: Mapping[Cell, Stated]) -> tuple[float, float]:
        """Return the error of the computed target and the largest error that rounding allows."""
        target, top, bottom = cells[self.target], cells[self.top], cells[self.bottom]
        size = abs(self.factor * top.value / bottom.value)
        value = self.factor * top.value / bottom.value - (self.factor if self.change else 0)
        spread = size * (top.half / abs(top.value) + bottom.half / abs(bottom.value))
        off = (
            abs(value - target.value)
            if target.value < 0 or not self.change
            else abs(abs(value) - target.value)
        )
        return off, (target.half + spread) * (1 + _ERROR)


def quotients(
    cells: Mapping[Cell, Stated],
    shares: set[Cell],
    ratios: set[Cell],
    amounts: set[Cell],
    likely: bool = False,
) -> dict[Cell, list[Quotient]]:
    """Return percentages and ratios that follow from amounts in the same way in several cells of their line.

    At least two cells are required. Quotients that are only `likely` need one cell, and a chance that is
    small for the number of pairs of lines.
    """
    found: dict[Cell, list[Quotient]] = {}
    for axis in (1, 0):
        targets = _by_line({cell: cells[cell] for cell in shares | ratios}, axis)
        terms = _by_line({cell: cells[cell] for cell in amounts}, axis)
        for line, target in targets.items():
            share = sum(cell in shares for cell in target.values()) * 2 > len(target)
            limit = _LIKELY / len(terms) ** 2 if likely and terms else None
            for way in (
                *_of_lines(line, target, terms, cells, share, limit),
                *(_of_bases(target, terms, cells, share) if limit is None else ()),
                *(_of_steps(line, target, terms, cells) if limit is None and share else ()),
            ):
                for one in way:
                    found.setdefault(one.target, []).append(one)
    return found


def _by_line(cells: Mapping[Cell, Stated], axis: int) -> dict[int, dict[int, Cell]]:
    lines: dict[int, dict[int, Cell]] = {}
    for cell, stated in cells.items():
        if stated.value:
            lines.setdefault(cell[axis], {})[cell[1 - axis]] = cell
    return lines


def _of_lines(
    line: int,
    target: Mapping[int, Cell],
    terms: Mapping[int, Mapping[int, Cell]],
    cells: Mapping[Cell, Stated],
    share: bool,
    limit: float | None,
) -> Iterator[list[Quotient]]:
    """Yield the line as the quotient of two others, or as their change in percent."""
    kinds = [(_HUNDRED, False), (_HUNDRED, True)] if share else [(scale, False) for scale in _RATIO_SCALES]
    at = min(target)
    goal = cells[target[at]]
    here = sorted(
        (abs(cells[places[at]].value), other)
        for other, places in terms.items()
        if other != line and at in places
    )
    sizes = [size for size, _ in here]
    for factor, change in kinds:
        wanted = [goal.value / factor + 1, 1 - goal.value / factor] if change else [abs(goal.value) / factor]
        for bottom_size, bottom in here:
            for ratio in wanted:
                slack = bottom_size * abs(ratio) * 0.02 + bottom_size * goal.half / factor
                middle = abs(ratio) * bottom_size
                for _, top in here[bisect_left(sizes, middle - slack) : bisect_right(sizes, middle + slack)]:
                    if top != bottom:
                        way = [
                            Quotient(target[place], terms[top][place], terms[bottom][place], factor, change)
                            for place in target
                            if place in terms[top] and place in terms[bottom]
                        ]
                        if holding := _sure(way, cells, limit):
                            yield holding


def _of_bases(
    target: Mapping[int, Cell],
    terms: Mapping[int, Mapping[int, Cell]],
    cells: Mapping[Cell, Stated],
    share: bool,
) -> Iterator[list[Quotient]]:
    """Yield the line as shares of one cell of another line: "61% of total"."""
    for places in terms.values() if share else ():
        common = [at for at in target if at in places]
        if len(common) < _FEWEST_CELLS:
            continue
        for base in places.values():
            way = [Quotient(target[at], places[at], base, _HUNDRED) for at in common if places[at] != base]
            if holding := _sure(way, cells):
                yield holding


def _of_steps(
    line: int,
    target: Mapping[int, Cell],
    terms: Mapping[int, Mapping[int, Cell]],
    cells: Mapping[Cell, Stated],
) -> Iterator[list[Quotient]]:
    """Yield the line as changes in percent between neighbouring cells of another line: growth over years."""
    for other, places in terms.items():
        most = _BESIDE_BY_CHANCE if abs(other - line) == 1 else _SHARE_BY_CHANCE
        following = dict(pairwise(sorted(places)))
        for bases in (following, {after: before for before, after in following.items()}):
            way = [
                Quotient(target[at], places[at], places[bases[at]], _HUNDRED, True)
                for at in target
                if at in bases
            ]
            if holding := _sure(way, cells, most=most):
                yield holding


def _sure(
    way: Sequence[Quotient],
    cells: Mapping[Cell, Stated],
    limit: float | None = None,
    most: float = _SHARE_BY_CHANCE,
) -> list[Quotient]:
    """Return the quotients that hold. Return none if too few hold or chance could explain them."""
    chance, failures, holding = 1.0, 0, []
    for one in way:
        off, largest = one.off(cells)
        if off > largest:
            failures += 1
            if failures > 1 and failures * _MOST_FAILURES > len(way):
                return []
            continue
        chance *= min(1.0, 2 * largest / abs(cells[one.target].value))
        holding.append(one)
    if limit is not None:
        return holding if holding and not failures and chance <= limit else []
    if len(holding) < _FEWEST_CELLS or chance > most:
        return []
    return holding if not failures or len(holding) >= max(_MANY_CELLS, _MOST_FAILURES * failures) else []


def hidden_bases(
    cells: Mapping[Cell, Stated], shares: set[Cell], amounts: set[Cell]
) -> list[tuple[Cell, ...]]:
    """Return the amounts of lines whose percentages are shares of one amount that the table does not show.

    Percentages of net sales are shown beside expenses, without net sales. Such amounts can only grow
    together.
    """
    found = []
    for axis in (1, 0):
        lines = _by_line({cell: cells[cell] for cell in shares}, axis)
        terms = _by_line({cell: cells[cell] for cell in amounts}, axis)
        for line, target in lines.items():
            for other in (line - 1, line + 1, line - 2, line + 2):
                common = [at for at in target if at in terms.get(other, {})]
                if len(common) >= _FEWEST_CELLS and _share_a_base(
                    [(cells[target[at]], cells[terms[other][at]]) for at in common]
                ):
                    found.append(tuple(terms[other][at] for at in common))
    return found


def _share_a_base(pairs: Sequence[tuple[Stated, Stated]]) -> bool:
    """Return whether all percentages are shares of one base, more exactly than chance explains."""
    least, most, chances = 0.0, float("inf"), []
    for share, amount in pairs:
        size, value = abs(amount.value), abs(share.value)
        if value <= share.half:
            continue
        low, high = (size - amount.half) / (value + share.half), (size + amount.half) / (value - share.half)
        least, most = max(least, low), min(most, high)
        chances.append(min(1.0, (high - low) / low))
    if least > most * (1 + _ERROR) or len(chances) < _FEWEST_CELLS:
        return False
    chance = 1.0
    for one in sorted(chances)[1:]:
        chance *= one
    return chance <= _SHARE_BY_CHANCE * _HUNDRED


def near_lines(cells: Mapping[Cell, Stated], columns: set[int]) -> list[tuple[Cell, Cell]]:
    """Return the pairs of nearly equal cells of neighbouring rows, or of neighbours among `columns`.

    Examples are cost and fair value, or basic and diluted shares. Such amounts move together.
    """
    found = []
    for axis in (0, 1):
        lines = _by_line(cells, axis)
        for line in lines:
            if axis == 1 and not {line, line + 1} <= columns:
                continue
            beside = lines.get(line + 1, {})
            common = [at for at in lines[line] if at in beside]
            if len(common) >= _FEWEST_CELLS and all(
                abs(cells[lines[line][at]].value - cells[beside[at]].value)
                <= _NEARLY * abs(cells[beside[at]].value)
                for at in common
            ):
                found += [(lines[line][at], beside[at]) for at in common]
    return found
