"""Progress in a log: a line now and then, and none in a short run."""

from __future__ import annotations

import itertools

import pytest

from dnc_datasets import commands


def test_lines_where_nobody_looks(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    clock = itertools.count(0, 10)  # ten seconds between two looks
    monkeypatch.setattr(commands.time, "monotonic", lambda: next(clock))
    with commands.progress_bar("building", 20) as advance:
        for at in range(20):
            advance(note=f"config{at}")
    lines = capsys.readouterr().err.splitlines()
    assert 3 <= len(lines) <= 10
    assert lines[0].startswith("building 3/20 config2")


def test_a_short_run_is_silent(capsys: pytest.CaptureFixture[str]) -> None:
    with commands.progress_bar("building", 3) as advance:
        for _ in range(3):
            advance()
    assert capsys.readouterr().err == ""
