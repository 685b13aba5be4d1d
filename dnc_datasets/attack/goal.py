"""Goal: the test whether an attack succeeded."""

from __future__ import annotations

from collections.abc import Callable, Iterable

from dnc_datasets import expression, numerals
from dnc_datasets.certificate import CHECKS
from dnc_datasets.errors import ExpressionError
from dnc_datasets.problem import Problem

Judge = Callable[[Problem, str], bool]


def is_right(problem: Problem, answer: str) -> bool:
    """Return whether this text is the right answer.

    Its last number counts, exactly. A text answer must be equal.
    """
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
    """Return whether this number is the unrounded value of the equation, as in `dnc research train`."""
    value = numerals.parse(answer)
    return value is not None and value == problem.exact_value()


def judge(model: str) -> Judge:
    """Return the test for right answers of a model of this name.

    The goal is a wrong answer where the first was right.

    A solver writes an equation and cannot round, so its answer must be the equation's value.
    """
    return has_exact_value if model.startswith("solver:") else is_right


# Names of checks: equation and answer, every number, and the noun of each number.
PARAPHRASE = ("target_kept", "values_permuted", "heads_kept")


def holds(original: Problem, candidate: Problem, constraints: Iterable[str] = PARAPHRASE) -> bool:
    """Return whether all these constraints hold."""
    return all(CHECKS[name](original, candidate) for name in constraints)
