"""Which operands of an equation may move."""

from __future__ import annotations

from fractions import Fraction

import pytest

from dnc_datasets.perturbations.numbers.operands import movable
from dnc_datasets.problem import TEXT_FIELDS, Problem


@pytest.mark.parametrize(
    ("body", "question", "equation", "values"),
    [
        ("Ana earns $40. 10% of it are taxes.", "What is left?", "40 - 40 / 10", [40]),
        ("Ana earns $40. 10% of it are taxes.", "What is left?", "40 - 40 * 10 / 100", [40, 10]),
        ("Ana buys 2 books of 90 pages.", "How many pages have both books?", "2 * 90", [90]),
        ("Ana buys 2 books of 90 pages.", "How many pages have the books?", "2 * 90", [2, 90]),
    ],
)
def test_what_another_word_or_form_fixes_stays(
    body: str, question: str, equation: str, values: list[int]
) -> None:
    found = movable(Problem("1", body, question, equation=equation), TEXT_FIELDS)
    assert found is not None
    assert found.values == [Fraction(value) for value in values]
