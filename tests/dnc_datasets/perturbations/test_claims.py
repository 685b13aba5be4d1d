"""What the text of a report says of its table: a change of amounts that makes it false is refused."""

from __future__ import annotations

from collections.abc import Callable
from fractions import Fraction

import pytest

from dnc_datasets import numerals, perturbations
from dnc_datasets.draws import Draw
from dnc_datasets.perturbations.tables.claims import claims_hold, names_amounts, shows_pence
from dnc_datasets.perturbations.tables.document import grouping
from dnc_datasets.perturbations.tables.possible import possible
from dnc_datasets.problem import Problem

TABLE = (
    ("", "2019", "2018"),
    ("Restricted shares granted", "9,780", "8,412"),
    ("Impairment", "5,410", "1,711"),
)
CELLS = {
    (row, column): Fraction(numerals.parse(TABLE[row][column]) or 0) for row in (1, 2) for column in (1, 2)
}


def hold(before: str, after: str, **moved: int) -> bool:
    new = dict(CELLS)
    if "shares" in moved:
        new[1, 1] = Fraction(moved["shares"])
    if "impairment" in moved:
        new[2, 1] = Fraction(moved["impairment"])
    problem = Problem("1", before, "What was the impairment in 2019?", table=TABLE)
    return claims_hold(problem, problem.replace(body=after), CELLS, new)


@pytest.mark.parametrize(
    ("before", "after", "moved", "expected"),
    [
        # Parts that make up a cell.
        (
            "We recorded charges of $5.22 million for leases and $0.19 million for land.",
            "We recorded charges of $5.22 million for leases and $0.19 million for land.",
            {"impairment": 6120},
            False,
        ),
        (
            "We recorded charges of $5.22 million for leases and $0.19 million for land.",
            "We recorded charges of $5.93 million for leases and $0.19 million for land.",
            {"impairment": 6120},
            True,
        ),
        # A sentence that subtracts.
        (
            "The sale brought $1.2 million less costs of $0.1 million, a gain of $1.1 million.",
            "The sale brought $1.2 million less costs of $0.1 million, a gain of $1.0 million.",
            {"impairment": 5411},
            False,
        ),
        # The next sentence gives the result.
        (
            "The land went for $1.2m less cost of sale of $0.1m. This made a gain of $1.1m.",
            "The land went for $9.6m less cost of sale of $0.8m. This made a gain of $8.1m.",
            {"impairment": 5411},
            False,
        ),
        # A part and its share of a total.
        (
            "Leases made $2.2 million or 41% of the impairment.",
            "Leases made $2.2 million or 41% of the impairment.",
            {"impairment": 7200},
            False,
        ),
        # The same amount in two currencies.
        (
            "The loan of NZ$ 13.0 million (AU$ 12.0 million) is due.",
            "The loan of NZ$ 13.0 million (AU$ 9.0 million) is due.",
            {"impairment": 5411},
            False,
        ),
        (
            "The loan of NZ$ 13.0 million (AU$ 12.0 million) is due.",
            "The loan of NZ$ 26.0 million (AU$ 24.0 million) is due.",
            {"impairment": 5411},
            True,
        ),
        # A limit for what the table counts.
        (
            "The plan allows 9,900 restricted shares a year.",
            "The plan allows 9,900 restricted shares a year.",
            {"shares": 78240},
            False,
        ),
        (
            "The plan allows 9,900 restricted shares a year.",
            "The plan allows 9,900 restricted shares a year.",
            {"shares": 9790},
            True,
        ),
    ],
)
def test_what_the_text_says_remains_true(
    before: str, after: str, moved: dict[str, int], expected: bool
) -> None:
    assert hold(before, after, **moved) is expected


def test_a_label_may_state_an_amount() -> None:
    assert names_amounts((("", "2019"), ("Notes due 2025, $500 million", "498")))
    assert not names_amounts((("", "2019"), ("Notes due 2025", "498")))


def test_shares_and_their_par_value_move_together() -> None:
    table = (
        ("", "Shares", "Amount"),
        ("Opening balance", "91,979,704", "9,198"),
        ("Issued", "5,128,991", "513"),
        ("Closing balance", "97,108,695", "9,711"),
    )
    cells = {
        (row, column): Fraction(numerals.parse(table[row][column]) or 0)
        for row in (1, 2, 3)
        for column in (1, 2)
    }
    found = possible(table, 1, cells, dict.fromkeys(cells, 0))
    assert not found.kept(
        cells, {**cells, (2, 1): cells[2, 1] * 2, (3, 1): cells[3, 1] + cells[2, 1]}, Fraction(1)
    )
    moved = {cell: size * (2 if cell[0] == 2 else 1) for cell, size in cells.items()}
    moved[3, 1], moved[3, 2] = moved[1, 1] + moved[2, 1], moved[1, 2] + moved[2, 2]
    assert found.kept(cells, moved, Fraction(1))


@pytest.mark.parametrize(
    ("body", "cell", "mark"),
    [
        ("Sales grew to $980 million.", "980", ","),
        ("Sales grew to $980 million.", "13188", ""),
        ("sales grew to $ 980 million .", "980", ""),
        ("sales grew to $ 1,980 million .", "980", ","),
        ("", "980", ","),
    ],
)
def test_thousands_are_grouped_as_the_document_does(body: str, cell: str, mark: str) -> None:
    problem = Problem("1", body, "what were sales?", table=(("", "2019"), ("sales", cell)))
    assert grouping(problem) == mark


@pytest.mark.parametrize(
    ("question", "unit", "answer"),
    [
        ("What was the percentage of exports in revenue?", "percent", "96"),
        ("What was the share of exports in revenue, in percent?", "percent", "96"),
    ],
)
def test_a_share_of_a_whole_is_compared_with_no_more_than_all_of_it(
    question: str, unit: str, answer: str
) -> None:
    table = (("", "2019"), ("Exports", "96"), ("Revenue", "100"))
    problem = Problem("1", "", question, table=table, equation="96 / 100 * 100", answer=answer, unit=unit)
    step = perturbations.get("append_bool", "table")
    asked = [step.apply(problem, Draw(seed, "d", "1", "append_bool")) for seed in range(40)]
    values = [max(one.value for one in numerals.find(made.question)) for made in asked if made is not None]
    assert values
    assert max(values) <= 100


def test_a_balance_of_totals_is_found_past_their_parts(report_question: Callable[..., Problem]) -> None:
    rows = [
        ["", "2019", "2018"],
        ["Loss carryforwards", "161,119", "129,436"],
        ["Restructuring costs", "17,845", "17,202"],
        ["Total deferred tax asset", "178,964", "146,638"],
        ["Valuation allowance", "(77,328)", "(80,924)"],
        ["Research credits", "(14,482)", "(13,342)"],
        ["Other liabilities", "(22,599)", "(22,668)"],
        ["Deferred tax liabilities", "(37,081)", "(36,010)"],
        ["Net deferred tax asset", "64,555", "29,704"],
    ]
    asked = report_question(
        rows, "", "What was the change in restructuring costs?", "17,845-17,202", "643", ""
    )
    for name in ("noise_plausible", "distribution_plausible"):
        for seed in range(6):
            made = perturbations.get(name, "table").apply(asked, Draw(seed, "d", "1", name))
            for column in (1, 2) if made is not None else ():
                total, allowance, liabilities, net = (
                    numerals.find(made.table[row][column].strip("()"))[0].value for row in (3, 4, 7, 8)
                )
                assert total - allowance - liabilities == net


def test_an_amount_above_its_share_of_an_unseen_total_stays(report_question: Callable[..., Problem]) -> None:
    rows = [
        ["", "2019", "2018"],
        ["Cost of net revenue", "149,495", "176,223"],
        ["% of net revenue", "47%", "46%"],
        ["Gross profit", "167,685", "208,774"],
        ["% of net revenue", "53%", "54%"],
    ]
    asked = report_question(
        rows, "", "What was the change in cost of net revenue?", "149,495-176,223", "-26,728", "thousand"
    )
    for seed in range(6):
        made = perturbations.get("noise_plausible", "table").apply(
            asked, Draw(seed, "d", "1", "noise_plausible")
        )
        if made is not None:
            shares = [
                numerals.find(made.table[row][1])[0].value / numerals.find(asked.table[row][1])[0].value
                for row in (1, 3)
            ]
            assert abs(shares[0] - shares[1]) < Fraction(1, 1000)


def test_a_change_that_a_heading_names_follows_its_row(report_question: Callable[..., Problem]) -> None:
    rows = [["", "2019", "2018"], ["AMER", "412.9", "390.1"], ["APAC", "208.2", "213.9"]]
    text = "APAC. Operating income decreased $5.7 million."
    asked = report_question(rows, text, "What was the change in APAC?", "208.2-213.9", "-5.7", "million")
    for name in ("noise_plausible", "distribution_plausible"):
        for seed in range(6):
            made = perturbations.get(name, "table").apply(asked, Draw(seed, "d", "1", name))
            if made is not None:
                new, old = (numerals.find(made.table[2][column])[0].value for column in (1, 2))
                stated = numerals.find(made.body)[0].value / 10**6
                assert abs(stated - (old - new)) <= Fraction(1, 20)


def test_amounts_of_a_column_with_an_effective_tax_rate_stay(report_question: Callable[..., Problem]) -> None:
    rows = [
        ["", "2019", "2018"],
        ["Federal tax at the statutory rate", "12,610", "9,870"],
        ["Valuation allowance", "(6,387)", "1,204"],
        ["Provision for income taxes", "6,223", "11,074"],
        ["Effective tax rate", "10.4%", "31.6%"],
    ]
    asked = report_question(
        rows, "", "What was the change in the valuation allowance?", "-6,387-1,204", "-7591", "thousand"
    )
    for seed in range(6):
        made = perturbations.get("noise_plausible", "table").apply(
            asked, Draw(seed, "d", "1", "noise_plausible")
        )
        if made is not None:
            first, last = (
                numerals.find(made.table[3][column])[0].value / numerals.find(asked.table[3][column])[0].value
                for column in (1, 2)
            )
            assert abs(first - last) < Fraction(1, 100)


def test_prices_of_shares_stay(report_question: Callable[..., Problem]) -> None:
    rows = [["", "High", "Low"], ["First quarter", "2.22", "1.11"], ["Second quarter", "2.52", "1.32"]]
    asked = report_question(rows, "", "What was the range in the first quarter?", "2.22-1.11", "1.11", "")
    for name in ("noise_plausible", "distribution_plausible"):
        assert perturbations.get(name, "table").apply(asked, Draw(0, "d", "1", name)) is None


def test_shares_outstanding_in_full_stop_growing_counts() -> None:
    body = "Common stock outstanding at the end of 2019 was 9,986,352."
    assert not hold(body, body, shares=97800)
    assert hold(
        "The company has two classes of stock.", "The company has two classes of stock.", shares=97800
    )


@pytest.mark.parametrize(
    ("label", "shown"),
    [
        ("Gross margin (as percentage of net revenues)", ("38.7%", "40.0%")),
        ("Emissions per employee (tonnes per employee)", ("1.90", "2.01")),
        ("Effective tax rate", ("13.0%", "15.4%")),
    ],
)
def test_amounts_of_a_quotient_that_the_table_does_not_explain_grow_together(
    label: str, shown: tuple[str, str]
) -> None:
    table = (
        ("", "2019", "2018"),
        ("Cost of sales", "5,860", "5,803"),
        ("Profit", "3,696", "3,861"),
        (label, *shown),
    )
    cells = {
        (row, column): Fraction(numerals.parse(table[row][column]) or 0)
        for row in (1, 2)
        for column in (1, 2)
    }
    found = possible(table, 1, cells, dict.fromkeys(cells, 0))
    assert not found.kept(cells, {**cells, (2, 1): cells[2, 1] * 2}, Fraction(1))
    assert found.kept(cells, {cell: size * 7 for cell, size in cells.items()}, Fraction(7))


def test_a_dividend_is_what_each_share_gets() -> None:
    before = (
        "We will pay $0.16 per common share. The estimated payment is $24.8 million for 154.7 million shares."
    )
    assert not hold(before, before.replace("24.8", "297.6"), impairment=6120)
    assert hold(before, before, impairment=6120)


VESTING = (
    ("", "Termination", "Death"),
    ("Restricted stock units", "377,400", "188,700"),
    ("Total", "377,400", "188,700"),
)


@pytest.mark.parametrize(("factors", "expected"), [((11, 11), True), ((11, 10), False), ((10, 10), True)])
def test_counts_of_one_price_keep_it(factors: tuple[int, int], expected: bool) -> None:
    body = "Termination vests 15,000 units. Death vests 7,500 units, one half of them."
    problem = Problem("1", body, "What is due on termination?", table=VESTING)
    old = {(row, column): Fraction((377_400, 188_700)[column - 1]) for row in (1, 2) for column in (1, 2)}
    new = {(row, column): size * factors[column - 1] / 10 for (row, column), size in old.items()}
    assert claims_hold(problem, problem, old, new) is expected


@pytest.mark.parametrize(
    ("cell", "expected"), [("265.7p", True), ("(12.5)p", True), ("4 cents", True), ("6.4 years", False)]
)
def test_values_in_pence_are_recognised(cell: str, expected: bool) -> None:
    assert shows_pence((("", "2019"), ("Adjusted earnings per share", cell))) is expected
