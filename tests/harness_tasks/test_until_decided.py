"""Runs that stop once every capability is decided: which rows are asked, which verdicts are written, and resuming."""

from __future__ import annotations

from pathlib import Path

import pytest
import scripted

from dnc_datasets import cli
from dnc_datasets.cli import main
from dnc_harness import cost, data, evaluate, prompts, task_files, until_decided
from dnc_harness.evaluate import Settings
from dnc_leaderboard import report
from dnc_metrics import drop_tables, intervals, record

TASKS = ("dnc_tiny_original", "dnc_tiny_type_attack", "dnc_tiny_verbosity_attack")


def _settings(script: str, out: Path) -> Settings:
    return Settings("scripted", TASKS, out, {"model": script})


@pytest.fixture
def few_looks(monkeypatch: pytest.MonkeyPatch) -> None:
    """Looks that the templates of the embedded corpus reach."""
    monkeypatch.setattr("dnc_metrics.sequential.LOOKS", (20, 30, 40, 50))


@pytest.mark.usefixtures("few_looks")
def test_a_large_drop_is_decided_at_the_first_look(tmp_path: Path) -> None:
    stopped = until_decided.run(_settings("wrong_where_perturbed", tmp_path / "out"))
    assert set(stopped.templates.values()) == {20}
    assert len(scripted.ASKED) <= stopped.rows < stopped.all_rows / 2
    (table,) = stopped.record.tables
    lines = {line.name: line for line in table.lines}
    assert lines["operand_selection"].verdict == "drop"
    assert lines["operand_selection"].reason.endswith("decided after 20 templates")
    # A run that stops early judges capabilities alone.
    assert lines["verbosity"].verdict in ("exploratory", "too few templates")
    assert "% saved" in stopped.text()


@pytest.mark.usefixtures("few_looks")
def test_a_decided_capability_is_asked_no_more(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def confused(doc: dict[str, object]) -> str:
        return "0" if "(not " in f"{doc['body']}{doc['question']}" else str(doc["answer"])

    monkeypatch.setitem(scripted.SCRIPTS, "confused", confused)
    stopped = until_decided.run(_settings("confused", tmp_path / "out"))
    assert stopped.templates == {"operand_selection": 20, "number_detection": 50}
    rows = {cell.perturbation: cell.rows for cell in stopped.record.cells}
    assert rows["verbosity"] < rows["type"] == rows[""]
    assert len(set(scripted.ASKED)) == len(scripted.ASKED) <= sum(rows.values())


@pytest.mark.usefixtures("few_looks")
def test_a_run_that_is_started_again_asks_nothing_twice(tmp_path: Path) -> None:
    first = until_decided.run(_settings("right", tmp_path / "out"))
    asked = len(scripted.ASKED)
    again = until_decided.run(_settings("right", tmp_path / "out"))
    assert len(scripted.ASKED) == asked
    assert again.record == first.record
    # A report shows the verdicts of the plan, not those of a run of fixed size.
    ((shown, outcomes),) = report.load([tmp_path / "out"])
    assert shown.tables == first.record.tables
    assert drop_tables.refreshed(shown, outcomes) == shown


def test_bets_may_be_looked_at_any_time(tmp_path: Path) -> None:
    stopped = until_decided.run(_settings("wrong_where_perturbed", tmp_path / "out"), any_time=True)
    # A perturbation may leave some of the first templates unchanged.
    assert set(stopped.templates.values()) <= {20, 40}
    assert stopped.record.tables[0].method.endswith("any time")


def test_templates_are_complete_and_a_later_look_keeps_the_earlier_ones() -> None:
    few, more = (data.splits("tiny", dnc_templates={"": count})["test"] for count in (10, 25))
    names = {doc["cluster"] for doc in few}
    assert len(names) == 10
    assert {doc["id"] for doc in few} <= {doc["id"] for doc in more}
    every = data.splits("tiny")["test"]
    assert len(few) == sum(doc["cluster"] in names for doc in every)


@pytest.mark.parametrize(
    ("words", "message"),
    [
        (("--tasks", "dnc_tiny", "--limit", "5"), "leave out --limit"),
        (("--tasks", "dnc_tiny,dnc_tiny_defense"), "the attacks on one dataset"),
        (("--tasks", "dnc_tiny_type_attack"), "compares with the originals"),
        (("--tasks", "dnc_tiny", "--draws", "2"), "for --tasks alone"),
    ],
)
def test_other_runs_are_refused(
    words: tuple[str, ...], message: str, capsys: pytest.CaptureFixture[str]
) -> None:
    given = ["eval", "--model", "dummy", "--out", "out", "--until-decided", *words]
    assert cli.main(given) == 1
    assert message in capsys.readouterr().err


def test_the_command_prints_what_it_saved(capsys: pytest.CaptureFixture[str]) -> None:
    words = ["--model", "scripted", "--model-args", "model=wrong_where_perturbed", "--out", "out"]
    assert cli.main(["eval", *words, "--tasks", ",".join(TASKS), "--until-decided", "--look-any-time"]) == 0
    assert "% saved)" in capsys.readouterr().out
    assert record.load(Path("out")).tables[0].method.endswith("any time")


def settings(tmp_path: Path, **more: object) -> Settings:
    words = {
        "model": "dummy",
        "tasks": ("dnc_tiny_original",),
        "out": tmp_path / "out",
        "data": tmp_path / "none",
    }
    return Settings(**{**words, **more})  # type: ignore[arg-type]


def test_rows_and_tokens_of_a_task(tmp_path: Path) -> None:
    asked = settings(tmp_path, limit=10)
    found = cost.estimate(asked, evaluate.chosen(asked))
    docs = data.splits("tiny", dnc_limit=10, dnc_data=str(tmp_path / "none"))["test"]
    letters = sum(len(prompts.direct(doc)) for doc in docs)
    assert (found.tasks, found.rows) == (1, 10)
    assert letters / 5 < found.tokens_in < letters / 2
    assert found.tokens_out == 10 * task_files.MOST_TOKENS["direct"]
    more = settings(tmp_path, limit=10, num_fewshot=2, gen_kwargs={"max_gen_toks": 5})
    shown = cost.estimate(more, evaluate.chosen(more))
    assert shown.tokens_in > found.tokens_in
    assert shown.tokens_out == 50


@pytest.mark.parametrize("points", [1, 3, 5, 10])
def test_a_precision_is_what_its_rows_give(points: int) -> None:
    rows = cost.rows_for(points)
    low, high = intervals.wilson(rows / 2, rows)
    assert 100 * (high - low) / 2 <= points
    low, high = intervals.wilson((rows * 0.8) / 2, rows * 0.8)
    assert 100 * (high - low) / 2 > points


def test_the_command_tells_it_and_runs_nothing(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    words = ["--model", "dummy", "--tasks", "dnc_tiny_original", "--out", str(tmp_path / "out"), "--estimate"]
    assert main(["eval", *words, "--precision", "10", "--data", str(tmp_path / "none")]) == 0
    assert "1 tasks, 97 rows" in capsys.readouterr().err
    assert not (tmp_path / "out").exists()
    assert main(["eval", *words, "--precision", "0"]) == 1
    assert "between 0 and 50" in capsys.readouterr().err
