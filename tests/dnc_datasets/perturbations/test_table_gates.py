"""Which questions over tables have members, and how these agree with what they ask for."""

from __future__ import annotations

from collections.abc import Callable

import pytest

from dnc_datasets import perturbations
from dnc_datasets.certificate import certify
from dnc_datasets.draws import Draw
from dnc_datasets.english.rewording.share_questions import share
from dnc_datasets.perturbations.reasoning.table_gates import is_fit, states_changes
from dnc_datasets.perturbations.tables.yearly import figure_of
from dnc_datasets.problem import Problem

ROWS = [
    ["", "2019", "2018"],
    ["Total ferry fares", "4,200", "3,900"],
    ["Additions", "310", "260"],
    ["Harbour dues", "140", "120"],
]
CHANGES = [
    ["", "2019", "2018", "% Change"],
    ["Ferry fares", "4,200", "3,900", "8%"],
    ["Dues", "140", "120", "—"],
]
KINDS = ("append_bool", "change_last", "replace_arith", "prune_step")


@pytest.fixture
def asked(report_question: Callable[..., Problem]) -> Callable[..., Problem]:
    def ask(
        question: str, derivation: str, answer: str, unit: str = "thousand", rows: object = None
    ) -> Problem:
        return report_question(rows or ROWS, "The table is in thousands.", question, derivation, answer, unit)

    return ask


def members(problem: Problem, name: str, count: int = 12) -> set[str]:
    step = perturbations.get(name, "table")
    made = [step.apply(problem, Draw(seed, "d", problem.id, name)) for seed in range(count)]
    found = [one for one in made if one is not None]
    for one in found:
        certify(problem, one, step)
    return {one.question for one in found}


@pytest.mark.parametrize(
    ("question", "equation", "fit"),
    [
        ("What is the percentage increase in rent?", "3 / 19 * 100", False),
        ("What is the percentage increase in rent?", "(22 - 19) / 19 * 100", True),
        ("By how much did rent increase in 2019?", "3 / 19 * 100", False),
        ("What is the average increase in rent?", "(3 + 5) / 2", True),
        ("What is the total increase in rent?", "3 + 5", True),
        ("what were the returns for harbour inc . in 2018?", "12 - 7", False),
        ("What was the change in\nrent?", "12 - 7", False),
    ],
)
def test_a_question_is_complete_and_its_change_is_a_difference(
    question: str, equation: str, fit: bool
) -> None:
    assert is_fit(Problem("1", "", question, equation=equation)) is fit


def test_no_kind_of_member_is_made_of_a_cut_question(asked: Callable[..., Problem]) -> None:
    problem = asked("What was the change in harbour dues from 2018 to 2019?", "140-120", "20")
    cut = problem.replace(question="What was the change in\nharbour dues from 2018 to 2019?")
    for name in KINDS:
        assert members(problem, name)
        assert not members(cut, name)


def test_a_column_of_changes_leaves_no_change_to_ask_for(asked: Callable[..., Problem]) -> None:
    average = "What was the average {} in 2018 and 2019?"
    fares = asked(average.format("ferry fares"), "(4,200+3,900)/2", "4050", rows=CHANGES)
    assert states_changes(fares)
    assert not any("change" in one for one in members(fares, "replace_arith", 30))
    dues = asked(average.format("dues"), "(140+120)/2", "130", rows=CHANGES)
    assert not states_changes(dues)


def test_another_operation_is_one_thing_with_its_article(asked: Callable[..., Problem]) -> None:
    made = members(
        asked("What were the changes in Additions from 2018 to 2019?", "310-260", "50"), "replace_arith"
    )
    assert made
    assert not any("were the sum" in one or "were the average of" in one for one in made)
    total = asked("What was the net change in total ferry fares from 2018 to 2019?", "4,200-3,900", "300")
    made = members(total, "replace_arith", 30)
    assert not any("net percentage" in one or "average of total" in one for one in made)


def test_what_may_be_a_name_has_no_article() -> None:
    asked = {
        "what percent of total sales was north harbour in 2018?": "did north harbour make up more than 12%",
        "what percent of total costs was rent in 2018?": "did the rent make up more than 12%",
    }
    for question, start in asked.items():
        found = share(question)
        assert found is not None
        assert (found.whether("more than 12%") or "").startswith(start)


@pytest.mark.parametrize(
    ("label", "named"),
    [
        ("fair value per berth", ("the fair value per berth", False)),
        ("shares vested", ("the shares vested", True)),
        ("Gains (losses) on moorings, net", ("the Gains (losses) on moorings, net", True)),
        ("Crew related expenses", ("the Crew related expenses", True)),
        ("total prepaid fares and other", ("the total prepaid fares and other", True)),
        ("average price per ticket", ("the average price per ticket", False)),
        ("network distribution", ("the figure for the network distribution", False)),
        ("Harbour North", ("the figure for Harbour North", False)),
        ("moorings between the beginning", None),
        ("amount Outstanding at 1 April", None),
        ("provision for taxes at the state level", ("the provision for taxes at the state level", False)),
    ],
)
def test_only_what_names_no_amount_is_a_figure(label: str, named: tuple[str, bool] | None) -> None:
    assert figure_of(label) == named


def test_an_average_price_of_a_row_is_compared(asked: Callable[..., Problem]) -> None:
    rows = [["", "2019", "2018"], ["Average price per ticket", "12", "10"], ["Tickets", "340", "350"]]
    question = "What was the percentage change in the average price per ticket from 2018 to 2019?"
    problem = asked(question, "(12-10)/10", "20", "percent", rows)
    for one in members(problem, "change_last"):
        assert one.startswith("Was the average price per ticket ")
    assert members(problem, "change_last")
    assert not any("average average" in one for one in members(problem, "replace_arith", 30))
