"""Longer numbers of a report in words, where it has no shorter one."""

from __future__ import annotations

import pytest

from dnc_datasets import perturbations
from dnc_datasets.draws import Draw
from dnc_datasets.problem import Problem

TABLE = (("in millions", "2019", "2018"), ("Rent", "310", "295"))
META = (("table_scale", "million"),)


def spelled(text: str) -> str:
    question = "What was the change in rent?"
    problem = Problem("1", text, question, table=TABLE, equation="310 - 295", answer="15", meta=META)
    made = perturbations.get("language_plausible", "table").apply(problem, Draw(0, "d", "1", "language"))
    return made.body if made else text


@pytest.mark.parametrize(
    ("text", "wanted"),
    [
        ("Sales grew by 12.4% in May.", "Sales grew by twelve point four percent in May."),
        ("Fees were $5.9 million.", "Fees were five point nine million dollars."),
        ("Fees were £8.1m (2018: £4m).", "Fees were eight point one million pounds (2018: four million pounds)."),
        ("Fees were $4.1m (2018 $5m).", "Fees were four point one million dollars (2018: five million dollars)."),
        ("A dividend of US$15.9 million was paid.", "A dividend of fifteen point nine million US dollars was paid."),
        ("Fees were approximately$5.1 million.", "Fees were approximately five point one million dollars."),
        ("The group employs 781 engineers.", "The group employs seven hundred and eighty-one engineers."),
        ("The terms were 2.1 and 2.3 years.", "The terms were two point one and two point three years."),
        ("Margins rose by 54 bps.", "Margins rose by fifty-four basis points."),
        ("This is a $23 million decrease.", "This is a twenty-three million dollar decrease."),
        ("(2) $2.9 million in fees went to Larch.", "(2) Two point nine million dollars in fees went to Larch."),
        ("the group paid $ 6.2 million in may .", "the group paid six point two million dollars in may ."),
        # decimals only where no other number can be in words, and those of few amounts
        ("Fees were $5.9m.\n\nWe employ 781 men.", "Fees were $5.9m.\n\nWe employ seven hundred and eighty-one men."),
        ("Rent was $5.9 million and $6.2 million.\n\nFees were $3.9 million.",
         "Rent was $5.9 million and $6.2 million.\n\nFees were three point nine million dollars."),
    ],
)  # fmt: skip
def test_longer_numbers_in_words(text: str, wanted: str) -> None:
    assert spelled(text) == wanted


@pytest.mark.parametrize(
    "text",
    [
        # one of the amounts of a sentence takes too many words, or none
        "Sales rose from $5.9 million to $1,234.5 million.",
        "Fees were $5.9 million and $nil.",
        "The result was $(9.8) million (2018: $6.6 million).",
        "Sales rose by $5,210.4 million, or 12.4%, in May.",
        "We have 781 engineers and 5,750,213 visitors.",
        # amounts that may be in millions, as the table
        "Depreciation was $12,548.",
        "Fees were $64,000.",
        "We paid $2.2m and $64,000.",
        "the rents are $ 30000 to $ 35000 in a year .",
        # another unit, and many decimals
        "We hold $1,831 million of bonds.",
        "The terms were 2.13 and 2.33 years.",
        "Fees were $5.9 million, $6.2 million, $3.9 million and $4.1 million in these years.",
        # attributes
        "There are $61.6 million foreign losses.",
        "The group has a $140 million uncommitted overdraft facility.",
        # the number of a page
        "170 larch mills 2019 annual report .",
    ],
)
def test_longer_numbers_that_would_read_badly_stay_in_digits(text: str) -> None:
    assert spelled(text) == text


def test_sentences_agree_with_those_beside_them() -> None:
    text = "Sales grew by 12.4% in May. Costs grew by 3.41% in June. Fees were $5.9 million."
    assert spelled(text) == text.replace("$5.9 million", "five point nine million dollars")


def test_an_amount_and_its_percentage_are_written_alike() -> None:
    text = "Sales rose by $5.2 million, or 12.4%, in May."
    assert (
        spelled(text) == "Sales rose by five point two million dollars, or twelve point four percent, in May."
    )
