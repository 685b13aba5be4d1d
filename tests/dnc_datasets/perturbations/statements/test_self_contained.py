"""Which sentences of a report may be borrowed."""

from __future__ import annotations

import pytest

from dnc_datasets.english.reading.sentences import sentences
from dnc_datasets.perturbations.statements.places import with_statement
from dnc_datasets.perturbations.statements.self_contained import (
    self_contained_in_problem,
    self_contained_in_report,
    without_period,
)
from dnc_datasets.problem import Problem


@pytest.mark.parametrize(
    ("text", "alone"),
    [
        ("Short leases have a term of 12 months or less.", True),
        ("The company paid $32.2 million for the two mills in March.", True),
        ("Mill sales decreased by 24% to $3,951 million.", True),
        ("Larch Mills owns 31 mills and 12 barns.", True),
        ("We paid dividends of $19.6 million.", True),
        ("Dividends paid to the owners of $19.6 million.", False),
        # what a company says of itself, or of its other business, leans on nothing
        ("We paid $5.2 million for our mill and its other barns.", True),
        ("Total rents before tax were $3 million in the first quarter.", True),
        ("Mill rents and barn rents were $5 million and $6 million, respectively.", True),
        # a heading run into its first sentence
        ("Restructuring charges During the year the mill was charged $386 million.", False),
        ("REVENUE Fiscal 2019 revenue increased by 22.4%.", False),
        ("Mill costs Mill costs were $46 million.", False),
        ("Interest rate—The rate was 5% in March.", False),
        # it leans on another one, or points at it
        ("Accordingly, the mill was granted 494 shares.", False),
        ("The overall increase was due to costs of $15 million.", False),
        ("With regards to ii), the rate increased by $8,560.", False),
        ("Revenue decreased by $360 million, as is explained below.", False),
        ("The debt was $195 million (which is included in note 23).", False),
        ("118, or Rule 118, was issued for 5 mills.", False),
        ("Other mills were sold by the same owner for $3 million.", False),
        ("No other customers accounted for more than 12% of rents.", False),
        ("The second mill was sold for $3 million.", False),
        ("These mills were sold for $3 million.", False),
        ("Its mills were sold for $3 million.", False),
        ("Mill rents were $5 million and $6 million, respectively.", False),
        # damaged, without a verb, or without an amount
        ("The mill owned 16 acres and sold4 acres for$264.", False),
        ("The spending was 7 for Mill Inc.", False),
        ("A tax liability in March of £13.5m compared to a liability of £12.1m.", False),
        ("Purchases of stock for the mill were stopped in 2019.", False),
        ("The adoption of IFRS 16 was noted.", False),
        ("The sale was exempt under Rule 506 of a law.", False),
        ("Mill charges amounted to SEK 0.2 (–0.3) billion.", False),
    ],
)
def test_reads_alone(text: str, alone: bool) -> None:
    assert self_contained_in_report(text) is alone


@pytest.mark.parametrize(
    ("text", "cut"),
    [
        ("Mill rents were $5 million in 2019.", "Mill rents were $5 million."),
        ("In fiscal 2019, the mill paid $5 million.", "The mill paid $5 million."),
        ("As of March 31, 2019 we had 52 mills.", "We had 52 mills."),
        ("Rents were € 5 million in fiscal 2019 and € 6 million in fiscal 2018.", "Rents were € 5 million."),
        ("Rents grew by 3.5% in Q4 2019, compared to Q4 2018, because of oats.", "Rents grew by 3.5%."),
        (
            "Rents were $5 million compared to $6 million for the year ended May 3, 2018.",
            "Rents were $5 million.",
        ),
        (
            "Ana Reed was granted 940 shares on May 3, 2019, at a price of $8.",
            "Ana Reed was granted 940 shares.",
        ),
        # one amount for each year: the first is enough
        (
            "We had rents of $5 million, $6 million and $7 million for 2019, 2018 and 2017, respectively.",
            "We had rents of $5 million.",
        ),
        # one for each thing: both stay
        (
            "Mill rents and barn rents were $5 million and $6 million, respectively, for the year ended May 3, 2019.",
            "Mill rents and barn rents were $5 million and $6 million, respectively.",
        ),
        # where something would be missing, nothing is cut
        (text := "We bought 5 mills for $7 and 6 mills for $8 in 2019 and 2018, respectively.", text),
        (text := "In 2019 and 2018, the mill paid $5 million and $6 million, respectively.", text),
        (text := "Our staff grew by 8% from 974 at May 3, 2018 to 1,055 at May 3, 2019.", text),
        (text := "The 2019 rents rose by 3% in 2019.", text),
        (text := "A tax credit of $9 million expires in 2031.", text),
        (text := "The notes bear interest at 4% and are due in March 2031.", text),
    ],
)
def test_a_statement_is_borrowed_without_its_period(text: str, cut: str) -> None:
    assert without_period(text) == cut


def test_messrs_ends_no_sentence() -> None:
    text = "Each of Messrs. Hill and Reed was granted 5 shares."
    assert sentences(text) == [text]


@pytest.mark.parametrize(
    "statement",
    ["A stall sells 44 melons.", "Omar bought 12 lamps.", "There are 30 goats in a barn.", "Mrs. Hill paid $40."],
)  # fmt: skip
def test_told(statement: str) -> None:
    assert self_contained_in_problem(statement)


@pytest.mark.parametrize(
    "statement",
    [
        "Each lamp needs 44 screws.",
        "A lamp needs 44 screws per frame.",
        "On Monday sold 44 lamps.",
        "Row B has 44 lamps.",
        "Omar sold lamps which costs $44.",
        "There are 44 lamps.",
        "Omar sold 44 to Ben.",
        "Omar sold 44 lamps, 12 cups and 9 vases.",
        "A rather old and very long lamp of 44 parts stands.",
        "Omar and Ben and Lena and Mona and Nora went to sell 44 lamps at the market of Dover.",
    ],
)
def test_not_told(statement: str) -> None:
    assert not self_contained_in_problem(statement)


@pytest.mark.parametrize(
    ("statement", "question", "first"),
    [
        ("A stall sells 44 melons.", "How many pens does Ana have?", False),
        ("A stall sells 44 melons.", "How many pens does she have?", False),
        ("Omar bought 12 lamps.", "How many pens does she have?", True),
        ("A stall sells 44 melons.", "It takes Ana 3 times that long to write. How long is that?", True),
    ],
)
def test_nothing_is_pointed_at_across_it(statement: str, question: str, first: bool) -> None:
    body = "Ana has 5 pens. Ben gave her 2 pens."
    made = with_statement(Problem("1", body, question), statement)
    assert made is not None
    assert made.body == (f"{statement} {body}" if first else f"{body} {statement}")
