"""Yes and no in replies: at the end of what is thought aloud, as true and false, and where neither is said."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from dnc_metrics import answers, replies
from dnc_metrics.causes import ORIGINAL, OTHER_WORDS, Mistake, Question, explain_all

CASES = json.loads((Path(__file__).parent / "cases.json").read_text(encoding="utf-8"))["yes_no"]


@pytest.mark.parametrize("case", CASES, ids=[case["text"][:30] for case in CASES])
def test_what_is_said_is_read(case: dict[str, Any]) -> None:
    for gold in ("yes", "no"):
        found = answers.score(case["text"], gold)
        assert found.correct == (case["says"] == gold), found
        assert (found.rule == "not_found") == (not case["says"])
        strict = answers.score(case["text"], gold, mode="strict").correct
        assert strict == (case["says"] == gold and case.get("alone", False))


def test_truth_values_are_yes_and_no() -> None:
    assert answers.score(True, "yes").correct
    assert not answers.score(False, "yes").correct


ASKED = {
    "id": "a", "body": "Tom had 12 pens and got 3 more.", "question": "Does he have more than 20?", "equation": "",
    "answer": "no", "answer_type": "yes_no",
    "source": {"answer": "15", "equation": "12 + 3"},
}  # fmt: skip


def test_a_number_where_yes_or_no_is_asked_for_is_a_wrong_number() -> None:
    reading = replies.score(ASKED, "He has 15.")
    assert not reading.lenient
    assert not reading.not_found
    assert reading.found is not None
    assert reading.found.value == 15
    question = Question.of(ASKED)
    (number, word) = explain_all(
        [Mistake("a", reading.found.value), Mistake("b", None, worded=True)], {"a": question, "b": question}
    )
    assert ORIGINAL in number.causes
    assert word.causes == (OTHER_WORDS,)


@pytest.mark.parametrize(
    ("reply", "right"),
    [
        ("Kim", True),
        ("The answer is Kim, because 200 is more than 180.", True),
        ("Kim, with 200 meters a minute", True),
        ("Kim, Lee", False),
        ("Lee, because Kim has 180", False),
        ("Kim was slower than Lee", False),
    ],
)
def test_a_span_may_be_followed_by_its_reason(reply: str, right: bool) -> None:
    assert answers.score(reply, "Kim").correct == right
    if reply != "Kim":
        assert not answers.score(reply, "Kim", mode="strict").correct


@pytest.mark.parametrize(
    ("reply", "right"),
    [
        ("unknown", True),
        ("It cannot be determined.", True),
        ("Cannot be determined from the given information.", True),
        ("I don’t know", True),
        ("There is not enough information, so the answer is unknown.", True),
        ("The problem does not say how many pens Tom has.", True),
        ("I can't solve this because the first count isn't specified.", True),
        ("The number of boxes is missing, so the total can't be computed.", True),
        ("The answer depends on how many pens Tom had.", True),
        ("Insufficient data", True),
        ("The answer is 12.", False),
        ("It was known that 12 came.", False),
        ("The price is not given. I take 5 dollars, so it is 15.", False),
        ("Amy doesn't give any to Ben, so she has 7.", False),
        ("It is not stated whether they are new. The answer is 7.", False),
    ],
)
def test_what_cannot_be_told_may_be_said_in_many_ways(reply: str, right: bool) -> None:
    row = {"answer": "unsure", "answer_type": "unanswerable", "question": "How many came?"}
    assert replies.score(row, reply).lenient == right


@pytest.mark.parametrize(
    ("reply", "right"),
    [
        ("$2,608,000", True),
        ("$2.608 million", True),
        ("$2,608 thousand", True),
        ("2,608", True),
        ("2,608,000", False),
    ],
)
def test_an_amount_may_be_written_in_full(reply: str, right: bool) -> None:
    row = {"answer": "2608", "unit": "thousand", "question": "What were the sales?"}
    assert replies.score(row, reply).lenient == right


@pytest.mark.parametrize(
    ("reply", "right"),
    [
        ("-16.84%", True),
        ("It decreased by 16.84%.", True),
        ("Sales fell from 203 to 168.8, a decline of 16.84 percent", True),
        ("It increased by 16.84%.", False),
        ("16.84%", False),
        ("It did not decrease. It increased by 16.84%.", False),
    ],
)
def test_a_fall_has_its_sign_in_words(reply: str, right: bool) -> None:
    row = {"answer": "-16.84", "unit": "percent", "question": "What is the percentage change in sales?"}
    assert replies.score(row, reply).lenient == right
    assert replies.score({**row, "answer": "16.84"}, "It rose by 16.84%.").lenient
