"""Perturbs Arrow tables batch by batch, for `datasets.map`, Ray Data and Spark.

made = perturb_batch(table, "verbosity", dataset="mine")

The result of a row depends only on the row, the recipe, the dataset's name, the seed and the parameters.
Batches may therefore have any size and run on any machine. `extra` borrows statements from other rows: `pool`
collects these statements in a first pass, and every batch receives the pool.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping
from typing import TYPE_CHECKING, Any

from dnc_datasets import perturbations, sources
from dnc_datasets.errors import ProblemError
from dnc_datasets.own.lines import Job, Perturber
from dnc_datasets.perturbations.statements.neighbours import Lent, Neighbours
from dnc_datasets.problem import FIELDS, SHAPES, Problem, from_row
from dnc_datasets.serving import rows
from dnc_datasets.serving.catalogue import Variant
from dnc_datasets.serving.settings import Row, perturb

if TYPE_CHECKING:
    import pyarrow

_NONE = Neighbours(())


def perturb_batch(
    table: pyarrow.Table,
    recipe: str,
    *,
    dataset: str,
    seed: int = 0,
    parameters: Mapping[str, Any] | None = None,
    pool: Neighbours | None = None,
) -> pyarrow.Table:
    """Return the rows of an Arrow table perturbed, in their order, with the columns of a built dataset.

    The table has every column of a problem (see `with_defaults`). Other columns are dropped, and pairs join
    on `id`. A row that does not qualify, or fails, remains unchanged with `perturbed` false. `dataset` enters
    the draws: the name of a built-in source gives the rows of `dnc build`.
    """
    import pyarrow as pa

    made = _made_by(Job(recipe, dataset, seed, parameters or {}), pool)
    variant = Variant(dataset, "", recipe)
    records = [rows.to_record(made(problem), variant) for problem in _problems(table)]
    return pa.Table.from_pylist(records, schema=rows.schema())


def with_defaults(table: pyarrow.Table) -> pyarrow.Table:
    """Return the table with an empty column for each optional column that it lacks.

    `id` and `question` are required.

    A row without its `meta`, table or history is a different problem, so `perturb_batch` does not add these
    columns.
    """
    import pyarrow as pa

    for name in FIELDS:
        if name in table.column_names:
            continue
        if name in ("id", "question"):
            raise ProblemError(f"the table has no column {name!r}; every problem needs an id and a question")
        kind = rows.schema().field(name).type
        empty = "" if pa.types.is_string(kind) else []
        table = table.append_column(name, pa.array([empty] * table.num_rows, kind))
    return table


def pool(tables: Iterable[pyarrow.Table], *, dataset: str, seed: int = 0) -> Neighbours:
    """Return the statements that rows of these tables may borrow: a bounded number, independent of row order."""
    return Neighbours.joined([lent(tables, dataset=dataset, seed=seed)])


def lent(tables: Iterable[pyarrow.Table], *, dataset: str, seed: int = 0) -> Lent:
    """Return the statements that the rows of these tables lend.

    `Neighbours.joined` joins several parts into the pool.

    Each part of the data can be read on another machine.
    """
    problems = (problem for table in tables for problem in _problems(table))
    return Neighbours(problems, seed=seed, dataset=dataset).lent()


def borrows(recipe: str) -> bool:
    """Return whether the recipe needs a pool."""
    return any(step.needs_neighbours for shape in SHAPES for step in perturbations.recipe(recipe, shape))


def _problems(table: pyarrow.Table) -> Iterator[Problem]:
    if missing := [name for name in FIELDS if name not in table.column_names]:
        raise ProblemError(
            f"the table has no column {', '.join(missing)}. A problem without them is another one, and would be "
            "perturbed otherwise: read them too, or, where the data never had them, use with_defaults(table)"
        )
    return map(from_row, table.select(list(FIELDS)).to_pylist())


def _made_by(job: Job, pool: Neighbours | None) -> Callable[[Problem], Row]:
    """Return the function that turns a problem into a row."""
    if pool is None and borrows(job.recipe):
        raise ProblemError(
            f"{job.recipe} borrows statements from other rows: make pool(tables, dataset=..., seed=...) of all of "
            "them first, and give it with every batch"
        )
    neighbours = pool or _NONE
    if job.dataset not in sources.names():
        return Perturber(job, neighbours).row
    source = sources.get(job.dataset)
    steps = perturbations.recipe(job.recipe, source.shape)
    given = {"scope": source.scope, **job.parameters}
    return lambda problem: perturb(
        problem, steps, dataset=job.dataset, seed=job.seed, neighbours=neighbours, parameters=given
    )
