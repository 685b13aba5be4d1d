"""Causes of wrong answers, found by exact search over the problem's numbers.

Each kind of mistake gives a set of calculations. An answer that is the value of one of them has that cause.
Many small numbers are such a value by chance. The chance is estimated from the wrong answers of other rows,
and every share is shown with it (`Tally.table`).
"""

from __future__ import annotations

import math
from array import array
from bisect import bisect_left
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from fractions import Fraction
from typing import NamedTuple

from dnc_metrics import intervals
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
    Tree,
    calculation,
    evaluate,
    infix,
    misreadings,
    operators,
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
    "Pool",
    "Question",
    "Search",
    "Tally",
    "explain",
    "explain_all",
    "tallied",
]

OTHER_WORDS = "another answer in words"  # yes for no, another span
NOT_FOUND = "no answer found"
TRUNCATED = "truncated"
UNEXPLAINED = "unexplained"
# Causes that the search can find, in the order of tables.
SEARCHED = (
    DISTRACTOR, LEFT_OUT, OTHER_OPERATION, SWAPPED, MISREAD, REPEATED, STEP, ORIGINAL, ROUNDING, SCALE,
)  # fmt: skip
CAUSES = (*SEARCHED[:5], SLIP, *SEARCHED[5:], OTHER_WORDS, NOT_FOUND, TRUNCATED, UNEXPLAINED)

# A row gets a sentence only if the share of similar answers that have some cause is below this.
CHANCE = 0.05
# The maximum probability that a sentence is due to chance, given the frequency of its cause.
FALSE_STORIES = 0.1
# Number of wrong answers of other rows, the nearest in size, that estimate the chance; with fewer, there is
# none.
_NEIGHBOURS = 120
_FEWEST_NEIGHBOURS = 20
_MAX_CANDIDATES = 1000  # questions whose wrong answers are cached


def explain(question: Question, answer: Fraction, stated: str = "") -> list[Explanation]:
    """Return every mistake that leads from the question to this wrong answer; empty if none does.

    `stated` is the calculation that the model wrote, if any. If it is right and the answer is not, the cause
    is an arithmetic slip. If a mistake has the same form, only such mistakes remain. If it gives the answer
    and no known mistake matches, its numbers and operators determine the cause.

    >>> row = {"body": "Tom had 12 (not 87) pens and lost 3.", "question": "How many are left?",
    ...        "equation": "12 - 3", "answer": "9"}
    >>> explain(Question.of(row), Fraction(84))
    [Explanation(cause='used a distractor', sentence='87 - 3 uses 87, which does not count')]
    """
    return _explained(Candidates(question), _ratio(answer), stated)[0]


def _explained(candidates: Candidates, answer: Ratio, stated: str) -> tuple[list[Explanation], bool]:
    """Return the explanations, and whether the model itself states its mistake, which excludes chance."""
    question = candidates.question
    tree, leaves = calculation(stated)
    gold = question.gold
    if tree is not None and question.tree is not None and gold and evaluate(tree, leaves) == gold:
        return [Explanation(SLIP, f"{stated} is {written(gold)}")], True
    found = candidates.explain(answer)
    if tree is not None:
        says = gives(tree, leaves, answer)
        form = shape(tree, leaves)
        same = list(dict.fromkeys(one for one, its in found if its == form))
        if same:
            return same, says
        read = mistake(question, tree, leaves) if says else None
        if read is not None:
            return [read], True
    return list(dict.fromkeys(one for one, _ in found)), False


class Mistake(NamedTuple):
    """A wrong reply: its row, the answer that was read, and the calculation that it states."""

    row: str  # joins it to its question
    answer: Fraction | None
    stated: str = ""
    truncated: bool = False
    # The problem that the row was derived from. Equal answers to its variants are not due to chance.
    problem: str = ""
    # whether it gives an answer that is not a number
    worded: bool = False

    @property
    def own(self) -> str:
        """Return the group whose answers are not used for the chance: replies to the same problem."""
        return self.problem or self.row


class Explained(NamedTuple):
    """A wrong reply with its causes; `sentence` is empty if chance would explain a similar answer."""

    row: str
    causes: tuple[str, ...]
    sentence: str
    chance: float | None  # share of other problems' wrong answers that some cause would explain for this row
    nulls: Mapping[str, float]  # the same, by cause
    stated: bool = False  # the model's own calculation shows the mistake


def explain_all(mistakes: Sequence[Mistake], questions: Mapping[str, Question | None]) -> list[Explained]:
    """Return an explanation of every wrong reply, with the chance estimated from the other wrong replies."""
    search = Search(Pool(mistakes))
    explained = [search.explain(one, questions.get(one.row)) for one in mistakes]
    return [search.clear(one) for one in explained]


class Search:
    """Explains wrong replies one by one; `clear` then removes the sentences that are likely due to chance."""

    def __init__(self, pool: Pool) -> None:
        self._pool = pool
        # In many variants of a dataset most rows are the original's.
        self._candidates: dict[Question, Candidates] = {}
        self._measured = 0
        self._shares = dict.fromkeys(SEARCHED, 0.0)
        self._nulls = dict.fromkeys(SEARCHED, 0.0)

    def explain(self, mistake: Mistake, question: Question | None) -> Explained:
        """Return the causes of a wrong reply, before the causes of all replies are known."""
        if mistake.answer is None or question is None:
            return Explained(mistake.row, (_unsearched(mistake),), "", None, {})
        candidates = self._candidates.get(question)
        if candidates is None:
            if len(self._candidates) == _MAX_CANDIDATES:
                self._candidates.clear()
            candidates = self._candidates[question] = Candidates(question)
        explained = _one(candidates, mistake, self._pool)
        if explained.chance is not None:
            self._measured += 1
            for cause in explained.causes:
                if cause in self._shares:
                    self._shares[cause] += 1 / len(explained.causes)
            for cause, null in explained.nulls.items():
                self._nulls[cause] = self._nulls.get(cause, 0.0) + null
        return explained

    def forget(self) -> None:
        """Free the memory of the search after all wrong replies are explained."""
        self._candidates.clear()
        self._pool = Pool(())

    def clear(self, one: Explained) -> Explained:
        """Return an explanation without its sentence if it is likely due to chance.

        A cause that is only as frequent as chance explains nothing. The more frequent a cause is, the lower
        the probability that a row has it by chance (the local false discovery rate). All wrong replies must
        be explained first.
        """
        if one.stated or not one.sentence:
            return one
        cause = one.causes[0]
        excess = max(0.0, self._shares.get(cause, 0.0) - self._nulls.get(cause, 0.0))
        share = excess / max(1, self._measured)
        rate = (1 - share) * (one.nulls.get(cause, 0.0) * _NEIGHBOURS + 1) / (_NEIGHBOURS + 2)
        return one if rate <= FALSE_STORIES * (share + rate) else one._replace(sentence="")


def _unsearched(mistake: Mistake) -> str:
    """Return the cause of a wrong reply for which no calculation can be searched."""
    if mistake.truncated:
        return TRUNCATED
    if mistake.answer is not None:
        return UNEXPLAINED
    return OTHER_WORDS if mistake.worded else NOT_FOUND


def _one(candidates: Candidates, mistake: Mistake, pool: Pool) -> Explained:
    assert mistake.answer is not None
    found, said = _explained(candidates, _ratio(mistake.answer), mistake.stated)
    chance, nulls = _chance(candidates, mistake.own, _size(_ratio(mistake.answer)), pool)
    causes = tuple(dict.fromkeys(one.cause for one in found)) or (UNEXPLAINED,)
    sure = len(causes) == 1 and (said or (chance is not None and chance < CHANCE))
    sentence = found[0].sentence if found and sure else ""
    return Explained(mistake.row, causes, sentence, chance, nulls, said and bool(sentence))


@dataclass(frozen=True)
class Line:
    """A cause in a table: its share of the wrong replies, an interval, and the share by chance."""

    cause: str
    count: float  # a reply with several causes counts fractionally
    share: float
    interval: tuple[float, float]
    null: float | None
    above_chance: bool


class Tally:
    """Counter of the causes of wrong replies."""

    def __init__(self) -> None:
        self.total = 0
        self._counts: dict[str, float] = {}
        self._nulls: dict[str, float] = {}
        self._original = 0  # number of answers that are the original's
        self._rates: list[float] = []  # their chance, for each reply whose chance is known

    def add(self, one: Explained) -> None:
        """Count a wrong reply."""
        self.total += 1
        for cause in one.causes:
            self._counts[cause] = self._counts.get(cause, 0.0) + 1 / len(one.causes)
        if one.chance is None:
            return
        for cause, null in one.nulls.items():
            self._nulls[cause] = self._nulls.get(cause, 0.0) + null
        self._original += ORIGINAL in one.causes
        self._rates.append(one.nulls.get(ORIGINAL, 0.0))

    def table(self, alpha: float = intervals.ALPHA) -> list[Line]:
        """Return the lines of the causes; their intervals are simultaneous (Bonferroni)."""
        others = (cause for cause in self._counts if cause not in CAUSES)
        known = dict.fromkeys((*CAUSES[:-4], *others, *CAUSES[-4:]))
        present = [cause for cause in known if cause in self._counts]
        lines = []
        for cause in present:
            count = self._counts[cause]
            low, high = intervals.wilson(count, self.total, alpha / len(present))
            chance = self._nulls.get(cause, 0.0)
            is_measured = chance > 0 or (bool(self._rates) and cause in SEARCHED)
            null = chance / self.total if is_measured else None
            above = null is not None and low > null
            lines.append(Line(cause, count, count / self.total, (low, high), null, above))
        return lines

    def memorised(self) -> Memorised:
        """Test whether wrong answers are the unperturbed problems' more often than by chance.

        A model that has memorised published answers gives them to the perturbed problems too.
        """
        # Laplace's rule: a rate that was never observed is not zero.
        rates = [(rate * _NEIGHBOURS + 1) / (_NEIGHBOURS + 2) for rate in self._rates]
        return Memorised(len(rates), self._original, sum(rates), tail(rates, self._original))


def tallied(explained: Iterable[Explained]) -> Tally:
    """Return the tally of these wrong replies."""
    tally = Tally()
    for one in explained:
        tally.add(one)
    return tally


@dataclass(frozen=True)
class Memorised:
    """The number of wrong answers that are the original's, the number expected by chance, and the p-value."""

    rows: int
    count: int
    expected: float
    p_value: float


def tail(rates: Sequence[float], count: int) -> float:
    """Return the probability of at least `count` successes in independent trials with these rates."""
    if not count:
        return 1.0
    if len(rates) * count > 4_000_000:  # Chernoff's bound, which is conservative
        mean = sum(rates)
        return 1.0 if count <= mean else math.exp(count - mean - count * math.log(count / mean))
    fewer = [1.0] + [0.0] * (count - 1)
    for rate in rates:
        for k in range(count - 1, 0, -1):
            fewer[k] += rate * (fewer[k - 1] - fewer[k])
        fewer[0] *= 1 - rate
    return max(0.0, 1.0 - math.fsum(fewer))


class Pool:
    """The wrong answers of all rows, ordered by size: size, ratio, problem."""

    def __init__(self, mistakes: Iterable[Mistake]) -> None:
        # The same answer to several variants of a problem counts once.
        shared: dict[Ratio, Ratio] = {}
        answers = set()
        for one in mistakes:
            if one.answer is not None:
                ratio = _ratio(one.answer)
                answers.add((shared.setdefault(ratio, ratio), one.own))
        known = sorted(answers, key=lambda pair: (_size(pair[0]), *pair))
        answers.clear()
        self.sizes = array("d", (_size(ratio) for ratio, _ in known))
        self.ratios = [ratio for ratio, _ in known]
        self.problems = [problem for _, problem in known]


def _chance(
    candidates: Candidates, own: str, size: float, pool: Pool
) -> tuple[float | None, dict[str, float]]:
    """Return the share of other problems' wrong answers of similar size that some cause explains here."""
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
    # Laplace's rule: a rate that about a hundred answers did not show is not zero.
    tried = len(others)
    return (len(hits) + 1) / (tried + 2), {cause: count / tried for cause, count in counts.items()}


def _ratio(value: Fraction) -> Ratio:
    return value.numerator, value.denominator


def _size(value: Ratio) -> float:
    """Return the size of a number on a logarithmic scale."""
    try:
        return math.log1p(abs(value[0] / value[1]))
    except OverflowError:
        return 1e9


_HALF = Fraction(1, 200)  # answers are written with two or more decimals


def gives(tree: Tree, leaves: tuple[Ratio, ...], answer: Ratio) -> bool:
    """Return whether the calculation gives the answer, possibly rounded to two places."""
    value = evaluate(tree, leaves)
    return value is not None and (
        value == answer or (value[1] != 1 and abs(Fraction(*value) - Fraction(*answer)) <= _HALF)
    )


def mistake(question: Question, tree: Tree, leaves: tuple[Ratio, ...]) -> Explanation | None:
    """Return the mistake of a stated calculation, or None if it has numbers of unknown origin."""
    if question.tree is None:
        return None
    shown = infix(tree, leaves)
    wanted, used = Counter(question.leaves), Counter(leaves)
    missing, more = wanted - used, used - wanted
    strange = [value for value in more if value not in wanted]
    denied = [value for value in strange if value in question.numbers]
    if denied:
        named = " and ".join(map(written, denied))
        return Explanation(DISTRACTOR, f"{shown} uses {named}, which does not count")
    if strange:
        return _misread(question, shown, missing, strange)
    if missing:
        named = " and ".join(map(written, missing))
        return Explanation(LEFT_OUT, f"{shown} leaves out {named}")
    same = not more and Counter(operators(tree)) == Counter(operators(question.tree))
    cause = SWAPPED if same else OTHER_OPERATION
    return Explanation(cause, f"{shown} instead of {infix(question.tree, question.leaves)}")


def _misread(
    question: Question, shown: str, missing: Counter[Ratio], strange: list[Ratio]
) -> Explanation | None:
    """Return a misreading of one number: its old value, a digit less, or two digits swapped."""
    if len(strange) != 1 or len(missing) != 1:
        return None
    (value,), (wrong,) = missing, strange
    before = question.before[question.leaves.index(value)] if question.before else None
    if wrong not in misreadings(value, before):
        return None
    return Explanation(MISREAD, f"{shown} reads {written(wrong)} for {written(value)}")
