"""A prepared calculation gives what its equation gives, with any values for its operands."""

from __future__ import annotations

from fractions import Fraction
from itertools import pairwise

import pytest
from hypothesis import given
from hypothesis import strategies as some

from dnc_datasets import expression
from dnc_datasets.errors import ExpressionError
from dnc_datasets.perturbations.numbers.calculations import Calculation, divisions, quotient, whole
from dnc_datasets.perturbations.numbers.operands import movable
from dnc_datasets.perturbations.numbers.value_search import Range
from dnc_datasets.problem import TEXT_FIELDS, Problem

EQUATION = "(a - b) / c + 100 * a - 5% * (-b)".replace("a", "7").replace("b", "11").replace("c", "13")
PLACES = {Fraction(7): 0, Fraction(11): 1, Fraction(13): 2}
NUMBERS = some.fractions(min_value=-50, max_value=50, max_denominator=20)


@given(some.tuples(NUMBERS, NUMBERS, NUMBERS))
def test_the_value_is_the_equations(values: tuple[Fraction, Fraction, Fraction]) -> None:
    tree = expression.parse(EQUATION)
    calculation = Calculation.of(tree, PLACES)
    moved = tree.replace(
        lambda leaf: expression.number(values[PLACES[leaf.number]]) if leaf.number in PLACES else leaf
    )  # type: ignore[union-attr]
    given_values = [whole(value) for value in values]
    if not values[2]:
        with pytest.raises(ExpressionError):
            calculation.nodes(given_values)
        return
    assert calculation.value(given_values) == moved.value()
    assert calculation.nodes(given_values)[-1] == ("-", moved.value())
    ((above, below),) = divisions(tree, PLACES)
    assert (
        quotient(above.value(given_values), below.value(given_values)) == (values[0] - values[1]) / values[2]
    )


@given(NUMBERS, NUMBERS, some.sampled_from(["1", "5", "1/20", "1/10"]), NUMBERS)
def test_a_range_holds_what_it_gives_from_the_target_outwards(
    low: Fraction, more: Fraction, step: str, target: Fraction
) -> None:
    range_ = Range(low, low + abs(more), Fraction(step))
    found = list(range_.nearest(target))
    assert all(one in range_ and low <= one <= low + abs(more) for one in found)
    assert all(Fraction(one / Fraction(step)).denominator == 1 for one in found)
    away = [abs(one - max(low, min(low + abs(more), target))) for one in found]
    assert all(b - a >= -Fraction(step) for a, b in pairwise(away))


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
