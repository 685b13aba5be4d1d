"""No question: a probe that shows whether a model answers without the question."""

from __future__ import annotations

from dnc_datasets.draws import Draw
from dnc_datasets.perturbations import Capability, perturbation
from dnc_datasets.problem import Problem


@perturbation(
    "no_question",
    capability=Capability.PROBE,
    promises=("target_kept", "question_removed"),
    qualifies="every row with a text and a question changes",
)
def remove_question(problem: Problem, draw: Draw) -> Problem | None:
    """The body alone, with the target unchanged: a right answer is a sign of a shortcut."""
    has_context = problem.body or problem.segments or problem.table
    return problem.replace(question="") if has_context and problem.question else None
