"""Type: whole numbers written as decimals."""

from __future__ import annotations

from collections.abc import Sequence

from dnc_datasets.draws import Draw
from dnc_datasets.perturbations import Capability, perturbation
from dnc_datasets.perturbations.amounts import amounts
from dnc_datasets.problem import TEXT_FIELDS, Problem


@perturbation(
    "type",
    capability=Capability.NUMBER_DETECTION,
    promises=("target_kept", "values_kept", "text_elsewhere_kept"),
)
def add_decimal_zero(problem: Problem, draw: Draw, *, scope: Sequence[str] = TEXT_FIELDS) -> Problem | None:
    """12 pens -> 12.0 pens: the same value in another surface form."""
    integers = [quantity for quantity in amounts(problem, scope) if "." not in quantity.text]
    return problem.rewrite(integers, lambda quantity: f"{quantity.text}.0") if integers else None
