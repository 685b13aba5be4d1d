"""Consistency over originals and their contrast sets, in records and wherever they are shown; no drop across types."""

from __future__ import annotations

import io
from pathlib import Path

import pytest
from rich.console import Console

from dnc_datasets.serving import catalogue
from dnc_harness import data, recording
from dnc_leaderboard import failures, making, markdown, page, terminal
from dnc_leaderboard.record import Provenance, Record, System, load, outcomes, write

HERE = Path("no folder")


def _record(tmp_path: Path, wrong: str) -> Record:
    asked = []
    for config in ("tiny_tables", "tiny_tables-bpb-contrast", "tiny_tables-append_bool-attack"):
        variant = catalogue.find(config)
        found = data.test_records(variant, HERE)
        replies = {row["id"]: "nothing" if row["id"].endswith(wrong) else row["answer"] for row in found}
        asked.append(recording.asked(variant, "direct", recording.once(replies), HERE))
    made, rows = making.make(System("m", "predictions"), Provenance("dnc score", "0"), asked)
    return write(made, rows, tmp_path)


def test_a_perfect_model_is_consistent_and_every_view_says_so(tmp_path: Path) -> None:
    made = _record(tmp_path, "nobody")
    (one,) = made.contrasts
    assert (one.consistency, one.worst_case) == (1.0, 1.0)
    assert one.consistent == one.originals > 10
    assert set(one.kinds) == {"append_bool", "change_last"}
    for kind in one.kinds.values():
        assert kind.right == kind.rows
        assert kind.baselines["always yes"] + kind.baselines["always no"] == pytest.approx(1)
    assert load(tmp_path) == made
    shown = io.StringIO()
    terminal.show(made, Console(file=shown, width=200))
    for text in (shown.getvalue(), markdown.text([made]), page.page([(made, outcomes(tmp_path, made))])):
        assert "consistency 100.0" in text
        assert "always yes" in text


def test_one_wrong_member_makes_an_original_inconsistent(tmp_path: Path) -> None:
    (one,) = _record(tmp_path, "#append_bool").contrasts
    assert one.consistent < one.originals
    assert one.kinds["append_bool"].right == 0
    assert one.kinds["change_last"].right == one.kinds["change_last"].rows


def test_members_whose_original_was_right_are_told_as_such(tmp_path: Path) -> None:
    made = _record(tmp_path, "#append_bool")
    told = list(failures.failures([(made, outcomes(tmp_path, made))]))
    assert {one["config"] for one in told} == {"tiny_tables-bpb-contrast"}
    assert all(one["right_before"] for one in told)
    assert "before, and answered right" in page.page([(made, outcomes(tmp_path, made))])


def test_no_drop_is_told_where_the_type_of_answer_changes(tmp_path: Path) -> None:
    (table,) = _record(tmp_path, "nobody").tables
    (line,) = [line for line in table.lines if line.name == "append_bool"]
    assert (line.drop, line.verdict) == (None, "another type of answer")
    (line,) = [line for line in table.lines if line.is_capability]
    assert (line.drop, line.verdict) == (None, "another type of answer")
    assert table.setting == "attack"
