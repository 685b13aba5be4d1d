"""Consistency over groups, outcomes of pairs, and answer constraints."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from dnc_metrics import consistency
from dnc_metrics.consistency import Pairs, holds, score
from dnc_metrics.errors import MetricError

ORIGINAL = {"a": 1.0, "b": 0.8, "c": 0.2, "d": 1.0}


def test_groups_pairs_and_what_is_left_out() -> None:
    result = score(ORIGINAL, {"noise": {"a": 1.0, "b": 0.79, "c": 1.0}, "order": {"a": [0.9, 0.8]}})
    assert (result.groups, result.consistent, result.left_out) == (3, 1, 1)
    assert result.consistency == pytest.approx(1 / 3)
    assert result.worst_case == pytest.approx(2 / 3)
    assert result.lowest_score == pytest.approx((0.8 + 0.79 + 0.2) / 3)
    assert result.pairs == {"noise": Pairs(1, 1, 1, 0), "order": Pairs(2, 0, 0, 0)}


def test_the_threshold() -> None:
    rows = {"noise": {"b": 0.8}}
    assert score(ORIGINAL, rows).consistency == 1
    assert score(ORIGINAL, rows, strict=True).consistency == 0
    assert score(ORIGINAL, rows, threshold=0.81).consistency == 0


def test_constraints_are_members_of_groups_that_exist() -> None:
    rows = {"noise": {"a": 1.0}}
    assert score(ORIGINAL, rows, constraints={"a": [True, True]}).consistency == 1
    assert score(ORIGINAL, rows, constraints={"a": [True, False]}).consistency == 0
    # d has no perturbed member, so its constraint makes no group.
    assert score(ORIGINAL, rows, constraints={"d": False}).groups == 1


@pytest.mark.parametrize(
    ("constraint", "prediction", "answer", "kept"),
    [
        ("numeric", "about 12 yards", "7", True),
        ("numeric", "Smith", "7", False),
        ("boolean", " Yes", "7", True),
        ("boolean", "12", "7", False),
        (">=", "7", "7", True),
        (">=", "6.9", "7", False),
        (">=", "Smith", "7", False),
        ("<=", "1/2", "0.5", True),
        ("<=", "8", "7", False),
        ("<=", "8", "Smith", None),
    ],
)
def test_holds(constraint: str, prediction: str, answer: str, kept: bool | None) -> None:
    assert holds(constraint, prediction, answer) is kept


OUTCOMES = st.dictionaries(st.sampled_from("abcdefgh"), st.booleans(), min_size=1)


@given(OUTCOMES, st.lists(OUTCOMES, min_size=1, max_size=3))
def test_consistency_is_never_above_any_of_its_parts(
    first: dict[str, bool], others: list[dict[str, bool]]
) -> None:
    original = {**{row: False for rows in others for row in rows}, **first}
    result = score(original, {str(index): rows for index, rows in enumerate(others)})
    assert result.consistency <= result.worst_case
    assert result.consistency == result.lowest_score
    groups = {row for rows in others for row in rows}
    assert result.groups == len(groups)
    assert result.consistent == sum(
        original[row] and all(rows.get(row, True) for rows in others) for row in groups
    )


def test_errors_say_what_and_where() -> None:
    with pytest.raises(MetricError, match="row 'z' of 'noise' has no original"):
        score(ORIGINAL, {"noise": {"z": 1.0}})
    with pytest.raises(MetricError, match="no original has a perturbed member"):
        score(ORIGINAL, {"noise": {}})
    with pytest.raises(MetricError, match="row 'a' of 'noise': a score must be from 0 to 1, not nan"):
        score(ORIGINAL, {"noise": {"a": float("nan")}})
    with pytest.raises(MetricError, match="threshold"):
        score(ORIGINAL, {"noise": {"a": 1.0}}, threshold=80)
    with pytest.raises(MetricError, match="unknown constraint"):
        holds("=", "1", "1")
    assert consistency.CONSTRAINTS == ("numeric", "boolean", ">=", "<=")
