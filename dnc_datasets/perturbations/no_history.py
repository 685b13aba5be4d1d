"""No history: a probe that shows whether a model needs the earlier turns of a conversation."""

from __future__ import annotations

from dnc_datasets.draws import Draw
from dnc_datasets.perturbations import Capability, perturbation
from dnc_datasets.problem import Problem


@perturbation(
    "no_history",
    capability=Capability.PROBE,
    promises=("target_kept", "history_removed"),
    shapes=("dialogue",),
    qualifies="every row but the first turns of conversations changes",
)
def remove_history(problem: Problem, draw: Draw) -> Problem | None:
    """The passage and the question without the earlier turns: what is still right did not need them."""
    return problem.replace(history=()) if problem.history and problem.question else None
