"""Numbers over tables, plausible and as published: what adds up, which operands move, and where none may."""

from __future__ import annotations

import re
from collections.abc import Callable
from fractions import Fraction
from itertools import pairwise
from pathlib import Path

import pytest

from dnc_datasets import expression, numerals, perturbations
from dnc_datasets.certificate import CHECKS, certify, tables
from dnc_datasets.draws import Draw
from dnc_datasets.perturbations.numbers.amounts import is_year
from dnc_datasets.perturbations.table_values import add_decimal_digit, shift_operands
from dnc_datasets.perturbations.tables.document import Origins
from dnc_datasets.perturbations.tables.restated import read_texts
from dnc_datasets.problem import Problem
from dnc_datasets.serving import catalogue
from dnc_datasets.tables.typed import AMOUNT, GROWING, PER_SHARE, Typed, typed

NAMES = ("noise_plausible", "distribution_plausible")
Read = Callable[..., Problem]
DNC = "microsoft/NumberDiagnosis/b646a7179b4619dadfae009a4e68a562394c8ad9/data/dataset/tatqa-a"
ROWS = [
    ["", "Notes", "2019", "2018"],
    ["", "", "$m", "$m"],
    ["Product", "4", "1,196", "1,062"],
    ["Services", "5(a)", "304", "238"],
    ["Total revenue", "", "1,500", "1,300"],
    ["Effective tax rate", "", "21.0", "22.5"],
    ["Earnings per share", "", "2.10", "1.90"],
]


@pytest.fixture
def report(report_question: Read) -> Problem:
    return report_question(
        ROWS,
        "Product revenue was $1,196 million in 2019, as Note 4 says.",
        "What was the change in total revenue from 2018 to 2019?",
        "1,500-1,300",
        "200",
        "million",
    )


def changed(problem: Problem, name: str, seed: int = 0) -> Problem | None:
    step = perturbations.get(name, "table")
    made = step.apply(problem, Draw(seed, "d", problem.id, name))
    if made is not None:
        certify(problem, made, step)
    return made


@pytest.mark.parametrize("name", NAMES)
@pytest.mark.parametrize("seed", range(4))
def test_totals_text_and_answer_follow_and_the_rest_stays(report: Problem, name: str, seed: int) -> None:
    made = changed(report, name, seed)
    assert made is not None
    cells = {(r, c): cell.replace(",", "") for r, row in enumerate(made.table) for c, cell in enumerate(row)}
    assert Fraction(cells[2, 2]) + Fraction(cells[3, 2]) == Fraction(cells[4, 2]) != 1500
    assert Fraction(made.answer) == Fraction(cells[4, 2]) - Fraction(cells[4, 3])
    assert made.table[2][2] in made.body
    for row in (0, 1, 5, 6):
        assert made.table[row] == report.table[row]
    assert [row[1] for row in made.table] == [row[1] for row in report.table]


@pytest.mark.parametrize("name", NAMES)
def test_an_amount_in_the_question_is_left_alone(report: Problem, name: str) -> None:
    asked = report.replace(question="How many times $300 million was the change from 2018 to 2019?")
    assert changed(asked, name) is None


def test_which_cells_grow() -> None:
    table = [
        ["", "2019", "Rate %"],
        ["Fixed rate loans", "900", "4"],
        ["Other loans", "150", "5"],
        ["Leases", "50", "6"],
        ["Total", "1,100", ""],
        ["Interest rate", "3.5", ""],
        ["Sales (1)", "12 and 13", ""],
    ]
    assert read(table).unclear  # a cell with two numbers
    table.pop()
    assert not read(table).unclear
    assert read(table).cells(*GROWING) == {(1, 1), (2, 1), (3, 1), (4, 1)}


def read(rows: list[list[str]]) -> Typed:
    return typed(tuple(map(tuple, rows)))


@pytest.mark.parametrize(
    ("rows", "broken", "hold"),
    [
        # a labelled total of two
        ([["", "x"], ["a", "7"], ["b", "8"], ["Total", "15"]], (3, 1, "16"), False),
        ([["", "x"], ["a", "7"], ["b", "8"], ["Total", "15"]], (0, 1, "y"), True),
        # two that add up by chance are no relation
        ([["", "x"], ["a", "7"], ["b", "8"], ["c", "15"]], (3, 1, "90"), True),
        # three are
        ([["", "x"], ["a", "70"], ["b", "80"], ["c", "90"], ["d", "240"]], (4, 1, "250"), False),
        # up to rounding
        ([["", "x"], ["a", "70.1"], ["b", "80.2"], ["Total", "150.4"]], (3, 1, "150.2"), True),
        ([["", "x"], ["a", "70.1"], ["b", "80.2"], ["Total", "150.4"]], (3, 1, "151.4"), False),
        # a total of totals
        (
            [["", "x"], ["Total 1", "23"], ["c", "20"], ["Total 2", "41"], ["Total", "64"]],
            (4, 1, "74"),
            False,
        ),
        # a change, and its percentage
        ([["", "2019", "2018", "Change"], ["a", "120", "100", "20"]], (1, 3, "30"), False),
        ([["", "2019", "2018", "% change"], ["a", "120", "100", "20.0%"]], (1, 1, "160"), False),
        # a difference by label
        ([["", "x"], ["Sales", "900"], ["Costs", "300"], ["Gross profit", "600"]], (3, 1, "700"), False),
    ],
)
def test_the_certificate_finds_what_no_longer_holds(
    rows: list[list[str]], broken: tuple[int, int, str], hold: bool
) -> None:
    original = Problem("1", "", "?", table=tuple(map(tuple, rows)))
    row, column, text = broken
    perturbed = original.with_texts({f"table.{row}.{column}": text})
    assert CHECKS["relations_hold"](original, perturbed) is hold


def test_the_certificate_finds_a_figure_of_the_text_that_stayed() -> None:
    original = Problem("1", "Sales were 1,196.", "?", table=(("", "x"), ("Sales", "1,196")))
    moved = original.with_texts({"table.1.1": "2,392"})
    assert not CHECKS["restatements_follow"](original, moved)
    assert CHECKS["restatements_follow"](original, moved.replace(body="Sales were 2,392."))


def test_the_certificate_finds_fractions_of_people() -> None:
    original = Problem("1", "", "?", table=(("", "x"), ("Number of employees", "11")))
    moved = original.with_texts({"table.1.1": "12.1"})
    assert not CHECKS["counts_stay_whole"](original, moved)
    assert CHECKS["counts_stay_whole"](original.replace(meta=(("table_scale", "thousand"),)), moved)


def test_real_tables(mirror: Path, standin: Path, tmp_path: Path) -> None:
    (tmp_path / "trainset.json").symlink_to(standin / "tatqa-a" / "trainset.json")
    for name in ("validset.json", "testset.json"):
        (tmp_path / name).symlink_to(mirror / DNC / name)
    made = held = 0
    for row in catalogue.read("tatqa_a", given=tmp_path)["test"][:250]:
        perturbed = changed(row, "distribution_plausible")
        if perturbed is None:
            continue
        made += 1
        held += len(tables.found_relations(row.table))
        years = [cell for line in row.table for cell in line if is_year(cell)]
        assert years == [cell for line in perturbed.table for cell in line if is_year(cell)]
    assert made >= 100  # of 625 rows, at least 250
    assert held > made


@pytest.mark.parametrize(
    ("text", "cell", "new", "becomes"),
    [
        (
            "Sales were $90.3 million.",
            "90,253",
            "54,152",
            "Sales were $54.2 million.",
        ),  # rounded again: not 54.18
        ("Sales were $13.3 million.", "13,333", "146,663", "Sales were $146.7 million."),
        (
            "Sales were $9.7 million.",
            "13,333",
            "26,666",
            "Sales were $19.4 million.",
        ),  # no cell: it grows with them
        ("Sales rose by $2,333 or 21.2%.", "13,333", "12,000", "Sales rose by $1,000 or 9.1%."),
    ],
)
def test_a_figure_of_the_text_follows_its_cells(text: str, cell: str, new: str, becomes: str) -> None:
    table = (("", "2019", "2018"), ("Sales", cell, "11,000"))
    problem = Problem("1", text, "?", table=table, meta=(("table_scale", "thousand"),))
    origins = Origins(table, typed(table))
    texts = read_texts(problem, origins)
    value = Fraction(new.replace(",", ""))
    assert texts is not None
    moved = texts.moved(problem, {**origins.values, (1, 1): value}, Fraction(2))
    assert moved is not None
    assert moved.body == becomes


@pytest.mark.parametrize("label", ["\u2013209", "\u2212 209"])
def test_a_dash_before_a_figure_is_not_read(label: str) -> None:
    assert read([["", "2019"], ["Sales", "900"], ["Costs", label]]).unclear
    assert not read([["", "2019"], ["Sales", "900"], ["Costs", "209"]]).unclear


def test_rows_under_a_heading_per_share_are_of_one_share() -> None:
    head = [["", "2019"], ["Sales", "900"]]
    assert read([*head, ["Earnings per share:", ""], ["Basic", "0.73"]]).kinds[3, 1] == PER_SHARE
    assert read([*head, ["Earnings:", ""], ["Basic", "73"]]).kinds[3, 1] == AMOUNT


@pytest.mark.parametrize(
    ("before", "after", "holds"),
    [
        ("It cost $10.1 and $5.2, in all $15.3.", "It cost $60.6 and $5.2, in all $91.8.", False),
        ("It cost $10.1 and $5.2, in all $15.3.", "It cost $60.6 and $31.2, in all $91.8.", True),
        ("Of $21.2 it paid $12.7, so $8.5 was left.", "Of $254.2 it paid $152.4, so $102.0 was left.", False),
        ("It rose by 41.1% from $37.5 to $52.9.", "It rose by 41.1% from $26.2 to $37.0.", False),
        ("It rose by 41.1% from $37.5 to $52.9.", "It rose by 41.1% from $375.0 to $529.0.", True),
        ("It rose by 40% from $37.5 to $52.9.", "It rose by 40% from $26.2 to $99.0.", True),
        ("It had $1, $2 and $3.", "It had $4, $2 and $3.", True),
        ("Up $15.6: $18.2 less $2.3 and $0.3.", "Up $21.8: $25.5 less $3.2 and $0.4.", False),
        ("It cost $10.1 and $5.2.", "It cost $10.1.", False),
    ],
)
def test_what_amounts_of_a_text_make_together_still_holds(before: str, after: str, holds: bool) -> None:
    problem = Problem("1", before, "How much?")
    assert CHECKS["told_sums_hold"](problem, problem.replace(body=after)) == holds


PLAIN_ROWS = [
    ["", "2019", "2018", "Change"],
    ["Pens", "$35", "31", "4"],
    ["Fiscal 2018 plan", "76", "59", "17"],
    ["Share of sales", "17.7", "16.0", ""],
    ["Parts of the whole", "6", "80", "74"],
    ["Cash", "43", "208", ""],
]


@pytest.fixture
def asked(report_question: Callable[..., Problem]) -> Callable[..., Problem]:
    def ask(
        question: str, derivation: str, answer: str, scale: str = "million", body: str = "A note."
    ) -> Problem:
        return report_question(PLAIN_ROWS, body, question, derivation, answer, scale)

    return ask


def shifted(problem: Problem) -> list[Problem]:
    """What ten draws make of a problem."""
    made = (shift_operands(problem, Draw(seed, "d", "q", "distribution")) for seed in range(10))
    return [one for one in made if one is not None]


def test_what_grows_past_999_is_grouped(asked: Callable[..., Problem]) -> None:
    made = shifted(asked("What is the average of cash?", "(43+208)/2", "125.5"))
    cells = [cell for problem in made for cell in problem.table[5][1:3] if len(cell.replace(",", "")) > 3]
    assert cells
    assert all("," in cell for cell in cells)


@pytest.mark.parametrize(
    ("question", "derivation", "answer", "scale", "body"),
    [
        # the old answer is beside the operands, or in the text
        ("What is the change in pens?", "35-31", "4", "million", "A note."),
        (
            "What is the average of cash?",
            "(43+208)/2",
            "125.5",
            "million",
            "It was $125.5 million on average.",
        ),
        # an operand that was computed from the others
        ("What is the gain in pens?", "4/31", "12.9", "percent", "A note."),
        # percentages without a sign
        ("What is the change in the share of sales?", "17.7-16.0", "1.7", "percent", "A note."),
        # the row also gives the difference of the two
        ("What is the share of the parts?", "6/80", "7.5", "percent", "A note."),
        # an operand that the text states in another scale
        (
            "What is the average of cash?",
            "(43+208)/2",
            "125.5",
            "million",
            "Cash was $0.208 billion in 2018.",
        ),
        # an operand that only the text gives, in another scale
        ("What is cash without the loan?", "208-4.3", "203.7", "million", "The loan is $4.3 million."),
    ],
)
def test_left_alone(
    asked: Callable[..., Problem], question: str, derivation: str, answer: str, scale: str, body: str
) -> None:
    assert shifted(asked(question, derivation, answer, scale, body)) == []


def test_noise_may_agree_with_a_rounded_statement(asked: Callable[..., Problem]) -> None:
    problem = asked(
        "What is the average of cash?", "(43+208)/2", "125.5", body="It was about 126 on average."
    )
    made = [add_decimal_digit(problem, Draw(seed, "d", "q", "noise")) for seed in range(20)]
    values = [expression.parse(one.equation).value() for one in made if one]
    assert values
    assert all(Fraction("125.5") < value < Fraction("126.5") for value in values)


@pytest.mark.parametrize(
    ("question", "derivation", "answer", "scale"),
    [
        ("How much of the cash of 2018 is that of 2019?", "43/208", "20.67", "percent"),
        ("How much more cash was there in 2018?", "208-43", "165", "million"),
    ],
)
def test_parts_stay_smaller_and_more_stays_more(
    asked: Callable[..., Problem], question: str, derivation: str, answer: str, scale: str
) -> None:
    made = shifted(asked(question, derivation, answer, scale))
    assert len(made) == 10
    for problem in made:
        now, then = (Fraction(cell.replace(",", "")) for cell in problem.table[5][1:3])
        assert now < then


# What follows from other figures, found by arithmetic alone.

REPORTED = [
    ["", "As reported 2017", "Adjustments", "Adjusted 2018"],
    ["Receivables", "$201.8", "$(6.2)", "$195.6"],
    ["Prepaid expenses", "44.6", "11.8", "56.4"],
    ["Software", "416.8", "1.8", "418.6"],
    ["Deferred costs", "136.1", "13.3", "149.4"],
]
MARGINS = [
    ["", "2019", "2018", "2017"],
    ["Net sales", "9,091", "8,732", "9,037"],
    ["Operating profit", "844", "936", "1,065"],
    ["Operating margins", "9.3%", "10.7%", "11.8%"],
]
BALANCES = [
    ["", "2019", "2018"],
    ["Beginning balance", "$1.6", "$1.5"],
    ["Charged to expense", "5.4", "5.8"],
    ["Payments", "(5.5)", "(5.7)"],
    ["Ending balance", "$1.5", "$1.6"],
]
SHARES_OF_SALES = [
    ["", "2019", "Percentage of net sales"],
    ["Research", "117,353", "8.2%"],
    ["Selling", "272,257", "19.0%"],
    ["Amortization", "13,760", "1.0%"],
    ["Operating expenses", "403,370", "28.2%"],
]
EARNINGS = [
    ["", "2019", "2018"],
    ["Net income", "$167.0", "$188.5"],
    ["Per common share:", "", ""],
    ["Net earnings:", "", ""],
    ["Basic", "$3.46", "$3.96"],
    ["Weighted average shares outstanding:", "", ""],
    ["Basic", "47.7", "47.2"],
]


def cell(problem: Problem, row: int, column: int) -> Fraction:
    text = problem.table[row][column].strip("$%() ").replace(",", "")
    return -Fraction(text) if "(" in problem.table[row][column] else Fraction(text)


@pytest.mark.parametrize("name", NAMES)
@pytest.mark.parametrize("seed", range(4))
@pytest.mark.parametrize(
    ("rows", "derivation", "answer", "holds"),
    [
        (
            REPORTED,
            "416.8-44.6",
            "372.2",
            lambda p: all(cell(p, row, 1) + cell(p, row, 2) == cell(p, row, 3) for row in range(1, 5)),
        ),
        (
            MARGINS,
            "9,091-8,732",
            "359",
            lambda p: all(
                abs(cell(p, 2, at) / cell(p, 1, at) * 100 - cell(p, 3, at)) <= Fraction(1, 20)
                for at in range(1, 4)
            ),
        ),
        (
            BALANCES,
            "5.8-5.4",
            "0.4",
            lambda p: (
                cell(p, 4, 2) == cell(p, 1, 1)
                and cell(p, 1, 2) + cell(p, 2, 2) + cell(p, 3, 2) == cell(p, 4, 2)
            ),
        ),
        (
            SHARES_OF_SALES,
            "272,257-117,353",
            "154904",
            lambda p: (
                abs(cell(p, 2, 1) / cell(p, 1, 1) - Fraction(272257, 117353)) < Fraction(1, 1000)
                and p.table[1][2] == "8.2%"
            ),
        ),
        (
            EARNINGS,
            "188.5-167.0",
            "21.5",
            lambda p: abs(cell(p, 1, 1) / cell(p, 6, 1) / cell(p, 4, 1) - 1) < Fraction(1, 25),
        ),
    ],
    ids=["adjusted", "margins", "balances", "hidden base", "per share"],
)
def test_what_followed_by_arithmetic_follows(
    report_question: Read,
    rows: list[list[str]],
    derivation: str,
    answer: str,
    holds: Callable[[Problem], bool],
    name: str,
    seed: int,
) -> None:
    problem = report_question(rows, "A note.", "What was the difference?", derivation, answer, "million")
    made = changed(problem, name, seed)
    if name == "noise_plausible" and rows is not BALANCES:
        assert made is not None
    assert made is None or (made.table != problem.table and holds(made))


@pytest.mark.parametrize(
    ("rows", "cells"),
    [
        (REPORTED, {"table.3.3": "467.8"}),
        (MARGINS, {"table.2.1": "1,844", "table.2.2": "1,936"}),
        (BALANCES, {"table.1.1": "$2.1", "table.4.1": "$2.0"}),
        (SHARES_OF_SALES, {"table.1.1": "152,353", "table.4.1": "438,370"}),
        (EARNINGS, {"table.1.1": "$133.6", "table.6.1": "38.2", "table.4.1": "$2.77"}),
    ],
    ids=["adjusted", "margins", "balances", "hidden base", "per share"],
)
def test_the_certificate_finds_what_no_longer_follows(
    report_question: Read, rows: list[list[str]], cells: dict[str, str]
) -> None:
    problem = report_question(rows, "A note.", "What was the difference?", "5-4", "1", "million")
    agree = CHECKS["restatements_agree"]
    assert agree(problem, problem)
    assert not agree(problem, problem.with_texts(cells))


@pytest.mark.parametrize(
    ("text", "new", "agrees"),
    [
        ("Notes of US$8.3 billion were issued.", "Notes of US$9.1 billion were issued.", False),
        ("Notes of US$8.30 billion were issued.", "Notes of US$9.96 billion were issued.", True),
        ("Notes of US$8.30 billion were issued.", "Notes of US$8.30 billion were issued.", False),
        ("Leases of about $0.45 billion were added.", "Leases of about $0.45 billion were added.", True),
    ],
)
def test_the_certificate_reads_other_scales(report_question: Read, text: str, new: str, agrees: bool) -> None:
    rows = [["", "2019", "2018"], ["Senior notes", "8,300", "6,050"], ["Cash", "1,111", "905"]]
    problem = report_question(rows, text, "What was the change in cash?", "1,111-905", "206", "million")
    moved = problem.with_texts({"table.1.1": "9,960", "table.1.2": "7,260", "body": new})
    assert CHECKS["restatements_agree"](problem, moved) is agrees


@pytest.mark.parametrize("seed", range(6))
def test_a_rounded_amount_in_another_scale_moves_with_its_cell(report_question: Read, seed: int) -> None:
    rows = [["", "2019", "2018"], ["Senior notes", "8,312", "6,050"], ["Cash", "1,111", "905"]]
    text = "Senior notes were $8.3 billion at the end of 2019."
    problem = report_question(rows, text, "What was the change in cash?", "1,111-905", "206", "million")
    made = changed(problem, "noise_plausible", seed)
    assert made is not None
    assert f"${round(cell(made, 1, 1) / 100) / 10} billion" in made.body


def test_a_debt_that_is_not_in_the_tables_currency_stays_with_its_text(report_question: Read) -> None:
    rows = [["", "2019", "2018"], ["Debt in dollars", "US$ 8,300", "US$ 6,050"], ["Cash", "1,111", "905"]]
    text = "We had US$8.3 billion of notes."
    problem = report_question(rows, text, "What was the change in cash?", "1,111-905", "206", "million")
    assert changed(problem, "noise_plausible") is None


def test_parts_of_an_increase_stay_within_it(report_question: Read) -> None:
    rows = [["", "2019", "2018"], ["Research", "142,785", "119,355"], ["Selling", "98,340", "91,207"]]
    text = "Research increased $23.4 million, due to personnel of $13.6 million and rent of $4.1 million."
    problem = report_question(
        rows, text, "What was the change in research?", "142,785-119,355", "23430", "thousand"
    )
    for seed in range(12):
        made = changed(problem, "noise_plausible", seed)
        if made is not None:
            whole, *parts = (quantity.value for quantity in numerals.find(made.body))
            assert sum(parts) <= whole


def test_amounts_with_cents_beside_values_per_share_stay(report_question: Read) -> None:
    rows = [
        ["", "2019", "2018"],
        ["Specified items", "$1,466", "$1,261"],
        ["After tax", "971", "892"],
        ["Impact on earnings per share", "(4.34)", "(4.10)"],
        ["Dilution from shares issued", "(0.54)", "(0.31)"],
    ]
    problem = report_question(rows, "A note.", "What was the change?", "1,466-1,261", "205", "million")
    made = changed(problem, "noise_plausible")
    assert made is not None
    assert made.table[4] == problem.table[4]


def test_a_count_that_the_text_shortens_makes_the_row_stay(report_question: Read) -> None:
    rows = [["", "2019", "2018"], ["Transferred", "152,644", "149,210"], ["Sold", "8,253", "45,917"]]
    text = "We transferred 153 units of them in 2019."
    problem = report_question(rows, text, "What was the change?", "152,644-149,210", "3434", "")
    assert changed(problem, "noise_plausible") is None
    assert changed(problem.replace(body="We transferred many."), "noise_plausible") is not None


# Denials, words and statements in reports.


def in_report(report_question: Read, text: str, name: str, seed: int = 0) -> str:
    rows = [["", "2019", "2018"], ["Marketing costs", "310", "295"], ["Rent", "42", "40"]]
    problem = report_question(rows, text, "What was the change in rent?", "42-40", "2", "million")
    made = perturbations.get(name, "table").apply(problem, Draw(seed, "d", problem.id, name), None)
    return made.body if made is not None else ""


@pytest.mark.parametrize("seed", range(8))
def test_a_denied_number_has_the_form_of_the_true_one(report_question: Read, seed: int) -> None:
    text = "The first nine months were calm. Each share cost $1.18 in May. Some 4.5% of the orders came late."
    body = in_report(report_question, text, "verbosity_plausible", seed)
    per_share, percent = re.findall(
        r"\(not ([^)]*)\)", body
    )  # a period is denied only where there is no other
    assert re.fullmatch(r"\$\d\.\d\d", per_share)
    assert re.fullmatch(r"\d\.\d%", percent)


@pytest.mark.parametrize("seed", range(4))
def test_a_report_denies_one_number_of_a_sentence(report_question: Read, seed: int) -> None:
    text = "Orders rose by 4.5% to 15,000, the shops from 12 to 14. Each share cost $1.18 in May."
    body = in_report(report_question, text, "verbosity_plausible", seed)
    first, _, second = body.partition(". Each")
    assert first.count("(not") <= 1
    assert second.count("(not") == 1


@pytest.mark.parametrize(
    "text",
    [
        "The axis shows $40.00 $60.00 $80.00 $100.00 of them.",
        "Volume grew in five of our six groups.",
    ],
)
def test_labels_of_an_axis_and_parts_of_a_whole_are_not_denied(report_question: Read, text: str) -> None:
    assert "(not" not in in_report(report_question, text, "verbosity_plausible")


@pytest.mark.parametrize(
    "text",
    [
        "We invested $100 in this venture.",  # in millions, as the table
        "Costs were $3,941.5 million.",
        "There are $61.6 million foreign losses.",
    ],
)
def test_amounts_that_would_read_badly_stay_in_digits(report_question: Read, text: str) -> None:
    assert in_report(report_question, text, "language_plausible") in ("", text)


def test_an_amount_with_its_scale_is_spelled(report_question: Read) -> None:
    body = in_report(report_question, "Fees were $12 million in May.", "language_plausible")
    assert body == "Fees were twelve million dollars in May."


@pytest.mark.parametrize("seed", range(8))
def test_a_statement_for_a_report_is_a_cost_or_a_count_of_the_year(report_question: Read, seed: int) -> None:
    body = in_report(report_question, "The Company sells pens for $2 each.", "extra_plausible", seed)
    stated, added = body.split("\n\n")
    assert stated == "The Company sells pens for $2 each."
    assert not {"310", "295", "42", "40", "2019", "2018"} & set(re.findall(r"\d+", added))
    assert re.fullmatch(r"[A-Z].* year.*\.|At year-end, .*\.", added)
    assert len(numerals.find(added)) == 1


def assets(report_question: Read, text: str = "") -> Problem:
    """A roll-forward in which disposals are taken away, with the carrying amount below."""
    rows = [
        ["", "2019", "2018"],
        ["Cost at 1 January", "41,302", "38,915"],
        ["Additions", "6,127", "5,204"],
        ["Disposals", "2,944", "2,817"],
        ["Cost at 31 December", "44,485", "41,302"],
        ["Depreciation at 31 December", "17,208", "15,611"],
        ["Carrying amount", "27,277", "25,691"],
    ]
    return report_question(rows, text, "What was the change in additions?", "6,127-5,204", "923", "thousand")


@pytest.mark.parametrize("name", NAMES)
@pytest.mark.parametrize("seed", range(4))
def test_a_roll_forward_with_disposals_still_rolls(report_question: Read, name: str, seed: int) -> None:
    made = changed(assets(report_question), name, seed)
    assert made is not None
    for at in (1, 2):
        opening, added, gone, closing, worn, left = (cell(made, row, at) for row in range(1, 7))
        assert opening + added - gone == closing == worn + left
    assert made.table[1][1] == made.table[4][2]


@pytest.mark.parametrize("seed", range(4))
def test_only_the_amounts_that_the_question_needs_move(report_question: Read, seed: int) -> None:
    rows = [
        ["", "2019", "2018"],
        ["Rent", "4,310", "4,125"],
        ["Travel", "1,877", "1,702"],
        ["Tax", "655", "598"],
    ]
    text = "The fee of $3,125 thousand was paid in full."
    asked = report_question(rows, text, "What was the change in travel?", "1,877-1,702", "175", "thousand")
    made = changed(asked, "noise_plausible", seed)
    assert made is not None
    assert made.table[2] != asked.table[2]
    assert (made.table[1], made.table[3], made.body) == (asked.table[1], asked.table[3], asked.body)


AWARDS = [
    ["", "Shares", "Weighted-average fair value"],
    ["Non-vested at January 1", "1,000", "$40.00"],
    ["Granted", "500", "$55.00"],
    ["Vested", "(300)", "$40.00"],
    ["Non-vested at December 31", "1,200", "$46.25"],
]


@pytest.mark.parametrize("name", NAMES)
@pytest.mark.parametrize("seed", range(4))
def test_a_weighted_average_is_one_of_the_new_weights(report_question: Read, name: str, seed: int) -> None:
    asked = report_question(AWARDS, "", "How many more were granted than vested?", "500-300", "200", "")
    made = changed(asked, name, seed)
    if made is not None:
        shares = [cell(made, row, 1) for row in range(1, 5)]
        value = sum(
            w * Fraction(x) for w, x in zip((*shares[:2], -abs(shares[2])), ("40", "55", "40"), strict=True)
        )
        assert abs(value / shares[3] - Fraction("46.25")) < Fraction(1, 100)


@pytest.mark.parametrize("name", NAMES)
@pytest.mark.parametrize("seed", range(4))
def test_a_sum_that_only_the_text_states_follows(report_question: Read, name: str, seed: int) -> None:
    rows = [
        ["", "2019", "2018", "2017"],
        ["Fees", "4,310", "4,125", "3,987"],
        ["Travel", "1,877", "1,702", "1,598"],
    ]
    text = "We paid fees of $12,422 thousand in the three years combined."
    asked = report_question(rows, text, "What was the change in fees?", "4,310-4,125", "185", "thousand")
    made = changed(asked, name, seed)
    if made is not None:
        stated = Fraction(re.findall(r"\$([\d,]+)", made.body)[0].replace(",", ""))
        assert stated == sum(cell(made, 1, at) for at in (1, 2, 3))


@pytest.mark.parametrize("name", NAMES)
@pytest.mark.parametrize("seed", range(4))
def test_a_face_value_in_a_label_keeps_its_row(report_question: Read, name: str, seed: int) -> None:
    rows = [
        ["", "2019", "2018"],
        ["4.5% notes due 2025, $500 million", "496", "495"],
        ["Term loan", "212", "231"],
        ["Total debt", "708", "726"],
    ]
    for query, equation, answer in (("the notes", "496-495", "1"), ("the term loan", "212-231", "-19")):
        asked = report_question(rows, "", f"What was the change in {query}?", equation, answer, "million")
        made = changed(asked, name, seed)
        assert made is None or made.table[1] == asked.table[1]


def test_an_unsigned_row_of_a_column_of_rates_is_a_rate() -> None:
    rows = [["", "2019"], ["Statutory rate", "21.0%"], ["State taxes", "3.7"], ["Effective rate", "24.7%"]]
    assert not read(rows).cells(*GROWING)
    rows = [
        ["", "2019", "2018", "Change"],
        ["Sales", "300", "200", "50%"],
        ["Profit", "90", "60", "50"],
        ["Tax", "9", "6", "(50%)"],
    ]
    assert (2, 3) not in read(rows).cells(*GROWING)


def test_one_factor_is_enough_where_it_changes_the_answer(report: Problem, report_question: Read) -> None:
    made = changed(report, "distribution_plausible")
    assert made is not None
    assert made.note("moved") == "together"
    assert made.answer != report.answer
    share = report_question(
        [row for row in ROWS if "tax rate" not in row[0]],  # that of an income which the table does not show
        "Product revenue was $1,196 million in 2019, as Note 4 says.",
        "What was the percentage change in total revenue from 2018 to 2019?",
        "(1,500-1,300)/1,300",
        "15.38",
        "percent",
    )
    moved = changed(share, "distribution_plausible")
    assert moved is not None
    assert moved.note("moved") == "independently"
    assert moved.answer != share.answer


def test_an_amount_in_full_keeps_its_thousands(report_question: Read) -> None:
    problem = report_question(
        ROWS,
        "A refund of $3,989,000 was paid.",
        "What was the change in total revenue from 2018 to 2019?",
        "1,500-1,300",
        "200",
        "million",
    )
    made = changed(problem, "distribution_plausible")
    assert made is not None
    refund = next(one for one in numerals.find(made.body) if one.kind == "money")
    assert refund.value % 1000 == 0
    assert refund.value > 10 * 10**6


def test_a_short_amount_of_two_rows_is_rounded_from_them(report_question: Read) -> None:
    rows = [
        ["", "2019", "2018"],
        ["Short-term restricted cash", "349", "645"],
        ["Long-term restricted cash", "60", "404"],
        ["Cash", "5,120", "4,877"],
    ]
    problem = report_question(
        rows,
        "We have restricted cash of $0.4 million and $1.0 million. All other cash is free.",
        "What was the change in cash from 2018 to 2019?",
        "5,120-4,877",
        "243",
        "thousand",
    )
    made = changed(problem, "distribution_plausible")
    assert made is not None
    cells = {row[0]: [numerals.parse(cell) or Fraction(0) for cell in row[1:]] for row in made.table[1:]}
    sums = [sum(pair) / 1000 for pair in zip(*(cells[rows[at][0]] for at in (1, 2)), strict=True)]
    stated = [one.value / 10**6 for one in numerals.find(made.body)]
    assert all(abs(one - other) <= Fraction(1, 20) for one, other in zip(stated, sums, strict=True))


def test_a_short_amount_of_the_text_follows_the_cell_that_it_may_state(report_question: Read) -> None:
    rows = [
        ["", "2019", "2018"],
        ["Sales", "82,818", "60,181"],
        ["Start-up costs", "927", "929"],
        ["Stock compensation", "2,756", "1,519"],
    ]
    problem = report_question(
        rows,
        "In 2018, $0.9 million in costs of a new plant were reclassified.",
        "What was the change in stock compensation?",
        "2,756-1,519",
        "1237",
        "thousand",
    )
    made = changed(problem, "distribution_plausible")
    assert made is not None
    costs = Fraction(made.table[2][1].replace(",", "")) / 1000
    assert f"${float(round(costs, 1))} million" in made.body


@pytest.mark.parametrize("name", NAMES)
def test_growth_from_row_to_row_follows_its_amounts(report_question: Read, name: str) -> None:
    rows = [
        ["Year", "Industry sales", "Percentage change"],
        ["2019", "$412.1", "(12.1)%"],
        ["2018", "$468.8", "13.7%"],
        ["2017", "$412.2", "21.6%"],
        ["2016", "$338.9", ""],
    ]
    question = "What was the change in industry sales from 2018 to 2019?"
    problem = report_question(rows, "A note.", question, "412.1-468.8", "-56.7", "billion")
    made = changed(problem, name)
    assert made is not None
    sales = [Fraction(row[1].lstrip("$").replace(",", "")) for row in made.table[1:]]
    for row, (this, last) in zip(made.table[1:], pairwise(sales), strict=False):
        share = Fraction(row[2].strip("()%")) * (-1 if "(" in row[2] else 1)
        assert abs((this / last - 1) * 100 - share) <= Fraction(1, 20)


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        # Of two cells with the amount, one moves.
        ("The net provision of £0.9 million arises from a building.", None),
        ("A facility of £100 million is unused.", "A facility of £100 million is unused."),
    ],
)
def test_short_amounts_beside_cells(report_question: Read, text: str, expected: str | None) -> None:
    rows = [
        ["£m", "Buildings", "Other", "Total"],
        ["At 1 January", "24.6", "(0.9)", "23.7"],
        ["Income statement", "(22.3)", "(0.5)", "(22.8)"],
        ["At 31 December", "2.3", "(1.4)", "0.9"],
    ]
    question = "What was the change in the provision for buildings?"
    problem = report_question(rows, text, question, "2.3-24.6", "-22.3", "million")
    for seed in range(6):
        made = perturbations.get("noise_plausible", "table").apply(problem, Draw(seed, "d", "1", "noise"))
        if made is not None and made.table[3][3] != "0.9" and made.table[1][2] == "(0.9)":
            assert made.body == expected


def test_the_article_before_an_amount_fits_it(report_question: Read) -> None:
    rows = [["", "2019", "2018"], ["Rent", "4,210", "3,110"], ["Fees", "820", "655"]]
    question = "What was the change in fees?"
    problem = report_question(
        rows, "Rent saw a $1.1 million increase.", question, "820-655", "165", "thousand"
    )
    for seed in range(8):
        made = changed(problem, "distribution_plausible", seed)
        assert made is not None
        assert not re.search(r"\ba \$(?:8|11)[.\d]", made.body)


def test_a_balance_of_distant_totals_is_rebuilt(report_question: Read) -> None:
    rows = [
        ["", "2019", "2018", "2017"],
        ["Depreciation at beginning", "$(5,724.7)", "$(5,181.2)", "$(4,548.1)"],
        ["Charge", "(768.4)", "(751.4)", "(718.7)"],
        ["Total additions", "(768.4)", "(751.4)", "(718.7)"],
        ["Assets sold", "121.4", "129.3", "100.7"],
        ["Other", "(10.5)", "78.6", "(15.1)"],
        ["Total deductions", "110.9", "207.9", "85.6"],
        ["Balance at end", "$(6,382.2)", "$(5,724.7)", "$(5,181.2)"],
    ]
    question = "What was the change in total deductions between 2018 and 2019?"
    problem = report_question(rows, "A schedule.", question, "110.9-207.9", "-97", "million")
    for name in NAMES:
        made = changed(problem, name)
        assert made is not None
        for column in (1, 2, 3):
            start, _, added, *_, less, end = (
                Fraction(row[column].strip("$()").replace(",", "")) for row in made.table[1:]
            )
            assert start + added - less == end


def test_a_year_with_the_mark_of_a_note_is_a_heading() -> None:
    rows = (
        ("", "", "Fiscal"),
        ("", "2019", "2018 (1)"),
        ("Products", "1,720", "1,664"),
    )
    assert set(typed(rows).numbers) == {(2, 1), (2, 2)}


def test_an_average_of_negative_amounts_keeps_its_divisor(report_question: Read) -> None:
    rows = [["", "2019", "2018"], ["Prior year", "(46)", "(2)"], ["Current year", "88", "125"]]
    question = "What were the average additions for the prior year in 2018 and 2019?"
    problem = report_question(rows, "A note.", question, "-(2+46)/2", "-24", "thousand")
    for name in NAMES:
        made = changed(problem, name)
        assert made is None or made.equation.endswith("/ 2")


def test_a_scale_after_a_bracket_refuses_the_row(report_question: Read) -> None:
    rows = [["", "2019", "2018"], ["Net loss", "(9,819)", "6,639"], ["EBITDA", "79,046", "63,954"]]
    text = "Net loss was $(9.8) million."
    problem = report_question(
        rows, text, "What was the change in EBITDA?", "79046-63954", "15092", "thousand"
    )
    assert all(changed(problem, name) is None for name in NAMES)


SERVICES = [
    ["", "2019", "2018"],
    ["Consulting services", "48,312", "44,905"],
    ["Licences", "7,214", "6,120"],
    ["Total revenue", "55,526", "51,025"],
]


def moved_services(report_question: Read, text: str, name: str, seed: int) -> tuple[Problem, Problem | None]:
    question = "What was the change in consulting services from 2018 to 2019?"
    problem = report_question(SERVICES, text, question, "48,312-44,905", "3407", "thousand")
    return problem, changed(problem, name, seed)


def millions(text: str) -> list[Fraction]:
    return [Fraction(one.replace(",", "")) for one in re.findall(r"\$([\d,.]*\d) million", text)]


@pytest.mark.parametrize("name", NAMES)
@pytest.mark.parametrize("seed", range(6))
@pytest.mark.parametrize(
    "text",
    [
        # Each part in a sentence of its own, beside the amounts of the year before.
        "Consulting services of our partners were $45.2 million compared to $41.8 million. "
        "Direct consulting services were $3.1 million, and $3.1 million in 2018.",
        # All parts in a list.
        "Consulting services consist of $45.2 million from partners and of $3.1 million from direct customers.",
    ],
)
def test_parts_that_the_text_tells_make_their_row(
    report_question: Read, name: str, seed: int, text: str
) -> None:
    _, made = moved_services(report_question, text, name, seed)
    if made is not None:
        parts = millions(made.body)
        whole = Fraction(made.table[1][1].replace(",", "")) / 1000
        halves = sum(Fraction(1, 2 * 10 ** (len(one.partition(".")[2]))) for one in ("45.2", "3.1"))
        assert abs(parts[0] + parts[-1 if "consist" in text else 2] - whole) <= max(halves * 2, 1) * Fraction(
            3, 2
        )


@pytest.mark.parametrize("seed", range(8))
def test_a_part_stays_within_its_row(report_question: Read, seed: int) -> None:
    text = "Consulting services included $46.9 million from one customer in 2019 and $43.0 million in 2018."
    _, made = moved_services(report_question, text, "noise_plausible", seed)
    if made is not None:
        (part, _), whole = millions(made.body), Fraction(made.table[1][1].replace(",", "")) / 1000
        assert part <= whole + Fraction(1, 20)


@pytest.mark.parametrize("name", NAMES)
def test_a_ratio_that_its_label_names_follows(report_question: Read, name: str) -> None:
    rows = [
        ["", "2019", "2018"],
        ["Operating profit", "282.4", "263.9"],
        ["Earnings before interest and tax", "318.0", "296.8"],
        ["Net debt", "295.2", "236.8"],
        ["Net debt to EBITDA", "0.9", "0.8"],
    ]
    question = "What was the percentage change in net debt from 2018 to 2019?"
    problem = report_question(rows, "A note.", question, "(295.2-236.8)/236.8", "24.66", "percent")
    for seed in range(4):
        made = changed(problem, name, seed)
        assert made is not None
        for column in (1, 2):
            earnings, debt, ratio = (Fraction(made.table[row][column].replace(",", "")) for row in (2, 3, 4))
            assert abs(debt / earnings - ratio) <= Fraction(51, 1000)


@pytest.mark.parametrize("seed", range(4))
def test_a_spread_of_two_rates_follows(report_question: Read, seed: int) -> None:
    rows = [
        ["", "2019", "2018"],
        ["Adjusted income", "$121.4", "$119.2"],
        ["Average capital", "924.0", "735.8"],
        ["Return on capital", "13.1%", "16.2%"],
        ["Cost of capital", "9.0%", "9.4%"],
        ["Excess return", "4.1%", "6.8%"],
    ]
    question = "What was the change in the adjusted income from 2018 to 2019?"
    problem = report_question(rows, "A note.", question, "121.4-119.2", "2.2", "million")
    made = changed(problem, "noise_plausible", seed)
    assert made is not None
    for column in (1, 2):
        earned, cost, excess = (Fraction(made.table[row][column].rstrip("%")) for row in (3, 4, 5))
        assert earned - cost == excess


@pytest.mark.parametrize("name", NAMES)
def test_prices_and_counts_that_stay_keep_what_they_make(report_question: Read, name: str) -> None:
    text = (
        "We sold 1,040.5 million pounds of nuts. The price fell by $0.125 per pound, which lowered revenue by "
        "$130.1 million."
    )
    rows = [["", "2019", "2018"], ["Gross profit", "222,859", "361,046"], ["Net income", "54,229", "125,932"]]
    question = "What was the change in gross profit from 2018 to 2019?"
    problem = report_question(rows, text, question, "222,859-361,046", "-138187", "thousand")
    made = changed(problem, name)
    assert made is None or "$130.1 million" in made.body


def test_a_far_factor_enlarges_no_rounding(report_question: Read) -> None:
    text = "Of $2.8 billion owed, $2.9 billion is due later and $118 million is a credit."
    rows = [["", "2019", "2018"], ["Rent", "4,210", "3,110"], ["Fees", "820", "655"]]
    question = "What was the change in fees?"
    problem = report_question(rows, text, question, "820-655", "165", "million")
    made = changed(problem, "distribution_plausible")
    assert made is not None
    owed, later = (Fraction(one) for one in re.findall(r"\$([\d.]+) billion", made.body))
    credit = Fraction(re.findall(r"\$([\d,.]+) million", made.body)[0].replace(",", "")) / 1000
    assert abs(later - credit - owed) <= 1
    assert "." not in re.findall(r"\$([\d.]+) billion", made.body)[0]


def test_a_price_in_cents_stays(report_question: Read) -> None:
    text = "The Directors declared a dividend of AU 18 cents per share."
    rows = [["", "2019", "2018"], ["Dividends", "28,128", "25,633"], ["Other", "1,204", "1,120"]]
    question = "What was the change in dividends?"
    problem = report_question(rows, text, question, "28,128-25,633", "2495", "thousand")
    for name in NAMES:
        made = changed(problem, name)
        assert made is not None
        assert "AU 18 cents" in made.body


@pytest.mark.parametrize("seed", range(8))
@pytest.mark.parametrize(
    ("rows", "text", "derivation", "answer", "row", "reach"),
    [
        # A tax by another name, whose stated change no cells give.
        (
            [
                ["Federal", "4,206", "4,860"],
                ["State", "346", "665"],
                ["Provision for income taxes", "4,552", "5,525"],
            ],
            "Income tax expense decreased by $1.2 million in 2019 because of a lower rate.",
            "4,206-4,860",
            "-654",
            3,
            Fraction(0),
        ),
        # A fee that several rates explain.
        (
            [["Management fee", "3,120", "2,870"], ["Rent", "846", "765"], ["Costs", "3,966", "3,635"]],
            "The management fees are 1.5% of the first $100 million of assets and 0.9% of the rest.",
            "3,120-2,870",
            "250",
            1,
            Fraction(0),
        ),
        # An expense that is nearly what was accumulated in the year.
        (
            [["Software", "64,206", "61,860"], ["Accumulated amortization", "20,188", "16,050"]],
            "Amortization expense was $4.2 million in 2019.",
            "20,188-16,050",
            "4138",
            2,
            Fraction(1, 8),
        ),
    ],
)
def test_rows_that_the_text_ties_to_other_figures_keep_them(
    report_question: Read,
    seed: int,
    rows: list[list[str]],
    text: str,
    derivation: str,
    answer: str,
    row: int,
    reach: Fraction,
) -> None:
    table = [["", "2019", "2018"], *rows]
    question = f"What was the change in {rows[0 if row == 3 else row - 1][0]} from 2018 to 2019?"
    problem = report_question(table, text, question, derivation, answer, "thousand")
    made = changed(problem, "noise_plausible", seed)
    if made is None or made.note("moved") == "together":
        return
    old, new = ([Fraction(cell.replace(",", "")) for cell in one.table[row][1:]] for one in (problem, made))
    if reach:
        stated = Fraction(re.findall(r"\$([\d.]+) million", made.body)[0]) * 1000
        assert abs(abs(new[0] - new[1]) - stated) <= reach * stated
    else:
        assert new == old


@pytest.mark.parametrize("seed", range(8))
def test_one_acquisition_is_within_the_goodwill_of_its_year(report_question: Read, seed: int) -> None:
    rows = [
        ["", "2019", "2018"],
        ["Balance at start", "138,127", "124,700"],
        ["Acquisitions (see Note 2)", "40,392", "13,427"],
        ["Balance at end", "178,519", "138,127"],
    ]
    text = "In 2019 we recorded goodwill of $38.8 million for the acquisition of a maker of radios."
    question = "What was the change in acquisitions from 2018 to 2019?"
    problem = report_question(rows, text, question, "40,392-13,427", "26965", "thousand")
    made = changed(problem, "noise_plausible", seed)
    if made is not None:
        (part,) = millions(made.body)
        assert part <= Fraction(made.table[2][1].replace(",", "")) / 1000 + Fraction(1, 20)


@pytest.mark.parametrize("seed", range(6))
def test_a_short_change_is_that_of_a_row_and_not_a_cell(report_question: Read, seed: int) -> None:
    rows = [
        ["", "2019", "2018"],
        ["Wages", "4,314", "4,063"],
        ["Fuel", "2,486", "1,517"],
        ["Rents", "1,142", "1,217"],
        ["Total", "7,942", "6,797"],
    ]
    text = "Operating expenses increased $1.1 billion in 2019."
    question = "What was the change in wages from 2018 to 2019?"
    problem = report_question(rows, text, question, "4,314-4,063", "251", "million")
    made = changed(problem, "noise_plausible", seed)
    if made is not None:
        now, before = (Fraction(cell.replace(",", "")) for cell in made.table[4][1:])
        stated = Fraction(re.findall(r"\$([\d.]+) billion", made.body)[0]) * 1000
        assert abs(now - before - stated) <= 50


def test_a_scale_that_a_hyphen_splits_refuses_the_row(report_question: Read) -> None:
    rows = [["", "2019", "2018"], ["Price", "2,320.7", "1,659.9"], ["Other", "410.2", "390.1"]]
    text = "The purchase price of approximately $2.3 bil- lion was borrowed."
    question = "What was the change in the price?"
    problem = report_question(rows, text, question, "2,320.7-1,659.9", "660.8", "million")
    assert all(changed(problem, name) is None for name in NAMES)


@pytest.mark.parametrize("label", ["Operating expense-to-revenue ratio", "Operating expense % to revenue"])
@pytest.mark.parametrize("seed", range(6))
def test_a_ratio_to_what_is_not_shown_keeps_the_amounts_together(
    report_question: Read, label: str, seed: int
) -> None:
    rows = [
        ["", "2019", "2018"],
        ["Wages", "412.6", "391.2"],
        ["Other expense", "103.5", "99.4"],
        ["Operating expense", "516.1", "490.6"],
        [label, "32.7%", "30.4%"],
    ]
    question = "What was the change in wages from 2018 to 2019?"
    problem = report_question(rows, "A note.", question, "412.6-391.2", "21.4", "million")
    for name in NAMES:
        made = changed(problem, name, seed)
        assert made is None or made.note("moved") == "together"


@pytest.mark.parametrize("seed", range(6))
def test_a_stated_average_keeps_its_row_with_the_others(report_question: Read, seed: int) -> None:
    rows = [
        ["", "2019", "2018"],
        ["Servicing portfolio", "8,941", "7,302"],
        ["Mortgages held", "2,417", "2,093"],
    ]
    text = "The average servicing portfolio of the year 2019 was $8,213 million."
    question = "What was the change in the servicing portfolio from 2018 to 2019?"
    problem = report_question(rows, text, question, "8,941-7,302", "1639", "million")
    for name in NAMES:
        made = changed(problem, name, seed)
        if made is not None:
            average, end = (
                Fraction(one.replace(",", ""))
                for one in (made.body.split("$")[1].split()[0], made.table[1][1])
            )
            assert abs(average / end - Fraction(8213, 8941)) < Fraction(1, 1000)


@pytest.mark.parametrize("name", NAMES)
def test_a_cell_with_mixed_separators_leaves_the_table_alone(report_question: Read, name: str) -> None:
    rows = [
        ["", "2019", "2018"],
        ["Net sales", "2,836,289", "2.978,478"],
        ["Costs", "1,204,117", "1,190,305"],
    ]
    question = "What was the change in costs from 2018 to 2019?"
    problem = report_question(rows, "A note.", question, "1,204,117-1,190,305", "13812", "")
    assert changed(problem, name) is None


@pytest.mark.parametrize(
    ("text", "payments"),
    [
        ("We have a purchase obligation of $1.0 million per quarter through 2021.", 4),
        ("The lease requires monthly payments of $0.2 million until 2021.", 12),
    ],
)
@pytest.mark.parametrize("seed", range(6))
def test_a_payment_of_each_quarter_or_month_makes_its_cell(
    report_question: Read, text: str, payments: int, seed: int
) -> None:
    rows = [
        ["", "2020", "2021"],
        ["Leases", "2,400", "2,150"],
        ["Purchases", "4,000", "1,250"],
        ["Other", "815", "430"],
    ]
    question = "What is the change in leases from 2020 to 2021?"
    problem = report_question(rows, text, question, "2,150-2,400", "-250", "thousand")
    row = 2 if payments == 4 else 1
    for name in NAMES:
        made = changed(problem, name, seed)
        if made is not None:
            (payment,) = millions(made.body)
            assert payment * payments * 1000 == cell(made, row, 1)
    assert changed(problem, "distribution_plausible", seed) is not None


@pytest.mark.parametrize("seed", range(4))
def test_an_average_of_a_section_keeps_its_rows_with_the_others(report_question: Read, seed: int) -> None:
    rows = [
        ["", "2019", "2018"],
        ["Sales volume", "", ""],
        ["Dollars (in millions)", "$3,954", "$3,130"],
        ["Servicing portfolio", "", ""],
        ["Dollars (in millions, at end of year)", "$8,941", "$7,302"],
    ]
    text = "The average servicing portfolio of the years 2019 and 2018 was $8,213 million and $6,404 million."
    question = "What was the change in the servicing portfolio from 2018 to 2019?"
    problem = report_question(rows, text, question, "8,941-7,302", "1639", "million")
    for name in NAMES:
        made = changed(problem, name, seed)
        if made is not None:
            average = Fraction(made.body.split("$")[1].split()[0].replace(",", ""))
            assert abs(average / cell(made, 4, 1) - Fraction(8213, 8941)) < Fraction(1, 1000)


def test_a_count_that_stays_leaves_counts_of_customers_alone(report_question: Read) -> None:
    rows = [
        ["", "2019", "2018"],
        ["Fibre revenue (in millions)", "$71.4", "$52.9"],
        ["Subscribers (in thousands):", "", ""],
        ["Internet", "61.8", "57.3"],
        ["Telephone", "28.1", "29.6"],
    ]
    question = "What was the change in internet subscribers from 2018 to 2019?"
    counted = "Fibre is now available to approximately 246,400 addresses, or 50% of the homes in the region."
    for text, is_moved in ((counted, False), ("Fibre is now available in all parts of the region.", True)):
        problem = report_question(rows, text, question, "61.8-57.3", "4.5", "thousand")
        assert (changed(problem, "distribution_plausible") is not None) == is_moved


@pytest.mark.parametrize("seed", range(8))
def test_an_amount_that_equals_a_cell_by_chance_grows_as_the_amounts_beside_it(
    report_question: Read, seed: int
) -> None:
    question = "What was the change in operating activities from 2018 to 2019?"
    text = "Capital expenditures were $17.9 billion in 2019 and $16.7 billion in 2018."
    # Rounding leaves over nearly nothing of the first cell, and a third of a digit of the second.
    for investing, is_moved in (("(17,902)", True), ("(17,934)", False)):
        rows = [
            ["", "2019", "2018"],
            ["Operating activities", "$ 35,746", "$ 34,339"],
            ["Investing activities", "(17,581)", investing],
            ["Financing activities", "(18,164)", "(15,377)"],
        ]
        problem = report_question(rows, text, question, "35,746-34,339", "1407", "million")
        made = changed(problem, "distribution_plausible", seed)
        assert (made is not None) == is_moved
        if made is not None:
            factor = cell(made, 1, 1) / 35_746
            stated = [Fraction(one) for one in re.findall(r"\$([\d.]+) billion", made.body)]
            assert stated == [factor * Fraction("17.9"), factor * Fraction("16.7")]


def test_a_rounded_amount_of_a_named_row_follows_its_cell(report_question: Read) -> None:
    rows = [
        ["", "2019", "2018"],
        ["Capital expenditures", "17,934", "16,658"],
        ["Dividends", "9,772", "9,510"],
    ]
    text = "Capital expenditures were $17.9 billion in 2019, and taxes were $4.2 billion."
    question = "What was the change in dividends from 2018 to 2019?"
    problem = report_question(rows, text, question, "9,772-9,510", "262", "million")
    made = changed(problem, "distribution_plausible")
    assert made is not None
    stated = Fraction(re.findall(r"\$([\d.]+) billion", made.body)[0])
    assert abs(stated * 1000 - cell(made, 1, 1)) <= 50
