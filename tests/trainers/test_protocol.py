"""The protocol runs what is missing, keeps what is there, and its tables say what the cells say."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from dnc_datasets.cli import main
from dnc_datasets.errors import DncError, UnknownNameError
from dnc_datasets.serving import catalogue
from dnc_leaderboard import report
from dnc_trainers import breakdowns, data, protocol, tables
from dnc_trainers.config import Config
from dnc_trainers.protocol import PERTURBED, RIGHT, SAME_EQUATION


def test_plan_of_the_paper() -> None:
    jobs = protocol.plan(
        Config(), "tiny", settings=("attack", "defense"), recipes=("noise", "extra"), seeds=2
    )
    assert [(job.config.seed, job.train.name, [test.name for test in job.tests]) for job in jobs[:3]] == [
        (0, "tiny", ["tiny", "tiny-noise-attack", "tiny-extra-attack"]),
        (0, "tiny-noise-defense", ["tiny-noise-defense"]),
        (0, "tiny-extra-defense", ["tiny-extra-defense"]),
    ]
    assert len(jobs) == 6
    assert len({job.name for job in jobs}) == 6


def test_plan_of_folds_and_other_tests() -> None:
    jobs = protocol.plan(Config(), "asdiv_a", folds=True, other_tests=("svamp",))
    assert [job.train.name for job in jobs] == [f"asdiv_a-fold{i}" for i in range(5)]
    assert all(job.tests[-1].name == "svamp" for job in jobs)


def test_plan_refuses() -> None:
    with pytest.raises(UnknownNameError, match="did you mean attack"):
        protocol.plan(Config(), "tiny", settings=("atack",))
    with pytest.raises(DncError, match="no published folds"):
        protocol.plan(Config(), "tiny", folds=True)
    with pytest.raises(DncError, match="at least one seed"):
        protocol.plan(Config(), "tiny", seeds=0)


def test_validation_is_held_out_where_there_is_none() -> None:
    problems = catalogue.read("tiny")["train"]
    train, validation = data.hold_out(problems, "tiny")
    assert len(validation) == len(problems) // 10
    assert sorted(p.id for p in train + validation) == sorted(p.id for p in problems)
    assert (train, validation) == data.hold_out(problems, "tiny")


WORDS = ["--set", "epochs=1", "--set", "hidden=8", "--set", "embedding=8"]


def test_command_keeps_finished_cells(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.chdir(tmp_path)
    words = ["protocol", "constrained", "--data", "tiny", "--breakdown", "--settings", "attack", *WORDS]
    words += ["--perturbations", "no_question,extra"]
    assert main(words) == 0
    first = capsys.readouterr().out
    assert "| extra |" in first
    assert "| by operation |" in first
    assert "easy: solved without the question" in first
    cells = {path.name: path.read_bytes() for path in (tmp_path / "results").iterdir()}
    assert len(cells) == 3 + 2, "three cells, and the record with its rows"
    ((found, outcomes),) = report.load([tmp_path / "results"])
    assert [cell.config for cell in found.cells] == ["tiny", "tiny-no_question-attack", "tiny-extra-attack"]
    assert found.made.command == "dnc protocol"
    assert len(outcomes) == 3 * 240
    for cell in found.cells:
        (path,) = (tmp_path / "results").glob(f"*-on-{cell.config}.json")
        assert cell.right / cell.rows == protocol.read_cell(path)["accuracy"]
    # With one cell gone, the model is loaded and only that cell is made again.
    (gone,) = (tmp_path / "results").glob("*-on-tiny-extra-attack.json")
    gone.unlink()
    log = next((tmp_path / "runs").glob("*/log.jsonl"))
    written = log.stat().st_mtime_ns
    assert main(words) == 0
    assert capsys.readouterr().out == first
    assert log.stat().st_mtime_ns == written
    assert {path.name: path.read_bytes() for path in (tmp_path / "results").iterdir()} == cells
    assert main([*words, "--seeds", "2", "--plan"]) == 0
    assert capsys.readouterr().out.count("to do  ") == 3
    # A record needs the predictions; without them the tables are printed all the same.
    (tmp_path / "runs").rename(tmp_path / "gone")
    assert main(words) == 0
    assert "no record of constrained-tiny" in capsys.readouterr().out


def _run_one(config: Config, folder: Path, **how: bool) -> tuple[protocol.Job, dict[str, Any]]:
    """One job on the embedded corpus, run, and its only cell."""
    (job,) = protocol.plan(config, "tiny", **how)
    (cell,) = protocol.run([job], folder / "results", folder / "runs")
    return job, cell


def _rows_trained_on(cell: dict[str, Any]) -> int:
    return int(cell["training_rows"] + cell["dropped_training_rows"])


SPLITS = {name: len(problems) for name, problems in catalogue.read("tiny").items()}


def test_refit_trains_on_validation_problems_too_to_the_last_epoch(tmp_path: Path) -> None:
    config = Config(solver="constrained", epochs=3, hidden=8, embedding=8, checkpoint_seconds=0)
    job, cell = _run_one(config, tmp_path, refit=True)
    assert cell["refit"]
    assert cell["validation_rows"] == 0
    assert _rows_trained_on(cell) == SPLITS["train"] + SPLITS["validation"]
    assert cell["epoch"] + 1 == cell["epochs"] == config.epochs
    own_job, own = _run_one(config, tmp_path)
    assert own_job.name != job.name
    assert _rows_trained_on(own) == SPLITS["train"]


def test_an_epoch_may_be_chosen_on_the_test_set_to_compare_with_published_scores(tmp_path: Path) -> None:
    config = Config(solver="constrained", epochs=2, hidden=8, embedding=8, beam=1)
    job, cell = _run_one(config, tmp_path, on_test=True)
    assert cell["chosen_on_test"]
    assert _rows_trained_on(cell) == SPLITS["train"] + SPLITS["validation"]
    assert cell["validation_rows"] == cell["rows"] == SPLITS["test"]
    assert cell["validation_accuracy"] == cell["accuracy"]  # the same rows, decoded greedily
    assert "by_test" in job.name


def test_train_command(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.chdir(tmp_path)
    assert main(["train", "constrained", "--data", "tiny", "--json", *WORDS]) == 0
    record = json.loads(capsys.readouterr().out)
    assert record["rows"] == len(catalogue.read("tiny")["test"])
    (predictions,) = tmp_path.glob("runs/*/predictions/tiny.jsonl")
    answers = [json.loads(line) for line in predictions.read_text().splitlines()]
    assert sum(answer["correct"] for answer in answers) / len(answers) == record["accuracy"]
    assert main(["train", "constraned", "--data", "tiny"]) == 1
    assert "did you mean constrained" in capsys.readouterr().err


def test_damaged_cell(tmp_path: Path) -> None:
    path = tmp_path / "a-on-b.json"
    for text in ("{", "[]", "{}"):
        path.write_text(text)
        with pytest.raises(DncError, match="remove it to run the cell again"):
            protocol.read_cells(tmp_path)


def _cell(test: str, outcomes: dict[str, int], seed: int = 0) -> dict[str, Any]:
    return {
        "solver": "gts", "train": "tiny", "test": test, "seed": seed, "outcomes": outcomes,
        "rows": len(outcomes),
        "accuracy": sum(o & RIGHT for o in outcomes.values()) / len(outcomes),
        "training_rows": 9, "validation_rows": 3, "epoch": 1, "epochs": 2, "train_seconds": 1.0,
    }  # fmt: skip


@pytest.fixture
def cells() -> list[dict[str, Any]]:
    """Clean: 30 of 40 right. Noise: the same. Extra: 20 fewer, on changed rows; ten rows are as they were."""
    clean = {f"r{i}": (RIGHT | SAME_EQUATION) * (i < 30) for i in range(40)}
    noise = {row: outcome | PERTURBED for row, outcome in clean.items()}
    extra = {row: RIGHT * (i < 10) | PERTURBED * (i >= 10) for i, row in enumerate(clean)}
    return [_cell("tiny", clean), _cell("tiny-noise-attack", noise), _cell("tiny-extra-attack", extra)]


def test_attack_table(cells: list[dict[str, Any]]) -> None:
    lines = [
        [word.strip() for word in line.split("|")[1:-1]]
        for line in tables.attack_table(cells, "tiny").splitlines()
    ]
    assert lines[2][:3] == ["(clean)", "75.0", "75.0"]
    assert lines[3][:4] == ["noise", "75.0", "75.0", "0.0"]
    assert lines[3][-1] == "undecided"
    assert lines[4][:4] == ["extra", "0.0", "25.0", "50.0"]
    assert lines[4][4] == "66.7"
    assert lines[4][-1] == "drop"


def test_epochs_chosen_on_test_have_a_column_of_their_own(cells: list[dict[str, Any]]) -> None:
    every = dict.fromkeys(cells[0]["outcomes"], RIGHT)
    chosen = [{**cell, "outcomes": every, "chosen_on_test": True} for cell in cells[:2]]
    plain = tables.attack_table(cells, "tiny").splitlines()
    both = tables.attack_table([*cells, *chosen], "tiny").splitlines()
    # The fair figures stay as they are.
    assert [line[: len(fair) - 2] for line, fair in zip(both, plain, strict=True)] == [
        fair[:-2] for fair in plain
    ]
    last = [line.split("|")[-2].strip() for line in both]
    assert last == ["answer, epoch chosen on test", "---:", "100.0", "100.0", ""]


def test_shares_of_perturbed_problems(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.chdir(tmp_path)
    words = ["protocol", "constrained", "--data", "tiny", "--settings", "attack,augment", *WORDS]
    words += ["--perturbations", "type,extra"]
    assert main([*words, "--tau", "0.05,0.1", "--choose-on-test"]) == 0
    said = capsys.readouterr().out
    assert "answer, epoch chosen on test" in said
    assert "validation problems choose --tau 0." in said
    cells = protocol.read_cells(tmp_path / "results")
    assert len(cells) == 3 + 3 + 2 * 3
    mixed = {cell["tau"]: cell for cell in cells if cell["tau"]}
    for tau, cell in mixed.items():
        assert cell["train"] == f"tiny+{tau:g}_type_extra"
        assert _rows_trained_on(cell) == SPLITS["train"] + 2 * round(tau * SPLITS["train"])
    # The same validation problems for every share, clean and perturbed.
    rows = {cell["validation_rows"] for cell in mixed.values()}
    assert len(rows) == 1
    assert rows.pop() > SPLITS["validation"]
    assert main([*words[:4], "--tau", "0.1"]) == 1
    assert "--tau says how much" in capsys.readouterr().err


def test_seeds_are_no_new_problems(cells: list[dict[str, Any]]) -> None:
    clean, _, extra = cells
    again = [{**cell, "seed": 1} for cell in (clean, extra)]
    one = tables.compared([clean], {"extra": [extra]})["extra"]
    two = tables.compared([clean, again[0]], {"extra": [extra, again[1]]})["extra"]
    assert two.drop == one.drop
    assert two.clusters == 40
    assert two.p_value == pytest.approx(one.p_value)


def test_folds_of_several_seeds_are_averaged() -> None:
    rows = {f"r{i}": RIGHT * (i < 60) for i in range(100)}
    one = [{**_cell("asdiv_a-fold0", rows), "train": "asdiv_a-fold0"}]
    low, high = tables.share_interval(one)
    assert (round(low, 3), round(high, 3)) == (0.502, 0.691)
    two = [*one, {**one[0], "seed": 1, "outcomes": dict.fromkeys(rows, RIGHT)}]
    line = tables.fold_table(two, "asdiv_a").splitlines()[-1]
    assert line.split(" | ")[1:7] == ["80.0", "", "", "", "", "80.0"]
    low, high = tables.share_interval(two)
    assert 0.7 < low < 0.78 < 0.82 < high < 0.9


def test_nothing_is_minus_nothing() -> None:
    assert (tables.change(-0.0), tables.change(-0.0004), tables.change(-0.125)) == ("+0.0", "+0.0", "-12.5")
    assert tables.interval((-0.0003, 0.25)) == "[0.0, 25.0]"


def test_breakdown_and_easy_hard(cells: list[dict[str, Any]]) -> None:
    labels = {f"r{i}": ("a", "b") if i < 4 else ("b",) for i in range(40)}
    assert breakdowns.breakdown(cells[0], labels) == [("a", 4, 1.0), ("b", 40, 0.75)]
    assert breakdowns.easy_hard(cells[0], cells[2]) == [("easy", 10, 1.0), ("hard", 30, 20 / 30)]
