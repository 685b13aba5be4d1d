"""Checkpoints: tensors as safetensors, all else as JSON, whole or not at all, and never trusted unseen."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from torch import Tensor

from dnc_datasets import atomic
from dnc_datasets.errors import DncError


class CheckpointError(DncError):
    """A checkpoint that cannot be written, read or trusted."""


def save(folder: Path, name: str, tensors: Mapping[str, Tensor], record: Mapping[str, Any]) -> None:
    """Write `name`-N.safetensors and then `name`.json, which names it with its checksum.

    The JSON file is replaced last and at once, so a crash or a full disk leaves the checkpoint before.
    """
    from safetensors.torch import save as serialise

    data = serialise({key: tensor.detach().cpu().contiguous() for key, tensor in tensors.items()})
    digest = hashlib.sha256(data).hexdigest()
    file = f"{name}-{digest[:12]}.safetensors"
    try:
        atomic.write_bytes(folder / file, data)
        pointer = {**record, "tensors": file, "sha256": digest}
        atomic.write_text(folder / f"{name}.json", json.dumps(pointer, indent=1) + "\n")
    except OSError as error:
        raise CheckpointError(
            f"{folder}: the checkpoint {name!r} could not be written ({error.strerror or error}); "
            "what was written before is whole. Free some space, or mend the folder, and "
            "run the same command again to go on"
        ) from error
    for old in folder.glob(f"{name}-*.safetensors"):
        if old.name != file:
            old.unlink(missing_ok=True)


def load(folder: Path, name: str) -> tuple[dict[str, Tensor], dict[str, Any]] | None:
    """The tensors and the record of a checkpoint, None where there is none; a damaged one is an error."""
    from safetensors.torch import load as deserialise

    path = folder / f"{name}.json"
    if not path.exists():
        return None
    remedy = f"remove {path} to start this run again"
    try:
        record = json.loads(path.read_text(encoding="utf-8"))
        file, expected = folder / Path(record["tensors"]).name, record["sha256"]
    except (ValueError, KeyError, TypeError) as error:
        raise CheckpointError(f"{path} is damaged ({error!r}); {remedy}") from error
    try:
        data = file.read_bytes()
    except OSError as error:
        raise CheckpointError(
            f"{path} names {file.name}, which cannot be read ({error.strerror}); {remedy}"
        ) from error
    if hashlib.sha256(data).hexdigest() != expected:
        raise CheckpointError(f"{file} is damaged: its checksum is not the one in {path.name}; {remedy}")
    return deserialise(data), record


def remove(folder: Path, name: str) -> None:
    """Take a checkpoint away, the JSON file first."""
    (folder / f"{name}.json").unlink(missing_ok=True)
    for file in folder.glob(f"{name}-*.safetensors"):
        file.unlink(missing_ok=True)
