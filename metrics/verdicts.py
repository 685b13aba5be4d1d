"""Verdicts on drops of accuracy: tests over templates, adjusted for the lines that are judged together.

The unit of evidence is the template (or passage, table, conversation, seed problem), since its rows succeed
and fail together. `docs/explanation/verdicts.md` explains the method, and `benchmarks/verdict_simulation.py`
measures its errors.
"""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Callable, Hashable, Mapping, Sequence
from dataclasses import dataclass
from functools import cache, cached_property, lru_cache
from statistics import NormalDist
from typing import Any, NamedTuple

from dnc_metrics import intervals

# Name of this method in records; records of another method are re-judged when they are read.
METHOD = "templates/2"
ALPHA = intervals.ALPHA
# The drop that "no drop" rules out, as a share of rows; to be set before looking at results.
MARGIN = 0.05
# A perturbation that changes fewer templates has no verdict; its rows count in its capability.
FEWEST_TEMPLATES = 30
# Multiple of the margin that must be right before the change for "no drop": who is never right loses nothing.
LEAST_RIGHT = 4

DROP, SMALL_DROP, GAIN = "drop", "small drop", "gain"
NO_DROP, OPEN = "no drop above the margin", "open"
POINTS_TO_DROP, POINTS_TO_GAIN = "points to a drop", "points to a gain"
TOO_FEW, EXPLORATORY = "too few templates", "exploratory"
RARELY_RIGHT = "too rarely right"
CANNOT_SEE = "cannot see values"
NEEDS, NEEDS_NOT = "needs {}", "does not need {}"
SAME_ROWS = "same rows as {}"
# From best to worst. Losing one more row never moves a line towards the front.
RANKING = (GAIN, NO_DROP, POINTS_TO_GAIN, OPEN, POINTS_TO_DROP, SMALL_DROP, DROP)

_NORMAL = NormalDist()
_STEP, _LOWEST, _HIGHEST = 0.005, -34.0, 12.0  # the grid of the integral in `p_clear`, in logarithms
_CERTAIN = 12.0  # standard deviations from which a probability is 0 or 1


@dataclass(frozen=True)
class Sample:
    """Paired outcomes by template: the rows of each, and their losses minus gains.

    `scale` is the largest difference of one row: 1 between two outcomes, 2 between the drops of two systems.
    """

    sizes: tuple[int, ...]
    sums: tuple[int, ...]
    lost: int
    gained: int
    scale: int = 1

    @property
    def rows(self) -> int:
        """Return the number of rows, each counted `scale` times."""
        return sum(self.sizes)

    @property
    def templates(self) -> int:
        return len(self.sizes)

    @property
    def drop(self) -> float:
        """Return the mean difference per row."""
        return self.scale * (self.lost - self.gained) / self.rows

    @cached_property
    def effective_pairs(self) -> tuple[float, float, float]:
        """Return the lost, gained and all pairs of an independent sample with the same evidence."""
        effect = intervals.design_effect(self.sizes, self.sums, self.lost + self.gained)
        return self.lost / effect, self.gained / effect, self.rows / effect


def sample(differences: Sequence[int], groups: Sequence[Hashable]) -> Sample:
    """Sum the differences (+1 lost, -1 gained) of rows by their templates.

    >>> sample([1, 0, -1, 0], ["a", "a", "b", "b"])
    Sample(sizes=(2, 2), sums=(1, -1), lost=1, gained=1, scale=1)
    """
    scale = max([1, *map(abs, differences)])
    sums = dict.fromkeys(groups, 0)
    for difference, group in zip(differences, groups, strict=True):
        sums[group] += difference
    sizes = Counter(groups)
    lost = sum(difference for difference in differences if difference > 0)
    return Sample(
        sizes=tuple(scale * sizes[group] for group in sums),
        sums=tuple(sums.values()),
        lost=lost,
        gained=lost - sum(differences),
        scale=scale,
    )


def p_drop(of: Sample) -> float:
    """Return the p-value of a drop: the exact two-sided sign flip of the templates' sums; 1 without loss."""
    return intervals.sign_flip(of.sums) if of.lost > of.gained else 1.0


def p_gain(of: Sample) -> float:
    """Return the p-value of a gain, the mirror image of `p_drop`."""
    return intervals.sign_flip(of.sums) if of.gained > of.lost else 1.0


def p_clear(of: Sample, margin: float = MARGIN) -> float:
    """Return the p-value that the drop is at least the margin: small if such a drop is ruled out.

    Gaffke's bound for the mean of bounded values: templates get random (Dirichlet) weights, and one imagined
    template that is completely lost is added. It increases with every lost row. With one row per template and
    no gain it is the exact binomial test. Without a loss it is (1 - margin) ** templates.

    >>> round(p_clear(sample([0] * 86, range(86))), 4), round(p_clear(sample([1] + [0] * 124, range(125))), 4)
    (0.0121, 0.0124)
    """
    kinds = tuple(sorted(Counter(zip(of.sums, of.sizes, strict=True)).items()))
    return _p_clear(kinds, margin / of.scale)


@lru_cache(maxsize=65_536)
def _p_clear(kinds: tuple[tuple[tuple[int, int], int], ...], margin: float) -> float:
    templates = sum(count for _, count in kinds)
    rows = sum(size * count for (_, size), count in kinds)
    weights = [(total - margin * size, count) for (total, size), count in kinds]
    weights.append(((1 - margin) * rows / templates, 1))
    return max((1 - margin) ** templates, _chance_of_positive(weights))


def _chance_of_positive(weights: Sequence[tuple[float, int]]) -> float:
    """Return the probability that a sum of weighted exponential variables, (weight, count) each, is positive.

    Gil-Pelaez's inversion of the characteristic function, by the trapezoid rule over its argument's
    logarithm.
    """
    import numpy as np

    deviation = math.sqrt(sum(count * weight * weight for weight, count in weights))
    if not deviation:
        return 1.0
    mean = sum(count * weight for weight, count in weights) / deviation
    if abs(mean) > _CERTAIN:
        return 1.0 if mean > 0 else 0.0
    at = _grid() / deviation
    size, phase = np.zeros_like(at), np.zeros_like(at)
    for weight, count in weights:
        weighted = weight * at
        size += count * np.log1p(weighted**2)
        phase += count * np.arctan(weighted)
    integral = float((np.exp(-size / 2) * np.sin(phase)).sum()) * _STEP
    return min(1.0, max(0.0, 0.5 + integral / math.pi))


@cache
def _grid() -> Any:
    """Return the points of the integral in `_chance_of_positive`."""
    import numpy as np

    return np.exp(np.arange(_LOWEST, _HIGHEST, _STEP))


def interval(of: Sample, alpha: float = ALPHA) -> tuple[float, float]:
    """Return the two-sided interval of the drop for this line alone: Tango's on effective pairs.

    Zero is inside exactly if the sign flip does not reject it; an inconsistent end is moved to zero.
    """
    low, high = intervals.paired_difference(*of.effective_pairs, alpha)
    if min(p_drop(of), p_gain(of)) >= alpha:
        low, high = min(low, 0.0), max(high, 0.0)
    elif of.drop > 0:
        low = max(low, 0.0)
    else:
        high = min(high, 0.0)
    return of.scale * low, of.scale * high


def at_most(of: Sample, alpha: float = ALPHA) -> float:
    """Return the one-sided bound of the drop for this line alone, the inverse of `p_clear`."""
    low, high = 0.0, float(of.scale)
    for _ in range(20):
        middle = (low + high) / 2
        low, high = (low, middle) if p_clear(of, middle) < alpha else (middle, high)
    return high


def hochberg(p_values: Sequence[float]) -> list[float]:
    """Return Hochberg's adjusted p-values, in the given order; they control the family-wise error rate.

    >>> hochberg([0.01, 0.04, 0.03])
    [0.03, 0.04, 0.04]
    """
    return _step_up(p_values, lambda rank, count: count - rank)


def benjamini_hochberg(p_values: Sequence[float]) -> list[float]:
    """Return Benjamini and Hochberg's adjusted p-values, in the given order, for a false discovery rate.

    >>> benjamini_hochberg([0.01, 0.04, 0.03])
    [0.03, 0.04, 0.04]
    """
    return _step_up(p_values, lambda rank, count: count / (rank + 1))


def _step_up(p_values: Sequence[float], factor: Callable[[int, int], float]) -> list[float]:
    count = len(p_values)
    adjusted = [0.0] * count
    lowest = 1.0
    order = sorted(range(count), key=p_values.__getitem__)
    for rank in reversed(range(count)):
        lowest = min(lowest, factor(rank, count) * p_values[order[rank]])
        adjusted[order[rank]] = lowest
    return adjusted


class Judgement(NamedTuple):
    """Verdict of a line, with the p-values of the drop or gain (adjusted and alone) and of the all-clear."""

    verdict: str
    p: float
    p_alone: float
    p_clear: float


Adjust = Callable[[Sequence[float]], list[float]]


def judge(
    samples: Mapping[str, Sample], adjust: Adjust, margin: float = MARGIN, alpha: float = ALPHA
) -> dict[str, Judgement]:
    """Judge lines together. Drops, gains and all-clears are three families, each adjusted separately.

    >>> rows = {"bad": sample([1] * 20 + [0] * 80, range(100)), "good": sample([0] * 100, range(100))}
    >>> [line.verdict for line in judge(rows, hochberg).values()]
    ['drop', 'no drop above the margin']
    """
    names = list(samples)
    drops, gains = ([test(samples[name]) for name in names] for test in (p_drop, p_gain))
    clears = [p_clear(samples[name], margin) for name in names]
    lines = {}
    for at, (drop, gain, clear) in enumerate(zip(adjust(drops), adjust(gains), adjust(clears), strict=True)):
        points = POINTS_TO_DROP if drops[at] < alpha else POINTS_TO_GAIN if gains[at] < alpha else OPEN
        verdict = _verdict(drop < alpha, gain < alpha, clear < alpha, points)
        lines[names[at]] = Judgement(verdict, min(drop, gain), min(drops[at], gains[at]), clear)
    return lines


def explore(of: Sample, margin: float = MARGIN, alpha: float = ALPHA) -> Judgement:
    """Judge an exploratory line, which may point to a drop or gain, but never has a verdict."""
    drop, gain = p_drop(of), p_gain(of)
    points = POINTS_TO_DROP if drop < alpha else POINTS_TO_GAIN if gain < alpha else EXPLORATORY
    alone = min(drop, gain)
    return Judgement(points, alone, alone, p_clear(of, margin))


def _verdict(drop: bool, gain: bool, clear: bool, otherwise: str) -> str:
    if drop:
        return SMALL_DROP if clear else DROP
    if gain:
        return GAIN
    return NO_DROP if clear else otherwise


def probe(retained: Sample, part: str, alpha: float = ALPHA) -> str:
    """Return the verdict of a probe, which removes a part that a solver must need.

    `retained` has the rows that were right before, as lost if they are wrong now. A system that still answers
    more than half of them does not need the part.
    """
    low, high = retained_share(retained, alpha)
    return NEEDS_NOT.format(part) if low > 0.5 else NEEDS.format(part) if high < 0.5 else OPEN


def retained_share(retained: Sample, alpha: float = ALPHA) -> tuple[float, float]:
    """Return the interval of the share of rows that are still right."""
    lost, _, rows = retained.effective_pairs
    return intervals.wilson(rows - lost, rows, alpha)
