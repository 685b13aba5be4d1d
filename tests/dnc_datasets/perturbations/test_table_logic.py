"""Logic over tables: which other questions a template makes, and where it makes none."""

from __future__ import annotations

from collections.abc import Callable

import pytest

from dnc_datasets.draws import Draw
from dnc_datasets.perturbations.table_logic import change_operation, rewrites
from dnc_datasets.perturbations.tables.periods import years
from dnc_datasets.problem import Problem

ROWS = [
    ["", "2019", "2018", "2017"],
    ["Sales and rents", "$1,200", "1,000", "700"],
    ["Cash flow", "(64)", "(57)", "(40)"],
    ["Rents", "£125m", "£144m", "£90m"],
    ["Earnings per share", "2.5", "2.0", "1.5"],
]


@pytest.fixture
def asked(report_question: Callable[..., Problem]) -> Callable[..., Problem]:
    def ask(question: str, derivation: str, scale: str, answer: str) -> Problem:
        return report_question(ROWS, "The table is in thousands.", question, derivation, answer, scale)

    return ask


@pytest.mark.parametrize(
    ("question", "derivation", "scale", "answer", "operations"),
    [
        # the scale of an amount comes from the table's text
        (
            "What is the percentage change in sales and rents from 2018 to 2019?",
            "(1,200-1,000)/1,000",
            "percent",
            "20",
            {("change", "thousand"), ("sum", "thousand"), ("average", "thousand")},
        ),
        # but not where the row has another one
        (
            "What is the percentage change in earnings per share from 2018 to 2019?",
            "(2.5-2.0)/2.0",
            "percent",
            "25",
            set(),
        ),
        (
            "What is the percentage change in rents from 2018 to 2019?",
            "(125-144)/144",
            "percent",
            "-13.19",
            set(),
        ),
        # the source dropped the signs, which an amount must not
        (
            "What is the percentage change in cash flow from 2018 to 2019?",
            "(64-57)/57",
            "percent",
            "12.28",
            set(),
        ),
        # from the later to the earlier year: what the old value is cannot be stated
        (
            "What is the change in sales and rents from 2019 to 2018?",
            "1,200-1,000",
            "thousand",
            "200",
            {("sum", "thousand"), ("average", "thousand")},
        ),
        # the source subtracted the later year
        (
            "What is the change in sales and rents between 2018 and 2019?",
            "1,000-1,200",
            "thousand",
            "-200",
            {("sum", "thousand"), ("average", "thousand")},
        ),
        # "and" is part of the label, and no years are named
        ("What is the average of sales and rents?", "(1,200+1,000)/2", "thousand", "1,100", set()),
        (
            "What is the average of sales and rents in 2018 and 2019?",
            "(1,200+1,000)/2",
            "thousand",
            "1,100",
            {("sum", "thousand"), ("change", "thousand")},
        ),
    ],
)
def test_rewrites(
    asked: Callable[..., Problem],
    question: str,
    derivation: str,
    scale: str,
    answer: str,
    operations: set[tuple[str, str]],
) -> None:
    made = rewrites(asked(question, derivation, scale, answer))
    named = [
        (next(w for w in ("sum", "average", "change") if f" {w} " in one.question), one.unit) for one in made
    ]
    assert set(named) == operations


def test_operands_of_other_years_than_asked_for_are_left_alone(asked: Callable[..., Problem]) -> None:
    wrong = asked(
        "What is the average sales and rents for 2017 and 2018?", "(1,200+1,000)/2", "thousand", "1,100"
    )
    right = asked(
        "What is the average sales and rents for 2018 and 2019?", "(1,200+1,000)/2", "thousand", "1,100"
    )
    assert change_operation(wrong, Draw(0, "d", "q", "logic")) is None
    assert change_operation(right, Draw(0, "d", "q", "logic")) is not None


@pytest.mark.parametrize(
    ("question", "derivation", "answer", "speaks"),
    [
        # losses alone, with their signs: an average of them can be meant with either
        ("What is the change in cash flow from 2018 to 2019?", "-64-(-57)", "-7", False),
        # losses alone, counted as amounts
        ("What is the average cash flow in 2018 and 2019?", "(64+57)/2", "60.5", True),
        # a loss and a gain, each with its sign
        ("What is the change in net result from 2018 to 2019?", "-30-80", "-110", True),
        ("What is the average net result in 2018 and 2019?", "(30+80)/2", "55", False),
    ],
)
def test_signs_must_be_clear(
    report_question: Callable[..., Problem], question: str, derivation: str, answer: str, speaks: bool
) -> None:
    rows = [*ROWS, ["Net result", "(30)", "80", "20"]]
    asked = report_question(rows, "The table is in thousands.", question, derivation, answer, "thousand")
    assert (change_operation(asked, Draw(0, "d", "q", "logic")) is not None) == speaks


def test_years() -> None:
    assert years("from FY18 to 30 June 2019, $2,018 and 2017/18") == [2018, 2019, 2017]


@pytest.mark.parametrize(
    ("question", "derivation", "answer", "expected"),
    [
        # Balances have no sum over two years, and only a change is net.
        (
            "What was the net change in total assets from 2018 to 2019?",
            "1,200-1,000",
            "200",
            {
                "What was the average of the total assets in 2018 and 2019?",
                "What was the percentage change in total assets from 2018 to 2019?",
            },
        ),
        (
            "What was the average total assets for 2018 and 2019?",
            "(1,200+1,000)/2",
            "1,100",
            {"What was the change in total assets from 2018 to 2019?"},
        ),
        # The article, and the scale after the years.
        (
            "what is average of revenue for 2018 and 2019?",
            "(900+800)/2",
            "850",
            {
                "what is the change in revenue from 2018 to 2019?",
                "what is the sum of revenue for 2018 and 2019?",
            },
        ),
        (
            "What was the change in revenue between 2018 and 2019, in thousands?",
            "900-800",
            "100",
            {
                "What was the sum of revenue in 2018 and 2019, in thousands?",
                "What was the average of revenue in 2018 and 2019, in thousands?",
            },
        ),
    ],
)
def test_wording_of_rewrites(
    report_question: Callable[..., Problem], question: str, derivation: str, answer: str, expected: set[str]
) -> None:
    rows = [["", "2019", "2018"], ["Total assets", "1,200", "1,000"], ["Revenue", "900", "800"]]
    asked = report_question(rows, "The table is in thousands.", question, derivation, answer, "thousand")
    assert {one.question for one in rewrites(asked)} == expected


def test_an_amount_of_the_text_keeps_the_scale_that_the_text_states(
    report_question: Callable[..., Problem],
) -> None:
    body = "Cash from operations was $1,310 million in 2019 and $1,345 million in 2018."
    question = "What was the percentage change in cash from operations from 2018 to 2019?"
    asked = report_question(
        [["", "2019"], ["Rent", "7"]], body, question, "(1,310-1,345)/1,345", "-2.6", "percent"
    )
    assert {(one.unit, one.equation.infix()) for one in rewrites(asked)} >= {("million", "1310 - 1345")}
    mixed = asked.replace(body=body.replace("$1,345 million", "$1,345 thousand"))
    assert not rewrites(mixed)


def test_shares_of_several_years_have_no_sum(report_question: Callable[..., Problem]) -> None:
    question = "What was the average sales from the north in 2017, 2018 and 2019?"
    for sign, unit, summed in (("%", "percent", False), ("%", "", False), ("", "", True)):
        rows = [["", "2019", "2018", "2017"], ["The north", f"31{sign}", f"35{sign}", f"24{sign}"]]
        asked = report_question(rows, "Sales by region.", question, "(31+35+24)/3", "30", unit)
        assert any(" combined " in made.question for made in rewrites(asked)) == summed
