"""Statistics of paired comparisons: tests, intervals, power, multiple comparisons."""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from statistics import NormalDist
from typing import Any

from dnc_datasets.yes_no_balance import even
from dnc_metrics.errors import MetricError

ALPHA = 0.05
RESAMPLES = 10_000
_NORMAL = NormalDist()
_CHUNK = 1000  # number of resamples drawn at a time, which bounds the memory
_MAX_WHOLE = 1000  # number of disagreeing pairs up to which McNemar's sum uses integers
_MAX_SPREAD = 200_000  # the largest possible difference whose distribution is computed


def wilson(right: float, count: float, alpha: float = ALPHA) -> tuple[float, float]:
    """Return the Wilson score interval of a share; it stays within 0 and 1, and is sound for small counts.

    >>> wilson(83, 122)
    (0.593158027110361, 0.7564882692083557)
    """
    if count <= 0 or not 0 <= right <= count:
        raise MetricError(f"no interval for {right} of {count}; the count must be positive and not below it")
    z = _NORMAL.inv_cdf(1 - alpha / 2)
    share = right / count
    middle = share + z * z / (2 * count)
    half = z * math.sqrt(share * (1 - share) / count + z * z / (4 * count * count))
    scale = 1 + z * z / count
    # The ends are exact for shares of 0 and 1, which floats would miss slightly.
    low = (middle - half) / scale if right > 0 else 0.0
    high = (middle + half) / scale if right < count else 1.0
    return max(0.0, low), min(1.0, high)


def mcnemar(lost: int, gained: int) -> float:
    """Return the exact two-sided p-value that losses and gains are equally likely; 1 without disagreement.

    >>> mcnemar(6, 0), mcnemar(0, 0)
    (0.03125, 1.0)
    """
    count, few = lost + gained, min(lost, gained)
    if lost < 0 or gained < 0:
        raise MetricError(f"counts cannot be negative: {lost} lost, {gained} gained")
    if count <= _MAX_WHOLE or 2 * few >= count - 1:
        return even(lost, gained)
    # Sum the tail from its largest term; each next one is smaller by a known ratio.
    term = total = 1.0
    for k in range(few, 0, -1):
        term *= k / (count - k + 1)
        total += term
        if term < total * 1e-17:
            break
    return min(1.0, 2 * _half_binomial(count, few) * total)


def sign_flip(differences: Sequence[int]) -> float:
    """Return the exact two-sided p-value of the sign-flip test over clusters.

    `differences` holds (losses - gains) of each cluster. With one question per cluster it is `mcnemar`.
    """
    sizes = Counter(abs(value) for value in differences if value)
    if set(sizes) <= {1}:
        lost = sum(value > 0 for value in differences)
        return mcnemar(lost, sizes[1] - lost)
    import numpy as np

    spread = sum(size * count for size, count in sizes.items())
    if spread > _MAX_SPREAD:
        raise MetricError(
            f"clusters that differ by {spread} rows in all; at most {_MAX_SPREAD} can be tested"
        )
    chances = np.ones(1)
    for size, count in sorted(sizes.items()):
        ways = np.zeros(size * count + 1)
        ways[::size] = [_half_binomial(count, k) for k in range(count + 1)]
        chances = np.convolve(chances, ways)
    # chances[k] is the probability that clusters of total size k are positive: the sum is 2k - spread.
    observed = abs(sum(differences))
    sums = np.abs(2 * np.arange(spread + 1) - spread)
    return min(1.0, float(chances[sums >= observed].sum()))


def _half_binomial(count: int, k: int) -> float:
    log = math.lgamma(count + 1) - math.lgamma(k + 1) - math.lgamma(count - k + 1) - count * math.log(2)
    return math.exp(log)


def bootstrap(
    sizes: Sequence[int],
    differences: Sequence[int],
    *,
    seed: int = 0,
    resamples: int = RESAMPLES,
    alpha: float = ALPHA,
) -> tuple[float, float]:
    """Return the percentile interval of sum(differences) / sum(sizes) under resampling of clusters.

    Clusters with the same size and difference are interchangeable. A resample is therefore one multinomial
    draw of their counts, not a list of clusters.
    """
    import numpy as np

    drops = [
        totals[:, 1] / totals[:, 0]
        for totals in _resampled(Counter(zip(sizes, differences, strict=True)), seed, resamples)
    ]
    low, high = np.quantile(np.concatenate(drops), [alpha / 2, 1 - alpha / 2])
    return float(low), float(high)


def taken_out(
    sizes: Sequence[int],
    right: Sequence[int],
    removed: Sequence[bool],
    *,
    seed: int = 0,
    resamples: int = RESAMPLES,
    alpha: float = ALPHA,
) -> tuple[float, float]:
    """Return the percentile interval of the change of accuracy when the removed clusters are left out.

    Removed and other clusters are resampled together, since the number of removed ones is random too.

    >>> [round(end, 2) for end in taken_out([1] * 40, [1] * 20 + [0] * 20, [True] * 10 + [False] * 30)]
    [-0.28, -0.08]
    """
    import numpy as np

    rows: Counter[tuple[int, ...]] = Counter(
        (size, hits, 0 if gone else size, 0 if gone else hits)
        for size, hits, gone in zip(sizes, right, removed, strict=True)
    )
    changes = []
    for totals in _resampled(rows, seed, resamples):
        left = totals[:, 2] > 0
        changes.append(totals[left, 3] / totals[left, 2] - totals[left, 1] / totals[left, 0])
    low, high = np.quantile(np.concatenate(changes), [alpha / 2, 1 - alpha / 2])
    return float(low), float(high)


def _resampled(kinds: Counter[tuple[int, ...]], seed: int, resamples: int) -> Iterator[Any]:
    """Yield the sums over resamples of clusters in chunks; `kinds` counts the clusters of each kind."""
    import numpy as np

    if not kinds:
        raise MetricError("nothing to draw from; give at least one pair")
    if resamples < 100:
        raise MetricError(f"{resamples} resamples are too few for an interval; use 1000 or more")
    table = np.array(sorted(kinds), dtype=np.int64)
    counts = np.array([kinds[kind] for kind in sorted(kinds)], dtype=np.int64)
    random = np.random.Generator(np.random.PCG64(seed))
    for start in range(0, resamples, _CHUNK):
        many = min(_CHUNK, resamples - start)
        yield random.multinomial(counts.sum(), counts / counts.sum(), size=many) @ table


def paired_difference(lost: float, gained: float, count: float, alpha: float = ALPHA) -> tuple[float, float]:
    """Return Tango's score interval of (lost - gained) / count over paired outcomes.

    Without disagreeing pairs it still has a width, since a few more pairs could change the difference.

    >>> [round(end, 3) for end in paired_difference(0, 0, 5)]
    [-0.434, 0.434]
    """
    if count <= 0 or lost < 0 or gained < 0 or lost + gained > count * (1 + 1e-9):
        raise MetricError(f"no interval for {lost} lost and {gained} gained of {count} pairs")
    z = _NORMAL.inv_cdf(1 - alpha / 2)
    observed = (lost - gained) / count
    low = _root(lambda drop: _tango(lost, gained, count, drop) - z, -1.0, observed)
    high = _root(lambda drop: _tango(lost, gained, count, drop) + z, observed, 1.0)
    return low, high


def _tango(lost: float, gained: float, count: float, drop: float) -> float:
    """Return Tango's statistic of a hypothetical drop, which decreases as the drop grows."""
    middle = -lost - gained + (2 * count - lost + gained) * drop
    product = -gained * drop * (1 - drop)
    share = (math.sqrt(max(0.0, middle * middle - 8 * count * product)) - middle) / (4 * count)
    variance = count * (2 * share + drop * (1 - drop))
    distance = lost - gained - count * drop
    if variance <= 0:
        return math.copysign(math.inf, distance) if distance else 0.0
    return distance / math.sqrt(variance)


def _root(function: Callable[[float], float], low: float, high: float) -> float:
    """Return the zero of a decreasing function between two points."""
    for _ in range(60):
        middle = (low + high) / 2
        low, high = (middle, high) if function(middle) > 0 else (low, middle)
    return (low + high) / 2


def design_effect(sizes: Sequence[int], totals: Sequence[int], squares: int) -> float:
    """Return the design effect of clusters: 1 if the rows of a cluster are independent.

    `totals` holds each cluster's sum of row values, `squares` the sum of the squares of all row values. An
    imagined cluster that is completely lost is added, so that the result does not jump with the first row
    that differs. The result is at least 1, so that clusters never increase the certainty.

    >>> design_effect([4] * 15, [0] * 15, 0), round(design_effect([4] * 15, [1] + [0] * 14, 1), 2)
    (4.0, 3.4)
    """
    count, total = sum(sizes), sum(totals)
    mean, usual = total / count, count / len(sizes)
    grouped = sum((value - size * mean) ** 2 for size, value in zip(sizes, totals, strict=True))
    return max(1.0, (grouped + usual * usual) / (squares - count * mean * mean + usual))


def holm(p_values: Sequence[float]) -> list[float]:
    """Return Holm's adjusted p-values, in the given order.

    >>> holm([0.01, 0.04, 0.03])
    [0.03, 0.06, 0.06]
    """
    adjusted = [0.0] * len(p_values)
    highest = 0.0
    order = sorted(range(len(p_values)), key=p_values.__getitem__)
    for rank, index in enumerate(order):
        highest = max(highest, min(1.0, (len(order) - rank) * p_values[index]))
        adjusted[index] = highest
    return adjusted
