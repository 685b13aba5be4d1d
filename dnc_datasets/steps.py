"""The steps of a solution, in `meta["solution_steps"]`: a JSON list of objects in the order of the solution.

`equation` is the step's own calculation, in which `step1` represents the value of the first step, and `value` the
exact value it gives: `[{"equation": "48 / 2", "value": "24"}, {"equation": "48 + step1", "value": "72"}]`. Where it
is not sure that a number is an earlier step's, it stays a number.
"""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from fractions import Fraction
from typing import NamedTuple

from dnc_datasets import expression
from dnc_datasets.expression import Expr, Name, Number
from dnc_datasets.problem import Problem

_NAME = "step"
KEY = "solution_steps"  # in meta
# In meta["no_equation"]: the prose of a solution and its annotations calculate different things.
DISAGREES = "the prose of the solution and its annotation disagree"


class Step(NamedTuple):
    """One calculation of a solution, over numbers and `stepN`, and its value."""

    equation: Expr
    value: Fraction


def reference(at: int) -> Name:
    """What represents the value of the step at this place, from 0."""
    return Name(f"{_NAME}{at + 1}")


def to_note(steps: Sequence[Step]) -> str:
    """The steps as they are kept in meta."""
    return json.dumps(
        [{"equation": step.equation.infix(), "value": expression.canonical(step.value)} for step in steps]
    )


def stored(problem: Problem) -> list[Step]:
    """The steps that the problem's meta holds; none where it holds none."""
    note = problem.note(KEY)
    if not note:
        return []
    return [
        Step(expression.parse(step["equation"], names=True), Fraction(step["value"]))
        for step in json.loads(note)
    ]


def values(steps: Sequence[Step]) -> dict[str, Fraction]:
    """The value of each reference to one of these steps."""
    return {reference(at).name: step.value for at, step in enumerate(steps)}


def composed(steps: Sequence[Step]) -> list[Expr]:
    """The calculation of each step over numbers alone: what it refers to is in the place of the reference."""
    made: dict[str, Expr] = {}
    for at, step in enumerate(steps):
        made[reference(at).name] = step.equation.replace(
            lambda leaf: made[leaf.name] if isinstance(leaf, Name) else leaf
        )
    return list(made.values())


def with_moves(steps: Sequence[Step], moves: Mapping[Fraction, Fraction]) -> list[Step]:
    """The steps after some numbers of the text moved; every value is recomputed."""
    made: list[Step] = []
    for step in steps:
        equation = step.equation.replace(lambda leaf: _moved(leaf, moves))
        made.append(Step(equation, equation.value(values(made))))
    return made


def _moved(leaf: Number | Name, moves: Mapping[Fraction, Fraction]) -> Expr:
    return expression.number(moves.get(leaf.number, leaf.number)) if isinstance(leaf, Number) else leaf
