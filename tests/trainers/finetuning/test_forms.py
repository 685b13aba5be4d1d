"""The texts that a model reads and writes, and the grammar that constrains them."""

from __future__ import annotations

from fractions import Fraction

import pytest
from hypothesis import given
from hypothesis import strategies as st

from dnc_datasets import expression
from dnc_datasets.errors import ExpressionError
from dnc_datasets.problem import Problem, Turn
from dnc_datasets.serving import catalogue
from dnc_trainers.finetuning.config import Finetuning
from dnc_trainers.finetuning.constraint import Grammar
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


_TEXTS = st.text(alphabet="0123456789.+-*/()= number", max_size=14)


@given(_TEXTS, st.sampled_from(["equation", "equation_answer"]), st.integers(0, 3))
def test_what_ends_parses(text: str, target: str, slots: int) -> None:
    grammar = Grammar(target, slots)
    if grammar.ends(grammar.after(grammar.start(), text)):
        made = read(text, Finetuning(target=target), [Fraction(i + 2) for i in range(slots)])
        assert made.equation
        try:
            expression.parse(made.equation).value()
        except ExpressionError as error:
            assert "zero" in str(error) or "large" in str(error) or "power" in str(error)  # noqa: PT017


_LEAVES = st.one_of(
    st.integers(0, 9999).map(str),
    st.decimals(0, 99, places=2).map(str),
    st.sampled_from(["number0", "number1"]),
)
_TREES = st.recursive(
    _LEAVES,
    lambda inner: st.tuples(inner, st.sampled_from("+-*/"), inner).map(lambda t: f"({t[0]} {t[1]} {t[2]})"),
    max_leaves=6,
)


@given(_TREES)
def test_every_expression_may_be_written(text: str) -> None:
    grammar = Grammar("equation", 2)
    shown = expression.parse(text, names=True).infix()
    assert grammar.ends(grammar.after(grammar.start(), shown)), shown
    with_answer = Grammar("equation_answer", 2)
    assert with_answer.ends(with_answer.after(with_answer.start(), f"{shown} = 12.5")), shown


@given(_TREES, st.integers(0, 40))
def test_the_cost_is_that_of_a_shortest_end(text: str, at: int) -> None:
    """Following one cheaper state after another ends the text in as many characters as the cost says."""
    grammar = Grammar("equation", 2)
    state = grammar.after(grammar.start(), expression.parse(text, names=True).infix()[:at])
    assert state is not None
    left = grammar.cost(state)
    for _ in range(left):
        choices = (grammar.after(state, character) for character in "1)number0")
        state = min((one for one in choices if one is not None), key=grammar.cost)
    assert grammar.ends(state)
    assert left == 0 or not grammar.ends(grammar.after(grammar.start(), text[:0]))


@pytest.mark.parametrize(
    ("target", "text"),
    [
        ("equation", "7 + "), ("equation", "7 2"), ("equation", "(7"), ("equation", "7)"), ("equation", "7..2"),
        ("equation", "7 + 2 = 9"), ("equation", "number2"), ("equation", "  7"), ("equation", "7 + -2"),
        ("equation", ""), ("equation_answer", "7 + 2"), ("equation_answer", "7 + 2 ="),
        ("equation_answer", "7 + 2 = 9 + 1"), ("answer", "7 + 2"), ("answer", "(7)"), ("answer", "number0"),
    ],
)  # fmt: skip
def test_what_may_not_be(target: str, text: str) -> None:
    grammar = Grammar(target, 2)
    assert not grammar.ends(grammar.after(grammar.start(), text))


@pytest.mark.parametrize("text", ["7", "-7", "7.25", "1/3", "-1/3", "1 / 3"])
def test_answers(text: str) -> None:
    grammar = Grammar("answer", 0)
    assert grammar.ends(grammar.after(grammar.start(), text))
