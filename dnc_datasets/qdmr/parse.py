"""Reads and writes decompositions as Break does: "return pens ;return number of #1"."""

from __future__ import annotations

import re
from collections.abc import Sequence

from dnc_datasets.errors import ProblemError
from dnc_datasets.qdmr.steps import Decomposition, Step

_MAX_TEXT = 20_000
_GROUPED = re.compile(r"(?<=\d),(?=\d)")


def read(text: str) -> Decomposition:
    """The steps of a decomposition in Break's form; commas stand apart from words, and none within a number.

    >>> [step.text for step in read("return games of  1,200 fans ;return number of #1")]
    ['games of 1200 fans', 'number of #1']
    """
    if len(text) > _MAX_TEXT:
        raise ProblemError(f"a decomposition of {len(text)} characters; at most {_MAX_TEXT} are read")
    plain = _GROUPED.sub("", text).replace(",", " , ")
    steps = []
    for part in plain.split(";"):
        words = part.split()
        if words and words[0].lower() == "return":
            words = words[1:]
        if words:
            steps.append(Step(" ".join(words)))
    return tuple(steps)


def written(steps: Sequence[Step]) -> str:
    """The steps in Break's form; `read` gives them back."""
    return " ;".join(f"return {step.text}" for step in steps)
