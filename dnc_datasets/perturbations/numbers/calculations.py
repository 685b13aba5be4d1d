"""A calculation prepared once and computed many times, with other values for its operands each time."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from fractions import Fraction
from typing import NamedTuple

from dnc_datasets.errors import ExpressionError
from dnc_datasets.expression import Binary, Expr, Number, Unary

Exact = Fraction | int
# What to do: an operator; or take the operand at a place, or a number.
_Instruction = tuple[str, int, Exact]
_OPERAND, _NUMBER = "operand", "number"


def whole(number: Exact) -> Exact:
    """Whole numbers as int, with which Python calculates many times as fast."""
    return number.numerator if number.denominator == 1 else number


def quotient(above: Exact, below: Exact) -> Exact:
    """The exact quotient, as int where it is whole."""
    if type(above) is int and type(below) is int:
        return above // below if above % below == 0 else Fraction(above, below)
    return whole(Fraction(above) / below)


class Calculation(NamedTuple):
    """The steps of a calculation in the order in which they are computed; operands go by their place."""

    instructions: Sequence[_Instruction]

    @classmethod
    def of(cls, equation: Expr, places: Mapping[Fraction, int]) -> Calculation:
        """`places` says which numbers are operands."""
        found: list[_Instruction] = []
        _instruct(equation, places, found)
        return cls(found)

    def nodes(self, values: Sequence[Exact]) -> list[tuple[str, Exact]]:
        """Every operation of two numbers with its value, the whole calculation last; /100 has a name of its own."""
        found: list[tuple[str, Exact]] = []
        self._compute(values, found)
        return found

    def value(self, values: Sequence[Exact]) -> Exact:
        """What comes out."""
        return self._compute(values, [])

    def _compute(self, values: Sequence[Exact], found: list[tuple[str, Exact]]) -> Exact:
        stack: list[Exact] = []
        for what, place, number in self.instructions:
            if what == _OPERAND:
                stack.append(values[place])
                continue
            if what == _NUMBER:
                stack.append(number)
                continue
            right = stack.pop()
            if what == "negative" or what == "percent":
                stack.append(-right if what == "negative" else Fraction(right) / 100)
                continue
            left, value = stack.pop(), right
            if what == "+":
                value = left + right
            elif what == "-":
                value = left - right
            elif what == "*":
                value = left * right
            elif what == "/" and right:
                value = quotient(left, right)
            else:
                raise ExpressionError(f"no value for {what} here")
            found.append(("/100" if what == "/" and right == 100 else what, value))
            stack.append(value)
        return stack.pop()


def divisions(equation: Expr, places: Mapping[Fraction, int]) -> Iterator[tuple[Calculation, Calculation]]:
    """The dividend and the divisor of every division."""
    if isinstance(equation, Binary):
        yield from divisions(equation.left, places)
        yield from divisions(equation.right, places)
        if equation.op == "/":
            yield Calculation.of(equation.left, places), Calculation.of(equation.right, places)
    elif isinstance(equation, Unary):
        yield from divisions(equation.operand, places)


def _instruct(equation: Expr, places: Mapping[Fraction, int], found: list[_Instruction]) -> None:
    if isinstance(equation, Binary):
        _instruct(equation.left, places, found)
        _instruct(equation.right, places, found)
        found.append((equation.op, 0, 0))
    elif isinstance(equation, Number):
        place = places.get(equation.number)
        found.append((_NUMBER, 0, whole(equation.number)) if place is None else (_OPERAND, place, 0))
    elif isinstance(equation, Unary):
        _instruct(equation.operand, places, found)
        found.append(("negative" if equation.op == "-" else "percent", 0, 0))
    else:
        raise ExpressionError("a name has no value")
