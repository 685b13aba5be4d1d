"""The numbers of a problem weigh the hypotheses of a beam, as training problems have taught."""

from __future__ import annotations

import json
import math
from fractions import Fraction

import pytest
from hypothesis import given
from hypothesis import strategies as st

from dnc_datasets import expression
from dnc_trainers import choice
from dnc_trainers.choice import Calculation, Seen

whole = st.integers(min_value=1, max_value=5000)


def _calculation(text: str, *numbers: int | Fraction) -> Calculation:
    """A calculation over a, b, c..., which are the numbers of its problem."""
    tree = expression.parse(text, names=True)
    return Calculation(tree, {name: Fraction(number) for name, number in zip("abcd", numbers, strict=False)})


@pytest.mark.parametrize(
    ("left", "right", "kinds"),
    [
        (12, 3, ("size 2", "times 2", "divides")),
        (3, 12, ("size 2", "times 2", "divides")),
        (12, 5, ("size 2", "times 2", "does not divide")),
        (5, 5, ("size 2", "times 0", "divides")),
        (10, 5, ("size 2", "times 1", "divides")),  # a bound belongs to the kind below it
        (700, 1, ("size 0", "times 20", "by one")),
        (0, 4, ("size 0", "times 20", "by one")),
        (-8, 3, ("size 2", "times 2", "does not divide")),
        (Fraction(5, 2), 2, ("size 0", "times 1", "broken")),
        (1001, 1002, ("size 1000", "times 1", "does not divide")),
    ],
)
def test_kinds_of_operands(left: int, right: int, kinds: tuple[str, ...]) -> None:
    assert choice.operand_kinds(Fraction(left), Fraction(right)) == kinds


@given(whole, whole)
def test_the_order_of_operands_does_not_matter(left: int, right: int) -> None:
    a, b = Fraction(left), Fraction(right)
    assert choice.operand_kinds(a, b) == choice.operand_kinds(b, a) == choice.operand_kinds(-a, b)


def test_every_step_counts_with_the_values_of_its_operands() -> None:
    steps = set(_calculation("(a - b) * c + -(a / b)", 9, 3, 2).steps())
    assert steps == {("+", 12, -3), ("*", 6, 2), ("-", 9, 3), ("/", 9, 3)}


def test_what_training_problems_are_like_is_counted() -> None:
    seen = choice.count(
        [_calculation("a / b", 12, 3), _calculation("a * b - a", 5, 3), _calculation("a - b", 2, 3)]
    )
    assert seen.answers == {"at_least_one": (2, 1), "once": (2, 1), "positive": (2, 1)}
    assert seen.operands["any"] == {"*": 1, "-": 2, "/": 1}
    assert seen.operands["divides"] == {"-": 1, "/": 1}
    assert seen.operands["does not divide"] == {"*": 1, "-": 1}
    assert Seen.from_json(json.loads(json.dumps(seen.to_json()))) == seen


# Sums of numbers that do not divide each other, quotients of such that do, products with a small factor.
LIKE_SCHOOL = [
    *(_calculation("a + b", 41 + i, 30) for i in range(19)),
    *(_calculation("a / b", 12 * i, 4) for i in range(1, 20)),
    *(_calculation("a * b", 40 + i, 3) for i in range(19)),
]


@pytest.mark.parametrize(
    ("numbers", "order"),
    [
        ((24, 4), ("a / b", "a * b", "a + b")),  # divides, and the smaller one is small
        ((41, 4), ("a * b", "a / b", "a + b")),
        ((45, 31), ("a + b", "a * b", "a / b")),
    ],
)
def test_operators_go_with_the_numbers_that_they_had(
    numbers: tuple[int, int], order: tuple[str, ...]
) -> None:
    seen = choice.count(LIKE_SCHOOL)
    weights = [choice.weight(seen, _calculation(text, *numbers)) for text in order]
    assert weights == sorted(weights, reverse=True)


def test_a_kind_never_seen_and_an_operator_never_seen_say_nothing() -> None:
    only_sums = choice.count([_calculation("a + b", 41, 30)] * 9)
    sum_, power = (choice.weight(only_sums, _calculation(text, 2, 1)) for text in ("a + b", "a ^ b"))
    assert math.isclose(sum_, power)  # their answers are alike: 3 and 2


@given(st.lists(whole, min_size=2, max_size=2), st.sampled_from("+*"), st.sampled_from("+*"))
def test_without_training_problems_all_sound_hypotheses_weigh_the_same(
    numbers: list[int], one: str, other: str
) -> None:
    weights = [choice.weight(Seen(), _calculation(f"a {operator} b", *numbers)) for operator in (one, other)]
    assert weights[0] == weights[1]


@given(st.lists(st.tuples(whole, whole, st.sampled_from("+-*/")), max_size=20), whole, whole)
def test_weights_are_finite_whatever_was_seen(
    rows: list[tuple[int, int, str]], left: int, right: int
) -> None:
    seen = choice.count(_calculation(f"a {operator} b", a, b) for a, b, operator in rows)
    for operator in "+-*/":
        assert math.isfinite(choice.weight(seen, _calculation(f"a {operator} b", left, right)))
