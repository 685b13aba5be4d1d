"""FinQA, ConvFinQA and TabMWP: documents, programs as equations, conversations, and stated answers."""

from __future__ import annotations

import json
import zipfile
from pathlib import Path
from typing import Any

import pytest

from dnc_datasets import expression, operand_links, perturbations
from dnc_datasets.errors import ExpressionError, SourceError
from dnc_datasets.problem import Turn
from dnc_datasets.serving.settings import perturb
from dnc_datasets.sources import convfinqa
from dnc_datasets.sources.finqa import read_page, read_pages, undoubled
from dnc_datasets.sources.formats.programs import read_program
from dnc_datasets.sources.formats.stated_answers import agree, read_answer
from dnc_datasets.sources.tabmwp import read_problem

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


TALK: dict[str, Any] = {
    "id": "Single_ABC/2009/page_1.pdf-1",
    "pre_text": ["the company sells pens ."],
    "post_text": ["."],
    "table": [
        ["in thousands", "2009", "2008", "2007"],
        ["net sales", "$ 2065", "$ 1810", "$ 1733"],
        ["cost of sales", "1204", "1077", "1010"],
    ],
    "annotation": {
        "dialogue_break": [
            "what were net sales in 2009?",
            "and in 2008?",
            "what was the difference?",
            "and as a share of 2008?",
        ],
        "turn_program": [
            "2065",
            "1810",
            "subtract(2065, 1810)",
            "subtract(2065, 1810), divide(#0, 1810)",
        ],
        "exe_ans_list": [2065.0, 1810.0, 255.0, 0.14088],
    },
}


def archive(path: Path, records: Any) -> Path:
    with zipfile.ZipFile(path, "w") as made:
        for name in ("data/train.json", "data/dev.json"):
            made.writestr(name, json.dumps(records))
    return path


def test_every_turn_is_a_row_with_the_turns_before_it(tmp_path: Path) -> None:
    splits = convfinqa.read({"data.zip": archive(tmp_path / "data.zip", [TALK])}, "")
    rows = splits["test"]
    assert [len(row.history) for row in rows] == [0, 1, 2, 3]
    assert rows[3].history[2] == Turn("what was the difference?", "255")
    assert (rows[3].equation, rows[3].answer) == ("(2065 - 1810) / 1810", "0.14088")
    assert all(row.expected_answer() == row.answer for row in rows)


@pytest.mark.parametrize("name", ["noise_plausible", "distribution_plausible"])
def test_the_answers_of_earlier_turns_follow_the_table(name: str) -> None:
    last = list(convfinqa.read_conversation(json.loads(json.dumps(TALK), parse_float=str)))[3]
    row = perturb(last, (perturbations.get(name, "table"),), dataset="convfinqa")
    assert row.original is not None
    sold = [int(cell.strip("$ ").replace(",", "")) for cell in row.problem.table[1][1:3]]
    answers = [int(turn.answer.replace(",", "")) for turn in row.problem.history]
    assert answers == [*sold, sold[0] - sold[1]]
    assert row.problem.answer == row.problem.expected_answer() != last.answer


@pytest.mark.parametrize("records", [{}, [{**TALK, "annotation": {}}], [{**TALK, "table": None}], ["x"]])
def test_another_file_is_an_error(tmp_path: Path, records: Any) -> None:
    with pytest.raises(SourceError):
        list(convfinqa.read_archive(archive(tmp_path / "data.zip", records), "data/dev.json"))
    (tmp_path / "none.zip").write_bytes(b"PK")
    with pytest.raises(SourceError, match="cannot be read"):
        list(convfinqa.read_archive(tmp_path / "none.zip", "data/dev.json"))


@pytest.mark.parametrize(
    ("question", "solution", "answer", "equation"),
    [
        (
            "Ann sold caps. How many more on Friday than on Monday?",
            "Subtract:\n\n31 − 12 = 19\n\nIt is 19.",
            "19",
            "31 - 12",
        ),
        ("What is the mean of the numbers?", "31 + 12 + 20 = 63\n\n63 ÷ 3 = 21", "21", "(31 + 12 + 20) / 3"),
        ("How many on Friday?", "Look at the row.", "31", ""),
        ("How many in 5 weeks like this?", "7 × 5 = 35", "35", ""),  # 7 is nowhere
    ],
)
def test_the_calculations_of_a_solution_become_an_equation(
    question: str, solution: str, answer: str, equation: str
) -> None:
    record = {
        "question": question,
        "choices": None,
        "answer": answer,
        "unit": None,
        "table_title": "Caps sold",
        "table": "Day | Caps\nMonday | 12\nTuesday | 20\nFriday | 31",
        "solution": solution,
        "ans_type": "integer_number",
        "grade": 3,
    }
    problem = read_problem("7", record)
    assert (problem.equation, problem.answer) == (equation, answer)
    assert problem.table[3] == ("Friday", "31")
    assert problem.body.startswith("Caps sold")
