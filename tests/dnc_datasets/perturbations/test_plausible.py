"""Plausible numbers for stories: what each number represents, and rows that make as much sense as before."""

from __future__ import annotations

import json
from fractions import Fraction
from itertools import pairwise
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as some
from hypothesis import strategies as st

from dnc_datasets import expression, numerals, perturbations
from dnc_datasets.certificate import certify
from dnc_datasets.draws import Draw
from dnc_datasets.expression import Number
from dnc_datasets.perturbations.numbers import plausible_values, value_bounds
from dnc_datasets.perturbations.numbers.calculations import Calculation, whole
from dnc_datasets.perturbations.numbers.operands import movable
from dnc_datasets.perturbations.numbers.value_bounds import bounds_of
from dnc_datasets.perturbations.numbers.value_search import Range
from dnc_datasets.problem import TEXT_FIELDS, Problem
from dnc_datasets.serving import catalogue

NAMES = ("noise_plausible", "distribution_plausible")
CASES = json.loads((Path(__file__).parent / "bounds_cases.json").read_text(encoding="utf-8"))


@pytest.mark.parametrize("case", CASES, ids=lambda case: case["text"])
def test_sense(case: dict[str, Any]) -> None:
    (quantity,) = (one for one in numerals.find(case["text"]) if one.text == case["number"])
    found = bounds_of(case["text"], quantity)
    assert found.is_fixed == case.get("fixed", False)
    if not found.is_fixed:
        assert (found.sort, found.scales) == (case["sort"], case["scales"])
        assert found.high == case.get("most")
        assert found.soft == case.get("soft", found.soft)


def problem(body: str, equation: str, question: str = "How many are there?") -> Problem:
    answer = expression.canonical(expression.parse(equation).value())
    return Problem("1", body, question, equation=equation, answer=answer)


def changed(given_: Problem, name: str, seed: int = 0) -> Problem | None:
    step = perturbations.get(name)
    made = step.apply(given_, Draw(seed, "d", given_.id, name))
    if made is not None:
        certify(given_, made, step)
    return made


@pytest.mark.parametrize("name", NAMES)
@pytest.mark.parametrize("seed", range(5))
def test_subtraction_stays_positive_and_division_exact(name: str, seed: int) -> None:
    story = problem("A shop has 36 plates. 12 plates broke. The rest fill 8 boxes evenly.", "(36 - 12) / 8")
    made = changed(story, name, seed)
    assert made is not None
    assert Fraction(made.answer) > 0
    assert Fraction(made.answer).denominator == 1


def test_noise_stays_within_half_and_distribution_leaves_it() -> None:
    story = problem("A farm has 40 cows and 30 hens.", "40 + 30")
    near, far = changed(story, "noise_plausible"), changed(story, "distribution_plausible")
    assert near is not None
    assert far is not None
    assert all(2 * abs(new - old) <= old for old, new in zip(story.values(), near.values(), strict=True))
    assert any(
        new >= 2 * old and len(str(new)) > len(str(old))
        for old, new in zip(story.values(), far.values(), strict=True)
    )


def test_decimals_come_only_where_something_is_measured_and_asked_for() -> None:
    measured = problem("He drove 40 miles and then 30 miles.", "40 + 30", "How many miles did he drive?")
    counted = problem("He sold 40 pens and then 30 pens.", "40 + 30", "How many pens did he sell?")
    seeds = range(8)
    values = {v for seed in seeds if (m := changed(measured, "noise_plausible", seed)) for v in m.values()}
    assert any(value.denominator > 1 for value in values)
    values = {v for seed in seeds if (m := changed(counted, "noise_plausible", seed)) for v in m.values()}
    assert values
    assert all(value.denominator == 1 for value in values)


@pytest.mark.parametrize("name", NAMES)
@pytest.mark.parametrize(
    "body",
    [
        "Bo has 5 pens and 5 cups.",  # ambiguous
        "Each cow has 4 legs.",  # nobody changes that
    ],
)
def test_silence(name: str, body: str) -> None:
    first = str(numerals.find(body)[0].value)
    assert changed(problem(body, f"{first} * 3 - {first}"), name) is None


@pytest.mark.parametrize("name", NAMES)
def test_ranks_keep_all_numbers(name: str) -> None:
    stated = "has 12 wins and 4 ties."
    assert changed(problem(f"The second-place team {stated}", "12 + 4"), name) is None
    assert changed(problem(f"The second team {stated}", "12 + 4"), name) is not None


@pytest.mark.parametrize("name", NAMES)
def test_a_small_number_that_also_divides_stays(name: str) -> None:
    body = "Amy and Ben use 30 packs of their own and 2 packs of Eve, of 60 nuts each, and share them evenly."
    made = changed(problem(body, "(30 + 2) * 60 / 2"), name)
    assert made is not None
    assert "and 2 packs" in made.body
    made = changed(problem(body, "(30 + 2) * 60"), "noise_plausible")
    assert made is not None
    assert "and 2 packs" not in made.body


@pytest.mark.parametrize("name", NAMES)
def test_what_the_others_leave_keeps_them_all_in_place(name: str) -> None:
    story = problem("A club has 30 boys. 17 boys ride, and the remaining 13 boys swim.", "30 - 17 + 13")
    assert changed(story, name) is None
    assert changed(problem("A club has 30 boys. 17 boys ride, and 12 girls swim.", "30 - 17 + 12"), name)


@pytest.mark.parametrize("name", NAMES)
def test_a_part_of_a_fraction_stays(name: str) -> None:
    made = changed(
        problem("Bo cut 60 logs. Al took 3 logs, and Cy 1/3 of what was left.", "(60 - 3) / 3"), name
    )
    assert made is not None
    assert "3 logs" in made.body
    assert made.equation.endswith("/ 3")


@pytest.mark.parametrize("seed", range(4))
@pytest.mark.parametrize("name", NAMES)
def test_what_is_given_away_stays_below_what_there_was(name: str, seed: int) -> None:
    story = problem(
        "Bo had 65 cards. He gave 20 cards to Al and 30 cards to Cy.", "20 + 30", "How many cards are gone?"
    )
    made = changed(story, name, seed)
    assert made is None or int(made.answer) < 65


@pytest.mark.parametrize("name", NAMES)
def test_a_number_that_a_product_has_twice_stays(name: str) -> None:
    story = problem("Ana rides 60 miles both ways, twice a day, for 4 weeks.", "60 * 4 * 5 * 4")
    made = changed(story.replace(body="Ana rides 60 roads on 5 days for 4 weeks."), name)
    assert made is None or "4 weeks" in made.body


@pytest.mark.parametrize("name", NAMES)
@pytest.mark.parametrize(
    "body", ["Bo pays 80 coins, 50% off.", "A nest has 8 eggs. 3 hatch, and each of the rest is sold."]
)
def test_what_the_equation_may_mean_otherwise_stays(name: str, body: str) -> None:
    equation = "80 * 50 / 100" if "%" in body else "9 / (8 - 3) + 9 / (8 - 3)"
    made = changed(problem(body, equation), name)
    assert made is None or "50%" in made.body


@pytest.mark.parametrize("seed", range(4))
@pytest.mark.parametrize("name", NAMES)
def test_what_is_lacking_stays_little(name: str, seed: int) -> None:
    made = changed(
        problem("A car costs $14600. Bo saved $14500.", "14600 - 14500", "How much is lacking?"), name, seed
    )
    assert made is None or Fraction(made.answer) <= 1200


def test_what_stays_is_written_as_it_was() -> None:
    made = changed(
        problem("Bo laid 40 slabs of .5 feet over 60 days.", "40 * .5 + 60"), "distribution_plausible"
    )
    assert made is not None
    assert " .5 feet" in made.body


@pytest.mark.parametrize("seed", range(4))
def test_a_price_with_one_decimal_keeps_it(seed: int) -> None:
    made = changed(problem("Bo bought 40 pens for $1.5 a piece.", "40 * 1.5"), "noise_plausible", seed)
    assert made is None or "$2.0" not in made.body


def test_what_cannot_be_found_is_given_up() -> None:
    # 7 * 11 * 13 leave nothing to divide evenly by any other whole number but these and 1.
    story = problem("1001 pens are packed into 77 boxes of 13 pens by 3 people.", "1001 / 77 / 13 * 97 / 97")
    for seed in range(3):
        changed(story, "noise_plausible", seed)  # it ends, and certifies whatever it finds


@st.composite
def stories(draw: st.DrawFn) -> Problem:
    values = draw(st.lists(st.integers(2, 900), min_size=2, max_size=4, unique=True))
    operators = [draw(st.sampled_from("+-*/")) for _ in values[1:]]
    parts = [f"Person{at} has {value} cups." for at, value in enumerate(values)]
    equation = str(values[0])
    for operator, value in zip(operators, values[1:], strict=True):
        equation = f"({equation}) {operator} {value}"
    return problem(" ".join(parts), equation)


@settings(deadline=None)
@given(stories(), st.sampled_from(NAMES), st.integers(0, 9))
def test_promises_hold_and_seeds_repeat(story: Problem, name: str, seed: int) -> None:
    made = changed(story, name, seed)
    assert made == changed(story, name, seed)
    if made is None:
        return
    old, new = Fraction(story.answer), Fraction(made.answer)
    assert ((old > 0) - (old < 0)) == ((new > 0) - (new < 0))
    assert old.denominator > 1 or new.denominator == 1
    used = [leaf.number for leaf in expression.parse(made.equation).leaves() if isinstance(leaf, Number)]
    assert set(used) <= set(made.values())


@pytest.mark.parametrize("name", NAMES)
def test_conversations(name: str) -> None:
    step = perturbations.get(name, "dialogue")
    made = 0
    for row in catalogue.read("tiny_dialogues")["train"]:
        perturbed = step.apply(row, Draw(0, "tiny_dialogues", row.id, name))
        if perturbed is None:
            continue
        made += 1
        certify(row, perturbed, step)
        for turn, stated in zip(row.history, perturbed.history, strict=True):
            was, now = numerals.parse(turn.answer), numerals.parse(stated.answer)
            assert was is None or now is None or ((was > 0) == (now > 0) and "/" not in stated.answer)
    assert made >= 20


def test_answers_of_a_conversation_are_said_in_decimals() -> None:
    spoken = [
        numerals.said(value)
        for value in (Fraction(48000, 1601), Fraction(1, 8), Fraction(-7, 3), Fraction(9))
    ]
    assert spoken == ["29.98", "0.125", "-2.33", "9"]


EQUATION = "(a - b) / c + 100 * a - 5% * (-b)".replace("a", "7").replace("b", "11").replace("c", "13")
PLACES = {Fraction(7): 0, Fraction(11): 1, Fraction(13): 2}
NUMBERS = some.fractions(min_value=-50, max_value=50, max_denominator=20)


@given(some.tuples(NUMBERS, NUMBERS, NUMBERS))
def test_the_value_is_the_equations(values: tuple[Fraction, Fraction, Fraction]) -> None:
    tree = expression.parse(EQUATION)
    calculation = Calculation.of(tree, PLACES)
    moved = tree.replace(
        lambda leaf: expression.number(values[PLACES[leaf.number]]) if leaf.number in PLACES else leaf
    )  # type: ignore[union-attr]
    slots = calculation.slots([whole(value) for value in values])
    if not values[2]:
        assert slots[-1] is None
        return
    assert slots[-1] == moved.value()
    ((above, below),) = calculation.divisions()
    assert (slots[above], slots[below]) == (values[0] - values[1], values[2])


@given(some.lists(some.tuples(NUMBERS, NUMBERS, some.fractions(0, 1)), min_size=3, max_size=3))
def test_every_step_is_between_the_ends_of_its_operands(
    drawn: list[tuple[Fraction, Fraction, Fraction]],
) -> None:
    calculation = Calculation.of(expression.parse(EQUATION), PLACES)
    ends = [(min(a, b), max(a, b)) for a, b, _ in drawn]
    values = [low + share * (high - low) for (low, high), (_, _, share) in zip(ends, drawn, strict=True)]
    for between, value in zip(calculation.ends(ends), calculation.slots(values), strict=True):
        assert between is None or value is None or between[0] <= value <= between[1]


@given(NUMBERS, NUMBERS, some.sampled_from(["1", "5", "1/20", "1/10"]), NUMBERS)
def test_a_range_holds_what_it_gives_from_the_target_outwards(
    low: Fraction, more: Fraction, step: str, target: Fraction
) -> None:
    range_ = Range(low, low + abs(more), Fraction(step))
    found = list(range_.nearest(target))
    assert all(one in range_ and low <= one <= low + abs(more) for one in found)
    assert all(Fraction(one / Fraction(step)).denominator == 1 for one in found)
    away = [abs(one - max(low, min(low + abs(more), target))) for one in found]
    assert all(b - a >= -Fraction(step) for a, b in pairwise(away))


@pytest.mark.parametrize(
    ("body", "question", "equation", "values"),
    [
        ("Ana earns $40. 10% of it are taxes.", "What is left?", "40 - 40 / 10", [40]),
        ("Ana earns $40. 10% of it are taxes.", "What is left?", "40 - 40 * 10 / 100", [40, 10]),
        ("Ana buys 2 books of 90 pages.", "How many pages have both books?", "2 * 90", [90]),
        ("Ana buys 2 books of 90 pages.", "How many pages have the books?", "2 * 90", [2, 90]),
    ],
)
def test_what_another_word_or_form_fixes_stays(
    body: str, question: str, equation: str, values: list[int]
) -> None:
    found = movable(Problem("1", body, question, equation=equation), TEXT_FIELDS)
    assert found is not None
    assert found.values == [Fraction(value) for value in values]


@pytest.mark.parametrize(
    "text",
    [
        "The first-place team won.", "They ranked third.", "the final standings", "the runner-up", "the runnerup",
        "a deck of cards", "two decks of 52", "52-card games", "the school days in May", "weekdays in a month",
        "for example", "for instance", "e.g. 3", "i.e. 3", "that is to say", "which means", "meaning that",
        "in the middle", "cheaper", "a bargain", "in bulk", "a better deal", "worth it",
        "the first 2 rows and the last 2 rows",
    ],
)  # fmt: skip
def test_a_text_that_bounds_its_numbers_has_one_of_the_words_looked_for(text: str) -> None:
    assert plausible_values._is_bound(text)


@pytest.mark.parametrize(
    ("before", "after", "most"),
    [
        ("8", " hours a day", 20), ("8", " or so, hours per day", 20), ("5", " days a week", 7),
        ("9", " days a month", 28), ("3", " weeks per month", 4), ("7", " months of the year", 12),
        ("40", " weeks a year", 52), ("9", " minutes an hour", 59),
        ("8", " years old", 90), ("8", "-year-old", 90), ("8", " years of age", 90), ("8", " out of 10", 0),
        ("8", " pens", None),
    ],
)  # fmt: skip
def test_what_follows_a_number_says_the_most_it_can_be(before: str, after: str, most: int | None) -> None:
    assert value_bounds._most(f"{before}{after}", len(before)) == most
