"""Numbers become slots or digits, and decoded symbols become the same numbers again."""

from __future__ import annotations

import json
from fractions import Fraction
from pathlib import Path

import pytest

from dnc_datasets.problem import Problem, Turn
from dnc_datasets.serving import catalogue
from dnc_trainers import choice
from dnc_trainers.config import NUMBERS, TARGETS, Config
from dnc_trainers.representation import Representation, Vocabulary, read_text, slotted_prefix

CASES = json.loads((Path(__file__).parent / "representation_cases.json").read_text())


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
