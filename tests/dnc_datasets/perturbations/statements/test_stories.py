"""Which sentences of a word problem can be told in another one, and where they are told."""

from __future__ import annotations

import pytest

from dnc_datasets.perturbations.statements.places import with_statement
from dnc_datasets.perturbations.statements.stories import can_be_told_anywhere
from dnc_datasets.problem import Problem


@pytest.mark.parametrize(
    "statement",
    ["A stall sells 44 melons.", "Omar bought 12 lamps.", "There are 30 goats in a barn.", "Mrs. Hill paid $40."],
)  # fmt: skip
def test_told(statement: str) -> None:
    assert can_be_told_anywhere(statement)


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
    assert not can_be_told_anywhere(statement)


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
