"""Whatever the grammar lets through can be read; whatever is a target may be written."""

from __future__ import annotations

from fractions import Fraction

import pytest
from hypothesis import given
from hypothesis import strategies as st

from dnc_datasets import expression
from dnc_datasets.errors import ExpressionError
from dnc_trainers.finetuning.config import Finetuning
from dnc_trainers.finetuning.constraint import Grammar
from dnc_trainers.finetuning.forms import read

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
