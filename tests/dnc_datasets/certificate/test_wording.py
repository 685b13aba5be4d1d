"""The checks of wording fail on wrong rows: a case table of what numbers are tied to, and properties."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from dnc_datasets.certificate.wording import (
    attachments_kept,
    given_after_asked,
    introductions_kept,
    ties_kept,
)
from dnc_datasets.problem import Problem

CASES = json.loads((Path(__file__).parent / "attachment_cases.json").read_text(encoding="utf-8"))


@pytest.mark.parametrize("case", CASES, ids=lambda case: case["perturbed"][:50])
def test_numbers_keep_what_they_are_tied_to(case: dict[str, Any]) -> None:
    original, perturbed = Problem("1", case["original"], ""), Problem("1", case["perturbed"], "")
    assert attachments_kept(original, perturbed) is case["kept"]


@given(st.lists(st.integers(2, 999), min_size=2, max_size=4, unique=True), st.randoms(use_true_random=False))
def test_a_list_may_be_told_in_any_order_and_not_exchange_its_numbers(
    numbers: list[int], random: Any
) -> None:
    things = ["red pens", "cups", "blue boats", "nails"][: len(numbers)]
    members = [f"{number} {thing}" for number, thing in zip(numbers, things, strict=True)]
    moved = random.sample(members, len(members))
    swapped = [f"{number} {thing}" for number, thing in zip([*numbers[1:], numbers[0]], things, strict=True)]
    original = Problem("1", f"Omar has {' and '.join(members)}.", "")
    assert attachments_kept(original, Problem("1", f"Omar has {' and '.join(moved)}.", ""))
    assert not attachments_kept(original, Problem("1", f"Omar has {' and '.join(swapped)}.", ""))


def test_other_things_may_be_counted_where_only_the_ties_are_promised() -> None:
    original = Problem("1", "Omar has 3 bags with 9 pens each.", "")
    assert ties_kept(original, Problem("1", "Omar has 3 bags with 9 cups each.", ""))
    assert not ties_kept(original, Problem("1", "Omar has 3 bags each with 9 cups.", ""))


@pytest.mark.parametrize(
    ("original", "perturbed", "kept"),
    [
        ("A stand sells 9 pies. The stand is red.", "The stand is red. A stand sells 9 pies.", False),
        ("A stand sells 9 pies. A cart sells 5.", "A cart sells 5. A stand sells 9 pies.", True),
        ("Two boxes hold 9 pens. These boxes are red.", "These boxes are red. Two boxes hold 9 pens.", False),
        ("The stand sells 9 pies. A cart sells 5.", "A cart sells 5. The stand sells 9 pies.", True),
    ],
)
def test_nothing_is_known_before_it_is_brought_in(original: str, perturbed: str, kept: bool) -> None:
    assert introductions_kept(Problem("1", original, ""), Problem("1", perturbed, "")) is kept


@pytest.mark.parametrize(
    ("asked", "kept"),
    [
        ("How many fish are in the pond, given that a pond had 9 fish and that 2 left?", False),
        ("How many fish are in the pond, given that the pond had 9 fish and that 2 left?", False),
        ("How many fish are in a pond, given that the pond had 9 fish and that 2 left?", True),
    ],
)
def test_a_question_brings_in_what_it_speaks_of(asked: str, kept: bool) -> None:
    original = Problem("1", "A pond had 9 fish. 2 left.", "How many fish are in the pond?")
    assert given_after_asked(original, Problem("1", "", asked)) is kept
