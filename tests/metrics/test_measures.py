"""Measures in two units are read in the unit that is asked for, or not at all."""

from __future__ import annotations

import pytest

from dnc_metrics import _measures, extraction


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
    assert _measures.asked(question, unit) == asked
