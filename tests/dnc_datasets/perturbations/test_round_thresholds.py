"""Thresholds of questions over tables: few digits, clearly not the answer, and plausible."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Callable
from fractions import Fraction

import pytest

from dnc_datasets import perturbations
from dnc_datasets.certificate import CHECKS, certify
from dnc_datasets.draws import Draw
from dnc_datasets.perturbations.reasoning.round_numbers import round_spans
from dnc_datasets.problem import Problem

ROWS = [
    ["", "2019", "2018"],
    ["Ticket sales", "21,487.3", "18,912.7"],
    ["Catering", "1,204", "1,631"],
    ["Rent per stall", "0.35", "0.31"],
]


@pytest.fixture
def asked(report_question: Callable[..., Problem]) -> Callable[..., Problem]:
    def ask(question: str, derivation: str, answer: str, unit: str = "", body: str = "") -> Problem:
        return report_question(ROWS, body or "Amounts are rounded.", question, derivation, answer, unit)

    return ask


def members(problem: Problem, count: int = 40) -> list[Problem]:
    step = perturbations.get("append_bool", "table")
    made = [step.apply(problem, Draw(seed, "d", problem.id, "append_bool")) for seed in range(count)]
    found = [one for one in made if one is not None]
    for one in found:
        certify(problem, one, step)
    return found


def thresholds(made: list[Problem]) -> set[Fraction]:
    found = [re.findall(r"-?\d[\d,.]*\d|-?\d", one.question)[-1] for one in made]
    return {Fraction(one.replace(",", "")) for one in found}


@pytest.mark.parametrize("answer", ["19650.67", "767501", "3995586", "23.334", "9.79", "16", "0.35", "-1249"])
@pytest.mark.parametrize("percent", [True, False])
def test_thresholds_have_at_most_three_digits_and_are_not_the_rounded_answer(
    answer: str, percent: bool
) -> None:
    value = Fraction(answer)
    spans = round_spans(value, value, percent=percent)
    assert any(one > value for one in spans.near)
    assert any(one < value for one in spans.near)
    for one in (*spans.near, *spans.far):
        digits = str(float(one)).replace(".", "").strip("-0")
        assert len(digits) <= 3
        assert one != value
        assert one not in {Fraction(round(value, -at)) for at in range(-2, 7)}
    assert all(abs(one - value) <= max(abs(value) / 4, 3) for one in spans.near)


def test_percentages_are_whole_or_halves() -> None:
    for answer in ("1.23", "4.4", "23.33", "78.5"):
        spans = round_spans(Fraction(answer), Fraction(answer), percent=True)
        assert all((2 * one).denominator == 1 for one in (*spans.near, *spans.far))


def test_counted_things_have_no_half() -> None:
    spans = round_spans(Fraction(11, 2), Fraction(11, 2), integers=True)
    assert spans.near
    assert all(one.denominator == 1 for one in (*spans.near, *spans.far))


def test_yes_and_no_are_drawn_by_one_coin(asked: Callable[..., Problem]) -> None:
    made = members(
        asked("What was the average ticket sales in 2018 and 2019?", "(21,487.3+18,912.7)/2", "20200"), 200
    )
    answers = Counter(one.answer for one in made)
    assert len(made) == 200
    assert min(answers.values()) > 75


def test_no_amount_falls_by_more_than_all_of_it(asked: Callable[..., Problem]) -> None:
    fall = "What was the percentage change in catering from 2018 to 2019?"
    made = members(asked(fall, "(1,204-1,631)/1,631", "-26.18", "percent"))
    assert made
    assert all("below" in one.question or "above" in one.question for one in made)
    assert all(-100 < value < 0 for value in thresholds(made))
    assert not members(asked(fall, "(-3,500-1,631)/1,631", "-314.6", "percent"))
    problem = asked(fall, "(1,204-1,631)/1,631", "-26.18", "percent")
    question = "Was the percentage change in catering from 2018 to 2019 below {}%?"
    right = problem.replace(question=question.format(-30), equation="", answer="no", unit="")
    assert CHECKS["answer_from_equation"](problem, right)
    assert not CHECKS["answer_from_equation"](problem, right.replace(question=question.format(-100)))


def test_a_fall_that_the_document_states_is_no_negative_change(asked: Callable[..., Problem]) -> None:
    fall = "What was the percentage change in catering from 2018 to 2019?"
    body = "Catering decreased by 26.2% because two halls were closed."
    assert not members(asked(fall, "(1,204-1,631)/1,631", "-26.18", "percent", body))
    assert members(
        asked(fall, "(1,204-1,631)/1,631", "-26.18", "percent", "Two halls, or 26.2%, were closed.")
    )


def test_no_threshold_is_above_three_times_the_figures() -> None:
    spans = round_spans(Fraction(900), Fraction(900), most=Fraction(1000))
    assert all(one < 1000 for one in spans.far)
    assert max(spans.near) > 900
