"""Columns of periods: which tables are reversed, what moves with them, and what the certificate refuses."""

from __future__ import annotations

from dataclasses import replace

import pytest

from dnc_datasets.certificate.arrangement import links_follow, parts_rearranged
from dnc_datasets.draws import Draw
from dnc_datasets.perturbations.table_order import rearrange
from dnc_datasets.perturbations.tables.period_columns import column_orders
from dnc_datasets.problem import Problem

Rows = tuple[tuple[str, ...], ...]


def _table(*lines: str) -> Rows:
    return tuple(tuple(cell.strip() for cell in line.split("|")) for line in lines)


def _reversed(table: Rows) -> Rows:
    orders = column_orders(table)
    return (
        tuple(tuple(row[at] for at in order) for row, order in zip(table, orders, strict=True))
        if orders
        else ()
    )


@pytest.mark.parametrize(
    ("table", "becomes"),
    [
        # a heading of all columns stays, and empty cells move
        (
            _table(
                "| | Years ended May 31, |",
                "| 2019 | 2018 | 2017",
                "Sales | $30 | $40 | $50",
                "Grants | 7 | |",
            ),
            _table(
                "| | Years ended May 31, |",
                "| 2017 | 2018 | 2019",
                "Sales | $50 | $40 | $30",
                "Grants | | | 7",
            ),
        ),
        (
            _table("£m | Note | FY19 | FY18", "Sales | 3 | 30 | 40"),
            _table("£m | Note | FY18 | FY19", "Sales | 3 | 40 | 30"),
        ),
        (
            _table("| 30 June 2019 | 30 June 2018 | Change", "| $'000 | $'000 | %", "Sales | 30 | 40 | (25)"),
            _table("| 30 June 2018 | 30 June 2019 | Change", "| $'000 | $'000 | %", "Sales | 40 | 30 | (25)"),
        ),
        (
            _table("| December 31 | January 1 | December 31", "| 2019 | 2019 | 2018", "Debt | 5 | 6 | 8"),
            _table("| December 31 | January 1 | December 31", "| 2018 | 2019 | 2019", "Debt | 8 | 6 | 5"),
        ),
        # comparisons follow the years
        (
            _table(
                "| 2019 | 2018 | 2017 | 2019 vs. 2018 | 2018 vs. 2017", "Sales | 30 | 40 | 50 | (10) | (10)"
            ),
            _table(
                "| 2017 | 2018 | 2019 | 2018 vs. 2017 | 2019 vs. 2018", "Sales | 50 | 40 | 30 | (10) | (10)"
            ),
        ),
        # groups and blocks
        (
            _table("| Assets | | Debts |", "| 2019 | 2018 | 2019 | 2018", "Loans | 30 | 40 | 5 | 6"),
            _table("| Assets | | Debts |", "| 2018 | 2019 | 2018 | 2019", "Loans | 40 | 30 | 6 | 5"),
        ),
        (
            _table("| 2019 | | 2018 |", "| Cost | Value | Cost | Value", "Bonds | 30 | 40 | 5 | 6"),
            _table("| 2018 | | 2019 |", "| Cost | Value | Cost | Value", "Bonds | 5 | 6 | 30 | 40"),
        ),
    ],
)
def test_reversed(table: Rows, becomes: Rows) -> None:
    assert _reversed(table) == becomes
    assert _reversed(becomes) == table


@pytest.mark.parametrize(
    "table",
    [
        _table("| Cost | Value", "Bonds | 30 | 40"),
        _table("| 2019 | Change | 2018", "Sales | 30 | (10) | 40"),
        _table("| 2019 | 2018 | Total", "Sales | 30 | 40 | 70"),
        _table("| 2018 | Additions | 2019", "Goodwill | 30 | 10 | 40"),
        _table("| 2020 | 2021-2022 | Thereafter", "Payments due | 30 | 40 | 70"),
        _table("| 2020 | 2021", "Payments due | 30 | 40"),
        _table("| 2015 | 2016 | 2017 | 2018", "Index | 100 | 104 | 107 | 113"),
        _table("| 2019 | 2017 | 2018", "Sales | 30 | 40 | 70"),
        # what is said of one column only
        _table("| 2019 | 2018", "| | (restated)", "Sales | 30 | 40"),
        _table("| 2019 (a) | 2018 (b)", "Sales | 30 | 40"),
        _table("| 2019 | 2018", "Sales | $30 | 40"),
        _table("| 2019 | 2018", "Receivables, net of allowances of $3 and $4 | 30 | 40"),
        _table("| 2019 | 2018 | ", "Margin | 30 | 40 | %"),
        # blocks that are not alike, and a row that is too short
        _table("| 2019 | | 2018 |", "| Cost | Value | Cost | Change", "Bonds | 30 | 40 | 5 | 6"),
        (("", "2019", "2018"), ("Sales", "30")),
    ],
)
def test_stays(table: Rows) -> None:
    assert column_orders(table) == ()


_TABLE = _table("| May 31, |", "| 2019 | 2018", "Net income | 30 | 40", "Total | 550 | 660")
_PROBLEM = Problem(
    "1",
    "It rose.",
    "What was the change in net income from 2018 to 2019?",
    table=_TABLE,
    equation="30 - 40",
    answer="-10",
    evidence=("table.2.1", "table.2.2"),
    meta=(("operands", '{"30": "table.2.1", "40": "table.2.2"}'),),
)


def test_links_follow_the_columns() -> None:
    made = rearrange(_PROBLEM, Draw(0, "d", "1", "order"))
    assert made is not None
    assert made.table == _table("| May 31, |", "| 2018 | 2019", "Net income | 40 | 30", "Total | 660 | 550")
    assert made.note("operands") == '{"30": "table.2.2", "40": "table.2.1"}'
    assert made.evidence == ("table.2.2", "table.2.1")
    assert parts_rearranged(_PROBLEM, made)
    assert links_follow(_PROBLEM, made)


@pytest.mark.parametrize(
    ("body", "question"),
    [
        ("It rose.", "What was the change in the first year?"),
        ("It rose.", "What is in the second column?"),
        ("The column of 2018 is restated.", "What was the change?"),
        ("For the years ended May 31, 2019 2018.", "What was the change?"),
        ("Total of both 550 660", "What was the change?"),
    ],
)
def test_texts_that_name_places(body: str, question: str) -> None:
    assert rearrange(replace(_PROBLEM, body=body, question=question), Draw(0, "d", "1", "order")) is None


@pytest.mark.parametrize(
    "table",
    [
        _table(
            "| May 31, |", "| 2019 | 2018", "Net income | 40 | 30", "Total | 660 | 550"
        ),  # headings stayed
        _table("| May 31, |", "| 2018 | 2019", "Net income | 40 | 30", "Total | 550 | 660"),  # a row stayed
        _table(
            "| May 31, |", "| 2018 | 2019", "Net income | 40 | 31", "Total | 660 | 550"
        ),  # a figure changed
        _table("| May 31, |", "| 2018 | 2019", "Income | 40 | 30", "Total | 660 | 550"),  # a label changed
        _table("| May 31, |", "| 2018 | 2019", "Total | 660 | 550", "Net income | 40 | 30"),  # rows moved too
        _table("| | May 31,", "| 2018 | 2019", "Net income | 40 | 30"),  # a row is missing
    ],
)
def test_broken_columns(table: Rows) -> None:
    assert not parts_rearranged(_PROBLEM, replace(_PROBLEM, table=table))


def test_only_periods_are_reversed() -> None:
    table = _table("| Cost | Value", "Bonds | 30 | 40")
    turned = _table("| Value | Cost", "Bonds | 40 | 30")
    problem = replace(_PROBLEM, table=table)
    assert not parts_rearranged(problem, replace(problem, table=turned))


def test_heading_of_one_column_does_not_stay() -> None:
    problem = replace(_PROBLEM, table=_table("| | (restated)", "| 2019 | 2018", "Sales | 30 | 40"))
    turned = _table("| | (restated)", "| 2018 | 2019", "Sales | 40 | 30")
    assert not parts_rearranged(problem, replace(problem, table=turned))


def test_unmoved_links() -> None:
    made = rearrange(_PROBLEM, Draw(0, "d", "1", "order"))
    assert made is not None
    assert not links_follow(_PROBLEM, replace(made, meta=_PROBLEM.meta))
    assert not links_follow(_PROBLEM, replace(made, evidence=_PROBLEM.evidence))
