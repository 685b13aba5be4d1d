"""Noise and Distribution over tables: which operands move, how they are written, and where none may."""

from __future__ import annotations

from collections.abc import Callable
from fractions import Fraction

import pytest

from dnc_datasets import expression
from dnc_datasets.draws import Draw
from dnc_datasets.perturbations.table_values import add_decimal_digit, shift_operands
from dnc_datasets.problem import Problem

ROWS = [
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
        return report_question(ROWS, body, question, derivation, answer, scale)

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
        # an operand that the text gives in another scale
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
