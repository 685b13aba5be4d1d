"""What holds between the lines of a table by arithmetic: sums of rows or columns, and quotients of two of them.

Labels play no part. An identity counts where it holds in several cells and is too exact for chance.
"""

from __future__ import annotations

from bisect import bisect_left, bisect_right
from collections.abc import Iterator, Mapping, Sequence
from fractions import Fraction
from itertools import combinations, product
from typing import Final, NamedTuple

from dnc_datasets.tables.relations import Amounts, Cell, Relation, Signed

_MOST_LINES: Final = 60
_MOST_SIGNED_TERMS: Final = 6
_FEWEST_CELLS: Final = 2
_MANY_CELLS: Final = 3
_NEIGHBOURS: Final = 4
# How probable an identity may be by chance: between any lines, between neighbours.
_ANYWHERE, _NEARBY = 1e-6, 1e-4
_SHARE_BY_CHANCE: Final = 1e-4
_HUNDRED: Final = 100.0
_RATIO_SCALES: Final = (1.0, _HUNDRED, 1e3, 1e-3, 1e6, 1e-6)
_ERROR: Final = 1e-9
_NEARLY: Final = 0.1
_MOST_FAILURES: Final = 4  # one for so many cells that hold

Line = Mapping[int, int]


class Stated(NamedTuple):
    """A number as a cell shows it: its value with sign and half of its last digit."""

    value: float
    half: float


class Quotient(NamedTuple):
    """`target` is `factor` times `top` over `bottom`; a `change` is that less the factor."""

    target: Cell
    top: Cell
    bottom: Cell
    factor: float
    change: bool = False

    def computed(self, values: Mapping[Cell, Fraction]) -> Fraction | None:
        """The target by the others; None where it has no value."""
        if not values[self.bottom]:
            return None
        factor = Fraction(self.factor).limit_denominator(10**6)
        return factor * values[self.top] / values[self.bottom] - (factor if self.change else 0)

    def off(self, cells: Mapping[Cell, Stated]) -> tuple[float, float]:
        """By how much the others miss the target, and by how much they may by the rounding of all three."""
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


def line_sums(values: Signed) -> list[Relation]:
    """Rows and columns that are the sum or the difference of others, in every cell of at least two.

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


def _largest_first(
    lines: Mapping[int, Line], target: int, terms: Sequence[tuple[int, int]]
) -> tuple[int, tuple[tuple[int, int], ...]]:
    """The same identity solved for its largest line, so that no small difference is what follows."""
    sizes = {line: sum(map(abs, lines[line].values())) for line in (target, *(line for _, line in terms))}
    largest = max(sizes, key=lambda line: (sizes[line], line))
    if largest == target:
        return target, tuple(terms)
    own = next(sign for sign, line in terms if line == largest)
    rest = tuple((-own * sign, line) for sign, line in terms if line != largest)
    return largest, ((own, target), *rest)


def _candidates(lines: Mapping[int, Line], unit: int) -> Iterator[tuple[int, tuple[tuple[int, int], ...]]]:
    """Lines with signed terms that give them in the fullest cells."""
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


def _signed_runs(
    lines: Mapping[int, Line], order: Sequence[int], at: int, unit: int
) -> Iterator[tuple[int, tuple[tuple[int, int], ...]]]:
    """Lines that are the first of their neighbours plus or minus each of the others: balances that run."""
    for place, target in enumerate(order):
        size = lines[target].get(at)
        if size is None:
            continue
        above = order[max(0, place - _MOST_SIGNED_TERMS) : place][::-1]
        for near in (above, order[place + 1 : place + 1 + _MOST_SIGNED_TERMS]):
            for count in range(3, len(near) + 1):
                terms = near[:count]
                values = [lines[line].get(at, 0) for line in terms]
                if values[-1] == 0:
                    continue
                slack = (count + 1) * unit / 2
                first, rest = values[-1], values[:-1]
                reach = sum(map(abs, rest)) + slack
                if not any(abs(size - sign * first) <= reach for sign in (1, -1)):
                    continue
                for signs in product((1, -1), repeat=count - 1):
                    total = first + sum(sign * value for sign, value in zip(signs, rest, strict=True))
                    if abs(total - size) <= slack:
                        yield target, ((1, terms[-1]), *zip(signs, terms[:-1], strict=True))


def _verified(
    lines: Mapping[int, Line],
    target: int,
    terms: Sequence[tuple[int, int]],
    axis: int,
    amounts: Amounts,
) -> list[Relation]:
    """The relations of each cell of a line; none where too few hold or chance could explain them."""
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


def quotients(
    cells: Mapping[Cell, Stated], shares: set[Cell], ratios: set[Cell], amounts: set[Cell]
) -> dict[Cell, list[Quotient]]:
    """Percentages and ratios that follow from amounts in the same way in at least two cells of their line."""
    found: dict[Cell, list[Quotient]] = {}
    for axis in (1, 0):
        targets = _by_line({cell: cells[cell] for cell in shares | ratios}, axis)
        terms = _by_line({cell: cells[cell] for cell in amounts}, axis)
        for line, target in targets.items():
            share = sum(cell in shares for cell in target.values()) * 2 > len(target)
            for way in (
                *_of_lines(line, target, terms, cells, share),
                *_of_bases(target, terms, cells, share),
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
) -> Iterator[list[Quotient]]:
    """The line as the quotient of two others, or as their change in percent."""
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
                        if holding := _sure(way, cells):
                            yield holding


def _of_bases(
    target: Mapping[int, Cell],
    terms: Mapping[int, Mapping[int, Cell]],
    cells: Mapping[Cell, Stated],
    share: bool,
) -> Iterator[list[Quotient]]:
    """The line as shares of one cell of another line: "61% of total"."""
    for places in terms.values() if share else ():
        common = [at for at in target if at in places]
        if len(common) < _FEWEST_CELLS:
            continue
        for base in places.values():
            way = [Quotient(target[at], places[at], base, _HUNDRED) for at in common if places[at] != base]
            if holding := _sure(way, cells):
                yield holding


def _sure(way: Sequence[Quotient], cells: Mapping[Cell, Stated]) -> list[Quotient]:
    """The quotients that hold, if enough do and chance cannot explain them."""
    chance, failures, holding = 1.0, 0, []
    for one in way:
        off, most = one.off(cells)
        if off > most:
            failures += 1
            if failures > 1 and failures * _MOST_FAILURES > len(way):
                return []
            continue
        chance *= min(1.0, 2 * most / abs(cells[one.target].value))
        holding.append(one)
    if len(holding) < _FEWEST_CELLS or chance > _SHARE_BY_CHANCE:
        return []
    return holding if not failures or len(holding) >= max(_MANY_CELLS, _MOST_FAILURES * failures) else []


def hidden_bases(
    cells: Mapping[Cell, Stated], shares: set[Cell], amounts: set[Cell]
) -> list[tuple[Cell, ...]]:
    """The amounts of lines whose percentages are shares of one amount that the table does not show.

    Percentages of net sales beside expenses, without net sales: such amounts can only grow together.
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
    """Whether all percentages are shares of one size, more exactly than chance explains."""
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
    """Cells of neighbouring rows, or of neighbours among these columns, that are all nearly the same.

    Cost and fair value, basic and diluted shares: such amounts move together.
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
