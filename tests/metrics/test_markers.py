"""A reply is read by its last marker, up to where it goes on to something else; thinking is never read."""

from __future__ import annotations

import json
from fractions import Fraction
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from dnc_metrics import _markers, _thinking, extraction

CASES = json.loads(Path(__file__).with_name("marker_cases.json").read_text(encoding="utf-8"))


def _value(text: str | None) -> Fraction | None:
    return None if text is None else Fraction(text)


def test_the_table_is_large_enough() -> None:
    assert len(CASES) >= 60
    assert sum(case["first"] != case["read"] for case in CASES) >= 20


@pytest.mark.parametrize("case", CASES, ids=lambda case: ascii(case["text"])[1:50])
def test_the_last_marker_counts(case: dict[str, Any]) -> None:
    found = extraction.answer(case["text"])
    assert found.value == _value(case["read"])
    assert found.explicit or found.value is None


@pytest.mark.parametrize("case", CASES, ids=lambda case: ascii(case["text"])[1:50])
def test_what_the_first_marker_would_say(case: dict[str, Any]) -> None:
    said, _ = _thinking.spoken(case["text"])
    first = min(_markers._marks(said))
    end = _markers._SENTENCE_END.search(said, first.end)
    assert extraction.answer(said[first.start : end.end() if end else None]).value == _value(case["first"])


@pytest.mark.parametrize(
    "text",
    [
        "<think>The answer is 7",
        "<think>The answer is 7. So she has",
        "<thinking>\n12 * 7 = 84",
        "She has 42. <think>Or is it 43?",
        "<|channel|>analysis<|message|>The answer is 7",
        "analysisWe need to add 3 and 4",
        "[THINK]The answer is 7",
        "<think>one</think><think>The answer is 7",
    ],
)
def test_unfinished_thinking_is_truncated(text: str) -> None:
    assert extraction.answer(text).rule == extraction.TRUNCATED
    assert extraction.phrase(text) == ("", extraction.TRUNCATED)
    assert extraction.equation(text).rule == extraction.TRUNCATED


@given(st.text(max_size=60).filter(lambda text: "<" not in text and "[" not in text and "◁" not in text))
def test_what_is_thought_never_counts(thought: str) -> None:
    if "analysis" not in thought and "assistantfinal" not in thought:
        assert extraction.answer(f"<think>{thought}</think>42").value == 42
        assert extraction.answer(f"<think>{thought}").rule == extraction.TRUNCATED


def test_tags_that_are_not_for_thinking_stay() -> None:
    assert _thinking.spoken("a <b>5</b> [x]") == ("a <b>5</b> [x]", False)
