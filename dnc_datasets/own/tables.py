"""Perturbs Parquet files batch by batch in one process, in several, or on a Ray cluster."""

from __future__ import annotations

import os
import tempfile
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING, Any, BinaryIO
from uuid import uuid4

from dnc_datasets import owned_folder
from dnc_datasets.errors import DncError, OutputError, ProblemError
from dnc_datasets.folder_update import replaced_folder
from dnc_datasets.own import engine
from dnc_datasets.own.stored import batches, cut, is_address, located
from dnc_datasets.perturbations.statements.neighbours import Lent, Neighbours
from dnc_datasets.problem import FIELDS
from dnc_datasets.serving import ray_cluster, rows
from dnc_datasets.serving.workers import stream

if TYPE_CHECKING:
    import pyarrow
    import pyarrow.dataset
    import pyarrow.parquet

# Rows that a process gets at a time.
_BATCH = 1024
_MAGIC = "PAR1"


@dataclass(frozen=True)
class Work:
    """The perturbation of every row. An instance is the function that a worker calls."""

    recipe: str
    dataset: str
    seed: int
    parameters: Mapping[str, Any]

    def batches(self, pool: Neighbours | None) -> Batches:
        """Return the function for batches, given the pool of statements that rows may borrow."""
        return Batches(self, pool)


class Batches:
    """Perturbs one batch. The instance is sent to every process."""

    def __init__(self, work: Work, pool: Neighbours | None) -> None:
        self._work, self._pool = work, pool

    def __call__(self, table: pyarrow.Table) -> pyarrow.Table:
        work = self._work
        return engine.perturb_batch(
            table,
            work.recipe,
            dataset=work.dataset,
            seed=work.seed,
            parameters=work.parameters,
            pool=self._pool,
        )


@dataclass
class Counts:
    """The number of rows, and the number of perturbed rows."""

    rows: int = 0
    changed: int = 0


# Receives the number of rows since the last call.
Progress = Callable[[int], object]


def count(source: str) -> int:
    """Return the number of rows of the input, from the footers of its files."""
    opened = _opened(source)
    try:
        return int(opened.count_rows())
    except (OSError, ValueError) as error:  # a file of a folder
        raise ProblemError(f"{source} cannot be read as Parquet: {error}") from error


def perturb_file(
    source: str,
    out: str | Path,
    work: Work,
    jobs: int = 1,
    force: bool = False,
    progress: Progress = lambda rows: None,
) -> Counts:
    """Perturb Parquet (a file, a folder, or an address that fsspec opens) into one file, in order."""
    import pyarrow.compute as pc
    import pyarrow.parquet as pq

    out = _checked_file(out, force)
    pool = None
    if engine.borrows(work.recipe):
        pool = engine.pool(_batches(source), dataset=work.dataset, seed=work.seed)
    stated = Counts()
    with (
        _new_file(out, force) as file,
        pq.ParquetWriter(file, rows.schema(), compression="zstd") as writer,
    ):
        made = (table for _, table in stream(Batches, (work, pool), _batches(source), jobs))
        for group in rows.groups(made):
            writer.write_table(group)
            stated.rows += group.num_rows
            progress(group.num_rows)
            stated.changed += pc.sum(group.column("perturbed")).as_py() or 0
        if not stated.rows:
            raise ProblemError(f"{source} has no rows: nothing to perturb")
    return stated


def _is_ours(line: str) -> bool:
    return not line or line.startswith(_MAGIC)


def _checked_file(out: str | Path, force: bool) -> str | Path:
    """Return the path of a file to write. A file that another program wrote is an error, before any work."""
    if isinstance(out, Path) or not is_address(out):
        return owned_folder.owned_file(Path(out), _is_ours, force)
    system, path = _writable(out)
    if system.isdir(path):
        raise OutputError(f"{out} is a folder; name the file to write in it")
    if (
        not force
        and system.exists(path)
        and not _is_ours(system.cat_file(path, 0, len(_MAGIC)).decode("latin-1"))
    ):
        raise OutputError(f"{out} is there already and is no Parquet file; name another, or move it away")
    return out


@contextmanager
def _new_file(out: str | Path, force: bool) -> Iterator[BinaryIO]:
    """Open a file to write, on this machine or at an address.

    It appears when the block ends without an error.
    """
    if isinstance(out, Path):
        with owned_folder.new_owned_file(out, _is_ours, force) as file:
            yield file
        return
    system, path = _writable(out)
    with tempfile.NamedTemporaryFile(suffix=".parquet") as unfinished:
        yield unfinished  # type: ignore[misc]
        unfinished.flush()
        try:
            system.makedirs(system._parent(path), exist_ok=True)
            system.put_file(unfinished.name, path)
        except Exception as error:  # each file system has its own
            raise OutputError(f"{out} cannot be written: {error}; choose another place") from error


def _writable(address: str) -> tuple[Any, str]:
    if address.startswith(("http://", "https://")):
        raise OutputError(f"{address} can only be read; write to a path, or to an address such as s3://...")
    return located(address)


@dataclass(frozen=True)
class Block:
    """Consecutive rows of the input, and the place of the file that holds them perturbed."""

    work: Work
    source: str
    pieces: tuple[tuple[str, int, int], ...]  # file, first row, and the row after the last
    out: str = ""
    unfinished: str = ""  # a folder for files that are being written; nothing at an address

    @property
    def rows(self) -> int:
        """The number of rows."""
        return sum(stop - start for _, start, stop in self.pieces)

    def tables(self) -> Iterator[pyarrow.Table]:
        """Read the rows, a batch at a time."""
        import pyarrow as pa

        for file, start, stop in self.pieces:
            with _parquet(self.source, file) as parquet:
                for batch in batches(parquet, start, stop, _BATCH):
                    yield pa.Table.from_batches([batch])


def blocks(source: str, work: Work, cores: int) -> list[Block]:
    """Cut the input into blocks, in the order of its rows. Only the footers of its files are read."""
    files = list(_opened(source).files)
    sizes = [_size(source, file) for file in files]
    if not (total := sum(sizes)):
        raise ProblemError(f"{source} has no rows: nothing to perturb")
    return [
        Block(work, source, tuple((files[piece.file], piece.start, piece.stop) for piece in pieces))
        for pieces in cut(sizes, ray_cluster.block_rows(total, cores))
    ]


def perturb_block(block: Block, pool: Neighbours | None = None) -> Counts:
    """Write the rows of a block. A second call replaces the file by an identical one."""
    import pyarrow as pa
    import pyarrow.compute as pc
    import pyarrow.parquet as pq

    table = pa.concat_tables(map(block.work.batches(pool), block.tables())).combine_chunks()
    stated = Counts(table.num_rows, pc.sum(table.column("perturbed")).as_py() or 0)
    if not block.unfinished:
        with _new_file(block.out, True) as file:
            pq.write_table(table, file, compression="zstd")
        return stated
    unfinished = Path(block.unfinished, f"{uuid4().hex}.parquet")
    pq.write_table(table, unfinished, compression="zstd")
    os.replace(unfinished, block.out)
    return stated


def lend(some: Sequence[Block]) -> Lent:
    """Return the statements that the rows of some blocks lend to others."""
    work, tables = some[0].work, (table for block in some for table in block.tables())
    return engine.lent(tables, dataset=work.dataset, seed=work.seed)


def perturb_on_ray(
    source: str, out: str, work: Work, address: str = "", progress: Progress = lambda rows: None
) -> Counts:
    """Perturb on a Ray cluster (started here where no address is given), into a folder of Parquet files.

    The files `part-00000-of-00100.parquet` and so on hold the rows of one process in the same order, a block
    each. A lost worker or node is replaced, and only its blocks are computed once more. Rows go from the
    input to a worker and from there to the output. No process holds more than a block and the pool.
    """
    cores = ray_cluster.cores(address)
    parts = blocks(source if is_address(source) else str(Path(source).absolute()), work, cores)
    if is_address(out):
        system, path = _writable(out)
        _refuse_filled(out, system.exists(path) and bool(system.ls(path)))
        made = _all_written(parts, out.rstrip("/"), "", address, progress)
    else:
        folder = Path(out).absolute()
        owned_folder.usable(folder)
        _refuse_filled(out, folder.exists() and any(folder.iterdir()))
        with replaced_folder(folder) as new:
            unfinished = new.with_name("unfinished")
            unfinished.mkdir()
            made = _all_written(parts, str(new), str(unfinished), address, progress)
    return Counts(sum(one.rows for one in made), sum(one.changed for one in made))


def _refuse_filled(out: str, filled: bool) -> None:
    if filled:
        raise DncError(f"{out} is not empty; name a new folder with --out")


def _all_written(
    parts: list[Block], out: str, unfinished: str, address: str, progress: Progress
) -> list[Counts]:
    """Collect the pool in a pass of its own, and write the file of each block."""
    borrows = engine.borrows(parts[0].work.recipe)
    pool = ray_cluster.joined(lend, parts, address) if borrows else None
    named = [
        replace(part, out=f"{out}/part-{at:05}-of-{len(parts):05}.parquet", unfinished=unfinished)
        for at, part in enumerate(parts)
    ]
    shared = [pool] * len(named)
    return ray_cluster.each(perturb_block, named, address, lambda block: progress(block.rows), shared)


@contextmanager
def _parquet(source: str, file: str) -> Iterator[pyarrow.parquet.ParquetFile]:
    """Open one file of the input."""
    import pyarrow.parquet as pq

    if not is_address(source):
        with pq.ParquetFile(file) as parquet:
            yield parquet
        return
    with located(source)[0].open(file, "rb") as opened, pq.ParquetFile(opened) as parquet:
        yield parquet


def _size(source: str, file: str) -> int:
    with _parquet(source, file) as parquet:
        _check(parquet.schema_arrow.names, source)
        return int(parquet.metadata.num_rows)


def _batches(source: str) -> Iterator[pyarrow.Table]:
    import pyarrow as pa

    opened = _opened(source)
    _check(opened.schema.names, source)
    # One batch ahead of the work, and no piece of a file that was not asked for: readers otherwise run far ahead.
    ahead = {"batch_readahead": 1, "fragment_readahead": 1}
    for batch in opened.to_batches(columns=list(FIELDS), batch_size=_BATCH, **ahead):
        if batch.num_rows:
            yield pa.Table.from_batches([batch])


def _opened(source: str) -> pyarrow.dataset.Dataset:
    import pyarrow.dataset as ds

    plain = ds.ParquetFragmentScanOptions(pre_buffer=False)
    kind = ds.ParquetFileFormat(default_fragment_scan_options=plain)
    try:
        if not is_address(source):
            return ds.dataset(source, format=kind)
        system, path = located(source)
        return ds.dataset(path, format=kind, filesystem=system)
    except DncError:
        raise
    except Exception as error:  # Arrow's own errors are ValueErrors, and each file system has its own
        if "range requests" in str(error):
            raise ProblemError(
                f"the server of {source} sends no pieces of a file; put simplecache:: before the address, and the "
                "file is downloaded first"
            ) from error
        raise ProblemError(f"{source} cannot be read as Parquet: {error}") from error


def _check(names: list[str], source: str) -> None:
    if missing := [name for name in FIELDS if name not in names]:
        raise ProblemError(
            f"{source} has no column {', '.join(missing)}. A problem without them is another one, and would be "
            "perturbed otherwise: write all columns of a problem, as `dnc build` does, or give JSON lines, whose "
            "missing fields are found in the text"
        )
