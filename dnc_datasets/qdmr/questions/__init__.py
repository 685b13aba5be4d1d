"""Decompositions of questions by rule: the frames that questions over passages with numbers most often have.

What is read wrongly is caught after it: a step that nothing answers makes no member of a contrast set.
"""

from __future__ import annotations

from collections.abc import Callable

from dnc_datasets.qdmr.questions import choices, counts, differences
from dnc_datasets.qdmr.steps import Decomposition, Step, fault

_MAX_QUESTION = 500


def decomposed(question: str) -> Decomposition | None:
    """The steps that answer a question, in the words of Break; None where it has no frame that is known.

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
    """A question that is one step, as it is."""
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
