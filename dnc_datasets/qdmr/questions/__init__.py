"""Decompositions of questions by rule, for the most frequent frames of questions over passages with numbers.

Later steps catch wrong decompositions: a step without an answer gives no member of a contrast set.
"""

from __future__ import annotations

from collections.abc import Callable

from dnc_datasets.qdmr.questions import choices, counts, differences
from dnc_datasets.qdmr.steps import Decomposition, Step, fault

_MAX_QUESTION = 500


def decomposed(question: str) -> Decomposition | None:
    """Return the steps that answer a question, in the wording of Break, or None where no known frame matches.

    >>> [step.text for step in decomposed("How many touchdowns did the Bills score?")]
    ['touchdowns that the Bills did score', 'number of #1']
    """
    text = " ".join(question.replace("’", "'").split()).rstrip("?. ")
    if not text or len(text) > _MAX_QUESTION or "#" in text:
        return None
    for frame in _FRAMES:
        if made := frame(text):
            steps = tuple(Step(" ".join(step.split())) for step in made)
            if not fault(steps):
                return steps
    return None


def _whole(text: str) -> list[str] | None:
    """Return the unchanged question as a single step."""
    return [text]


_FRAMES: tuple[Callable[[str], list[str] | None], ...] = (
    choices.which,
    counts.not_percent,
    differences.after,
    differences.between,
    differences.longer,
    differences.asked_difference,
    differences.combined,
    counts.how_many,
    counts.scored,
    _whole,
)
