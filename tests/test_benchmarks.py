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
    monkeypatch.setattr(
        sys, "argv", ["speed.py", "--passes", "1", "--out", str(out), "--only", *measured.PARTS[:-1]]
    )
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
        "checksum",
        "commands",
    }
    assert found["toolkit"]["checksum"]["columns"] > 0
    for part in ("numbers", "wording", "tables"):
        assert all(line["certified"] > 0 for line in found["toolkit"][part].values())
    assert set(found["toolkit"]["numbers"]["noise"]) == {
        "plain", "certified", "published", "certificate", "times_published",
    }  # fmt: skip


def test_two_jobs_are_measured_beside_one(measured: ModuleType, tmp_path: Path) -> None:
    found = measured.jobs(["build", "tiny_tables", "tiny_tables-type-attack"], str(tmp_path), 1)
    assert found["command"] == "build tiny_tables tiny_tables-type-attack"
    assert 0 < found["2"]["longest"] < found["2"]["processor"]  # two processes worked
    assert found["1"]["longest"] == found["1"]["processor"]
    assert found["2"]["megabytes"] > found["1"]["megabytes"] > 50
    for count in (1, 2):
        assert (tmp_path / f"build{count}0" / "checksums.json").is_file()
    with pytest.raises(SystemExit, match="ended with 1"):
        measured.jobs(["build", "no_such_config"], str(tmp_path), 1)


def test_the_readme_shows_what_was_measured(measured: ModuleType) -> None:
    found = json.loads((FOLDER / "results" / "speed.json").read_text(encoding="utf-8"))["toolkit"]
    assert measured.table(found) in (FOLDER.parent / "README.md").read_text(encoding="utf-8")


@cache
def _few(dataset: str) -> list[Problem]:
    from dnc_datasets.serving import catalogue

    return [problem for rows in catalogue.read(dataset).values() for problem in rows[:3]]


def test_statistics_are_shown_with_two_places(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    """`dnc stats --json` gives numbers; the page shows 1.5 operators as the paper does, as 1.50."""
    monkeypatch.syspath_prepend(str(FOLDER))
    papers = importlib.import_module("papers")
    own = {"problems": 9, "equation templates": 2, "operators per equation": 1.5, "lexicon diversity": 0.3}
    seeds = {"of": 8, "varied": 7, "seeds": 3, "variation": {"11": 4}, "operations": {"addition": 3}}
    told = {**dict.fromkeys(papers.TABLE_9, own), "challenge": {**own, **seeds}}
    (tmp_path / "stats.json").write_text(json.dumps(told), encoding="utf-8")
    page = papers.statistics(tmp_path)
    assert "| svamp | 1000 | 9 | 26 | 2 | 1.24 | 1.50 | 0.22 | 0.30 |" in page
    assert "1.50 operators and a diversity of 0.30. By variation: 11 4." in page
    assert "addition 3 (28), subtraction 0 (33)" in page
