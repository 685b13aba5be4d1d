"""Distribution: every operand moves to a range that is rare in training data, and the answer follows."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from itertools import islice

from dnc_datasets.draws import Draw
from dnc_datasets.errors import DncError
from dnc_datasets.perturbations import Capability, perturbation
from dnc_datasets.perturbations.numbers.operands import operands, with_operands
from dnc_datasets.problem import TEXT_FIELDS, Problem

# Maximum number of redraws for an operand below one.
_MAX_DRAWS = 40


@perturbation(
    "distribution",
    capability=Capability.VALUE_UNDERSTANDING,
    changes_target=True,
    promises=("operands_moved", "equation_gives_answer", "text_elsewhere_kept", "steps_follow"),
    shapes=("word_problem",),
    needs_equations=True,
    qualifies="every operand must be an integer that occurs exactly once",
)
def shift_operands(
    problem: Problem,
    draw: Draw,
    *,
    scope: Sequence[str] = TEXT_FIELDS,
    mu: float = 1000,
    sigma: float = 300,
    plausible: bool = False,
) -> Problem | None:
    """12 pens -> 1036 pens: n + floor(X), X ~ N(mu, sigma^2), for each operand of the equation.

    As published, subtraction may go below zero and division may leave a fraction.
    """
    if plausible:
        raise DncError(
            "distribution has no parameter `plausible` any more: use the perturbation "
            "distribution_plausible, or noise_plausible for smaller moves"
        )
    found = operands(problem, scope)
    if not found:
        return None
    drawn = draw.normals(mu, sigma)
    new = [(_shifted(value, drawn), 1) for value, _ in found.ratios]
    return with_operands(problem, found, new)


def _shifted(value: int, drawn: Iterator[int]) -> int:
    """Return the operand plus a draw. The draw is repeated in the rare case that the sum is below one."""
    for shift in islice(drawn, _MAX_DRAWS):
        if value + shift >= 1:
            return value + shift
    return value
