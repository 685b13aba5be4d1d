"""Plausible numbers over tables: what adds up still does, in small tables and in the real ones."""

from __future__ import annotations

from collections.abc import Callable
from fractions import Fraction
from pathlib import Path

import pytest

from dnc_datasets import perturbations
from dnc_datasets.certificate import CHECKS, certify, tables
from dnc_datasets.draws import Draw
from dnc_datasets.perturbations.numbers.amounts import is_year
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
