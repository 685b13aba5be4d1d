"""Arithmetic tree of numbers, names and operations, with its value, its notations and its leaves."""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping
from fractions import Fraction
from functools import lru_cache
from typing import Final, NoReturn

from dnc_datasets.errors import ExpressionError
from dnc_datasets.expression._rational import Ratio, bounded, lowest, power, read, written
from dnc_datasets.fast_fraction import FastFraction

# Walks over a tree are recursive, up to three frames a level, and Python allows about 1000 frames.
_MAX_DEPTH: Final = 128
# Ratios below this limit are within the bound, and are reduced only at the end.
_SMALL: Final = 1 << 64

# Precedence of each operator. A negation is between products and powers.
BINARY: Final = {"+": 1, "-": 1, "*": 2, "/": 2, "%": 2, "^": 4}
UNARY: Final = {"-": 3, "%": 5}
_ATOM: Final = 6

NAME = re.compile(r"[A-Za-z_][A-Za-z_0-9]*")


class Expr:
    """An arithmetic tree: a `Number`, `Name`, `Binary` or `Unary`.

    It is immutable, hashable and equal by shape.
    """

    __slots__ = ()
    level: int
    depth: int
    signs = ""  # the operator symbols in prefix order, as one text

    def value(self, names: Mapping[str, Fraction] | None = None) -> Fraction:
        """Return the exact value; names are looked up in `names`.

        Raises ExpressionError for a division by zero, an unknown name, an exponent that is not an integer or
        is too large, and a value that exceeds the bound.
        """
        return Fraction(*self._ratio(names))

    def ratio_of_value(self) -> Ratio:
        """Return the exact value without names as a ratio in lowest terms; faster than `value`."""
        return lowest(*self._ratio(None))

    def canonical(self) -> str:
        """Return the canonical text of the value, without names; faster than `canonical(expr.value())`."""
        top, bottom = self._ratio(None)
        return written(top, bottom) if bottom == 1 else written(*lowest(top, bottom))

    def infix(self) -> str:
        """Return the usual notation with the necessary brackets, such as "192 / 4".

        Parsing it gives an equal tree. A negation after an operator also has brackets, as in schoolbooks: "3
        - (-4)".
        """
        raise NotImplementedError

    def prefix(self) -> str:
        """Return the prefix notation with binary operators only, such as "/ 192 4".

        A negation is "- 0 x" and a percentage "/ x 100".
        """
        out: list[str] = []
        self._prefix(out)
        return " ".join(out)

    def leaves(self) -> tuple[Number | Name, ...]:
        """Return the numbers and names, from left to right."""
        raise NotImplementedError

    def replace(self, change: Callable[[Number | Name], Expr]) -> Expr:
        """Return a tree with the same operations and changed leaves.

        `change` is called with every leaf, from left to right.
        """
        raise NotImplementedError

    @property
    def operators(self) -> tuple[str, ...]:
        """The operator symbols in prefix order."""
        return tuple(self.signs)

    def _ratio(self, names: Mapping[str, Fraction] | None) -> Ratio:
        """Return the value as numerator and denominator, which need not be in lowest terms."""
        raise NotImplementedError

    def _prefix(self, out: list[str]) -> None:
        raise NotImplementedError

    def __str__(self) -> str:
        return self.infix()

    def __repr__(self) -> str:
        return f"{type(self).__name__}<{self.infix()}>"


class Number(Expr):
    """A number: `text` is its spelling ("2.40", "1,050") and `number` its value. Numbers are equal by value.

    A spelling has no sign and no slash. `number(value)` returns the expression of any rational.
    """

    __slots__ = ("_number", "ratio", "text")
    level = _ATOM
    depth = 0

    def __init__(self, text: str, ratio: Ratio | None = None) -> None:
        self._number: Fraction | None = None
        # In lowest terms. A caller that knows the value passes it, so that the text is not read.
        self.ratio: Final = read(text) if ratio is None else ratio
        self.text: Final = text

    @property
    def number(self) -> Fraction:
        """The value as a Fraction."""
        if self._number is None:  # creating a Fraction takes as long as the rest of a short equation
            self._number = FastFraction.quotient(*self.ratio)
        return self._number

    def infix(self) -> str:
        return self.text

    def replace(self, change: Callable[[Number | Name], Expr]) -> Expr:
        return change(self)

    def _ratio(self, names: Mapping[str, Fraction] | None) -> Ratio:
        return self.ratio

    def _prefix(self, out: list[str]) -> None:
        out.append(self.text)

    def leaves(self) -> tuple[Number | Name, ...]:
        return (self,)

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Number) and self.ratio == other.ratio

    def __hash__(self) -> int:
        return hash(self.ratio)

    def __reduce__(self) -> tuple[type[Number], tuple[str, Ratio]]:
        return Number, (self.text, self.ratio)


class Name(Expr):
    """A number slot or a reference, such as "number0"; `value` looks it up."""

    __slots__ = ("name",)
    level = _ATOM
    depth = 0

    def __init__(self, name: str) -> None:
        if not NAME.fullmatch(name):
            raise ExpressionError(f"{name[:60]!r} is not a name; use a letter, then letters, digits or '_'")
        self.name: Final = name

    def infix(self) -> str:
        return self.name

    def replace(self, change: Callable[[Number | Name], Expr]) -> Expr:
        return change(self)

    def _ratio(self, names: Mapping[str, Fraction] | None) -> Ratio:
        value = names.get(self.name) if names else None
        if not isinstance(value, (Fraction, int)):
            known = ", ".join(sorted(names or ())) or "none"
            raise ExpressionError(f"no exact value for the name {self.name!r}; names with a value: {known}")
        return value.as_integer_ratio()

    def _prefix(self, out: list[str]) -> None:
        out.append(self.name)

    def leaves(self) -> tuple[Number | Name, ...]:
        return (self,)

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Name) and self.name == other.name

    def __hash__(self) -> int:
        return hash(self.name)

    def __reduce__(self) -> tuple[type[Name], tuple[str]]:
        return Name, (self.name,)


class Binary(Expr):
    """`left op right`, where op is one of + - * / ^ and % (here the remainder, with the divisor's sign)."""

    __slots__ = ("_leaves", "depth", "left", "level", "op", "right", "signs")

    def __init__(self, op: str, left: Expr, right: Expr) -> None:
        try:
            self.level = BINARY[op]
        except KeyError:
            raise ExpressionError(f"unknown operator {op!r}; use one of {' '.join(BINARY)}") from None
        self.op: Final = op
        self.left: Final = left
        self.right: Final = right
        depth = left.depth if left.depth > right.depth else right.depth
        self.depth = depth + 1 if depth < _MAX_DEPTH else _too_deep()
        # Every perturbation and promise needs both, and a tree is built only once.
        self._leaves: Final = left.leaves() + right.leaves()
        self.signs = op + left.signs + right.signs

    def infix(self) -> str:
        left, right, level = self.left.infix(), self.right.infix(), self.level
        powers = level == BINARY["^"]  # 2^3^4 is 2^(3^4); all others group from the left
        if self.left.level < level + powers:
            left = f"({left})"
        if self.right.level <= level - powers or (isinstance(self.right, Unary) and self.right.op == "-"):
            right = f"({right})"
        return f"{left} {self.op} {right}"

    def replace(self, change: Callable[[Number | Name], Expr]) -> Expr:
        left = self.left.replace(change)
        return Binary(self.op, left, self.right.replace(change))

    def _ratio(self, names: Mapping[str, Fraction] | None) -> Ratio:
        a, b = self.left._ratio(names)
        c, d = self.right._ratio(names)
        op = self.op
        if op == "+":
            top, bottom = (a + c, b) if b == d else (a * d + c * b, b * d)
        elif op == "-":
            top, bottom = (a - c, b) if b == d else (a * d - c * b, b * d)
        elif op == "*":
            top, bottom = a * c, b * d
        elif op == "^":
            top, bottom = power(Fraction(a, b), Fraction(c, d))
        elif not c:
            raise ExpressionError(f"division by zero in {shown(self.infix())}")
        elif op == "%":
            top, bottom = a * d % (c * b), b * d
        else:
            top, bottom = (a * d, b * c) if c > 0 else (-a * d, -b * c)
        if -_SMALL < top < _SMALL and bottom < _SMALL:
            return top, bottom
        top, bottom = lowest(top, bottom)
        if bounded(top, bottom):
            return top, bottom
        raise ExpressionError(f"a value in {shown(self.infix())} grows too large to compute with")

    def _prefix(self, out: list[str]) -> None:
        out.append(self.op)
        self.left._prefix(out)
        self.right._prefix(out)

    def leaves(self) -> tuple[Number | Name, ...]:
        return self._leaves

    def __eq__(self, other: object) -> bool:
        return (
            isinstance(other, Binary)
            and self.op == other.op
            and self.left == other.left
            and self.right == other.right
        )

    def __hash__(self) -> int:
        return hash((self.op, self.left, self.right))

    def __reduce__(self) -> tuple[type[Binary], tuple[str, Expr, Expr]]:
        return Binary, (self.op, self.left, self.right)


class Unary(Expr):
    """A negation ("-", before the operand) or a percentage ("%", after it: 5% is 5/100)."""

    __slots__ = ("depth", "level", "op", "operand", "signs")

    def __init__(self, op: str, operand: Expr) -> None:
        try:
            self.level = UNARY[op]
        except KeyError:
            raise ExpressionError(
                f"unknown operator {op!r} of one operand; use one of {' '.join(UNARY)}"
            ) from None
        self.op: Final = op
        self.operand: Final = operand
        self.depth = operand.depth + 1 if operand.depth < _MAX_DEPTH else _too_deep()
        self.signs = op + operand.signs

    def infix(self) -> str:
        inner = self.operand.infix()
        if self.op == "-":
            return f"-{inner}" if self.operand.level > self.level else f"-({inner})"
        return f"{inner}%" if self.operand.level >= self.level else f"({inner})%"

    def replace(self, change: Callable[[Number | Name], Expr]) -> Expr:
        return Unary(self.op, self.operand.replace(change))

    def _ratio(self, names: Mapping[str, Fraction] | None) -> Ratio:
        top, bottom = self.operand._ratio(names)
        return (-top, bottom) if self.op == "-" else (top, bottom * 100)

    def _prefix(self, out: list[str]) -> None:
        out.extend(("-", "0") if self.op == "-" else ("/",))
        self.operand._prefix(out)
        if self.op == "%":
            out.append("100")

    def leaves(self) -> tuple[Number | Name, ...]:
        return self.operand.leaves()

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Unary) and self.op == other.op and self.operand == other.operand

    def __hash__(self) -> int:
        return hash((self.op, self.operand))

    def __reduce__(self) -> tuple[type[Unary], tuple[str, Expr]]:
        return Unary, (self.op, self.operand)


@lru_cache(maxsize=1 << 14)
def literal(text: str) -> Number:
    """Return the number with this spelling. Equal texts share one cached object."""
    return Number(text)


def number(value: Fraction | int) -> Expr:
    """Return the expression that spells an exact rational: 7 -> 7, -1/2 -> -0.5, 22/7 -> 22 / 7."""
    return spelled(value.as_integer_ratio())


def spelled(ratio: Ratio) -> Expr:
    """Return the expression that spells a ratio in lowest terms."""
    top, bottom = ratio
    if top < 0:
        return Unary("-", spelled((-top, bottom)))
    text = written(top, bottom)
    if "/" not in text:
        return Number(text, ratio)
    return Binary("/", literal(str(top)), literal(str(bottom)))


def shown(text: str) -> str:
    """Return the text in quotes for an error message, shortened if it is long."""
    return repr(text if len(text) <= 60 else text[:57] + "...")


def _too_deep() -> NoReturn:
    raise ExpressionError(f"an expression of more than {_MAX_DEPTH} levels; split it into smaller ones")
