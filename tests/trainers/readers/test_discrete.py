"""The discrete reader: its derivations, and learning on embedded passages and conversations."""

from __future__ import annotations

from fractions import Fraction
from pathlib import Path

import pytest
import torch

from dnc_datasets.problem import Problem
from dnc_datasets.serving import catalogue
from dnc_trainers import load_solver, readers
from dnc_trainers.readers import learner, texts
from dnc_trainers.readers.discrete import Labels, _terms
from dnc_trainers.readers.learner import ReaderLearner
from dnc_trainers.readers.replies import Reading

_BODY = "The Gulls won 20 to 13. Ann Lee ran 52 yards, Bob Ray 41 yards."


@pytest.fixture(scope="module")
def config() -> Reading:
    small = {"hidden": 32, "embedding": 24, "epochs": 50, "batch": 2, "lr": 5e-3, "dropout": 0}
    return readers.default_config("discrete").with_settings({**small, "least_word_count": 1})


def _labels(config: Reading, **fields: object) -> Labels | None:
    problem = Problem("p", _BODY, "How many?", **fields)  # type: ignore[arg-type]
    labels: Labels | None = ReaderLearner(config, [problem], []).reader.example(problem).labels
    return labels


def test_an_equation_is_signs_of_numbers(config: Reading) -> None:
    made = _labels(config, equation="52 - 41", answer="11")
    assert made == Labels(sums=(((2, 1), (3, -1)),))
    made = _labels(config, equation="20 - (13 - 41)", answer="48")
    assert made == Labels(sums=(((0, 1), (1, -1), (3, 1)),))
    # What is no signed sum of the text's numbers, it cannot say.
    assert _labels(config, equation="20 * 13", answer="260") is None
    assert _labels(config, equation="20 - 7", answer="13") is None


def test_an_answer_alone_has_every_derivation(config: Reading) -> None:
    made = _labels(config, answer="7")
    assert made == Labels(sums=(((0, 1), (1, -1)),), count=7)
    made = _labels(config, answer="33")
    assert made is not None
    assert ((0, 1), (1, 1)) in made.sums
    assert made.count == -1
    assert _labels(config, answer="1234") is None


def test_spans_and_closed_answers(config: Reading) -> None:
    made = _labels(config, answer="Ann Lee", answer_type="span")
    assert made is not None
    assert len(made.spans) == 1
    made = _labels(config, answer="", answers=("Ann Lee", "Bob Ray"), answer_type="multi-span")
    assert made is not None
    assert len(made.runs) == 2
    assert _labels(config, answer="yes", answer_type="yes_no") == Labels(closed=0)
    assert _labels(config, answer="nobody at all", answer_type="span") is None


def test_chinese_is_read_by_characters() -> None:
    words = texts.words("小华有12本书。", "body")
    assert [word.text for word in words] == ["小", "华", "有", "12", "本", "书", "。"]
    assert words[3].value == Fraction(12)


@pytest.mark.parametrize("switches", [{"number_graph": True}, {"tags": True}])
def test_it_learns_what_it_has_seen(config: Reading, switches: dict[str, bool], tmp_path: Path) -> None:
    rows = [*catalogue.read("tiny_passages")["train"][:4], *catalogue.read("tiny_dialogues")["train"][:14]]
    every = ReaderLearner(config, rows, [])
    rows = [
        row for row, example in zip(rows, every.train.examples, strict=True) if example.labels is not None
    ][:8]
    assert {row.answer_type for row in rows} >= {"number", "span"}
    learnt, _ = learner.train(config.with_settings(switches), rows, [], folder=tmp_path)
    answers = learnt.solve(rows)
    assert sum(answer.correct for answer in answers) >= len(rows) - 1
    assert [reply.text for reply in load_solver(tmp_path).answers(rows)] == [
        answer.text for answer in answers
    ]
    # A text alone is read as a question.
    assert load_solver(tmp_path).answers([_BODY + " How many yards did Ann run?"])


def test_the_number_graph_sees_which_is_greater(config: Reading) -> None:
    problem = Problem("p", _BODY, "How many?", equation="52 - 41", answer="11")
    made = ReaderLearner(config.with_settings({"number_graph": True}), [problem], [])
    batch = made.reader.collate(made.train.examples)
    assert batch.extra["greater"][0, 2, 3] == 1
    assert batch.extra["greater"][0, 3, 2] == 0
    before = made.reader._read(batch)["sign"]  # type: ignore[operator]
    batch.extra["greater"] = batch.extra["greater"].transpose(1, 2)
    assert not before.equal(made.reader._read(batch)["sign"])  # type: ignore[operator]


def test_what_does_not_fit_is_counted(config: Reading) -> None:
    problem = Problem("p", _BODY * 4, "How many?", equation="52 - 41", answer="11")
    made = ReaderLearner(config.with_settings({"length": 24}), [problem], [])
    assert made.unread([problem]) == 1
    assert len(made.train.examples[0].ids) <= 24


def test_a_sum_has_as_many_terms_as_are_said() -> None:
    # Log-likelihoods of no sign, plus and minus: no number is likely to have one.
    sign = torch.tensor([[-0.1, -3.0, -4.0], [-0.1, -5.0, -2.5], [-0.1, -6.0, -6.5]])
    assert _terms(sign) == [(0, 1)]
    assert _terms(sign, 2) == [(0, 1), (1, -1)]
    assert _terms(sign[1:], 1) == [(0, 1)]  # something is added in every sum


def test_words_near_those_of_the_question_are_shown() -> None:
    text = "Ann has 5 red pens. Bob has 7 blue cups in 1998."
    shown = texts.features("How many blue cups?", texts.words(text, "body"))
    by_word = dict(zip([word.text for word in texts.words(text, "body")], shown, strict=True))
    assert by_word["7"][1] == by_word["7"][2] == 1.0
    assert by_word["5"][1] == by_word["5"][3] == 0.0
    assert by_word["1998"][5] == 1.0
