"""A real process, killed with SIGKILL in the middle and started again."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
import time
from collections.abc import Callable
from pathlib import Path

from dnc_harness import evaluate
from dnc_leaderboard.record import Record

HERE = Path(__file__).parent
PROGRAM = "import sys, scripted; from dnc_datasets.cli import main; sys.exit(main(sys.argv[1:]))"
TASKS = ("dnc_tiny_original", "dnc_tiny_type_attack", "dnc_tiny_order_attack")


def _start(out: Path, notes: Path, delay: float) -> subprocess.Popen[bytes]:
    arguments = f"script=wrong_where_perturbed,delay={delay},notes={notes}"
    words = ["eval", "--model", "scripted", "--model-args", arguments, "--tasks", ",".join(TASKS)]
    return subprocess.Popen(
        [sys.executable, "-c", PROGRAM, *words, "--limit", "40", "--out", str(out)],
        env={**os.environ, "PYTHONPATH": str(HERE)},
        stdout=subprocess.DEVNULL,
        stderr=subprocess.PIPE,
    )


def _lines(path: Path) -> list[str]:
    return path.read_text(encoding="utf-8").splitlines() if path.exists() else []


def test_killed_and_started_again_it_asks_only_what_is_missing(
    tmp_path: Path, run: Callable[..., Record]
) -> None:
    out, log = tmp_path / "killed", tmp_path / "killed" / evaluate.LOG
    notes = tmp_path / "asked.txt"
    process = _start(out, notes, 0.05)
    deadline = time.monotonic() + 60
    while len(_lines(log)) < 15:
        assert process.poll() is None, process.communicate()[1].decode()[-2000:]
        assert time.monotonic() < deadline, "no answers were logged"
        time.sleep(0.02)
    process.send_signal(signal.SIGKILL)
    process.wait()
    if process.stderr:
        process.stderr.close()
    assert process.returncode == -signal.SIGKILL
    logged, asked = _lines(log), _lines(notes)
    rows_logged = {(line["task"], line["row"]) for line in map(json.loads, logged)}
    assert not (out / "record.json").exists()

    process = _start(out, notes, 0.05)
    _, errors = process.communicate(timeout=120)
    assert process.returncode == 0, errors.decode()[-2000:]
    again = _lines(notes)[len(asked) :]
    assert again, "the killed process had not finished"
    assert not {tuple(line.split("\t")) for line in again} & rows_logged, "a logged row was asked again"
    assert _lines(log)[: len(logged)] == logged, "the log is only ever added to"

    whole = run("wrong_where_perturbed", *TASKS, out="whole", limit=40)
    found = json.loads((out / "record.json").read_text())
    wanted = json.loads(whole.text())
    assert found["cells"] == wanted["cells"]
    assert found["tables"] == wanted["tables"]
    results, expected = (
        json.loads((tmp_path / name / evaluate.RESULTS).read_text()) for name in ("killed", "whole")
    )
    assert results["results"] == expected["results"]
