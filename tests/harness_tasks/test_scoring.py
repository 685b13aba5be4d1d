"""Replies are scored by what they say, and "not found" and "truncated" are distinguished from "wrong"."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from dnc_harness import scorer_audit, scoring
from dnc_metrics import extraction

CASES: list[dict[str, Any]] = [
    {"reply": "490", "answer": "490", "lenient": 1, "strict": 1, "not_found": 0},
    {
        "reply": "She walked 280 m and then 210 m, so 490",
        "answer": "490",
        "lenient": 1,
        "strict": 0,
        "not_found": 0,
    },
    {"reply": "The answer is 491.", "answer": "490", "lenient": 0, "strict": 0, "not_found": 0},
    {"reply": "I cannot say.", "answer": "490", "lenient": 0, "strict": 0, "not_found": 1},
    {"reply": "", "answer": "490", "lenient": 0, "strict": 0, "not_found": 1},
    {
        "reply": "12.346",
        "answer": "12.35",
        "rounding": "places:2",
        "lenient": 1,
        "strict": 1,
        "exact": 0,
        "not_found": 0,
    },
    {"reply": "12.346", "answer": "12.35", "lenient": 0, "strict": 0, "not_found": 0},
    {"reply": "four", "answer": "3", "answers": ["3", "4"], "lenient": 1, "strict": 1, "not_found": 0},
    {"reply": "Kim", "answer": "Kim", "answer_type": "span", "lenient": 1, "strict": 1, "not_found": 0},
    {
        "reply": "The answer is Jo.",
        "answer": "Kim",
        "answer_type": "span",
        "lenient": 0,
        "strict": 0,
        "not_found": 0,
    },
    {"reply": "Yes.", "answer": "yes", "answer_type": "yes_no", "lenient": 1, "strict": 1, "not_found": 0},
    {
        "reply": "unknown",
        "answer": "unsure",
        "answer_type": "unanswerable",
        "lenient": 1,
        "strict": 1,
        "not_found": 0,
    },
    {
        "reply": "7",
        "answer": "unsure",
        "answer_type": "unanswerable",
        "lenient": 0,
        "strict": 0,
        "not_found": 0,
    },
    {
        "reply": "不确定",
        "answer": "不确定",
        "answer_type": "unanswerable",
        "lenient": 1,
        "strict": 1,
        "not_found": 0,
    },
    {"reply": "<think>It is 490.</think>490", "answer": "490", "lenient": 1, "strict": 1, "not_found": 0},
    {
        "reply": "<think>It is 490.",
        "answer": "490",
        "lenient": 0,
        "strict": 0,
        "not_found": 0,
        "truncated": 1,
    },
    {"reply": "74.30", "answer": "2006/27", "lenient": 1, "strict": 1, "exact": 0, "not_found": 0},
    {
        "reply": "25%",
        "answer": "0.25",
        "question": "What percentage is left?",
        "lenient": 1,
        "strict": 1,
        "not_found": 0,
    },
    {
        "reply": "25%",
        "answer": "0.25",
        "question": "How much is left?",
        "lenient": 0,
        "strict": 0,
        "not_found": 0,
    },
]


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
    right = {"equation_executes": 1, "equation_equivalent": 1, "equation_same": 1, "equation_exact": 1} | {
        "not_found": 0,
        "truncated": 0,
    }
    assert scoring.equation(doc, ["6 * 12 - 5"]) == right
    assert scoring.equation(doc, ["12 * 6 - 5 = 67"]) == {**right, "equation_same": 0, "equation_exact": 0}
    other = {**right, "equation_exact": 0, "equation_same": 0, "equation_equivalent": 0}
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


@pytest.mark.parametrize(
    ("scorer", "text", "value", "right"),
    [
        (lambda text, gold: True, "The answer is 7, from 3 and 4.", "7", False),
        (lambda text, gold: False, "The answer is 7.", "7", False),
        (lambda text, gold: gold == "7", "The answer is 7, from 3 and 4.", "7", True),
        (lambda text, gold: False, "I cannot tell 3 from 4.", None, True),
        (lambda text, gold: gold == "4", "I cannot tell 3 from 4.", None, False),
    ],
)
def test_a_scorer_must_accept_the_answer_and_nothing_else(
    scorer: Callable[[str, str], bool], text: str, value: str | None, right: bool
) -> None:
    assert scorer_audit.is_right(scorer, text, value) is right


def test_a_scorer_that_raises_is_wrong_and_does_not_end_the_audit() -> None:
    def broken(text: str, gold: str) -> bool:
        raise ValueError(text)

    assert not scorer_audit.is_right(broken, "The answer is 7.", "7")


def test_each_installed_scorer_judges_plain_replies_right() -> None:
    assert {"dnc", "math-verify", "lm-eval regex", "inspect match"} <= scorer_audit.scorers().keys()
    for name, scorer in scorer_audit.scorers().items():
        assert scorer_audit.is_right(scorer, "So the total is 12.\nThe answer is 42", "42"), name


def test_ours_reads_every_public_reply() -> None:
    ours = scorer_audit.scorers()["dnc"]
    wrong = [
        case["text"]
        for case in extraction.reply_cases()
        if not scorer_audit.is_right(ours, case["text"], case["value"])
    ]
    assert wrong == []
