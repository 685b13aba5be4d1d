"""Arrow batches, cut anywhere and sent anywhere, give the rows of a build; what would change them is refused."""

from __future__ import annotations

import functools
import os
import shutil
import subprocess
import sys
from pathlib import Path

import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from dnc_datasets import perturbations
from dnc_datasets.errors import ProblemError
from dnc_datasets.own.engine import borrows, perturb_batch, pool, with_defaults
from dnc_datasets.problem import FIELDS, Problem, to_row
from dnc_datasets.serving import catalogue, rows

RECIPES = {
    "tiny": (
        "type",
        "language_plausible+verbosity_plausible",
        "noise",
        "extra",
        "order",
        "vary-invert_operation",
    ),
    "tiny_tables": ("distribution", "language_table", "extra"),
    "tiny_dialogues": ("noise", "type"),
    "tiny_passages": ("verbosity", "extra"),
}
CASES = [(dataset, recipe) for dataset, recipes in RECIPES.items() for recipe in recipes]


def _table(dataset: str) -> pa.Table:
    return rows.to_table([rows.to_record(rows.Row(p), catalogue.find(dataset)) for p in _problems(dataset)])


@functools.cache
def _problems(dataset: str) -> list[Problem]:
    return catalogue.read(dataset)["test"][:60]


@pytest.mark.parametrize(("dataset", "recipe"), CASES)
def test_batches_give_the_rows_of_a_build(dataset: str, recipe: str) -> None:
    table = _table(dataset)
    variant = catalogue.find(f"{dataset}-{recipe}-attack")
    expected = [rows.to_record(row, variant) for row in variant.stream("test", _problems(dataset), seed=3)]
    found = pool([table], dataset=dataset, seed=3) if borrows(recipe) else None
    for size in (7, 100):
        parts = [
            perturb_batch(table.slice(at, size), recipe, dataset=dataset, seed=3, pool=found)
            for at in range(0, table.num_rows, size)
        ]
        made = pa.concat_tables(parts)
        assert made.schema == rows.schema()
        assert [{**record, "setting": "attack"} for record in made.to_pylist()] == expected
    assert any(record["perturbed"] for record in expected)


def test_the_pool_does_not_depend_on_order_or_parts() -> None:
    table = _table("tiny")
    one = pool([table], dataset="mine")
    other = pool([table.slice(30), table.slice(0, 30)], dataset="mine")
    assert one.statements == other.statements


@pytest.mark.parametrize("column", [name for name in FIELDS if name not in ("id", "question")])
def test_a_table_that_lacks_a_column_is_refused(column: str) -> None:
    table = _table("tiny").drop_columns([column])
    with pytest.raises(ProblemError, match=rf"no column {column}\. .*with_defaults"):
        perturb_batch(table, "type", dataset="mine")
    assert perturb_batch(with_defaults(table), "type", dataset="mine").num_rows == table.num_rows


def test_leaving_out_meta_changes_rows() -> None:
    """Why it is refused: a passage without its note is read as a word problem."""
    table = _table("tiny_passages")
    whole = perturb_batch(table, "type", dataset="mine")
    bare = perturb_batch(with_defaults(table.drop_columns(["meta"])), "type", dataset="mine")
    assert whole.column("body") != bare.column("body")


def test_no_pool_no_extra() -> None:
    with pytest.raises(ProblemError, match="borrows statements"):
        perturb_batch(_table("tiny"), "extra", dataset="mine")
    with pytest.raises(ProblemError, match="no column 'question'"):
        with_defaults(pa.table({"id": ["1"]}))


def test_datasets_map(tmp_path: Path) -> None:
    datasets = pytest.importorskip("datasets")
    table = _table("tiny")
    data = datasets.Dataset(table).with_format("arrow")
    made = data.map(
        functools.partial(perturb_batch, recipe="verbosity", dataset="mine"),
        batched=True,
        batch_size=16,
        remove_columns=data.column_names,
        features=datasets.Features.from_arrow_schema(rows.schema()),
        cache_file_name=str(tmp_path / "cache.arrow"),
    )
    expected = perturb_batch(table, "verbosity", dataset="mine")
    assert made.with_format(None).to_list() == expected.to_pylist()


def test_an_own_row_that_cannot_be_perturbed_stands() -> None:
    problem = Problem("1", "Amy has 3 pens. Ben has 4 pens.", "How many pens?", equation="3 + 4", answer="9")
    made = perturb_batch(pa.Table.from_pylist([to_row(problem)], schema=_types()), "noise", dataset="mine")
    assert made.column("perturbed").to_pylist() == [False]
    assert perturbations.get("noise").changes_target


def _types() -> pa.Schema:
    return pa.schema([rows.schema().field(name) for name in FIELDS])


# What a Spark shell has before the guide's code; a script of its own, since Spark sends what it defines to its workers.
SPARK = """
from pyspark.sql import SparkSession
spark = SparkSession.builder.master("local[2]").config("spark.ui.enabled", "false").getOrCreate()
"""


def test_spark_as_the_guide_shows_it(tmp_path: Path) -> None:
    pytest.importorskip("pyspark.sql")
    if shutil.which("java") is None:
        pytest.skip("no Java on this machine")
    guide = (Path(__file__).parents[3] / "docs" / "guides" / "scale.md").read_text(encoding="utf-8")
    code = guide.split("## Spark")[1].split("```python\n")[1].split("```")[0]
    script = tmp_path / "guide.py"
    script.write_text(SPARK + code, encoding="utf-8")
    table = _table("tiny")
    (tmp_path / "problems").mkdir()
    pq.write_table(table, tmp_path / "problems" / "some.parquet")
    own = {**os.environ, "PYSPARK_PYTHON": sys.executable}
    stated = subprocess.run(
        [sys.executable, str(script)], cwd=tmp_path, capture_output=True, text=True, env=own
    )
    assert stated.returncode == 0, stated.stderr[-3000:]
    made = {record["id"]: record for record in pq.read_table(tmp_path / "out").to_pylist()}
    expected = perturb_batch(table, "verbosity", dataset="mine").to_pylist()
    assert made == {record["id"]: record for record in expected}
