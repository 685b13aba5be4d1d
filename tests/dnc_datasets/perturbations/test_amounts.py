"""Which numbers of a text count as amounts."""

from __future__ import annotations

import pytest

from dnc_datasets.perturbations.amounts import amounts_in, fills_cell
from dnc_datasets.problem import Problem


@pytest.mark.parametrize(
    ("text", "found"),
    [
        ("The census of 2000 showed 137,893 people.", ["137,893"]),
        ("On 26 November 1585 they paid 200 coins.", ["200"]),
        ("They played a Week 3 game and gained 40 yards.", ["40"]),
        ("He was 8-for-18 for 59 yards.", ["59"]),
        ("He got a 48, a 38, and a 25-yard field goal.", []),
        ("It grew at 4%–5% and later at 6%.", ["6"]),
        ("See pp. 14 and 20 men.", []),
        ("They made two 2 point conversions and 3 kicks.", ["3"]),
        ("AASB 16 applies to leases of 12 months.", ["12"]),
        ("16. Leases\n\nWe lease 46 vans.", ["46"]),
        ("Sales (1) were £8m in 5G networks.", ["8"]),
        ("We filed our Form 10-K with 7 notes.", ["7"]),
        ("It fell to 35,000 in 273 to rise again.", ["35,000"]),
        ("They took Hill 950 and ranked #1 on the Hot 100.", []),
        ("Davis 16 carries, then 0,25% of the rest.", ["16"]),
        ("In May 5 ships left with 40 men.", ["40"]),
    ],
)
def test_prose(text: str, found: list[str]) -> None:
    assert [quantity.text for quantity in amounts_in(text, "body", prose=True)] == found


@pytest.mark.parametrize(
    ("cell", "whole"),
    [("$ (1,205)", True), ("12%", True), ("Level 1", False), ("505,100 (1)", True), ("Years 2 & 3", False)],
)
def test_cells(cell: str, whole: bool) -> None:
    from dnc_datasets import numerals

    first = numerals.find(cell)[0]
    assert fills_cell(cell, first.start, first.end) is whole


def test_four_digits_count_in_word_problems() -> None:
    assert [quantity.text for quantity in amounts_in("He has 1705 pens.", "body")] == ["1705"]


def test_chinese_dates_are_no_amounts() -> None:
    found = amounts_in("2019年第3天买了12个，打8折。", "segments.0")
    assert [quantity.text for quantity in found] == ["12"]


def test_paths_lead_back_to_the_text() -> None:
    problem = Problem(
        "1", "3 a", "4 b?", table=(("", "2019"), ("x", "7")), segments=("5 c",), meta=(("passage", "p"),)
    )
    for quantity in problem.quantities(("body", "segments", "table", "question")):
        text = problem.text_at(quantity.field)
        assert text[quantity.start : quantity.end] == quantity.text
