"""Tests of what is found in a user's own records."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from dnc_datasets import perturbations
from dnc_datasets.errors import ProblemError
from dnc_datasets.own.problems import contradiction, read
from dnc_datasets.problem import Problem
from dnc_datasets.serving.settings import perturb

TABLE = [["", "2019", "2018"], ["Sales", "1,196", "1,084"], ["Costs", "561", "550"]]
CONVERSATION = {
    "segments": ["Amy has 12 pens.", "Ben has 30 pens."],
    "history": [
        {"question": "How many pens does Ben have?", "answer": "30"},
        {"question": "How many more than Amy?", "answer": "18", "equation": "30 - 12"},
    ],
    "question": "How many pens do they have in all?",
    "equation": "12 + 30",
    "answer": "42",
}


def changed(record: dict[str, Any], name: str) -> Problem | None:
    problem = read(record, 1)
    row = perturb(problem, perturbations.recipe(name, problem.shape), dataset="own")
    return row.problem if row.original is not None else None


@pytest.mark.parametrize(
    "record",
    [
        {"question": "Amy has 3 pens. How many pens does she have?"},
        {"problem": "Amy has 3 pens. How many pens does she have?"},
        {"text": "Amy has 3 pens. How many pens does she have?"},
        {"body": "Amy has 3 pens.", "question": "How many pens does she have?"},
        {"body": " ", "question": "Amy has 3 pens. How many pens does she have?"},
    ],
)
def test_a_problem_in_one_field_is_cut(record: dict[str, Any]) -> None:
    problem = read(record, 7)
    assert (problem.id, problem.body, problem.question) == (
        "7",
        "Amy has 3 pens.",
        "How many pens does she have?",
    )


@pytest.mark.parametrize("name", ["noise", "distribution"])
def test_operands_of_a_table_are_found(name: str) -> None:
    record = {"table": TABLE, "question": "What is the change in sales from 2018 to 2019?"}
    made = changed({**record, "equation": "1196 - 1084", "answer": "112"}, name)
    assert made is not None
    assert made.table[1] != tuple(TABLE[1])
    assert made.table[2] == tuple(TABLE[2])


def test_another_question_is_asked_of_a_table() -> None:
    record = {"table": TABLE, "question": "What is the change in sales from 2018 to 2019?"}
    made = changed({**record, "equation": "1196 - 1084", "answer": "112"}, "logic")
    assert made is not None
    assert made.equation != "1196 - 1084"


@pytest.mark.parametrize("name", ["noise", "distribution"])
def test_numbers_of_a_conversation_change_wherever_they_are_said(name: str) -> None:
    made = changed(CONVERSATION, name)
    assert made is not None
    first, second = made.history
    assert first.answer in made.segments[1]
    assert json.loads(made.note("turns"))[1]["equation"] != "30 - 12"
    assert second.answer not in ("18", first.answer)


def test_a_conversation_over_a_body_has_segments() -> None:
    record = {**CONVERSATION, "segments": [], "body": "Amy has 12 pens. Ben has 30 pens."}
    assert read(record, 1).segments == ("Amy has 12 pens.", "Ben has 30 pens.")


@pytest.mark.parametrize("stated", [{"answer": "18"}, {"answer": "yes"}])
def test_an_earlier_answer_that_may_rest_on_the_numbers_keeps_them(stated: dict[str, str]) -> None:
    history = [{"question": "How many more than Amy?", **stated}]
    assert changed({**CONVERSATION, "history": history}, "noise") is None


LONG = "The plan of 1705 shows 12 mills and many more houses. " + "It grew with every year that passed. " * 9


@pytest.mark.parametrize(
    ("record", "shape"),
    [
        ({"body": LONG}, "passage"),
        ({"passage": "The plan of 1705 shows 12 mills."}, "passage"),
        ({"body": "The plan of 1705 shows 12 mills.", "meta": {"passage": "p1"}}, "passage"),
        ({"body": "The plan of 1705 shows 12 mills."}, "word_problem"),
        ({"body": LONG, "equation": "12 + 1", "answer": "13"}, "word_problem"),
    ],
)
def test_passages_are_known_by_their_shape(record: dict[str, Any], shape: str) -> None:
    problem = read({**record, "question": "How many mills were there?"}, 1)
    assert problem.shape == shape
    row = perturb(problem, perturbations.recipe("type", shape), dataset="own")
    assert ("1705.0" in row.problem.body) == (shape == "word_problem")


@pytest.mark.parametrize(
    ("equation", "answer", "stated"),
    [
        ("12 + 6", "18", ""),
        ("12 + 6", "18.0", ""),
        ("12 + 6", "18 apples", ""),
        ("12 + 6", "", ""),
        ("", "18", ""),
        ("12 +", "18", ""),
        ("10 / 3", "3.33", ""),
        ("12 + 6", "19", "its answer is 19, but its equation 12 + 6 gives 18"),
        ("10 / 3", "3.34", "gives 10/3"),
        ("10 / 3", "4", "gives 10/3"),
        ("12 + 6", "many", "gives 18"),
    ],
)
def test_contradictions(equation: str, answer: str, stated: str) -> None:
    record = {"body": "x", "question": "y", "equation": equation, "answer": answer}
    assert (stated in contradiction(read(record, 1))) if stated else not contradiction(read(record, 1))


def test_a_unit_leaves_the_answer() -> None:
    problem = read({"body": "x", "question": "y", "equation": "12 + 6", "answer": "18 apples"}, 1)
    assert (problem.answer, problem.unit) == ("18", "apples")


def test_rounding_may_be_told() -> None:
    record = {"body": "x", "question": "y", "equation": "10 / 3", "answer": "4", "meta": {"rounding": "ceil"}}
    assert not contradiction(read(record, 1))


@pytest.mark.parametrize(
    ("question", "equation", "stated", "rounding", "becomes", "answer", "kept"),
    [
        ("How much did it grow?", "20 / 120", "17%", "", "20 / 120 * 100", "17", "places:0"),
        ("How much did it grow?", "20 / 120", "17%", "places:0", "20 / 120 * 100", "17", "places:0"),
        ("How much did it grow?", "20 / 120", "17%", "places:2", "20 / 120 * 100", "17", "places:0"),
        ("What is the growth in percent?", "20 / 120", "16.67", "", "20 / 120 * 100", "16.67", "places:2"),
        ("What was the mean?", "(140 + 121) / 2", "$131 million", "", "(140 + 121) / 2", "131", "places:0"),
        ("What was the ratio?", "140 / 121", "1.16x", "", "140 / 121", "1.16", "places:2"),
        ("What was the change?", "1.2 - 1", "$200 million", "", "(1.2 - 1) * 1000", "200", ""),
    ],
)
def test_answers_with_a_unit_may_be_rounded(
    question: str, equation: str, stated: str, rounding: str, becomes: str, answer: str, kept: str
) -> None:
    record: dict[str, Any] = {"body": "x", "question": question, "equation": equation, "answer": stated}
    problem = read({**record, "meta": {"rounding": rounding}} if rounding else record, 1)
    assert (problem.equation, problem.answer, problem.note("rounding")) == (becomes, answer, kept)
    assert not contradiction(problem)


@pytest.mark.parametrize(
    ("given", "equation"),
    [
        ("subtract(1196, 1084), divide(#0, 1084)", "(1196 - 1084) / 1084"),
        ("subtract(1196,1084),divide(#0,1084)", "(1196 - 1084) / 1084"),
        (["subtract(1196, 1084)", "divide(#0, 1084)"], "(1196 - 1084) / 1084"),
        (["subtract(", "1196", "1084", ")", "divide(", "#0", "1084", ")", "EOF"], "(1196 - 1084) / 1084"),
        ("table_sum(costs, none)", "561 + 550"),
        ("greater(1196, 1084)", ""),
        ("20 000 + 17 500", "20000 + 17500"),
        ("1.234,56 + 2.310,44", "1234.56 + 2310.44"),
        ("1 + 200", "1 + 200"),
    ],
)
def test_programs_and_numbers_of_other_forms(given: object, equation: str) -> None:
    assert read({"question": "y", "table": TABLE, "equation": given}, 1).equation == equation


@pytest.mark.parametrize(
    ("program", "stated"),
    [
        ("frobnicate(9, 4)", "frobnicate is none of the operations add, subtract"),
        ("subtract(9, 4), divide(#3, 4)", "#3 names a step that the program does not have"),
        ("table_sum(wages, none)", "the table has no row 'wages' of numbers"),
        ("subtract(1,200,300)", "a comma and a space between them"),
    ],
)
def test_a_program_that_cannot_be_read_says_why(program: str, stated: str) -> None:
    with pytest.raises(ProblemError, match="row 'a': the program cannot be read") as error:
        read({"id": "a", "question": "y", "table": TABLE, "equation": program}, 1)
    assert stated in str(error.value)


DRAWN = "Item | 2020 | 2021\nSeats | 120 | 140\nBikes | 75 | 80"


def test_a_table_without_a_rule_is_read() -> None:
    problem = read({"body": f"The club keeps lists.\n{DRAWN}\nAll are new.", "question": "How many?"}, 1)
    assert problem.table == (("Item", "2020", "2021"), ("Seats", "120", "140"), ("Bikes", "75", "80"))
    assert problem.body.split("\n\n") == ["The club keeps lists.", "All are new."]


@pytest.mark.parametrize("body", ["He said yes | no.", "Red | blue\nshirts | hats", "a | 1\nb | 2 | 3"])
def test_bars_that_are_no_table(body: str) -> None:
    assert read({"body": body, "question": "How many?"}, 1).table == ()


def test_a_text_with_two_tables_is_an_error() -> None:
    with pytest.raises(ProblemError, match="row '1': its text holds 2 tables"):
        read({"body": f"{DRAWN}\n\nStaff:\n\n{DRAWN}", "question": "How many?"}, 1)


def test_an_answer_that_its_program_does_not_give_is_reported() -> None:
    meta = {"defect": "the stated answer is not the program's", "stated": "50%"}
    record = {"body": "x", "question": "y", "equation": "2 / 24", "answer": "0.08", "meta": meta}
    assert contradiction(read(record, 1)) == "its stated answer is 50%, but its program gives 0.08"


@pytest.mark.parametrize("table", [[1, 2], [[1], None], "x", {"a": 1}])
def test_a_table_of_another_kind_is_an_error(table: object) -> None:
    with pytest.raises(ProblemError):
        read({"question": "y", "table": table}, 1)


GSM8K = {
    "question": "Ann sold clips to 48 friends in April. She sold half as many in May. How many did she sell?",
    "answer": "In May: 48/2 = <<48/2=24>>24 clips.\nIn all: 48+24 = <<48+24=72>>72 clips.\n#### 72",
}


def test_the_form_of_gsm8k_is_read() -> None:
    problem = read(GSM8K, 1)
    assert problem.body == "Ann sold clips to 48 friends in April. She sold half as many in May."
    assert (problem.answer, problem.note("solution")) == ("72", GSM8K["answer"])
    assert problem.equation
    assert problem.value() == 72
    assert not contradiction(problem)


def test_a_solution_without_steps_keeps_its_answer_and_says_why() -> None:
    problem = read({**GSM8K, "answer": "She sold many.\n#### 1,072"}, 1)
    assert (problem.equation, problem.answer) == ("", "1072")
    assert problem.note("no_equation")


def test_a_solution_without_an_answer_stays_text() -> None:
    assert read({**GSM8K, "answer": "Nobody knows. ####"}, 1).answer == "Nobody knows. ####"


def test_gsm8k_rows_of_ones_own_are_as_the_source_reads_them(standin: Path) -> None:
    from dnc_datasets.serving import catalogue

    wanted = catalogue.read("gsm8k", given=standin / "gsm8k")["test"][:300]
    lines = (standin / "gsm8k" / "test.jsonl").read_text(encoding="utf-8").splitlines()[:300]
    for line, problem in zip(lines, wanted, strict=True):
        record = json.loads(line)
        record["question"] = " ".join(record["question"].split())
        assert read({"id": problem.id, **record}, 1) == problem


@pytest.mark.parametrize(
    ("key", "note"),
    [
        ("operands", "{"),
        ("operands", '{"3": "table.9.9"}'),
        ("operands", '{"3": 3}'),
        ("turns", "x"),
        ("turns", "[]"),
        ("turns", '[{"equation": "3 +", "type": "", "segments": []}]'),
        ("graph", '[["<q>"]]'),
        ("graph", '[["<q>", "<p>"]]'),
        ("solution_steps", '[{"equation": "3"}]'),
    ],
)
def test_damaged_notes_are_named(key: str, note: str) -> None:
    record = {"table": TABLE, "question": "y", "history": [{"question": "a", "answer": "b"}]}
    with pytest.raises(ProblemError, match=f"meta.{key} is damaged"):
        read({**record, "meta": {key: note}}, 1)


@pytest.mark.parametrize(
    ("turn", "answer", "changes"),
    [
        ("What was the change in sales from 2018 to 2019?", "112", False),
        ("In which year were sales below $1,100?", "2018", False),
        ("Were sales higher in 2019 than in 2018?", "yes", False),
        ("What were the costs in 2019?", "561", True),
    ],
)
def test_numbers_of_a_table_keep_earlier_answers(turn: str, answer: str, changes: bool) -> None:
    history = [{"question": turn, "answer": answer}]
    record = {"table": TABLE, "history": history, "question": "What were sales in both years?"}
    made = changed({**record, "equation": "1196 + 1084", "answer": "2280"}, "distribution")
    assert (made is not None) == changes
    assert made is None or made.history[0].answer == answer
