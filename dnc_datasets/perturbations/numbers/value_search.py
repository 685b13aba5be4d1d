"""Finds other numbers for a calculation under which all that made sense before still does, in bounded time."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from fractions import Fraction
from functools import cached_property
from itertools import chain
from math import ceil, floor
from typing import Final, NamedTuple

from dnc_datasets.draws import Draw
from dnc_datasets.errors import ExpressionError
from dnc_datasets.expression import Expr
from dnc_datasets.perturbations.numbers.calculations import Calculation, Exact, divisions, quotient, whole

# At most this number of candidate values is tried for a row; then it stays as it is.
_MAX_LOOKS: Final = 800
_STARTS: Final = 8
_ROUNDS: Final = 4
_NEAREST: Final = 24  # values tried around the one that was drawn
_QUOTIENTS: Final = 6  # and this number that would make a division exact
_MANY_PLACES: Final = 9
# What one of several gets, if it is small, is at most this number of times as much.
_SMALL_SHARE, _MORE_FOR_EACH = 150, 4
# A difference grows at most by this factor: "$14,500 saved of $14,600" is nearly all, and one thing of a bill of
# which all others keep their prices does not become the dearest by far.
_MORE_LACKING = 6

Values = dict[Fraction, Fraction]


@dataclass(frozen=True)
class Range:
    """The values that an operand may take: multiples of `step` from `low` to `high`, never those of `not_at`."""

    low: Fraction
    high: Fraction
    step: Fraction
    not_at: frozenset[Fraction] = frozenset()
    accepts: Callable[[Exact], bool] | None = None

    @cached_property
    def _ends(self) -> tuple[int, int]:
        """The least and the largest value, in steps."""
        return ceil(self.low / self.step), floor(self.high / self.step)

    @cached_property
    def _bounds(self) -> tuple[int, int, int, int]:
        """Numerator and denominator of the lower and of the upper bound, in steps."""
        low, high = self.low / self.step, self.high / self.step
        return *low.as_integer_ratio(), *high.as_integer_ratio()

    def __contains__(self, value: object) -> bool:
        if not isinstance(value, Fraction | int):
            return False
        at, rest = divmod(value.numerator * self.step.denominator, value.denominator * self.step.numerator)
        low, high = self._ends
        return not rest and low <= at <= high and self._is_free(value)

    def _is_free(self, value: Exact) -> bool:
        return value not in self.not_at and (self.accepts is None or self.accepts(value))

    def nearest(self, target: Exact) -> Iterator[Exact]:
        """Values of the range from the target outwards."""
        return self.around(target.numerator, target.denominator)

    def around(self, over: int, under: int) -> Iterator[Exact]:
        """Values of the range from the target over / under outwards; the ratio need not be in lowest terms."""
        low, high = self._ends
        top, bottom = self.step.numerator, self.step.denominator
        middle = self._middle(over * bottom, under * top)
        for away in range(_NEAREST):
            for at in {middle + away, middle - away}:
                if low <= at <= high:
                    value = at * top if bottom == 1 else whole(Fraction(at * top, bottom))
                    if self._is_free(value):
                        yield value

    def _middle(self, over: int, under: int) -> int:
        """The step nearest to a target, which is given in steps, within the bounds."""
        low, low_under, high, high_under = self._bounds
        if over * low_under <= low * under:
            return round(Fraction(low, low_under))
        if over * high_under >= high * under:
            return round(Fraction(high, high_under))
        at, rest = divmod(over, under)
        return at + (2 * rest > under or (2 * rest == under and at % 2))  # halves to even, as `round` does


class Task(NamedTuple):
    """What must stay true: `calculations` keep signs, wholeness and exact divisions, `holds` is asked at the end."""

    calculations: Sequence[Expr]
    ranges: Mapping[Fraction, Range]  # operand -> what it may become
    ordered: Sequence[tuple[Fraction, Fraction]]  # smaller and larger; operands or numbers that stay
    holds: Callable[[Sequence[Exact]], bool]  # of the new values, in the order of the operands
    more_places: int = 0  # decimals that a step may have beyond those it had
    steady: bool = False  # whether a quotient, which is what one of several gets, grows little
    beside: Sequence[Fraction] = ()  # numbers that stay; a step that was less than one still is


def find_values(task: Task, draw: Draw, drawn: Callable[[int], tuple[int, int]]) -> Values | None:
    """New values for all operands; None where none were found within the bound.

    `drawn` gives a first value for the operand at a place, as a numerator and a denominator, once more for each start;
    from there the nearest values are tried that fix what does not hold.
    """
    if not _can_be_ordered(task):
        return None
    search = _Search.of(task)
    ranges = list(task.ranges.values())
    looks = 0
    for _ in range(_STARTS):
        values: list[Exact] = []
        for at, range_ in enumerate(ranges):
            first = next(range_.around(*drawn(at)), None)
            if first is None:
                return None
            values.append(first)
        broken = search.broken(values)
        looks += 1
        for _ in range(_ROUNDS):
            if broken == 0:
                break
            before = broken
            for place in draw.shuffled(list(range(len(ranges)))):
                for candidate in chain(
                    search.exact(values, place, ranges[place]), ranges[place].nearest(values[place])
                ):
                    looks += 1
                    trial = values.copy()
                    trial[place] = candidate
                    count = search.broken(trial, broken)
                    if count < broken:
                        values, broken = trial, count
                    if broken == 0 or looks > _MAX_LOOKS:
                        break
                if broken == 0:
                    break
                if looks > _MAX_LOOKS:
                    return None
            if broken == before:
                break
        if broken == 0 and task.holds(values):
            return dict(zip(task.ranges, map(Fraction, values), strict=True))
    return None


def _can_be_ordered(task: Task) -> bool:
    """Whether the ranges leave room for every comparison."""
    for small, large in task.ordered:
        low = task.ranges[small].low if small in task.ranges else small
        high = task.ranges[large].high if large in task.ranges else large
        if low >= high:
            return False
    return True


class _Compared(NamedTuple):
    """The comparisons that an operand takes part in; every look counts them, so numbers go by their place."""

    others: Sequence[Exact]  # numbers that stay, after the operands
    pairs: Sequence[tuple[int, int, bool]]  # places of smaller and larger; was the larger one twice as large?

    @classmethod
    def of(cls, task: Task) -> _Compared:
        places = {number: at for at, number in enumerate(task.ranges)}
        pairs = []
        for small, large in task.ordered:
            if small in task.ranges or large in task.ranges:
                low, high = (places.setdefault(number, len(places)) for number in (small, large))
                pairs.append((low, high, large >= 2 * small))
        return cls([whole(number) for number in list(places)[len(task.ranges) :]], pairs)

    def lost(self, values: Sequence[Exact]) -> int:
        """How many larger numbers no longer are, or not clearly where they were twice as large."""
        now = [*values, *self.others]
        lost = 0
        for small, large, clearly in self.pairs:
            a, b = now[small], now[large]
            lost += 2 * b < 3 * a if clearly else a >= b
        return lost


class _Step(NamedTuple):
    """What must stay true of one step of a calculation."""

    sign: int
    several: bool  # it was more than one, and several do not become one: "How many people ate?"
    highest: Exact | None  # what one of several gets grows little
    largest: Exact | None  # so does a difference, whatever its sign
    places: int  # decimals
    less: Sequence[tuple[Exact, bool]]  # numbers that stay; was the step less than each?

    @classmethod
    def of(cls, was: Exact, op: str, task: Task) -> _Step:
        return cls(
            _sign(was),
            was > 1,
            _MORE_FOR_EACH * was if task.steady and op == "/" and was < _SMALL_SHARE else None,
            _MORE_LACKING * max(was, -was) if op == "-" else None,
            places(was) + (0 if op[0] == "/" else task.more_places),
            [(whole(other), was < other) for other in task.beside],
        )

    def is_kept(self, now: Exact) -> bool:
        """Whether a step keeps its sign, has no more decimals than it had, and gives nobody far more."""
        sign, several, highest, largest, most_places, _ = self
        if _sign(now) != sign or (several and now <= 1) or (highest is not None and now > highest):
            return False
        if largest is not None and (now if sign > 0 else -now) > largest:
            return False
        return type(now) is int or places(now) <= most_places


def _sign(value: Exact) -> int:
    return (value > 0) - (value < 0) if type(value) is int else _sign(value.numerator)


class _Search(NamedTuple):
    """What is looked at again for every trial, prepared once; the values of operands go by their place."""

    task: Task
    calculations: Sequence[Calculation]
    old: Sequence[Sequence[_Step]]
    compared: _Compared
    divisions: Sequence[tuple[Calculation, Calculation]]

    @classmethod
    def of(cls, task: Task) -> _Search:
        places = {operand: at for at, operand in enumerate(task.ranges)}
        calculations = [Calculation.of(equation, places) for equation in task.calculations]
        values = [whole(operand) for operand in places]
        old = [
            [_Step.of(was, op, task) for op, was in calculation.nodes(values)] for calculation in calculations
        ]
        divided = [parts for equation in task.calculations for parts in divisions(equation, places)]
        return cls(task, calculations, old, _Compared.of(task), divided)

    def broken(self, values: Sequence[Exact], least: int | None = None) -> int:
        """How many steps and comparisons no longer are what they were; where there are `least`, some go uncounted."""
        count = self.compared.lost(values)
        count += len(values) - len(set(values))
        for calculation, before in zip(self.calculations, self.old, strict=True):
            if least is not None and count >= least:
                return count
            try:
                after = calculation.nodes(values)
            except ExpressionError:
                return count + len(before)
            for step, (_, now) in zip(before, after, strict=True):
                count += not step.is_kept(now)
                for other, was_less in step.less:
                    count += was_less != (now < other)
        return count

    def exact(self, values: Sequence[Exact], place: int, range_: Range) -> Iterator[Exact]:
        """Values of the operand that make a division exact in whose dividend or divisor it is."""
        now, step = values[place], whole(range_.step)
        shifted = [*values[:place], now + step, *values[place + 1 :]]
        for dividend, divisor in self.divisions:
            try:
                above, below = dividend.value(values), divisor.value(values)
                if not below or quotient(above, below).denominator == 1:
                    continue
                slope = quotient(dividend.value(shifted) - above, step)
            except ExpressionError:
                continue
            middle = round(quotient(above, below))
            for away in range(_QUOTIENTS):
                for wanted in {middle + away, middle - away}:
                    if slope:
                        candidate = now + quotient(wanted * below - above, slope)
                    elif wanted > 0 and above > 0:
                        candidate = quotient(quotient(now * above, wanted), below)
                    else:
                        continue
                    if candidate in range_:
                        yield whole(candidate)


def places(value: Exact) -> int:
    """The decimals of a value; many where they do not end."""
    bottom = value.denominator
    if bottom == 1:
        return 0
    for count in range(_MANY_PLACES):
        if 10**count % bottom == 0:
            return count
    return _MANY_PLACES
