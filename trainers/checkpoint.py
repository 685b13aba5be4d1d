"""Checkpoints: tensors as safetensors and the rest as JSON, written atomically and validated when read."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from torch import Tensor

from dnc_datasets import atomic, filesystem
from dnc_datasets.errors import DncError
from dnc_trainers.tensor_file import TIES, TensorFileError, read_header

_MAX_RECORD = 64 * 1024 * 1024  # bytes of a JSON file


class CheckpointError(DncError):
    """Raised when a checkpoint cannot be written, read or verified."""


def save(folder: Path, name: str, tensors: Mapping[str, Tensor], record: Mapping[str, Any]) -> None:
    """Write `name`-N.safetensors and then `name`.json, which names it with its checksum.

    The JSON file is replaced last and atomically. A crash or a full disk keeps the previous checkpoint.
    """
    reference = write(folder, name, tensors)
    save_record(folder, name, {**record, **reference})
    tidy(folder, name, reference)


def write(folder: Path, name: str, tensors: Mapping[str, Tensor]) -> dict[str, str]:
    """Write tensors as `name`-N.safetensors, N being a hash of the content; return the reference for `read`.

    Tensors that share their storage are written once. The file's meta data list their other names.
    """
    from safetensors.torch import save as serialise

    tied = ties(tensors)
    memory: set[int] = set()
    plain = {}
    for key, value in tensors.items():
        if key in tied:
            continue
        tensor = value.detach().cpu().contiguous()
        # A view of a tensor that is also written gets its own copy.
        shared = tensor.untyped_storage().data_ptr() in memory
        memory.add(tensor.untyped_storage().data_ptr())
        plain[key] = tensor.clone() if shared else tensor
    data = serialise(plain, {TIES: json.dumps(tied)} if tied else None)
    digest = hashlib.sha256(data).hexdigest()
    file = f"{name}-{digest[:12]}.safetensors"
    with explained(folder, name):
        atomic.write_bytes(folder / file, data)
    return {"tensors": file, "sha256": digest}


def save_record(folder: Path, name: str, record: Mapping[str, Any]) -> None:
    """Write `name`.json atomically."""
    with explained(folder, name):
        atomic.write_text(folder / f"{name}.json", json.dumps(record, indent=1) + "\n")


@contextmanager
def explained(folder: Path, name: str) -> Iterator[None]:
    """Turn an error of writing a checkpoint into one that states the remedy."""
    try:
        yield
    except OSError as error:
        raise CheckpointError(
            f"{folder}: the checkpoint {name!r} could not be written ({error.strerror or error}); "
            "earlier checkpoints are intact. Free some space, or repair the folder, and "
            "run the same command again to resume"
        ) from error


def tidy(folder: Path, name: str, reference: Mapping[str, str]) -> None:
    """Remove the files of earlier checkpoints of this name."""
    for old in folder.glob(f"{name}-*.safetensors"):
        if old.name != reference["tensors"]:
            old.unlink(missing_ok=True)


def load(folder: Path, name: str) -> tuple[dict[str, Tensor], dict[str, Any]] | None:
    """Return the tensors and the record of a checkpoint, or None if there is none; raise if it is damaged."""
    record = load_record(folder, name)
    return None if record is None else (read(folder, name, record), record)


def load_record(folder: Path, name: str) -> dict[str, Any] | None:
    """Return the content of `name`.json, or None if the file does not exist."""
    path = folder / f"{name}.json"
    try:
        data = read_bounded(path)
    except FileNotFoundError:
        return None
    except OSError as error:
        raise CheckpointError(
            f"{path} cannot be read ({error.strerror or error}); {_remedy(path)}"
        ) from error
    try:
        record = json.loads(data)
    except (ValueError, RecursionError) as error:
        raise CheckpointError(f"{path} is damaged ({error!r:.200}); {_remedy(path)}") from error
    if not isinstance(record, dict):
        raise CheckpointError(f"{path} is damaged; {_remedy(path)}")
    return record


def read_bounded(path: Path) -> bytes:
    """Return the bytes of a run's JSON file; raise if it is larger than `_MAX_RECORD`."""
    with filesystem.open_regular(path) as file:
        data = file.read(_MAX_RECORD + 1)
    if len(data) > _MAX_RECORD:
        raise CheckpointError(f"{path} has more than {_MAX_RECORD} bytes; {_remedy(path)}")
    return data


def read(folder: Path, name: str, reference: Mapping[str, Any]) -> dict[str, Tensor]:
    """Return the tensors that `write` wrote, with their ties; `reference` comes from `name`.json."""
    path = folder / f"{name}.json"
    try:
        file, expected = folder / Path(reference["tensors"]).name, reference["sha256"]
    except (KeyError, TypeError) as error:
        raise CheckpointError(f"{path} is damaged ({error!r:.200}); {_remedy(path)}") from error
    try:
        data = filesystem.read_regular(file)
    except (OSError, ValueError) as error:  # ValueError: a name with a null character
        reason = getattr(error, "strerror", None) or error
        raise CheckpointError(
            f"{path} names {file.name!r:.80}, which cannot be read ({reason}); {_remedy(path)}"
        ) from error
    if hashlib.sha256(data).hexdigest() != expected:
        raise CheckpointError(
            f"{file} is damaged: its checksum is not the one in {path.name}; {_remedy(path)}"
        )
    try:
        return tensors_of(data)
    except TensorFileError as error:
        raise CheckpointError(f"{file} cannot be read: {error}; {_remedy(path)}") from error


def tensors_of(data: bytes) -> dict[str, Tensor]:
    """Return the tensors of a safetensors file, tied names included, after its header is validated."""
    from safetensors import SafetensorError
    from safetensors.torch import load as deserialise

    header = read_header(data)
    try:
        tensors: dict[str, Tensor] = deserialise(data)
    except SafetensorError as error:
        raise TensorFileError(f"it is no safetensors file ({error!s:.200})") from error
    return tensors | {other: tensors[key] for other, key in header.ties.items()}


def _remedy(path: Path) -> str:
    return f"remove {path} to start this run again"


def remove(folder: Path, name: str) -> None:
    """Remove a checkpoint, the JSON file first."""
    (folder / f"{name}.json").unlink(missing_ok=True)
    for file in folder.glob(f"{name}-*.safetensors"):
        file.unlink(missing_ok=True)


def ties(tensors: Mapping[str, Tensor]) -> dict[str, str]:
    """Map each name whose tensor already has an earlier name to that earlier name.

    `ties(T5.state_dict())` is {"encoder.embed_tokens.weight": "shared.weight", ...}.
    """
    first: dict[tuple[object, ...], str] = {}
    tied = {}
    for name, tensor in tensors.items():
        if not tensor.numel():
            continue
        # The same elements in the same order, not only the same memory.
        place = (tensor.device, tensor.data_ptr(), tensor.shape, tensor.stride(), tensor.dtype)
        if (earlier := first.setdefault(place, name)) != name:
            tied[name] = earlier
    return tied


def distinct(tensors: Mapping[str, Tensor]) -> dict[str, Tensor]:
    """Return the tensors without those that already have an earlier name."""
    tied = ties(tensors)
    return {name: tensor for name, tensor in tensors.items() if name not in tied}


def cloned(tensors: Mapping[str, Tensor]) -> dict[str, Tensor]:
    """Return a copy that shares no storage with the original and has the same ties."""
    tied = ties(tensors)
    copies = {name: tensor.detach().clone() for name, tensor in tensors.items() if name not in tied}
    return {name: copies[tied.get(name, name)] for name in tensors}
