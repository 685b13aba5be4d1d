"""Jobs write records that are tied to their rows: other rows of the same name are trained and scored again."""

from __future__ import annotations

import json
import shutil
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

import pytest

from dnc_datasets import cli
from dnc_datasets.cli import main
from dnc_datasets.errors import DncError, UnknownNameError
from dnc_datasets.problem import Problem
from dnc_datasets.serving import catalogue
from dnc_metrics import record as records
from dnc_trainers import data, protocol, results, runner, solvers
from dnc_trainers.config import Config, ConfigError, from_words, from_yaml
from dnc_trainers.learning import Answer
from dnc_trainers.protocol import Job
from dnc_trainers.results import system

TESTS = ("tiny", "tiny-verbosity-attack", "tiny-noise-attack")
SMALL = Config(solver="constrained", epochs=1, hidden=8, embedding=8, beam=1)


@dataclass
class Scripted:
    """A learner that was not trained: it adds one to every answer of a verbose problem."""

    dropped: int = 0
    rows_sha256: str = ""

    @classmethod
    def fit(cls, *_: Any, **__: Any) -> tuple[Any, Any]:
        from dnc_trainers.loop import History

        return cls(), History([{"accuracy": 1.0, "epoch": 0}], 0, 1.0, 1.0)

    @property
    def model(self) -> Any:
        import torch

        return torch.nn.Linear(1, 1)

    def unread(self, problems: list[Problem]) -> int:
        return 0

    def baselines(self, problems: list[Problem]) -> dict[str, float]:
        return {}

    def measures(self, problems: list[Problem], answers: list[Answer]) -> dict[str, float]:
        return {}

    def solve(self, problems: list[Problem], **_: Any) -> list[Answer]:
        made = []
        for problem in problems:
            wrong = "(not " in problem.text
            value = problem.exact_value()
            assert value is not None
            equation = f"{problem.equation} + 1" if wrong else problem.equation
            made.append(Answer(problem.id, equation, str(value + wrong), not wrong, not wrong, not wrong))
        return made


@pytest.fixture
def job(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Job:
    """A job of the scripted learner, run."""
    monkeypatch.setattr(runner, "_learner", lambda config: Scripted)
    made = Job(Config(), catalogue.find("tiny"), tuple(map(catalogue.find, TESTS)))
    runner.run([made], tmp_path / "results", tmp_path / "runs", command="dnc diagnose")
    return made


def _record(job: Job, folder: Path) -> records.Record:
    return records.load(folder / "results" / job.file_name)


def test_the_record_of_a_job(job: Job, tmp_path: Path) -> None:
    found = _record(job, tmp_path)
    assert [cell.config for cell in found.cells] == list(TESTS)
    lines = {line.name: line for line in found.tables[0].lines}
    assert lines["verbosity"].drop == 1.0
    assert lines["noise"].drop == 0.0
    # The decoder is given slots and takes its likeliest hypothesis: it never sees a value.
    assert not found.system.sees_values
    assert found.system.name == "gts"
    assert found.made.command == "dnc diagnose"
    assert all("first number" in cell.baselines for cell in found.cells)


def test_a_row_that_several_test_sets_share_is_solved_once(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(runner, "_learner", lambda config: Scripted)
    texts: list[tuple[str, str]] = []
    solve = Scripted.solve

    def counted(self: Scripted, problems: list[Problem], **named: Any) -> list[Answer]:
        texts.extend((problem.id, problem.text) for problem in problems)
        return solve(self, problems, **named)

    monkeypatch.setattr(Scripted, "solve", counted)
    names = ("tiny", "tiny-logic-attack", "tiny-vary-same_object_different_structure-attack")
    made = Job(Config(), catalogue.find("tiny"), tuple(map(catalogue.find, names)))
    runner.run([made], tmp_path / "results", tmp_path / "runs")
    assert len(texts) == len(set(texts))
    changed = sum(row.original is not None for row in data.asked(catalogue.find(names[1])))
    assert len(texts) == 240 + changed
    cells = _record(made, tmp_path).cells
    assert [cell.rows for cell in cells] == [240] * 3
    assert cells[1].right == cells[2].right


def test_a_record_names_the_digests_of_all_its_rows_and_settings(job: Job, tmp_path: Path) -> None:
    found = _record(job, tmp_path)
    splits = catalogue.read("tiny")
    assert found.system.training is not None
    assert found.system.training.rows_sha256 == data.digest(splits["train"], splits["validation"])
    assert found.system.training.settings_sha256 == job.config.digest()
    digests = [cell.data["sha256"] for cell in found.cells]
    assert digests == [data.asked_digest(test) for test in job.tests]
    assert len(set(digests)) == len(TESTS)


def test_dnc_score_gives_the_same_verdicts_on_the_same_answers(
    job: Job, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    ours = _record(job, tmp_path)
    words = []
    for test in TESTS:
        (path,) = (tmp_path / "runs").glob(f"*/predictions/{test}.jsonl")
        words.append(f"{test}={path}")
    assert cli.main(["score", *words, "--out", "scored"]) == 0
    theirs = records.load(tmp_path / "scored")
    for mine, its in zip(ours.tables[0].lines, theirs.tables[0].lines, strict=True):
        assert (mine.name, mine.n, mine.drop, mine.interval) == (its.name, its.n, its.drop, its.interval)
        # Predictions do not say that this solver never sees the values.
        blind = mine.capability == "value_understanding"
        assert mine.verdict == ("cannot see values" if blind else its.verdict)
    assert [cell.data["sha256"] for cell in ours.cells] == [cell.data["sha256"] for cell in theirs.cells]
    assert [cell.baselines for cell in ours.cells] == [cell.baselines for cell in theirs.cells]
    # Only the reader of equations sees the calculation; of the same answers it counts the same.
    assert [(one.name.partition("|")[0], one.wrong) for one in ours.causes] == [
        (one.name.partition("|")[0], one.wrong) for one in theirs.causes
    ]


def test_a_system_is_named_by_what_it_was_trained_on() -> None:
    tiny, defended = catalogue.find("tiny"), catalogue.find("tiny-noise-defense")
    names = {
        system(made).name
        for made in (
            Job(Config(), tiny, ()),
            Job(Config(seed=1), tiny, ()),
            Job(Config(), defended, ()),
            Job(Config(), catalogue.find("asdiv_a-fold3"), (), refit=True),
            Job(Config(), tiny, (), on_test=True),
            Job(Config(), tiny, (), mixed=("noise",), tau=0.1),
        )
    }
    assert names == {
        "gts",
        "gts (seed 1)",
        "gts (trained on tiny-noise-defense)",
        "gts (fold3, refitted)",
        "gts (epoch chosen on test)",
        "gts (trained on tiny+0.1_noise)",
    }


def test_weighing_has_a_name_of_its_own() -> None:
    made = Job(Config(choice="plausible"), catalogue.find("tiny"), ())
    assert system(made).name == "gts + weighing"
    assert system(made).sees_values


def test_a_solver_that_is_given_which_number_is_larger_sees_values() -> None:
    assert system(Job(Config(solver="graph2tree"), catalogue.find("tiny"), ())).sees_values


def _write_questions(folder: Path, *, last: int, more: int) -> None:
    """A copy of DROP-num in a folder: 60 questions with the same ids, whose answers `last` and `more` decide."""
    folder.mkdir()
    every = [
        {
            "id": f"passage-{index // 2}",
            "passage": f"Smith ran {index // 2 + 30} yards and then {index // 2 % 5 + more} yards.",
            "question": f"How many yards did Smith run in all in game {index % 2}?",
            "answer": str(index // 2 + 30 + index // 2 % 5 + last),
        }
        for index in range(60)
    ]
    parts = {"trainset": every[:40], "validset": every[40:50], "testset": every[50:]}
    for name, part in parts.items():
        (folder / f"{name}.json").write_text(json.dumps(part), encoding="utf-8")


@pytest.fixture
def copies(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> dict[str, Path]:
    """Three copies of DROP-num with equal ids: A, B with other training and test rows, C with A's training rows."""
    monkeypatch.chdir(tmp_path)
    folders = {name: tmp_path / name for name in "ABC"}
    _write_questions(folders["A"], last=3, more=3)
    _write_questions(folders["B"], last=40, more=40)
    _write_questions(folders["C"], last=3, more=3)
    shutil.copy(folders["B"] / "testset.json", folders["C"] / "testset.json")
    return folders


def _protocol(folder: Path, *more: str) -> int:
    words = ["research", "protocol", "discrete", "--data", "drop_num", "--from", f"drop_num={folder}", *more]
    return main([*words, *(f"--set={one}" for one in ("epochs=1", "hidden=8", "embedding=8", "length=64"))])


def test_other_rows_of_the_same_name_are_trained_and_scored_again(
    copies: dict[str, Path], capsys: pytest.CaptureFixture[str]
) -> None:
    found = {}
    for name, folder in copies.items():
        assert _protocol(folder) == 0
        (found[name],) = results.load_folder(Path("results"))
    digests = {name: (one.training.rows_sha256, one.cell.data["sha256"]) for name, one in found.items()}
    assert digests["A"][0] != digests["B"][0]
    assert digests["A"][1] != digests["B"][1]
    # C shares the training rows of A, so that the model of A is scored on the test rows of B.
    assert digests["C"] == (digests["A"][0], digests["B"][1])
    assert len(list(Path("runs").glob("discrete-drop_num-*"))) == 2
    golds = {name: json.loads((folder / "testset.json").read_text()) for name, folder in copies.items()}
    (path,) = Path("results").glob(f"*{records.ENDING}")
    wrong = [one for one in records.outcomes(path, records.load(path)) if not one.right]
    assert {one.gold for one in wrong} <= {one["answer"] for one in golds["C"]}


def test_results_of_other_rows_are_planned_as_stale(
    copies: dict[str, Path], capsys: pytest.CaptureFixture[str]
) -> None:
    def planned(name: str) -> str:
        assert _protocol(copies[name], "--plan") == 0
        return capsys.readouterr().out.splitlines()[0].split()[0]

    assert planned("A") == "to"
    assert _protocol(copies["A"]) == 0
    capsys.readouterr()
    assert [planned(name) for name in "ABC"] == ["done", "stale", "stale"]


def test_result_files_of_version_0_2_0_are_not_used(
    copies: dict[str, Path], capsys: pytest.CaptureFixture[str]
) -> None:
    Path("results").mkdir()
    Path("results/discrete-drop_num-seed0-abc-on-drop_num.json").write_text("{}")
    assert _protocol(copies["A"]) == 0
    assert "1 result files of version 0.2.0" in capsys.readouterr().err


def test_a_finished_model_names_the_digests_of_its_rows_and_settings(tmp_path: Path) -> None:
    (job,) = protocol.plan(SMALL, "tiny")
    folder = runner.trained_model(job, tmp_path, given={})
    model = json.loads((folder / "model.json").read_text())
    splits = catalogue.read("tiny")
    assert model["rows_sha256"] == data.digest(splits["train"], splits["validation"])
    assert model["settings_sha256"] == job.config.digest()
    assert folder.name.endswith(model["rows_sha256"][:8])


def test_a_model_of_version_0_2_0_is_used_where_its_rows_are_the_same(tmp_path: Path) -> None:
    (job,) = protocol.plan(SMALL, "tiny")
    folder = runner.trained_model(job, tmp_path, given={})
    folder.rename(tmp_path / job.name)
    assert runner.trained_model(job, tmp_path, given={}) == tmp_path / job.name
    assert runner.trained_model(replace(job, refit=True), tmp_path, given={}) != tmp_path / job.name


def test_command_line_beats_file_beats_solver(tmp_path: Path) -> None:
    file = tmp_path / "run.yaml"
    file.write_text("lr: 0.01\nhidden: 32\n")
    config = protocol.default_config("transformer", 7, file, ["hidden=64"])
    assert (config.lr, config.hidden, config.layers, config.seed) == (0.01, 64, 2, 7)


@pytest.mark.parametrize(
    "settings",
    [
        {"hidden": "wide"},
        {"hidden": 0},
        {"dropout": 1.0},
        {"numbers": "words"},
        {"batch": 2.5},
        {"lr": 0},
        {"lr": "nan"},
    ],
)
def test_wrong_values(settings: dict[str, object]) -> None:
    with pytest.raises(ConfigError, match=next(iter(settings))):
        Config().with_settings(settings)


def test_unknown_names_answer_with_near_ones() -> None:
    with pytest.raises(UnknownNameError, match="did you mean hidden"):
        Config().with_settings({"hiden": 3})
    with pytest.raises(UnknownNameError, match="did you mean gts"):
        solvers.default_config("gtss")
    with pytest.raises(ConfigError, match="NAME=VALUE"):
        from_words(["hidden"])


@pytest.mark.parametrize("text", ["- a\n- b\n", "a: [1\n", "1: 2\n", "a: " + "[" * 3000])
def test_broken_yaml(tmp_path: Path, text: str) -> None:
    file = tmp_path / "run.yaml"
    file.write_text(text)
    with pytest.raises(DncError, match=r"run\.yaml"):
        from_yaml(file)


def test_fingerprint_follows_what_changes_the_weights() -> None:
    assert Config().fingerprint() == Config(checkpoint_seconds=1).fingerprint()
    assert Config().fingerprint() != Config(seed=1).fingerprint()
