"""`make speed` measures what it says: the published definitions do what their paper defines, and all parts run."""

from __future__ import annotations

import importlib
import json
import sys
from functools import cache
from pathlib import Path
from types import ModuleType

import pytest

from dnc_datasets.problem import Problem

FOLDER = Path(__file__).resolve().parents[1] / "benchmarks"
PENS = Problem("1", "Ana has 12 pens and Bo 30.", "How many?", equation="12 + 30", answer="42")


@pytest.fixture
def measured(monkeypatch: pytest.MonkeyPatch) -> ModuleType:
    """The benchmark, imported as a script finds it."""
    monkeypatch.syspath_prepend(str(FOLDER))
    return importlib.import_module("speed")


def test_what_is_published_is_done(measured: ModuleType) -> None:
    made = {name: function([PENS])[0] for name, function in measured.published.DEFINED.items()}
    assert made["language"].body == "Ana has twelve pens and Bo thirty."
    assert made["type"].body == "Ana has 12.0 pens and Bo 30.0."
    assert made["verbosity"].body.startswith("Ana has 12 (not ")
    for name, least in (("noise", 42.1), ("distribution", 400)):
        assert float(made[name].answer) > least
        assert all(number in made[name].body for number in made[name].equation.split(" + "))
    twice = PENS.replace(body="Ana has 12 pens, 12 of them red, and Bo 30.")
    assert measured.published.noise([twice]) == [None]


def test_every_part_runs_and_is_written(
    measured: ModuleType, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    out = tmp_path / "speed.json"
    out.write_text('{"speed": []}', encoding="utf-8")
    monkeypatch.setattr(measured, "rows_of", _few)
    monkeypatch.setattr(measured, "COMMANDS", {"dnc --version": ["--version"]})
    monkeypatch.setattr(sys, "argv", ["speed.py", "--passes", "1", "--no-build", "--out", str(out)])
    measured.main()
    found = json.loads(out.read_text(encoding="utf-8"))
    assert found["speed"] == []  # what another benchmark wrote stays
    assert set(found["toolkit"]) == {
        "machine",
        "passes",
        "dataset",
        "numbers",
        "wording",
        "tables",
        "commands",
    }
    for part in ("numbers", "wording", "tables"):
        assert all(line["certified"] > 0 for line in found["toolkit"][part].values())
    assert set(found["toolkit"]["numbers"]["noise"]) == {
        "plain", "certified", "published", "certificate", "times_published",
    }  # fmt: skip


def test_the_readme_shows_what_was_measured(measured: ModuleType) -> None:
    found = json.loads((FOLDER / "results" / "speed.json").read_text(encoding="utf-8"))["toolkit"]
    assert measured.table(found) in (FOLDER.parent / "README.md").read_text(encoding="utf-8")


@cache
def _few(dataset: str) -> list[Problem]:
    from dnc_datasets.serving import catalogue

    return [problem for rows in catalogue.read(dataset).values() for problem in rows[:3]]
