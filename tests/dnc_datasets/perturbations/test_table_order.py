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
        ([("Goods", "80", "100"), ("Returns", "(30)", "(40)"), ("Rest", "50", "60")], []),
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
        # letters, "other" rows, the row that has the sign, an account, the parts of a cash flow
        ([("a. Capital", "3", "4"), ("b. Recurring", "5", "6"), ("c. Total (a+b)", "8", "10")], []),
        ([("Pens", "3", "4"), ("Ink", "50", "60"), ("Other goods", "7", "9")], [(1, 3)]),
        ([("Pens", "$3", "$4"), ("Ink", "50", "60"), ("Desks", "7", "9")], [(2, 4)]),
        ([("Pens", "$3", "$4"), ("Ink", "50", "60")], []),
        # a company is not put among the indices
        (
            [
                ("Operating leases", "31", "44"),
                ("Capital leases", "7", "9"),
                ("Product purchases", "52", "63"),
                ("Asset purchases", "17", "13"),
            ],
            [(1, 5)],
        ),
        (
            [("Larch Mills", "121", "131"), ("S&P 500", "117", "142"), ("Nasdaq Composite", "119", "155")],
            [(2, 4)],
        ),
        # a ranking, with its rest; four rows may be in order by chance
        (
            [
                ("Larch", "97", "8"),
                ("Alder", "64", "17"),
                ("Birch", "51", "3"),
                ("Rowan", "23", "44"),
                ("Maple", "12", "29"),
                ("Others", "33", "31"),
            ],
            [],
        ),
        (
            [("Larch", "97", "8"), ("Alder", "64", "17"), ("Birch", "51", "3"), ("Rowan", "23", "44")],
            [(1, 5)],
        ),
        # blocks that list the same things
        (
            [
                ("Gains:", "", ""),
                ("Bonds", "31", "44"),
                ("Stocks", "7", "9"),
                ("Losses:", "", ""),
                ("Bonds", "52", "63"),
                ("Stocks", "17", "13"),
            ],
            [],
        ),
        (
            [
                ("Balance at 1 May", "9", "8"),
                ("Bought", "3", "4"),
                ("Repaired", "2", "5"),
                ("Balance at 1 June", "1", "7"),
            ],
            [],
        ),
        (
            [
                ("2018 sales", "90", "80"),
                ("Price", "13", "14"),
                ("Volume", "2", "5"),
                ("2019 sales", "1", "7"),
            ],
            [],
        ),
        ([("Operating activities", "30", "41"), ("Investing activities", "50", "66")], []),
        ([("nov . 1 through nov . 30", "30", "41"), ("dec . 1 through dec . 31", "50", "66")], []),
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
        (["Pen sales. We sold 3 pens.", "Ink costs. Ink cost $5."], False),
        (["In 2019 we sold 3 pens.", "In 2018 we sold 5 pens."], False),
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


@pytest.mark.parametrize("seed", range(6))
def test_families_of_rows_stay_together(seed: int) -> None:
    names = ("Operating leases", "Capital leases", "Product purchases", "Asset purchases", "Sponsorships")
    table = (HEAD, *((name, str(10 * at), str(11 * at)) for at, name in enumerate(names, 3)))
    made = rearrange(Problem("1", "", "", table=table), Draw(seed, "d", "1", "order"))
    assert made is not None
    last = [row[0].split()[-1] for row in made.table[1:]]
    assert sorted(dict.fromkeys(last)) == ["Sponsorships", "leases", "purchases"]
    assert [word for at, word in enumerate(last) if not at or last[at - 1] != word] == list(
        dict.fromkeys(last)
    )


def test_a_paragraph_stays_with_the_heading_that_it_goes_on_with() -> None:
    parts = [
        "We sell oats in four ways.",
        "Network distribution Our fees are paid by the owners of shops.",
        "Variable fees are due each month.",
        "Fixed fees are due each year.",
        "Direct sales Direct sales are made in our own shops.",
    ]
    one = Problem("1", "\n\n".join(parts), "How many?", table=(HEAD, ("Revenue", "7", "9")), answer="7")
    made = rearrange(one, Draw(0, "d", "1", "order"))
    assert made is None or made.body == one.body


def test_a_paragraph_about_the_thing_of_the_one_before_stays_after_it() -> None:
    parts = [
        "We own mills.",
        "Each mill has a yearly safety test of its wheels.",
        "The safety test takes two days.",
    ]
    one = Problem("1", "\n\n".join(parts), "How many?", table=(HEAD, ("Revenue", "7", "9")), answer="7")
    made = rearrange(one, Draw(0, "d", "1", "order"))
    assert made is None or made.body == one.body
