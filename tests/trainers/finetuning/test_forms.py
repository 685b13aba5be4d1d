"""What a model reads and is to write, and how what it has written is read."""

from __future__ import annotations

from fractions import Fraction

import pytest

from dnc_datasets.problem import Problem, Turn
from dnc_datasets.serving import catalogue
from dnc_trainers.finetuning.config import Finetuning
from dnc_trainers.finetuning.forms import asked, put, read

PENS = Problem(
    "1", "Ann has 1,200 pens in two boxes.", "How many pens are in 1 box?", equation="1,200/2", answer="600"
)


@pytest.mark.parametrize(
    ("settings", "first", "target"),
    [
        ({}, PENS.question, "1200 / 2"),
        ({"order": "body_question"}, PENS.body, "1200 / 2"),
        ({"target": "answer"}, PENS.question, "600"),
        ({"target": "equation_answer"}, PENS.question, "1200 / 2 = 600"),
        ({"numbers": "slots"}, "How many pens are in number2 box?", "number0 / number1"),
        ({"numbers": "slots", "target": "answer"}, "How many pens are in number2 box?", "600"),
    ],
)
def test_put(settings: dict[str, str], first: str, target: str) -> None:
    made = put(PENS, Finetuning(**settings))  # type: ignore[arg-type]
    assert (made.first, made.target) == (first, target)
    assert read(f" {target} ", Finetuning(**settings), made.values).value == 600  # type: ignore[arg-type]


def test_everything_that_a_reader_sees_is_read() -> None:
    problem = Problem(
        "1", "", "And in 2020?", table=(("year", "sales"), ("2020", "7")), segments=("A paragraph.",),
        history=(Turn("How many in 2019?", "5"),), answer="7",
    )  # fmt: skip
    made = put(problem, Finetuning(target="answer"))
    assert made.second == "A paragraph.\n| year | sales |\n| 2020 | 7 |\nHow many in 2019? 5"
    assert asked(made, Finetuning(target="answer")).endswith("7 |\nHow many in 2019? 5\nAnswer:")


def test_no_target() -> None:
    assert put(PENS.replace(equation=""), Finetuning()).target is None
    assert put(PENS.replace(answer=""), Finetuning(target="answer")).target is None


@pytest.mark.parametrize(
    ("text", "target", "equation", "value"),
    [
        ("7 + 2", "equation", "7 + 2", 9),
        ("7 + 2 = 10", "equation_answer", "7 + 2", 10),  # what it states is its answer
        ("7 + 2", "equation_answer", "7 + 2", None),
        ("7 / 0", "equation", "7 / 0", None),
        ("7 +", "equation", "", None),
        ("number0 + 1", "equation", "3 + 1", 4),
        ("number9 + 1", "equation", "", None),
        ("__import__('os')", "equation", "", None),
        ("1/3", "answer", "", Fraction(1, 3)),
        ("none", "answer", "", None),
        ("", "equation", "", None),
    ],
)
def test_read(text: str, target: str, equation: str, value: int | None) -> None:
    made = read(text, Finetuning(target=target), [Fraction(3)])
    assert (made.equation, made.value, made.likeliest) == (equation, value, value)


@pytest.mark.parametrize("numbers", ["text", "slots"])
@pytest.mark.parametrize("target", ["equation", "equation_answer"])
def test_gold_targets_of_the_corpus_read_as_their_problems(numbers: str, target: str) -> None:
    """Write, read, and be right: for every problem of the embedded corpus."""
    from dnc_trainers.solving import score

    config = Finetuning(numbers=numbers, target=target)
    for problem in catalogue.read("tiny")["test"]:
        made = put(problem, config)
        assert made.target
        answer = score(problem, read(made.target, config, made.values))
        assert answer.correct, problem.id
        assert answer.same_equation, problem.id
