"""A question asks for what its equation computes: operation, direction and operands, read from its words."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from dnc_datasets.certificate.asked import asked_as_computed, fits
from dnc_datasets.problem import Problem

TWO = "Ida picked 17 plums, and Omar picked 9 plums."
KINDS = "A shop sold 40 small mugs and 25 large mugs."
LEFT = "Lena had 30 stamps. She gave 8 stamps to Ravi."
THREE = "Ida picked 17 plums, Omar picked 9 plums, and Zoe picked 5 pears."


@pytest.mark.parametrize(
    ("body", "question", "right", "wrong"),
    [
        (TWO, "How many plums did Ida and Omar pick altogether?", "17 + 9", "17 - 9"),
        (TWO, "How many more plums did Ida pick than Omar?", "17 - 9", "17 + 9"),
        (TWO, "How many more plums did Ida pick than Omar?", "17 - 9", "9 - 17"),
        (TWO, "How many fewer plums did Omar pick than Ida?", "17 - 9", "9 - 17"),
        (KINDS, "How many more small mugs than large mugs did the shop sell?", "40 - 25", "25 - 40"),
        (LEFT, "How many stamps does Lena have left?", "30 - 8", "30 + 8"),
        (LEFT, "How many more stamps does Lena have left than she gave to Ravi?", "(30 - 8) - 8", "8 - (30 - 8)"),
        (TWO, "How many times as many plums did Ida pick as Omar?", "17 / 9", "17 - 9"),
        (TWO, "What is the difference between the two numbers of plums?", "17 - 9", "17 + 9"),
        (THREE, "How many more plums did Ida pick than Omar?", "17 - 9", "17 - 5"),
    ],
)  # fmt: skip
def test_the_equation_must_be_the_one_that_the_question_announces(
    body: str, question: str, right: str, wrong: str
) -> None:
    assert fits(Problem("1", body, question, equation=right))
    assert not fits(Problem("1", body, question, equation=wrong))


def test_a_question_that_announces_nothing_passes() -> None:
    assert fits(Problem("1", TWO, "How many plums are in the basket?", equation="17 - 9"))
    assert asked_as_computed(Problem("1", TWO, "Who?"), Problem("1", TWO, "Did Ida pick more?", answer="yes"))


def test_a_fault_of_the_source_is_not_the_fault_of_the_row() -> None:
    question = "How many plums did they pick altogether?"
    faulty = Problem("1", TWO, question, equation="17 - 9")
    assert asked_as_computed(faulty, faulty.replace(body=TWO.replace("17", "19"), equation="19 - 9"))
    assert not asked_as_computed(faulty.replace(equation="17 + 9"), faulty)


@given(st.integers(20, 99), st.integers(2, 19), st.sampled_from(["Ben", "Emma", "Tariq"]))
def test_the_sides_of_a_comparison_may_not_change_places(more: int, fewer: int, name: str) -> None:
    body = f"{name} found {more} shells. Olga found {fewer} shells."
    straight = Problem(
        "1", body, f"How many more shells did {name} find than Olga?", equation=f"{more} - {fewer}"
    )
    turned = straight.replace(question=f"How many more shells did Olga find than {name}?")
    assert fits(straight)
    assert not fits(turned)
