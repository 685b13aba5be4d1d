"""Conditions for members of a question over a table: it is complete, and its equation calculates what it asks."""

from __future__ import annotations

import re
from typing import Final

from dnc_datasets import expression, operand_links
from dnc_datasets.errors import ExpressionError
from dnc_datasets.expression import Expr
from dnc_datasets.graph import pair_of, relative_change
from dnc_datasets.problem import Problem

# Parts of several sentences, tokenised, or cut.
_BROKEN: Final = re.compile(r" \. |[\r\n]")
_MOVES: Final = r"(?:change|increase|decrease|growth|decline|variance)"
_CHANGE_ASKED: Final = re.compile(
    r"\b(?:what|how much) (?:is|was|are|were) (?:the )?"
    r"(?:(?:percent|percentage|%|net|overall|nominal|absolute|annual|year[- ]on[- ]year|year[- ]over[- ]year) )"
    rf"{{0,2}}(?:of (?:the )?)?{_MOVES}s?\b(?! (?:as a|over|to total|and)\b)|"
    rf"\b(?:how much|by what percent(?:age)?) did\b[^?]{{2,150}}\b(?:{_MOVES}|grow|rise|fall|drop)\b|"
    r"\b(?:changed?|increased?|decreased?|grew|declined?) by what percent(?:age)?\b",
    re.IGNORECASE,
)
_CHANGE_HEAD: Final = re.compile(
    r"\b(?:change[sd]?|chg|variances?|variations?|increases?|decreases?|growth|vs\.?|versus)(?![a-z])",
    re.IGNORECASE,
)


def is_fit(problem: Problem) -> bool:
    """Return whether a question is one complete sentence, and subtracts where it asks for a change.

    >>> is_fit(Problem("1", "", "What was the percentage increase in rent?", equation="3 / 19 * 100"))
    False
    """
    question = problem.question.strip()
    if _BROKEN.search(question):
        return False
    return "-" in problem.equation or not problem.equation or not _CHANGE_ASKED.search(question)


def states_changes(problem: Problem) -> bool:
    """Return whether the table has a column of changes with a figure for the row of the operands."""
    links = operand_links.stored(problem).values()
    rows = {int(link.split(".")[1]) for link in links if link.startswith("table.")}
    return any(
        any(map(str.isdigit, problem.table[row][column]))
        and any(_CHANGE_HEAD.search(cells[column]) for cells in problem.table[:row] if column < len(cells))
        for row in rows
        for column in range(1, len(problem.table[row]))
    )


def is_change(problem: Problem) -> bool:
    """Return whether a question asks for a change or a percentage change, and not for what parts two rows."""
    if "difference between" in problem.question:
        return False
    try:
        equation: Expr = expression.parse(problem.equation)
    except ExpressionError:
        return False
    return relative_change(equation) is not None or pair_of(equation, "-") is not None
