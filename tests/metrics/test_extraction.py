"""Answers and equations are read from text as models write it, by the rule that the table names."""

from __future__ import annotations

import json
from fractions import Fraction
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from dnc_datasets import numerals
from dnc_metrics import extraction
from dnc_metrics.errors import MetricError
from dnc_metrics.extraction import markers, measures, thinking

HERE = Path(__file__).parent
# The public set, and replies over languages, LaTeX, JSON, code, tables, refusals and self-corrections.
ANSWERS = [
    *extraction.reply_cases(),
    *json.loads((HERE / "cases.json").read_text(encoding="utf-8"))["replies"],
]
EQUATIONS = json.loads((HERE / "cases.json").read_text(encoding="utf-8"))["equations"]

HOSTILE = {
    "digits": "9" * 100_000,
    "a megabyte of digits": "9" * 1_000_000,
    "a megabyte of letters": "a" * 1_000_000,
    "brackets": "(" * 100_000,
    "braces": "\\boxed{" * 30_000,
    "fractions": "\\frac{" * 30_000,
    "stars": "*" * 100_000,
    "minus": "-" * 100_000,
    "markers": "the answer is " * 20_000,
    "questions": "\nQ:" * 50_000,
    "headings": "A:\n" * 50_000,
    "newlines": "\n" * 100_000,
    "surrogates": "\ud800" * 100_000,
    "tower": "9**9**9",
    "code": "__import__('os').system('true')",
}


def test_the_table_is_large_enough() -> None:
    assert len(ANSWERS) >= 200
    assert {case["rule"] for case in ANSWERS} == set(extraction.RULES)


@pytest.mark.parametrize("case", ANSWERS, ids=lambda case: ascii(case["text"])[1:50])
def test_answer(case: dict[str, str | None]) -> None:
    found = extraction.answer(str(case["text"]))
    value = None if case["value"] is None else Fraction(case["value"])
    assert (found.value, found.rule) == (value, case["rule"])
    assert found.explicit == (found.rule in extraction.EXPLICIT)


@pytest.mark.parametrize("case", EQUATIONS, ids=lambda case: ascii(case["text"])[1:50])
def test_equation(case: dict[str, str | None]) -> None:
    found = extraction.equation(str(case["text"]))
    assert (found.expr.infix() if found.expr else None, found.rule) == (case["equation"], case["rule"])


@pytest.mark.parametrize("name", HOSTILE)
def test_hostile_text_has_no_answer(name: str) -> None:
    assert extraction.answer(HOSTILE[name]).rule == extraction.NOT_FOUND


@pytest.mark.parametrize("name", HOSTILE)
def test_hostile_text_has_no_value_as_an_equation(name: str) -> None:
    found = extraction.equation(HOSTILE[name])
    assert (found.rule == extraction.NOT_FOUND) == (name != "tower")


@pytest.mark.parametrize("wrong", [None, 3, float("nan"), ["42"], b"42"])
def test_what_is_not_text_is_refused(wrong: object) -> None:
    with pytest.raises(MetricError, match="must be text, not"):
        extraction.answer(wrong)  # type: ignore[arg-type]
    with pytest.raises(MetricError, match="must be text, not"):
        extraction.equation(wrong)  # type: ignore[arg-type]


def test_a_long_text_is_read_at_both_ends() -> None:
    filler = "bla " * 10_000
    assert extraction.answer(f"The answer is 12. {filler}").value == 12
    assert extraction.answer(f"{filler} The answer is 12.").value == 12
    assert extraction.answer(f"{'7' * 30_000} {filler} so 12 pens").value == 12


@given(st.text())
def test_any_text_gives_a_result(text: str) -> None:
    found = extraction.answer(text)
    assert found.rule in extraction.RULES
    assert (found.value is None) == (found.rule == extraction.NOT_FOUND)
    extraction.equation(text)
    extraction.phrase(text)


_FRAMES = (
    "The answer is {}.",
    "#### {}",
    "\\boxed{{{}}}",
    "<answer>{}</answer>",
    "Final answer: **{}**",
    "答案是{}。",
    "{}",
    "A: {}",
    "Tom had 3 pens and 4 more. The answer is {} pens.\n\nQ: Tom has 8",
)


@given(st.sampled_from(_FRAMES), st.integers(-(10**9), 10**9))
def test_every_whole_number_is_found_in_every_frame(frame: str, value: int) -> None:
    for spelled in (str(value), f"{value:,}", str(value).replace("-", "−")):
        assert extraction.answer(frame.format(spelled)).value == value


@given(st.sampled_from(_FRAMES), st.integers(0, 10**6), st.integers(1, 99))
def test_decimals_words_and_fractions(frame: str, whole: int, part: int) -> None:
    assert extraction.answer(frame.format(f"{whole}.{part:02}")).value == whole + Fraction(part, 100)
    assert extraction.answer(frame.format(f"{part}/{100 + part}")).value == Fraction(part, 100 + part)
    assert extraction.answer(frame.format(f"\\frac{{{part}}}{{7}}")).value == Fraction(part, 7)
    assert extraction.answer(frame.format(numerals.spell(whole + 2))).value == whole + 2


@pytest.mark.parametrize(
    ("text", "words", "rule"),
    [
        ("So the answer is yes.", "yes", "answer_is"),
        ("Answer: the Bears", "the Bears", "heading"),
        ("New York", "New York", "bare"),
        ("\\boxed{no}", "no", "boxed"),
        ("", "", "not_found"),
    ],
)
def test_phrase(text: str, words: str, rule: str) -> None:
    assert extraction.phrase(text) == (words, rule)


@pytest.mark.parametrize(
    ("reply", "unit", "value"),
    [
        ("3 hours and 20 minutes", "minute", 200),
        ("The answer is 3 hours and 20 minutes.", "minute", 200),
        ("It takes her 3 hrs 20 min.", "minute", 200),
        ("1 hour, 30 minutes and 5 seconds", "second", 5405),
        ("5 ft 3 in", "inch", 63),
        ("2 dollars and 50 cents", "cent", 250),
        ("2 weeks and 3 days", "day", 17),
        ("1 year and 6 months", "month", 18),
        ("3小时20分钟", "minute", 200),
        ("3 hours and 20 minutes", "dollar", None),
        ("3 hours and 20 minutes", "", None),
        ("The answer is 3 apples and 20 pears.", "minute", 3),
        ("The answer is 20 minutes and 3 hours.", "minute", 20),
        ("The answer is 3 hours.", "minute", 3),
    ],
)
def test_compound(reply: str, unit: str, value: int | None) -> None:
    assert extraction.answer(reply, unit).value == value


@pytest.mark.parametrize(
    ("question", "unit", "asked"),
    [
        ("How many minutes did she run?", "", "minute"),
        ("How many more miles did he drive?", "", "mile"),
        ("How much is that in dollars?", "", "dollar"),
        ("How long did she run?", "hours", "hour"),
        ("How long did she run?", "", ""),
        ("How many apples are in the box?", "", ""),
        ("How many miniature pies are there?", "miniature pies", ""),
    ],
)
def test_the_unit_asked_for(question: str, unit: str, asked: str) -> None:
    assert measures.asked_unit(question, unit) == asked


MARKERS = json.loads((HERE / "cases.json").read_text(encoding="utf-8"))["markers"]


def _value(text: str | None) -> Fraction | None:
    return None if text is None else Fraction(text)


def test_the_table_of_markers_is_large_enough() -> None:
    assert len(MARKERS) >= 60
    assert sum(case["first"] != case["read"] for case in MARKERS) >= 20


@pytest.mark.parametrize("case", MARKERS, ids=lambda case: ascii(case["text"])[1:50])
def test_the_last_marker_counts(case: dict[str, Any]) -> None:
    found = extraction.answer(case["text"])
    assert found.value == _value(case["read"])
    assert found.explicit or found.value is None


@pytest.mark.parametrize("case", MARKERS, ids=lambda case: ascii(case["text"])[1:50])
def test_what_the_first_marker_would_say(case: dict[str, Any]) -> None:
    said, _ = thinking.spoken(case["text"])
    first = min(markers._marks(said))
    end = markers._SENTENCE_END.search(said, first.end)
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
    assert thinking.spoken("a <b>5</b> [x]") == ("a <b>5</b> [x]", False)
