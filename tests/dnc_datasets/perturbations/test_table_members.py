"""Members of contrast sets over tables: an operand alone, or another operation on the same operands."""

from __future__ import annotations

import re
from collections.abc import Callable

import pytest

from dnc_datasets import perturbations
from dnc_datasets.certificate import CHECKS, certify
from dnc_datasets.draws import Draw
from dnc_datasets.problem import Problem

ROWS = [
    ["", "2019", "2018"],
    ["Net sales", "1,200", "1,000"],
    ["Other income", "64", "57"],
    ["Siemens", "125", "144"],
]


@pytest.fixture
def asked(report_question: Callable[..., Problem]) -> Callable[..., Problem]:
    def ask(question: str, derivation: str, answer: str, unit: str = "thousand") -> Problem:
        return report_question(ROWS, "The table is in thousands.", question, derivation, answer, unit)

    return ask


def member(problem: Problem, name: str) -> Problem | None:
    step = perturbations.get(name, "table")
    made = step.apply(problem, Draw(0, "d", problem.id, name))
    if made is not None:
        certify(problem, made, step)
    return made


def test_an_operand_is_asked_for_by_its_label_and_year(asked: Callable[..., Problem]) -> None:
    made = member(
        asked("What was the change in net sales from 2018 to 2019?", "1,200-1,000", "200"), "prune_step"
    )
    assert made is not None
    assert (made.question, made.answer) in (
        ("What were the net sales in 2019?", "1200"),
        ("What were the net sales in 2018?", "1000"),
    )
    assert made.unit == "thousand"


@pytest.mark.parametrize(
    ("question", "derivation", "answer"),
    [
        ("What was the change in other income from 2018 to 2019?", "64-57", "7"),  # other than what?
        ("What was the change in orders from Siemens from 2018 to 2019?", "125-144", "-19"),
    ],
)
def test_a_label_that_does_not_say_what_it_is_stays(
    asked: Callable[..., Problem], question: str, derivation: str, answer: str
) -> None:
    assert member(asked(question, derivation, answer), "prune_step") is None


def test_another_operation_on_the_same_operands(asked: Callable[..., Problem]) -> None:
    problem = asked("What was the change in net sales from 2018 to 2019?", "1,200-1,000", "200")
    made = member(problem, "replace_arith")
    assert made is not None
    assert made.table == problem.table
    assert made.answer in ("2200", "1100", "20")


def test_the_certificate_wants_one_cell_that_holds_the_answer(asked: Callable[..., Problem]) -> None:
    problem = asked("What was the change in net sales from 2018 to 2019?", "1,200-1,000", "200")
    right = problem.replace(question="What was the amount of net sales in 2019?", answer="1200")
    check = CHECKS["asked_cell_is_named"]
    assert check(problem, right)
    assert not check(problem, right.replace(answer="1000"))
    assert not check(problem, right.replace(question="What was the amount of net sales?"))
    assert not check(problem, right.replace(question="What was the amount of fees in 2019?"))


REPORT = [
    ["", "2019", "2018"],
    ["Cost of revenue", "640", "590"],
    ["Work-in-process", "84", "73"],
    ["Food Care", "310", "295"],
    ["Effect of changes in rates", "31", "19"],
    ["Service", "220", "208"],
]


@pytest.mark.parametrize(
    ("question", "derivation", "answer", "expected"),
    [
        (
            "What was the change in cost of revenue from 2018 to 2019?",
            "640-590",
            "50",
            "was the cost of revenue",
        ),
        (
            "What was the change in work-in-process in 2019 from 2018?",
            "84-73",
            "11",
            "was the value of work-in-process",
        ),
        (
            "What was the change in service revenue from 2018 to 2019?",
            "220-208",
            "12",
            "was the service revenue",
        ),
        # A product, an effect without its article, and a figure that the question limits further.
        ("What was the change in Food Care from 2018 to 2019?", "310-295", "15", ""),
        ("What was the change in effect of changes in rates from 2018 to 2019?", "31-19", "12", ""),
        ("What was the change in cost of revenue for Spain from 2018 to 2019?", "640-590", "50", ""),
    ],
)
def test_an_operand_is_named_in_words_that_fit(
    report_question: Callable[..., Problem], question: str, derivation: str, answer: str, expected: str
) -> None:
    asked = report_question(REPORT, "In thousands of dollars.", question, derivation, answer, "thousand")
    made = member(asked, "prune_step")
    stated = made.question.removeprefix("What ").rsplit(" in ", 1)[0] if made else ""
    assert stated == expected


def test_a_quarter_is_not_asked_for_as_its_year(report_question: Callable[..., Problem]) -> None:
    rows = [["", "Three months ended December 31, 2019", "Three months ended December 31, 2018"]]
    rows.append(["Net sales", "900", "850"])
    asked = report_question(
        rows,
        "In thousands.",
        "What was the change in net sales from 2018 to 2019?",
        "900-850",
        "50",
        "thousand",
    )
    assert member(asked, "prune_step") is None


def test_a_threshold_has_the_currency_of_its_row(report_question: Callable[..., Problem]) -> None:
    rows = [["", "2019", "2018"], ["Net sales", "$900", "$850"], ["Tonnes of ore", "340", "310"]]
    for label, derivation, answer, sign in (
        ("net sales", "900-850", "50", "$"),
        ("tonnes of ore", "340-310", "30", ""),
    ):
        question = f"What was the change in {label} from 2018 to 2019?"
        asked = report_question(rows, "In thousands.", question, derivation, answer, "thousand")
        made = member(asked, "append_bool")
        assert made is not None
        assert re.search(rf"(?:than|least|most) {re.escape(sign)}\d+ thousand\?", made.question)


def test_nothing_falls_by_more_than_a_hundred_percent(report_question: Callable[..., Problem]) -> None:
    rows = [["", "2019", "2018"], ["Net sales", "$200", "$800"]]
    question = "What was the percentage change in net sales from 2018 to 2019?"
    asked = report_question(rows, "In thousands.", question, "(200-800)/800", "-75", "percent")
    step = perturbations.get("append_bool", "table")
    for seed in range(40):
        made = step.apply(asked, Draw(seed, "d", "1", "append_bool"))
        assert made is None or int(re.findall(r"-(\d+)%", made.question)[0]) <= 100


def test_a_threshold_for_people_is_a_whole_number(report_question: Callable[..., Problem]) -> None:
    rows = [["", "2019", "2018"], ["Employees who left", "127", "97"]]
    question = "What was the total number of employees in 2019?"
    asked = report_question(rows, "11% of all left in 2019.", question, "127/11%", "1154.55", "")
    step = perturbations.get("append_bool", "table")
    shown = set()
    for seed in range(40):
        made = step.apply(asked, Draw(seed, "d", "1", "append_bool"))
        assert made is not None
        shown.add(made.question.rpartition(" ")[2])
    assert len(shown) > 3
    assert not any("." in number for number in shown)
