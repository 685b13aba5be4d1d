"""Links from the operands of an equation to their places: a cell of the table, or a number of a paragraph.

A link is `table.3.2` (row 3, column 2, from 0) or `body.1.0` (the first number of the second paragraph);
paragraphs are separated by a blank line. `meta["operands"]` holds a JSON object that maps each operand's value to
its link, or to `constant` (the text does not contain it, such as the 2 of an average) or `ambiguous`.
"""

from __future__ import annotations

import json
from collections.abc import Mapping, Set
from fractions import Fraction
from functools import lru_cache

from dnc_datasets import expression, numerals
from dnc_datasets.expression import Binary, Expr, Number, Unary
from dnc_datasets.fast_fraction import FastFraction
from dnc_datasets.memoization import memoized
from dnc_datasets.numerals import Quantity
from dnc_datasets.problem import Problem

CONSTANT = "constant"
AMBIGUOUS = "ambiguous"
PARAGRAPH_BREAK = "\n\n"


def paragraphs(body: str) -> list[str]:
    """Return the paragraphs of a body.

    >>> paragraphs("One." + PARAGRAPH_BREAK + "Two.")
    ['One.', 'Two.']
    """
    return body.split(PARAGRAPH_BREAK)


def operand_values(equation: Expr) -> list[Fraction]:
    """Return the distinct numbers of an equation, without signs, from left to right."""
    return list(dict.fromkeys(leaf.number for leaf in equation.leaves() if isinstance(leaf, Number)))


def constants(equation: Expr) -> set[Fraction]:
    """Return the numbers of the operation itself, such as the 2 of (a + b) / 2.

    >>> constants(expression.parse("(7 + 9) / 2 * 100")) == {2, 100}
    True
    """
    if isinstance(equation, Unary):
        return constants(equation.operand)
    if not isinstance(equation, Binary):
        return set()
    numbers = constants(equation.left) | constants(equation.right)
    if isinstance(equation.right, Number):
        number = equation.right.number
        averaged = equation.op == "/" and number == len(_terms(equation.left)) > 1
        growth = equation.op == "-" and number == 1 and getattr(equation.left, "op", "") == "/"
        if averaged or growth or (equation.op in "*/" and number in (100, 10**3, 10**6, 10**9)):
            numbers.add(number)
    return numbers


def _terms(equation: Expr) -> list[Expr]:
    """Return the terms of a sum."""
    if isinstance(equation, Binary) and equation.op == "+":
        return [*_terms(equation.left), *_terms(equation.right)]
    return [equation]


def stored(problem: Problem) -> dict[Fraction, str]:
    """Return the links in the problem's meta, or an empty dictionary where there are none."""
    note = problem.note("operands")
    return dict(_read(note)) if note else {}


# Several promises of a row need its links.
@lru_cache(maxsize=256)
def _read(note: str) -> dict[Fraction, str]:
    links: Mapping[str, str] = json.loads(note)
    return {
        FastFraction.of(int(value) if value.isdecimal() else Fraction(value)): link
        for value, link in links.items()
    }


def find(problem: Problem, equation: Expr, cited: Set[str] = frozenset()) -> dict[Fraction, str]:
    """Return the link of each operand: a place that the source cites, else the only possible place."""
    fixed = constants(equation)
    return {value: _find(problem, value, cited, fixed) for value in operand_values(equation)}


def _find(problem: Problem, value: Fraction, cited: Set[str], fixed: Set[Fraction]) -> str:
    links = places_of(problem, value)
    among_cited = [link for link in links if link in cited or link.rpartition(".")[0] in cited]
    if value in fixed:
        return AMBIGUOUS if among_cited else CONSTANT
    for candidates in (among_cited, links):
        if len(candidates) == 1:
            return candidates[0]
        if candidates:
            return AMBIGUOUS
    return CONSTANT


def to_note(links: Mapping[Fraction, str]) -> str:
    """Return the links as JSON for meta."""
    return json.dumps({expression.canonical(value): link for value, link in links.items()})


def locate(problem: Problem, link: str) -> Quantity | None:
    """Return the number at a link, with its path and without its sign, or None unless there is exactly
    one.
    """
    field, first, second = link.split(".")
    if field == "table":
        row, column = int(first), int(second)
        if row >= len(problem.table) or column >= len(problem.table[row]):
            return None
        alone = _alone(problem.table[row][column])
        return None if alone is None else Quantity(*alone[:-1], link)
    parts = paragraphs(problem.body)
    number, place = int(first), int(second)
    if number >= len(parts):
        return None
    quantities = numerals.find(parts[number])
    if place >= len(quantities):
        return None
    offset = sum(len(part) + len(PARAGRAPH_BREAK) for part in parts[:number])
    return _placed(quantities[place], "body", offset)


def places_of(problem: Problem, value: Fraction) -> list[str]:
    """Return every link to a number of this absolute value."""
    return [*_cells_of(problem.table).get(value, ()), *_spans_of(problem.body).get(value, ())]


# Several operands, of several questions, are looked up in one table and one body.
@memoized
def _cells_of(table: tuple[tuple[str, ...], ...]) -> dict[Fraction, list[str]]:
    """Return the links to the cells that hold one number, by its absolute value."""
    links: dict[Fraction, list[str]] = {}
    for row, cells in enumerate(table):
        for column, cell in enumerate(cells):
            alone = _alone(cell)
            if alone is not None:
                links.setdefault(alone.value, []).append(f"table.{row}.{column}")
    return links


@memoized
def _spans_of(body: str) -> dict[Fraction, list[str]]:
    """Return the links to the numbers of a body, by their absolute values with and without a letter of scale."""
    links: dict[Fraction, list[str]] = {}
    for number, text in enumerate(paragraphs(body)):
        for place, quantity in enumerate(numerals.find(text)):
            for value in {abs(quantity.value), abs(quantity.unscaled.value)}:
                links.setdefault(value, []).append(f"body.{number}.{place}")
    return links


# Each operand is looked up several times, and most cells of a perturbed table are those of the original.
@lru_cache(maxsize=4096)
def _alone(cell: str) -> Quantity | None:
    """Return the number of a cell, if it has just one."""
    quantities = numerals.find(cell)
    return _placed(quantities[0], "", 0) if len(quantities) == 1 else None


def _placed(quantity: Quantity, path: str, offset: int) -> Quantity:
    """Return the number at its position in its field, without its minus sign and its letter of scale."""
    quantity = quantity.unscaled
    top, bottom = quantity.ratio
    sign = top < 0
    return Quantity(
        quantity.text[sign:],
        (abs(top), bottom),
        quantity.start + sign + offset,
        quantity.end + offset,
        quantity.kind,
        path,
    )
