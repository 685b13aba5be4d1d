"""GSM8K: equations composed from annotated steps, over the real problems of the stand-in."""

from __future__ import annotations

import json
from collections import Counter
from fractions import Fraction
from pathlib import Path
from typing import Any

import pytest

from dnc_datasets import expression, perturbations, sources, steps
from dnc_datasets.certificate import certify
from dnc_datasets.draws import Draw
from dnc_datasets.errors import SourceError
from dnc_datasets.problem import Problem
from dnc_datasets.serving import catalogue
from dnc_datasets.sources.formats.annotated_steps import read_solution

CASES = json.loads((Path(__file__).parent / "equation_cases.json").read_text(encoding="utf-8"))[
    "annotated_steps"
]


@pytest.mark.parametrize("case", CASES, ids=lambda case: case["solution"])
def test_composed_equation(case: dict[str, Any]) -> None:
    found = read_solution(case["text"], case["solution"])
    assert found is not None
    assert (found.equation.infix() if found.equation is not None else None) == case.get("equation")
    assert found.reason == case.get("reason", "")
    if found.equation is not None:
        assert found.equation.value() == found.answer


def test_steps_name_earlier_ones_and_survive_the_note() -> None:
    found = read_solution(CASES[0]["text"], CASES[0]["solution"])
    assert found is not None
    assert [step.equation.infix() for step in found.steps] == ["48 / 2", "48 + step1"]
    assert steps.stored(Problem("1", "", "", meta=((steps.KEY, steps.to_note(found.steps)),))) == list(
        found.steps
    )
    moved = steps.with_moves(found.steps, {Fraction(48): Fraction(50)})
    assert [step.value for step in moved] == [25, 75]


def test_no_answer_is_an_error_that_names_the_line(tmp_path: Path) -> None:
    for name in ("train", "test"):
        line = {"question": "How many?", "answer": "Nobody knows."}
        (tmp_path / f"{name}.jsonl").write_text(f"{json.dumps(line)}\n", encoding="utf-8")
    with pytest.raises(SourceError, match=r"line 1: the solution has no number after ####"):
        catalogue.read("gsm8k", given=tmp_path)


@pytest.fixture(scope="module")
def test_rows(standin: Path) -> list[Problem]:
    return catalogue.read("gsm8k", given=standin / "gsm8k")["test"]


def test_real_problems(test_rows: list[Problem]) -> None:
    assert len(test_rows) == 1000
    with_equation = [row for row in test_rows if row.equation]
    assert len(with_equation) > 650
    assert all(row.expected_answer() == row.answer for row in with_equation)
    reasons = Counter(row.note("no_equation") for row in test_rows if not row.equation)
    assert "" not in reasons
    assert sum(bool(row.body) for row in test_rows) > 900


@pytest.mark.parametrize(
    ("name", "most_silent"),
    [("noise", 0.4), ("distribution", 0.4), ("noise_plausible", 0.4), ("distribution_plausible", 0.45)],
)
def test_numbers_move_in_most_problems_with_an_equation(
    test_rows: list[Problem], name: str, most_silent: float
) -> None:
    rows = [row for row in test_rows if row.equation][:300]
    step = perturbations.get(name)
    silent = 0
    for row in rows:
        made = step.apply(row, Draw(0, "gsm8k", row.id, name), scope=sources.get("gsm8k").scope)
        if made is None:
            silent += 1
            continue
        certify(row, made, step)
        assert expression.parse(made.equation).canonical() == made.answer
    assert silent < most_silent * len(rows)
