"""Where the operands of an equation stand: in a cell of the table, or at a number of a paragraph.

A link is `table.3.2` (row 3, column 2, from 0) or `body.1.0` (the first number of the second paragraph);
paragraphs are parted by a blank line. `meta["operands"]` holds a JSON object of each operand's value to
its link, or to `constant` (it is nowhere, such as the 2 of an average) or `ambiguous`.
"""

from __future__ import annotations

import json
from collections.abc import Mapping, Set
from fractions import Fraction

from dnc_datasets import expression, numerals
from dnc_datasets.expression import Binary, Expr, Number, Unary
from dnc_datasets.numerals import Quantity
from dnc_datasets.problem import Problem

CONSTANT = "constant"
AMBIGUOUS = "ambiguous"
PARAGRAPH_BREAK = "\n\n"


def paragraphs(body: str) -> list[str]:
    """The paragraphs of a body.

    >>> paragraphs("One." + PARAGRAPH_BREAK + "Two.")
    ['One.', 'Two.']
    """
    return body.split(PARAGRAPH_BREAK)


def operand_values(equation: Expr) -> list[Fraction]:
    """The distinct numbers of an equation, without signs, from left to right."""
    return list(dict.fromkeys(leaf.number for leaf in equation.leaves() if isinstance(leaf, Number)))


def constants(equation: Expr) -> set[Fraction]:
    """The numbers that belong to the operation: the 2 of (a + b) / 2, the 1 of a / b - 1, the 100 of percent.

    >>> constants(expression.parse("(7 + 9) / 2 * 100")) == {2, 100}
    True
    """
    if isinstance(equation, Unary):
        return constants(equation.operand)
    if not isinstance(equation, Binary):
        return set()
    found = constants(equation.left) | constants(equation.right)
    if isinstance(equation.right, Number):
        number = equation.right.number
        averaged = equation.op == "/" and number == len(_terms(equation.left)) > 1
        growth = equation.op == "-" and number == 1 and getattr(equation.left, "op", "") == "/"
        if averaged or growth or (equation.op in "*/" and number in (100, 10**3, 10**6, 10**9)):
            found.add(number)
    return found


def _terms(equation: Expr) -> list[Expr]:
    """The terms of a sum."""
    if isinstance(equation, Binary) and equation.op == "+":
        return [*_terms(equation.left), *_terms(equation.right)]
    return [equation]


def stored(problem: Problem) -> dict[Fraction, str]:
    """What the problem's meta says of each operand; empty where it says nothing."""
    found: Mapping[str, str] = json.loads(problem.note("operands") or "{}")
    return {Fraction(value): link for value, link in found.items()}


def find(problem: Problem, equation: Expr, cited: Set[str] = frozenset()) -> dict[Fraction, str]:
    """Where each operand of the equation is: at a place that the source cites, otherwise the only one there is."""
    fixed = constants(equation)
    return {value: _find(problem, value, cited, fixed) for value in operand_values(equation)}


def _find(problem: Problem, value: Fraction, cited: Set[str], fixed: Set[Fraction]) -> str:
    found = places_of(problem, value)
    among_cited = [link for link in found if link in cited or link.rpartition(".")[0] in cited]
    if value in fixed:
        return AMBIGUOUS if among_cited else CONSTANT
    for candidates in (among_cited, found):
        if len(candidates) == 1:
            return candidates[0]
        if candidates:
            return AMBIGUOUS
    return CONSTANT


def to_note(links: Mapping[Fraction, str]) -> str:
    """The links as they are kept in meta."""
    return json.dumps({expression.canonical(value): link for value, link in links.items()})


def locate(problem: Problem, link: str) -> Quantity | None:
    """The number at a link, with its path and its value without sign; None where there is not just one."""
    field, first, second = link.split(".")
    if field == "table":
        row, column = int(first), int(second)
        if row >= len(problem.table) or column >= len(problem.table[row]):
            return None
        found = numerals.find(problem.table[row][column])
        return _placed(found[0], link, 0) if len(found) == 1 else None
    parts = paragraphs(problem.body)
    number, place = int(first), int(second)
    if number >= len(parts):
        return None
    found = numerals.find(parts[number])
    if place >= len(found):
        return None
    offset = sum(len(part) + len(PARAGRAPH_BREAK) for part in parts[:number])
    return _placed(found[place], "body", offset)


def places_of(problem: Problem, value: Fraction) -> list[str]:
    """Every link at which a number of this size is."""
    found = []
    for row, cells in enumerate(problem.table):
        for column, cell in enumerate(cells):
            quantities = numerals.find(cell)
            if len(quantities) == 1 and abs(quantities[0].unscaled.value) == value:
                found.append(f"table.{row}.{column}")
    for number, text in enumerate(paragraphs(problem.body)):
        for place, quantity in enumerate(numerals.find(text)):
            if value in (abs(quantity.value), abs(quantity.unscaled.value)):
                found.append(f"body.{number}.{place}")
    return found


def _placed(quantity: Quantity, path: str, offset: int) -> Quantity:
    """The number as it is written in its field; a minus sign and a letter for the scale stay beside it, as text."""
    quantity = quantity.unscaled
    sign = quantity.value < 0
    return Quantity(
        quantity.text[sign:],
        abs(quantity.value).as_integer_ratio(),
        quantity.start + sign + offset,
        quantity.end + offset,
        quantity.kind,
        path,
    )
