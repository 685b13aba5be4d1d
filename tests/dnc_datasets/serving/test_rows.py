"""Rows survive Parquet unchanged, and their checksum is what it says it is."""

from __future__ import annotations

import json
from hashlib import sha256
from pathlib import Path

from hypothesis import given
from hypothesis import strategies as st

from dnc_datasets.problem import Problem, Turn
from dnc_datasets.serving import rows
from dnc_datasets.serving.catalogue import Variant
from dnc_datasets.serving.settings import Row

text = st.text(st.characters(exclude_categories=["Cs"]), max_size=20)
texts = st.lists(text, max_size=3).map(tuple)
problems = st.builds(
    Problem,
    id=text,
    body=text,
    question=text,
    table=st.lists(texts, max_size=3).map(tuple),
    equation=text,
    answer=text,
    answers=texts,
    unit=text,
    answer_type=text,
    segments=texts,
    history=st.lists(st.builds(Turn, text, text), max_size=2).map(tuple),
    evidence=texts,
    meta=st.dictionaries(text, text, max_size=3).map(lambda meta: tuple(sorted(meta.items()))),
)
VARIANT = Variant("tiny", "", "noise", "attack")


@given(st.lists(st.tuples(problems, st.none() | problems, texts), max_size=4))
def test_rows_survive_parquet(tmp_path_factory, made):
    # The original of a row has the row's id.
    expected = [
        Row(problem, before.replace(id=problem.id), certificate, 3, '{"noise": {}}')
        if before
        else Row(problem)
        for problem, before, certificate in made
    ]
    path = tmp_path_factory.getbasetemp() / "rows.parquet"
    rows.write([rows.to_record(row, VARIANT) for row in expected], path)
    found = rows.read(path)
    assert [rows.from_record(record) for record in found] == expected
    assert found == [rows.to_record(row, VARIANT) for row in expected]


def test_columns_are_those_of_the_schema():
    record = rows.to_record(Row(Problem("1", "", "?")), VARIANT)
    assert list(record) == list(rows.COLUMNS) == rows.schema().names


def test_digest_is_the_hash_of_the_canonical_lines():
    splits = {"train": [{"b": "é", "a": [1]}], "test": []}
    line = json.dumps({"a": [1], "b": "é"}, ensure_ascii=False, separators=(",", ":"))
    assert rows.digest(splits) == sha256(f"test\ntrain\n{line}\n".encode()).hexdigest()
    assert rows.digest(dict(reversed(splits.items()))) == rows.digest(splits)
    assert rows.digest({"train": [], "test": splits["train"]}) != rows.digest(splits)


def test_folder_names_do_not_become_columns(tmp_path: Path):
    folder = tmp_path / "unit=5"
    folder.mkdir()
    rows.write([rows.to_record(Row(Problem("1", "", "?")), VARIANT)], folder / "test.parquet")
    assert rows.read(folder / "test.parquet")[0]["unit"] == ""


def test_a_perturbed_row_tells_seed_and_parameters_of_every_step():
    problem = Problem(
        "1", "Ana has 12 pens. Bo has 30 pens.", "How many pens?", equation="12 + 30", answer="42"
    )
    variant = Variant("tiny", "", "distribution+verbosity", "attack")
    row = variant.rows({"test": [problem]}, seed=7, parameters={"sigma": 20.0})["test"][0]
    record = rows.to_record(row, variant)
    assert record["seed"] == 7
    told = json.loads(record["parameters"])
    assert told["distribution"].items() >= {"mu": 1000, "sigma": 20.0, "scope": ["body"]}.items()
    assert told["verbosity"] == {"mu": 100, "scope": ["body"], "sigma": 20.0}
    assert json.loads(rows.to_line(row, variant.recipe))["parameters"] == told
    clean = rows.to_record(Row(problem), variant)
    assert (clean["seed"], clean["parameters"]) == (None, None)
