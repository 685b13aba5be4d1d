"""The predictions of every behaviour for a system's answers, and the chance of their hits."""

from __future__ import annotations

import math
from bisect import bisect_left
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from fractions import Fraction
from hashlib import sha256
from typing import Any, NamedTuple

from dnc_metrics._mistakes import Ratio, lowest, rounds_to
from dnc_metrics.behaviours.case import Case
from dnc_metrics.behaviours.registry import Behaviour

# Maximum numbers of rows for a fit; larger runs give a sample of complete clusters.
MAX_WRONG = 2000
MAX_RIGHT = 1000
# Number of wrong answers of other clusters, the nearest in size, that estimate the chance of a row's answer.
_NEIGHBOURS = 120
FEWEST_NEIGHBOURS = 20
_DECIMALS = (100, 1000, 10_000)  # a model writes a fraction with two to four decimals


class Reply(NamedTuple):
    """A reply to a row: the number that was read, and the row's cluster, config and capability."""

    row: Mapping[str, Any]
    right: bool
    answer: Fraction | None
    cluster: str
    config: str
    capability: str


@dataclass(frozen=True)
class Wrong:
    """A wrong answer: the behaviours that apply to its row, those that predict it, and their chance."""

    reply: Reply
    applies: int  # one bit for each behaviour
    hits: int
    chance: Mapping[int, float]  # by the index of a behaviour that applies
    predictions: Mapping[int, frozenset[Ratio]]

    def is_hit(self, number: int) -> bool:
        """Return whether this behaviour predicts the answer."""
        return bool(self.hits >> number & 1)


def spellings(value: Ratio, gold: Ratio) -> Iterator[Ratio]:
    """Yield the value, and its decimal spellings unless they round the right answer."""
    yield value
    if value[1] != 1:
        for scale in _DECIMALS:
            rounded = lowest((2 * value[0] * scale + value[1]) // (2 * value[1]), scale)
            if rounded != value and not rounds_to(rounded, gold, scale):
                yield rounded


def predictions(case: Case, tried: Sequence[Behaviour]) -> dict[int, frozenset[Ratio]]:
    """Return the wrong answers of each behaviour that applies, by its index."""
    answers = {}
    for number, one in enumerate(tried):
        values = one.answers(case)
        if values:
            answers[number] = frozenset(way for value in values for way in spellings(value, case.gold))
    return answers


def wrong_answers(replies: Sequence[Reply], tried: Sequence[Behaviour]) -> list[Wrong]:
    """Return every wrong number with the behaviours that predict it and their chances of doing so."""
    pool = _Pool.of(replies)
    evidence = []
    for reply in replies:
        case = None if reply.answer is None else Case.of(reply.row)
        if case is None or reply.answer is None:
            continue
        predicted = predictions(case, tried)
        masks: dict[Ratio, int] = {}
        for number, values in predicted.items():
            for value in values:
                masks[value] = masks.get(value, 0) | 1 << number
        hits = masks.get(_ratio(reply.answer), 0)
        applies = sum(1 << number for number in predicted)
        evidence.append(
            Wrong(reply, applies, hits, pool.chance(reply, case.gold, predicted, masks), predicted)
        )
    return evidence


class Sample:
    """A sample: the first `most` replies by a hash of their clusters; fewer replies keep their order."""

    def __init__(self, most: int) -> None:
        self._most = most
        self._held: list[Reply] = []
        self.count = 0

    def add(self, reply: Reply) -> None:
        """Add a reply."""
        self.count += 1
        self._held.append(reply)
        if len(self._held) > 4 * self._most:
            self._held = self._first()

    def replies(self) -> list[Reply]:
        """Return the sample of the replies so far."""
        return self._held if self.count <= self._most else self._first()

    def _first(self) -> list[Reply]:
        return sorted(self._held, key=lambda one: (order(one.cluster), one.config))[: self._most]


def order(cluster: str) -> bytes:
    """Return a key that gives clusters an arbitrary order, the same in every run."""
    return sha256(cluster.encode("utf-8", "surrogatepass")).digest()


class _Pool:
    """The wrong answers of all rows by size."""

    def __init__(self, known: Sequence[tuple[float, Ratio, str]]) -> None:
        self.sizes = [size for size, _, _ in known]
        self.answers = [(answer, cluster) for _, answer, cluster in known]

    @classmethod
    def of(cls, replies: Sequence[Reply]) -> _Pool:
        # The same answer to several rows of a cluster counts once.
        pairs = {(_ratio(one.answer), one.cluster) for one in replies if one.answer is not None}
        return cls(sorted((_size(answer), answer, cluster) for answer, cluster in pairs))

    def chance(
        self, reply: Reply, gold: Ratio, predicted: Mapping[int, frozenset[Ratio]], masks: Mapping[Ratio, int]
    ) -> dict[int, float]:
        """Return the share of other clusters' wrong answers of similar size that each behaviour predicts."""
        assert reply.answer is not None
        low = max(0, bisect_left(self.sizes, _size(_ratio(reply.answer))) - _NEIGHBOURS // 2)
        counts = dict.fromkeys(predicted, 0)
        tried = 0
        for answer, cluster in self.answers[low : low + _NEIGHBOURS]:
            if cluster == reply.cluster or answer == gold:
                continue
            tried += 1
            mask = masks.get(answer, 0)
            while mask:
                number = (mask & -mask).bit_length() - 1
                counts[number] += 1
                mask &= mask - 1
        # Smoothing: no rate is zero after about a hundred answers, and more predictions hit more often.
        return {
            number: min(0.95, (count + len(predicted[number]) / 2) / (tried + len(predicted[number]) / 2 + 1))
            for number, count in counts.items()
        }


def _ratio(value: Fraction) -> Ratio:
    return value.numerator, value.denominator


def _size(value: Ratio) -> float:
    """Return the size of a number on a logarithmic scale."""
    try:
        return math.log1p(abs(value[0] / value[1]))
    except OverflowError:
        return 1e9
