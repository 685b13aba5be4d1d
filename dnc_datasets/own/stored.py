"""A split of a source that stays in its Parquet file: rows are read as they are gone through, and none is held."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import overload

from dnc_datasets.problem import FIELDS, Problem, from_row

# Rows that are read at a time.
_BATCH = 2_000


class Stored(Sequence[Problem]):
    """The problems of a Parquet file with all columns of a problem, for sources that are larger than memory.

    A source's `read` may give it in the place of a list; `dnc build` and `dnc verify` then hold a row group at a time.
    """

    def __init__(self, path: Path) -> None:
        self._path = path

    def __len__(self) -> int:
        import pyarrow.parquet as pq

        with pq.ParquetFile(self._path) as file:
            return int(file.metadata.num_rows)

    def __iter__(self) -> Iterator[Problem]:
        import pyarrow.parquet as pq

        with pq.ParquetFile(self._path) as file:
            for batch in file.iter_batches(batch_size=_BATCH, columns=list(FIELDS)):
                yield from map(from_row, batch.to_pylist())

    @overload
    def __getitem__(self, place: int) -> Problem: ...
    @overload
    def __getitem__(self, place: slice) -> list[Problem]: ...
    def __getitem__(self, place: int | slice) -> Problem | list[Problem]:
        from itertools import islice

        if isinstance(place, slice):
            start, stop, step = place.indices(len(self))
            return list(islice(self, start, stop, step)) if step > 0 else list(self)[place]
        at = range(len(self))[place]
        return next(islice(self, at, None))
