"""Distribution, plausible: operands move to another order of magnitude, and all relations remain true."""

from __future__ import annotations

from collections.abc import Sequence

from dnc_datasets.draws import Draw
from dnc_datasets.perturbations import Capability, perturbation
from dnc_datasets.perturbations.numbers.plausible_values import (
    DISTRIBUTION,
    PROMISES,
    QUALIFIES,
    with_plausible_values,
)
from dnc_datasets.problem import TEXT_FIELDS, Problem


@perturbation(
    "distribution_plausible",
    capability=Capability.VALUE_UNDERSTANDING,
    changes_target=True,
    promises=(*PROMISES, "magnitude_changed"),
    shapes=("word_problem", "passage"),
    needs_equations=True,
    qualifies=QUALIFIES,
)
def move_far(problem: Problem, draw: Draw, *, scope: Sequence[str] = TEXT_FIELDS) -> Problem | None:
    """12 pens -> 4 pens, 60 -> 130: operands to another order of magnitude where that makes sense, all else true.

    What has bounds of its own (shares, hours a day, ages, "3 times as many") stays, or moves a little.
    """
    return with_plausible_values(problem, draw, scope, DISTRIBUTION)
