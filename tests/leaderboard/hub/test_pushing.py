"""A push sends exactly the tree that its dry run writes, and nothing that a licence keeps here."""

from __future__ import annotations

import os
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest
import yaml
from fake_hub import FakeHub

from dnc_datasets import sources
from dnc_datasets.cli import main
from dnc_datasets.serving import checksums
from dnc_datasets.serving.build import build
from dnc_datasets.serving.verify import verify
from dnc_leaderboard.hub import trees
from dnc_leaderboard.hub.publishing import PublishError

TOKEN = "hf_" + "x" * 34


@pytest.fixture
def hub() -> Iterator[FakeHub]:
    made = FakeHub()
    yield made
    made.close()


def push(hub: FakeHub, *words: str) -> subprocess.CompletedProcess[str]:
    """`dnc publish` in a process of its own, which reads the endpoint when it starts."""
    environment = {
        **os.environ,
        "HF_ENDPOINT": hub.endpoint,
        "HF_TOKEN": TOKEN,
        "HF_HUB_OFFLINE": "0",  # the hub of this test is on this machine
        "HF_HUB_DISABLE_XET": "1",
        "HF_HUB_DISABLE_PROGRESS_BARS": "1",
    }
    command = [sys.executable, "-m", "dnc_datasets.cli", "push", *words]
    return subprocess.run(command, capture_output=True, text=True, env=environment, check=False, timeout=120)


def tree(folder: Path) -> dict[str, bytes]:
    return {
        path.relative_to(folder).as_posix(): path.read_bytes() for path in folder.rglob("*") if path.is_file()
    }


def test_a_dataset(hub: FakeHub, data: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    words = ["publish", "dataset", str(data), "--repo", "me/dnc", "--dry-run", "--out"]
    assert main([*words, str(tmp_path / "dry")]) == 0
    summary, folder = capsys.readouterr().out.splitlines()
    assert summary.startswith(f"dataset me/dnc: {len(tree(data))} files, ")
    assert str(tmp_path / "dry") in folder
    assert main([*words, str(tmp_path / "named"), "--details"]) == 0
    shown = capsys.readouterr().out.splitlines()
    assert {line.strip() for line in shown if line.startswith("  ")} == set(tree(data))
    assert hub.trees == {}
    done = push(hub, "dataset", str(data), "--repo", "me/dnc")
    assert done.returncode == 0, done.stderr
    assert hub.trees == {("dataset", "me/dnc"): tree(tmp_path / "dry")}
    assert any(name.endswith(".parquet") for name in hub.trees["dataset", "me/dnc"])
    assert tree(tmp_path / "dry") == tree(data)  # all of it is ours to give
    assert f"Bearer {TOKEN}" in hub.tokens
    assert TOKEN not in done.stdout + done.stderr


def test_metrics(hub: FakeHub, tmp_path: Path) -> None:
    assert main(["publish", "metrics", "--repo", "me", "--dry-run", "--out", str(tmp_path / "dry")]) == 0
    done = push(hub, "metrics", "--repo", "me")
    assert done.returncode == 0, done.stderr
    assert hub.trees == {
        ("space", f"me/{folder.name}"): tree(folder) for folder in (tmp_path / "dry").iterdir()
    }
    wanted = hub.trees["space", "me/answer_accuracy"]["requirements.txt"].decode().splitlines()
    assert any(line.startswith("evaluate>=") for line in wanted)
    assert not any(line.startswith("dnc") for line in wanted), "it is on no index before the first release"
    assert set(hub.trees["space", "me/robustness"]) >= {"app.py", "README.md", "robustness.py"}


def test_records(hub: FakeHub, results: Path, tmp_path: Path) -> None:
    words = ["results", str(results), "--repo", "me/records"]
    assert main(["publish", *words, "--dry-run", "--out", str(tmp_path / "dry")]) == 0
    done = push(hub, *words)
    assert done.returncode == 0, done.stderr
    assert hub.trees == {("dataset", "me/records"): tree(tmp_path / "dry")}
    files = {f"{name}/record{end}" for name in ("perfect", "nearly") for end in (".json", ".rows.jsonl")}
    assert set(hub.trees["dataset", "me/records"]) == {"README.md", *files}


def test_published_results_as_a_pull_request(hub: FakeHub, results: Path, data: Path, tmp_path: Path) -> None:
    pytest.importorskip("inspect_ai")
    words = [
        "--repo",
        "them/m",
        "--dataset-repo",
        "me/dnc",
        "--built",
        str(data),
        "--out",
        str(tmp_path / "p"),
    ]
    words.append("--dry-run")
    assert main(["publish", "results", str(results / "perfect"), *words]) == 0
    words = ["results", str(tmp_path / "p"), "--repo", "them/m", "--pull-request"]
    assert main(["publish", *words, "--dry-run", "--out", str(tmp_path / "dry")]) == 0
    done = push(hub, *words)
    assert done.returncode == 0, done.stderr
    assert "discussions/1" in done.stdout
    assert hub.trees == {("model", "them/m"): tree(tmp_path / "dry")}
    assert list(hub.trees["model", "them/m"]) == [".eval_results/dnc.yaml"]


def test_a_space(hub: FakeHub, tmp_path: Path) -> None:
    pytest.importorskip("gradio")
    words = ["space", "--repo", "me/board", "--records", "me/records"]
    assert main(["publish", *words, "--dry-run", "--out", str(tmp_path / "dry")]) == 0
    done = push(hub, *words)
    assert done.returncode == 0, done.stderr
    assert hub.trees == {("space", "me/board"): tree(tmp_path / "dry")}
    card = hub.trees["space", "me/board"]["README.md"].decode()
    assert yaml.safe_load(card.split("---")[1])["sdk_version"].startswith("6.")
    code = "import runpy, sys\nsys.path = [p for p in sys.path if 'editable' not in p]\n"
    code += "found = runpy.run_path('dry/app.py')\nprint(sys.modules[found['space'].__module__].__file__)"
    done = subprocess.run(
        [sys.executable, "-c", code], cwd=tmp_path, capture_output=True, text=True, check=False
    )
    assert done.returncode == 0, done.stderr
    assert "packages/dnc_leaderboard" in done.stdout, "the Space runs the package that came with it"


@pytest.mark.parametrize("status", [401, 403])
def test_a_hub_that_refuses(status: int, data: Path) -> None:
    refusing = FakeHub(refuse=status)
    done = push(refusing, "dataset", str(data), "--repo", "me/dnc")
    refusing.close()
    assert done.returncode == 1
    assert "was not pushed" in done.stderr
    assert "Traceback" not in done.stderr
    assert TOKEN not in done.stdout + done.stderr


def test_licences_of_every_source() -> None:
    """By name, so that a new source is looked at by a person."""
    kinds: dict[str, set[str]] = {"open": set(), "non-commercial": set(), "never": set()}
    for name in filter(sources.is_own, sources.names()):
        source = sources.get(name)
        kind = (
            "open"
            if trees.is_open(source)
            else "non-commercial"
            if trees.is_non_commercial(source)
            else "never"
        )
        kinds[kind].add(name)
    assert kinds["non-commercial"] == {"asdiv_a", "asdiv_a_manual", "svamp", "tabmwp"}
    assert kinds["never"] == {"noahqa_en", "noahqa_zh"}


def test_what_a_licence_keeps_here(
    mirror: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setenv("DNC_MIRROR", str(mirror))
    build(["tiny", "asdiv_a"], tmp_path / "dnc")
    words = ["publish", "dataset", str(tmp_path / "dnc"), "--repo", "me/dnc", "--dry-run", "--out"]
    assert main([*words, str(tmp_path / "open")]) == 0
    assert "not uploaded: asdiv_a: its licence is CC BY-NC 4.0" in capsys.readouterr().out
    assert set(checksums.read(tmp_path / "open").configs) == {"tiny"}
    assert not (tmp_path / "open" / "asdiv_a").exists()
    assert b"asdiv" not in (tmp_path / "open" / "README.md").read_bytes()
    assert b"asdiv" not in (tmp_path / "open" / "eval.yaml").read_bytes()
    assert verify(tmp_path / "open").failures == []
    assert main([*words, str(tmp_path / "named"), "--with", "asdiv_a"]) == 0
    assert tree(tmp_path / "named") == tree(tmp_path / "dnc")
    assert "Not for commercial use" in (tmp_path / "named" / "README.md").read_text(encoding="utf-8")


def test_a_licence_that_is_not_stated_never_goes_up() -> None:
    count = checksums.Count(1, 0, "", "", 1)
    configs = {
        name: checksums.ConfigChecksums("", "verified", {"test": count}) for name in ("noahqa_en", "tiny")
    }
    choice = trees.choose(configs, ["noahqa_en"])
    assert choice.kept == ["tiny"]
    assert "not stated" in choice.left_out["noahqa_en"]


def test_a_table_that_was_changed_does_not_go_up(tmp_path: Path) -> None:
    build(["tiny"], tmp_path / "dnc")
    with (tmp_path / "dnc" / "tiny" / "test.parquet").open("ab") as file:
        file.write(b"x")
    with pytest.raises(PublishError, match="dnc verify"):
        trees.dataset(tmp_path / "dnc", "me/dnc", tmp_path / "out")


def test_a_dry_run_empties_nothing(data: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    (tmp_path / "mine").write_text("x", encoding="utf-8")
    assert (
        main(["publish", "dataset", str(data), "--repo", "me/dnc", "--dry-run", "--out", str(tmp_path)]) == 1
    )
    assert "not empty" in capsys.readouterr().err
    assert tree(tmp_path) == {"mine": b"x"}


def test_loaders_take_the_sizes_of_the_card(data: Path) -> None:
    from datasets.info import DatasetInfosDict

    from dnc_datasets.serving import checksums

    infos = DatasetInfosDict.from_directory(str(data))
    found = checksums.read(data).configs
    assert set(infos) == set(found)
    for name, record in found.items():
        counts = {split: one.num_examples for split, one in infos[name].splits.items()}
        assert counts == {split: one.rows for split, one in record.splits.items()}
