"""The promise that a question over a table asks for the result of its equation.

The operation is read from the words of the question, and the figures of its years from the table. The result
is then re-computed.
"""

from __future__ import annotations

import re
from collections.abc import Callable
from fractions import Fraction

from dnc_datasets import expression, numerals
from dnc_datasets.certificate.links import linked_operands_kept
from dnc_datasets.certificate.table_figures import figures_by_year, years_of
from dnc_datasets.certificate.tables import figures
from dnc_datasets.errors import ExpressionError
from dnc_datasets.expression import Binary, Expr
from dnc_datasets.problem import Problem

_CHANGE = r"(?:changes?|increases?|decreases?|increase ?/ ?\(decrease\)|growth|decline|variance)"
_GROWTH_ASKED = re.compile(rf"\b(?:percentage|percent|%) {_CHANGE} (?:in|of)\b", re.IGNORECASE)
_CHANGE_ASKED = re.compile(rf"\b{_CHANGE} (?:in|of)\b", re.IGNORECASE)
_DIFFERENCE_ASKED = re.compile(r"\bdifference (?:in|of|between)\b", re.IGNORECASE)
_AVERAGE_ASKED = re.compile(r"\baverage(?: of)?\b", re.IGNORECASE)
_SUM_ASKED = re.compile(r"\b(?:sum of|combined)\b", re.IGNORECASE)
_FORWARD = re.compile(r"\bfrom\b[^?]{0,80}\bto\b")
# "what percentage of the costs was not rent": the complement of the original's question.
_REST_ASKED = re.compile(
    r"\bwhat (?:percentage|percent) of [^?]{2,150} (?:is|was|are|were|did|do|does) not ", re.IGNORECASE
)
_HUNDRED = Fraction(100)


def operation_asked(original: Problem, perturbed: Problem) -> bool:
    """the words of the question name the operation, and done with the figures of its years it gives the answer"""
    try:
        equation = expression.parse(perturbed.equation)
        value = equation.value()
    except ExpressionError:
        return False
    question = perturbed.question
    if _REST_ASKED.search(question) and not _REST_ASKED.search(original.question):
        return expression.parse(original.equation).value() + value == _HUNDRED and value > 0
    asked = _operation(question)
    if asked is None:
        return True
    root = equation.op if isinstance(equation, Binary) else ""
    by_year = figures_by_year(original)
    named = years_of(question)
    if not by_year or sorted(set(named)) != sorted(by_year):
        return root in _ROOTS[asked] and (asked != "difference" or _sides_fit(perturbed, equation))
    values = list(by_year.values())
    if asked in ("sum", "average"):
        total = sum(values, Fraction(0))
        # Costs in brackets are stated without a sign.
        sign = -1 if max(values) < 0 < value else 1
        return sign * value == (total if asked == "sum" else total / len(values))
    if len(by_year) != 2:
        return False
    first, last = (by_year[year] for year in sorted(by_year))
    forward = not _FORWARD.search(question) or named[0] < named[-1]
    change = last - first if forward else first - last
    if asked == "growth":
        base = first if forward else last
        return base != 0 and value in (change / base * _HUNDRED, change / base)
    return value == change or (asked == "difference" and value == -change)


def operands_and_years_kept(original: Problem, perturbed: Problem) -> bool:
    """the new equation uses the same cells and spans, and the question names no new number but the years of these"""
    if not linked_operands_kept(original, perturbed.replace(question=original.question)):
        return False
    named = {quantity.value for quantity in numerals.find(original.question)}
    return all(
        quantity.value in named or quantity.value in figures_by_year(original)
        for quantity in numerals.find(perturbed.question)
    )


def _sides_fit(perturbed: Problem, equation: Expr) -> bool:
    """Return whether the row that the question names first has the left operand of a subtraction."""
    if not isinstance(equation, Binary):
        return False
    text = perturbed.question.lower()
    places: list[tuple[int, set[Fraction]]] = []
    labels = sorted({(cells[0].strip().lower(), row) for row, cells in enumerate(perturbed.table) if cells})
    for label, row in sorted(labels, key=lambda one: -len(one[0])):
        at = text.find(label) if label else -1
        if at >= 0:
            text = f"{text[:at]}{' ' * len(label)}{text[at + len(label) :]}"
            values = {one.value for (where, _), one in figures(perturbed.table).items() if where == row}
            places.append((at, {abs(value) for value in values}))
    if len(places) != len(_SIDES):
        return True  # the question names the rows in another way
    sides = [abs(side.value()) for side in (equation.left, equation.right)]
    named = [values for _, values in sorted(places, key=lambda one: one[0])]
    return all(side in values for side, values in zip(sides, named, strict=True))


_SIDES = ("left", "right")
_ROOTS = {
    "growth": ("*", "/", "-"),
    "change": ("-",),
    "difference": ("-",),
    "average": ("/",),
    "sum": ("+",),
}


def _operation(question: str) -> str | None:
    """Return the operation that a question names first, or None."""
    found = [
        (match.start(), at, name)
        for at, (name, pattern) in enumerate(
            (
                ("growth", _GROWTH_ASKED),
                ("change", _CHANGE_ASKED),
                ("difference", _DIFFERENCE_ASKED),
                ("sum", _SUM_ASKED),
                ("average", _AVERAGE_ASKED),
            )
        )
        if (match := pattern.search(question))
    ]
    return min(found)[2] if found else None


CHECKS: tuple[Callable[[Problem, Problem], bool], ...] = (operation_asked, operands_and_years_kept)
