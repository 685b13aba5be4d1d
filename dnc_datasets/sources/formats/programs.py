"""FinQA's programs ("subtract(482, 75), divide(#0, 75)") as equations over the numbers of a document."""

from __future__ import annotations

import re
from collections.abc import Sequence
from fractions import Fraction
from typing import Final, NamedTuple

from dnc_datasets import expression, numerals
from dnc_datasets.errors import ExpressionError
from dnc_datasets.expression import Binary, Expr, Unary

Table = Sequence[Sequence[str]]

_OPERATORS: Final = {"add": "+", "subtract": "-", "multiply": "*", "divide": "/", "exp": "^"}
_OVER_ROWS: Final = ("table_max", "table_min", "table_sum", "table_average")
GREATER: Final = "greater"
_KNOWN: Final = (*_OPERATORS, *_OVER_ROWS, GREATER)
_STEP: Final = re.compile(rf"(?:\A|, ?)({'|'.join(_KNOWN)}) ?\(")
# The start of any step, known or not.
_CALL: Final = re.compile(r"(?:\A|\) ?, ?)([a-z]\w{0,40}) ?\(")
_CONSTANT: Final = re.compile(r"const_(m?)(\d{1,12})")
_REFERENCE: Final = re.compile(r"#(\d{1,3})")
_MOST: Final = 2000  # characters of a program


class Program(NamedTuple):
    """The equation of a program.

    A program that compares two values has two equations and the answer yes or no.
    """

    equation: Expr
    than: Expr | None = None


def read_program(program: str, table: Table, earlier: Sequence[Expr] = ()) -> Program:
    """Return the equation of a program.

    `#0` is its own first step, or the first of `earlier` where it has none.

    A table operation is written out over the cells of its row. A program that cannot be read is an
    ExpressionError.

    >>> read_program("subtract(482, 75), divide(#0, const_100)", ()).equation.infix()
    '(482 - 75) / 100'
    """
    text = " ".join(program.split())
    if len(text) > _MOST:
        raise ExpressionError(f"the program has more than {_MOST} characters")
    if unknown := [call[1] for call in _CALL.finditer(text) if call[1] not in _KNOWN]:
        raise ExpressionError(f"{unknown[0][:30]} is none of the operations {', '.join(_KNOWN)}")
    opened = list(_STEP.finditer(text))
    if not opened:
        return Program(_argument(text, earlier))
    steps: list[Expr] = list(earlier)
    own = len(steps)
    for number, match in enumerate(opened):
        end = opened[number + 1].start() if number + 1 < len(opened) else len(text)
        inner = text[match.end() : end].strip().removesuffix(")").strip()
        if match[1] in _OVER_ROWS:
            steps.append(_over_row(match[1], inner, table))
            continue
        left, comma, right = inner.partition(", " if ", " in inner else ",")
        if not comma or ("," in right and ", " not in inner):
            raise ExpressionError(
                f"{match[1]} needs two arguments with a comma and a space between them, found {inner[:60]!r}"
            )
        sides = [_argument(side.strip(), steps[own:] or steps) for side in (left, right)]
        if match[1] == GREATER:
            return Program(sides[0], sides[1])
        steps.append(Binary(_OPERATORS[match[1]], *sides))
    return Program(steps[-1])


def _argument(text: str, steps: Sequence[Expr]) -> Expr:
    if match := _REFERENCE.fullmatch(text):
        if int(match[1]) >= len(steps):
            raise ExpressionError(f"{text} names a step that the program does not have")
        return steps[int(match[1])]
    if match := _CONSTANT.fullmatch(text):
        number = expression.number(Fraction(match[2]))
        return Unary("-", number) if match[1] else number
    found = expression.parse(text)
    if len(found.leaves()) != 1:
        raise ExpressionError(f"{text[:60]!r} is not one number")
    return found.replace(lambda leaf: expression.number(leaf.value()))


def _over_row(operation: str, inner: str, table: Table) -> Expr:
    """Return the maximum, the minimum, the sum or the average of the row that the operation names."""
    label = inner.removesuffix("none").rstrip(" ,")
    rows = [row for row in table if row and _same(row[0], label)]
    cells = [_cell(text) for text in rows[0][1:]] if len(rows) == 1 else []
    values = [cell for cell in cells if cell is not None]
    if not values or len(values) < len(cells):
        raise ExpressionError(f"the table has no row {label[:60]!r} of numbers")
    if operation in ("table_max", "table_min"):
        return (max if operation == "table_max" else min)(values, key=lambda one: one.value())
    total = values[0]
    for value in values[1:]:
        total = Binary("+", total, value)
    if operation == "table_sum":
        return total
    return Binary("/", total, expression.number(Fraction(len(values))))


def _cell(text: str) -> Expr | None:
    found = numerals.find(text)
    if len(found) != 1:
        return None
    size = expression.number(abs(found[0].value))
    number = Unary("%", size) if "%" in text else size
    return Unary("-", number) if found[0].value < 0 else number


def _same(one: str, other: str) -> bool:
    return " ".join(one.lower().split()) == " ".join(other.lower().split())
