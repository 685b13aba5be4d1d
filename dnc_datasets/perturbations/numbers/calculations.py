"""Calculation that is compiled once and evaluated many times with different operands."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from fractions import Fraction
from typing import NamedTuple

from dnc_datasets.errors import ExpressionError
from dnc_datasets.expression import Binary, Expr, Number, Unary

Exact = Fraction | int
# An operator and the slots of its two operands. A unary operator has the same slot twice.
Operation = tuple[str, int, int]
Ends = tuple[Exact, Exact]  # the least and the largest value
NEGATIVE, PERCENT = "negative", "percent"


def whole(number: Exact) -> Exact:
    """Return a number, as int if it is an integer. Python computes with int many times faster."""
    return number.numerator if number.denominator == 1 else number


def quotient(above: Exact, below: Exact) -> Exact:
    """Return the exact quotient, as int if it is an integer."""
    if type(above) is int and type(below) is int:
        return above // below if above % below == 0 else Fraction(above, below)
    return whole(Fraction(above) / below)


class Calculation(NamedTuple):
    """Operations over numbered slots: operands, then other numbers, then one slot for each operation."""

    operands: int
    numbers: Sequence[Exact]
    operations: Sequence[Operation]

    @classmethod
    def of(cls, equation: Expr, places: Mapping[Exact, int]) -> Calculation:
        """Return the calculation of an equation; `places` maps its operands to slots."""
        leaves = [_value(leaf) for leaf in equation.leaves() if isinstance(leaf, Number)]
        numbers = dict.fromkeys(number for number in leaves if number not in places)
        slots = {**places, **{number: len(places) + at for at, number in enumerate(numbers)}}
        operations: list[Operation] = []
        _add(equation, slots, operations)
        return cls(len(places), list(numbers), operations)

    def slots(self, values: Sequence[Exact]) -> list[Exact | None]:
        """Return the value of every slot; None after a division by zero."""
        found: list[Exact | None] = [*values, *self.numbers]
        for what, left, right in self.operations:
            a, b = found[left], found[right]
            found.append(None if a is None or b is None else computed(what, a, b))
        return found

    def ends(self, ends: Sequence[Ends]) -> list[Ends | None]:
        """Return the minimum and maximum of every slot for operands between `ends`; None where unknown."""
        found: list[Ends | None] = [*ends, *((number, number) for number in self.numbers)]
        for what, left, right in self.operations:
            a, b = found[left], found[right]
            found.append(None if a is None or b is None else _ends(what, a, b))
        return found

    def divisions(self) -> list[tuple[int, int]]:
        """Return the slots of the dividend and the divisor of every division."""
        return [(left, right) for what, left, right in self.operations if what == "/"]


def computed(what: str, left: Exact, right: Exact) -> Exact | None:
    """Return the value of one operation; None for a division by zero."""
    if what == "+":
        return left + right
    if what == "-":
        return left - right
    if what == "*":
        return left * right
    if what == "/":
        return quotient(left, right) if right else None
    return -left if what == NEGATIVE else quotient(left, 100)


def _ends(what: str, left: Ends, right: Ends) -> Ends | None:
    """Return the minimum and maximum of one operation."""
    (a, b), (c, d) = left, right
    if what == "+":
        return a + c, b + d
    if what == "-":
        return a - d, b - c
    if what == "*":
        products = (a * c, b * d) if a >= 0 and c >= 0 else (a * c, a * d, b * c, b * d)
        return min(products), max(products)
    if what == "/":
        if c <= 0 <= d:
            return None
        quotients = [quotient(over, under) for over in left for under in right]
        return min(quotients), max(quotients)
    return (-b, -a) if what == NEGATIVE else (quotient(a, 100), quotient(b, 100))


def _value(number: Number) -> Exact:
    return number.ratio[0] if number.ratio[1] == 1 else number.number


def _add(equation: Expr, slots: Mapping[Exact, int], operations: list[Operation]) -> int:
    """Append the operations of an equation and return the slot of its value."""
    if isinstance(equation, Number):
        return slots[_value(equation)]
    if isinstance(equation, Binary) and equation.op in "+-*/":
        left = _add(equation.left, slots, operations)
        operations.append((equation.op, left, _add(equation.right, slots, operations)))
    elif isinstance(equation, Unary):
        operand = _add(equation.operand, slots, operations)
        operations.append((NEGATIVE if equation.op == "-" else PERCENT, operand, operand))
    else:
        raise ExpressionError(f"no value for {equation.infix()} here")
    return len(slots) + len(operations) - 1
