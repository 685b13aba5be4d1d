"""Whatever is changed in a built folder is found and named."""

from __future__ import annotations

import shutil
import sys
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

sys.path.insert(0, str(Path(__file__).parent))

import tampering

from dnc_datasets import certificate, cli
from dnc_datasets.errors import BuildError
from dnc_datasets.serving import catalogue, checksums, rows
from dnc_datasets.serving.build import build
from dnc_datasets.serving.verify import configs_of, verify


@pytest.fixture
def folder(built: Path, tmp_path: Path) -> Path:
    return Path(shutil.copytree(built, tmp_path / "dnc"))


def only(folder: Path, config: str) -> Path:
    """The folder with one of its configs."""
    found = checksums.read(folder)
    for name in found.configs.keys() - {config}:
        shutil.rmtree(folder / name)
    tampering.write(folder, replace(found, configs={config: found.configs[config]}))
    return folder


def answer(record: dict[str, Any]) -> None:
    record["answer"] = "1" + record["answer"]


@pytest.mark.parametrize("jobs", [1, 2])
def test_a_good_folder(built: Path, jobs: int):
    stated: list[str] = []
    report = verify(built, jobs, stated.append)
    assert report.failures == []
    assert report.unread == ()
    assert report.rows == sum(record.rows for record in checksums.read(built).configs.values())
    assert sorted(stated) == configs_of(built)


@pytest.mark.parametrize(
    ("config", "split", "perturbed"),
    [
        ("tiny", "train", False),
        ("tiny-verbosity-attack", "test", True),
        ("tiny-extra-defense", "validation", True),
        ("tiny-noise-augment", "train", False),
        ("tiny-noise-augment", "train", True),
    ],
)
def test_the_row_is_named(folder: Path, config: str, split: str, perturbed: bool):
    path = only(folder, config) / config / f"{split}.parquet"
    records = rows.read(path)
    chosen = next(record for record in records[7:] if record["perturbed"] is perturbed)
    answer(chosen)
    rows.write(records, path)
    tampering.recompute(folder)
    (row,) = verify(folder).failures
    assert row[:3] == (config, split, chosen["id"])
    assert row.reason.startswith("answer is '1")


@pytest.fixture(scope="module")
def one(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder with one small config."""
    folder = tmp_path_factory.mktemp("one") / "dnc"
    build([tampering.CONFIG], folder)
    assert verify(folder).failures == []
    return folder


@pytest.mark.parametrize("way", tampering.EVERY)
def test_tampering_is_caught(one: Path, tmp_path: Path, way: str, capsys: pytest.CaptureFixture[str]):
    folder = Path(shutil.copytree(one, tmp_path / "dnc"))
    tampering.EVERY[way](folder)
    assert cli.main(["verify", str(folder)]) == 1
    assert "Traceback" not in capsys.readouterr().err


@pytest.mark.parametrize("way", tampering.ALLOWED)
def test_what_a_publisher_adds_is_named_and_passes(one: Path, tmp_path: Path, way: str):
    folder = Path(shutil.copytree(one, tmp_path / "dnc"))
    tampering.ALLOWED[way](folder)
    report = verify(folder)
    assert report.failures == []
    assert bool(report.others) == ("prose" not in way and "line" not in way)


@pytest.mark.parametrize(
    "way",
    [
        "perturbed row, answer",
        "perturbed row, certificate, recomputed",
        "target and equation together, recomputed",
        "every answer 42",
        "null in a clean row, recomputed",
        "an embedded corpus as a user's own",
    ],
)
def test_without_the_source_files(one: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, way: str):
    folder = Path(shutil.copytree(one, tmp_path / "dnc"))
    monkeypatch.setattr("dnc_datasets.serving.verify._read_source", lambda *_: None)
    assert verify(folder).unread == (tampering.CONFIG,)
    tampering.EVERY[way](folder)
    assert verify(folder).failures


def test_one_s_own_files_are_named_with_from(
    tmp_path: Path, mirror: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
):
    """Files other than the pinned ones: they are derived from again where they are named."""
    monkeypatch.setenv("DNC_MIRROR", str(mirror))
    file = catalogue.find("asdiv_a").source.files[0]
    own = Path(shutil.copytree(mirror / file.repo / file.commit, tmp_path / "own"))
    for path in filter(Path.is_file, own.rglob("*")):
        path.write_bytes(path.read_bytes().replace(b" apples", b" quinces"))
    build(["asdiv_a"], tmp_path / "dnc", given={"asdiv_a": own})
    words = ["verify", str(tmp_path / "dnc")]
    assert cli.main([*words, "--from", f"asdiv_a={own}"]) == 0
    assert cli.main(words) == 1
    assert "name them with --from asdiv_a=DIR" in capsys.readouterr().err


def test_build_verifies_too(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
):
    words = ["build", "tiny_tables-type-attack", "--out", str(tmp_path / "out"), "--verify"]
    assert cli.main(words) == 0
    assert "1 configs checked, 0 failed" in capsys.readouterr().out
    monkeypatch.setattr("dnc_datasets.commands.build.verified", lambda *arguments: 1)
    assert cli.main(words) == 1


def test_folders_that_cannot_be_verified(folder: Path, tmp_path: Path):
    with pytest.raises(BuildError, match=r"no checksums\.json"):
        verify(tmp_path)
    path = folder / "checksums.json"
    path.write_text(path.read_text().replace('"version": "', '"version": "9.'), encoding="utf-8")
    with pytest.raises(BuildError, match=r"dnc-bench==9\."):
        verify(folder)


def test_a_folder_of_an_earlier_version_is_checked_without_deriving_its_rows(
    folder: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
):
    built = checksums.read(folder).version
    monkeypatch.setattr("dnc_datasets.serving.verify.__version__", "99.0")
    monkeypatch.setattr("dnc_datasets.serving.verify.EARLIER_VERSIONS", (built,))
    monkeypatch.setattr("dnc_datasets.serving.verify._Compared", None)
    assert cli.main(["verify", str(folder)]) == 0
    assert f"built by version {built}: " in capsys.readouterr().out
    monkeypatch.setitem(certificate.CHECKS, "target_kept", lambda original, perturbed: False)
    broken = verify(folder)
    assert {failure.config for failure in broken.failures} == {"tiny-verbosity-attack", "tiny-extra-defense"}
    monkeypatch.delitem(certificate.CHECKS, "target_kept")
    assert any("does not know" in failure.reason for failure in verify(folder).failures)
    table = next((folder / "tiny").glob("*.parquet"))
    table.write_bytes(table.read_bytes()[:-1])
    assert any("is not the file that" in failure.reason for failure in verify(folder).failures)
