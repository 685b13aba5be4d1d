"""A trained solver is loaded from its folder, attacked, and trained again with what the attack found."""

from __future__ import annotations

import json
import shutil
from fractions import Fraction
from pathlib import Path

import pytest

from dnc_datasets import cli
from dnc_datasets.attack import models
from dnc_datasets.attack.goal import judge
from dnc_datasets.errors import DncError
from dnc_datasets.problem import Problem, to_row
from dnc_datasets.serving import catalogue, rows
from dnc_trainers import data, load_solver, solvers, solving
from dnc_trainers.checkpoint import CheckpointError
from dnc_trainers.config import Config

SMALL = ["--set", "epochs=6", "--set", "hidden=24", "--set", "embedding=24", "--set", "batch=16"]


def test_problems_rows_and_texts_are_answered_alike(run: Path, problems: list[Problem]) -> None:
    solver = load_solver(run)
    expected = solver.answers(problems)
    assert solver.answers(to_row(problem) for problem in problems) == expected
    assert solver.answers([problem.text for problem in problems]) == expected


@pytest.mark.parametrize("name", solvers.names())
def test_a_loaded_solver_answers_as_the_trained_one(
    tmp_path: Path, name: str, problems: list[Problem], small: Config
) -> None:
    config = small.with_settings({"solver": name, "epochs": 2})
    learner, _ = solving.train(config, problems, problems[:6], folder=tmp_path)
    expected = learner.solve(problems)
    found = load_solver(tmp_path).answers(problems)
    assert [(a.equation, a.value) for a in expected] == [
        (p.equation, "" if p.value is None else str(p.value)) for p in found
    ]
    assert {type(p.value) for p in found} <= {Fraction, type(None)}
    texts = models.load(f"solver:{tmp_path}")([problem.text for problem in problems])
    assert list(texts) == [answer.value for answer in expected]


@pytest.fixture(scope="session")
def run(tmp_path_factory: pytest.TempPathFactory, problems: list[Problem]) -> Path:
    """The folder of a finished run."""
    folder = tmp_path_factory.mktemp("trained") / "run"
    config = Config(solver="constrained", embedding=8, hidden=8, epochs=1, checkpoint_seconds=0)
    solving.train(config, problems, problems[:6], folder=folder)
    return folder


def _broken(run: Path, folder: Path, damage: str) -> None:
    """A copy of the run with one thing wrong."""
    shutil.copytree(run, folder)
    model, words = folder / "model.json", folder / "vocabulary.json"
    (tensors,) = folder.glob("*.safetensors")
    record = json.loads(model.read_text())
    if damage == "weights":
        whole = bytearray(tensors.read_bytes())
        whole[-1] ^= 1
        tensors.write_bytes(bytes(whole))
    elif damage == "no vocabulary":
        words.unlink()
    elif damage == "vocabulary":
        words.write_text("[]")
    elif damage == "changed vocabulary":
        words.write_text(words.read_text() + " ")
    elif damage == "other vocabulary":
        words.write_text(json.dumps({**json.loads(words.read_text()), "learner": "gts on other data"}))
    elif damage == "settings":
        model.write_text(json.dumps({**record, "settings": {**record["settings"], "depth": 3}}))
    elif damage == "foreign":
        del record["settings"]
        model.write_text(json.dumps(record))
    elif damage == "shape":
        model.write_text(json.dumps({**record, "settings": {**record["settings"], "hidden": 9}}))
    elif damage == "unfinished":
        model.rename(folder / "last.json")
    elif damage == "empty":
        model.unlink()


@pytest.mark.parametrize(
    ("damage", "stated"),
    [
        ("weights", "checksum"),
        ("no vocabulary", "another --results folder"),
        ("vocabulary", "cannot be read as a solver"),
        ("other vocabulary", "belongs to another run"),
        ("changed vocabulary", "its checksum is not the one"),
        ("settings", "unknown setting 'depth'"),
        ("foreign", "cannot be read as a solver"),
        ("shape", "do not fit"),
        ("unfinished", "has not ended"),
        ("empty", "holds no trained solver; give a folder"),
    ],
)
def test_a_folder_that_is_no_solver_says_why(run: Path, tmp_path: Path, damage: str, stated: str) -> None:
    _broken(run, tmp_path / "run", damage)
    with pytest.raises(CheckpointError, match=stated):
        load_solver(tmp_path / "run")


def test_a_wrong_folder_says_where_solvers_are(run: Path, tmp_path: Path) -> None:
    with pytest.raises(DncError, match="there is no folder"):
        load_solver(tmp_path / "none")
    with pytest.raises(DncError, match=r"did you mean one of the runs in it \(run\)"):
        load_solver(run.parent)


def test_solvers_are_asked_for_the_value_before_rounding() -> None:
    problem = Problem("1", "", "How many full boxes?", equation="122 / 15", answer="8")
    assert judge("solver:runs/any")(problem, "122/15")
    assert not judge("solver:runs/any")(problem, "8")
    assert judge("lm_eval:hf:any")(problem, "8")
    assert not judge("solver:runs/any")(problem, "")


def _train(*words: str) -> Path:
    """The folder of the run that the command has made."""
    before = set(Path("runs").glob("*"))
    assert cli.main(["research", "train", "constrained", "--data", "tiny", *SMALL, *words]) == 0
    (made,) = set(Path("runs").glob("*")) - before
    return made


def test_train_attack_and_train_again(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    datasets = pytest.importorskip("datasets")
    monkeypatch.chdir(tmp_path)
    solver = _train()
    assert f"the solver is in {solver}" in capsys.readouterr().out
    attack = ["research", "attack", "tiny", "--with", "verbosity", "--search", "greedy", "-m", "1", "--json"]
    words = ["--model", f"solver:{solver}", "--split", "train", "--out", "found"]
    assert cli.main([*attack, *words]) == 0
    figures = json.loads(capsys.readouterr().out)
    assert figures["right"] >= figures["flipped"] > 0
    found = datasets.load_dataset("found", "adversarial", split="train", cache_dir="cache")
    assert len(found) == 2231
    flipped = [row for row in found if row["perturbed"]]
    assert len(flipped) == figures["flipped"]
    # The texts that were found are wrong when they are asked again, and their originals right.
    loaded = load_solver(solver)
    problems = [rows.from_record(row) for row in flipped]
    again = loaded.answers([row.problem for row in problems])
    assert all(p.value != row.problem.exact_value() for p, row in zip(again, problems, strict=True))
    before = loaded.answers([row.original for row in problems if row.original])
    assert all(p.value == row.problem.exact_value() for p, row in zip(before, problems, strict=True))
    # Train with them: another run, with more rows, that knows many of them.
    defended = _train("--extra-train", "found")
    assert f"({2231 + len(flipped)} rows" in capsys.readouterr().out
    after = load_solver(defended).answers([row.problem for row in problems])
    known = sum(p.value == row.problem.exact_value() for p, row in zip(after, problems, strict=True))
    assert known > len(problems) / 4
    assert cli.main([*attack, "--model", f"solver:{defended}", "--split", "test", "--out", "test"]) == 0
    assert cli.main(["research", "train", "constrained", "--data", "tiny", "--extra-train", "test"]) == 1
    assert "attack on the test split, which may not be trained on" in capsys.readouterr().err


def test_nothing_that_is_tested_is_trained_on(tmp_path: Path) -> None:
    with pytest.raises(DncError, match="holds no finished attack"):
        data.adversarial(tmp_path)
    test = catalogue.read("tiny")["test"]
    with pytest.raises(DncError, match=f"1 of the training problems .* e.g. {test[3].id}"):
        data.check_unseen([test[3]], "tiny", test)
