"""What differs between two problems is found text by text, and never less than what a reading of all would find."""

from __future__ import annotations

from typing import Any

import pytest

from dnc_datasets.certificate.changes import changed_numbers, changed_texts
from dnc_datasets.problem import Problem, Turn

TABLE = (("", "2019"), ("Sales", "12"), ("", "7"))
ALL = Problem("1", "3 pens", "How many of 5?", table=TABLE, segments=("a 4",), history=(Turn("6?", "6"),))


@pytest.mark.parametrize(
    ("change", "texts", "numbers"),
    [
        ({}, [], []),
        ({"body": "8 pens"}, [("3 pens", "8 pens")], [((3, 1), (8, 1))]),
        ({"table": (*TABLE[:1], ("Sales", "13"), *TABLE[2:])}, [("12", "13")], [((12, 1), (13, 1))]),
        ({"history": (Turn("6?", "9"),)}, [("6", "9")], [((6, 1), (9, 1))]),
        ({"segments": ("a 2", "b 9")}, None, None),
        ({"table": TABLE[:2]}, None, None),
        ({"table": (TABLE[0], ("Sales",), TABLE[2])}, None, None),
        ({"history": ()}, None, None),
        ({"body": "pens"}, [("3 pens", "pens")], None),
    ],
)
def test_changes(change: dict[str, Any], texts: object, numbers: object) -> None:
    assert changed_texts(ALL, ALL.replace(**change)) == texts
    assert changed_numbers(ALL, ALL.replace(**change)) == numbers


def test_a_number_that_went_elsewhere_is_compared_with_all_others() -> None:
    moved = ALL.replace(body="pens", question="How many of 3 or 5?")
    pairs = changed_numbers(ALL, moved)
    assert pairs == list(zip(ALL.ratios(), moved.ratios(), strict=True))
    assert any(was != now for was, now in pairs)
