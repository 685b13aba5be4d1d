"""A trained model's predictions become a record: the same form, verdicts and causes as any other result."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from dnc_datasets.errors import DncError
from dnc_datasets.serving import catalogue
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


def test_weighing_has_a_name_of_its_own() -> None:
    made = Job(Config(choice="plausible"), catalogue.find("tiny"), ())
    assert recording.system(made).name == "gts + weighing"
    assert recording.system(made).sees_values


def test_a_missing_prediction_is_told(job: Job, tmp_path: Path) -> None:
    path = tmp_path / job.name / "predictions" / "tiny.jsonl"
    path.write_text("".join(path.read_text().splitlines(keepends=True)[1:]))
    with pytest.raises(DncError, match="no prediction for"):
        recording.record(job, tmp_path, cells(job), command="dnc diagnose")
