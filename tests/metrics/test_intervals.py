"""Tests, intervals and power against scipy, against brute force, and by simulation."""

from __future__ import annotations

from itertools import pairwise, product

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy.stats import binomtest

from dnc_metrics import intervals
from dnc_metrics.errors import MetricError


@given(st.integers(0, 3000), st.integers(0, 3000))
def test_mcnemar_is_the_exact_binomial_test(lost: int, gained: int) -> None:
    expected = binomtest(lost, lost + gained, 0.5).pvalue if lost + gained else 1.0
    assert intervals.mcnemar(lost, gained) == pytest.approx(
        expected, rel=1e-9, abs=1e-200
    )  # scipy gives 0 before we do


def test_mcnemar_is_defined_where_nothing_disagrees() -> None:
    assert intervals.mcnemar(0, 0) == 1
    assert 0 < intervals.mcnemar(500_000, 501_500) < 1
    with pytest.raises(MetricError, match="negative"):
        intervals.mcnemar(-1, 2)


@given(st.lists(st.integers(-4, 4), max_size=9))
def test_sign_flip_is_exact(differences: list[int]) -> None:
    observed = abs(sum(differences))
    flips = list(product((-1, 1), repeat=len(differences)))
    sums = [abs(sum(s * d for s, d in zip(signs, differences, strict=True))) for signs in flips]
    assert intervals.sign_flip(differences) == pytest.approx(sum(s >= observed for s in sums) / len(flips))


def test_sign_flip_refuses_what_it_cannot_compute() -> None:
    with pytest.raises(MetricError, match="at most"):
        intervals.sign_flip([1000] * 300)


@given(st.integers(1, 5000), st.floats(0, 1))
def test_wilson_is_scipys(count: int, share: float) -> None:
    right = round(share * count)
    expected = binomtest(right, count).proportion_ci(method="wilson")
    assert intervals.wilson(right, count) == pytest.approx((expected.low, expected.high), abs=1e-12)


@pytest.mark.parametrize(("right", "count"), [(1, 0), (-1, 5), (6, 5)])
def test_wilson_refuses_what_is_no_share(right: int, count: int) -> None:
    with pytest.raises(MetricError, match="no interval"):
        intervals.wilson(right, count)


def test_bootstrap_is_as_if_rows_were_drawn() -> None:
    random = np.random.default_rng(7)
    sizes = random.integers(1, 6, 80)
    differences = np.array([random.integers(-size, size + 1) for size in sizes])
    rows = random.integers(0, 80, (20_000, 80))
    plain = differences[rows].sum(axis=1) / sizes[rows].sum(axis=1)
    low, high = intervals.bootstrap(sizes.tolist(), differences.tolist(), resamples=20_000)
    assert (low, high) == pytest.approx(tuple(np.quantile(plain, [0.025, 0.975])), abs=0.01)


def test_bootstrap_depends_on_the_seed_alone() -> None:
    sizes, differences = [1] * 2000, [1] * 400 + [0] * 1400 + [-1] * 200
    first = intervals.bootstrap(sizes, differences, seed=3)
    assert first == intervals.bootstrap(sizes, differences[::-1], seed=3)
    assert first != intervals.bootstrap(sizes, differences, seed=4)
    assert intervals.bootstrap([1] * 9, [0] * 9) == (0, 0)


def test_bootstrap_covers_the_truth() -> None:
    random = np.random.default_rng(11)
    inside = 0
    for trial in range(200):
        differences = random.choice([-1, 0, 1], p=[0.05, 0.75, 0.2], size=200)
        low, high = intervals.bootstrap([1] * 200, differences.tolist(), seed=trial, resamples=1000)
        inside += low <= 0.15 <= high
    assert 180 <= inside <= 199


def test_bootstrap_refuses_nothing_and_too_little() -> None:
    with pytest.raises(MetricError, match="nothing to draw"):
        intervals.bootstrap([], [])
    with pytest.raises(MetricError, match="too few"):
        intervals.bootstrap([1], [0], resamples=10)


def test_design_effect() -> None:
    # Rows of a cluster that are all alike count as one.
    assert intervals.design_effect([5] * 20, [5] * 10 + [0] * 10, 50) == pytest.approx(5)
    assert intervals.design_effect([1] * 20, [1] * 10 + [0] * 10, 10) == pytest.approx(1)
    # Never below 1.
    assert intervals.design_effect([2] * 20, [1] * 20, 20) == 1
    # All rows alike: nothing shows how those of a cluster go together, and a cluster counts as a row.
    assert intervals.design_effect([2] * 3, [0] * 3, 0) == 2
    assert intervals.design_effect([1] * 4, [1] * 4, 4) == 1


def test_the_design_effect_does_not_jump_with_the_first_lost_row() -> None:
    effects = [intervals.design_effect([4] * 60, [1] * lost + [0] * (60 - lost), lost) for lost in range(4)]
    assert effects[0] == 4
    assert all(one > two > 0.6 * one for one, two in pairwise(effects))


@given(st.lists(st.floats(0, 1), max_size=8))
def test_holm(p_values: list[float]) -> None:
    adjusted = intervals.holm(p_values)
    assert all(p <= q <= 1 for p, q in zip(p_values, adjusted, strict=True))
    order = sorted(range(len(p_values)), key=p_values.__getitem__)
    assert [adjusted[i] for i in order] == sorted(adjusted)
    # Holm's own stepwise procedure rejects the same hypotheses.
    rejected = set()
    for rank, index in enumerate(order):
        if p_values[index] * (len(order) - rank) >= 0.05:
            break
        rejected.add(index)
    assert rejected == {index for index, q in enumerate(adjusted) if q < 0.05}
