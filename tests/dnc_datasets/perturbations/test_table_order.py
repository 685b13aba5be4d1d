"""Order over tables: which rows and paragraphs may change places, and which keep theirs."""

from __future__ import annotations

from fractions import Fraction

import pytest

from dnc_datasets import operand_links
from dnc_datasets.draws import Draw
from dnc_datasets.perturbations.table_order import movable_runs, rearrange
from dnc_datasets.problem import Problem
from dnc_datasets.tables.relations import signed

HEAD = ("", "2019", "2018")


@pytest.mark.parametrize(
    ("rows", "runs"),
    [
        # items above their total, and what follows it
        ([("Pens", "3", "4"), ("Ink", "5", "6"), ("Total", "8", "10"), ("Desks", "1", "2")], [(1, 3)]),
        # a sum without such a label is found by adding up, above and below
        ([("Pens", "30", "40"), ("Ink", "50", "60"), ("Goods", "80", "100"), ("Desks", "7", "9")], [(1, 3)]),
        ([("Goods", "80", "100"), ("Pens", "30", "40"), ("Ink", "50", "60"), ("Desks", "7", "9")], [(2, 4)]),
        ([("Goods", "80", "100"), ("Returns", "(30)", "(40)"), ("Rest", "50", "60")], [(1, 3)]),
        # what is left of the first when the others are taken off
        (
            [("Premiums", "90", "80"), ("Claims", "40", "30"), ("Costs", "20", "25"), ("Result", "30", "25")],
            [(2, 4)],
        ),
        # parts of a row above fill other columns
        ([("Pens", "30", "40"), ("red", "", "11"), ("blue", "", "12"), ("Ink", "5", "7")], [(2, 4)]),
        # sequences, balances and headline figures
        ([("2020", "3", "4"), ("2021", "5", "6")], []),
        ([("1-30 days", "3", "4"), ("31-60 days", "5", "6")], []),
        ([("Level 1", "3", "4"), ("Level 2", "5", "6")], []),
        ([("Revenue", "300", "400"), ("Adjusted EBITDA", "50", "60")], []),
        ([("Europe", "44", "42"), ("therein: Germany", "12", "11"), ("Americas", "23", "22")], []),
        # a heading whose group has no clear end
        ([("Depreciation", "", ""), ("Owned", "3", "4"), ("Leased", "5", "6"), ("Loss", "1", "2")], []),
        (
            [("Depreciation", "", ""), ("Owned", "3", "4"), ("Leased", "5", "6"), ("Total", "8", "10")],
            [(2, 4)],
        ),
    ],
)
def test_rows(rows: list[tuple[str, ...]], runs: list[tuple[int, int]]) -> None:
    assert movable_runs([HEAD, *rows]) == [range(start, end) for start, end in runs]


@pytest.mark.parametrize(
    ("cell", "value"),
    [
        ("$ (1,205)", -1205),
        ("-12.5", Fraction(-25, 2)),
        ("—", 0),
        ("1,000", 1000),
        ("12%", None),
        ("n/a", None),
    ],
)
def test_signed_cells(cell: str, value: Fraction | None) -> None:
    assert signed(cell) == value


@pytest.mark.parametrize(
    ("paragraphs", "moved"),
    [
        (["We sold 3 pens.", "They cost $5."], False),
        (["We sold 3 pens.", "Ink cost $5."], True),
        (["Sales", "We sold 3 pens.", "Costs", "Ink cost $5."], False),
        (["We sold the following:", "3 pens."], False),
        (["We sold 3 pens.", "(1) Ink cost $5."], False),
        (["We sold 3 pens.", "2 Ink cost $5."], False),
        (["We sold 3 pens.", "a Ink cost $5."], False),
        (["We sold 3 pens.", "¹⁾ Ink cost $5."], False),
        (["We sold 3 pens.", "Still, ink cost $5."], False),
        (["We sold 3 pens.", "However, ink cost $5."], False),
        (["We sold 3 pens.", "The increase in sales was due to 5 shops."], False),
        (["We sold 3 pens.", "Ink cost $5.", "These were red."], False),
        (["We joined 3 shops (the “Merger”).", "The Merger cost $5."], False),
    ],
)
def test_paragraphs(paragraphs: list[str], moved: bool) -> None:
    problem = Problem("1", operand_links.PARAGRAPH_BREAK.join(paragraphs), "How many?", table=(HEAD,))
    for seed in range(3):
        row = rearrange(problem, Draw(seed, "d", "1", "order"))
        assert (row is not None) is moved
        if row:
            assert sorted(operand_links.paragraphs(row.body)) == sorted(paragraphs)
