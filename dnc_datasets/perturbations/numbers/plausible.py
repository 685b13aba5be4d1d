"""Finds other numbers for a calculation under which all that made sense before still does, in bounded time."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from fractions import Fraction
from itertools import chain
from typing import Final, NamedTuple

from dnc_datasets.draws import Draw
from dnc_datasets.errors import ExpressionError
from dnc_datasets.expression import Binary, Expr, Number, Unary

# A row costs at most so many looks at its calculations; then it stays as it is.
_MAX_LOOKS: Final = 800
_STARTS: Final = 8
_ROUNDS: Final = 4
_NEAREST: Final = 24  # values tried around the one that was drawn
_QUOTIENTS: Final = 6  # and so many that would make a division exact
_MANY_PLACES: Final = 9
# What one of several gets, if it is small, is at most so many times as much.
_SMALL_SHARE, _MORE_FOR_EACH = 150, 4
# A difference grows at most so many times: "$14,500 saved of $14,600" is nearly all.
_MORE_LACKING = 12

Values = dict[Fraction, Fraction]
Exact = Fraction | int


class Range(NamedTuple):
    """The values that an operand may take: multiples of `step` from `low` to `high`, never those of `not_at`."""

    low: Fraction
    high: Fraction
    step: Fraction
    not_at: frozenset[Fraction] = frozenset()
    accepts: Callable[[Fraction], bool] | None = None

    def __contains__(self, value: object) -> bool:
        return (
            isinstance(value, Fraction)
            and self.low <= value <= self.high
            and (value / self.step).denominator == 1
            and value not in self.not_at
            and (self.accepts is None or self.accepts(value))
        )

    def nearest(self, target: Fraction) -> Iterator[Fraction]:
        """Values of the range from the target outwards."""
        middle = round(max(self.low, min(self.high, target)) / self.step)
        for away in range(_NEAREST):
            for at in {middle + away, middle - away}:
                if (value := at * self.step) in self:
                    yield value


class Task(NamedTuple):
    """What must stay true: `calculations` keep signs, wholeness and exact divisions, `holds` is asked at the end."""

    calculations: Sequence[Expr]
    ranges: Mapping[Fraction, Range]  # operand -> what it may become
    ordered: Sequence[tuple[Fraction, Fraction]]  # smaller and larger; operands or numbers that stay
    holds: Callable[[Values], bool]
    more_places: int = 0  # decimals that a step may have beyond those it had
    steady: bool = False  # whether a quotient, which is what one of several gets, grows little
    beside: Sequence[Fraction] = ()  # numbers that stay; a step that was less than one still is


def find_values(task: Task, draw: Draw, drawn: Callable[[Fraction], Fraction]) -> Values | None:
    """New values for all operands; None where none were found within the bound.

    `drawn` gives a first value for an operand, anew for each start; from there the nearest values are tried that
    mend what does not hold.
    """
    if not _can_be_ordered(task):
        return None
    old = [list(_nodes(calculation)) for calculation in task.calculations]
    compared = _Compared.of(task)
    looks = 0
    for _ in range(_STARTS):
        values: Values = {}
        for operand, range_ in task.ranges.items():
            first = next(range_.nearest(drawn(operand)), None)
            if first is None:
                return None
            values[operand] = first
        broken = _broken(task, old, compared, values)
        looks += 1
        for _ in range(_ROUNDS):
            if broken == 0:
                if task.holds(values):
                    return values
                break
            before = broken
            for operand in draw.shuffled(list(task.ranges)):
                for candidate in chain(
                    _exact(task, values, operand), task.ranges[operand].nearest(values[operand])
                ):
                    looks += 1
                    trial = {**values, operand: candidate}
                    count = _broken(task, old, compared, trial)
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
            return values
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

    operands: Sequence[Fraction]
    others: Sequence[Exact]  # numbers that stay, behind the operands
    pairs: Sequence[tuple[int, int, bool]]  # places of smaller and larger; was the larger one twice as large?

    @classmethod
    def of(cls, task: Task) -> _Compared:
        operands = list(task.ranges)
        places = {number: at for at, number in enumerate(operands)}
        pairs = []
        for small, large in task.ordered:
            if small in task.ranges or large in task.ranges:
                at, behind = (places.setdefault(number, len(places)) for number in (small, large))
                pairs.append((at, behind, large >= 2 * small))
        return cls(operands, [_whole(number) for number in list(places)[len(operands) :]], pairs)

    def lost(self, values: Values) -> int:
        """How many larger numbers no longer are, or not clearly where they were twice as large."""
        now = [*(_whole(values[operand]) for operand in self.operands), *self.others]
        lost = 0
        for small, large, clearly in self.pairs:
            a, b = now[small], now[large]
            lost += 2 * b < 3 * a if clearly else a >= b
        return lost


def _whole(number: Fraction) -> Exact:
    """Whole numbers as int, with which Python calculates many times as fast."""
    return number.numerator if number.denominator == 1 else number


def _broken(
    task: Task, old: Sequence[Sequence[tuple[str, Exact]]], compared: _Compared, values: Values
) -> int:
    """How many steps and comparisons no longer are what they were."""
    count = compared.lost(values)
    count += len(values) - len(set(values.values()))
    for calculation, before in zip(task.calculations, old, strict=True):
        try:
            after = list(_nodes(calculation, values))
        except ExpressionError:
            return count + len(before)
        for (op, was), (_, now) in zip(before, after, strict=True):
            count += not _alike(was, now, op, task)
            count += sum((was < other) != (now < other) for other in task.beside)
    return count


def _alike(was: Exact, now: Exact, op: str, task: Task) -> bool:
    """Whether a step keeps its sign, has no more decimals than it had, and gives nobody far more."""
    if (was > 0) != (now > 0) or (was < 0) != (now < 0):
        return False
    if task.steady and op == "/" and was < _SMALL_SHARE and now > _MORE_FOR_EACH * was:
        return False
    if op == "-" and max(now, -now) > _MORE_LACKING * max(was, -was):
        return False
    return places(now) <= places(was) + (0 if op[0] == "/" else task.more_places)


def places(value: Exact) -> int:
    """The decimals of a value; many where they do not end."""
    bottom = value.denominator
    if bottom == 1:
        return 0
    for count in range(_MANY_PLACES):
        if 10**count % bottom == 0:
            return count
    return _MANY_PLACES


def _nodes(equation: Expr, values: Values | None = None) -> Iterator[tuple[str, Exact]]:
    """Every operation with its value, the whole calculation last."""
    found: list[tuple[str, Exact]] = []
    _walk(equation, values or {}, found)
    return iter(found)


def _walk(equation: Expr, values: Values, found: list[tuple[str, Exact]]) -> Exact:
    """The value, exactly; whole ones as int, with which Python calculates many times as fast."""
    if isinstance(equation, Binary):
        left, right = _walk(equation.left, values, found), _walk(equation.right, values, found)
        op = equation.op
        value: Exact
        if op == "+":
            value = left + right
        elif op == "-":
            value = left - right
        elif op == "*":
            value = left * right
        elif op == "/" and right:
            whole = isinstance(left, int) and isinstance(right, int) and left % right == 0
            value = left // right if whole else Fraction(left) / right
        else:
            raise ExpressionError(f"no value for {op} here")
        found.append(("/100" if op == "/" and right == 100 else op, value))
        return value
    if isinstance(equation, Number):
        number = values.get(equation.number, equation.number) if values else equation.number
        return _whole(number)
    if isinstance(equation, Unary):
        inner = _walk(equation.operand, values, found)
        return -inner if equation.op == "-" else Fraction(inner) / 100
    raise ExpressionError("a name has no value")


def _exact(task: Task, values: Values, operand: Fraction) -> Iterator[Fraction]:
    """Values of the operand that make a division exact in whose dividend or divisor it stands."""
    range_ = task.ranges[operand]
    now = values[operand]
    for calculation in task.calculations:
        for node in _divisions(calculation):
            try:
                above, below = _walk(node.left, values, []), _walk(node.right, values, [])
                if not below or (Fraction(above) / below).denominator == 1:
                    continue
                step = range_.step
                shifted = {**values, operand: now + step}
                slope = Fraction(_walk(node.left, shifted, []) - above) / step
            except ExpressionError:
                continue
            middle = round(Fraction(above) / below)
            for away in range(_QUOTIENTS):
                for quotient in {middle + away, middle - away}:
                    if slope:
                        candidate = now + (quotient * below - above) / slope
                    elif quotient > 0 and above > 0:
                        candidate = now * above / quotient / below
                    else:
                        continue
                    if candidate in range_:
                        yield candidate


def _divisions(equation: Expr) -> Iterator[Binary]:
    if isinstance(equation, Binary):
        yield from _divisions(equation.left)
        yield from _divisions(equation.right)
        if equation.op == "/":
            yield equation
    elif isinstance(equation, Unary):
        yield from _divisions(equation.operand)
