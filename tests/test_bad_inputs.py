"""Every command, over a table of bad inputs: a message that says what is wrong, never a traceback."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

from dnc_datasets.cli import COMMANDS, main

_CASES: list[dict[str, Any]] = json.loads(
    Path(__file__).with_name("bad_inputs.json").read_text(encoding="utf-8")
)
_EXTRAS = {
    "eval": "lm_eval",
    "severity": "lm_eval",
    "train": "torch",
    "protocol": "torch",
    "diagnose": "torch",
}


@pytest.mark.parametrize("case", _CASES, ids=[case["name"] for case in _CASES])
def test_a_message_and_no_traceback(
    case: dict[str, Any],
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> None:
    pytest.importorskip(_EXTRAS.get(case["words"][0], "json"))
    monkeypatch.delenv("DNC_STRICT")
    monkeypatch.chdir(tmp_path)
    for name, text in case.get("files", {}).items():
        (tmp_path / name).write_bytes(text.encode(case.get("encoding", "utf-8")))
    for name, target in case.get("links", {}).items():
        (tmp_path / name).symlink_to(target)
    if "nested" in case:
        (tmp_path / case["nested"]).write_text('{"a": ' * 100_000)
    words = [word.replace("DIR", str(tmp_path)) for word in case["words"]]
    try:
        code = main(words)  # what it does not catch would be a traceback
    except SystemExit as stop:
        code = stop.code
    captured = capsys.readouterr()
    stated = captured.err + captured.out
    assert code == case.get("code", 1), stated
    assert case["message"].replace("DIR", str(tmp_path)) in stated
    assert "Traceback" not in stated


def test_every_command_has_its_cases() -> None:
    words = {" ".join(case["words"][:count]) for case in _CASES for count in (1, 2)}
    assert words >= COMMANDS.keys()


@pytest.mark.skipif(sys.platform == "win32", reason="limits are a Unix thing")
@pytest.mark.parametrize(
    "words",
    [
        ["perturb", "my.jsonl", "--with", "type", "--out", "out.jsonl"],
        ["coverage", "tiny_dialogues", "--write", "out.md"],
        ["build", "tiny_tables-type-attack", "--out", "dnc"],
        ["review", "tiny_tables-type-attack", "--html", "out.html"],
    ],
    ids=lambda words: str(words[0]),
)
def test_a_full_disk_leaves_nothing_behind(words: list[str], tmp_path: Path) -> None:
    line = json.dumps({"body": "Amy has 3 pens. " * 40, "question": "How many?"})
    (tmp_path / "my.jsonl").write_text(f"{line}\n")
    before = sorted(tmp_path.rglob("*"))

    def limit() -> None:
        import resource

        resource.setrlimit(resource.RLIMIT_FSIZE, (512, 512))

    command = [sys.executable, "-m", "dnc_datasets.cli", *words]
    done = subprocess.run(
        command, cwd=tmp_path, preexec_fn=limit, capture_output=True, text=True, env=dict(os.environ), check=False
    )  # fmt: skip
    assert done.returncode == 1
    assert "too large" in done.stderr
    assert "Traceback" not in done.stderr
    assert sorted(tmp_path.rglob("*")) == before


def test_a_damaged_record(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    from dnc_datasets.cli import main
    from dnc_metrics.record import SCHEMA

    whole: dict[str, Any] = {"schema": SCHEMA, "system": {"name": "x", "kind": "solver"}, "cells": 3}
    path = tmp_path / "record.json"
    for damaged in (whole, {**whole, "system": 3}, {"schema": SCHEMA}, [], 3, None):
        path.write_text(json.dumps(damaged))
        assert main(["report", str(path), "--out", str(tmp_path / "out")]) == 1
        assert "record.json" in capsys.readouterr().err
