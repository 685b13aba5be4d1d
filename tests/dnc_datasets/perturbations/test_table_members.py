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
    ("question", "derivation", "answer", "expected"),
    [
        # The label alone does not say what it is; the question's own words do.
        (
            "What was the change in other income from 2018 to 2019?",
            "64-57",
            "7",
            "the other income",
        ),
        (
            "What was the change in orders from Siemens from 2018 to 2019?",
            "125-144",
            "-19",
            "the orders from Siemens",
        ),
    ],
)
def test_an_operand_is_asked_for_in_the_words_of_the_question(
    asked: Callable[..., Problem], question: str, derivation: str, answer: str, expected: str
) -> None:
    made = member(asked(question, derivation, answer), "prune_step")
    assert made is not None
    assert re.match(f"What (?:was|were) {expected} in 20", made.question)


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
        (
            "What was the change in Food Care from 2018 to 2019?",
            "310-295",
            "15",
            "was the figure for Food Care",
        ),
        (
            "What was the change in effect of changes in rates from 2018 to 2019?",
            "31-19",
            "12",
            "was the figure for the effect of changes in rates",
        ),
        (
            "What was the change in cost of revenue for Spain from 2018 to 2019?",
            "640-590",
            "50",
            "was the cost of revenue for Spain",
        ),
        # Words that do not say what is asked for.
        ("What was the change in the total from 2018 to 2019?", "640-590", "50", ""),
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


YEARLY = [
    ["", "2019", "2018", "2017"],
    ["Net sales", "1,200", "1,050", "1,110"],
    ["Research and development", "310", "295", "270"],
    ["Net loss", "(31)", "(19)", "12"],
]


@pytest.fixture
def over_years(report_question: Callable[..., Problem]) -> Callable[..., Problem]:
    def ask(question: str, derivation: str, answer: str, unit: str = "thousand") -> Problem:
        return report_question(YEARLY, "The table is in thousands.", question, derivation, answer, unit)

    return ask


def compared(problem: Problem, rank: int, seed: int = 0) -> Problem | None:
    step = perturbations.get("change_last", "table")
    made = step.apply(problem, Draw(seed, "d", problem.id, "change_last"), None, rank=rank)
    if made is not None:
        certify(problem, made, step)
    return made


@pytest.mark.parametrize(
    ("question", "derivation", "answer", "when"),
    [
        (
            "What was the percentage change in net sales in 2019 from 2018?",
            "(1,200-1,050)/1,050",
            "14.29",
            "in 2019",
        ),
        (
            "What is the average net sales for fiscal years 2019 and 2018?",
            "(1,200+1,050)/2",
            "1125",
            "in fiscal 2019",
        ),
        ("What was the change in net sales between 2018 and 2019?", "1,200-1,050", "150", "in 2019"),
        (
            "What was the average net sales for the years ended June 30, 2018 and 2019?",
            "(1,200+1,050)/2",
            "1125",
            "in the year ended June 30, 2019",
        ),
    ],
)
def test_a_year_is_compared_as_the_question_names_it(
    over_years: Callable[..., Problem], question: str, derivation: str, answer: str, when: str
) -> None:
    unit = "percent" if "percentage" in question else "thousand"
    made = compared(over_years(question, derivation, answer, unit), 0)
    assert made is not None
    assert made.question.startswith("Were the net sales ")
    assert when in made.question
    rises = ("higher" in made.question) == (made.question.index("2019") < made.question.index("2018"))
    assert made.answer == ("yes" if rises else "no")


def test_the_year_of_the_highest_figure(over_years: Callable[..., Problem]) -> None:
    of_two = over_years("What was the change in net sales from 2018 to 2019?", "1,200-1,050", "150")
    of_three = over_years(
        "What was the average net sales from 2017 to 2019?", "(1,200+1,050+1,110)/3", "1120"
    )
    asked_for = {made.question: made.answer for seed in range(9) if (made := compared(of_two, 1, seed))}
    assert asked_for == {
        "In which year were the net sales higher, 2018 or 2019?": "2019",
        "In which year were the net sales lower, 2018 or 2019?": "2018",
    }
    asked_for = {made.question: made.answer for seed in range(9) if (made := compared(of_three, 1, seed))}
    assert asked_for == {
        "In which of the years 2017, 2018 and 2019 were the net sales the highest?": "2019",
        "In which of the years 2017, 2018 and 2019 were the net sales the lowest?": "2018",
    }


def test_a_loss_is_neither_higher_nor_lower(over_years: Callable[..., Problem]) -> None:
    asked_for = over_years("What was the change in net loss from 2018 to 2019?", "-31-(-19)", "-12")
    assert compared(asked_for, 0) is None
    assert compared(asked_for, 1) is None


def test_the_certificate_reads_years_and_figures_for_itself(over_years: Callable[..., Problem]) -> None:
    problem = over_years("What was the average net sales from 2017 to 2019?", "(1,200+1,050+1,110)/3", "1120")
    check = CHECKS["table_comparison_holds"]
    best = "In which of the years 2017, 2018 and 2019 were the net sales the highest?"
    right = problem.replace(question=best, answer="2019", equation="")
    assert check(problem, right)
    assert not check(problem, right.replace(answer="2017"))
    assert not check(problem, right.replace(question=best.replace("net sales", "sales")))
    assert not check(problem, right.replace(question=best.replace("highest", "lowest")))
    assert not check(problem, right.replace(question=best.replace("2017, ", "")))
    more = "Were the net sales higher in 2019 than in 2018?"
    right = problem.replace(question=more, answer="yes", equation="")
    assert check(problem, right)
    assert not check(problem, right.replace(answer="no"))
    assert not check(problem, right.replace(question="Were the net sales higher in 2018 than in 2019?"))
    assert not check(problem, right.replace(question="Were the net sales higher in 2019 than in 2016?"))


def test_the_certificate_wants_the_figure_that_the_original_names(over_years: Callable[..., Problem]) -> None:
    question = "What was the percentage change in research and development expenses from 2018 to 2019?"
    problem = over_years(question, "(310-295)/295", "5.08", "percent")
    check = CHECKS["asked_figure_is_named"]
    asked_for = "What were the research and development expenses in 2019?"
    right = problem.replace(question=asked_for, answer="310", unit="thousand")
    assert check(problem, right)
    assert not check(problem, right.replace(answer="295"))
    assert not check(problem, right.replace(unit="percent"))
    assert not check(problem, right.replace(question="What were the development expenses in 2019?"))
    assert not check(problem, right.replace(question="What were the research and development expenses?"))
    assert not check(problem, right.replace(question="What was the change in net sales in 2019?"))


def test_an_average_of_increases_is_not_one_of_the_figures(over_years: Callable[..., Problem]) -> None:
    question = "What is the average year-on-year increase in net sales from 2017 to 2019?"
    problem = over_years(question, "((1,200-1,050)/1,050+(1,050-1,110)/1,110)/2", "4.44", "percent")
    made = member(problem, "prune_step")
    assert made is not None
    assert made.question.startswith("What were the net sales in 20")
    assert compared(problem, 0) is None
    wrong = "What was the figure for the year-on-year increase in net sales in 2018?"
    asked_for = problem.replace(question=wrong, answer="1050", equation="1050", unit="thousand")
    assert not CHECKS["asked_figure_is_named"](problem, asked_for.replace(table=problem.table))


def test_a_share_is_not_compared_as_the_amount(report_question: Callable[..., Problem]) -> None:
    rows = [["", "2019", "2018"], ["Avnet", "31.3", "35.3"]]
    question = "What was the average revenue from Avnet for 2018 and 2019?"
    problem = report_question(rows, "Shares of all sales.", question, "(31.3+35.3)/2", "33.3", "percent")
    assert compared(problem, 0) is None
