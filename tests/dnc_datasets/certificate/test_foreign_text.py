"""Promises for text of other writers: faults that keep every value are refused, plain paraphrases are not."""

from __future__ import annotations

import json
from fractions import Fraction
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from dnc_datasets import numerals
from dnc_datasets.certificate import foreign_text
from dnc_datasets.problem import Problem

CASES = json.loads(Path(__file__).with_name("foreign_text_cases.json").read_text(encoding="utf-8"))


def broken(original: str, rewrite: str) -> list[str]:
    pair = Problem("1", "", original), Problem("1", "", rewrite)
    return [check.__name__ for check in foreign_text.CHECKS if not check(*pair)]


def test_most_faults_are_refused() -> None:
    """The 40 faults were written before the checks; later checks were written with those that were missed in view."""
    refused = [case for case in CASES["faults"] if broken(case["original"], case["rewrite"])]
    assert len(CASES["faults"]) == 40
    assert len(refused) >= 36


@pytest.mark.parametrize("case", CASES["good"], ids=lambda case: str(case["rewrite"])[:40])
def test_a_plain_paraphrase_keeps_every_promise(case: dict[str, str]) -> None:
    assert broken(case["original"], case["rewrite"]) == []


@pytest.mark.parametrize("case", CASES["faults"], ids=lambda case: str(case["rewrite"])[:40])
def test_a_text_keeps_its_own_promises(case: dict[str, str]) -> None:
    assert broken(case["original"], case["original"]) == []


@pytest.mark.parametrize(
    ("original", "rewrite", "promise"),
    [
        ("Amy has 3 pens. How many pens has she?", "Amy has 4 pens. How many pens has she?", "values_said"),
        ("Amy has 3 pens. How many pens has she?", "Amy has 3 pens. How many? How many pens?", "asked_kept"),
        ("Amy has 3 pens left. How many pens are left?", "Amy has 3 pens left. How many pens are there?", "asked_kept"),
        ("Ben pays $3 per pen for 4 pens. How much is it?", "Ben pays $3 for 4 pens. How much is it?", "rates_kept"),
        ("Amy has 3 more pens than Ben.", "Amy has 3 fewer pens than Ben.", "directions_kept"),
        ("Amy has 3 pens and Ben has 8.", "Ben has 3 pens and Amy has 8.", "numbers_not_crossed"),
        ("Amy is older than Ben by 4 years.", "Ben is older than Amy by 4 years.", "sides_kept"),
        ("It is 3 times more than 5.", "It is 3 times as much as 5.", "times_more_kept"),
        ("Amy is three times more likely than 5.", "Amy is thrice as likely as 5.", "times_more_kept"),
        ("Amy ran 6 times as many miles as Ben.", "Amy ran 6 miles more than Ben.", "times_more_kept"),
        ("The tank holds two thirds of that.", "The tank fell by two thirds.", "shares_kept"),
        ("Amy ate a third of the remaining pies.", "Amy ate a third of the pies.", "shares_kept"),
        ("Amy lost 10 pens and then sold half of them.", "Amy sold half of them and then lost 10 pens.", "steps_kept"),
        ("Cups cost $20 each and 2 caps are $9 each.", "Cups are $20 altogether and 2 caps are $9 each.", "rates_kept"),
        ("In 2 years Amy is 9.", "Amy was 9 about 2 years ago.", "directions_kept"),
        ("Carl and Amy met. Ben has 5 more than Amy.", "Carl and Amy met. Ben has 5 more than Carl.", "owners_kept"),
        ("The third child is 5 inches shorter than the second child.",
         "The second child is 5 inches shorter than the third child.", "sides_kept"),
        ("How many days do 9 pounds last?", "How many meals do 9 pounds make?", "asked_kept"),
        ("Amy has 3 red pens and 4 blue pens. How many red pens has she?",
         "Amy has 3 red pens and 4 blue pens. How many pens has she?", "asked_kept"),
        ("Amy ran 4 miles on Monday. How far did she run on Friday?",
         "Amy ran 4 miles on Monday. How far did she run?", "asked_kept"),
        ("How much profit did Amy make?", "How much money did Amy take in?", "asked_kept"),
        ("Amy has a tape of 6 feet and a rope of 2 yards.", "Amy has a tape of 6 yards and a rope of 2 yards.",
         "units_kept"),
        ("Amy bought 15 eggs and bought 12 caps.", "Amy bought 15 eggs and sold 12 caps.", "opposites_kept"),
        ("Amy sold 5 cups.", "Amy bought 5 cups.", "opposites_kept"),
        ("It prints 3 pages per minute.", "It prints 3 pages per hour.", "units_kept"),
        ("Split the remaining 8 pens.", "Split 8 pens.", "qualifiers_kept"),
        ("Amy has 3 pens.", "Amy has 3 pens. Her cat likes the blue one that she lost at school.", "nothing_added"),
    ],
)  # fmt: skip
def test_each_promise_is_broken_by_its_fault(original: str, rewrite: str, promise: str) -> None:
    assert promise in broken(original, rewrite)


@pytest.mark.parametrize(
    ("text", "values"),
    [
        ("twice as many as 3", ["2", "3"]),
        ("He doubled his 5 coins.", ["2", "5"]),
        ("a quarter the size", ["1/4"]),
        ("three quarters as many", ["3/4"]),
        ("3 quarters and 2 dimes", ["3", "2"]),
        ("in the first quarter of 1998", ["1998"]),
        ("40% of 50 pens", ["2/5", "50"]),
        ("thirty percent", ["3/10"]),
        ("two decades ago", ["20"]),
        ("50 cents or $0.50", ["1/2", "1/2"]),
    ],
)
def test_values_that_a_text_states(text: str, values: list[str]) -> None:
    found = [str(one.value) for one in numerals.stated(text) if one.kind != "ordinal"]
    assert found == values


@given(st.integers(2, 10**6))
def test_a_percentage_is_its_share(number: int) -> None:
    (one,) = numerals.stated(f"{number}% of them")
    assert one.value == Fraction(number, 100)


@given(st.text(max_size=200))
def test_any_text_is_read_without_an_error(text: str) -> None:
    broken("Amy has 3 pens. How many pens does she have?", text)
    assert all(0 <= one.start < one.end <= len(text) for one in numerals.stated(text))
