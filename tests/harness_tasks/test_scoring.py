"""Replies are scored by what they say, and "not found" and "truncated" are told apart from "wrong"."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from dnc_harness import scoring

CASES = json.loads(Path(__file__).with_name("scoring_cases.json").read_text(encoding="utf-8"))


def _doc(**fields: Any) -> dict[str, Any]:
    return {"answers": [], "answer_type": "number", "rounding": "", "question": "", "unit": "", **fields}


@pytest.mark.parametrize("case", CASES, ids=lambda case: case["reply"] or "nothing")
def test_answers(case: dict[str, Any]) -> None:
    wanted = {
        "answer_lenient": case["lenient"],
        "answer_strict": case["strict"],
        "answer_exact": case.get("exact", case["lenient"]),
        "not_found": case["not_found"],
        "truncated": case.get("truncated", 0),
    }
    assert scoring.answer(_doc(**case), [case["reply"]]) == wanted


def test_equations() -> None:
    doc = _doc(equation="6 * 12 - 5", answer="67")
    right = {"equation_executes": 1, "equation_equivalent": 1, "equation_exact": 1} | {
        "not_found": 0,
        "truncated": 0,
    }
    assert scoring.equation(doc, ["6 * 12 - 5"]) == right
    assert scoring.equation(doc, ["12 * 6 - 5 = 67"]) == {**right, "equation_exact": 0}
    other = {**right, "equation_exact": 0, "equation_equivalent": 0}
    assert scoring.equation(doc, ["60 + 7"]) == other
    assert scoring.equation(doc, ["I do not know"]) == {**dict.fromkeys(right, 0), "not_found": 1}
    assert scoring.equation(doc, ["<think>6 * 12 - 5"]) == {**dict.fromkeys(right, 0), "truncated": 1}


def test_an_equation_is_rounded_as_the_source_rounds() -> None:
    doc = _doc(equation="31 / 2", answer="16", rounding="ceil")
    assert scoring.equation(doc, ["31 / 2"])["equation_executes"] == 1


@given(st.text(max_size=200))
def test_any_reply_can_be_scored(reply: str) -> None:
    scores = scoring.answer(_doc(answer="7"), [reply])
    assert (
        scores["answer_strict"] <= scores["answer_lenient"] <= 1 - scores["not_found"] - scores["truncated"]
    )
    scoring.equation(_doc(answer="7", equation="3 + 4"), [reply])
