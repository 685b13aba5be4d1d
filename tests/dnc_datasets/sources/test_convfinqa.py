"""ConvFinQA's conversations and TabMWP's problems, in files of our own in their documented form."""

from __future__ import annotations

import json
import zipfile
from pathlib import Path
from typing import Any

import pytest

from dnc_datasets import perturbations
from dnc_datasets.errors import SourceError
from dnc_datasets.problem import Turn
from dnc_datasets.serving.settings import perturb
from dnc_datasets.sources import convfinqa
from dnc_datasets.sources.tabmwp import read_problem

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
