"""FinQA's pages: tables and text read once, programs as equations, answers as they are stated."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from dnc_datasets import expression, operand_links
from dnc_datasets.errors import ExpressionError, SourceError
from dnc_datasets.sources.finqa import read_page, read_pages, undoubled
from dnc_datasets.sources.formats.programs import read_program
from dnc_datasets.sources.formats.stated_answers import agree, read_answer

TABLE = [
    ["in millions", "2009", "2008"],
    ["balance at january 1", "$ 75", "$ 20"],
    ["additions", "526", "114"],
    ["utilizations", "-119 ( 119 )", "-59 ( 59 )"],
    ["balance at december 31", "$ 482", "$ 75"],
]


def page(program: str, answer: str, executed: object = "", **qa: Any) -> dict[str, Any]:
    asked = {"question": "what was the change?", "program": program, "answer": answer, "exe_ans": executed}
    return {
        "id": "ABC/2009/page_1.pdf-1",
        "pre_text": ["the rate was 4.8% ( 4.8 % ) .", "the reserve rose by 407 ."],
        "post_text": [".", "we paid $ 12 million ."],
        "table": TABLE,
        "qa": {**asked, **qa},
    }


def test_a_page_becomes_a_problem_whose_program_is_its_equation() -> None:
    problem = read_page(page("subtract(482, 75)", "407", "407.0", gold_inds={"table_4": "..."}))
    assert (problem.equation, problem.answer, problem.unit) == ("482 - 75", "407", "")
    assert problem.body == "the rate was 4.8% . the reserve rose by 407 .\n\nwe paid $ 12 million ."
    assert problem.table[3] == ("utilizations", "-119", "-59")
    assert {str(value): link for value, link in operand_links.stored(problem).items()} == {
        "482": "table.4.1",
        "75": "table.4.2",
    }
    assert problem.note("table_scale") == "million"


@pytest.mark.parametrize(
    ("program", "answer", "equation", "given", "unit"),
    [
        ("divide(482, 75)", "6.43", "482 / 75", "6.43", ""),
        ("subtract(482, 75), divide(#0, 75)", "543%", "(482 - 75) / 75 * 100", "543", "percent"),
        ("divide(75, 482), multiply(#0, const_100)", "15.6%", "75 / 482 * 100", "15.6", "percent"),
        ("table_sum(additions, none)", "640", "526 + 114", "640", ""),
        ("table_average(additions, none)", "$ 320 million", "(526 + 114) / 2", "320", "million"),
        ("table_max(additions, none)", "526", "526", "526", ""),
        ("add(const_4, 12)", "16", "4 + 12", "16", ""),
        ("multiply(12, const_m1)", "-12", "12 * (-1)", "-12", ""),
    ],
)
def test_programs_and_answers(program: str, answer: str, equation: str, given: str, unit: str) -> None:
    problem = read_page(page(program, answer))
    assert (problem.equation, problem.answer, problem.unit) == (equation, given, unit)
    assert not problem.note("defect")
    assert problem.expected_answer() == problem.answer


def test_a_comparison_is_a_question_of_yes_or_no() -> None:
    problem = read_page(page("greater(526, 114)", "yes", "yes"))
    assert (problem.answer, problem.answer_type, problem.equation) == ("yes", "yes_no", "")


def test_a_stated_answer_that_is_not_the_programs_is_marked() -> None:
    problem = read_page(page("subtract(75, 482), divide(#0, 482)", "84%", "-0.84440"))
    assert problem.answer == "-0.8444"
    assert problem.note("defect")
    assert problem.note("stated") == "84%"


def test_a_program_that_cannot_be_read_leaves_the_executed_answer() -> None:
    problem = read_page(page("table_sum(no such row, none)", "5", "5.0"))
    assert (problem.equation, problem.answer) == ("", "5")
    assert "no such row" in problem.note("no_equation")


@pytest.mark.parametrize(
    ("text", "once"),
    [
        ("a 35% ( 35 % ) rate", "a 35% rate"),
        ("$ -2.4 ( 2.4 )", "$ -2.4"),
        ("% ( % ) change", "% change"),
        ("-28 ( 29 )", "-28 ( 29 )"),
        ("note ( 1 ) of 2008", "note ( 1 ) of 2008"),
    ],
)
def test_numbers_written_twice_are_read_once(text: str, once: str) -> None:
    assert undoubled(text) == once


def test_programs_refuse_what_is_no_step() -> None:
    for program in ("subtract(#3, 5)", "add(5)", "subtract(a, 5)", "add(1 2, 5)", "x" * 3000):
        with pytest.raises(ExpressionError):
            read_program(program, TABLE)


@pytest.mark.parametrize(
    ("text", "equation", "answer", "unit"),
    [
        ("20%", "1 / 5", "20", "percent"),
        ("20 percent", "20", "20", "percent"),
        ("$200 million", "150 + 50", "200", "million"),
        ("$200 million", "150000000 + 50000000", "200", "million"),
        ("$3.4bn", "3.4", "3.4", "billion"),
        ("(1,205)", "0 - 1205", "-1205", ""),
        ("0.33", "1 / 3", "0.33", ""),
    ],
)
def test_an_answer_and_its_equation_in_one_unit(text: str, equation: str, answer: str, unit: str) -> None:
    stated = read_answer(text)
    assert stated is not None
    found = agree(expression.parse(equation), stated)
    assert found is not None
    assert (expression.canonical(found.answer), found.unit) == (answer, unit)
    assert expression.round_value(found.equation.value(), found.rounding) == found.answer


def test_an_answer_that_is_no_number_or_another_one() -> None:
    assert read_answer("the first quarter") is None
    stated = read_answer("21%")
    assert stated is not None
    assert agree(expression.parse("1 / 5"), stated) is None


def test_another_file_is_an_error_that_names_the_record(tmp_path: Path) -> None:
    path = tmp_path / "train.json"
    path.write_text(json.dumps([{**page("add(1, 2)", "3"), "table": 7}]), encoding="utf-8")
    with pytest.raises(SourceError, match="record 1"):
        list(read_pages(path))
