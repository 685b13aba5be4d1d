"""Answers are compared as numbers or words, and wrong differs from not found and truncated."""

from __future__ import annotations

import json
from fractions import Fraction
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from dnc_datasets.expression import canonical
from dnc_metrics import answers
from dnc_metrics.errors import MetricError


@pytest.mark.parametrize(
    ("prediction", "gold", "right"),
    [
        ("3.0", "3", True),
        ("3", "3.0", True),
        ("1/2", "0.5", True),
        ("0.5", "1/2", True),
        ("123456", "123457", False),
        ("1234567890123456789", "1234567890123456788", False),
        ("0.1", "0.10000000000000001", False),
        ("0.3", "1/3", False),
        ("36", "3", False),
        ("3", "36", False),
        ("1,050", "1050", True),
        ("-3", "3", False),
        ("9", "9 (apples)", True),
        ("$5", "5", True),
        (3, "3", True),
        (0.1, "0.1", True),
        (0.1 + 0.2, "0.3", False),
        (Fraction(1, 3), "1/3", True),
    ],
)
def test_exact(prediction: object, gold: str, right: bool) -> None:
    assert answers.score(prediction, gold).correct is right


@pytest.mark.parametrize("value", [float("nan"), float("inf"), -float("inf")])
def test_no_number_is_not_found(value: float) -> None:
    assert answers.score(value, "3") == answers.AnswerScore(False, None, "not_found")


@pytest.mark.parametrize("value", [None, True, ["3"], object()])
def test_what_is_neither_text_nor_number_is_refused(value: object) -> None:
    with pytest.raises(MetricError, match="text or a number"):
        answers.score(value, "3")


def test_wrong_and_not_found_are_told_apart() -> None:
    assert answers.score("It is 4.", "3") == answers.AnswerScore(False, Fraction(4), "last_number")
    assert answers.score("It is unknown.", "3") == answers.AnswerScore(False, None, "not_found")
    assert answers.score("<think>It is 3", "3") == answers.AnswerScore(False, None, "truncated")


def test_strict_takes_no_guess() -> None:
    assert answers.score("She has 7 left.", "7").correct
    assert answers.score("She has 7 left.", "7", mode="strict").rule == "not_found"
    assert answers.score("The answer is 7.", "7", mode="strict").correct
    assert answers.score("7 apples", "7", mode="strict").correct


def test_percentages() -> None:
    assert answers.score("5%", "5", mode="strict").correct
    assert not answers.score("5%", "0.05").correct
    assert answers.score("5%", "0.05", percentage=True, mode="strict").correct
    assert answers.score("5%", "0.05", percentage=True, acceptance="exact").correct
    assert answers.score("33.33%", "1/3", percentage=True).correct
    assert not answers.score("33.33%", "1/3", percentage=True, acceptance="exact").correct
    assert not answers.score("5", "0.05", percentage=True).correct
    assert not answers.score("500%", "5%", percentage=True).correct


@given(st.fractions(max_denominator=10**6), st.fractions(max_denominator=10**6))
def test_right_if_and_only_if_equal(a: Fraction, b: Fraction) -> None:
    outcome = answers.score(f"The answer is {canonical(a)}.", canonical(b), mode="strict", acceptance="exact")
    assert outcome.correct is (a == b)
    assert outcome.found == a


@pytest.mark.parametrize(
    ("prediction", "gold", "mode", "right"),
    [
        ("yes", "Yes", "strict", True),
        ("The answer is no.", "no", "strict", True),
        ("No, because Ann is older.", "no", "strict", False),
        ("No, because Ann is older.", "no", "lenient", True),
        ("the Bears", "Bears", "strict", True),
        ("", "Bears", "lenient", False),
        (3, "Bears", "lenient", False),
    ],
)
def test_answers_in_words(prediction: object, gold: str, mode: str, right: bool) -> None:
    assert answers.score(prediction, gold, mode=mode).correct is right


def test_columns() -> None:
    result = answers.accuracy(["The answer is 42.", "#### 7", "no idea"], ["42", "8", "3"])
    assert result == {
        "accuracy": 1 / 3,
        "correct": 1,
        "wrong": 1,
        "not_found": 1,
        "truncated": 0,
        "rules": {"answer_is": 1, "hash": 1, "not_found": 1},
    }


def test_errors_say_what_and_where() -> None:
    with pytest.raises(MetricError, match="predictions has 1 row but references has 2"):
        answers.accuracy(["1"], ["1", "2"])
    with pytest.raises(MetricError, match="predictions has 1 row but roundings has 0"):
        answers.accuracy(["1"], ["1"], roundings=[])
    with pytest.raises(MetricError, match="row 1: a prediction must be a text or a number"):
        answers.accuracy(["1", None], ["1", "2"])
    with pytest.raises(MetricError, match="row 0: an empty gold answer"):
        answers.accuracy(["1"], [" "])
    with pytest.raises(MetricError, match="a gold answer of 1000000 characters"):
        answers.score("1", "1" * 1_000_000)
    assert not answers.score(10**5000, "1").correct
    with pytest.raises(MetricError, match="no predictions"):
        answers.accuracy([], [])
    with pytest.raises(MetricError, match="mode must be"):
        answers.score("1", "1", mode="loose")
    with pytest.raises(MetricError, match="acceptance must be"):
        answers.score("1", "1", acceptance="near")
    with pytest.raises(MetricError, match="unknown rounding"):
        answers.score("1", "2", rounding="0.1")


CASES = json.loads(Path(__file__).with_name("cases.json").read_text(encoding="utf-8"))["acceptance"]


@pytest.mark.parametrize(
    "case", CASES, ids=lambda case: f"{case['reply']} for {case['gold']} {case['rounding']}"
)
def test_acceptance(case: dict[str, Any]) -> None:
    row = {"rounding": case["rounding"], "equation": case["equation"]}
    for acceptance in ("rounded", "exact"):
        for reply in (case["reply"], f"The answer is {case['reply']}."):
            found = answers.score(reply, case["gold"], acceptance=acceptance, **row)
            assert found.correct is bool(case[acceptance])


def _shown(value: Fraction, places: int) -> str:
    scaled = int(abs(value) * 10**places + Fraction(1, 2))
    return f"{'-' if value < 0 and scaled else ''}{scaled // 10**places}.{scaled % 10**places:0{places}}"


@given(st.fractions(-1000, 1000, max_denominator=500), st.integers(2, 8))
def test_a_number_rounded_to_two_places_or_more_is_right(gold: Fraction, places: int) -> None:
    shown = _shown(gold, places)
    digits = shown.lstrip("-0.").replace(".", "")
    right = answers.score(shown, canonical(gold)).correct
    if gold.denominator == 1 or Fraction(shown) == gold:
        assert right is (Fraction(shown) == gold)
    else:
        assert right is (len(digits) >= 2)


@given(st.fractions(0, 1000, max_denominator=500), st.integers(2, 6), st.integers(1, 9))
def test_another_last_place_is_wrong(gold: Fraction, places: int, off: int) -> None:
    wrong = _shown(Fraction(_shown(gold, places)) + Fraction(off, 10**places), places)
    assert not answers.score(wrong, canonical(gold)).correct


def test_quarters_in_words_are_a_fraction() -> None:
    assert answers.score("The answer is three quarters.", "0.75").correct
    assert not answers.score("The answer is three quarters.", "0.25").correct
    assert answers.score("He has three quarters.", "3").correct
