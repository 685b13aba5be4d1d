"""Goal: when has an attack succeeded?"""

from __future__ import annotations

from collections.abc import Callable, Iterable

from dnc_datasets import expression, numerals
from dnc_datasets.certificate import CHECKS
from dnc_datasets.errors import ExpressionError
from dnc_datasets.problem import Problem

Judge = Callable[[Problem, str], bool]


def is_right(problem: Problem, answer: str) -> bool:
    """Is this text the right answer? The last number in it counts, exactly; a text answer must be equal."""
    wanted = numerals.parse(problem.answer)
    if wanted is None:
        return answer.strip().lower() == problem.answer.strip().lower()
    found = numerals.find(answer)
    if found:
        return found[-1].value == wanted
    try:
        return expression.parse(answer).value() == wanted
    except ExpressionError:
        return False


def has_exact_value(problem: Problem, answer: str) -> bool:
    """Is this number what the problem's equation gives, before any rounding? So `dnc research train` scores, too."""
    value = numerals.parse(answer)
    return value is not None and value == problem.exact_value()


def judge(model: str) -> Judge:
    """What counts as right for a model of this name; the goal is an answer that was right and is not now.

    A solver writes an equation and cannot round: it is asked for the equation's value.
    """
    return has_exact_value if model.startswith("solver:") else is_right


# Names of checks: equation and answer, every number, and what each number counts.
PARAPHRASE = ("target_kept", "values_permuted", "heads_kept")


def holds(original: Problem, candidate: Problem, constraints: Iterable[str] = PARAPHRASE) -> bool:
    """Do all of them hold?"""
    return all(CHECKS[name](original, candidate) for name in constraints)
