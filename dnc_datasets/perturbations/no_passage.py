"""No passage: a probe that shows whether a model answers without the passage."""

from __future__ import annotations

from dnc_datasets.draws import Draw
from dnc_datasets.perturbations import Capability, perturbation
from dnc_datasets.problem import Problem


@perturbation(
    "no_passage",
    capability=Capability.PROBE,
    promises=("target_kept", "passage_removed"),
    shapes=("dialogue",),
    qualifies="every row with a passage and a question changes",
)
def remove_passage(problem: Problem, draw: Draw) -> Problem | None:
    """The question and the earlier turns without the passage: a right answer comes from the history, or is a guess."""
    has_passage = problem.body or problem.segments
    return problem.replace(body="", segments=()) if has_passage and problem.question else None
