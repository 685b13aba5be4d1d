"""The header of a safetensors file, read and checked before any tensor is created from it."""

from __future__ import annotations

import json
import math
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, TypeVar

import torch
from torch import Tensor, nn

TIES = "ties"  # the key of a file's metadata: {name: the name under which its tensor is stored}
# Type in a file -> its name in torch, and the bytes per element.
DTYPES = {
    "BOOL": ("bool", 1), "U8": ("uint8", 1), "I8": ("int8", 1), "I16": ("int16", 2), "I32": ("int32", 4),
    "I64": ("int64", 8), "F16": ("float16", 2), "BF16": ("bfloat16", 2), "F32": ("float32", 4), "F64": ("float64", 8),
}  # fmt: skip
_MAX_HEADER = 32 * 1024 * 1024
_MAX_DIMENSIONS = 16


class TensorFileError(ValueError):
    """Raised for a file that is not safetensors, or whose header is inconsistent; the message is a clause."""


@dataclass(frozen=True)
class Entry:
    """A tensor of the file: its type, by torch's name, and its shape."""

    dtype: str
    shape: tuple[int, ...]

    @property
    def size(self) -> int:
        """Return the number of elements."""
        return math.prod(self.shape)


@dataclass(frozen=True)
class Header:
    """The tensors of a file by name, and the names that share the tensor of another."""

    entries: Mapping[str, Entry]
    ties: Mapping[str, str]


def read_header(data: bytes) -> Header:
    """Return the header of a file after checking names, types, shapes, offsets and ties for consistency."""
    length = int.from_bytes(data[:8], "little")
    if len(data) < 8 or length > min(_MAX_HEADER, len(data) - 8):
        raise TensorFileError("it is no safetensors file, or it is cut off")
    header = _object(data[8 : 8 + length], "the header")
    metadata = header.pop("__metadata__", {})
    if not isinstance(metadata, dict) or not all(isinstance(one, str) for one in metadata.values()):
        raise TensorFileError("its metadata is no mapping of texts")
    entries, places = {}, []
    for name, description in header.items():
        entries[name], place = _entry(name, description)
        places.append(place)
    _check_places(places, len(data) - 8 - length)
    return Header(entries, dict(_ties(metadata.get(TIES, "{}"), entries)))


def _object(data: bytes | str, place: str) -> dict[str, Any]:
    try:
        value = json.loads(data)
    except (ValueError, RecursionError) as error:
        raise TensorFileError(f"{place} is no JSON ({type(error).__name__})") from error
    if not isinstance(value, dict):
        raise TensorFileError(f"{place} is no JSON object")
    return value


def _entry(name: str, description: Any) -> tuple[Entry, tuple[int, int]]:
    if not isinstance(description, dict) or description.keys() != {"dtype", "shape", "data_offsets"}:
        raise TensorFileError(f"the tensor {name!r:.80} has no type, shape and offsets")
    dtype, shape, offsets = description["dtype"], description["shape"], description["data_offsets"]
    if not isinstance(dtype, str) or dtype not in DTYPES:
        raise TensorFileError(f"the tensor {name!r:.80} has the unknown type {dtype!r:.40}")
    if not _is_count_list(shape) or len(shape) > _MAX_DIMENSIONS:
        raise TensorFileError(f"the tensor {name!r:.80} has no shape")
    if not _is_count_list(offsets) or len(offsets) != 2:
        raise TensorFileError(f"the tensor {name!r:.80} has no place in the file")
    torch_name, width = DTYPES[dtype]
    entry = Entry(torch_name, tuple(shape))
    if offsets[1] - offsets[0] != width * entry.size:
        raise TensorFileError(f"the shape of the tensor {name!r:.80} does not fit its bytes")
    return entry, (offsets[0], offsets[1])


def _is_count_list(value: Any) -> bool:
    return isinstance(value, list) and all(type(one) is int and 0 <= one < 2**63 for one in value)


def _check_places(places: Sequence[tuple[int, int]], size: int) -> None:
    """Raise an error for tensors that overlap, leave a gap or do not end with the file."""
    end = 0
    for start, stop in sorted(places):
        if start != end:
            raise TensorFileError("its tensors overlap or leave a gap")
        end = stop
    if end != size:
        raise TensorFileError(f"its tensors have {end} bytes, and the file has {size}")


def _ties(text: str, entries: Mapping[str, Entry]) -> Iterator[tuple[str, str]]:
    for name, target in _object(text, "the list of ties").items():
        if not isinstance(target, str) or target not in entries:
            raise TensorFileError(f"{name!r:.80} is tied to {target!r:.80}, which is not in the file")
        if name in entries:
            raise TensorFileError(f"{name!r:.80} is both a tensor and a tie")
        yield name, target


Model = TypeVar("Model", bound=nn.Module)

# Settings that determine the memory of an answer, with the maximum of a loaded model.
_MOST = {"beam": 1000, "eval_batch": 65_536, "max_length": 10_000, "length": 65_536, "encoder_layers": 1000,
         "frozen_layers": 1000}  # fmt: skip
# Sizes that are small enough on any machine, independent of the file.
_ALWAYS = {"hidden": 4096, "embedding": 4096, "layers": 64}


# The errors of creating a model from settings and words that its trainer did not write.
NO_MODEL = (
    ValueError,
    TypeError,
    KeyError,
    IndexError,
    AttributeError,
    ArithmeticError,
    RuntimeError,
    MemoryError,
)


class FitError(ValueError):
    """Raised for weights that are not those of the config's model; the message is a clause."""


def model(config: Any, tensors: Mapping[str, Tensor], create: Callable[[], Model]) -> Model:
    """Return the model that `create` makes with these weights; nothing is allocated unless they fit it."""
    _check_sizes(config, tensors)
    if not getattr(config, "encoder", ""):
        # On the meta device tensors have shapes and no memory. A pretrained encoder cannot be loaded there.
        with torch.device("meta"):
            planned = create().state_dict()
        _check_shapes(planned, tensors)
    check_finite(tensors)
    loaded = create()
    try:
        loaded.load_state_dict(tensors)
    except RuntimeError as error:
        raise FitError("names or shapes differ") from error
    return loaded


def _check_sizes(config: Any, tensors: Mapping[str, Tensor]) -> None:
    """Raise an error for sizes that no model in a file of this size can have."""
    numbers = sum(tensor.numel() for tensor in tensors.values())
    bounds = {
        **_MOST,
        "hidden": max(_ALWAYS["hidden"], math.isqrt(numbers)),
        "embedding": max(_ALWAYS["embedding"], numbers),
        "layers": max(_ALWAYS["layers"], len(tensors)),
    }
    for name, most in bounds.items():
        value = getattr(config, name, 0)
        if value > most:
            raise FitError(f"{name} is {value}, and the weights allow at most {most}")


def _check_shapes(planned: Mapping[str, Tensor], tensors: Mapping[str, Tensor]) -> None:
    for name in sorted(planned.keys() ^ tensors.keys()):
        raise FitError(
            f"the tensor {name!r:.80} is {'missing' if name in planned else 'not part of the model'}"
        )
    for name, expected in planned.items():
        tensor = tensors[name]
        if tensor.shape != expected.shape:
            shapes = f"{tuple(tensor.shape)} and the model has {tuple(expected.shape)}"
            raise FitError(f"the tensor {name!r} has the shape {shapes}")
        if tensor.dtype != expected.dtype:
            raise FitError(
                f"the tensor {name!r} has the type {tensor.dtype} and the model has {expected.dtype}"
            )


def check_finite(tensors: Mapping[str, Tensor]) -> None:
    """Raise an error for NaN or infinite weights, which would give wrong answers without a warning."""
    for name, tensor in tensors.items():
        if tensor.is_floating_point() and not bool(torch.isfinite(tensor).all()):
            raise FitError(f"the tensor {name!r} holds NaN or infinity")
