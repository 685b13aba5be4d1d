"""Why a row was not perturbed, in words that can be counted."""

from __future__ import annotations

from dnc_datasets import expression, numerals
from dnc_datasets.errors import CertificateError, ExpressionError
from dnc_datasets.perturbations import Perturbation
from dnc_datasets.perturbations.statements.neighbours import Neighbours
from dnc_datasets.problem import Problem

_SHOWN = 200  # characters of an error
_ALL_TEXTS = ("body", "segments", "table", "question")


def unreadable(problem: Problem, step: Perturbation) -> str:
    """Why the equation, which this step would recompute, has no value; nothing where it has one or is empty."""
    if not step.changes_target or not problem.equation:
        return ""
    try:
        expression.parse(problem.equation).value()
    except ExpressionError as error:
        return f"its equation has no value: {' '.join(str(error).split())[:_SHOWN]}"
    return ""


def why_unchanged(problem: Problem, step: Perturbation, neighbours: Neighbours | None = None) -> str:
    """Why this step left the problem as it is: what it needs and does not find, as far as that can be told."""
    if problem.shape not in step.shapes:
        return f"{step.name} does not act on a {problem.shape.replace('_', ' ')}"
    if step.changes_target and not problem.equation:
        return f"{step.name} needs an equation, to recompute the answer"
    if unread := unreadable(problem, step):
        return unread
    if not (problem.body or problem.segments or problem.table or problem.question):
        return "it has no text"
    if step.needs_neighbours and not (neighbours and neighbours.statements):
        return f"{step.name} borrows from other problems, and none has a statement to lend"
    if not any(numerals.find(text) for _, text in problem.texts(_ALL_TEXTS)):
        return "its text holds no number"
    return (
        f"{step.name} does not fit: {step.qualifies}"
        if step.qualifies
        else f"no rule of {step.name} is sure of it"
    )


def failure(error: Exception, step: Perturbation) -> str:
    """What went wrong at a row, in one line."""
    if isinstance(error, CertificateError):
        return f"{step.name} would break its promise {error.promise!r}"
    return f"{step.name}: {type(error).__name__}: {' '.join(str(error).split())[:_SHOWN]}"
