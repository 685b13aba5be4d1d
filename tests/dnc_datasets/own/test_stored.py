"""A source that leaves its rows in their file is built and verified as one that holds them."""

from __future__ import annotations

import gc
from collections.abc import Iterator
from pathlib import Path

import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from dnc_datasets import sources
from dnc_datasets.own.stored import Stored
from dnc_datasets.problem import FIELDS, Problem, to_row
from dnc_datasets.serving import catalogue, rows
from dnc_datasets.serving.build import build
from dnc_datasets.serving.verify import verify
from dnc_datasets.sources import Files, Source, Splits

CONFIGS = ["kept", "kept-type-defense", "kept-extra-augment", "kept-append_bool+type-contrast"]


@pytest.fixture
def stored(tmp_path: Path) -> Iterator[dict[str, Stored]]:
    """The splits of a source called `kept`, in files of 90 rows."""
    schema = pa.schema([rows.schema().field(name) for name in FIELDS])
    splits = {}
    for split, problems in catalogue.read("tiny").items():
        path = tmp_path / f"{split}.parquet"
        pq.write_table(pa.Table.from_pylist([to_row(one) for one in problems[:90]], schema=schema), path)
        splits[split] = Stored(path)

    def read(files: Files, fold: str) -> Splits:
        return splits

    sources.register(Source("kept", "Kept in files", "word_problem", read, (), "CC0-1.0", "none"))
    yield splits
    del sources._REGISTERED["kept"]


def test_it_is_a_sequence(stored: dict[str, Stored]) -> None:
    rows, expected = stored["test"], catalogue.read("tiny")["test"][:90]
    assert (len(rows), list(rows)) == (90, expected)
    assert (rows[0], rows[-1], rows[3:9:2]) == (expected[0], expected[-1], expected[3:9:2])
    assert rows[5:2:-1] == expected[5:2:-1]
    with pytest.raises(IndexError):
        rows[90]


def test_it_is_built_and_verified_as_a_list_is(
    stored: dict[str, Stored], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    left = build(CONFIGS, tmp_path / "left")
    report = verify(tmp_path / "left")
    assert (report.failures, report.unread, report.rows) == ([], (), left.rows)
    monkeypatch.setattr(catalogue, "opened", _held(catalogue.opened))
    assert build(CONFIGS, tmp_path / "held").configs == left.configs


def _held(opened):  # type: ignore[no-untyped-def]
    return lambda *given: {split: list(rows) for split, rows in opened(*given).items()}


def test_no_row_is_held(stored: dict[str, Stored], tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("dnc_datasets.own.stored._BATCH", 5)
    monkeypatch.setattr(rows, "GROUP", 10)
    most = calls = 0
    made = rows.to_record

    def counted(row, variant):  # type: ignore[no-untyped-def]
        nonlocal most, calls
        calls += 1
        if calls % 30 == 0:
            most = max(most, _problems())
        return made(row, variant)

    before = _problems()
    monkeypatch.setattr(rows, "to_record", counted)
    build(["kept-type-defense"], tmp_path / "out")
    assert calls > 200
    assert 0 < most - before < 60


def _problems() -> int:
    gc.collect()
    return sum(type(one) is Problem for one in gc.get_objects())
