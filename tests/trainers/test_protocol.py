"""The protocol runs missing parts, keeps finished ones, and its tables agree with its results."""

from __future__ import annotations

import json
from dataclasses import replace
from pathlib import Path

import pytest
from made_results import first, result, rows

from dnc_datasets.cli import main
from dnc_datasets.errors import DncError, UnknownNameError
from dnc_datasets.serving import catalogue
from dnc_leaderboard import report
from dnc_metrics import record as records
from dnc_trainers import breakdowns, data, pooling, protocol, results, runner, tables
from dnc_trainers.commands.protocol import _hours
from dnc_trainers.config import Config
from dnc_trainers.results import Result


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


def test_finished_results_are_kept(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.chdir(tmp_path)
    words = [
        "research",
        "protocol",
        "constrained",
        "--data",
        "tiny",
        "--breakdown",
        "--settings",
        "attack",
        *WORDS,
    ]
    assert main([*words, "--perturbations", "no_question"]) == 0
    capsys.readouterr()
    words += ["--perturbations", "no_question,extra"]
    assert main(words) == 0
    printed = capsys.readouterr().out
    assert "| extra |" in printed
    assert "| by operation |" in printed
    assert "easy: solved without the question" in printed
    files = {path.name: path.read_bytes() for path in (tmp_path / "results").glob("[!.]*")}
    assert len(files) == 2, "the record and its rows"
    ((found, outcomes),) = report.load([tmp_path / "results"])
    assert [cell.config for cell in found.cells] == ["tiny", "tiny-no_question-attack", "tiny-extra-attack"]
    assert found.made.command == "dnc research protocol"
    assert len(outcomes) == 3 * 240
    # The second command has loaded the model of the first; a third one does nothing.
    (log,) = (tmp_path / "runs").glob("*/log.jsonl")
    written = log.stat().st_mtime_ns
    assert main(words) == 0
    assert capsys.readouterr().out == printed
    assert log.stat().st_mtime_ns == written
    assert {path.name: path.read_bytes() for path in (tmp_path / "results").glob("[!.]*")} == files
    assert main([*words, "--seeds", "2", "--plan"]) == 0
    plan = capsys.readouterr().out
    assert (plan.count("to do  "), plan.count("done   ")) == (3, 3)
    # Results are complete without the models.
    (tmp_path / "runs").rename(tmp_path / "gone")
    assert main(words) == 0
    assert capsys.readouterr().out == printed


def test_a_record_is_the_same_in_one_run_and_in_two(tmp_path: Path) -> None:
    config = Config(solver="constrained", epochs=1, hidden=8, embedding=8, beam=1)
    (whole,) = protocol.plan(config, "tiny", settings=("attack",), recipes=("extra", "type"))
    part = replace(whole, tests=whole.tests[:2])
    for folder, jobs in (("one", [whole]), ("two", [part, whole])):
        runner.run(jobs, tmp_path / folder, tmp_path / "runs")
    names = {path.name for path in (tmp_path / "one").iterdir()}
    assert names == {path.name for path in (tmp_path / "two").iterdir()}
    for name in names:
        assert (tmp_path / "one" / name).read_text() == (tmp_path / "two" / name).read_text()


def _run_one(config: Config, folder: Path, **how: bool) -> tuple[protocol.Job, Result]:
    """One job on the embedded corpus, run, and its only result."""
    (job,) = protocol.plan(config, "tiny", **how)
    (found,) = runner.run([job], folder / "results", folder / "runs")
    return job, found


def _rows_trained_on(found: Result) -> int:
    return found.training.rows + found.training.dropped_rows


SPLITS = {name: len(problems) for name, problems in catalogue.read("tiny").items()}


def test_refit_trains_on_validation_problems_too_to_the_last_epoch(tmp_path: Path) -> None:
    config = Config(solver="constrained", epochs=3, hidden=8, embedding=8, checkpoint_seconds=0)
    job, found = _run_one(config, tmp_path, refit=True)
    assert found.training.refit
    assert found.training.validation_rows == 0
    assert _rows_trained_on(found) == SPLITS["train"] + SPLITS["validation"]
    assert found.training.epoch + 1 == found.training.epochs == config.epochs
    own_job, own = _run_one(config, tmp_path)
    assert own_job.name != job.name
    assert _rows_trained_on(own) == SPLITS["train"]


def test_an_epoch_may_be_chosen_on_the_test_set_to_compare_with_published_scores(tmp_path: Path) -> None:
    config = Config(solver="constrained", epochs=2, hidden=8, embedding=8, beam=1)
    job, found = _run_one(config, tmp_path, on_test=True)
    assert not found.is_fair
    assert _rows_trained_on(found) == SPLITS["train"] + SPLITS["validation"]
    assert found.training.validation_rows == found.cell.rows == SPLITS["test"]
    assert found.training.validation_accuracy == found.accuracy  # the same rows, decoded greedily
    assert "by_test" in job.name


def test_train_command(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.chdir(tmp_path)
    assert main(["research", "train", "constrained", "--data", "tiny", "--json", *WORDS]) == 0
    cell = json.loads(capsys.readouterr().out)["cell"]
    assert cell["rows"] == len(catalogue.read("tiny")["test"])
    (predictions,) = tmp_path.glob("runs/*/predictions/tiny.jsonl")
    answers = [json.loads(line) for line in predictions.read_text().splitlines()]
    assert sum(answer["correct"] for answer in answers) / len(answers) == cell["scores"]["answer"]
    assert main(["research", "train", "constraned", "--data", "tiny"]) == 1
    assert "did you mean constrained" in capsys.readouterr().err


def test_a_damaged_record_is_an_error_that_names_the_remedy(tmp_path: Path) -> None:
    path = tmp_path / f"a{records.ENDING}"
    for text in ("{", "[]", "{}"):
        path.write_text(text)
        with pytest.raises(DncError, match=r"remove a\.record\.json to train or score again"):
            results.load_folder(tmp_path)


@pytest.fixture
def three() -> list[Result]:
    """Clean: 30 of 40 right. Noise: the same. Extra: 20 fewer, on changed rows; ten rows are unchanged."""
    clean = first(30, of=40)
    touched = rows(*(i >= 10 for i in range(40)))
    return [
        result("tiny", "tiny", clean, same_equation=clean),
        result("tiny", "tiny-noise-attack", clean, same_equation=clean, perturbed=dict.fromkeys(clean, True)),
        result("tiny", "tiny-extra-attack", first(10, of=40), perturbed=touched),
    ]


def test_attack_table(three: list[Result]) -> None:
    lines = [
        [word.strip() for word in line.split("|")[1:-1]]
        for line in tables.attack_table(three, "tiny").splitlines()
    ]
    assert lines[2][:3] == ["(clean)", "75.0", "75.0"]
    assert lines[3][:4] == ["noise", "75.0", "75.0", "0.0"]
    assert lines[3][-1] == "open"
    assert lines[4][:4] == ["extra", "0.0", "25.0", "50.0"]
    assert lines[4][4] == "66.7"
    assert lines[4][-1] == "drop"


def test_epochs_chosen_on_test_have_a_column_of_their_own(three: list[Result]) -> None:
    every = dict.fromkeys(three[0].outcomes, True)
    chosen = [result("tiny", one.test, every, chosen_on_test=True) for one in three[:2]]
    plain = tables.attack_table(three, "tiny").splitlines()
    both = tables.attack_table([*three, *chosen], "tiny").splitlines()
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
    words = ["research", "protocol", "constrained", "--data", "tiny", "--settings", "attack,augment", *WORDS]
    words += ["--perturbations", "type,extra"]
    assert main([*words, "--tau", "0.05,0.1", "--choose-on-test"]) == 0
    said = capsys.readouterr().out
    assert "answer, epoch chosen on test" in said
    assert "validation problems choose --tau 0." in said
    found = results.load_folder(tmp_path / "results")
    assert len(found) == 3 + 3 + 2 * 3
    mixed = {one.training.tau: one for one in found if one.training.tau}
    for tau, one in mixed.items():
        assert one.data == f"tiny+{tau:g}_type_extra"
        assert _rows_trained_on(one) == SPLITS["train"] + 2 * round(tau * SPLITS["train"])
    # The same validation problems for every share, clean and perturbed.
    counts = {one.training.validation_rows for one in mixed.values()}
    assert len(counts) == 1
    assert counts.pop() > SPLITS["validation"]
    assert main([*words[:5], "--tau", "0.1"]) == 1
    assert "--tau is the share" in capsys.readouterr().err


def test_seeds_are_no_new_problems(three: list[Result]) -> None:
    clean, _, extra = three
    again = [replace(one, made=replace(one.made, seed=1)) for one in (clean, extra)]
    one = pooling.compared([clean], {"extra": [extra]})["extra"]
    two = pooling.compared([clean, again[0]], {"extra": [extra, again[1]]})["extra"]
    assert two.drop == one.drop
    assert two.clusters == 40
    assert two.p_value == pytest.approx(one.p_value)


def test_folds_of_several_seeds_are_averaged() -> None:
    one = [result("asdiv_a-fold0", "asdiv_a-fold0", first(60, of=100))]
    low, high = pooling.share_interval(one)
    assert (round(low, 3), round(high, 3)) == (0.502, 0.691)
    two = [*one, result("asdiv_a-fold0", "asdiv_a-fold0", first(100, of=100), seed=1)]
    line = tables.fold_table(two, "asdiv_a").splitlines()[-1]
    assert line.split(" | ")[1:7] == ["80.0", "", "", "", "", "80.0"]
    low, high = pooling.share_interval(two)
    assert 0.7 < low < 0.78 < 0.82 < high < 0.9


def test_nothing_is_minus_nothing() -> None:
    assert (tables.change(-0.0), tables.change(-0.0004), tables.change(-0.125)) == ("+0.0", "+0.0", "-12.5")
    assert tables.interval((-0.0003, 0.25)) == "[0.0, 25.0]"


def test_breakdown_and_easy_hard(three: list[Result]) -> None:
    labels = {f"r{i}": ("a", "b") if i < 4 else ("b",) for i in range(40)}
    assert breakdowns.breakdown(three[0], labels) == [("a", 4, 1.0), ("b", 40, 0.75)]
    assert breakdowns.easy_hard(three[0], three[2]) == [("easy", 10, 1.0), ("hard", 30, 20 / 30)]


def test_hours_follow_from_the_finished_trainings() -> None:
    assert _hours(3, 3, []).startswith("3 trainings to do; the hours are estimated")
    assert _hours(3, 2, [1800.0]) == "2 of 3 trainings to do: about 1.0 hours, as the 1 done went"
    assert _hours(3, 0, [1800.0] * 3) == "all 3 trainings are done"
