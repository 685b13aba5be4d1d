"""Verbosity: every number is followed by one that does not count."""

from __future__ import annotations

from collections.abc import Sequence

from dnc_datasets.draws import Draw
from dnc_datasets.perturbations import Capability, perturbation
from dnc_datasets.perturbations.numbers.denials import with_denials
from dnc_datasets.problem import TEXT_FIELDS, Problem


@perturbation(
    "verbosity",
    capability=Capability.OPERAND_SELECTION,
    promises=("target_kept", "distractors_new", "rest_is_original"),
    reaches_cells=True,
    qualifies="rows without a number that stands for an amount stay as they are",
)
def add_denied_number(
    problem: Problem, draw: Draw, *, scope: Sequence[str] = TEXT_FIELDS, mu: float = 100, sigma: float = 30
) -> Problem | None:
    """12 pens -> 12 (not 87) pens: X ~ N(mu, sigma^2), whole, positive and new to the problem.

    A number in words is denied in words: "twelve (not eighty-seven) pens".
    """
    return with_denials(problem, scope, draw, mu, sigma)
