"""A number is accepted where it is the gold answer, or the gold answer rounded as far as it shows."""

from __future__ import annotations

import json
from fractions import Fraction
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from dnc_datasets.expression import canonical
from dnc_metrics import answers

CASES = json.loads(Path(__file__).with_name("acceptance_cases.json").read_text(encoding="utf-8"))


@pytest.mark.parametrize(
    "case", CASES, ids=lambda case: f"{case['reply']} for {case['gold']} {case['rounding']}"
)
def test_acceptance(case: dict[str, Any]) -> None:
    row = {"rounding": case["rounding"], "equation": case["equation"]}
    for acceptance in ("rounded", "exact"):
        for reply in (case["reply"], f"The answer is {case['reply']}."):
            found = answers.score(reply, case["gold"], acceptance=acceptance, **row)
            assert found.correct is bool(case[acceptance])


def _shown(value: Fraction, places: int) -> str:
    scaled = int(abs(value) * 10**places + Fraction(1, 2))
    return f"{'-' if value < 0 and scaled else ''}{scaled // 10**places}.{scaled % 10**places:0{places}}"


@given(st.fractions(-1000, 1000, max_denominator=500), st.integers(2, 8))
def test_a_number_rounded_to_two_places_or_more_is_right(gold: Fraction, places: int) -> None:
    shown = _shown(gold, places)
    digits = shown.lstrip("-0.").replace(".", "")
    right = answers.score(shown, canonical(gold)).correct
    if gold.denominator == 1 or Fraction(shown) == gold:
        assert right is (Fraction(shown) == gold)
    else:
        assert right is (len(digits) >= 2)


@given(st.fractions(0, 1000, max_denominator=500), st.integers(2, 6), st.integers(1, 9))
def test_another_last_place_is_wrong(gold: Fraction, places: int, off: int) -> None:
    wrong = _shown(Fraction(_shown(gold, places)) + Fraction(off, 10**places), places)
    assert not answers.score(wrong, canonical(gold)).correct
