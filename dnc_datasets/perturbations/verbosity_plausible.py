"""Verbosity, plausible: every amount is followed by a denied number in the same form."""

from __future__ import annotations

from collections.abc import Sequence

from dnc_datasets.draws import Draw
from dnc_datasets.perturbations import Capability, perturbation
from dnc_datasets.perturbations.numbers.denials import with_denials
from dnc_datasets.problem import TEXT_FIELDS, Problem


@perturbation(
    "verbosity_plausible",
    draw_key="verbosity",
    capability=Capability.OPERAND_SELECTION,
    promises=("target_kept", "distractors_new", "rest_is_original"),
    reaches_cells=True,
    qualifies="rows without a number that is an amount remain unchanged",
)
def deny_plausibly(
    problem: Problem, draw: Draw, *, scope: Sequence[str] = TEXT_FIELDS, mu: float = 100, sigma: float = 30
) -> Problem | None:
    """12 pens -> 12 (not 87) pens: X is an integer, positive and new to the problem.

    X is drawn near the number as often as from N(mu, sigma^2).
    A number in words is denied in words: "twelve (not eighty-seven) pens".
    """
    return with_denials(problem, scope, draw, mu, sigma)
