"""Ratios and averages that a text states of its own amounts."""

from __future__ import annotations

from fractions import Fraction

import pytest

from dnc_datasets import expression
from dnc_datasets.perturbations.numbers.stated_ratios import stated_ratios_hold

LAMPS = "The shop sold 500 lamps in March and 600 lamps in April, an increase of 20%."
TWICE = "The shop sold 300 lamps in March and 600 lamps in April, twice as many."
VOTES = "Of 400 votes Ann got 100, or 25 %, and Ben got 180."
CAKES = "The three shops sold 20, 30 and 40 cakes, an average of 30 cakes."
HALF = "Of 80 seats 40 are taken, that is half of them."


@pytest.mark.parametrize(
    ("text", "equation", "new", "holds"),
    [
        (LAMPS, "600 - 500", {500: 400, 600: 700}, False),
        (LAMPS, "600 - 500", {500: 400, 600: 480}, True),
        (TWICE, "600 + 300", {600: 500}, False),
        (TWICE, "600 + 300", {300: 250, 600: 500}, True),
        (VOTES, "180 - 100", {100: 90}, False),
        (VOTES, "180 - 100", {180: 150}, True),
        (CAKES, "20 + 30 + 40", {20: 25}, False),
        (CAKES, "20 + 30 + 40", {20: 15, 40: 45}, True),
        (HALF, "80 - 40", {80: 90}, False),
        # The ratio is an operand: it states the amount that is asked for.
        ("Ann has 5 pens and 10 pencils. Ben has twice as many pens as Ann.", "5 * 2", {5: 7}, True),
        ("Ann has 5 pens and Ben has 7 pens.", "5 + 7", {5: 9}, True),
    ],
)
def test_stated_ratios_hold(text: str, equation: str, new: dict[int, int], holds: bool) -> None:
    moves = {Fraction(was): Fraction(now) for was, now in new.items()}
    assert stated_ratios_hold(text, expression.parse(equation), moves) == holds
