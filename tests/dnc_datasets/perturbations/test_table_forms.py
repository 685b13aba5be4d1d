"""Members of contrast sets over tables for questions by how much, for growth rates, rates, shares and years in rows."""

from __future__ import annotations

from collections.abc import Callable

import pytest

from dnc_datasets import perturbations
from dnc_datasets.certificate import CHECKS, certify
from dnc_datasets.draws import Draw
from dnc_datasets.english.rewording.share_questions import share
from dnc_datasets.english.rewording.table_questions import moved, noun_forms
from dnc_datasets.problem import Problem

ROWS = [
    ["", "2019", "2018", "2017"],
    ["Ticket revenue", "1,380", "1,150", "1,060"],
    ["Total operating expenses", "960", "900", "870"],
    ["Stage lighting", "240", "180", "150"],
    ["Occupancy rate", "62.5%", "60.0%", "58.0%"],
]
BY_ROW = [["", "Charter leases", "Fuel"], ["2020", "$ 420", "$ 51"], ["2021", "$ 441", "$ 57"]]


@pytest.fixture
def asked(report_question: Callable[..., Problem]) -> Callable[..., Problem]:
    def ask(
        question: str, derivation: str, answer: str, unit: str = "percent", rows: list[list[str]] = ROWS
    ) -> Problem:
        problem = report_question(rows, "The table is in thousands.", question, derivation, answer, unit)
        meta = dict(problem.meta) | {"table_scale": "thousand"}
        return problem.replace(meta=tuple(sorted(meta.items())))

    return ask


def members(problem: Problem, name: str, rank: int = 0) -> dict[str, str]:
    """The questions that a perturbation makes with some seeds, each certified, and their answers."""
    step, found = perturbations.get(name, "table"), dict[str, str]()
    given = {"rank": rank} if rank else {}
    for seed in range(12):
        made = step.apply(problem, Draw(seed, "d", problem.id, name), None, **given)
        if made is not None:
            certify(problem, made, step)
            found[made.question] = made.answer
    return found


GROWTH = "(1,380-1,150)/1,150"


@pytest.mark.parametrize(
    ("question", "form"),
    [
        (
            "by what percent did ticket revenue increase from 2018 to 2019?",
            "what was the percentage increase in ticket revenue from 2018 to 2019?",
        ),
        (
            "what was the percent of the growth in ticket revenue from 2018 to 2019",
            "what was the percentage growth in ticket revenue from 2018 to 2019?",
        ),
        (
            "what is the growth rate of ticket revenue from 2018 to 2019?",
            "what is the percentage growth in ticket revenue from 2018 to 2019?",
        ),
        (
            "in 2019 what was the percentage change in ticket revenue",
            "what was the percentage change in ticket revenue in 2019?",
        ),
        (
            "ticket revenue changed by what percent between 2018 and 2019?",
            "what was the percentage change in ticket revenue between 2018 and 2019?",
        ),
        (
            "What was the percentage change from 2018 to 2019 in ticket revenue?",
            "What was the percentage change in ticket revenue from 2018 to 2019?",
        ),
    ],
)
def test_a_change_is_read_in_every_form_of_its_question(
    asked: Callable[..., Problem], question: str, form: str
) -> None:
    assert noun_forms(question, relative=True) == [form]
    problem = asked(question, GROWTH, "20")
    compared, figures = members(problem, "change_last"), members(problem, "prune_step")
    for made, answer in compared.items():
        rises = ("higher" in made) == (made.index("2019") < made.index("2018"))
        assert answer == ("yes" if rises else "no")
    wanted = {"what was the ticket revenue in 2018?": "1150", "what was the ticket revenue in 2019?": "1380"}
    assert {made[0].lower() + made[1:]: answer for made, answer in figures.items()} == wanted
    assert compared
    assert all(
        answer == "230" for made, answer in members(problem, "replace_arith").items() if "change" in made
    )


@pytest.mark.parametrize(
    "question",
    [
        "by what percent did ticket revenue from 2018 to 2019?",  # no verb
        "what did ticket revenue increase from 2018 to 2019?",  # no question for an amount
        "in 2019 what was the percentage change in tickets sold in december?",  # two times
    ],
)
def test_a_form_that_is_not_certain_is_not_read(question: str) -> None:
    assert moved(question, relative=True) is None
    assert noun_forms(question, relative=True) == []


def test_a_question_by_how_much_asks_whether_it_was_by_more(asked: Callable[..., Problem]) -> None:
    problem = asked("by how much did ticket revenue increase from 2018 to 2019?", GROWTH, "20")
    for made, answer in members(problem, "append_bool").items():
        assert made.startswith("did ticket revenue increase by ")
        assert made.endswith("% from 2018 to 2019?")
        assert answer in ("yes", "no")
    # A rate that rises by 2.5 may do so in points.
    points = asked("by how much did the occupancy rate increase from 2018 to 2019?", "62.5-60.0", "2.5")
    assert not members(points, "append_bool")


def test_the_average_of_a_year_is_of_two(asked: Callable[..., Problem]) -> None:
    problem = asked("What is the 2019 average ticket revenue?", "(1,380+1,150)/2", "1265", "thousand")
    assert members(problem, "change_last")
    assert "What was the percentage change in the ticket revenue from 2018 to 2019?" in members(
        problem, "replace_arith"
    )


def test_rates_are_compared_and_asked_for_in_percent(asked: Callable[..., Problem]) -> None:
    question = "What is the average occupancy rate in 2018 and 2019?"
    problem = asked(question, "(62.5%+60.0%)/2", "61.25")
    best = members(problem, "change_last", rank=1)
    assert best["In which year was the occupancy rate higher, 2018 or 2019?"] == "2019"
    assert members(problem, "prune_step") == {
        "What was the occupancy rate in 2018?": "60",
        "What was the occupancy rate in 2019?": "62.5",
    }
    check = CHECKS["asked_figure_is_named"]
    right = problem.replace(question="What was the occupancy rate in 2018?", answer="60", unit="percent")
    assert check(problem, right)
    assert not check(problem, right.replace(unit="thousand"))
    assert not check(problem, right.replace(answer="62.5"))


def test_years_may_be_the_labels_of_rows(asked: Callable[..., Problem]) -> None:
    question = "what is the expected growth rate in charter leases from 2020 to 2021?"
    problem = asked(question, "(441-420)/420", "5", rows=BY_ROW)
    best = members(problem, "change_last", rank=1)
    assert best["in which year was the figure for charter leases higher, 2020 or 2021?"] == "2021"
    # Rows of other things: what was granted in one year, and what was lost in the next.
    other = [BY_ROW[0], ["granted in 2020", "420", "51"], ["lost in 2021", "441", "57"]]
    assert not members(asked(question, "(441-420)/420", "5", rows=other), "prune_step")


def test_the_years_of_figures_that_only_the_text_states(report_question: Callable[..., Problem]) -> None:
    text = "Harbour dues brought $44 million in 2019 and $40 million in 2018."
    question = "what was the percentage change in harbour dues from 2018 to 2019?"
    problem = report_question(ROWS, text, question, "(44-40)/40", "10", "percent")
    assert members(problem, "change_last")
    check = CHECKS["table_comparison_holds"]
    right = problem.replace(
        question="were the harbour dues higher in 2019 than in 2018?", answer="yes", equation="", unit=""
    )
    assert check(problem, right)
    assert not check(problem, right.replace(answer="no"))
    assert not check(problem, right.replace(question="were the ferry dues higher in 2019 than in 2018?"))
    back = problem.replace(question="what was the percentage change in harbour dues from 2019 to 2018?")
    assert not check(back, right)
    assert not members(back, "change_last")


SHARE = "what percent of total operating expenses was comprised of stage lighting in 2019?"


def test_a_share_has_a_part_a_whole_and_a_rest(asked: Callable[..., Problem]) -> None:
    problem = asked(SHARE, "240/960", "25")
    assert members(problem, "prune_step") == {
        "what was the figure for the stage lighting in 2019?": "240",
        "what were the total operating expenses in 2019?": "960",
    }
    whole, part = "the total operating expenses", "the figure for the stage lighting"
    assert members(problem, "replace_arith") == {
        "what percentage of total operating expenses was not comprised of stage lighting in 2019?": "75",
        f"what was the difference between {whole} and {part} in 2019?": "720",
    }
    for made in members(problem, "append_bool"):
        assert made.startswith("was ")
        assert made.endswith("% of total operating expenses comprised of stage lighting in 2019?")


@pytest.mark.parametrize(
    ("question", "becomes"),
    [
        (
            "what percentage of the net proceeds came from the spring tour?",
            "did more than 9% of the net proceeds come from the spring tour?",
        ),
        (
            "what portion of total theatres are fully heated?",
            "are more than 9% of total theatres fully heated?",
        ),
        (
            "What percentage of total costs does stage lighting represent in 2019?",
            "Does stage lighting make up more than 9% of total costs in 2019?",
        ),
        (
            "during 2011 , what percent of the fleet was sold?",
            "was more than 9% of the fleet sold during 2011?",
        ),
        # Which verb is the question's is not certain.
        ("what percent of the seats that were sold was paid in cash?", None),
        ("what percent of the sales in 2018 was the percent of the sales in 2019?", None),
    ],
)
def test_a_question_for_a_share_asks_whether_it_is_more(question: str, becomes: str | None) -> None:
    found = share(question)
    assert (found.whether("more than 9%") if found else None) == becomes


def test_what_follows_the_verb_must_be_a_row_to_be_a_noun(asked: Callable[..., Problem]) -> None:
    named = asked("what percent of total operating expenses was stage lighting in 2019?", "240/960", "25")
    assert all("did stage lighting make up" in made for made in members(named, "append_bool"))
    unknown = asked("what percent of total operating expenses was stage fog in 2019?", "240/960", "25")
    assert not members(unknown, "append_bool")
    assert not members(unknown, "replace_arith")


def test_the_certificate_computes_the_operation_that_the_words_name(asked: Callable[..., Problem]) -> None:
    problem = asked("what was the percentage change in ticket revenue from 2018 to 2019?", GROWTH, "20")
    check = CHECKS["operation_asked"]
    right = problem.replace(
        question="what was the change in ticket revenue from 2018 to 2019?",
        equation="1380 - 1150",
        answer="230",
    )
    assert check(problem, right)
    assert not check(problem, right.replace(equation="1150 - 1380"))
    assert not check(problem, right.replace(equation="1380 + 1150"))
    average = right.replace(question="what was the average ticket revenue in 2018 and 2019?")
    assert not check(problem, average)
    assert check(problem, average.replace(equation="(1380 + 1150) / 2"))
    assert not check(problem, average.replace(equation="(1380 + 1150) / 3"))
    combined = right.replace(question="what was the combined ticket revenue in 2018 and 2019?")
    assert check(problem, combined.replace(equation="1150 + 1380"))
    assert not check(problem, combined)


def test_the_certificate_reads_the_sides_of_a_difference_and_the_rest(asked: Callable[..., Problem]) -> None:
    problem = asked(SHARE, "240/960", "25")
    check = CHECKS["operation_asked"]
    question = "what was the difference between the total operating expenses and stage lighting in 2019?"
    right = problem.replace(question=question, equation="960 - 240", answer="720")
    assert check(problem, right)
    assert not check(problem, right.replace(equation="240 - 960"))
    rest = "what percentage of total operating expenses was not comprised of stage lighting in 2019?"
    right = problem.replace(question=rest, equation="(960 - 240) / 960 * 100", answer="75")
    assert check(problem, right)
    assert not check(problem, right.replace(equation="240 / 960 * 100"))
    assert not check(problem, right.replace(equation="(960 - 180) / 960 * 100"))


def test_a_question_names_no_number_but_its_years(asked: Callable[..., Problem]) -> None:
    problem = asked("What is the 2019 average ticket revenue?", "(1,380+1,150)/2", "1265", "thousand")
    check = CHECKS["operands_and_years_kept"]
    right = problem.replace(
        question="What was the combined ticket revenue in 2018 and 2019?", equation="1380 + 1150"
    )
    assert check(problem, right)
    assert not check(
        problem, right.replace(question="What was the combined ticket revenue in 2016 and 2019?")
    )
    assert not check(problem, right.replace(equation="1380 + 1060"))
