"""Documents stay consistent: tables of every layout, text, history and equation change together or not at all."""

from __future__ import annotations

import random
import re
from fractions import Fraction
from typing import Any

import pytest

from dnc_datasets import numerals, perturbations
from dnc_datasets.certificate import CHECKS
from dnc_datasets.draws import Draw
from dnc_datasets.errors import ProblemError
from dnc_datasets.own import problems
from dnc_datasets.perturbations.numbers.amounts import amounts_in
from dnc_datasets.perturbations.statements.neighbours import Neighbours
from dnc_datasets.perturbations.table_order import movable_runs
from dnc_datasets.problem import Problem
from dnc_datasets.serving.settings import Row, perturb
from dnc_datasets.tables import typed as types
from dnc_datasets.tables.typed import typed

NAMES = ("noise_plausible", "distribution_plausible")


def changed(problem: Problem, name: str, seed: int = 0) -> Row:
    return perturb(problem, (perturbations.get(name, "table"),), dataset="documents", seed=seed)


def own(**record: Any) -> Problem:
    return problems.read({"id": "1", **record}, 1)


# Conversations over tables: the answers of earlier turns follow the table.

LABELS = ("Product sales", "Service fees", "Licence income", "Rental income", "Other items")
Turn = tuple[str, int, int, int]  # what is asked, the row, the two columns


def conversation(seed: int) -> tuple[Problem, list[Turn]]:
    """A conversation of lookups, differences and changes over a table with totals."""
    chance = random.Random(seed)
    years = [str(year) for year in range(2021, 2021 - chance.randint(2, 4), -1)]
    count = chance.randint(2, len(LABELS))
    amounts = [[chance.randint(120, 9000) for _ in years] for _ in range(count)]
    rows = [[label, *map("{:,}".format, line)] for label, line in zip(LABELS, amounts, strict=False)]
    rows.append(["Total revenue", *(f"{sum(column):,}" for column in zip(*amounts, strict=True))])
    amounts.append([sum(column) for column in zip(*amounts, strict=True)])
    turns: list[Turn] = []
    for _ in range(chance.randint(1, 4)):
        row = chance.randrange(len(amounts))
        new = chance.randrange(len(years) - 1)
        turns.append((chance.choice(("value", "difference", "change")), row, new, new + 1))
    history = [
        {"question": asked(turn, rows, years), "answer": shown(turn[0], result(turn, amounts))}
        for turn in turns
    ]
    row, other = chance.sample(range(len(amounts)), 2)
    one, two = amounts[row][0], amounts[other][0]
    problem = own(
        id=str(seed),
        body=chance.choice(("", f"{rows[0][0]} were {rows[0][1]} in {years[0]}.")),
        question=f"What was the ratio of {rows[row][0]} to {rows[other][0]} in {years[0]}?",
        table=[["in thousands", *years], *rows],
        history=history,
        equation=f"{one} / {two}",
        answer=f"{one / two:.2f}",
    )
    return problem, turns


def asked(turn: Turn, rows: list[list[str]], years: list[str]) -> str:
    kind, row, new, old = turn
    label = rows[row][0]
    if kind == "value":
        return f"What were {label} in {years[new]}?"
    return f"What was the {kind} of {label} from {years[old]} to {years[new]}?"


def result(turn: Turn, amounts: list[list[Any]]) -> Fraction:
    kind, row, new, old = turn
    one, other = Fraction(amounts[row][new]), Fraction(amounts[row][old])
    return one if kind == "value" else one - other if kind == "difference" else (one - other) / other * 100


def shown(kind: str, value: Fraction) -> str:
    return f"{float(value):.1f}%" if kind == "change" else str(value)


def contradictions(problem: Problem, turns: list[Turn]) -> list[str]:
    """The earlier answers that are not what the table gives, read with nothing of the package."""
    amounts = [[Fraction(cell.replace(",", "")) for cell in row[1:]] for row in problem.table[1:]]
    wrong = [
        f"{turn} {stated.answer}"
        for turn, stated in zip(turns, problem.history, strict=True)
        if abs(Fraction(stated.answer.replace(",", "").rstrip("%")) - result(turn, amounts))
        > (Fraction(1, 20) if turn[0] == "change" else 0)
    ]
    for column in range(len(amounts[0])):
        if sum(row[column] for row in amounts[:-1]) != amounts[-1][column]:
            wrong.append(f"total of column {column}")
    if problem.body and Fraction(problem.body.split()[3].replace(",", "")) != amounts[0][0]:
        wrong.append(problem.body)
    return wrong


@pytest.mark.parametrize("name", NAMES)
def test_conversations_over_tables_do_not_contradict_themselves(name: str) -> None:
    made = new_golds = moved = 0
    for seed in range(500):
        problem, turns = conversation(seed)
        assert not contradictions(problem, turns)
        row = changed(problem, name)
        if row.original is None:
            assert not row.failed, row.reason
            continue
        made += 1
        moved += row.problem.history != problem.history
        new_golds += row.problem.answer != problem.answer
        assert contradictions(row.problem, turns) == []
    assert made >= 450
    assert moved >= made * 0.6  # turns about amounts that the question does not need stay
    assert new_golds >= made * 0.85


def test_the_certificate_refuses_a_history_that_stayed() -> None:
    table = (("", "2019", "2018"), ("Revenue", "1,250.5", "1,100.0"))
    asked_before = own(
        table=[list(row) for row in table],
        history=[{"question": "What was revenue in 2019?", "answer": "1250.5"}],
        question="And the change?",
        equation="1250.5 - 1100",
        answer="150.5",
    )
    moved = asked_before.with_texts({"table.1.1": "1,625.65", "table.1.2": "1,430.00"})
    agree = CHECKS["restatements_agree"]
    assert not agree(asked_before, moved)
    assert agree(asked_before, moved.with_texts({"history.0.answer": "1625.65"}))
    assert not agree(asked_before, moved.with_texts({"history.0.answer": "1430"}))


@pytest.mark.parametrize(
    ("answer", "agrees"),
    [("195.65", True), ("150.5", False), ("13.7%", True), ("12.4%", False), ("77", False)],
)
def test_the_certificate_knows_results_of_two_figures(answer: str, agrees: bool) -> None:
    before = "150.5" if answer[-1] != "%" else "13.7%"
    table = (("", "2019", "2018"), ("Revenue", "1,250.5", "1,100.0"))
    problem = Problem("1", "", "?", table=table).replace(
        history=own(
            question="q", table=[["a", "1"]], history=[{"question": "By how much?", "answer": before}]
        ).history
    )
    moved = problem.with_texts({"table.1.1": "1,625.65", "table.1.2": "1,430.00", "history.0.answer": answer})
    assert CHECKS["restatements_agree"](problem, moved) is agrees


def test_an_earlier_answer_of_several_steps_follows_its_equation() -> None:
    rows = [["", "2019", "2018"], ["Sales", "1,200", "1,000"], ["Fees", "340", "310"], ["Rents", "95", "87"]]
    record: dict[str, Any] = {
        "table": rows,
        "question": "What was the change in sales?",
        "equation": "1200 - 1000",
        "answer": "200",
    }
    turn = {"question": "What were the average of sales, fees and rents?", "answer": "545"}
    assert changed(own(**record, history=[turn]), "distribution_plausible").original is None
    row = changed(
        own(**record, history=[{**turn, "equation": "(1200 + 340 + 95) / 3"}]), "distribution_plausible"
    )
    assert row.original is not None
    column = [Fraction(line[1].replace(",", "")) for line in row.problem.table[1:]]
    assert row.problem.history[0].answer.replace(",", "") == str(round(sum(column) / 3))


# Typed tables.


def kinds(rows: list[list[str]], row: int) -> list[str]:
    read = typed(tuple(map(tuple, rows)))
    return [read.kinds.get((row, column), "") for column in range(1, len(rows[row]))]


@pytest.mark.parametrize("fold", [str, str.lower, str.upper])
@pytest.mark.parametrize(
    ("rows", "row", "found"),
    [
        ([["", "2019", "2018"], ["Gross margin (%)", "41.2", "39.8"]], 1, [types.PERCENT] * 2),
        ([["", "2019", "2018"], ["Sales", "1697", "1423"]], 1, [types.AMOUNT] * 2),
        ([["", "2019", "2018"], ["Diluted earnings per share", "1.97", "2.03"]], 1, [types.PER_SHARE] * 2),
        ([["", "2019", "2018"], ["Debt to capital ratio", "0.57", "0.53"]], 1, [types.RATIO] * 2),
        ([["", "2019", "2018"], ["Number of employees", "570", "531"]], 1, [types.COUNT] * 2),
        ([["Loan", "Year of maturity", "Amount"], ["First", "2025", "2,025"]], 1, [types.YEAR, types.AMOUNT]),
        ([["", "Notes", "2019"], ["Leases", "16", "345"]], 1, [types.NOTE, types.AMOUNT]),
        ([["Floating rate notes due 2015", "$ 500"], ["Fixed rate notes", "350"]], 0, [types.AMOUNT]),
        ([["", "12/31/05", "12/31/06"], ["S&P 500 index", "100.00", "115.79"]], 1, [types.BASE, types.INDEX]),
        ([["", "Mix", "2019"], ["Europe", "58 %", "120"]], 1, [types.PERCENT, types.AMOUNT]),
        ([["Plant", "Opened"], ["Northern", "May 31, 2008"]], 1, [types.TEXT]),
        ([["", "2019"], ["Sales", "1,697"], ["", "March 31,"], ["Costs", "980"]], 2, [types.DATE]),
    ],
)
def test_types_do_not_depend_on_case(rows: list[list[str]], row: int, found: list[str], fold: Any) -> None:
    assert kinds([[fold(cell) for cell in line] for line in rows], row) == found


def test_a_first_row_of_amounts_is_no_heading_and_its_sum_still_holds() -> None:
    rows = [
        ["floating rate notes", "$ 500"],
        ["fixed rate notes", "650"],
        ["bank loans", "750"],
        ["total", "$ 1900"],
    ]
    problem = own(
        table=rows, question="what portion are bank loans?", equation="750 / 1900 * 100", answer="39.47"
    )
    row = changed(problem, "noise_plausible")
    assert row.original is not None
    amounts = [int(line[1].strip("$ ").replace(",", "")) for line in row.problem.table]
    assert sum(amounts[:3]) == amounts[3] != 1900


@pytest.mark.parametrize("name", NAMES)
def test_the_base_of_an_index_stays(name: str) -> None:
    rows = [
        ["", "2005", "2006", "2007"],
        ["Our shares", "100.00", "115.79", "101.04"],
        ["S&P 500", "100.00", "108.20", "110.57"],
    ]
    problem = own(
        table=rows,
        question="What was the return on our shares?",
        equation="(101.04 - 100) / 100 * 100",
        answer="1.04",
    )
    row = changed(problem, name)
    if row.original is not None:
        assert [line[1] for line in row.problem.table[1:]] == ["100.00", "100.00"]
        assert Fraction(row.problem.answer) == Fraction(row.problem.table[1][3]) - 100
    assert name == "noise_plausible" or row.original is None


def test_shares_of_a_table_follow_its_amounts_and_keep_their_kind() -> None:
    rows = [
        ["", "2019", "2018", "% change"],
        ["Sales", "1,200", "1,000", "20.0%"],
        ["Costs", "700", "560", "25.0%"],
    ]
    problem = own(table=rows, question="What were sales over costs?", equation="1200 / 700", answer="1.71")
    row = changed(problem, "noise_plausible")
    assert row.original is not None
    for line in row.problem.table[1:]:
        new, old = (Fraction(cell.replace(",", "")) for cell in line[1:3])
        assert abs((new - old) / old * 100 - Fraction(line[3].rstrip("%"))) <= Fraction(1, 20)
        assert line[3].endswith("%")
    assert row.problem.answer != problem.answer


@pytest.mark.parametrize(
    "labels",
    [
        ["Monday", "Tuesday", "Wednesday"],
        ["Pine Street", "8:15 a.m.", "9:40 a.m."],
        ["Week 1", "Week 2", "Week 3"],
        ["Opening balance", "Deposits", "Closing balance"],
        ["march 5", "march 6", "march 7"],
    ],
)
def test_weekdays_timetables_and_balances_keep_their_place(labels: list[str]) -> None:
    rows = [("", "Trips"), *((label, str(number)) for number, label in enumerate(labels, 11))]
    assert movable_runs(rows) == []


def test_a_timetable_with_times_in_its_cells_keeps_its_order() -> None:
    rows = [("Stop", "Bus"), ("Harbour", "8:15 a.m."), ("Museum", "8:40 a.m."), ("Zoo", "9:05 a.m.")]
    assert movable_runs(rows) == []


# Text without capitals, cut into tokens.


@pytest.mark.parametrize(
    ("text", "found"),
    [
        ("See Item 7 of our Form 10-K , ( 1 ) and Note 12 .", []),
        ("as of May 31 , 2008 we had 51 holders of record", ["51"]),
        ("the S&P 500 index rose 12% , and sales in 31 countries by $ 4.5 million", ["12", "31"]),
        ("its 4.25% Convertible Preferred Stock pays 1% of $ 16 a year", ["1", "16"]),
        ("Level 2 and 3 inputs , SFAS No. 123 , Basel III", []),
        ("We operated 46 plants , of which 31 of the largest are owned", ["46", "31"]),
        ("Standard & Poor 2019s 500 stock index and page 203", []),
    ],
)
def test_amounts_of_a_report_in_any_case(text: str, found: list[str]) -> None:
    for form in (text, text.lower()):
        amounts = amounts_in(form, "body", prose=True, report=True)
        assert [one.text for one in amounts] == found


# Numbers as documents write them.


@pytest.mark.parametrize(
    ("text", "values"),
    [
        ("RMB3,550 million", ["3550000000"]),
        ("between $3.4bn and £386m", ["3400000000", "386000000"]),
        ("20 000 units and 1 250 000 parts", ["20000", "1250000"]),
        ("1.234,56 and 12,5 of 2.000 in all", ["1234.56", "12.5", "2000"]),
        ("ten pens for 12,500 and 3.5", ["10", "12500", "3.5"]),
        ("a 20 250 watt set", ["20", "250"]),
        ("US$20bn", ["20000000000"]),
        ("$3.1 million ($US2.5 million)", ["3100000", "2500000"]),
        ("20ac590.5 million under v2.5, and 7 more", ["7"]),
    ],
)
def test_numbers_of_other_conventions(text: str, values: list[str]) -> None:
    found = numerals.find(text)
    assert [one.value for one in found] == [Fraction(value) for value in values]
    assert all(text[one.start : one.end] == one.text for one in found)


def test_numbers_are_written_back_in_their_convention() -> None:
    assert numerals.digits(25_000, like="20 000") == "25 000"
    assert numerals.digits(Fraction("2345.5"), like="1.234,56") == "2.345,50"
    assert numerals.digits(Fraction("2345.5"), like=",1.234,56") == "2.345,50"


# Denied numbers.


def test_chinese_numbers_are_denied_in_chinese() -> None:
    problem = Problem("1", "书店有两种书，一共120本。", "每种有多少本？", equation="120 / 2", answer="60")
    made = perturbations.get("verbosity_plausible").apply(problem, Draw(0, "d", "1", "verbosity"))
    assert made is not None
    assert not any("a" <= char <= "z" for char in made.body)
    assert "（不是" in made.body


@pytest.mark.parametrize("name", ["verbosity", "verbosity_plausible"])
def test_no_denied_number_is_the_answer(name: str) -> None:
    for answer in range(40, 160):
        problem = Problem(str(answer), "Ann has 12 pens and 7 caps.", "How many?", answer=str(answer))
        made = perturbations.get(name).apply(problem, Draw(0, "d", str(answer), "verbosity"))
        assert made is not None
        assert f"not {answer})" not in made.body


# Tables as people keep them.


@pytest.mark.parametrize(
    "table",
    [
        [["year", "sales"], ["2019", 5], ["2018", None]],
        [{"year": "2019", "sales": "5"}, {"year": "2018", "sales": ""}],
        {"year": ["2019", "2018"], "sales": ["5", ""]},
        "| year | sales |\n| --- | ---: |\n| 2019 | 5 |\n| 2018 |  |",
        "<table><tr><th>year</th><th>sales</th></tr><tr><td>2019</td><td><b>5</b></td></tr>"
        "<tr><td>2018</td><td></td></tr></table>",
        "year,sales\n2019,5\n2018,",
        "year;sales\n2019;5\n2018;",
        {"header": ["year", "sales"], "rows": [["2019", 5], ["2018", None]]},
    ],
)
def test_tables_of_every_form_are_read(table: Any) -> None:
    assert own(question="?", table=table).table == (("year", "sales"), ("2019", "5"), ("2018", ""))


@pytest.mark.parametrize(
    ("table", "rows"),
    [
        ("\t2019\t2018\nSales\t1,250\t", (("", "2019", "2018"), ("Sales", "1,250", ""))),
        ("||2019|2018|\n|-|-|-|\n|A \\| B|-|-|", (("", "2019", "2018"), ("A | B", "-", "-"))),
        (
            "<table><tr><th></th><th colspan=2>Years</th></tr><tr><td rowspan=2>Fees</td><td>1,<b>250</b></td>"
            "<td>640<sup>1</sup></td></tr><tr><td>5</td><td>6<br>7</td></tr></table>",
            (("", "Years", ""), ("Fees", "1,250", "640 (1)"), ("", "5", "6 7")),
        ),
    ],
)
def test_empty_and_spanning_cells_keep_the_columns(table: str, rows: Any) -> None:
    assert own(question="?", table=table).table == rows


def test_a_table_inside_the_text_is_read_as_one() -> None:
    table = "| in millions | 2019 | 2018 |\n|---|---|---|\n| Sales | 1,200 | 1,000 |\n| Costs | 700 | 560 |"
    asked: dict[str, Any] = {"equation": "1200 - 1000", "answer": "200"}
    question = "What was the change in sales?"
    for text in (
        {"body": f"See below.\n\n{table}", "question": question},
        {"question": f"{table}\n\n{question}"},
    ):
        problem = own(**text, **asked)
        assert problem.table[1] == ("Sales", "1,200", "1,000")
        assert (problem.body, problem.question) == ("See below." if "body" in text else "", question)
        assert changed(problem, "noise_plausible").original is not None
    with pytest.raises(ProblemError, match="its text holds 2 tables"):
        own(body=f"{table}\n\n{table}", question=question, **asked)


def test_an_exact_quotient_of_a_table_gets_no_fraction_as_answer() -> None:
    rows = [["", "2019", "2018"], ["Sales", "1,500", "1,200"], ["Costs", "700", "560"]]
    problem = own(
        table=rows,
        question="What was the change in sales?",
        equation="(1500 - 1200) / 1200 * 100",
        answer="25%",
    )
    assert (problem.answer, problem.unit) == ("25", "percent")
    row = changed(problem, "noise_plausible")
    assert row.original is not None
    assert "/" not in row.problem.answer
    assert len(row.problem.answer.partition(".")[2]) <= 2


def test_a_title_of_a_table_joins_the_text_and_other_forms_are_named() -> None:
    titled = own(table="Table 1: Sales\n| year | sales |\n|---|---|\n| 2019 | 5 |", body="All.", question="?")
    assert (titled.body, titled.table[1]) == ("Table 1: Sales\n\nAll.", ("2019", "5"))
    for table in ("only words", {"year": ["2019"], "sales": ["5", "6"]}, 5):
        with pytest.raises(ProblemError, match="none of the forms that are read"):
            own(table=table, question="?")


# What readers of drawn rows found.

RETURNS = [
    ["", "Our shares", "S&P 500"],
    ["December 31, 2007", "$100.00", "$100.00"],
    ["December 31, 2008", "$83.66", "$63.00"],
    ["December 31, 2009", "$92.91", "$79.67"],
]


@pytest.mark.parametrize("name", NAMES)
def test_a_base_of_100_in_a_row_stays_and_so_does_the_100_of_percent(name: str) -> None:
    problem = own(
        table=RETURNS,
        body="The graph assumes that $100 was invested on December 31, 2007.",
        question="What was the return on our shares from 2007 to 2009?",
        equation="(92.91 - 100) / 100 * 100",
        answer="-7.09",
        meta={"operands": '{"92.91": "table.3.1", "100": "table.1.1"}'},
    )
    row = changed(problem, name)
    if row.original is not None:
        assert row.problem.table[1] == problem.table[1]
        assert row.problem.body == problem.body
        assert row.problem.equation.endswith("/ 100 * 100")
    assert name == "noise_plausible" or row.original is None


def test_a_result_of_two_sections_follows() -> None:
    rows = [
        ["in thousands", "2019", "2018"],
        ["Accruals, net", "29,627", "31,565"],
        ["Loss carryforwards", "37,717", "36,649"],
        ["Total deferred tax assets", "67,344", "68,214"],
        ["Prepaid expenses", "(5,372)", "(6,733)"],
        ["Intangibles, net", "(111,284)", "(129,879)"],
        ["Total deferred tax liabilities", "(116,656)", "(136,612)"],
        ["Net deferred tax liabilities", "(49,312)", "(68,398)"],
    ]
    asked = {"question": "What was the change in accruals?", "equation": "29627 - 31565", "answer": "-1938"}
    row = changed(own(table=rows, **asked), "distribution_plausible")
    assert row.original is not None
    column = [int(line[1].strip("()").replace(",", "")) for line in row.problem.table[1:]]
    assert column[6] == column[5] - column[2]


def test_a_carrying_amount_is_what_is_left_of_the_balances() -> None:
    rows = [
        ["USDm", "2019", "2018"],
        ["Cost, balance as of 1 January", "1,886.3", "1,726.6"],
        ["Additions", "177.9", "159.7"],
        ["Balance as of 31 December", "2,064.2", "1,886.3"],
        ["Depreciation for the year", "106.5", "113.4"],
        ["Balance as of 31 December", "360.6", "327.6"],
        ["Impairment losses", "6.0", "3.2"],
        ["Balance as of 31 December", "28.8", "162.1"],
        ["Carrying amount as of 31 December", "1,674.8", "1,396.6"],
    ]
    asked = {"question": "What was the change in additions?", "equation": "177.9 - 159.7", "answer": "18.2"}
    row = changed(own(table=rows, **asked), "noise_plausible")
    assert row.original is not None
    column = [Fraction(line[1].replace(",", "")) for line in row.problem.table[1:]]
    assert column[7] == column[2] - column[4] - column[6]


def test_growth_gives_no_decimals_to_a_table_without_any() -> None:
    rows = [["Name", "Winners"], ["Amher", "2"], ["Bell", "11"], ["Corrin", "5"], ["Dale", "1"]]
    body = "Bell has the most winners."
    asked: dict[str, Any] = {
        "question": "How many more winners have Bell than Amher?",
        "equation": "11 - 2",
        "answer": "9",
    }
    for seed in range(20):
        row = changed(own(table=rows, body=body, **asked), "noise_plausible", seed)
        assert all(line[1].isdigit() for line in row.problem.table[1:])


@pytest.mark.parametrize(
    ("text", "found"),
    [
        ("( 0160 dividends were paid )", []),
        ("expire within 60 to 180 days of 12 months", ["12"]),
    ],
)
def test_codes_and_ranges_are_left_alone(text: str, found: list[str]) -> None:
    assert [one.text for one in amounts_in(text, "body", prose=True, report=True)] == found


def test_money_with_cents_keeps_its_digits_in_a_report() -> None:
    text = "It paid $0.01 a share, $ 233.6 in all, $ ( 13332 ) net and $ 5 million for 31 plants."
    problem = Problem("1", text, "How much?", table=(("", "2019"), ("Sales", "5")))
    made = perturbations.get("language_plausible", "table").apply(problem, Draw(0, "d", "1", "language"))
    assert made is not None
    assert made.body == (
        "It paid $0.01 a share, $ 233.6 in all, $ ( 13332 ) net and five million dollars for thirty-one plants."
    )


def test_a_report_denies_numbers_near_its_own() -> None:
    texts = ("We have 251,379 customers in the north.", "We work in two countries of the south.")
    body = " ".join((*texts, "There are also 21,417 customers in the other region."))
    problem = Problem("1", body, "How many?", table=(("", "2019"), ("Sales", "5")))
    for seed in range(10):
        made = perturbations.get("verbosity_plausible", "table").apply(
            problem, Draw(seed, "d", "1", "verbosity")
        )
        assert made is not None
        values = [one.value for one in numerals.find(made.body)]
        pairs = list(zip(values[::2], values[1::2], strict=True))
        assert all(abs(denied - true) <= max(3, true / 2) for true, denied in pairs)
        assert re.search(r"251,379 \(not \d{3},\d{3}\)", made.body)


def test_a_whole_and_the_unit_of_a_rate_are_not_denied() -> None:
    body = "We bought 100% of the shares of Alder and paid 1.04 francs per $ 1.00 for 35 % of Birch."
    problem = Problem("1", body, "How many?", table=(("", "2019"), ("Sales", "5")))
    made = perturbations.get("verbosity_plausible", "table").apply(problem, Draw(0, "d", "1", "verbosity"))
    assert made is not None
    assert "100% of the shares" in made.body
    assert "per $ 1.00 for" in made.body


def test_text_around_a_table_without_capitals_keeps_its_order() -> None:
    parts = ["sales rose by 5 in 2019 . costs are shown in the table .", "margins fell by 2 in 2019 ."]
    problem = Problem("1", "\n\n".join(parts), "?", table=(("", "2019"), ("Sales", "5")))
    step = perturbations.get("order", "table")
    assert step.apply(problem, Draw(0, "d", "1", "order")) is None
    cased = problem.replace(body="\n\n".join(part.capitalize() for part in parts))
    assert step.apply(cased, Draw(0, "d", "1", "order")) is not None


def test_the_first_row_with_a_percent_sign_keeps_its_place() -> None:
    rows = [("", "2019"), ("Restaurants", "62%"), ("Healthcare", "9"), ("Retail", "8"), ("Other (1)", "21")]
    assert movable_runs(rows) == [range(2, 4)]


def test_thresholds_state_the_scale_of_the_table() -> None:
    rows = [["in millions", "2019", "2018"], ["Net sales", "5,680", "6,680"], ["Costs", "980", "870"]]
    asked = {
        "question": "What is the average of net sales?",
        "equation": "(5680 + 6680) / 2",
        "answer": "6180",
    }
    row = changed(own(table=rows, **asked), "append_bool")
    assert row.original is not None
    assert re.search(r"than [\d,.]+ million\?|at (?:least|most) [\d,.]+ million\?", row.problem.question)
    paid = changed(
        own(
            table=[["Item", "Price"], ["Cup", "$2.10"], ["Bowl", "$3.10"]],
            unit="$",
            question="What is the total price?",
            equation="2.1 + 3.1",
            answer="5.2",
        ),
        "append_bool",
    )
    assert paid.original is not None
    assert re.search(r"\$\d+(?:\.\d\d)?\?", paid.problem.question)


def test_another_operation_on_numbers_of_the_text_takes_no_scale_from_the_table() -> None:
    asked = {
        "question": "What was the percentage change in capital spending from 2018 to 2019?",
        "equation": "(2.6 - 2.5) / 2.5 * 100",
        "answer": "4",
    }
    body = "Capital spending was $2.6 billion in 2019 and $2.5 billion in 2018."
    rows = [["in millions", "2019", "2018"], ["Net sales", "5,680", "6,680"]]
    row = changed(own(table=rows, body=body, **asked), "logic")
    assert row.original is None or row.problem.unit != "million"


@pytest.mark.parametrize(("reports", "lends"), [(8, True), (9, False)])
def test_few_statements_are_not_repeated_over_many_reports(reports: int, lends: bool) -> None:
    stated = "The effective tax rate was 21.4% in fiscal 2018."
    table = (("", "2019"), ("Sales", "5"))
    pool = [
        Problem(str(at), stated if not at else f"Report {at}.", "?", table=table) for at in range(reports)
    ]
    assert Neighbours(pool, seed=0, dataset="d").lends_to_reports is lends


HEAD = ("in thousands", "2019", "2018")


@pytest.mark.parametrize(
    ("body", "rows", "cells", "agrees"),
    [
        # a rate is the quotient of two rows in other units
        (
            "",
            [
                ("Net revenue", "175,450", "124,004"),
                ("Days", "8,102", "9,470"),
                ("Rate per day", "21,655", "13,094"),
            ],
            {"table.1.1": "350,900", "table.3.1": "21,655"},
            False,
        ),
        (
            "",
            [
                ("Net revenue", "175,450", "124,004"),
                ("Days", "8,102", "9,470"),
                ("Rate per day", "21,655", "13,094"),
            ],
            {"table.1.1": "350,900", "table.3.1": "43,310"},
            True,
        ),
        # a column with its percent sign at the top stays within a whole
        ("", [("Alder", "40.5%", "30.1%"), ("Birch", "31.3", "25.5")], {"table.2.1": "62.0"}, False),
        ("", [("Alder", "40.5%", "30.1%"), ("Birch", "31.3", "25.5")], {"table.2.1": "51.0"}, True),
        # a number in a label
        ("", [("Leased equipment 3,348", "3,348", "3,525")], {"table.1.1": "2,617"}, False),
        ("", [("Leased equipment 3,348", "3,348", "3,525")], {"table.1.2": "2,617"}, True),
        # growth from row to row
        (
            "",
            [("2019", "412.1", "(12.1)%"), ("2018", "468.8", "13.7%"), ("2017", "412.2", "")],
            {"table.2.1": "448.8", "table.1.2": "(8.2)%"},
            False,
        ),
        (
            "",
            [("2019", "412.1", "(12.1)%"), ("2018", "468.8", "13.7%"), ("2017", "412.2", "")],
            {"table.2.1": "448.8", "table.1.2": "(8.2)%", "table.2.2": "8.9%"},
            True,
        ),
        # gains less losses of a sentence
        (
            "Hedge gains reclassified to net income: $9.6 million gain in sales, $5.0 million loss in costs and "
            "$1.7 million loss elsewhere.",
            [("Hedge gains reclassified to income", "2,931", "1,210")],
            {"table.1.1": "3,908"},
            False,
        ),
        # a change in full
        (
            "The rate of hire rose by $8,560.",
            [("Rate of hire", "21,655", "13,095")],
            {"table.1.1": "30,655"},
            False,
        ),
    ],
)
def test_the_certificate_knows_what_follows_from_figures(
    body: str, rows: list[tuple[str, ...]], cells: dict[str, str], agrees: bool
) -> None:
    problem = Problem("1", body, "?", table=(HEAD, *rows), meta=(("table_scale", "thousand"),))
    assert CHECKS["restatements_agree"](problem, problem.with_texts(cells)) is agrees


@pytest.mark.parametrize(
    "rows",
    [
        [["", "2019", "2018"], ["Alder", "21.8%", "14.0%"], ["Birch", "17.7", "16.0"]],
        [
            ["As a percentage of revenue", "2019", "2018"],
            ["Alder", "21.8", "14.0"],
            ["Birch", "17.7", "16.0"],
        ],
        [
            ["", "2019", "2018"],
            ["Alder", "21.8", "14.0"],
            ["Birch", "17.7", "16.0"],
            ["Others", "60.5", "70.0"],
        ],
    ],
)
@pytest.mark.parametrize("name", NAMES)
def test_shares_without_a_sign_are_not_moved_like_amounts(rows: list[list[str]], name: str) -> None:
    asked = {"question": "What was the change of Birch?", "equation": "17.7 - 16.0", "answer": "1.7"}
    assert changed(own(table=rows, **asked), name).original is None


def test_earnings_per_share_follow_where_one_year_differs() -> None:
    rows = [
        ["in millions", "2019", "2018", "2017"],
        ["Net earnings", "108.8", "168.5", "254.2"],
        ["Earnings per share", "0.73", "1.14", "1.47"],
        ["Weighted shares", "148.6", "148.2", "152.4"],
    ]
    asked = {"question": "What was the change in 2019?", "equation": "168.5 - 108.8", "answer": "59.7"}
    for seed in range(5):
        row = changed(own(table=rows, **asked), "distribution_plausible", seed)
        assert row.original is not None
        income, earned, count = (
            [float(cell.replace(",", "")) for cell in line[1:3]] for line in row.problem.table[1:]
        )
        assert all(abs(a / c / b - 1) < 0.05 for a, b, c in zip(income, earned, count, strict=True))


@pytest.mark.parametrize("name", NAMES)
def test_a_sum_that_no_label_announces_still_holds(name: str) -> None:
    rows = [["", "2017"], ["United States", "1,116"], ["Africa", "5,778"], ["Both regions", "6,894"]]
    asked = {"question": "What share has Africa?", "equation": "5778 / 6894 * 100", "answer": "83.81"}
    for seed in range(5):
        row = changed(own(table=rows, **asked), name, seed)
        one, two, both = (int(line[1].replace(",", "")) for line in row.problem.table[1:])
        assert one + two == both


def test_an_integer_beside_decimals_gets_none() -> None:
    rows = [["", "2019", "2018"], ["Shares issued", "700,000", "650,000"], ["Value", "12.5", "11.5"]]
    asked = {"question": "What was the change in value?", "equation": "12.5 - 11.5", "answer": "1"}
    for seed in range(5):
        row = changed(
            own(table=rows, body="Value is the highest ever.", **asked), "distribution_plausible", seed
        )
        assert all("." not in cell for cell in row.problem.table[1])


def spelled_in_report(text: str) -> str:
    problem = own(
        table=[["in millions", "2019", "2018"], ["Rent", "310", "295"]],
        body=text,
        question="What was the change in rent?",
        equation="310 - 295",
        answer="15",
    )
    made = perturbations.get("language_plausible", "table").apply(problem, Draw(0, "d", "1", "language"))
    return made.body if made else text


@pytest.mark.parametrize(
    ("text", "wanted"),
    [
        (
            "The plan runs for 12 months in 3 countries.",
            "The plan runs for twelve months in three countries.",
        ),
        ("Awards vest over 12 to 24 months.", "Awards vest over twelve to twenty-four months."),
        ("It signed a 5-year lease for 8 plants.", "It signed a five-year lease for eight plants."),
        ("The average term is 2.5 years.", "The average term is two and a half years."),
        ("Sales grew by 5% and costs by 3%.", "Sales grew by five percent and costs by three percent."),
        (
            "The group sold plants for $20 million in May.",
            "The group sold plants for twenty million dollars in May.",
        ),
    ],
)
def test_a_report_spells_small_whole_counts_and_round_amounts(text: str, wanted: str) -> None:
    assert spelled_in_report(text) == wanted


@pytest.mark.parametrize(
    "text",
    [
        "The group sold 8 plants. Sales were $121.4 million.",
        "The plan runs for 12 months. Sales grew by 5% in May and by 3.4% in June.",
        "It has 6 mills. The leases run for 5 years and not for 240 years.",
    ],
)
def test_longer_numbers_of_a_report_stay_in_digits_beside_shorter_ones(text: str) -> None:
    first, second = text.split(". ")
    made = spelled_in_report(text)
    assert made.endswith(second)
    assert not made.startswith(first)


@pytest.mark.parametrize(
    "text",
    [
        "The group uses a $140 million uncommitted overdraft facility.",
        "This is a 1% (1%) decrease.",
        "Sales were 12 15 18 plants.",
    ],
)
def test_a_report_keeps_attributes_repeats_and_rows_in_digits(text: str) -> None:
    assert spelled_in_report(text) == text


@pytest.mark.parametrize(
    ("text", "spelled"),
    [
        # a count of what was named stays in digits, and so do those beside it
        ("Of the 12 shops that we bought, we closed eight and sold 42 to others.", ""),
        ("We work in 16 shops, 151,512 stalls and 143,127 kiosks.", ""),
        ("We work in 16 shops and 1,512 kiosks.", "We work in sixteen shops and 1,512 kiosks."),
        (
            "We sell oats in over 180 countries and in 40 languages.",
            "We sell oats in over one hundred and eighty countries and in forty languages.",
        ),
        (
            "Costs rose by 100 basis points. The model assumes a 100 basis point rise of rates.",
            "Costs rose by one hundred basis points. The model assumes a one hundred basis point rise of rates.",
        ),
        ("We work in 16 shops for 30 months.", "We work in sixteen shops for thirty months."),
        ("We own a 70%-owned mill.", "We own a seventy-percent-owned mill."),
        ("The stalls were open on 20 or more days of the 30 days that we count.", ""),
        ("The stalls are in the “More than 5 years” column.", ""),
        # decimals of periods, where nothing shorter is there
        (
            "Costs were $1.8 million and are spread over 2.9 years.",
            "Costs were one point eight million dollars and are spread over 2.9 years.",
        ),
        ("Costs are spread over 2.9 years.", "Costs are spread over two point nine years."),
    ],
)
def test_counts_of_one_sentence_are_written_alike(text: str, spelled: str) -> None:
    assert spelled_in_report(text) == (spelled or text)


def denied_in_report(
    text: str, question: str = "What was the change in rent?", name: str = "verbosity_plausible"
) -> Problem:
    problem = own(
        table=[["in millions", "2019", "2018"], ["Rent", "(21)", "(5)"]],
        body=text,
        question=question,
        equation="-21 - -5",
        answer="-16",
    )
    made = perturbations.get(name, "table").apply(problem, Draw(0, "d", "1", "verbosity"))
    return made or problem


def test_a_report_has_few_denials_one_a_sentence_and_needed_numbers_first() -> None:
    text = "\n".join(f"The group ran {n} shops and {n + 40} kiosks in its region." for n in range(30, 36))
    body = denied_in_report(f"{text}\nRent was paid for 21 buildings in the year.").body
    assert body.count("(not ") == 3
    assert "21 (not " in body
    assert all(line.count("(not ") <= 1 for line in body.split("\n"))


@pytest.mark.parametrize(
    "text",
    [
        "The group expects costs of $30000 to $35000 in the next year.",
        "Margins range from a low of 4% to a high of 9% in the regions.",
        "This was a decrease of 12% (12% in the last report) in the year.",
        "Shops 12 15 18 21 were open in the year.",
        "12 shops",
        # a clause follows its number
        "The group has loans of $316.2 million, which fall due in the next year.",
        "the group has loans of $ 47 , which fall due in the next year .",
        "Prices were ranging between $14.8 million and $16.7 million per shop.",
        # the name of a window of time, a term, and a scale that a line break parted
        "The leases of the shops end within the next twelve months.",
        "The shops have shares of $2.50 par value in all regions.",
        "The shops were let where there was a 60% likelihood of rent.",
        "the shops were let for $ 2.3 bil- lion to the owners .",
    ],
)
def test_numbers_of_ranges_repeats_rows_and_headings_are_not_denied(text: str) -> None:
    assert denied_in_report(text).body == text


@pytest.mark.parametrize(
    "weak",
    [
        "No tenant paid more than 15% of all the rent.",
        "The graph assumes that $300 was spent on the shops.",
        "* $ 100 invested on the last day of the year in shares or in an index.",
        "The group pays rent within 45 days or less of the end of a month.",
        "The shops will be let over the next three years to the same tenants.",
        "The group has three kinds of shops in its regions: kiosks, stalls and halls.",
        "The group let its shops at a 15% discount in the north.",
    ],
)
def test_bounds_and_assumptions_are_denied_where_there_is_nothing_else(weak: str) -> None:
    assert denied_in_report(weak).body.count("(not ") == 1
    body = denied_in_report(f"{weak}\nRent was paid for 27 buildings in the year.").body
    assert re.search(r"27 \(not \d+\) buildings", body)
    assert body.count("(not ") == 1


@pytest.mark.parametrize(
    ("text", "unit"),
    [
        ("The rate of shops let to others fell to 38.0 per cent in the year.", "per cent"),
        ("The rate of shops let to others fell by 41 basis points in the year.", "basis points"),
        ("the rate of shops let to others fell to 38 percent in the year .", "percent"),
        ("The rate of shops let to others fell by 41 percentage points in the year.", "percentage points"),
    ],
)
def test_a_denial_parts_no_number_from_its_unit(text: str, unit: str) -> None:
    body = denied_in_report(text).body
    assert body.count(unit) == 2
    assert f"{unit} (not " in body or f"{unit} ( not " in body


def test_the_second_of_two_equal_shares_is_not_denied() -> None:
    body = denied_in_report("Larch Ltd owns 50% of the shops, and the bank owns 50% of them.").body
    assert body.endswith("and the bank owns 50% of them.")


def test_a_denied_number_counts_more_than_one_and_has_no_more_digits_than_the_text_groups() -> None:
    for seed in range(30):
        problem = own(
            table=[["", "2019"], ["Rent", "9"]],
            body="The group rented three shops in the north. It paid $958.1 million for them, as planned.",
            question="What was the rent?",
            equation="9",
            answer="9",
        )
        made = perturbations.get("verbosity_plausible", "table").apply(
            problem, Draw(seed, "d", "1", "verbosity")
        )
        assert made is not None
        assert "(not one)" not in made.body
        assert not re.search(r"not \$\d{4}", made.body)


def test_the_years_of_a_question_are_not_denied() -> None:
    question = "What was the average rent over the 3 years?"
    assert denied_in_report("The group rented 12 shops in the north.", question).question == question


def test_a_denial_follows_the_spacing_of_tokenised_text() -> None:
    body = denied_in_report("the group paid $ 90 for each of its buildings in the year , as planned .").body
    assert re.search(r"paid \$ 90 \( not \$ \d+ \) for", body)


def test_a_negative_cell_is_not_denied() -> None:
    problem = own(
        table=[["in millions", "2019", "2018"], ["Rent", "(21)", "-5"], ["Fees", "48", "$(3)"]],
        body="A note.",
        question="What was the change in fees?",
        equation="48 - -3",
        answer="51",
    )
    for seed in range(5):
        draw = Draw(seed, "d", "1", "verbosity_table")
        made = perturbations.get("verbosity_table", "table").apply(problem, draw)
        assert made is not None
        assert made.table[1] == problem.table[1]
        assert made.table[2][2] == "$(3)"
        assert re.fullmatch(r"48 \(not \d+\)", made.table[2][1])


def test_a_heading_of_shares_covers_the_empty_cells_beside_it() -> None:
    read = typed(
        (
            ("", "Customers", "", "% of penetration (2)", ""),
            ("", "2019", "2018", "2019", "2018"),
            ("Internet", "446,137", "421,189", "50.8", "49.7"),
            ("Video", "312,555", "304,697", "35.6", "37.1"),
        )
    )
    assert read.cells("percent") == {(2, 3), (2, 4), (3, 3), (3, 4)}


def test_an_amount_with_the_mark_of_a_note_is_an_amount() -> None:
    read = typed(
        (
            ("", "Vessels", "Total"),
            ("At January 1", "206,753(*)", "214,371"),
            ("Additions", "1,001*", "2,464"),
        )
    )
    assert {cell: int(value) for cell, value in read.values.items()} == {
        (1, 1): 206753,
        (1, 2): 214371,
        (2, 1): 1001,
        (2, 2): 2464,
    }


def test_large_counts_of_a_sentence_and_bullets_of_a_list_agree() -> None:
    counts = "Directors receive up to 40,000 stock options or 16,123 restricted stock units."
    made = spelled_in_report(counts)
    assert ("40,000" in made) == ("16,123" in made)
    bullets = (
        "Sales of the group were higher because of these:\n"
        "• Sales in Asia rose by $20 million in the year.\n"
        "• Sales in Europe rose by $88.612 million in the year."
    )
    assert spelled_in_report(bullets) == bullets


@pytest.mark.parametrize(("cell", "words"), [("$ 2.92", None), ("292", "Two hundred and ninety-two")])
def test_the_amounts_of_a_table_are_all_in_words_or_all_in_digits(cell: str, words: str | None) -> None:
    problem = own(
        table=[["in millions", "2019", "2018"], ["Fees", cell, "12"], ["Rent", "261", "1486"]],
        body="A note.",
        question="What was the change in rent?",
        equation="261 - 1486",
        answer="-1225",
    )
    made = perturbations.get("language_table", "table").apply(problem, Draw(0, "d", "1", "language_table"))
    assert (made.table[1][1] if made else None) == words
    assert made is None or made.table[2][2] == "One thousand four hundred and eighty-six"


@pytest.mark.parametrize(
    ("text", "changes"),
    [
        ("The clinic saw 50 more patients in May than in April, when it had 12 beds.", False),
        ("The clinic can take at most 360 patients a month.", False),
        ("The 5 doctors saw 70 patients each in May.", False),
        ("The clinic has 12 doctors.", True),
        ("The clinic opened in 1987.", True),
    ],
)
@pytest.mark.parametrize("name", ["noise_plausible", "distribution_plausible"])
def test_a_short_table_stays_beside_an_amount_that_may_depend_on_it(
    name: str, text: str, changes: bool
) -> None:
    problem = own(
        body=text,
        table=[["Month", "Patients"], ["April", "310"], ["May", "345"]],
        question="How many patients came in both months?",
        equation="310 + 345",
        answer="655",
    )
    assert (changed(problem, name).original is not None) == changes


def test_ranks_keep_the_order_of_their_rows() -> None:
    rows = [["Place", "Runner", "Seconds"], ["1", "Ada", "50"], ["2", "Bea", "54"], ["3", "Cid", "58"]]
    question = "How many seconds was Ada faster than Cid?"
    for seed in range(8):
        problem = own(id=str(seed), table=rows, question=question, equation="58 - 50", answer="8")
        cells = [int(row[2]) for row in changed(problem, "noise_plausible").problem.table[1:]]
        assert cells == sorted(cells)


@pytest.mark.parametrize("seed", range(6))
def test_a_share_of_one_digit_stays(seed: int) -> None:
    problem = own(
        body="The company reports its net sales and costs below. Repairs are normally around 2% of net sales.",
        table=[["in millions", "2019", "2018"], ["Net sales", "2,150", "1,984"], ["Repairs", "43.1", "39.6"]],
        question="What was the change in repairs from 2018 to 2019?",
        equation="43.1 - 39.6",
        answer="3.5",
    )
    for name in ("noise_plausible", "distribution_plausible"):
        assert "around 2% of" in changed(problem, name, seed).problem.body
