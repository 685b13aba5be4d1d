"""Extra, as published: a statement with a number from another problem is appended to the body."""

from __future__ import annotations

from collections.abc import Sequence

from dnc_datasets.draws import Draw
from dnc_datasets.perturbations import Capability, perturbation
from dnc_datasets.perturbations.extra_plausible import fitting_statement
from dnc_datasets.perturbations.statements.neighbours import Neighbours
from dnc_datasets.perturbations.statements.places import appended
from dnc_datasets.problem import TEXT_FIELDS, Problem


@perturbation(
    "extra",
    capability=Capability.OPERAND_SELECTION,
    promises=("target_kept", "statement_appended"),
    qualifies="a statement about other things and numbers must be found in the split",
)
def append_statement(
    problem: Problem, draw: Draw, neighbours: Neighbours, *, scope: Sequence[str] = TEXT_FIELDS
) -> Problem | None:
    """A statement of another problem of the split, about other things and numbers, ends the body."""
    statement = fitting_statement(problem, draw, neighbours)
    return appended(problem, statement) if statement else None
