"""What a solver looks at is what its decoder weighs, and the command shows it."""

from __future__ import annotations

import json
from pathlib import Path
from xml.etree import ElementTree

import pytest

from dnc_datasets.cli import main
from dnc_datasets.errors import DncError
from dnc_datasets.problem import Problem
from dnc_trainers import attention, solving
from dnc_trainers.attention import Looked
from dnc_trainers.config import Config

SMALL = ["--set", "epochs=1", "--set", "hidden=8", "--set", "embedding=8"]


@pytest.mark.parametrize("solver", ["constrained", "seq2seq"])
def test_weights_are_shares_of_the_words(solver: str, problems: list[Problem]) -> None:
    config = Config(solver=solver, epochs=1, hidden=8, embedding=8)
    learner, _ = solving.train(config, problems, problems[:4])
    found = attention.looked(learner.trained, problems)
    assert [one.id for one in found] == [problem.id for problem in problems]
    for one in found:
        assert len(one.symbols) == len(one.weights) >= 1
        for line in one.weights:
            assert len(line) == len(one.words)
            assert sum(line) == pytest.approx(1, abs=1e-4)
    # The same equations as without looking.
    greedy = learner.solve(problems, beam=1)
    assert [one.equation for one in found] == [answer.equation for answer in greedy]
    assert [one.right for one in found] == [answer.correct for answer in greedy]


def test_words_are_counted_by_symbol() -> None:
    one = Looked("a", ("Ann", "lost", "2"), ("-", "number0"), ((0.1, 0.8, 0.1), (0.2, 0.2, 0.6)), "", False)
    assert one.most(0) == ("lost", 0.8)
    assert attention.counts([one, one]) == {"-": {"lost": 2}, "number0": {"2": 2}}
    drawn = ElementTree.fromstring(attention.picture([one]))
    assert len(drawn.findall(".//{*}rect")) == 1 + 6


def test_the_command(
    folded: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.chdir(tmp_path)
    assert main(["research", "train", "constrained", "--data", folded, *SMALL]) == 0
    (run,) = (tmp_path / "runs").iterdir()
    capsys.readouterr()
    assert main(["research", "attention", str(run), "--data", folded, "-n", "2", "--picture", "a.svg"]) == 0
    said = capsys.readouterr().out
    assert "20 problems of folded" in said
    assert said.count(" <- ") >= 4
    assert (tmp_path / "a.svg").read_text().startswith("<svg ")
    assert main(["research", "attention", str(run), "--data", folded, "--json"]) == 0
    first = json.loads(capsys.readouterr().out.splitlines()[0])
    assert len(first["most"]) == len(first["symbols"])


def test_a_tree_decoder_is_refused(problems: list[Problem], small: Config) -> None:
    learner = solving.SolverLearner(small, problems, [])
    with pytest.raises(DncError, match="seq2seq and constrained"):
        attention.looked(learner.trained, problems[:1])
