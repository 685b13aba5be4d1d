"""The sequence baselines answer every type of a conversation by one decoder."""

from __future__ import annotations

from pathlib import Path

import pytest

from dnc_datasets.cli import main
from dnc_datasets.problem import Problem
from dnc_datasets.serving import catalogue
from dnc_trainers import protocol, readers
from dnc_trainers.readers import learner
from dnc_trainers.readers.learner import ReaderLearner
from dnc_trainers.readers.reading import Reading


@pytest.fixture(scope="module")
def config() -> Reading:
    small = {"hidden": 40, "embedding": 24, "epochs": 40, "batch": 3, "lr": 6e-3, "dropout": 0}
    return readers.default_config("sequence").with_settings({**small, "least_word_count": 1})


def test_every_row_of_the_conversations_can_be_learnt(config: Reading) -> None:
    rows = catalogue.read("tiny_dialogues")["train"]
    assert ReaderLearner(config, rows, []).dropped <= 2


def test_it_learns_several_types(config: Reading) -> None:
    rows = catalogue.read("tiny_dialogues")["train"][:9]
    learnt, _ = learner.train(config, rows, [])
    right = {row.answer_type for row, answer in zip(rows, learnt.solve(rows), strict=True) if answer.correct}
    assert len(right) >= 2


def test_only_a_pointer_reaches_words_outside_its_vocabulary(config: Reading) -> None:
    told = Problem(
        "p", "", "Who was it?", segments=("It was Quillon.",), answer="Quillon", answer_type="span"
    )
    rare = {"least_word_count": 5}
    rows = [catalogue.read("tiny_dialogues")["train"][0], told]
    for copy, dropped in ((True, False), (False, True)):
        made = ReaderLearner(config.with_settings({**rare, "copy": copy}), rows, [])
        assert (made.train.examples[1].labels is None) is dropped


def test_two_languages_are_trained_together_and_tested_apart(tmp_path: Path) -> None:
    small = [f"--set={word}" for word in ("epochs=1", "hidden=16", "embedding=8", "batch=32")]
    places = ["--results", str(tmp_path / "results"), "--runs", str(tmp_path / "runs")]
    assert main(["protocol", "sequence", "--data", "tiny_dialogues_zh+tiny_dialogues", *small, *places]) == 0
    cells = [protocol.read_cell(path) for path in sorted((tmp_path / "results").glob("*-on-*.json"))]
    assert [cell["test"] for cell in cells] == ["tiny_dialogues", "tiny_dialogues_zh"]
    assert all(cell["added_training_rows"] == 87 for cell in cells)
    # A model of one language is scored by type of answer and by turn.
    assert {"turn 01", "type yes/no"} <= cells[0]["measures"].keys()
