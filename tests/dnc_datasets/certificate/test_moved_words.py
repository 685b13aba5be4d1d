"""The words of a moved piece keep their neighbours: good rows of every kind pass, rows with exchanged words do not."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from dnc_datasets.certificate.moved_words import keeps_pieces, words_stay_together
from dnc_datasets.problem import Problem

PENS = "Amy has 3 red pens and Ben has 5 blue cups. How many things do they have in all?"
SOLD = "Olga baked 24 rolls. She sold 9 of them at the market. How many rolls does she have left?"
GAVE = "Omar gave 7 cards to Lena. How many cards does Lena have now?"
LIST = "Mrs. Ruiz bought 4 lemons, 6 ripe pears and 2 small melons for $9. How much fruit did she buy?"


@pytest.mark.parametrize(
    ("before", "after"),
    [
        (PENS, "Ben has 5 blue cups and Amy has 3 red pens. How many things do they have in all?"),
        (PENS, "How many things do they have in all, given that Amy has 3 red pens and that Ben has 5 blue cups?"),
        (PENS, "Amy owns 3 red pens. Ben has 5 blue cups. What is the number of things that they have altogether?"),
        (SOLD, "Olga sold 9 rolls at the market. If she baked 24 rolls at first, how many rolls does she have left?"),
        (SOLD, "How many rolls does Olga have left, given that Olga baked 24 rolls; she sold 9 of them at the market?"),
        (SOLD, "Olga baked 24 rolls. At the market, she sold 9 of them. How many rolls does she still have?"),
        (GAVE, "Lena got 7 cards from Omar. How many cards does Lena have now?"),
        (GAVE, "7 cards were given to Lena by Omar. How many cards does Lena have now?"),
        (LIST, "Mrs. Ruiz bought 2 small melons, 6 ripe pears and 4 lemons for $9. How much fruit did she buy?"),
        ("Each box holds 8 pens. Ada has 3 boxes.", "There are 8 pens in each box. Ada has 3 boxes."),
        ("It takes Ravi 3 hours to row home. How far is it?", "Ravi needs 3 hours to row home. How far is it?"),
        ("How many more caps does Ida have than Nils?", "How many fewer caps does Nils have than Ida?"),
    ],
)  # fmt: skip
def test_good_rewordings_pass(before: str, after: str) -> None:
    assert keeps_pieces(before, after)


@pytest.mark.parametrize(
    ("before", "after"),
    [
        # names, nouns, modifiers and numbers exchanged between clauses
        (PENS, "Ben has 3 red pens and Amy has 5 blue cups. How many things do they have in all?"),
        (PENS, "Amy has 3 red cups and Ben has 5 blue pens. How many things do they have in all?"),
        (PENS, "Amy has 3 blue pens and Ben has 5 red cups. How many things do they have in all?"),
        (PENS, "How many things do they have in all, given that Ben has 3 red pens and that Amy has 5 blue cups?"),
        # verbs exchanged or replaced, a word lost or new
        (SOLD, "Olga sold 24 rolls. She baked 9 of them at the market. How many rolls does she have left?"),
        (SOLD, "Olga baked 24 rolls. She bought 9 of them at the market. How many rolls does she have left?"),
        (SOLD, "Olga baked 24 rolls. She sold 9 of them at the market. How many rolls does she have?"),
        (SOLD, "How many rolls has Peter left, given that Olga baked 24 rolls; she sold 9 of them at the market?"),
        # who gives and who gets
        (GAVE, "Omar got 7 cards from Lena. How many cards does Lena have now?"),
        (GAVE, "Lena gave 7 cards to Omar. How many cards does Lena have now?"),
        (LIST, "Mrs. Ruiz bought 2 ripe melons, 6 small pears and 4 lemons for $9. How much fruit did she buy?"),
        ("How many more caps does Ida have than Nils?", "How many fewer caps does Ida have than Nils?"),
        ("Ida did not eat 4 plums.", "Ida did eat 4 plums."),
    ],
)  # fmt: skip
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
