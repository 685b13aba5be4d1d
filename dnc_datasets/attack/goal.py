"""Goal: when has an attack succeeded?"""

from __future__ import annotations

from dnc_datasets import expression, numerals
from dnc_datasets.errors import ExpressionError
from dnc_datasets.problem import Problem


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


def flipped(original: Problem, answer: str) -> bool:
    """The goal of the published attack: an answer that was right is now wrong."""
    return not is_right(original, answer)
