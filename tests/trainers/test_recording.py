"""A trained model's predictions become a record: the same form, verdicts and causes as any other result."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from dnc_datasets import cli
from dnc_datasets.errors import DncError
from dnc_datasets.serving import catalogue
from dnc_leaderboard import record as records
from dnc_trainers import data, recording
from dnc_trainers.config import Config
from dnc_trainers.protocol import Job

TESTS = ("tiny", "tiny-verbosity-attack", "tiny-noise-attack")


@pytest.fixture
def job(tmp_path: Path) -> Job:
    """A job whose model adds one to every answer of a verbose problem."""
    made = Job(Config(), catalogue.find("tiny"), tuple(map(catalogue.find, TESTS)))
    folder = tmp_path / made.name / "predictions"
    folder.mkdir(parents=True)
    for test in made.tests:
        lines = []
        for row in data.rows(test)["test"]:
            wrong = test.recipe == "verbosity" and row.original is not None
            value = row.problem.exact_value()
            assert value is not None
            line = {
                "id": row.problem.id,
                "equation": f"{row.problem.equation} + 1" if wrong else row.problem.equation,
                "value": str(value + wrong),
                "correct": not wrong,
                "same_equation": not wrong,
            }
            lines.append(f"{json.dumps(line)}\n")
        (folder / f"{test.name}.jsonl").write_text("".join(lines))
    return made


def cells(job: Job) -> list[dict[str, Any]]:
    return [{"test": test.name, "epoch": 3, "chosen_on_test": False, "processes": 1} for test in job.tests]


def test_the_record_of_a_job(job: Job, tmp_path: Path) -> None:
    found, outcomes = recording.record(job, tmp_path, cells(job), command="dnc diagnose")
    assert [cell.config for cell in found.cells] == list(TESTS)
    lines = {line.name: line for line in found.tables[0].lines}
    assert lines["verbosity"].verdict == "drop"
    assert lines["verbosity"].drop == 1.0
    assert lines["noise"].drop == 0.0
    # The decoder is given slots and takes its likeliest hypothesis: it never sees a value.
    assert not found.system.sees_values
    assert found.system.name == "gts"
    assert len(outcomes) == sum(cell.rows for cell in found.cells)
    assert all("first number" in cell.baselines for cell in found.cells)


def test_dnc_score_gives_the_same_verdicts_on_the_same_answers(
    job: Job, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    ours, _ = recording.record(job, tmp_path, cells(job), command="dnc diagnose")
    words = []
    for test in TESTS:
        lines = (tmp_path / job.name / "predictions" / f"{test}.jsonl").read_text().splitlines()
        rows = [{"id": one["id"], "output": one["value"]} for one in map(json.loads, lines)]
        path = tmp_path / f"{test}.jsonl"
        path.write_text("".join(f"{json.dumps(row)}\n" for row in rows))
        words.append(f"{test}={path}")
    assert cli.main(["score", *words, "--out", "scored"]) == 0
    theirs = records.load(tmp_path / "scored")
    assert ours.tables[0].lines == theirs.tables[0].lines
    assert [cell.data["sha256"] for cell in ours.cells] == [cell.data["sha256"] for cell in theirs.cells]
    assert [cell.baselines for cell in ours.cells] == [cell.baselines for cell in theirs.cells]
    # Only the reader of equations sees what was calculated; of the same answers it counts the same.
    assert [(one.name.partition("|")[0], one.wrong) for one in ours.causes] == [
        (one.name.partition("|")[0], one.wrong) for one in theirs.causes
    ]


def test_a_system_is_named_by_what_it_was_trained_on() -> None:
    tiny, defended = catalogue.find("tiny"), catalogue.find("tiny-noise-defense")
    names = {
        recording.system(made).name
        for made in (
            Job(Config(), tiny, ()),
            Job(Config(seed=1), tiny, ()),
            Job(Config(), defended, ()),
            Job(Config(), catalogue.find("asdiv_a-fold3"), (), refit=True),
            Job(Config(), tiny, (), on_test=True),
            Job(Config(), tiny, (), mixed=("noise",), tau=0.1),
        )
    }
    assert names == {
        "gts",
        "gts (seed 1)",
        "gts (trained on tiny-noise-defense)",
        "gts (fold3, refitted)",
        "gts (epoch chosen on test)",
        "gts (trained on tiny+0.1_noise)",
    }


def test_weighing_has_a_name_of_its_own() -> None:
    made = Job(Config(choice="plausible"), catalogue.find("tiny"), ())
    assert recording.system(made).name == "gts + weighing"
    assert recording.system(made).sees_values


def test_a_solver_that_is_told_which_number_is_larger_sees_values() -> None:
    made = Job(Config(solver="graph2tree"), catalogue.find("tiny"), ())
    assert recording.system(made).sees_values


def test_a_missing_prediction_is_told(job: Job, tmp_path: Path) -> None:
    path = tmp_path / job.name / "predictions" / "tiny.jsonl"
    path.write_text("".join(path.read_text().splitlines(keepends=True)[1:]))
    with pytest.raises(DncError, match="no prediction for"):
        recording.record(job, tmp_path, cells(job), command="dnc diagnose")
