"""A changed checkpoint with rewritten checksums is refused with a reason, never with a traceback."""

from __future__ import annotations

import json
import shutil
import struct
from collections.abc import Callable, Mapping
from hashlib import sha256
from pathlib import Path
from typing import Any

import pytest
import torch
from safetensors.torch import load, save
from torch import Tensor, nn

from dnc_datasets.problem import Problem
from dnc_trainers import checkpoint, load_solver, solving
from dnc_trainers.checkpoint import CheckpointError, cloned, distinct
from dnc_trainers.config import Config


@pytest.fixture(scope="module")
def trained(tmp_path_factory: pytest.TempPathFactory, problems: list[Problem]) -> Path:
    """The folder of a tiny finished run."""
    folder = tmp_path_factory.mktemp("trained") / "run"
    config = Config(solver="constrained", embedding=4, hidden=4, epochs=1, checkpoint_seconds=0)
    solving.train(config, problems, problems[:6], folder=folder)
    return folder


def header_of(data: bytes) -> dict[str, Any]:
    size = int.from_bytes(data[:8], "little")
    return dict(json.loads(data[8 : 8 + size]))


def with_header(data: bytes, header: str | bytes) -> bytes:
    """The file with another header before the same tensors."""
    size = int.from_bytes(data[:8], "little")
    text = header.encode() if isinstance(header, str) else header
    return struct.pack("<Q", len(text)) + text + data[8 + size :]


def entry(**changes: Any) -> Callable[[bytes], bytes]:
    """Change fields of the first tensor in the header."""

    def change(data: bytes) -> bytes:
        header = header_of(data)
        name = next(name for name in header if name != "__metadata__")
        header[name] = {**header[name], **changes}
        return with_header(data, json.dumps(header))

    return change


def metadata(value: Any) -> Callable[[bytes], bytes]:
    return lambda data: with_header(data, json.dumps({**header_of(data), "__metadata__": value}))


def ties(value: Any) -> Callable[[bytes], bytes]:
    return metadata({"ties": value if isinstance(value, str) else json.dumps(value)})


def tensors(change: Callable[[dict[str, torch.Tensor]], Any]) -> Callable[[bytes], bytes]:
    def rewrite(data: bytes) -> bytes:
        found = load(data)
        changed = change(found)
        return bytes(save(found if changed is None else changed))

    return rewrite


def filled(value: float) -> Callable[[bytes], bytes]:
    return tensors(lambda found: next(iter(found.values())).view(-1)[:1].fill_(value) and None)


def _renamed(found: dict[str, torch.Tensor]) -> dict[str, torch.Tensor]:
    return {f"x.{name}": tensor for name, tensor in found.items()}


DEEP = "[" * 100_000 + "]" * 100_000
WEIGHTS: Mapping[str, Callable[[bytes], bytes]] = {
    "an empty file": lambda data: b"",
    "three bytes": lambda data: b"abc",
    "text": lambda data: b"these are no weights" * 10,
    "a pickle": lambda data: b"\x80\x04\x95" + data,
    "a header longer than the file": lambda data: struct.pack("<Q", 2**62) + data[8:],
    "a file cut in half": lambda data: data[: len(data) // 2],
    "a byte too many": lambda data: data + b"\0",
    "deep JSON as header": lambda data: with_header(data, DEEP),
    "a list as header": lambda data: with_header(data, "[]"),
    "a header that is no UTF-8": lambda data: with_header(data, b'{"\xff": 1}'),
    "an unknown type": entry(dtype="F7"),
    "a type that is no text": entry(dtype=["F32"]),
    "a narrower type": entry(dtype="F16"),
    "a shape of another size": entry(shape=[1000, 1000]),
    "a shape beyond all memory": entry(shape=[2**62, 2**62]),
    "a negative shape": entry(shape=[-1, -4]),
    "a shape that is no list": entry(shape="4x4"),
    "truth values as shape": entry(shape=[True, True]),
    "offsets outside the file": entry(data_offsets=[0, 2**60]),
    "offsets in reverse": entry(data_offsets=[64, 0]),
    "an entry that is a number": lambda data: with_header(data, json.dumps({**header_of(data), "x": 3})),
    "metadata that is a list": metadata([]),
    "metadata with numbers": metadata({"ties": 3}),
    "ties that are no JSON": ties("{"),
    "deep ties": ties(DEEP),
    "ties that are a list": ties(["a"]),
    "a tie to a missing tensor": ties({"a": "no.such.tensor"}),
    "a tie to a number": ties({"a": 7}),
    "a tie beside the model": lambda data: ties({"a": next(n for n in header_of(data) if n[0] != "_")})(data),
    "NaN": filled(float("nan")),
    "infinity": filled(float("inf")),
    "integers as weights": tensors(lambda found: {name: one.to(torch.int32) for name, one in found.items()}),
    "double precision": tensors(lambda found: {name: one.double() for name, one in found.items()}),
    "no tensors": tensors(lambda found: {}),
    "a tensor too few": tensors(lambda found: found.popitem() and None),
    "a tensor too many": tensors(lambda found: found.update(more=torch.zeros(3))),
    "other names": tensors(_renamed),
    "transposed": tensors(lambda found: {n: t.t().contiguous() if t.dim() == 2 else t for n, t in found.items()}),
}  # fmt: skip
SETTINGS: Mapping[str, Mapping[str, Any]] = {
    "a huge hidden size": {"hidden": 10**12},
    "a hidden size that no machine integer holds": {"hidden": 10**40},
    "an infinite hidden size": {"hidden": float("inf")},
    "a hidden size of zero": {"hidden": 0},
    "a hidden size of the neighbourhood": {"hidden": 6},
    "a huge embedding": {"embedding": 10**11},
    "a billion layers": {"layers": 10**9},
    "a huge beam": {"beam": 10**9},
    "a huge batch": {"eval_batch": 10**12},
    "a huge length": {"max_length": 10**12},
    "a list as hidden size": {"hidden": [4]},
    "NaN as dropout": {"dropout": float("nan")},
    "another solver": {"solver": "gts"},
    "a solver that does not exist": {"solver": "../../gts"},
}
VOCABULARY: Mapping[str, Any] = {
    "no words": {"words": []},
    "words that are numbers": {"words": [1, 2, 3]},
    "words that are a text": {"words": "abc"},
    "one word twice": {"words": ["a", "a"]},
    "a word more": {"words": [f"w{at}" for at in range(500)]},
    "constants that are no numbers": {"constants": [None]},
    "counts that are missing": {"seen": {}},
}


def rewritten(run: Path, folder: Path) -> tuple[Path, dict[str, Any]]:
    shutil.copytree(run, folder)
    return folder, json.loads((folder / "model.json").read_text(encoding="utf-8"))


def refused(folder: Path, record: Any) -> None:
    text = record if isinstance(record, str) else json.dumps(record)
    (folder / "model.json").write_text(text, encoding="utf-8")
    with pytest.raises(CheckpointError) as raised:
        load_solver(folder)
    assert str(folder) in str(raised.value)
    assert len(str(raised.value)) < 1500


def test_an_unchanged_copy_is_loaded(trained: Path, tmp_path: Path, problems: list[Problem]) -> None:
    folder, _ = rewritten(trained, tmp_path / "run")
    assert load_solver(folder).answers(problems) == load_solver(trained).answers(problems)


@pytest.mark.parametrize("name", WEIGHTS)
def test_changed_weights_are_refused(trained: Path, tmp_path: Path, name: str) -> None:
    folder, record = rewritten(trained, tmp_path / "run")
    file = folder / record["tensors"]
    data = WEIGHTS[name](file.read_bytes())
    file.write_bytes(data)
    refused(folder, {**record, "sha256": sha256(data).hexdigest()})


@pytest.mark.parametrize("name", SETTINGS)
def test_changed_settings_are_refused(trained: Path, tmp_path: Path, name: str) -> None:
    folder, record = rewritten(trained, tmp_path / "run")
    refused(folder, {**record, "settings": {**record["settings"], **SETTINGS[name]}})


@pytest.mark.parametrize("name", VOCABULARY)
def test_a_changed_vocabulary_is_refused(trained: Path, tmp_path: Path, name: str) -> None:
    folder, record = rewritten(trained, tmp_path / "run")
    file = folder / "vocabulary.json"
    words = json.loads(file.read_text(encoding="utf-8"))
    words["vocabulary"] |= VOCABULARY[name]
    file.write_text(json.dumps(words), encoding="utf-8")
    refused(folder, {**record, file.name: sha256(file.read_bytes()).hexdigest()})


@pytest.mark.parametrize(
    "text",
    [
        DEEP,
        "[]",
        "{",
        "",
        '"x"',
        '{"tensors": "a"}',
        '{"tensors": 3, "sha256": 4}',
        '{"tensors": "a\\u0000"}',
    ],
)
def test_a_record_that_is_none_is_refused(trained: Path, tmp_path: Path, text: str) -> None:
    folder, _ = rewritten(trained, tmp_path / "run")
    refused(folder, text)


def test_a_deep_vocabulary_is_refused(trained: Path, tmp_path: Path) -> None:
    folder, record = rewritten(trained, tmp_path / "run")
    (folder / "vocabulary.json").write_text(DEEP, encoding="utf-8")
    refused(folder, {**record, "vocabulary.json": sha256(DEEP.encode()).hexdigest()})


def test_a_tensor_outside_the_folder_is_not_read(trained: Path, tmp_path: Path) -> None:
    folder, record = rewritten(trained, tmp_path / "run")
    (folder / record["tensors"]).rename(tmp_path / "elsewhere.safetensors")
    refused(folder, {**record, "tensors": "../elsewhere.safetensors"})


def test_tied_tensors_are_tied_once_more(tmp_path: Path) -> None:
    weight = torch.ones(2, 3)
    checkpoint.save(tmp_path, "tied", {"a": weight, "b": weight}, {})
    found = checkpoint.load(tmp_path, "tied")
    assert found is not None
    assert found[0]["a"] is found[0]["b"]


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
    assert checkpoint.ties(_tensors()) == {"again": "whole"}
    assert checkpoint.ties(Tied().state_dict()) == {"write.weight": "read.weight"}
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
