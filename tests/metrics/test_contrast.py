"""Consistency over groups, outcomes of pairs, and answer constraints."""

from __future__ import annotations

import io
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st
from rich.console import Console

from dnc_datasets.serving import catalogue
from dnc_harness import data, recording
from dnc_leaderboard import failures, markdown, page, terminal
from dnc_metrics import consistency, contrast_tables, record_builder
from dnc_metrics.consistency import Pairs, holds, score
from dnc_metrics.errors import MetricError
from dnc_metrics.record import Provenance, Record, System, load, outcomes, write
from dnc_metrics.record_builder import Asked, Scored

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


HERE = Path("no folder")


def _record(tmp_path: Path, wrong: str) -> Record:
    asked = []
    for config in ("tiny_tables", "tiny_tables-bpb-contrast", "tiny_tables-append_bool-attack"):
        variant = catalogue.find(config)
        found = data.test_records(variant, HERE)
        replies = {row["id"]: "nothing" if row["id"].endswith(wrong) else row["answer"] for row in found}
        asked.append(recording.asked(variant, "direct", recording.once(replies), HERE))
    made, rows = record_builder.make(System("m", "predictions"), Provenance("dnc score", "0"), asked)
    return write(made, rows, tmp_path)


def test_a_perfect_model_is_consistent_and_every_view_says_so(tmp_path: Path) -> None:
    made = _record(tmp_path, "nobody")
    (one,) = made.contrasts
    assert (one.consistency, one.worst_case) == (1.0, 1.0)
    assert one.consistent == one.originals > 10
    kinds = {"append_bool", "change_last", "change_last_choice", "prune_step", "replace_arith"}
    assert kinds == set(one.kinds)
    for name, kind in one.kinds.items():
        assert kind.right == kind.rows
        by_guessing = kind.baselines["always yes"] + kind.baselines["always no"]
        assert by_guessing == pytest.approx(1 if name in ("append_bool", "change_last") else 0)
    assert load(tmp_path) == made
    shown = io.StringIO()
    terminal.show(made, Console(file=shown, width=200))
    for text in (shown.getvalue(), markdown.text([made]), page.page([(made, outcomes(tmp_path, made))])):
        assert "consistency 100.0" in " ".join(text.split())  # a title may wrap
        assert "always yes" in text


def test_one_wrong_member_makes_an_original_inconsistent(tmp_path: Path) -> None:
    (one,) = _record(tmp_path, "#append_bool").contrasts
    assert one.consistent < one.originals
    assert one.kinds["append_bool"].right == 0
    assert one.kinds["change_last"].right == one.kinds["change_last"].rows


def test_members_whose_original_was_right_are_told_as_such(tmp_path: Path) -> None:
    made = _record(tmp_path, "#append_bool")
    stated = list(failures.failures([(made, outcomes(tmp_path, made))]))
    assert {one["config"] for one in stated} == {"tiny_tables-bpb-contrast"}
    assert all(one["right_before"] for one in stated)
    assert "before, answered right" in page.page([(made, outcomes(tmp_path, made))])


def test_no_drop_is_told_where_the_type_of_answer_changes(tmp_path: Path) -> None:
    (table,) = _record(tmp_path, "nobody").tables
    (line,) = [line for line in table.lines if line.name == "append_bool"]
    assert (line.drop, line.verdict) == (None, "another type of answer")
    (line,) = [line for line in table.lines if line.is_capability]
    assert (line.drop, line.verdict) == (None, "another type of answer")
    assert table.setting == "attack"


@pytest.mark.parametrize(
    ("member", "consistent"),
    [("the old stone bridge of Bern, then", 1), ("the old bridge", 0), ("old stone bridge of Bern", 1)],
)
def test_words_are_consistent_from_an_f1_of_four_fifths_on(member: str, consistent: int) -> None:
    gold = "the old stone bridge of Bern"
    original = {"id": "a", "answer": gold, "answer_type": "span"}
    perturbed = {**original, "id": "a#1#prune_step", "original_id": "a", "source": original}

    def asked(row: dict[str, Any], reply: str, setting: str) -> Asked:
        scored = Scored(row, right=reply == gold, status="right" if reply == gold else "wrong", reply=reply)
        name = "published" if setting else ""
        return Asked("d", "d", "", name, setting, "", "direct", "answer", [scored], {})

    both = [asked(original, gold, ""), asked(perturbed, member, "contrast")]
    (one,) = contrast_tables.contrasts(both)
    assert (one.consistent, one.originals) == (consistent, 1)
