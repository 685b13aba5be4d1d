"""Whatever is changed in a built folder is found and named."""

from __future__ import annotations

import shutil
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from dnc_datasets.errors import BuildError, SourceError
from dnc_datasets.serving import catalogue, checksums, rows
from dnc_datasets.serving.verify import Failure, configs_of, verify

Change = Callable[[dict[str, Any]], None]


@pytest.fixture
def folder(built: Path, tmp_path: Path) -> Path:
    return Path(shutil.copytree(built, tmp_path / "dnc"))


def only(folder: Path, config: str) -> Path:
    """The folder with one of its configs."""
    found = checksums.read(folder)
    for name in found.configs.keys() - {config}:
        shutil.rmtree(folder / name)
    kept = replace(found, configs={config: found.configs[config]})
    (folder / "checksums.json").write_text(kept.text(), encoding="utf-8")
    return folder


def tamper(folder: Path, config: str, split: str, changes: list[Change], *, perturbed: bool) -> list[str]:
    """Change some rows of a Parquet file, one each, and give their ids."""
    path = folder / config / f"{split}.parquet"
    records = rows.read(path)
    chosen = [record for record in records[7:] if record["perturbed"] is perturbed]
    for change, record in zip(changes, chosen, strict=False):
        change(record)
    rows.write(records, path)
    return [record["id"] for record in chosen[: len(changes)]]


def answer(record: dict[str, Any]) -> None:
    record["answer"] = "1" + record["answer"]


def rows_named(failures: list[Failure]) -> list[tuple[str, str, str]]:
    return [failure[:3] for failure in failures if failure.id]


@pytest.mark.parametrize("jobs", [1, 2])
def test_a_good_folder(built: Path, jobs: int):
    told: list[str] = []
    report = verify(built, jobs, told.append)
    assert report.failures == []
    assert report.unread == ()
    assert report.rows == sum(record.rows for record in checksums.read(built).configs.values())
    assert sorted(told) == configs_of(built)


@pytest.mark.parametrize(
    ("config", "split", "perturbed"),
    [
        ("tiny", "train", False),
        ("tiny-verbosity-attack", "test", True),
        ("tiny-verbosity-attack", "train", False),
        ("tiny-extra-defense", "validation", True),
        ("tiny-noise-augment", "train", False),
        ("tiny-noise-augment", "train", True),
    ],
)
def test_one_changed_answer(folder: Path, config: str, split: str, perturbed: bool):
    (row_id,) = tamper(only(folder, config), config, split, [answer], perturbed=perturbed)
    row, whole = verify(folder).failures
    assert row[:3] == (config, split, row_id)
    assert row.reason.startswith("answer is '1")
    assert whole == Failure(config, "", "", "its content differs from checksums.json")


@pytest.mark.parametrize("config", ["tiny-verbosity-attack", "tiny-extra-defense"])
def test_any_changed_column(folder: Path, config: str):
    changes: dict[str, Change] = {
        "body is": lambda record: record.update(body=record["body"] + " "),
        "certificate is": lambda record: record["certificate"].pop(),
        "source is {": lambda record: record["source"].update(body="Another text with 3 things."),
        "source is None": lambda record: record.update(source=None),
        "perturbed is False": lambda record: record.update(perturbed=False),
        "setting is 'augment'": lambda record: record.update(setting="augment"),
        "id is 'elsewhere'": lambda record: record.update(id="elsewhere"),
    }
    ids = tamper(only(folder, config), config, "test", list(changes.values()), perturbed=True)
    *changed, _whole = verify(folder).failures
    assert [failure[:3] for failure in changed] == [(config, "test", row_id) for row_id in ids]
    for failure, reason in zip(changed, changes, strict=True):
        assert failure.reason.startswith(reason)


def test_a_deleted_row(folder: Path):
    path = only(folder, "tiny") / "tiny" / "test.parquet"
    records = rows.read(path)
    rows.write(records[:-1], path)
    failures = verify(folder).failures
    assert ("tiny", "test", records[-1]["id"], f"row {len(records)} is missing") in failures


def test_a_changed_checksum(folder: Path):
    path = only(folder, "tiny") / "checksums.json"
    digest = checksums.read(folder).configs["tiny"].sha256
    path.write_text(path.read_text().replace(digest, "0" * 64), encoding="utf-8")
    assert verify(folder).failures == [Failure("tiny", "", "", "its content differs from checksums.json")]


def test_changed_counts(folder: Path):
    path = only(folder, "tiny") / "checksums.json"
    path.write_text(path.read_text().replace('"rows": 196', '"rows": 195'), encoding="utf-8")
    assert {failure[:3] for failure in verify(folder).failures} >= {("tiny", "validation", "")}


def test_damaged_missing_and_foreign_files(folder: Path):
    cut = folder / "tiny" / "test.parquet"
    cut.write_bytes(cut.read_bytes()[:-100])
    (folder / "tiny-verbosity-attack" / "train.parquet").unlink()
    (folder / "notes.txt").write_text("?", encoding="utf-8")
    found = {failure.config: failure.reason for failure in verify(folder, 2).failures}
    assert sorted(found) == ["notes.txt", "tiny", "tiny-verbosity-attack"]
    assert "test.parquet cannot be read" in found["tiny"]
    assert "train.parquet cannot be read" in found["tiny-verbosity-attack"]


def test_parquet_with_other_columns(folder: Path):
    import pyarrow.parquet as pq

    path = only(folder, "tiny") / "tiny" / "test.parquet"
    pq.write_table(pq.ParquetFile(path).read().drop_columns(["unit"]), path)
    (failure,) = verify(folder).failures
    assert "other columns" in failure.reason


def test_without_the_source_files(folder: Path, monkeypatch: pytest.MonkeyPatch):
    def absent(*_: object) -> None:
        raise SourceError("not here")

    monkeypatch.setattr(catalogue, "read", absent)
    report = verify(folder)
    assert report.failures == []
    assert list(report.unread) == configs_of(folder)
    (row_id,) = tamper(folder, "tiny-verbosity-attack", "test", [answer], perturbed=True)
    tamper(folder, "tiny", "test", [answer], perturbed=False)
    failures = verify(folder).failures
    assert rows_named(failures) == [("tiny-verbosity-attack", "test", row_id)]
    assert Failure("tiny", "", "", "its content differs from checksums.json") in failures


def test_folders_that_cannot_be_verified(folder: Path, tmp_path: Path):
    with pytest.raises(BuildError, match=r"no checksums\.json"):
        verify(tmp_path)
    path = folder / "checksums.json"
    path.write_text(path.read_text().replace('"version": "', '"version": "9.'), encoding="utf-8")
    with pytest.raises(BuildError, match=r"dnc-bench==9\."):
        verify(folder)
