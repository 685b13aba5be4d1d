"""The sequence baselines answer every type of a conversation by one decoder."""

from __future__ import annotations

from fractions import Fraction
from pathlib import Path

import pytest

from dnc_datasets.cli import main
from dnc_datasets.problem import Problem, to_row
from dnc_datasets.serving import catalogue
from dnc_metrics import replies
from dnc_trainers import readers, results
from dnc_trainers.readers import learner, reasoning
from dnc_trainers.readers.learner import ReaderLearner
from dnc_trainers.readers.replies import Reading, Reply, score


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


def test_the_graph_is_written_after_the_answer_and_read_back(config: Reading) -> None:
    rows = [row for row in catalogue.read("tiny_dialogues")["train"][:20] if reasoning.gold_edges(row)]
    learnt = ReaderLearner(config.with_settings({"graph": True}), rows, [])
    read = [
        learnt.reader._reply(example, list(example.labels))
        for example in learnt.train.examples
        if example.labels is not None
    ]
    known = [example.problem for example in learnt.train.examples if example.labels is not None]
    assert len(known) > 10
    scored = [score(problem, reply) for problem, reply in zip(known, read, strict=True)]
    assert all(one.correct for one in scored)
    measures = learnt.measures(known, scored)
    assert measures["GEM"] == measures["DAGsim"] == 1.0
    assert measures["lexical overlap: GEM"] < 1.0
    plain = ReaderLearner(config, rows[:2], [])
    assert "GEM" not in plain.measures(rows[:2], plain.solve(rows[:2]))


def test_only_a_pointer_reaches_words_outside_its_vocabulary(config: Reading) -> None:
    stated = Problem(
        "p", "", "Who was it?", segments=("It was Quillon.",), answer="Quillon", answer_type="span"
    )
    rare = {"least_word_count": 5}
    rows = [catalogue.read("tiny_dialogues")["train"][0], stated]
    for copy, dropped in ((True, False), (False, True)):
        made = ReaderLearner(config.with_settings({**rare, "copy": copy}), rows, [])
        assert (made.train.examples[1].labels is None) is dropped


def test_two_languages_are_trained_together_and_tested_apart(tmp_path: Path) -> None:
    small = [f"--set={word}" for word in ("epochs=1", "hidden=16", "embedding=8", "batch=32")]
    places = ["--results", str(tmp_path / "results"), "--runs", str(tmp_path / "runs")]
    words = ["research", "protocol", "sequence", "--data", "tiny_dialogues_zh+tiny_dialogues"]
    assert main([*words, *small, *places]) == 0
    zh, en = results.load_folder(tmp_path / "results")
    assert (zh.test, en.test) == ("tiny_dialogues_zh", "tiny_dialogues")
    assert zh.training.added_rows == 87
    # A model of one language is scored by type of answer and by turn.
    assert {"turn 01", "type yes/no"} <= en.cell.measures.keys()


_ASKED = Problem("r", "", "How many?", segments=("Amy has 12 pens.",))


@pytest.mark.parametrize(
    ("changes", "words", "right"),
    [
        ({"answer": "unknown", "answer_type": "unanswerable"}, "unsure", True),
        ({"answer": "不确定", "answer_type": "unanswerable"}, "unknown", True),
        ({"answer": "unknown", "answer_type": "unanswerable"}, "12 pens", False),
        ({"answer": "yes", "answer_type": "yes_no"}, "unsure", False),
        ({"answer": "12", "equation": "12"}, "12", True),
        ({"answer": "Amy", "answers": ("Amy", "Ann"), "answer_type": "span"}, "Ann", True),
        ({"answer": "Amy, Ann", "answers": ("Amy", "Ann"), "answer_type": "multi-span"}, "Ann", False),
        ({"answer": "Amy, Ann", "answers": ("Amy", "Ann"), "answer_type": "multi-span"}, "Ann, Amy", True),
    ],
)
def test_words_count_as_they_do_for_dnc_score(changes: dict[str, object], words: str, right: bool) -> None:
    problem = _ASKED.replace(**changes)
    reply = Reply(words=tuple(words.split(", ")))
    assert score(problem, reply).correct is right
    assert replies.score(to_row(problem), reply.text).lenient is right


def test_a_value_is_right_before_the_source_rounds_it() -> None:
    # 4.125 is shown as 4.12, rounded half to even.
    problem = _ASKED.replace(equation="(3.52 + 4.73) / 2", answer="4.12")
    assert score(problem, Reply("(3.52 + 4.73) / 2", Fraction(33, 8))).correct
    assert not score(problem, Reply("3.52 + 4.73", Fraction(33, 4))).correct
    assert not score(problem, Reply()).correct
