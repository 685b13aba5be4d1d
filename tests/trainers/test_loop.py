"""A run that is killed goes on to the same weights; what goes wrong is said, and loses nothing."""

from __future__ import annotations

import errno
import json
import os
import signal
import subprocess
import sys
from pathlib import Path

import pytest
import torch

from dnc_datasets import atomic
from dnc_datasets.problem import Problem, to_row
from dnc_trainers import checkpoint, loop, solving
from dnc_trainers.checkpoint import CheckpointError
from dnc_trainers.config import Config
from dnc_trainers.processes import TrainingError

# Trains on the rows of a file; used so that a run can be killed from outside.
_RUN = """
import json, sys, torch
from pathlib import Path
from dnc_datasets.problem import from_row
from dnc_trainers import solving
from dnc_trainers.config import Config
torch.set_num_threads(1)
folder = Path(sys.argv[1])
rows = [from_row(row) for row in json.loads((folder / "rows.json").read_text())]
config = Config(**json.loads((folder / "config.json").read_text()))
solving.train(config, rows, rows[:6], folder=folder / "run", progress=lambda note: print(note, flush=True))
"""


def _weights(folder: Path) -> dict[str, torch.Tensor]:
    found = checkpoint.load(folder, "model")
    assert found
    return found[0]


def test_killed_run_ends_with_the_same_weights(
    tmp_path: Path, problems: list[Problem], small: Config
) -> None:
    config = small.with_settings({"epochs": 12, "average": 0.9, "dropout": 0.3})
    straight = tmp_path / "straight"
    _, history = solving.train(config, problems, problems[:6], folder=straight)
    (tmp_path / "rows.json").write_text(json.dumps([to_row(problem) for problem in problems]))
    (tmp_path / "config.json").write_text(json.dumps(config.to_dict()))
    command = [sys.executable, "-c", _RUN, str(tmp_path)]
    environment = {**os.environ, "OMP_NUM_THREADS": "1"}
    with subprocess.Popen(command, stdout=subprocess.PIPE, text=True, env=environment) as process:
        assert process.stdout
        for _ in range(4):
            assert process.stdout.readline()
        process.send_signal(signal.SIGKILL)
    assert not (tmp_path / "run" / "model.json").exists()
    assert (tmp_path / "run" / "last.json").exists()
    _, resumed = solving.train(config, problems, problems[:6], folder=tmp_path / "run")
    expected, found = _weights(straight), _weights(tmp_path / "run")
    assert expected.keys() == found.keys()
    assert all(torch.equal(expected[key], found[key]) for key in expected)
    assert [e["loss"] for e in resumed.epochs] == [e["loss"] for e in history.epochs]
    logged = [json.loads(line) for line in (tmp_path / "run" / "log.jsonl").read_text().splitlines()]
    assert [record["epoch"] for record in logged] == list(range(12))


def test_finished_run_is_not_run_again(tmp_path: Path, problems: list[Problem], small: Config) -> None:
    first, history = solving.train(small, problems, problems[:6], folder=tmp_path)
    again, same = solving.train(
        small, problems, problems[:6], folder=tmp_path, progress=lambda note: pytest.fail(note)
    )
    assert same == history
    assert [a.value for a in again.solve(problems)] == [a.value for a in first.solve(problems)]


def test_other_settings_or_data_do_not_go_on(tmp_path: Path, problems: list[Problem], small: Config) -> None:
    solving.train(small, problems, problems[:6], folder=tmp_path)
    for config, rows in ((small.with_settings({"seed": 1}), problems), (small, problems[1:])):
        with pytest.raises(TrainingError, match="belongs to another run"):
            solving.train(config, rows, problems[:6], folder=tmp_path)


def _stopped_after(folder: Path, epochs: int, config: Config, problems: list[Problem]) -> None:
    """Leave a run with its checkpoint after some epochs."""
    seen = []

    def stop(note: str) -> None:
        seen.append(note)
        if len(seen) == epochs:
            raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        solving.train(config, problems, problems[:6], folder=folder, progress=stop)


@pytest.mark.parametrize("damage", ["tensors", "json", "gone"])
def test_damaged_checkpoint(tmp_path: Path, damage: str, problems: list[Problem], small: Config) -> None:
    _stopped_after(tmp_path, 2, small, problems)
    (tensors,) = tmp_path.glob("last-*.safetensors")
    if damage == "tensors":
        data = bytearray(tensors.read_bytes())
        data[-1] ^= 1
        tensors.write_bytes(bytes(data))
    elif damage == "json":
        (tmp_path / "last.json").write_text('{"tensors": ')
    else:
        tensors.unlink()
    with pytest.raises(CheckpointError, match=r"remove .*last\.json to start"):
        solving.train(small, problems, problems[:6], folder=tmp_path)


def test_full_disk_keeps_the_checkpoint_before(
    tmp_path: Path, problems: list[Problem], small: Config, monkeypatch: pytest.MonkeyPatch
) -> None:
    _stopped_after(tmp_path, 2, small, problems)
    before = checkpoint.load(tmp_path, "last")
    write = atomic.write_bytes

    def full(path: Path, data: bytes) -> None:
        if path.suffix == ".safetensors":
            raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))
        write(path, data)

    monkeypatch.setattr(atomic, "write_bytes", full)
    with pytest.raises(CheckpointError, match=r"No space left on device.*run the same command again"):
        solving.train(small, problems, problems[:6], folder=tmp_path)
    monkeypatch.undo()
    after = checkpoint.load(tmp_path, "last")
    assert before
    assert after
    assert before[1] == after[1]
    _, history = solving.train(small, problems, problems[:6], folder=tmp_path)
    assert len(history.epochs) == small.epochs


def test_loss_that_is_no_number(tmp_path: Path, problems: list[Problem], small: Config) -> None:
    _stopped_after(tmp_path, 1, small, problems)
    learner = solving.SolverLearner(small, problems, problems[:6])
    forward = learner.model.forward
    learner.model.forward = lambda batch: forward(batch) * float("nan")  # type: ignore[method-assign]
    with pytest.raises(TrainingError, match=r"the loss is nan in epoch 2, batch 1.*Lower lr"):
        loop.fit(learner, small, tmp_path)
    assert checkpoint.load(tmp_path, "last")


def test_nothing_to_train_on(problems: list[Problem], small: Config) -> None:
    for rows in ([], [problem.replace(equation="1 + 999") for problem in problems[:3]]):
        with pytest.raises(TrainingError, match="nothing to train on"):
            solving.train(small, rows, problems[:6])


def test_patience_stops_and_the_best_epoch_is_kept(
    problems: list[Problem], small: Config, monkeypatch: pytest.MonkeyPatch
) -> None:
    accuracies = iter((0.5, 0.6, 0.6, 0.4, 0.5, 0.9))
    kept = []

    def validate(self: solving.SolverLearner, accelerator: object) -> dict[str, float]:
        kept.append({key: value.clone() for key, value in self.model.state_dict().items()})
        return {"accuracy": next(accuracies)}

    monkeypatch.setattr(solving.SolverLearner, "validate", validate)
    learner, history = solving.train(small.with_settings({"epochs": 30, "patience": 2}), problems, [])
    # Of the two equal epochs the later is the best; two more without a better one end the run.
    assert (len(history.epochs), history.best_epoch, history.best) == (5, 2, 0.6)
    assert all(torch.equal(value, kept[2][key]) for key, value in learner.model.state_dict().items())


@pytest.mark.parametrize("schedule", ["constant", "cosine", "halving"])
def test_rates(schedule: str) -> None:
    config = Config(schedule=schedule, halve_every=2, warmup=0.1)
    rates = [loop.rate(config, step, 100, 10) for step in range(100)]
    assert rates[0] == pytest.approx(0.1)
    assert max(rates) == pytest.approx(1.0)
    assert all(0 <= rate <= 1 for rate in rates)
    assert {"constant": 1.0, "cosine": 0.0, "halving": 0.5**4}[schedule] == pytest.approx(rates[-1], abs=0.01)
