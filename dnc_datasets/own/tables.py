"""What `dnc perturb` does to Parquet: batch by batch in this process, in several, or on a Ray cluster."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

from dnc_datasets import owned_folder
from dnc_datasets.errors import DncError, ProblemError
from dnc_datasets.folder_update import replaced_folder
from dnc_datasets.own import engine
from dnc_datasets.perturbations.statements.neighbours import Neighbours
from dnc_datasets.problem import FIELDS
from dnc_datasets.serving import ray_cluster, rows
from dnc_datasets.serving.workers import stream

if TYPE_CHECKING:
    import pyarrow
    import pyarrow.dataset

# Rows that a process gets at a time.
_BATCH = 1024
# Rows of one task of a cluster: what a lost worker costs.
_BLOCK = 10_000
_MAGIC = "PAR1"


@dataclass(frozen=True)
class Work:
    """What is done to every row; an instance is the function that a worker calls."""

    recipe: str
    dataset: str
    seed: int
    parameters: Mapping[str, Any]

    def batches(self, pool: Neighbours | None) -> Batches:
        """The function for batches, once what rows may borrow is known."""
        return Batches(self, pool)


class Batches:
    """Perturbs one batch; goes to every process as it is."""

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
    """How many rows there were, and how many were perturbed."""

    rows: int = 0
    changed: int = 0


def perturb_file(source: str, out: Path, work: Work, jobs: int = 1, force: bool = False) -> Counts:
    """Perturb Parquet (a file, a folder, or what pyarrow opens, e.g. s3://...) into one file, in order."""
    import pyarrow.compute as pc
    import pyarrow.parquet as pq

    owned_folder.owned_file(out, _is_ours, force)
    pool = None
    if engine.borrows(work.recipe):
        pool = engine.pool(_batches(source), dataset=work.dataset, seed=work.seed)
    stated = Counts()
    with (
        owned_folder.new_owned_file(out, _is_ours, force) as file,
        pq.ParquetWriter(file, rows.schema(), compression="zstd") as writer,
    ):
        made = (table for _, table in stream(Batches, (work, pool), _batches(source), jobs))
        for group in _groups(made):
            writer.write_table(group)
            stated.rows += group.num_rows
            stated.changed += pc.sum(group.column("perturbed")).as_py() or 0
        if not stated.rows:
            raise ProblemError(f"{source} has no rows: nothing to perturb")
    return stated


def _is_ours(line: str) -> bool:
    return not line or line.startswith(_MAGIC)


def perturb_on_ray(source: str, out: str, work: Work, address: str = "") -> Counts:
    """The same on a Ray cluster (one started here where no address is given), into a folder of Parquet files.

    Rows are the same as in one process, in any order of the files; a worker that is lost is replaced, and its
    batches are made again. No process holds more than a few batches and the pool.
    """
    ray_cluster.connect(address)
    import ray.data

    ray.data.DataContext.get_current().enable_progress_bars = False
    given = ray.data.read_parquet(source)
    _check(given.schema().names, source)
    # Ray cuts blocks by their bytes, and a million short rows would be two.
    given = given.repartition(target_num_rows_per_block=_BLOCK)
    pool = None
    if engine.borrows(work.recipe):
        some = given.select_columns(list(FIELDS)).iter_batches(batch_size=_BATCH, batch_format="pyarrow")
        pool = engine.pool(some, dataset=work.dataset, seed=work.seed)
    made = given.map_batches(
        work.batches(pool), batch_format="pyarrow", batch_size=_BATCH, zero_copy_batch=True
    )
    if "://" in out:
        made.write_parquet(out)
        return _counted(out)
    folder = Path(out).absolute()
    owned_folder.usable(folder)
    if folder.exists() and any(folder.iterdir()):
        raise DncError(f"{folder} is not empty; name a new folder with --out")
    with replaced_folder(folder) as unfinished:
        made.write_parquet(str(unfinished))
    return _counted(str(folder))


def _groups(tables: Iterator[pyarrow.Table]) -> Iterator[pyarrow.Table]:
    """The rows of several tables together: what a file's end says of each row group is held until it is written."""
    import pyarrow as pa

    held: list[pyarrow.Table] = []
    for table in tables:
        held.append(table)
        if sum(one.num_rows for one in held) >= rows.GROUP:
            yield pa.concat_tables(held).combine_chunks()
            held = []
    if held:
        yield pa.concat_tables(held).combine_chunks()


def _counted(folder: str) -> Counts:
    import pyarrow.dataset as ds

    made = _opened(folder)
    return Counts(made.count_rows(), made.count_rows(filter=ds.field("perturbed")))


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

    try:
        plain = ds.ParquetFragmentScanOptions(pre_buffer=False)
        return ds.dataset(source, format=ds.ParquetFileFormat(default_fragment_scan_options=plain))
    except (OSError, ValueError) as error:  # Arrow's own errors are ValueErrors
        raise ProblemError(f"{source} cannot be read as Parquet: {error}") from error


def _check(names: list[str], source: str) -> None:
    if missing := [name for name in FIELDS if name not in names]:
        raise ProblemError(
            f"{source} has no column {', '.join(missing)}. A problem without them is another one, and would be "
            "perturbed otherwise: write all columns of a problem, as `dnc build` does, or give JSON lines, whose "
            "missing fields are found in the text"
        )
