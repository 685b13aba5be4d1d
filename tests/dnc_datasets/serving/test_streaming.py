"""A build holds one row group at a time, and what it writes does not depend on that."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from dnc_datasets.problem import Problem
from dnc_datasets.serving import catalogue, content, rows
from dnc_datasets.serving.build import build
from dnc_datasets.serving.settings import Row, stream

VARIANT = catalogue.find("tiny-type-attack")


def _records(count: int, alive: list[int]) -> Iterator[rows.Record]:
    for number in range(count):
        alive[0] += 1
        yield rows.to_record(Row(Problem(str(number), f"{number} pens.", "How many?")), VARIANT)


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

    class Told(list[Problem]):
        def __iter__(self) -> Iterator[Problem]:
            for problem in super().__iter__():
                asked.append(problem.id)
                yield problem

    coming = stream(split, Told(problems), setting, VARIANT.steps, dataset="tiny")
    next(coming)
    assert len(asked) == 1
    made = {"train": list(coming)}
    assert len(asked) == len(problems) * (2 if setting == "augment" and split == "train" else 1)
    assert len(made["train"]) >= len(problems) - 1
