"""Equations are compared as written, as calculations, and by their value."""

from __future__ import annotations

import pytest

from dnc_metrics import equations
from dnc_metrics.errors import MetricError


@pytest.mark.parametrize(
    ("prediction", "gold", "outcome"),
    [
        ("7+2", "7+2", (True, True, True, True)),
        ("7 + 2 = 9", "7+2=9", (True, True, True, True)),
        ("x = 7 + 2", "7+2", (True, True, True, True)),
        ("2+7", "7+2", (False, False, True, True)),
        ("(7+2)", "7+2", (False, True, True, True)),
        ("7.0+2", "7+2", (False, True, True, True)),
        ("3*3", "7+2", (False, False, False, True)),
        ("9", "7+2", (False, False, False, True)),
        ("7-2", "7+2", (False, False, False, False)),
        ("7/0", "7+2", (False, False, False, False)),
        ("9**9**9", "7+2", (False, False, False, False)),
        ("no idea", "7+2", (False, False, False, False)),
        ("30-(5+2)", "30-5-2", (False, False, True, True)),
        ("+ 7 2", "7 + 2", (True, True, True, True)),
        ("+ 2 7", "7 + 2", (False, False, True, True)),
        ("+ 7 2", "+ 7 2", (True, True, True, True)),
        ("10/3", "10 ÷ 3", (True, True, True, True)),
        ("So 7 + 2 = 9 pens.", "7 + 2", (True, True, True, True)),
    ],
)
def test_score(prediction: str, gold: str, outcome: tuple[bool, bool, bool, bool]) -> None:
    assert equations.score(prediction, gold)[:4] == outcome


def test_the_answer_decides_what_executes() -> None:
    assert equations.score("62 / 4", "31 / 2", answer="16").executes is False
    assert equations.score("31 / 2", "31 / 2", answer="16", rounding="ceil").executes is True
    assert equations.score("10 / 3", "10 / 3", answer="3.333", rounding="places:3").executes is True
    # The source rounds ties to even: the equation is right all the same, and a wrong one is not.
    assert equations.score("33 / 8", "33 / 8", answer="4.12", rounding="places:2").executes is True
    assert equations.score("33.1 / 8", "33 / 8", answer="4.12", rounding="places:2").executes is False


def test_the_gold_equation_is_always_right() -> None:
    """The source may round its answer without a note."""
    assert equations.score("10 / 3", "10 / 3", answer="3.33").executes is True
    assert equations.score("(10) / 3.0", "10 / 3", answer="3.33").executes is True
    assert equations.score("20 / 6", "10 / 3", answer="3.33").executes is False


def test_slots() -> None:
    right = equations.score("- number1 number0", "number1 - number0", answer="3", numbers=["2", "5.0"])
    assert right[:4] == (True, True, True, True)
    assert equations.score("NUM_0 * NUM_1", "number0 * number1", answer="10", numbers=["2", "5"]).executes
    assert equations.score("+ number0 number1", "+ number0 number1").executes is None
    assert equations.score("number0 + number7", "number0 + number1", numbers=["2", "5"]).executes is False


def test_errors_say_what_and_where() -> None:
    with pytest.raises(MetricError, match="row 1: the gold equation 'apples' cannot be read"):
        equations.accuracy(["1+1", "1+1"], ["1+1", "apples"])
    with pytest.raises(MetricError, match="number 1 is 'x'"):
        equations.score("1+1", "1+1", numbers=["2", "x"])
    with pytest.raises(MetricError, match="predictions has 1 row but numbers has 2"):
        equations.accuracy(["1"], ["1"], numbers=[[], []])
    with pytest.raises(MetricError, match="must be text"):
        equations.score(None, "1+1")  # type: ignore[arg-type]
    with pytest.raises(MetricError, match="no predictions"):
        equations.accuracy([], [])
