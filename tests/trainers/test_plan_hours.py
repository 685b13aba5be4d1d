"""`dnc protocol --plan` tells the hours that are left from the trainings that are done."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

pytest.importorskip("torch")

from dnc_trainers import protocol
from dnc_trainers.commands.protocol import _hours


def test_hours_follow_from_what_is_done(tmp_path: Path) -> None:
    config = protocol.default_config("gts", 0, None, [])
    jobs = protocol.plan(config, "tiny", settings=("defense",), recipes=("noise", "language"), seeds=1)
    assert f"{len(jobs)} trainings to do; how many hours" in _hours(jobs, tmp_path)
    for test in jobs[0].tests:
        (tmp_path / jobs[0].cell(test)).write_text(json.dumps({"train_seconds": 1800}), encoding="utf-8")
    left = len(jobs) - 1
    assert _hours(jobs, tmp_path) == (
        f"{left} of {len(jobs)} trainings to do: about {left / 2:.1f} hours, as the 1 done went"
    )
    for job in jobs:
        for test in job.tests:
            (tmp_path / job.cell(test)).write_text("{}", encoding="utf-8")
    assert _hours(jobs, tmp_path) == f"all {len(jobs)} trainings are done"
