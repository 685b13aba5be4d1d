"""Numbers become slots or digits, and decoded symbols become the same numbers again."""

from __future__ import annotations

import json
import math
from fractions import Fraction
from typing import Any

import pytest
import torch
from hypothesis import given
from hypothesis import strategies as st

from dnc_datasets import expression
from dnc_datasets.problem import Problem, Turn
from dnc_datasets.serving import catalogue
from dnc_trainers import choice
from dnc_trainers.choice import Calculation, Seen
from dnc_trainers.config import NUMBERS, TARGETS, Config
from dnc_trainers.graphs import GRAPHS, word_graphs, word_groups
from dnc_trainers.representation import Representation, Text, Vocabulary, read_text, slotted_prefix, stem

CASES: list[dict[str, Any]] = [
    {
        "body": "Ann has twelve pens and 3 caps.",
        "question": "How many things?",
        "equation": "12 + 3",
        "tokens": "ann has number0 pens and number1 caps . how many things ?",
        "symbols": "+ number0 number1",
    },
    {
        "body": "Two boys share $1,050.50.",
        "question": "How much does each get?",
        "equation": "1050.5 / 2",
        "tokens": "number0 boys share $ number1 . how much does each get ?",
        "symbols": "/ number1 number0",
    },
    {
        "body": "There are 5 cats and 5 dogs.",
        "question": "How many legs?",
        "equation": "(5 + 5) * 4",
        "tokens": "there are number0 cats and number1 dogs . how many legs ?",
        "symbols": "* + number0 number1 4",
    },
    {
        "body": "A line is 7.3 meters long.",
        "question": "How long are two of it, less 1 meter?",
        "equation": "7.3 * 2 - 1",
        "tokens": "a line is number0 meters long . how long are number1 of it , less number2 meter ?",
        "symbols": "- * number0 number1 number2",
    },
    {
        "body": "One day the third team ran 3 laps.",
        "question": "How many does it run in 2 days?",
        "equation": "3 * 2",
        "tokens": "one day the third team ran number0 laps . how many does it run in number1 days ?",
        "symbols": "* number0 number1",
    },
]
whole = st.integers(min_value=1, max_value=5000)


@pytest.mark.parametrize("case", CASES, ids=[case["equation"] for case in CASES])
def test_cases(case: dict[str, str]) -> None:
    problem = Problem("1", case["body"], case["question"], equation=case["equation"])
    text = read_text(problem, "replacement")
    assert " ".join(text.tokens) == case["tokens"]
    assert " ".join(slotted_prefix(case["equation"], text.values)) == case["symbols"]
    assert [text.tokens[at] for at in text.positions] == [f"number{i}" for i in range(len(text.values))]


def test_of_a_conversation_passage_and_turns_come_before_the_question() -> None:
    asked = Problem("c", "", "And 3 more?", segments=("Ola has 7 nets.",), history=(Turn("How many?", "7"),))
    text = read_text(asked, "replacement")
    assert " ".join(text.tokens) == "ola has number0 nets . how many ? number1 and number2 more ?"
    assert text.values == (7, 7, 3)


def test_tokenization_keeps_digits() -> None:
    text = read_text(Problem("1", "Ann has 12.5 kg and two bags.", "How much?"), "tokenization")
    assert text.tokens[:8] == ("ann", "has", "1", "2", ".", "5", "kg", "and")
    assert text.tokens[8] == "two"
    assert text.values == (Fraction(25, 2), Fraction(2))


@pytest.mark.parametrize("numbers", NUMBERS)
@pytest.mark.parametrize("target", TARGETS)
def test_targets_read_back_as_the_answer(numbers: str, target: str) -> None:
    problems = catalogue.read("tiny")["test"]
    represent = Representation.of(Config(numbers=numbers, target=target, least_constant_count=1), problems)
    written = 0
    for example in represent.examples(problems):
        if example.target is None:
            continue
        written += 1
        read = represent.read_symbols(example.target, example.text.values)
        assert read.value == example.problem.value()
        if target != "answer":
            assert read.equation
    assert written > 0.9 * len(problems)


def test_operand_that_the_text_does_not_show_has_no_target(problems: list[Problem]) -> None:
    represent = Representation.of(Config(), problems)
    assert represent.example(problems[0].replace(equation="40 + 999")).target is None
    assert represent.example(problems[0].replace(equation="")).target is None


def test_constants_are_those_that_are_frequent(problems: list[Problem]) -> None:
    rows = [p.replace(equation=f"{p.equation} * 7") if i < 5 else p for i, p in enumerate(problems)]
    assert Representation.of(Config(), rows).vocabulary.constants == ("7",)
    assert Representation.of(Config(least_constant_count=6), rows).vocabulary.constants == ()


def test_impossible_symbols_have_no_value(problems: list[Problem]) -> None:
    represent = Representation.of(Config(), problems)
    divide, first = represent.symbols.index("/"), represent.vocabulary.first_slot
    assert represent.read_symbols([divide, first, first], [Fraction(0)]).value is None
    assert represent.read_symbols([divide, first], [Fraction(1)]).value is None
    assert represent.read_symbols([first + 3], [Fraction(1)]).value is None


def test_vocabulary_through_json(problems: list[Problem]) -> None:
    vocabulary = Representation.of(Config(), problems).vocabulary
    assert Vocabulary.from_json(json.loads(json.dumps(vocabulary.to_json()))) == vocabulary


# As in ASDiv-a: answers are positive and at least one, and quotients are whole.
SEEN = choice.Seen(
    {"positive": (1000, 0), "once": (1000, 0), "at_least_one": (980, 0)},
    {
        "any": {"+": 400, "-": 400, "/": 200},
        "divides": {"+": 40, "-": 40, "/": 190},
        "does not divide": {"+": 360, "-": 360, "/": 5},
    },
)


@pytest.mark.parametrize(
    ("hypotheses", "values", "chosen"),
    [
        (["- number0 number1", "- number1 number0"], (3, 8), "8 - 3"),  # less than nothing
        (["/ number0 number1", "/ number1 number0"], (3, 12), "12 / 3"),  # less than one thing
        (["/ number1 number0", "- number1 number0"], (3, 8), "8 - 3"),  # not whole
        (["- number1 number0", "/ number1 number0"], (4, 8), "8 / 4"),  # whole, as quotients are
        (["/ number0 number1", "/ number1 number0"], (Fraction(1, 2), 12), "0.5 / 12"),  # halves may be
        (["+ number0 number0", "+ number0 number1"], (3, 8), "3 + 8"),  # a number twice
        (["- number0 number1", "- number0 number1"], (3, 8), "3 - 8"),  # nothing better: the likeliest
        (["+ number0 number1", "* number0 number1"], (3, 8), "3 + 8"),
        (["+ number0 number1", "+ number0 number1"], (3,), ""),  # a number that the text does not have
    ],
)
def test_equations_that_fit_the_numbers_are_preferred(
    hypotheses: list[str], values: tuple[Fraction, ...], chosen: str
) -> None:
    vocabulary = Vocabulary(("<pad>", "<unk>"), (), False, SEEN)
    ids = [[vocabulary.symbols.index(symbol) for symbol in text.split()] for text in hypotheses]
    numbers = [Fraction(value) for value in values]
    represent = Representation(Config(choice="plausible"), vocabulary)
    beam = [(ids[0], -0.5), (ids[1], -1.0)]
    assert represent.choose(beam, numbers).equation == chosen
    first = represent.read_symbols(ids[0], numbers)
    assert represent.choose(beam, numbers).likeliest == first.value
    # Where the model is sure, it is believed.
    assert represent.choose([(ids[0], 0.0), (ids[1], -99.0)], numbers).equation == first.equation
    likeliest = Representation(Config(), vocabulary).choose(beam, numbers)
    assert (likeliest.equation, likeliest.value) == (first.equation, first.value)


def test_what_problems_are_like_is_learnt_from_the_training_problems() -> None:
    once = Problem("1", "Ann has 5 pens and 2 caps.", "How many?", equation="5 + 2")
    twice = Problem("2", "Ann has 5 pens in each of 3 boxes.", "How many more?", equation="5 * 3 - 5")
    parts = Problem("3", "7 litres go into 4 jars.", "How many each?", equation="7 / 4")
    halves = Problem("4", "Ann has 2.5 litres and drinks 3.", "How many are left?", equation="2.5 - 3")
    seen = Representation.of(Config(), [once, twice, parts, halves]).vocabulary.seen
    assert seen.answers == {"positive": (3, 1), "once": (3, 1), "at_least_one": (3, 0)}
    assert seen.operands["any"] == {"*": 1, "+": 1, "-": 2, "/": 1}
    assert seen.operands["broken"] == {"-": 1}


def test_a_number_is_used_twice_only_where_training_equations_do() -> None:
    once = Problem("1", "Ann has 5 pens and 2 caps.", "How many?", equation="5 + 2")
    twice = Problem("2", "Ann has 5 pens and buys as many again.", "How many?", equation="5 + 5")
    for problems, chosen in (([once] * 9, "3 + 8"), ([once, twice] * 9, "3 + 3")):
        represent = Representation.of(Config(choice="plausible"), problems)
        symbols = represent.vocabulary.symbols
        ids = [[symbols.index(s) for s in ("+", "number0", other)] for other in ("number0", "number1")]
        beam = [(ids[0], -0.5), (ids[1], -1.0)]
        assert represent.choose(beam, [Fraction(3), Fraction(8)]).equation == chosen


@pytest.mark.parametrize(
    "forms",
    [
        ("marble", "marbles"),
        ("share", "shares", "shared", "sharing"),
        ("box", "boxes", "boxed"),
        ("berry", "berries"),
        ("stop", "stops", "stopped", "stopping"),
        ("class", "classes"),
        ("fill", "fills", "filled"),
        ("number0",),
        ("$",),
    ],
)
def test_forms_of_a_word_have_one_stem(forms: tuple[str, ...]) -> None:
    assert len({stem(form) for form in forms}) == 1


@pytest.mark.parametrize(
    ("one", "other"), [("has", "had"), ("glass", "glad"), ("number1", "number2"), ("is", "it")]
)
def test_words_stay_apart(one: str, other: str) -> None:
    assert stem(one) != stem(other)


def text(words: str, *values: int) -> Text:
    tokens = tuple(words.split())
    places = tuple(at for at, token in enumerate(tokens) if token.startswith("number"))
    return Text(tokens, places, tuple(map(Fraction, values)))


def edges(graph: torch.Tensor) -> set[tuple[int, int]]:
    """The edges of a graph but those from a token to itself."""
    return {(int(i), int(j)) for i, j in graph.nonzero() if i != j}


def test_greater_leads_from_larger_to_smaller_numbers() -> None:
    greater, _ = word_graphs(text("ann has number0 pens and number1 cups", 3, 8))
    assert edges(greater) == {(5, 2)}


def test_greater_joins_equal_numbers_both_ways() -> None:
    greater, _ = word_graphs(text("ann has number0 pens and number1 cups", 3, 3))
    assert edges(greater) == {(2, 5), (5, 2)}


def test_attribute_joins_a_number_with_its_words_and_words_of_one_stem() -> None:
    words = text("ann has number0 pens . how many pens are left ?", 3)
    assert word_groups(words) == [[1, 3]]
    _, attribute = word_graphs(words)
    # "pens" after the number, and "pens", "are", "left" at the end of the question.
    assert edges(attribute) == {(2, 1), (1, 2), (2, 3), (3, 2), (3, 7), (7, 3)}


def test_a_rate_word_may_stand_further_off() -> None:
    assert word_groups(text("number0 pens in the box each", 3)) == [[1, 5]]


def test_every_token_has_an_edge_to_itself_and_edges_count_one() -> None:
    graphs = word_graphs(text("number0 pens and number1 pens and number2 cups", 3, 8, 5))
    assert graphs.shape == (GRAPHS, 8, 8)
    assert set(graphs.unique().tolist()) == {0.0, 1.0}
    assert all(bool((graph.diagonal() == 1).all()) for graph in graphs)


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
