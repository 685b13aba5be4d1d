"""Tied weights are written once and come back tied."""

from __future__ import annotations

from pathlib import Path

import torch
from torch import Tensor, nn

from dnc_datasets.problem import Problem
from dnc_trainers import checkpoint, solving
from dnc_trainers.config import Config
from dnc_trainers.storage import cloned, distinct, ties


class Tied(nn.Module):
    """Word vectors that are read and written with."""

    def __init__(self) -> None:
        super().__init__()
        self.read = nn.Embedding(50, 8)
        self.write = nn.Linear(8, 50, bias=False)
        self.write.weight = self.read.weight


def _tensors() -> dict[str, Tensor]:
    whole = torch.arange(40.0).view(4, 10)
    return {
        "whole": whole,
        "again": whole,
        "part": whole[1],  # the same memory, other numbers
        "turned": whole.T,  # the same numbers in another order
        "equal": whole.clone(),
        "empty": torch.zeros(0),
        "none": torch.zeros(0),
    }


def test_ties_are_of_storage_not_of_value() -> None:
    assert ties(_tensors()) == {"again": "whole"}
    assert ties(Tied().state_dict()) == {"write.weight": "read.weight"}
    assert "again" not in distinct(_tensors())


def test_a_clone_is_tied_and_apart() -> None:
    tensors = _tensors()
    copy = cloned(tensors)
    assert list(copy) == list(tensors)
    assert copy["again"] is copy["whole"]
    copy["whole"] += 1
    assert torch.equal(tensors["whole"], tensors["equal"])


def test_checkpoint_of_shared_storage(tmp_path: Path) -> None:
    tensors = _tensors()
    checkpoint.save(tmp_path, "model", tensors, {"epoch": 1})
    found = checkpoint.load(tmp_path, "model")
    assert found
    assert found[0].keys() == tensors.keys()
    assert all(torch.equal(found[0][name], tensors[name]) for name in tensors)
    assert found[0]["again"] is found[0]["whole"]
    (file,) = tmp_path.glob("model-*.safetensors")
    alone = {name: tensors[name] for name in ("whole",)}
    checkpoint.save(tmp_path, "alone", alone, {})
    (small,) = tmp_path.glob("alone-*.safetensors")
    # whole, part, turned and equal; not the tied name
    assert file.stat().st_size - small.stat().st_size < 4 * (10 + 40 + 40) + 1000


def test_best_weights_are_written_only_when_they_change(
    tmp_path: Path, problems: list[Problem], small: Config
) -> None:
    scores = iter((0.9, 0.5, 0.4, 0.3))
    files: list[set[str]] = []

    class Watched(solving.SolverLearner):
        def validate(self, accelerator: object) -> dict[str, float]:
            files.append({path.name for path in tmp_path.glob("best-*.safetensors")})
            return {"accuracy": next(scores)}

    from dnc_trainers import loop

    learner = Watched(small.with_settings({"epochs": 4}), problems, problems[:6])
    loop.fit(learner, learner.config, tmp_path)
    assert [len(found) for found in files] == [0, 1, 1, 1]
    assert len(set.union(*files)) == 1
    # A finished run leaves the model and no state of training.
    assert sorted(path.suffix for path in tmp_path.iterdir()) == [
        ".json",
        ".json",
        ".jsonl",
        ".safetensors",
    ]
