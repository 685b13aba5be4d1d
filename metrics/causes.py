"""Causes: what a model did where its answer is wrong, found by exact search over the problem's numbers.

Every kind of mistake says which calculations it would lead to; an answer that is the value of one of them
is explained by it. Many small numbers are the value of something, so what an answer like it would explain by
chance is measured with the wrong answers of other rows, and stands beside every share (`table`).
"""

from __future__ import annotations

import math
from bisect import bisect_left
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from fractions import Fraction
from typing import NamedTuple

from dnc_metrics import _stated, intervals
from dnc_metrics._mistakes import (
    DISTRACTOR,
    LEFT_OUT,
    MISREAD,
    ORIGINAL,
    OTHER_OPERATION,
    REPEATED,
    ROUNDING,
    SCALE,
    SLIP,
    STEP,
    SWAPPED,
    Candidates,
    Explanation,
    Question,
    Ratio,
    calculation,
    evaluate,
    shape,
    written,
)

__all__ = [
    "CAUSES",
    "Explained",
    "Explanation",
    "Line",
    "Memorised",
    "Mistake",
    "Question",
    "explain",
    "explain_all",
    "memorised",
    "table",
]

OTHER_WORDS = "another answer in words"  # yes for no, another span
NOT_FOUND = "no answer found"
TRUNCATED = "truncated"
UNEXPLAINED = "unexplained"
# Causes that are found by search, in the order in which tables list them.
SEARCHED = (
    DISTRACTOR, LEFT_OUT, OTHER_OPERATION, SWAPPED, MISREAD, REPEATED, STEP, ORIGINAL, ROUNDING, SCALE,
)  # fmt: skip
CAUSES = (*SEARCHED[:5], SLIP, *SEARCHED[5:], OTHER_WORDS, NOT_FOUND, TRUNCATED, UNEXPLAINED)

# An answer like it may be explained by chance in fewer cases than this for a row to get its sentence.
CHANCE = 0.05
# How many wrong answers of other rows, the nearest in size, are tried in a row's place; with fewer, none are.
_NEIGHBOURS = 120
_FEWEST_NEIGHBOURS = 20


def explain(question: Question, answer: Fraction, stated: str = "") -> list[Explanation]:
    """Every mistake that leads from the question to this wrong answer; none where nothing fits.

    `stated` is the calculation that the model wrote, if it did: where it is right and the answer is not,
    that is an arithmetic slip; where a mistake would be written so, only such mistakes are kept; and where it
    gives the answer and no such mistake is known, its numbers and operators say what was done.

    >>> row = {"body": "Tom had 12 (not 87) pens and lost 3.", "question": "How many are left?",
    ...        "equation": "12 - 3", "answer": "9"}
    >>> explain(Question.of(row), Fraction(84))
    [Explanation(cause='used a distractor', sentence='87 - 3 uses 87, which does not count')]
    """
    return _explained(Candidates(question), _ratio(answer), stated)[0]


def _explained(candidates: Candidates, answer: Ratio, stated: str) -> tuple[list[Explanation], bool]:
    """The explanations, and whether the model itself states its mistake, so that none of it is chance."""
    question = candidates.question
    tree, leaves = calculation(stated)
    gold = question.gold
    if tree is not None and question.tree is not None and gold and evaluate(tree, leaves) == gold:
        return [Explanation(SLIP, f"{stated} is {written(gold)}")], True
    found = candidates.explain(answer)
    if tree is not None:
        says = _stated.gives(tree, leaves, answer)
        form = shape(tree, leaves)
        same = list(dict.fromkeys(one for one, its in found if its == form))
        if same:
            return same, says
        read = _stated.mistake(question, tree, leaves) if says else None
        if read is not None:
            return [read], True
    return list(dict.fromkeys(one for one, _ in found)), False


class Mistake(NamedTuple):
    """A wrong reply: its row, what it was read as, and the calculation it states."""

    row: str  # what joins it to its question
    answer: Fraction | None
    stated: str = ""
    truncated: bool = False
    # The problem that the row was made from: who knows its answer gives it to every variant, and that is no chance.
    problem: str = ""
    # It gives an answer, which is no number.
    worded: bool = False

    @property
    def own(self) -> str:
        """What its answer is never compared with: other replies to the same problem."""
        return self.problem or self.row


class Explained(NamedTuple):
    """A wrong reply with its causes; `sentence` is empty where chance would explain an answer like it."""

    row: str
    causes: tuple[str, ...]
    sentence: str
    chance: float | None  # share of other problems' wrong answers that something would explain in this place
    nulls: Mapping[str, float]  # the same, by cause


def explain_all(mistakes: Sequence[Mistake], questions: Mapping[str, Question | None]) -> list[Explained]:
    """Every wrong reply explained, with what chance would explain measured on the other wrong replies."""
    pool = _Pool.of(mistakes)
    made: list[Explained | None] = [None] * len(mistakes)
    # The mistakes of one question are searched together: in many variants of a dataset most rows stand as they were.
    places: dict[Question, list[int]] = {}
    for place, mistake in enumerate(mistakes):
        question = questions.get(mistake.row)
        if mistake.answer is None or question is None:
            made[place] = Explained(mistake.row, (_unsearched(mistake),), "", None, {})
        else:
            places.setdefault(question, []).append(place)
    for question, some in places.items():
        candidates = Candidates(question)
        for place in some:
            made[place] = _one(candidates, mistakes[place], pool)
    return [one for one in made if one is not None]


def _unsearched(mistake: Mistake) -> str:
    """The cause of a wrong reply for which no calculation can be looked for."""
    if mistake.truncated:
        return TRUNCATED
    if mistake.answer is not None:
        return UNEXPLAINED
    return OTHER_WORDS if mistake.worded else NOT_FOUND


def _one(candidates: Candidates, mistake: Mistake, pool: _Pool) -> Explained:
    assert mistake.answer is not None
    found, said = _explained(candidates, _ratio(mistake.answer), mistake.stated)
    chance, nulls = _chance(candidates, mistake.own, _size(mistake.answer), pool)
    causes = tuple(dict.fromkeys(one.cause for one in found)) or (UNEXPLAINED,)
    sure = len(causes) == 1 and (said or (chance is not None and chance < CHANCE))
    sentence = found[0].sentence if found and sure else ""
    return Explained(mistake.row, causes, sentence, chance, nulls)


@dataclass(frozen=True)
class Line:
    """A cause in a table: its share of the wrong replies, an interval, and the share that chance gives."""

    cause: str
    count: float  # a reply with several causes counts by share
    share: float
    interval: tuple[float, float]
    null: float | None
    above_chance: bool


def table(explained: Sequence[Explained], *, alpha: float = intervals.ALPHA) -> list[Line]:
    """The causes of these wrong replies; intervals hold for all lines together (Bonferroni)."""
    total = len(explained)
    lines = []
    present = [cause for cause in CAUSES if any(cause in one.causes for one in explained)]
    for cause in present:
        count = sum(1 / len(one.causes) for one in explained if cause in one.causes)
        low, high = intervals.wilson(count, total, alpha / len(present))
        measured = [one.nulls.get(cause, 0.0) for one in explained if one.chance is not None]
        null = sum(measured) / total if measured and cause in SEARCHED else None
        lines.append(Line(cause, count, count / total, (low, high), null, null is not None and low > null))
    return lines


@dataclass(frozen=True)
class Memorised:
    """How often a wrong answer is the original's, how often chance gives that, and the chance of as many."""

    rows: int
    count: int
    expected: float
    p_value: float


def memorised(explained: Sequence[Explained]) -> Memorised:
    """Whether wrong answers are the unperturbed problems' more often than chance gives.

    A model that has learnt published answers by heart gives them to the perturbed problems too.
    """
    rates = [one.nulls.get(ORIGINAL, 0.0) for one in explained if one.chance is not None]
    count = sum(ORIGINAL in one.causes for one in explained if one.chance is not None)
    # Laplace's rule keeps a rate that was never seen from being impossible.
    rates = [(rate * _NEIGHBOURS + 1) / (_NEIGHBOURS + 2) for rate in rates]
    return Memorised(len(rates), count, sum(rates), _tail(rates, count))


def _tail(rates: Sequence[float], count: int) -> float:
    """The chance of at least `count` successes of independent trials with these rates."""
    if not count:
        return 1.0
    if len(rates) * count > 4_000_000:  # Chernoff's bound, which errs on the safe side
        mean = sum(rates)
        return 1.0 if count <= mean else math.exp(count - mean - count * math.log(count / mean))
    fewer = [1.0] + [0.0] * (count - 1)
    for rate in rates:
        for k in range(count - 1, 0, -1):
            fewer[k] += rate * (fewer[k - 1] - fewer[k])
        fewer[0] *= 1 - rate
    return max(0.0, 1.0 - math.fsum(fewer))


class _Pool(NamedTuple):
    """The wrong answers of all rows by size: how large, which ratio, to which problem."""

    sizes: list[float]
    ratios: list[Ratio]
    problems: list[str]

    @classmethod
    def of(cls, mistakes: Sequence[Mistake]) -> _Pool:
        # One answer to many variants of a problem is one answer.
        answers = {(one.answer, one.own) for one in mistakes if one.answer is not None}
        known = sorted((_size(answer), _ratio(answer), problem) for answer, problem in answers)
        return cls(*(list(column) for column in zip(*known, strict=True))) if known else cls([], [], [])


def _chance(
    candidates: Candidates, own: str, size: float, pool: _Pool
) -> tuple[float | None, dict[str, float]]:
    """The share of other problems' wrong answers of about this size that something explains in this place."""
    gold = candidates.question.gold
    low = max(0, bisect_left(pool.sizes, size) - _NEIGHBOURS // 2)
    near = slice(low, low + _NEIGHBOURS)
    if own in pool.problems[near] or gold in pool.ratios[near]:
        pairs = zip(pool.ratios[near], pool.problems[near], strict=True)
        others = [other for other, problem in pairs if problem != own and other != gold]
    else:
        others = pool.ratios[near]
    if len(others) < _FEWEST_NEIGHBOURS:
        return None, {}
    hits = candidates.causes(others)
    counts: dict[str, float] = {}
    for causes in hits:
        for cause in causes:
            counts[cause] = counts.get(cause, 0.0) + 1 / len(causes)
    # Laplace's rule: no rate is nought because a hundred answers did not show it.
    tried = len(others)
    return (len(hits) + 1) / (tried + 2), {cause: count / tried for cause, count in counts.items()}


def _ratio(value: Fraction) -> Ratio:
    return value.numerator, value.denominator


def _size(value: Fraction) -> float:
    """How large a number is, on a scale on which 10 and 100 are as far apart as 100 and 1000."""
    try:
        return math.log1p(abs(float(value)))
    except OverflowError:
        return 1e9
