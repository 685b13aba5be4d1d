"""Rows survive Parquet unchanged, and their checksum is what it says it is."""

from __future__ import annotations

import json
from collections.abc import Iterator
from hashlib import sha256
from pathlib import Path

import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from hypothesis import given
from hypothesis import strategies as st

from dnc_datasets.problem import Problem, Turn
from dnc_datasets.serving import catalogue, content, rows
from dnc_datasets.serving.build import build
from dnc_datasets.serving.catalogue import Variant
from dnc_datasets.serving.settings import Row, stream

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
    stated = json.loads(record["parameters"])
    assert stated["distribution"].items() >= {"mu": 1000, "sigma": 20.0, "scope": ["body"]}.items()
    assert stated["verbosity"] == {"mu": 100, "scope": ["body"], "sigma": 20.0}
    assert json.loads(rows.to_line(row, variant.recipe))["parameters"] == stated
    clean = rows.to_record(Row(problem), variant)
    assert (clean["seed"], clean["parameters"]) == (None, None)


STREAMED = catalogue.find("tiny-type-attack")


def _records(count: int, alive: list[int]) -> Iterator[rows.Record]:
    for number in range(count):
        alive[0] += 1
        yield rows.to_record(Row(Problem(str(number), f"{number} pens.", "How many?")), STREAMED)


def test_records_are_written_group_by_group(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(rows, "GROUP", 7)
    path = tmp_path / "test.parquet"
    asked = [0]
    seen: list[int] = []
    table = rows.to_table
    monkeypatch.setattr(rows, "to_table", lambda some: seen.append(asked[0]) or table(some))
    rows.write(_records(20, asked), path)
    assert seen == [7, 14, 20]  # no group was asked for before the one in front of it was written
    with pq.ParquetFile(path) as file:
        assert [file.metadata.row_group(at).num_rows for at in range(file.num_row_groups)] == [7, 7, 6]
    assert [record["id"] for record in rows.read(path)] == [str(number) for number in range(20)]
    rows.write([], path)
    assert rows.read(path) == []


def test_checksums_do_not_depend_on_groups(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    whole = build(["tiny_tables-type-attack"], tmp_path / "whole").configs
    monkeypatch.setattr(rows, "GROUP", 7)
    parted = build(["tiny_tables-type-attack"], tmp_path / "parted").configs
    for name, record in whole.items():
        assert parted[name].sha256 == record.sha256
        stored = {split: _table(tmp_path / "parted" / name / f"{split}.parquet") for split in record.splits}
        assert content.digest(stored) == record.sha256
        for split, count in record.splits.items():
            assert parted[name].splits[split].content == count.content


def _table(path: Path) -> pa.Table:
    return rows.to_table(rows.read(path))


@pytest.mark.parametrize("setting", ["attack", "defense", "augment"])
@pytest.mark.parametrize("split", ["train", "test"])
def test_rows_come_one_at_a_time(setting: str, split: str) -> None:
    problems = catalogue.read("tiny")[split][:40]
    asked: list[str] = []

    class Recorded(list[Problem]):
        def __iter__(self) -> Iterator[Problem]:
            for problem in super().__iter__():
                asked.append(problem.id)
                yield problem

    coming = stream(split, Recorded(problems), setting, STREAMED.steps, dataset="tiny")
    next(coming)
    assert len(asked) == 1
    made = {"train": list(coming)}
    assert len(asked) == len(problems) * (2 if setting == "augment" and split == "train" else 1)
    assert len(made["train"]) >= len(problems) - 1
