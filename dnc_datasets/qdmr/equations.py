"""Equations as decompositions: every number is a step, and every operation is a step over two others."""

from __future__ import annotations

from typing import NamedTuple

from dnc_datasets.expression import Binary, Expr, Unary
from dnc_datasets.qdmr.steps import Decomposition, Step

_WORDS = {"+": "sum", "-": "difference", "*": "multiplication", "/": "division"}


class Calculated(NamedTuple):
    """The steps of an equation, each with the part of the equation that it computes."""

    steps: Decomposition
    parts: tuple[Expr, ...]


def decompose(equation: Expr) -> Calculated | None:
    """Return the decomposition of an equation, or None where QDMR lacks one of its operations.

    >>> from dnc_datasets import expression
    >>> [step.text for step in decompose(expression.parse("12 - 5")).steps]
    ['12', '5', 'the difference of #1 and #2']
    """
    steps: list[Step] = []
    parts: list[Expr] = []

    def add(part: Expr) -> int:
        if isinstance(part, Binary) and part.op in _WORDS:
            left, right = add(part.left), add(part.right)
            steps.append(Step(f"the {_WORDS[part.op]} of #{left} and #{right}"))
        elif isinstance(part, Binary) or (isinstance(part, Unary) and part.op == "-"):
            raise _NoStep
        else:  # a number, or a percentage such as 5%
            steps.append(Step(part.infix()))
        parts.append(part)
        return len(steps)

    try:
        add(equation)
    except _NoStep:
        return None
    return Calculated(tuple(steps), tuple(parts))


class _NoStep(Exception):
    """An operation that no step can express."""
