"""Tests that one bad row never ends a run: it remains unchanged, with a reason, and is reported."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from dnc_datasets import perturbations
from dnc_datasets.cli import main
from dnc_datasets.errors import CertificateError, SourceError
from dnc_datasets.perturbations.statements.neighbours import Neighbours
from dnc_datasets.problem import Problem, from_row
from dnc_datasets.serving.settings import perturb

_CASES: list[dict[str, Any]] = [
    {"id": "empty body", "body": "", "question": "How many pens are there?"},
    {"id": "empty", "body": "", "question": ""},
    {
        "id": "carriage return",
        "body": "\r",
        "question": "How many of the 3 pens?",
        "equation": "3",
        "answer": "3",
    },
    {
        "id": "blank question",
        "body": "Amy has 3 pens. Ben has 4 pens.",
        "question": " \n ",
        "equation": "3 + 4",
        "answer": "7",
    },
    {
        "id": "lone surrogate",
        "body": "\ud800 has 3 pens. Ben has 4 \udfff pens.",
        "question": "How many pens are there in all?",
        "equation": "3 + 4",
        "answer": "7",
    },
    {
        "id": "no spelling",
        "body": "A star has 1000000000000000000000000000000000 atoms and 3 planets.",
        "question": "How many?",
        "equation": "1000000000000000000000000000000000 + 3",
        "answer": "1000000000000000000000000000000003",
    },
    {
        "id": "many places",
        "body": "It weighs 0.00000000000000000000000000000000000000000000000000001 pounds and 7 ounces.",
        "question": "How much?",
    },
    {
        "id": "no equation",
        "body": "Amy has 3 pens. Ben has 4 pens.",
        "question": "How many pens are there in all?",
        "answer": "7",
    },
    {
        "id": "no such equation",
        "body": "Amy has 3 pens. Ben has 4 pens.",
        "question": "How many pens are there in all?",
        "equation": "3 +",
        "answer": "7",
    },
    {
        "id": "division by zero",
        "body": "Amy has 3 pens and 0 boxes.",
        "question": "How many pens are in each box?",
        "equation": "3 / 0",
        "answer": "7",
    },
    {
        "id": "history without a graph",
        "segments": ["Amy has 3 pens.", "Ben has 4 pens."],
        "question": "How many pens are there in all?",
        "history": [{"question": "How many has Amy?", "answer": "3"}],
        "equation": "3 + 4",
        "answer": "7",
    },
    {
        "id": "history without segments",
        "question": "How many pens are there in all?",
        "history": [{"question": "How many has Amy?", "answer": "3"}],
        "equation": "3 + 4",
        "answer": "7",
    },
    {
        "id": "empty segments",
        "segments": ["", " "],
        "question": "How many pens are there in all?",
        "equation": "3 + 4",
        "answer": "7",
    },
    {
        "id": "empty table rows",
        "body": "Sales rose.",
        "table": [[], [], ["Sales", "3", "4"]],
        "question": "What is the change in sales from 2018 to 2019?",
        "equation": "4 - 3",
        "answer": "1",
    },
    {
        "id": "ragged table",
        "body": "Sales rose.",
        "table": [["", "2019"], ["Sales", "3", "4", "5"], ["Costs"]],
        "question": "What is the sum of sales in 2018 and 2019?",
        "equation": "3 + 4",
        "answer": "7",
    },
    {
        "id": "empty cells",
        "body": "",
        "table": [["", ""], ["", ""]],
        "question": "What is the average of sales?",
        "equation": "(3 + 4) / 2",
        "answer": "3.5",
    },
]
_NEIGHBOURS = Neighbours([Problem("lender", "A shop sells 77 red kites in May.", "")])
_NAMES = (*perturbations.names("table"), *perturbations.variation_names())


@pytest.mark.parametrize("record", _CASES, ids=[case["id"] for case in _CASES])
@pytest.mark.parametrize("name", _NAMES)
def test_a_strange_row_is_no_failure(name: str, record: dict[str, object]) -> None:
    problem = from_row(record)
    steps = perturbations.recipe(name, problem.shape)
    row = perturb(problem, steps, dataset="bad", neighbours=_NEIGHBOURS)  # strict: a failure would raise
    assert row.original is not None or (row.problem == problem and row.reason)


def test_numbers_that_cannot_be_spelled_stay_digits() -> None:
    problem = Problem("1", f"A star has 1{'0' * 33} atoms and 12 planets.", "How many planets has it?")
    row = perturb(problem, perturbations.recipe("language_plausible"), dataset="bad")
    assert row.problem.body == f"A star has 1{'0' * 33} atoms and twelve planets."


def _failing(monkeypatch: pytest.MonkeyPatch, error: Exception) -> None:
    step = perturbations.get("type")

    def fail(problem: Problem, *_: object, **__: object) -> Problem | None:
        raise error

    fail.__module__ = step.function.__module__  # ours, not a plug-in's
    broken = perturbations.Perturbation(**{**vars(step), "function": fail})
    monkeypatch.setattr(perturbations, "get", lambda name, shape="word_problem": broken)


@pytest.mark.parametrize("error", [KeyError("x"), RecursionError(), CertificateError("row", "values_kept")])
def test_a_failure_keeps_the_row(monkeypatch: pytest.MonkeyPatch, error: Exception) -> None:
    _failing(monkeypatch, error)
    problem = Problem("1", "Amy has 3 pens.", "How many?")
    with pytest.raises(type(error)):
        perturb(problem, perturbations.recipe("type"), dataset="bad")
    monkeypatch.delenv("DNC_STRICT")
    row = perturb(problem, perturbations.recipe("type"), dataset="bad")
    assert row.problem == problem
    assert row.failed
    assert row.reason


def test_what_every_row_would_meet_ends_the_run(monkeypatch: pytest.MonkeyPatch) -> None:
    _failing(monkeypatch, SourceError("no such file"))
    monkeypatch.delenv("DNC_STRICT")
    with pytest.raises(SourceError):
        perturb(Problem("1", "Amy has 3 pens.", "How many?"), perturbations.recipe("type"), dataset="bad")


@pytest.mark.parametrize(
    "words",
    [
        ["build", "tiny_tables-type-attack", "--out", "OUT"],
        ["list", "tiny_tables", "--count", "--seed", "1"],
        ["coverage", "tiny_tables"],
    ],
    ids=lambda words: str(words[0]),
)
def test_commands_tell_of_failed_rows(
    words: list[str],
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> None:
    _failing(monkeypatch, KeyError("x"))
    monkeypatch.delenv("DNC_STRICT")
    words = [str(tmp_path / "out") if word == "OUT" else word for word in words]
    assert main(words) == 0
    stated = capsys.readouterr().err
    assert "rows failed" in stated
    assert "please report them" in stated
    assert "KeyError" in stated
    assert "Traceback" not in stated
    assert main([*words, "--strict"]) == 1
