"""Bounded search for new operands of a calculation under which all relations remain true."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from fractions import Fraction
from itertools import chain
from typing import Final, NamedTuple

from dnc_datasets.draws import Draw
from dnc_datasets.errors import ExpressionError
from dnc_datasets.expression import Expr
from dnc_datasets.perturbations.numbers.calculations import (
    NEGATIVE,
    PERCENT,
    Calculation,
    Ends,
    Exact,
    computed,
    quotient,
    whole,
)

# Maximum number of candidate values for a row. After that, the row is not changed.
_MAX_LOOKS: Final = 800
_STARTS: Final = 8
_ROUNDS: Final = 4
_NEAREST: Final = 24  # values tried around the drawn one
_QUOTIENTS: Final = 6  # values tried that make a division exact
_MANY_PLACES: Final = 9
_PER_CENT: Final = 100  # a division by it makes a share
# A small share of one of several grows at most by this factor.
_SMALL_SHARE, _MORE_FOR_EACH = 150, 4
# A difference grows at most by this factor: "$14,500 saved of $14,600" is nearly all. One thing of a bill does
# not become by far the most expensive one while all others keep their prices.
_MORE_LACKING = 6


class Range:
    """The possible values of an operand: multiples of `step` from `low` to `high`, except for `not_at`."""

    __slots__ = ("_first", "_from", "_last", "_to", "accepts", "not_at", "step")

    def __init__(
        self,
        low: Exact,
        high: Exact,
        step: Exact,
        not_at: frozenset[Exact] = frozenset(),
        accepts: Callable[[Exact], bool] | None = None,
    ) -> None:
        self.step: Final = whole(step)
        self.not_at: Final = not_at
        self.accepts: Final = accepts
        top, bottom = step.numerator, step.denominator
        # The bounds in steps, as numerator and denominator, and the first and last step inside.
        self._from: Final = low.numerator * bottom, low.denominator * top
        self._to: Final = high.numerator * bottom, high.denominator * top
        self._first: Final = -(-self._from[0] // self._from[1])
        self._last: Final = self._to[0] // self._to[1]

    @property
    def ends(self) -> Ends | None:
        """The minimum and the maximum; None for an empty range."""
        first, last = self._first, self._last
        return (whole(first * self.step), whole(last * self.step)) if first <= last else None

    def __contains__(self, value: object) -> bool:
        if not isinstance(value, Fraction | int):
            return False
        at, rest = divmod(value.numerator * self.step.denominator, value.denominator * self.step.numerator)
        return not rest and self._first <= at <= self._last and self._is_free(value)

    def _is_free(self, value: Exact) -> bool:
        return value not in self.not_at and (self.accepts is None or self.accepts(value))

    def nearest(self, target: Exact) -> Iterator[Exact]:
        """Return the values of the range by distance from the target."""
        return self.around(target.numerator, target.denominator)

    def around(self, over: int, under: int) -> Iterator[Exact]:
        """Yield the values of the range by distance from over / under, which need not be in lowest terms."""
        low, high, step = self._first, self._last, self.step
        middle = self._middle(over * step.denominator, under * step.numerator)
        for away in range(_NEAREST):
            for at in {middle + away, middle - away}:
                if low <= at <= high:
                    value = whole(at * step)
                    if self._is_free(value):
                        yield value

    def _middle(self, over: int, under: int) -> int:
        """Return the step in the range that is nearest to a target in steps."""
        low, low_under = self._from
        if over * low_under <= low * under:
            return _rounded(low, low_under)
        high, high_under = self._to
        return _rounded(high, high_under) if over * high_under >= high * under else _rounded(over, under)


def _rounded(over: int, under: int) -> int:
    """Return the integer nearest to a ratio. Halves are rounded to even, as `round` does."""
    at, rest = divmod(over, under)
    return at + (2 * rest > under or (2 * rest == under and at % 2))


class Task(NamedTuple):
    """The constraints of a search.

    `calculations` keep their signs, integers and exact divisions. `holds` is the final test.
    """

    calculations: Sequence[Expr]
    operands: Sequence[Exact]
    ordered: Sequence[tuple[Exact, Exact]]  # smaller and larger; operands or constant numbers
    holds: Callable[[Sequence[Exact]], bool]  # of the new values, in the order of the operands
    can_hold: Callable[[Sequence[Ends]], bool]  # the same for ranges of the values
    more_places: int = 0  # additional decimals of a step
    steady: bool = False  # whether a quotient, the share of one of several, grows only a little
    beside: Sequence[Exact] = ()  # constant numbers; a step below one of them remains below it


class _Step(NamedTuple):
    """The constraints of one step of a calculation."""

    sign: int
    several: bool  # it was more than one and remains so: "How many people ate?"
    highest: Exact | None  # upper bound of a share or a difference
    places: int  # decimals
    less: Sequence[tuple[Exact, bool]]  # constant numbers, and whether the step was below each

    @classmethod
    def of(cls, was: Exact, op: str, below: Exact, task: Task) -> _Step:
        size = was if was > 0 else -was
        highest = _MORE_LACKING * size if op == "-" else None
        if task.steady and op == "/" and below != _PER_CENT and was < _SMALL_SHARE:
            highest = _MORE_FOR_EACH * size
        return cls(
            (was > 0) - (was < 0),
            was > 1,
            highest,
            places(was) + (0 if op == "/" else task.more_places),
            [(other, was < other) for other in task.beside],
        )

    def broken(self, now: Exact) -> int:
        """Return the number of violations.

        Sign, size and decimals count once together, and each number beside the step counts once.
        """
        sign, several, highest, most_places, less = self
        size = now if sign > 0 else -now
        kept = (
            (size > 0 if sign else not now)
            and not (several and now <= 1)
            and (highest is None or size <= highest)
            and (type(now) is int or places(now) <= most_places)
        )
        count = 0 if kept else 1
        for other, was_less in less:
            count += was_less != (now < other)
        return count

    def can_hold(self, ends: Ends) -> bool:
        """Return whether a value in this range can keep its sign, its size and the numbers beside it."""
        low, high = ends
        if (self.sign > 0 and high <= 0) or (self.sign < 0 and low >= 0) or (self.several and high <= 1):
            return False
        if self.highest is not None and (low if self.sign > 0 else -high) > self.highest:
            return False
        return all(low < other if was_less else high >= other for other, was_less in self.less)


class Search:
    """Search for new operands of a task. Everything that many trials need is prepared once."""

    def __init__(self, task: Task) -> None:
        places = {operand: at for at, operand in enumerate(task.operands)}
        self.task = task
        self.calculations = [Calculation.of(equation, places) for equation in task.calculations]
        self.steps = [list(_steps(calculation, task)) for calculation in self.calculations]
        self.divisions = [
            (calculation, divisions)
            for calculation in self.calculations
            if (divisions := calculation.divisions())
        ]
        # The places of the smaller and the larger of two numbers, and whether the larger was twice the smaller.
        self.pairs: list[tuple[int, int, bool]] = []
        for small, large in task.ordered:
            if small in task.operands or large in task.operands:
                low, high = (places.setdefault(number, len(places)) for number in (small, large))
                self.pairs.append((low, high, large >= 2 * small))
        self.others = list(places)[len(task.operands) :]  # constant numbers, after the operands

    def find(
        self, ranges: Sequence[Range], draw: Draw, drawn: Callable[[int], tuple[int, int]]
    ) -> list[Exact] | None:
        """Return new values for all operands, each in its range; None if the bounded search fails.

        `drawn` gives the initial value of the operand at a place, as a numerator and a denominator, once for
        each start. From there, the search tries the nearest values that repair a violation.
        """
        ends = self._ends(ranges)
        if ends is None or not self.task.can_hold(ends):
            return None
        looks = 0
        for start in range(_STARTS):
            if start == 1 and not self._can_hold(ends):
                return None
            values: list[Exact] = []
            for at, range_ in enumerate(ranges):
                first = next(range_.around(*drawn(at)), None)
                if first is None:
                    return None
                values.append(first)
            broken = self.broken(values)
            looks += 1
            for _ in range(_ROUNDS):
                if broken == 0:
                    break
                before = broken
                for place in draw.shuffled(range(len(ranges))):
                    best = values[place]
                    for candidate in chain(
                        self.exact(values, place, ranges[place]), ranges[place].nearest(best)
                    ):
                        looks += 1
                        values[place] = candidate
                        count = self.broken(values, broken)
                        if count < broken:
                            best, broken = candidate, count
                        if broken == 0 or looks > _MAX_LOOKS:
                            break
                    values[place] = best
                    if broken == 0:
                        break
                    if looks > _MAX_LOOKS:
                        return None
                if broken == before:
                    break
            if broken == 0 and self.task.holds(values):
                return values
        return None

    def _ends(self, ranges: Sequence[Range]) -> list[Ends] | None:
        """Return the ranges of the operands in which no comparison reverses; None if a range is empty."""
        ends: list[Ends] = []
        for range_ in ranges:
            if (one := range_.ends) is None:
                return None
            ends.append(one)
        ends += [(number, number) for number in self.others]
        for small, large, _ in (*self.pairs, *reversed(self.pairs)):
            low, most = ends[small]
            least, high = ends[large]
            if low >= high:
                return None
            if most >= high:  # a constant number was handled above
                step = ranges[small].step
                ends[small] = low, whole((-(-high // step) - 1) * step)
            if least <= low:
                step = ranges[large].step
                ends[large] = whole((low // step + 1) * step), high
            if ends[small][0] > ends[small][1] or ends[large][0] > ends[large][1]:
                return None
        return ends[: len(ranges)]

    def broken(self, values: Sequence[Exact], least: int | None = None) -> int:
        """Return the number of violated steps and comparisons. Counting may stop at `least`."""
        count = len(values) - len(set(values))
        now = [*values, *self.others]
        for small, large, clearly in self.pairs:
            a, b = now[small], now[large]
            count += 2 * b < 3 * a if clearly else a >= b
        for calculation, steps in zip(self.calculations, self.steps, strict=True):
            if least is not None and count >= least:
                return count
            before = count
            found = [*values, *calculation.numbers]
            for what, left, right, step in steps:
                value = computed(what, found[left], found[right])
                if value is None:
                    return before + sum(1 for *_, step in steps if step)
                found.append(value)
                if step is not None:
                    count += step.broken(value)
        return count

    def _can_hold(self, ends: Sequence[Ends]) -> bool:
        """Return whether operands in these ranges can keep every step, each considered separately."""
        for calculation, steps in zip(self.calculations, self.steps, strict=True):
            found = calculation.ends(ends)[-len(steps) :] if steps else []
            for (*_, step), one in zip(steps, found, strict=True):
                if step is not None and one is not None and not step.can_hold(one):
                    return False
        return True

    def exact(self, values: Sequence[Exact], place: int, range_: Range) -> Iterator[Exact]:
        """Yield the values of an operand that make a division exact that contains it."""
        if not self.divisions:
            return
        now, step = values[place], range_.step
        shifted = [*values[:place], now + step, *values[place + 1 :]]
        slots = [(calculation.slots(values), calculation.slots(shifted)) for calculation, _ in self.divisions]
        for (_, divisions), (before, after) in zip(self.divisions, slots, strict=True):
            for dividend, divisor in divisions:
                above, below, more = before[dividend], before[divisor], after[dividend]
                if not below or above is None or more is None or quotient(above, below).denominator == 1:
                    continue
                slope = quotient(more - above, step)
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


def _steps(calculation: Calculation, task: Task) -> Iterator[tuple[str, int, int, _Step | None]]:
    """Yield each operation with its constraints, if it has two operands."""
    slots = calculation.slots(task.operands)
    first = len(slots) - len(calculation.operations)
    for was, (what, left, right) in zip(slots[first:], calculation.operations, strict=True):
        below = slots[right]
        if was is None or below is None:
            raise ExpressionError("a division by zero")
        yield what, left, right, None if what in (NEGATIVE, PERCENT) else _Step.of(was, what, below, task)


def places(value: Exact) -> int:
    """Return the number of decimals of a value, or a large number if they do not end."""
    bottom = value.denominator
    if bottom == 1:
        return 0
    for count in range(_MANY_PLACES):
        if 10**count % bottom == 0:
            return count
    return _MANY_PLACES
