"""The steps of a solution, in `meta["solution_steps"]`: a JSON list of objects in the order of the solution.

`equation` is the step's own calculation, in which `step1` represents the value of the first step, and `value` is its
exact result: `[{"equation": "48 / 2", "value": "24"}, {"equation": "48 + step1", "value": "72"}]`. A number that is
not certainly the result of an earlier step remains a number.
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
    """Return the name that refers to the value of a step, counted from 0."""
    return Name(f"{_NAME}{at + 1}")


def to_note(steps: Sequence[Step]) -> str:
    """Return the steps as JSON for meta."""
    return json.dumps(
        [{"equation": step.equation.infix(), "value": expression.canonical(step.value)} for step in steps]
    )


def stored(problem: Problem) -> list[Step]:
    """Return the steps in the problem's meta, or an empty list."""
    note = problem.note(KEY)
    if not note:
        return []
    return [
        Step(expression.parse(step["equation"], names=True), Fraction(step["value"]))
        for step in json.loads(note)
    ]


def values(steps: Sequence[Step]) -> dict[str, Fraction]:
    """Map the name of each step to its value."""
    return {reference(at).name: step.value for at, step in enumerate(steps)}


def composed(steps: Sequence[Step]) -> list[Expr]:
    """Return the calculation of each step over numbers alone, with every reference replaced by its calculation."""
    calculations: dict[str, Expr] = {}
    for at, step in enumerate(steps):
        calculations[reference(at).name] = step.equation.replace(
            lambda leaf: calculations[leaf.name] if isinstance(leaf, Name) else leaf
        )
    return list(calculations.values())


def with_moves(steps: Sequence[Step], moves: Mapping[Fraction, Fraction]) -> list[Step]:
    """Return the steps after a change of some numbers of the text, with all values recomputed."""
    changed: list[Step] = []
    for step in steps:
        equation = step.equation.replace(lambda leaf: _moved(leaf, moves))
        changed.append(Step(equation, equation.value(values(changed))))
    return changed


def _moved(leaf: Number | Name, moves: Mapping[Fraction, Fraction]) -> Expr:
    return expression.number(moves.get(leaf.number, leaf.number)) if isinstance(leaf, Number) else leaf
