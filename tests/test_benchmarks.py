"""`make speed` measures what it says: the published definitions do what their paper defines, and all parts run."""

from __future__ import annotations

import importlib
import json
import sys
from functools import cache
from pathlib import Path
from types import ModuleType
from typing import Any

import pytest

from dnc_datasets.corpus import drawn_conversations
from dnc_datasets.problem import Problem
from dnc_metrics import record
from dnc_metrics.record import Cell, Outcome, Provenance, Record, System, TrainingRun

FOLDER = Path(__file__).resolve().parents[1] / "benchmarks"
PENS = Problem("1", "Ana has 12 pens and Bo 30.", "How many?", equation="12 + 30", answer="42")


@pytest.fixture
def measured(monkeypatch: pytest.MonkeyPatch) -> ModuleType:
    """The benchmark, imported as a script finds it."""
    monkeypatch.syspath_prepend(str(FOLDER))
    return importlib.import_module("speed")


def test_what_is_published_is_done(measured: ModuleType) -> None:
    made = {name: function([PENS])[0] for name, function in measured.AS_PUBLISHED.items()}
    assert made["language"].body == "Ana has twelve pens and Bo thirty."
    assert made["type"].body == "Ana has 12.0 pens and Bo 30.0."
    assert made["verbosity"].body.startswith("Ana has 12 (not ")
    for name, least in (("noise", 42.1), ("distribution", 400)):
        assert float(made[name].answer) > least
        assert all(number in made[name].body for number in made[name].equation.split(" + "))
    twice = PENS.replace(body="Ana has 12 pens, 12 of them red, and Bo 30.")
    assert measured.noise([twice]) == [None]


def test_the_result_of_one_process_is_kept(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.syspath_prepend(str(FOLDER))
    scale = importlib.import_module("scale")
    words = ["scale.py", "--rows", "40", "--only", "one", "--keep", str(tmp_path / "kept")]
    monkeypatch.setattr(sys, "argv", words)
    scale.main()
    monkeypatch.setattr(scale, "measured", None)  # a second run of one process would fail
    scale.main()
    first, second = map(json.loads, capsys.readouterr().out.splitlines())
    assert first == second
    assert first["rows"] == 40
    assert len(first["checksum"]) == 64


def test_every_part_runs_and_is_written(
    measured: ModuleType,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> None:
    out = tmp_path / "speed.json"
    stored = {"speed": [], "releases": {"0.2.0": {"tiny_tables": {"noise": 1e-9, "order": 1e9}}}}
    out.write_text(json.dumps(stored), encoding="utf-8")
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
        "plain", "certified", "published", "certificate", "times_published", "cost",
    }  # fmt: skip
    costs = found["releases"][measured.RELEASE]
    assert costs["tiny_tables"]["logic"] == found["toolkit"]["tables"]["logic"]["cost"] > 0
    assert found["releases"]["0.2.0"] == stored["releases"]["0.2.0"]
    lines = [line for line in capsys.readouterr().out.splitlines() if "since 0.2.0" in line]
    assert [(line.split()[0], line.endswith("SLOWER")) for line in lines] == [
        ("noise", True),
        ("order", False),
    ]


def test_costs_are_compared_with_those_of_the_release_before(measured: ModuleType) -> None:
    assert measured.previous({"0.2.0": {}, "0.1.10": {}, measured.RELEASE: {}, "99.0": {}}) == "0.2.0"
    assert measured.previous({measured.RELEASE: {}}) == ""
    assert measured.change(11.6, 10.0, "0.2.0") == "+16 % since 0.2.0  SLOWER"
    assert measured.change(11.4, 10.0, "0.2.0") == "+14 % since 0.2.0"
    assert measured.change(11.4, None, "") == ""


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


def test_the_guide_shows_the_measurements(measured: ModuleType) -> None:
    found = json.loads((FOLDER / "results" / "speed.json").read_text(encoding="utf-8"))["toolkit"]
    assert measured.table(found) in (FOLDER.parent / "docs" / "guides" / "scale.md").read_text(
        encoding="utf-8"
    )


@cache
def _few(dataset: str) -> list[Problem]:
    from dnc_datasets.serving import catalogue

    return [problem for rows in catalogue.read(dataset).values() for problem in rows[:3]]


def test_statistics_are_shown_with_two_places(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    """`dnc list stats --json` gives numbers; the page shows 1.5 operators as the paper does, as 1.50."""
    monkeypatch.syspath_prepend(str(FOLDER))
    papers = importlib.import_module("papers")
    own = {"problems": 9, "equation templates": 2, "operators per equation": 1.5, "lexicon diversity": 0.3}
    seeds = {
        "of": 8,
        "varied": 7,
        "seeds": 3,
        "variation": {"11": 4},
        "operations": {"addition": 3},
        "published seeds": True,
    }
    stated = {**dict.fromkeys(papers.TABLE_9, own), "challenge": {**own, **seeds}}
    (tmp_path / "stats.json").write_text(json.dumps(stated), encoding="utf-8")
    page = papers.statistics(tmp_path)
    assert "| svamp | 1000 | 9 | 26 | 2 | 1.24 | 1.50 | 0.22 | 0.30 |" in page
    assert "of 8 problems of one operator and at most 40 words that can be varied" in page
    assert "1.50 operators and a diversity of 0.30. By variation: 11 4." in page
    assert "addition 3 (28), subtraction 0 (33)" in page


def test_records_are_stored_once_and_read_back(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.syspath_prepend(str(FOLDER))
    stored = importlib.import_module("dnc_trainers.stored")
    source, folder = tmp_path / "results", tmp_path / "stored"
    folder.mkdir()
    system = System("gts", "solver", training=TrainingRun("gts", "tiny", "aa", "bb"))
    cell = Cell("tiny", "tiny", "", "", "", "", "", "answer", 2, 0, 1, {"answer": 0.5}, {})
    rows = [Outcome(cell.key, name, name == "a", "right", text="a story") for name in "ab"]
    for _ in range(2):
        record.write(
            Record(system, Provenance("dnc research protocol", "1"), (cell,)), rows, source, "gts.record.json"
        )
        assert stored.add(source, "papers", folder) == 1
    (found,) = stored.cells("papers", folder)
    assert (found.accuracy, found.training.rows_sha256, found.stale) == (0.5, "aa", "")
    assert stored.cells("solvers", folder) == []
    assert stored.groups("pa", folder) == ["papers"]
    assert "a story" not in (folder / "cells.jsonl").read_text(encoding="utf-8")


FORMER: dict[str, Any] = {
    "solver": "gts", "train": "tiny", "test": "tiny-noise-attack", "seed": 1, "added_training_rows": 0,
    "settings": {"lr": 0.1}, "outcomes": {"a": 7, "b": 4, "c": 0, "d": 1}, "equation_accuracy": 0.25,
}  # fmt: skip


def test_a_result_of_version_0_2_0_is_read_and_says_that_its_rows_are_unknown(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.syspath_prepend(str(FOLDER))
    stored = importlib.import_module("dnc_trainers.stored")
    found = stored.former_result(FORMER)
    assert found.stale == "rows unknown"
    assert (found.accuracy, found.cell.changed, found.seed) == (0.5, 2, 1)
    assert [one.scores["equation"] for one in found.outcomes.values()] == [True, False, False, False]
    known = stored.former_result({**FORMER, "digests": {"training": "aa", "test": "bb"}})
    assert (known.stale, known.cell.data["sha256"]) == ("", "bb")


def test_a_result_is_stale_where_its_rows_are_not_those_of_today(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.syspath_prepend(str(FOLDER))
    stored, digests = (
        importlib.import_module("dnc_trainers.stored"),
        importlib.import_module("dnc_trainers.row_digests"),
    )
    today = digests._with_digests  # of an embedded corpus nothing is derived: its rows are not pinned
    assert "digests" not in today(stored.Stored("g", "n", FORMER)).result
    tested = digests._tested("tiny-noise-attack", {})
    trained = digests._training_digest("tiny", False, "", None)
    lines = [
        stored.Stored("g", name, {**FORMER, "digests": {"training": one, "test": other}})
        for name, one, other in (("same", trained, tested), ("other", trained, "00"), ("more", "00", tested))
    ]
    lines.append(stored.Stored("g", "former", FORMER))
    whole = {"training": trained, "test": digests._tested("tiny", {}, whole=True)}
    asked = {**FORMER, "test": "tiny", "digests": whole}
    lines.append(stored.Stored("g", "whole", {**asked, "whole": True}))
    lines.append(stored.Stored("g", "not whole", asked))
    found = {name: reason for (_, name, _), reason in digests.stale(lines).items()}
    changed = "rows have changed"
    assert found == {"other": changed, "more": changed, "not whole": changed, "former": "rows unknown"}


def _ran(accuracy: float, right: str, **settings: Any) -> Any:
    """A solver of some settings on three rows, with its accuracy on validation problems."""
    from dnc_trainers.results import Result

    given = {
        "embedding": 8,
        "hidden": 8,
        "layers": 1,
        "lr": 0.1,
        "batch": 4,
        "encoder": "",
        "encoder_lr": 0.0,
    }
    training = TrainingRun("gts", "tiny", "aa", "bb", validation_rows=10, validation_accuracy=accuracy)
    cell = Cell(
        "tiny", "tiny", "", "", "", "", "", "answer", 3, 0, len(right), {"answer": len(right) / 3}, {}
    )
    rows = {name: Outcome(cell.key, name, name in right, "right") for name in "abc"}
    made = Provenance("dnc research protocol", "1", settings={**given, **settings})
    return Result(System("gts", "solver", training=training), made, cell, rows)


def test_validation_problems_choose_and_the_test_column_does_not(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.syspath_prepend(str(FOLDER))
    short_runs = importlib.import_module("short_runs")
    page = short_runs.selection([_ran(0.5, "abc"), _ran(0.7, "a", lr=0.2), _ran(0.6, "ab", batch=2)])
    assert "| lr=0.2 | 70.0 | 33.3 | chosen |" in page
    assert page.count("chosen |") == 1
    assert "--folds 1 --vary batch=2 --vary lr=0.2" in page


def test_two_systems_are_compared_on_the_same_rows(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.syspath_prepend(str(FOLDER))
    short_runs = importlib.import_module("short_runs")
    monkeypatch.setattr(short_runs, "_label", lambda cell: f"{cell.cell.right} right")
    stated = short_runs._paired([_ran(0.5, "abc"), _ran(0.5, "b")])
    assert "Answers of 3 right less those" in stated
    assert "1 right +66.7 [" in stated
    assert "p 0.500" in stated


def test_a_digest_of_perturbed_rows_is_derived_where_no_revision_wrote_others(
    mirror: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    from dnc_datasets.serving import catalogue
    from dnc_trainers import data, row_digests
    from dnc_trainers.stored import Stored

    monkeypatch.setenv("DNC_MIRROR", str(mirror))
    rows = data.asked(catalogue.find("asdiv_a-noise-attack"))
    bits = {row.problem.id: 4 if row.original is not None else 0 for row in rows}
    asked = {"train": "asdiv_a", "test": "asdiv_a-noise-attack", "training_rows": 973, "version": "0.2.0"}
    found = {**FORMER, **asked, "dropped_training_rows": 1, "outcomes": bits}

    def has_digests(**other: Any) -> bool:
        return "digests" in row_digests._with_digests(Stored("g", "n", {**found, **other})).result

    assert has_digests()
    assert not has_digests(version="0.1.0")  # revisions of that version wrote other rows
    assert not has_digests(outcomes={**bits, rows[0].problem.id: 4 - bits[rows[0].problem.id]})
    assert not has_digests(test="asdiv_a-extra-attack")
    assert not has_digests(training_rows=900)


def test_the_reproduction_page_is_written_from_the_stored_results(
    mirror: Path, standin: Path, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    monkeypatch.syspath_prepend(str(FOLDER))
    monkeypatch.setenv("DNC_MIRROR", str(mirror))
    released = next(mirror.glob("microsoft/NumberDiagnosis/*/data/dataset/tatqa-a"))
    for path in (*released.iterdir(), standin / "tatqa-a" / "trainset.json"):
        (tmp_path / path.name).symlink_to(path)
    monkeypatch.setattr(sys, "argv", ["drawn_conversations", str(tmp_path / "drawn"), "--count", "200"])
    drawn_conversations.main()
    folders = (
        f"drop_num={standin / 'drop-num'}",
        f"tatqa_a={tmp_path}",
        f"iirc_bpb={standin / 'bpb_iirc'}",
        f"noahqa_en={tmp_path / 'drawn'}",
    )
    given = [word for folder in folders for word in ("--from", folder)]
    # Rows that a check refuses remain unchanged on the page too.
    monkeypatch.delenv("DNC_STRICT", raising=False)
    reproduction = importlib.import_module("reproduction")
    monkeypatch.setattr(sys, "argv", ["reproduction.py", *given, "--out", str(tmp_path / "page.md")])
    reproduction.main()
    page = (FOLDER.parent / "docs" / "reproduction.md").read_text(encoding="utf-8")
    written = (tmp_path / "page.md").read_text(encoding="utf-8")
    assert written == page, "run `python benchmarks/reproduction.py` and commit docs/reproduction.md"


def test_the_queue_runs_what_is_missing_and_knows_what_is_current(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    from dnc_datasets import cli
    from dnc_trainers import reproduction_queue
    from dnc_trainers.reproduction_queue import Experiment, Row

    words = ("constrained", "--data", "tiny", "--settings", "attack", "--perturbations", "noise")
    small = ("--set", "epochs=1", "--set", "hidden=16", "--set", "embedding=8")
    rows = (Row("clean", 50.0, (("tiny", "tiny"),)), Row("noise", 40.0, (("tiny", "tiny-noise-attack"),)))
    one = Experiment("DNC", "table 3", "constrained", "constrained", (*words, *small), rows, 1, 0.5)
    monkeypatch.setattr(reproduction_queue, "experiments", lambda: [one])
    (tmp_path / "stored").mkdir()
    command = [
        "research",
        "reproduce",
        "--stored",
        str(tmp_path / "stored"),
        "--work",
        str(tmp_path / "work"),
    ]
    assert cli.main([*command, "--plan"]) == 0
    assert "0.5 core-hours  DNC table 3 constrained on tiny: 2 missing" in capsys.readouterr().out
    assert cli.main(command) == 0
    capsys.readouterr()
    assert cli.main([*command, "--plan", "--only", "dnc"]) == 0
    assert "1 experiments are current" in capsys.readouterr().out
    lines = list(importlib.import_module("dnc_trainers.stored").read("cells", tmp_path / "stored"))
    page = reproduction_queue.overview(lines, {})
    share = lines[0].result["record"]["cells"][0]["right"] / lines[0].result["record"]["cells"][0]["rows"]
    assert f"| (clean) | 50.0 | {100 * share:.1f} [" in page
    assert page.count("\\* [") == 0
    every = {(line.group, line.name, one.test): "rows" for line in lines for one in line.results()}
    stale = reproduction_queue.overview(lines, every)
    assert stale.count("\\* [") == 2
    assert reproduction_queue.overview([], {}).count("| – |") == 2
    from dnc_trainers import row_digests, stored

    attack = {key: reason for key, reason in every.items() if key[2] == "tiny-noise-attack"}
    row_digests.write_current(tmp_path / "stored", tmp_path / "stored", attack)
    assert [one.test for one in stored.cells("papers", tmp_path / "stored")] == ["tiny"]
    assert cli.main([*command, "--only", "nothing"]) != 0


def test_every_published_cell_of_the_queue_is_a_config() -> None:
    from dnc_datasets.serving import catalogue
    from dnc_trainers import reproduction_queue

    found = reproduction_queue.experiments()
    assert len({one.name for one in found}) == len(found)
    for one in found:
        for row in one.rows:
            assert 0 < row.published < 100
            assert [catalogue.find(name).name for cell in row.cells for name in cell]
