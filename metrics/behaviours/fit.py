"""Chooses the behaviours that explain wrong answers on half of the clusters, and tests them on the other half.

A behaviour is chosen by its likelihood. Answers that it predicts increase the likelihood. Right answers and
other wrong answers decrease it, where it predicts a mistake. The reported figures come from the other half.
"""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from fractions import Fraction

from dnc_metrics import intervals
from dnc_metrics.behaviours.case import Case
from dnc_metrics.behaviours.evidence import (
    FEWEST_NEIGHBOURS,
    MAX_RIGHT,
    MAX_WRONG,
    Reply,
    Sample,
    Wrong,
    order,
    wrong_answers,
)
from dnc_metrics.behaviours.memory import gives_one_answer
from dnc_metrics.behaviours.registry import Behaviour, behaviours
from dnc_metrics.causes import tail

_MOST = 3  # maximum number of behaviours in a report
_FEWEST_CLUSTERS = 8  # minimum number of clusters of the reporting half, with wrong answers, for a behaviour
_FEWEST_SHARE = 0.1  # of these rows; a rarer behaviour is not reported
_CONSTANT_SHARE = 0.4  # of all wrong answers; a few frequent numbers are no behaviour
_LIFT = 2  # the lower end of the interval must be this multiple of the chance
_EVIDENCE = 3.0  # natural logarithm of the likelihood ratio that separates two behaviours
_WEIGHTS = (*(step / 50 for step in range(1, 50)), 0.99)


@dataclass(frozen=True)
class Fitted:
    """A behaviour of a system, with its figures on the clusters that did not choose it."""

    behaviour: Behaviour
    rows: int  # wrong answers on rows for which the behaviour predicts a distinct answer
    clusters: int
    count: int  # number of these answers that it predicts
    interval: tuple[float, float]
    chance: float
    p: float  # adjusted for all behaviours that were tried
    tried: int
    rivals: tuple[Behaviour, ...] = ()  # behaviours that these rows cannot separate from it

    @property
    def share(self) -> float:
        """Return the share of these wrong answers that the behaviour predicts."""
        return self.count / self.rows


def fit(replies: Iterable[Reply]) -> tuple[Fitted, ...]:
    """Return the behaviours that explain the wrong answers better than chance, the best first.

    The replies are iterated twice.
    """
    known = Sample(MAX_WRONG)
    clusters: set[str] = set()
    total = right = 0
    for one in replies:
        total += 1
        right += one.right
        clusters.add(one.cluster)
        if not one.right and one.answer is not None:
            known.add(one)
    if known.count < FEWEST_NEIGHBOURS:
        return ()
    tried = behaviours()
    wrong = wrong_answers(known.replies(), tried)
    first = _first_half(wrong, clusters)
    chosen = [one for one in wrong if one.reply.cluster in first]
    reported = [one for one in wrong if one.reply.cluster not in first]
    accuracy = min(0.98, max(0.02, right / total))
    constant = _constant(chosen, reported, len(tried) + 1)
    if constant:
        chosen, reported = (
            [one for one in some if one.reply.answer != constant[1]] for some in (chosen, reported)
        )
    half = _Half(chosen, _right_rows(replies, first, tried), accuracy)
    return (*([constant[0]] if constant else ()), *_greedy(half, reported, tried))[:_MOST]


def _constant(
    chosen: Sequence[Wrong], reported: Sequence[Wrong], tried: int
) -> tuple[Fitted, Fraction] | None:
    """Return the behaviour of giving one answer to many problems, and that answer.

    The chance cannot be estimated from wrong answers to other problems, because they are the same answer. It
    is the share of the most frequent right answer, which a system that only mixes up problems would not
    exceed.
    """
    if not chosen:
        return None
    answer, _ = Counter(one.reply.answer for one in chosen).most_common(1)[0]
    if answer is None:
        return None
    clusters = {one.reply.cluster: one for one in sorted(reported, key=_arbitrary)}
    if len(clusters) < _FEWEST_CLUSTERS:
        return None
    golds = Counter(str(one.reply.row["answer"]) for one in clusters.values())
    chance = (max(golds.values()) + 1) / (len(clusters) + 1)
    count = sum(one.reply.answer == answer for one in reported)
    hits = sum(one.reply.answer == answer for one in clusters.values())
    p = min(1.0, tried * tail([chance] * len(clusters), hits))
    low, high = intervals.wilson(count / len(reported) * len(clusters), len(clusters))
    if p >= intervals.ALPHA or count < _CONSTANT_SHARE * len(reported) or low <= _LIFT * chance:
        return None
    behaviour = gives_one_answer((answer.numerator, answer.denominator))
    found = Fitted(behaviour, len(reported), len(clusters), count, (low, high), chance, p, tried)
    return found, answer


def _first_half(wrong: Sequence[Wrong], clusters: set[str]) -> set[str]:
    """Return every second cluster in a hash order, of those with wrong answers and of the others."""
    failing = {one.reply.cluster for one in wrong}
    return {*sorted(failing, key=order)[::2], *sorted(clusters - failing, key=order)[::2]}


def _right_rows(replies: Iterable[Reply], first: set[str], tried: Sequence[Behaviour]) -> list[float]:
    """Return the number of right rows of these clusters to which each behaviour applies."""
    right = Sample(MAX_RIGHT)
    for one in replies:
        if one.right and one.cluster in first:
            right.add(one)
    some = right.replies()
    counts = [0.0] * len(tried)
    weight = right.count / len(some) if some else 0.0
    for one in some:
        case = Case.of(one.row)
        if case is not None:
            for number, behaviour in enumerate(tried):
                counts[number] += weight * bool(behaviour.answers(case))
    return counts


@dataclass(frozen=True)
class _Half:
    """The half of the clusters on which behaviours are chosen."""

    wrong: Sequence[Wrong]
    right: Sequence[float]  # for each behaviour, the number of right rows to which it applies
    accuracy: float

    def gain(self, number: int, explained: int) -> tuple[float, float]:
        """Return a behaviour's log likelihood ratio, and the ratio scaled to one row per cluster.

        Rows that a behaviour in `explained` predicts are excluded.
        """
        hits, clusters, others = [], set(), self.right[number]
        for one in self.wrong:
            if one.hits & explained:
                continue
            if one.is_hit(number):
                hits.append((1 - self.accuracy) * one.chance[number])
                clusters.add(one.reply.cluster)
            elif one.applies >> number & 1:
                others += 1
        if not hits:
            return 0.0, 0.0
        best = max(
            sum(math.log((weight + (1 - weight) * rate) / rate) for rate in hits)
            + others * math.log(1 - weight)
            for weight in _WEIGHTS
        )
        return best, best * len(clusters) / len(hits)


def _greedy(half: _Half, reported: Sequence[Wrong], tried: Sequence[Behaviour]) -> Iterable[Fitted]:
    """Yield the behaviour with the largest gain, then the best for the remaining rows, and so on."""
    explained, refused = 0, set[int]()
    needed = _EVIDENCE + math.log(len(tried))
    accepted = 0
    while accepted < _MOST:
        gains = {
            number: half.gain(number, explained)
            for number in range(len(tried))
            if number not in refused and not explained >> number & 1
        }
        best = max(gains, key=lambda number: gains[number][0], default=None)
        if best is None or gains[best][1] < needed:
            return
        rivals = _rivals(best, gains, tried)
        fitted = _tested(best, rivals, explained, reported, tried)
        if fitted is None:
            refused.add(best)
        else:
            explained |= 1 << best
            accepted += 1
            yield fitted


def _rivals(best: int, gains: Mapping[int, tuple[float, float]], tried: Sequence[Behaviour]) -> list[int]:
    """Return the behaviours that the choosing half cannot separate from the best one."""
    gain, separate = gains[best]
    scale = separate / gain
    return [
        number
        for number, (other, _) in gains.items()
        if number != best and (gain - other) * scale < _EVIDENCE and not tried[best].related(tried[number])
    ]


def _tested(
    number: int, rivals: Sequence[int], explained: int, reported: Sequence[Wrong], tried: Sequence[Behaviour]
) -> Fitted | None:
    """Return the figures of a behaviour on the reporting half, or None if chance explains them."""
    rows = [one for one in reported if one.applies >> number & 1 and not one.hits & explained]
    separable = [one for one in rows if _differs(one, number, rivals)]
    left = tuple(tried[rival] for rival in rivals)
    if len({one.reply.cluster for one in separable}) >= _FEWEST_CLUSTERS:
        rows, left = separable, ()
    clusters = {one.reply.cluster: one for one in sorted(rows, key=_arbitrary)}
    if len(clusters) < _FEWEST_CLUSTERS:
        return None
    count = sum(one.is_hit(number) for one in rows)
    chance = math.fsum(one.chance[number] for one in rows) / len(rows)
    # One row per cluster: rows of one template are one piece of evidence.
    rates = sorted(one.chance[number] for one in clusters.values())
    p = min(1.0, len(tried) * tail(rates, sum(one.is_hit(number) for one in clusters.values())))
    low, high = intervals.wilson(count / len(rows) * len(clusters), len(clusters))
    if p >= intervals.ALPHA or count < _FEWEST_SHARE * len(rows) or low <= _LIFT * chance:
        return None
    return Fitted(tried[number], len(rows), len(clusters), count, (low, high), chance, p, len(tried), left)


def _differs(one: Wrong, number: int, rivals: Sequence[int]) -> bool:
    """Return whether a behaviour predicts an answer for this row that none of its rivals predicts."""
    own = one.predictions[number]
    return not any(own & one.predictions[rival] for rival in rivals if rival in one.predictions)


def _arbitrary(one: Wrong) -> bytes:
    """Return a key that gives rows an order independent of their place in the file."""
    return order(f"{one.reply.config}\t{one.reply.row['id']}")
