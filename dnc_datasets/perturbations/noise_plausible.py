"""Noise, plausible: every operand moves a little, and all relations remain true."""

from __future__ import annotations

from collections.abc import Sequence

from dnc_datasets.draws import Draw
from dnc_datasets.perturbations import Capability, perturbation
from dnc_datasets.perturbations.numbers.plausible_values import (
    NOISE,
    PROMISES,
    QUALIFIES,
    with_plausible_values,
)
from dnc_datasets.problem import TEXT_FIELDS, Problem


@perturbation(
    "noise_plausible",
    capability=Capability.VALUE_UNDERSTANDING,
    changes_target=True,
    promises=(*PROMISES, "moved_within_half"),
    shapes=("word_problem", "passage"),
    needs_equations=True,
    qualifies=QUALIFIES,
)
def move_a_little(problem: Problem, draw: Draw, *, scope: Sequence[str] = TEXT_FIELDS) -> Problem | None:
    """12 pens -> 15 pens: each operand within half of its value; signs, wholeness and comparisons stay.

    Decimals come only where something is measured and asked for in that measure: 12 miles -> 12.7 miles.
    """
    return with_plausible_values(problem, draw, scope, NOISE)
