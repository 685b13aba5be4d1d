"""The checks of wording fail on wrong rows: ties of numbers, what questions ask for, neighbours of moved words."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

import dnc_datasets
from dnc_datasets import numerals
from dnc_datasets.certificate.asked import asked_as_computed, fits
from dnc_datasets.certificate.counted_values import counted_noun, counted_values, sentences
from dnc_datasets.certificate.moved_words import keeps_pieces, words_stay_together
from dnc_datasets.certificate.wording import (
    attachments_kept,
    given_after_asked,
    introductions_kept,
    ties_kept,
    values_permuted,
)
from dnc_datasets.problem import Problem

# Original, perturbed, and whether every number keeps what it is tied to.
ATTACHMENTS = (
    (
        "Omar made 40 tables with 4 legs and 50 tables with 3 legs.",
        "Omar made 40 tables with 50 tables and 4 legs with 3 legs.",
        False,
    ),
    (
        "Omar made 40 tables with 4 legs and 50 tables with 3 legs.",
        "Omar made 50 tables with 3 legs and 40 tables with 4 legs.",
        True,
    ),
    (
        "Mona sold 6 dozen rolls which cost $1 each and 4 dozen buns for $2 each.",
        "Mona sold 6 dozen rolls which cost 4 dozen buns for $2 each and $1 each.",
        False,
    ),
    (
        "The zoo has 9 apes and three times as many goats as apes.",
        "The zoo has three times and 9 apes as many goats as apes.",
        False,
    ),
    (
        "Omar scored two points twelve times and three points fifteen times.",
        "Omar scored two points fifteen times and three points twelve times.",
        False,
    ),
    (
        "Mona had 50 stones. She gave 1/5 of them to Lea.",
        "Mona gave 1/5 stones to Lea. If she had 50 stones at first,",
        False,
    ),
    (
        "If Omar has 9 pens, how many has Lea if she has 4 more?",
        "If Omar has 9 pens, how many has Lea if she has 4 more, if they share?",
        False,
    ),
    (
        "Mona bought 20 hens for $5 each and 3 cows for $900 each.",
        "Mona bought 20 hens for $900 each and 3 cows for $5 each.",
        False,
    ),
    (
        "Mona needs 9 cups of milk, 6 cups of oats, and 1/2 times as much salt.",
        "Mona needs 1/2 times, 6 cups of oats, and 9 cups of milk as much salt.",
        False,
    ),
    ("Mona shared it among 4 boys and 3 girls.", "Mona shared it among 3 girls and 4 boys.", True),
    ("Mona has 8 kites and Omar has 3.", "Omar has 3 kites and Mona has 8.", True),
    ("Mona bought 7 pens and 3 cups for her sister.", "Mona bought 3 cups and 7 pens for her sister.", True),
    ("A ship has 5 red sails and 2 masts.", "A ship has 2 red sails and 5 masts.", False),
)


@pytest.mark.parametrize(("original", "perturbed", "kept"), ATTACHMENTS)
def test_numbers_keep_what_they_are_tied_to(original: str, perturbed: str, kept: bool) -> None:
    assert attachments_kept(Problem("1", original, ""), Problem("1", perturbed, "")) is kept


@given(st.lists(st.integers(2, 999), min_size=2, max_size=4, unique=True), st.randoms(use_true_random=False))
def test_a_list_may_be_told_in_any_order_and_not_exchange_its_numbers(
    numbers: list[int], random: Any
) -> None:
    things = ["red pens", "cups", "blue boats", "nails"][: len(numbers)]
    members = [f"{number} {thing}" for number, thing in zip(numbers, things, strict=True)]
    moved = random.sample(members, len(members))
    swapped = [f"{number} {thing}" for number, thing in zip([*numbers[1:], numbers[0]], things, strict=True)]
    original = Problem("1", f"Omar has {' and '.join(members)}.", "")
    assert attachments_kept(original, Problem("1", f"Omar has {' and '.join(moved)}.", ""))
    assert not attachments_kept(original, Problem("1", f"Omar has {' and '.join(swapped)}.", ""))


def test_other_things_may_be_counted_where_only_the_ties_are_promised() -> None:
    original = Problem("1", "Omar has 3 bags with 9 pens each.", "")
    assert ties_kept(original, Problem("1", "Omar has 3 bags with 9 cups each.", ""))
    assert not ties_kept(original, Problem("1", "Omar has 3 bags each with 9 cups.", ""))


@pytest.mark.parametrize(
    ("original", "perturbed", "kept"),
    [
        ("A stand sells 9 pies. The stand is red.", "The stand is red. A stand sells 9 pies.", False),
        ("A stand sells 9 pies. A cart sells 5.", "A cart sells 5. A stand sells 9 pies.", True),
        ("Two boxes hold 9 pens. These boxes are red.", "These boxes are red. Two boxes hold 9 pens.", False),
        ("The stand sells 9 pies. A cart sells 5.", "A cart sells 5. The stand sells 9 pies.", True),
    ],
)
def test_nothing_is_known_before_it_is_brought_in(original: str, perturbed: str, kept: bool) -> None:
    assert introductions_kept(Problem("1", original, ""), Problem("1", perturbed, "")) is kept


@pytest.mark.parametrize(
    ("asked", "kept"),
    [
        ("How many fish are in the pond, given that a pond had 9 fish and that 2 left?", False),
        ("How many fish are in the pond, given that the pond had 9 fish and that 2 left?", False),
        ("How many fish are in a pond, given that the pond had 9 fish and that 2 left?", True),
    ],
)
def test_a_question_brings_in_what_it_speaks_of(asked: str, kept: bool) -> None:
    original = Problem("1", "A pond had 9 fish. 2 left.", "How many fish are in the pond?")
    assert given_after_asked(original, Problem("1", "", asked)) is kept


TWO = "Ida picked 17 plums, and Omar picked 9 plums."
KINDS = "A shop sold 40 small mugs and 25 large mugs."
LEFT = "Lena had 30 stamps. She gave 8 stamps to Ravi."
CHAIN = "Harry has 4 times as many fish as Joe. Joe has 8 times as many fish as Sam. Sam has 7 fish."
BOXES = "Ravi put 21 cars in the first box, 31 cars in the second box and 19 cars in the third box."
PAGES = "Isabel read 2 pages at noon and 4 pages in the evening, and solved 5 riddles on each."
THREE = "Ida picked 17 plums, Omar picked 9 plums, and Zoe picked 5 pears."


@pytest.mark.parametrize(
    ("body", "question", "right", "wrong"),
    [
        (TWO, "How many plums did Ida and Omar pick altogether?", "17 + 9", "17 - 9"),
        (TWO, "How many more plums did Ida pick than Omar?", "17 - 9", "17 + 9"),
        (TWO, "How many more plums did Ida pick than Omar?", "17 - 9", "9 - 17"),
        (TWO, "How many fewer plums did Omar pick than Ida?", "17 - 9", "9 - 17"),
        (KINDS, "How many more small mugs than large mugs did the shop sell?", "40 - 25", "25 - 40"),
        (LEFT, "How many stamps does Lena have left?", "30 - 8", "30 + 8"),
        (
            LEFT,
            "How many more stamps does Lena have left than she gave to Ravi?",
            "(30 - 8) - 8",
            "8 - (30 - 8)",
        ),
        (TWO, "How many times as many plums did Ida pick as Omar?", "17 / 9", "17 - 9"),
        (TWO, "What is the difference between the two numbers of plums?", "17 - 9", "17 + 9"),
        (THREE, "How many more plums did Ida pick than Omar?", "17 - 9", "17 - 5"),
        (CHAIN, "How many more fish does Harry have than Sam?", "4 * 8 * 7 - 7", "8 * 7 - 7"),
        (BOXES, "How many more cars are in the second box than in the third?", "31 - 19", "21 - 19"),
        (PAGES, "How many riddles did Isabel solve?", "(2 + 4) * 5", "2 + 4"),
    ],
)
def test_the_equation_must_be_the_one_that_the_question_announces(
    body: str, question: str, right: str, wrong: str
) -> None:
    assert fits(Problem("1", body, question, equation=right))
    assert not fits(Problem("1", body, question, equation=wrong))


def test_a_question_that_announces_nothing_passes() -> None:
    assert fits(Problem("1", TWO, "How many plums are in the basket?", equation="17 - 9"))
    assert asked_as_computed(Problem("1", TWO, "Who?"), Problem("1", TWO, "Did Ida pick more?", answer="yes"))


def test_a_fault_of_the_source_is_not_the_fault_of_the_row() -> None:
    question = "How many plums did they pick altogether?"
    faulty = Problem("1", TWO, question, equation="17 - 9")
    assert asked_as_computed(faulty, faulty.replace(body=TWO.replace("17", "19"), equation="19 - 9"))
    assert not asked_as_computed(faulty.replace(equation="17 + 9"), faulty)


@given(st.integers(20, 99), st.integers(2, 19), st.sampled_from(["Ben", "Emma", "Tariq"]))
def test_the_sides_of_a_comparison_may_not_change_places(more: int, fewer: int, name: str) -> None:
    body = f"{name} found {more} shells. Olga found {fewer} shells."
    straight = Problem(
        "1", body, f"How many more shells did {name} find than Olga?", equation=f"{more} - {fewer}"
    )
    turned = straight.replace(question=f"How many more shells did Olga find than {name}?")
    assert fits(straight)
    assert not fits(turned)


PENS = "Amy has 3 red pens and Ben has 5 blue cups. How many things do they have in all?"
SOLD = "Olga baked 24 rolls. She sold 9 of them at the market. How many rolls does she have left?"
GAVE = "Omar gave 7 cards to Lena. How many cards does Lena have now?"
LIST = "Mrs. Ruiz bought 4 lemons, 6 ripe pears and 2 small melons for $9. How much fruit did she buy?"


@pytest.mark.parametrize(
    ("before", "after"),
    [
        (PENS, "Ben has 5 blue cups and Amy has 3 red pens. How many things do they have in all?"),
        (
            PENS,
            "How many things do they have in all, given that Amy has 3 red pens and that Ben has 5 blue cups?",
        ),
        (
            PENS,
            "Amy owns 3 red pens. Ben has 5 blue cups. What is the number of things that they have altogether?",
        ),
        (
            SOLD,
            "Olga sold 9 rolls at the market. If she baked 24 rolls at first, how many rolls does she have left?",
        ),
        (
            SOLD,
            "How many rolls does Olga have left, given that Olga baked 24 rolls; she sold 9 of them at the market?",
        ),
        (SOLD, "Olga baked 24 rolls. At the market, she sold 9 of them. How many rolls does she still have?"),
        (GAVE, "Lena got 7 cards from Omar. How many cards does Lena have now?"),
        (GAVE, "7 cards were given to Lena by Omar. How many cards does Lena have now?"),
        (
            LIST,
            "Mrs. Ruiz bought 2 small melons, 6 ripe pears and 4 lemons for $9. How much fruit did she buy?",
        ),
        ("Each box holds 8 pens. Ada has 3 boxes.", "There are 8 pens in each box. Ada has 3 boxes."),
        (
            "It takes Ravi 3 hours to row home. How far is it?",
            "Ravi needs 3 hours to row home. How far is it?",
        ),
        ("How many more caps does Ida have than Nils?", "How many fewer caps does Nils have than Ida?"),
        # one fact in two constructions
        ("Omar gave Lena 7 cards.", "Lena was given 7 cards by Omar."),
        ("Ida bought a red kite for $12.", "Ida paid $12 for a red kite."),
        ("Ida read twice as many books as Nils.", "Ida read double the number of books that Nils read."),
        ("The wall is 12 feet long.", "The wall has a length of 12 feet."),
        ("A cake needs 3 eggs per layer.", "A cake needs 3 eggs for each layer."),
        (
            "How many more caps does Ida have than Nils?",
            "What is the difference between the number of caps that Ida has and the number that Nils has?",
        ),
    ],
)
def test_good_rewordings_pass(before: str, after: str) -> None:
    assert keeps_pieces(before, after)


@pytest.mark.parametrize(
    ("before", "after"),
    [
        # names, nouns, modifiers and numbers exchanged between clauses
        (PENS, "Ben has 3 red pens and Amy has 5 blue cups. How many things do they have in all?"),
        (PENS, "Amy has 3 red cups and Ben has 5 blue pens. How many things do they have in all?"),
        (PENS, "Amy has 3 blue pens and Ben has 5 red cups. How many things do they have in all?"),
        (
            PENS,
            "How many things do they have in all, given that Ben has 3 red pens and that Amy has 5 blue cups?",
        ),
        # verbs exchanged or replaced, a word lost or new
        (SOLD, "Olga sold 24 rolls. She baked 9 of them at the market. How many rolls does she have left?"),
        (SOLD, "Olga baked 24 rolls. She bought 9 of them at the market. How many rolls does she have left?"),
        (SOLD, "Olga baked 24 rolls. She sold 9 of them at the market. How many rolls does she have?"),
        (
            SOLD,
            "How many rolls has Peter left, given that Olga baked 24 rolls; she sold 9 of them at the market?",
        ),
        # who gives and who gets
        (GAVE, "Omar got 7 cards from Lena. How many cards does Lena have now?"),
        (GAVE, "Lena gave 7 cards to Omar. How many cards does Lena have now?"),
        (
            LIST,
            "Mrs. Ruiz bought 2 ripe melons, 6 small pears and 4 lemons for $9. How much fruit did she buy?",
        ),
        ("How many more caps does Ida have than Nils?", "How many fewer caps does Ida have than Nils?"),
        ("Ida did not eat 4 plums.", "Ida did eat 4 plums."),
        # another fact in the other construction
        ("Omar gave Lena 7 cards.", "Omar was given 7 cards by Lena."),
        ("Ida bought a red kite for $12.", "Ida paid $12 for a red ball."),
        ("Ida read twice as many books as Nils.", "Ida read double the number of books that Nils sold."),
        ("Ida read twice as many books as Nils.", "Nils read double the number of books that Ida read."),
        ("The wall is 12 feet long.", "The wall has a height of 12 feet."),
        (
            "How many more caps does Ida have than Nils?",
            "What is the difference between the number of caps that Nils has and the number that Ida has?",
        ),
    ],
)
def test_exchanged_words_are_refused(before: str, after: str) -> None:
    assert not keeps_pieces(before, after)


def test_a_name_does_not_stand_for_a_pronoun_of_another_gender() -> None:
    body = "Emma had 9 shells and Carl had 4 shells. She lost 2 shells."
    good, bad = (
        f"{name} lost 2 shells. Emma had 9 shells and Carl had 4 shells." for name in ("Emma", "Carl")
    )
    assert keeps_pieces(body, good)
    assert not keeps_pieces(body, bad)


_NAMES = ("Amy", "Ben", "Lena", "Omar", "Ravi")
_THINGS = ("red pens", "cups", "small boats", "nails", "ripe pears")


@given(st.permutations(range(5)), st.integers(2, 5))
def test_statements_may_be_told_in_any_order_and_not_exchange_their_names(
    order: list[int], count: int
) -> None:
    stated = [f"{_NAMES[at]} found {at + 3} {_THINGS[at]}." for at in range(count)]
    moved = [stated[at] for at in order if at < count]
    wrong = [f"{_NAMES[(at + 1) % count]} found {at + 3} {_THINGS[at]}." for at in order if at < count]
    original = Problem("1", " ".join(stated), "How many things did they find?")
    assert words_stay_together(original, original.replace(body=" ".join(moved)))
    assert not words_stay_together(original, original.replace(body=" ".join(wrong)))


def test_a_very_long_text_is_refused_in_time() -> None:
    assert not keeps_pieces("Amy has 3 pens. " * 500, "Amy has 3 pens. " * 500)


def test_no_perturbation_filters_by_the_checks_that_read_for_themselves() -> None:
    rules = Path(dnc_datasets.__file__).parent / "perturbations"
    texts = {path.name: path.read_text(encoding="utf-8") for path in rules.rglob("*.py")}
    assert len(texts) > 50
    checks = tuple(
        f"certificate.{name}" for name in ("asked", "moved_words", "restatements", "line_identities")
    )
    assert not [name for name, text in texts.items() if any(check in text for check in checks)]


_STATED = (
    "Amy has 3 pens.",
    "One weighs 20 pounds.",
    "First, Ben gave 5 and a half pies to 2 friends.",
    "Mrs. Ruiz paid $7.50 on May 5.",
    "He left at 5 p.m.",
    "Five hundred people came in June 2010.",
    "The second one costs 20 000 pesos.",
    "They walked 3 miles and one more.",
    "Which of the 4 is the tallest?",
)


@given(st.permutations(_STATED), st.integers(1, len(_STATED)))
def test_the_numbers_of_a_text_are_those_of_its_pieces(stated: list[str], count: int) -> None:
    text = " ".join(stated[:count])
    together = [(one.ratio, counted_noun(text, one.end)) for one in numerals.find(text)]
    assert [value for piece in sentences(text) for value in counted_values(piece)] == together


@pytest.mark.parametrize(
    ("body", "question", "other", "same"),
    [
        ("Amy has 3 pens. Ben has 5 cups.", "How many?", "Ben has 5 cups. Amy has 3 pens.", True),
        ("Amy has 3 pens. Ben has 5 cups.", "How many?", "Amy has 3 pens. Ben has 6 cups.", False),
        ("Amy has 3 pens. Amy has 3 pens.", "How many?", "Amy has 3 pens. She has 4 pens.", False),
        ("If Amy has 3 pens,", "how many has she?", "Given that Amy has 3 pens,", True),
    ],
)
def test_values_are_compared_by_the_sentences_that_changed(
    body: str, question: str, other: str, same: bool
) -> None:
    original = Problem("1", body, question)
    assert values_permuted(original, original.replace(body=other)) is same
