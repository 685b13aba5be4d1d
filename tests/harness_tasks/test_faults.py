"""Server faults are counted apart: no score, cause or verdict is computed from a row that the server failed."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from dnc_harness import recording, submission
from dnc_harness.recording import Reply
from dnc_leaderboard import board, comparison
from dnc_metrics import record, record_builder
from dnc_metrics.errors import RecordError
from dnc_metrics.record import FAULT, Outcome, Provenance, Record, System

FILTERED = Reply("", fault="content filter")
RIGHT, WRONG = Reply("9"), Reply("8")
PLACE = {"dataset": "pens", "fold": "", "data": {"sha256": "a"}}
ORIGINAL = {**PLACE, "config": "pens", "perturbation": "", "setting": "", "capability": ""}
PERTURBED = {
    **PLACE, "config": "pens-type-attack", "perturbation": "type", "setting": "attack",
    "capability": "number_detection",
}  # fmt: skip


def _rows(count: int, perturbed: bool) -> list[dict[str, Any]]:
    return [
        {"id": str(at), "body": f"Tom had {at + 12} pens and lost {at + 3} of them.", "question": "How many are left?",
         "equation": f"{at + 12} - {at + 3}", "answer": "9", "meta": "{}", "perturbed": perturbed}
        for at in range(count)
    ]  # fmt: skip


def _made(before: list[Reply], after: list[Reply], name: str = "a") -> tuple[Record, list[Outcome]]:
    asked = [
        recording.of_rows(
            _rows(len(replies), place is PERTURBED),
            {str(at): [reply] for at, reply in enumerate(replies)},
            prompt="direct",
            **place,
        )
        for place, replies in ((ORIGINAL, before), (PERTURBED, after))
    ]
    return record_builder.make(System(name, "predictions"), Provenance("test", "0"), asked)


def test_a_fault_is_in_no_score() -> None:
    found, outcomes = _made([RIGHT] * 100, [*[RIGHT] * 60, *[WRONG] * 39, FILTERED])
    without, _ = _made([RIGHT] * 100, [*[RIGHT] * 60, *[WRONG] * 39])
    cell, expected = found.cells[1], without.cells[1]
    assert (cell.rows, cell.right, cell.scores) == (expected.rows, expected.right, expected.scores)
    assert cell.statuses == {"right": 60, "wrong": 39, FAULT: 1}
    assert (cell.faults, cell.has_too_many_faults) == (1, False)
    assert found.causes == without.causes
    assert found.tables == without.tables
    assert (outcomes[-1].status, outcomes[-1].fault, outcomes[-1].reply) == (FAULT, "content filter", "")


@pytest.mark.parametrize("original", [True, False])
def test_there_is_no_verdict_with_more_than_one_percent_of_faults(original: bool) -> None:
    faulty, clean = [*[RIGHT] * 98, FILTERED, FILTERED], [WRONG] * 100
    found, _ = _made(faulty, clean) if original else _made([RIGHT] * 100, [*[WRONG] * 98, FILTERED, FILTERED])
    assert [line.verdict for line in found.tables[0].lines] == ["2 server faults: no verdict"] * 2
    assert _made([RIGHT] * 100, clean)[0].tables[0].lines[0].verdict == "drop"


def test_a_cell_of_faults_alone_has_no_rows() -> None:
    found, _ = _made([RIGHT] * 4, [FILTERED] * 4)
    assert (found.cells[1].rows, found.cells[1].right, found.cells[1].faults) == (0, 0, 4)


def test_outcomes_leave_faults_out_unless_asked_for(tmp_path: Path) -> None:
    found, outcomes = _made([RIGHT] * 4, [RIGHT, FILTERED, RIGHT, RIGHT])
    written = record.write(found, outcomes, tmp_path)
    assert len(record.outcomes(tmp_path, written)) == 7
    assert record.outcomes(tmp_path, written, faults=True) == outcomes


def test_a_leaderboard_shows_no_record_with_many_faults(tmp_path: Path) -> None:
    record.write(*_made([RIGHT] * 4, [RIGHT] * 4), tmp_path / "good")
    record.write(*_made([RIGHT] * 4, [RIGHT, FILTERED, RIGHT, RIGHT]), tmp_path / "bad")
    entries, refused = board.load(tmp_path)
    assert [entry.folder.name for entry in entries] == ["good"]
    assert "1 server faults among the 4 rows of pens-type-attack" in refused[0]


def test_faulty_configs_are_not_compared() -> None:
    good, bad = _made([RIGHT] * 9, [RIGHT] * 9), _made([RIGHT] * 9, [*[WRONG] * 8, FILTERED], "b")
    assert {one.config for one in comparison.compare([good, bad])} == {"pens"}
    with pytest.raises(RecordError, match="server faults"):
        comparison.compare([good, _made([FILTERED] * 9, [FILTERED] * 9, "b")])


def test_a_submission_with_many_faults_is_refused(tmp_path: Path) -> None:
    from dnc_datasets.serving import catalogue
    from dnc_harness import data

    variant = catalogue.find("tiny_tables")
    rows = data.test_records(variant, tmp_path)
    few = max(1, len(rows) // 100)
    for faults, accepted in ((few, few <= record.MAX_FAULTS * len(rows)), (few + 2, False)):
        given = {row["id"]: [Reply(row["answer"])] for row in rows}
        given |= {row["id"]: [FILTERED] for row in rows[:faults]}
        asked = recording.asked(variant, "direct", given, tmp_path)
        made = record_builder.make(System("a", "predictions"), Provenance("test", "0"), [asked])
        record.write(*made, tmp_path / "out")
        files = [tmp_path / "out" / name for name in (record.FILE_NAME, submission.ROWS)]
        if accepted:
            checked, outcomes = submission.check(files, tmp_path)
            assert checked.cells[0].faults == sum(one.fault == "content filter" for one in outcomes) == faults
        else:
            with pytest.raises(RecordError, match="server faults among"):
                submission.check(files, tmp_path)
