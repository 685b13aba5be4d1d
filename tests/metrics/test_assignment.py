"""The matching is as good as scipy's on every table."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy.optimize import linear_sum_assignment

from dnc_metrics._assignment import assign


@st.composite
def tables(draw: st.DrawFn) -> list[list[float]]:
    rows, columns = draw(st.integers(1, 7)), draw(st.integers(1, 7))
    # Few distinct values, so that there are many ties; and any values.
    cell = draw(st.sampled_from([st.sampled_from([0.0, 0.5, 1.0]), st.floats(-100, 100)]))
    return [[draw(cell) for _ in range(columns)] for _ in range(rows)]


@given(tables())
def test_as_good_as_scipy(table: list[list[float]]) -> None:
    pairs = assign(table)
    rows, columns = linear_sum_assignment(table, maximize=True)
    best = sum(table[i][j] for i, j in zip(rows, columns, strict=True))
    assert sum(table[i][j] for i, j in pairs) == pytest.approx(best, abs=1e-6)
    assert len(pairs) == min(len(table), len(table[0]))
    assert len({i for i, _ in pairs}) == len({j for _, j in pairs}) == len(pairs)


def test_nothing_to_match() -> None:
    assert assign([]) == []
    assert assign([[]]) == []
