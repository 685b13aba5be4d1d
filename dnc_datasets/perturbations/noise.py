"""Noise: every operand gets one decimal digit, and the answer follows."""

from __future__ import annotations

from collections.abc import Sequence

from dnc_datasets.draws import Draw
from dnc_datasets.expression import lowest
from dnc_datasets.perturbations import Capability, perturbation
from dnc_datasets.perturbations.numbers.operands import operands, with_operands
from dnc_datasets.problem import TEXT_FIELDS, Problem


@perturbation(
    "noise",
    capability=Capability.VALUE_UNDERSTANDING,
    changes_target=True,
    promises=("operands_moved", "equation_gives_answer", "text_elsewhere_kept", "steps_follow"),
    shapes=("word_problem",),
    needs_equations=True,
    qualifies="every operand must be an integer that occurs exactly once",
)
def add_decimal_digit(problem: Problem, draw: Draw, *, scope: Sequence[str] = TEXT_FIELDS) -> Problem | None:
    """12 pens -> 12.7 pens: n + d/10 with d from 1 to 9 for each operand of the equation."""
    found = operands(problem, scope)
    if not found:
        return None
    new = [lowest(10 * value + draw.integer(1, 9), 10) for value, _ in found.ratios]
    return with_operands(problem, found, new)
