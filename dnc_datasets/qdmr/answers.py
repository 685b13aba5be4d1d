"""Answer rules: what the answer to a changed question is, where it follows from the old answer and the text alone."""

from __future__ import annotations

import re
from collections.abc import Sequence
from difflib import SequenceMatcher
from fractions import Fraction
from itertools import combinations

# What may be meant with an answer below this comes from too many pairs by chance.
_SMALLEST = 10
_MAX_NUMBERS = 200
_MAX_QUESTION = 1000
_BREAKS = re.compile(r"[:,;-] |\b(?:was|were|is|of) ")
_THE = re.compile(r"(?:the|either) ")


def behind(answer: Fraction, numbers: Sequence[Fraction], operation: str) -> tuple[Fraction, Fraction] | None:
    """The only two numbers of a text whose "sum" or "difference" is the answer, the larger first.

    None where there is no such pair or more than one, and for answers so small that a pair means nothing.

    >>> behind(Fraction(30), [Fraction(50), Fraction(20), Fraction(3)], "difference")
    (Fraction(50, 1), Fraction(20, 1))
    """
    distinct = sorted(set(numbers), reverse=True)
    if answer < _SMALLEST or answer.denominator != 1 or len(distinct) > _MAX_NUMBERS:
        return None
    found = [
        (one, other)
        for one, other in combinations(distinct, 2)
        if (one + other if operation == "sum" else one - other) == answer
    ]
    return found[0] if len(found) == 1 else None


def candidates(question: str) -> tuple[str, str] | None:
    """The two things that a question lets one choose from: "Which is longer, the Nile or the Rhine?"."""
    asked = question.strip().rstrip("?").rstrip()
    if len(asked) > _MAX_QUESTION or asked.count(" or ") != 1:
        return None
    left, _, second = asked.partition(" or ")
    left = left.rstrip(",")
    start = max((found.end() for found in _BREAKS.finditer(left)), default=0)
    first = left[start:].strip()
    if not start or not first or not second.strip() or _BREAKS.search(second):
        return None
    return _THE.sub("", first, count=1) if _THE.match(first) else first, second.strip()


def other(pair: tuple[str, str], answer: str) -> str | None:
    """The one of two candidates that the answer is not; None where the answer is clearly neither."""
    near = [SequenceMatcher(None, one.lower(), answer.lower()).ratio() for one in pair]
    if max(near) < 0.6 or abs(near[0] - near[1]) < 0.2:
        return None
    return pair[1] if near[0] > near[1] else pair[0]
