"""Parquet files that remain on a disk or at an address. Rows are read during the iteration."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple, overload

from dnc_datasets.errors import DncError
from dnc_datasets.problem import FIELDS, Problem, from_row

if TYPE_CHECKING:
    import pyarrow
    import pyarrow.parquet

# Rows that are read at a time.
_BATCH = 2_000


class Piece(NamedTuple):
    """Rows of one file: the index of the file, the first row, and the row after the last."""

    file: int
    start: int
    stop: int


def cut(sizes: Sequence[int], rows: int) -> list[tuple[Piece, ...]]:
    """Cut files of these numbers of rows into blocks of `rows` rows, in their order.

    The last block may have fewer.

    >>> cut([3, 0, 4], 5)
    [(Piece(file=0, start=0, stop=3), Piece(file=2, start=0, stop=2)), (Piece(file=2, start=2, stop=4),)]
    """
    blocks: list[tuple[Piece, ...]] = []
    block: list[Piece] = []
    room = rows
    for file, size in enumerate(sizes):
        start = 0
        while start < size:
            stop = min(size, start + room)
            block.append(Piece(file, start, stop))
            room -= stop - start
            start = stop
            if not room:
                blocks.append(tuple(block))
                block, room = [], rows
    return [*blocks, tuple(block)] if block else blocks


def batches(
    file: pyarrow.parquet.ParquetFile, start: int, stop: int, size: int = 0
) -> Iterator[pyarrow.RecordBatch]:
    """Read the columns of a problem of some rows. Row groups without these rows are not read."""
    groups: list[int] = []
    skipped = first = 0
    for group in range(file.num_row_groups):
        after = first + file.metadata.row_group(group).num_rows
        if first < stop and after > start:
            skipped = skipped if groups else start - first
            groups.append(group)
        first = after
    left = max(0, stop - start)
    for batch in file.iter_batches(batch_size=size or _BATCH, row_groups=groups, columns=list(FIELDS)):
        piece = batch.slice(skipped, left)
        skipped = max(0, skipped - batch.num_rows)
        left -= piece.num_rows
        if piece.num_rows:
            yield piece
        if not left:
            return


def is_address(place: str) -> bool:
    """Return whether this text names a place by its protocol, such as `s3://bucket/problems`."""
    return "://" in place


def located(address: str) -> tuple[Any, str]:
    """Return the fsspec file system of an address, and the path there.

    Arrow's own file systems are used for protocols whose package is not installed beside fsspec.
    """
    from fsspec.core import url_to_fs

    try:
        return tuple(url_to_fs(address))
    except (ImportError, ValueError) as error:
        import pyarrow.fs
        from fsspec.implementations.arrow import ArrowFSWrapper

        try:
            system, path = pyarrow.fs.FileSystem.from_uri(address)
        except (OSError, ValueError):  # Arrow's own errors are ValueErrors
            raise DncError(
                f"{address} cannot be opened: {error}. Give a path, or an address that fsspec opens"
            ) from error
        return ArrowFSWrapper(system), path


class Stored(Sequence[Problem]):
    """The problems of a Parquet file with all columns of a problem, for sources that are larger than memory.

    A source's `read` may return it in place of a list. `dnc build` and `dnc verify` then hold one row group
    at a time.
    """

    def __init__(self, path: Path) -> None:
        self._path = path

    def __len__(self) -> int:
        import pyarrow.parquet as pq

        with pq.ParquetFile(self._path) as file:
            return int(file.metadata.num_rows)

    def __iter__(self) -> Iterator[Problem]:
        yield from self.between(0, len(self))

    def between(self, start: int, stop: int) -> Iterator[Problem]:
        """Read the problems of some rows, without reading the file from its beginning."""
        import pyarrow.parquet as pq

        with pq.ParquetFile(self._path) as file:
            for batch in batches(file, start, stop):
                yield from map(from_row, batch.to_pylist())

    @overload
    def __getitem__(self, place: int) -> Problem: ...
    @overload
    def __getitem__(self, place: slice) -> list[Problem]: ...
    def __getitem__(self, place: int | slice) -> Problem | list[Problem]:
        if isinstance(place, slice):
            start, stop, step = place.indices(len(self))
            return list(self.between(start, stop))[::step] if step > 0 else list(self)[place]
        at = range(len(self))[place]
        return next(self.between(at, at + 1))
