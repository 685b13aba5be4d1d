"""Answer rules: what the answer to a changed question is, where it follows from the old answer and the text alone."""

from __future__ import annotations

from collections.abc import Sequence
from difflib import SequenceMatcher
from fractions import Fraction
from itertools import combinations

# What may be meant with an answer below this comes from too many pairs by chance.
_SMALLEST = 10
_MAX_NUMBERS = 200
_MOST_WORDS = 12  # of an answer that names one of two things


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


def other(pair: tuple[str, str], answer: str) -> str | None:
    """The one of two candidates that the answer is not; None where the answer is clearly neither."""
    equal = [_bare(one) == _bare(answer) for one in pair]
    if sum(equal) == 1:
        return pair[1] if equal[0] else pair[0]
    said = set(_bare(answer).split())
    inside = [said <= set(_bare(one).split()) or set(_bare(one).split()) <= said for one in pair]
    if sum(inside) == 1 and len(said) <= _MOST_WORDS:
        return pair[1] if inside[0] else pair[0]
    near = [SequenceMatcher(None, one.lower(), answer.lower()).ratio() for one in pair]
    if max(near) < 0.6 or abs(near[0] - near[1]) < 0.2:
        return None
    return pair[1] if near[0] > near[1] else pair[0]


def _bare(answer: str) -> str:
    for article in ("the ", "a ", "an "):
        answer = answer.strip().lower().removeprefix(article)
    return answer
