"""The checksum of a split's content: over its columns or, in format 1, over lines of JSON.

It does not depend on file format, row groups or library versions. Values are hashed as in Arrow's memory,
each column separately, texts after their lengths. `FORMAT` is the format of a build. A folder states its
format.
"""

from __future__ import annotations

import json
from abc import ABC, abstractmethod
from collections.abc import Callable, Mapping
from hashlib import sha256
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    import pyarrow

FORMAT = 2
# One encoder for all rows is many times faster on short rows than one for each.
_ENCODE = json.JSONEncoder(ensure_ascii=False, sort_keys=True, separators=(",", ":")).encode


class Content(ABC):
    """The checksums of the splits of a config.

    Splits come in the order of their names, each in pieces of any size.
    """

    @abstractmethod
    def begin(self, split: str) -> None:
        """Begin another split."""

    @abstractmethod
    def add(self, piece: pyarrow.RecordBatch) -> None:
        """Add rows of the split."""

    @abstractmethod
    def end(self) -> str:
        """Return the checksum of the split."""

    @abstractmethod
    def whole(self) -> str:
        """Return the checksum of all completed splits."""


class Columns(Content):
    """Format 2: a hash for each column, and one over all column hashes."""

    def __init__(self) -> None:
        self._ended: dict[str, str] = {}
        self.begin("")

    def begin(self, split: str) -> None:
        self._split, self._rows = split, 0
        self._hashes: dict[str, Any] = {}
        self._values: dict[str, int] = {}

    def add(self, piece: pyarrow.RecordBatch) -> None:
        self._rows += piece.num_rows
        for name, column in zip(piece.schema.names, piece.columns, strict=True):
            self._column(name, column)

    def end(self) -> str:
        lines = [f"{name} {self._hashes[name].hexdigest()}\n" for name in sorted(self._hashes)]
        made = sha256("".join([f"{self._split} {self._rows}\n", *lines]).encode()).hexdigest()
        self._ended[self._split] = made
        return made

    def whole(self) -> str:
        return of_config(self._ended)

    def _column(self, name: str, column: pyarrow.Array) -> None:
        import pyarrow as pa
        import pyarrow.compute as pc

        kind = column.type
        before = self._values.get(name, 0)
        self._values[name] = before + len(column)
        if column.null_count:
            self._places(f"{name} null", column.is_null(), before)
        if pa.types.is_struct(kind):
            there = column.filter(column.is_valid()) if column.null_count else column
            for at, part in enumerate(there.flatten()):
                self._column(f"{name}.{kind.field(at).name}", part)
        elif pa.types.is_list(kind):
            self._numbers(f"{name} length", pc.list_value_length(column))
            self._column(f"{name}[]", column.flatten())
        elif pa.types.is_string(kind):
            texts = column.fill_null("") if column.null_count else column
            self._numbers(f"{name} length", pc.binary_length(texts))
            self._text(name, texts)
        elif pa.types.is_boolean(kind):
            self._places(name, column.fill_null(False) if column.null_count else column, before)
        elif pa.types.is_integer(kind):
            self._numbers(name, column)
        else:
            raise ValueError(f"column {name} is of type {kind}, which rows do not have")

    def _places(self, name: str, which: pyarrow.Array, before: int) -> None:
        """Hash the positions of the true values in the split, so that pieces do not matter."""
        import pyarrow.compute as pc

        self._numbers(name, pc.add(pc.indices_nonzero(which), before))

    def _numbers(self, name: str, numbers: pyarrow.Array) -> None:
        if numbers.null_count:
            numbers = numbers.fill_null(0)
        width = numbers.type.bit_width // 8
        self._bytes(name, numbers.buffers()[1], numbers.offset * width, len(numbers) * width)

    def _text(self, name: str, texts: pyarrow.Array) -> None:
        _, places, data = texts.buffers()
        if data is not None and len(texts):
            ends = memoryview(places).cast("i")
            first = ends[texts.offset]
            self._bytes(name, data, first, ends[texts.offset + len(texts)] - first)

    def _bytes(self, name: str, data: pyarrow.Buffer, start: int, count: int) -> None:
        # Empty buffers are left out, so that pieces without rows do not matter.
        if count:
            self._hashes.setdefault(name, sha256()).update(data.slice(start, count))


class Lines(Content):
    """Format 1: the canonical JSON of each row, one line each."""

    def __init__(self) -> None:
        self._whole, self._part = sha256(), sha256()

    def begin(self, split: str) -> None:
        self._part = sha256()
        self._update(f"{split}\n")

    def add(self, piece: pyarrow.RecordBatch) -> None:
        for record in piece.to_pylist():
            self.line(record)

    def line(self, record: Mapping[str, Any]) -> None:
        """Add one row, as plain values."""
        self._update(f"{_ENCODE(record)}\n")

    def end(self) -> str:
        return self._part.hexdigest()

    def whole(self) -> str:
        return self._whole.hexdigest()

    def _update(self, text: str) -> None:
        data = text.encode()
        self._whole.update(data)
        self._part.update(data)


# Format -> its implementation.
FORMATS: dict[int, Callable[[], Content]] = {1: Lines, FORMAT: Columns}


def of_config(splits: Mapping[str, str]) -> str:
    """Return the checksum of a config of format 2, from those of its splits."""
    return sha256("".join(f"{split} {splits[split]}\n" for split in sorted(splits)).encode()).hexdigest()


def digest(splits: Mapping[str, pyarrow.Table]) -> str:
    """Return the checksum of a config whose splits are given as tables."""
    hashed = Columns()
    for split in splits:
        hashed.begin(split)
        for piece in splits[split].to_batches():
            hashed.add(piece)
        hashed.end()
    return hashed.whole()
