"""A temporary file of plain values, appended once and read in order repeatedly."""

from __future__ import annotations

import tempfile
from collections.abc import Callable, Iterator
from typing import IO, Any

import msgspec

_IN_MEMORY = 1 << 20  # number of bytes in memory before a file is written
_BLOCK = 200  # number of values that are encoded together
_LENGTH = 8  # number of bytes of the length before each block
encode = msgspec.msgpack.Encoder().encode
decode = msgspec.msgpack.Decoder().decode


class Spool:
    """A temporary file of lists, dictionaries, texts, bytes and numbers."""

    def __init__(self) -> None:
        self._file: IO[bytes] = tempfile.SpooledTemporaryFile(_IN_MEMORY, prefix="dnc-")  # noqa: SIM115
        self._size = 0
        self._pending: list[Any] = []

    def append(self, value: Any) -> None:
        """Add a value."""
        self._pending.append(value)
        if len(self._pending) == _BLOCK:
            self._flush()

    def position(self) -> int:
        """Return the position of the next value, a bound for `values`."""
        self._flush()
        return self._size

    def values(
        self, start: int = 0, end: int | None = None, decode: Callable[[bytes], list[Any]] = decode
    ) -> Iterator[Any]:
        """Yield the values between two positions; `decode` may convert a block's values to objects."""
        end = self.position() if end is None else end
        while start < end:
            self._file.seek(start)
            length = int.from_bytes(self._file.read(_LENGTH), "little")
            block = decode(self._file.read(length))
            start += _LENGTH + length
            yield from block

    def _flush(self) -> None:
        if self._pending:
            data = encode(self._pending)
            self._file.seek(self._size)
            self._file.write(len(data).to_bytes(_LENGTH, "little") + data)
            self._size += _LENGTH + len(data)
            self._pending = []
