"""Every check finds the defect it is there for."""

from __future__ import annotations

from typing import Any

import pytest

from dnc_datasets import perturbations
from dnc_datasets.certificate import CHECKS, certify
from dnc_datasets.certificate.changes import changed_numbers, changed_texts
from dnc_datasets.errors import CertificateError
from dnc_datasets.problem import Problem, Turn

ORIGINAL = Problem("r1", "Ana has 5 pens. Bo has 7 pens.", "How many?", equation="5 + 7", answer="12")
TABLE = (("", "2019"), ("Sales", "12"), ("", "7"))
ALL = Problem("1", "3 pens", "How many of 5?", table=TABLE, segments=("a 4",), history=(Turn("6?", "6"),))


@pytest.mark.parametrize(
    ("check", "good", "bad"),
    [
        ("target_kept", {"body": "x"}, {"answer": "13"}),
        ("equation_gives_answer", {"equation": "12"}, {"answer": "12.000000000000002"}),
        (
            "values_kept",
            {"body": "Ana has five pens. Bo has 7.0 pens."},
            {"body": "Ana has 7 pens. Bo has 5 pens."},
        ),
        (
            "text_elsewhere_kept",
            {"body": "Ana has 9.1 pens. Bo has 70 pens."},
            {"body": "Ana had 5 pens. Bo has 7 pens."},
        ),
        (
            "operands_moved",
            {"body": "Ana has 6 pens. Bo has 9 pens.", "equation": "6 + 9"},
            {"body": "Ana has 6 pens. Bo has 9 pens.", "equation": "9 + 6"},
        ),
        (
            "distractors_new",
            {"body": "Ana has 5 (not 80) pens. Bo has 7 (not 91) pens."},
            {"body": "Ana has 5 (not 7) pens. Bo has 7 (not 91) pens."},
        ),
        (
            "rest_is_original",
            {"body": "Ana has 5 (not 80) pens. Bo has 7 pens."},
            {"body": "Ana has 5 (not 80) pens. Bo had 7 pens."},
        ),
        (
            "statement_added",
            {"body": "Ana has 5 pens. Cows ate 33 tons. Bo has 7 pens."},
            {"body": "Ana has 5 pens. Cows ate 7 tons. Bo has 7 pens."},
        ),
        ("question_removed", {"question": ""}, {"question": "How?"}),
    ],
)
def test_check(check: str, good: dict[str, str], bad: dict[str, str]) -> None:
    assert CHECKS[check](ORIGINAL, ORIGINAL.replace(**good))
    assert not CHECKS[check](ORIGINAL, ORIGINAL.replace(**bad))


def test_a_statement_may_follow_a_chinese_sentence() -> None:
    before = Problem("r1", "", "几本？", segments=("书650本。", "借出145本"))
    good = before.replace(segments=("书650本。", "车52辆。借出145本"))
    bad = before.replace(segments=("书650本。", "借出车52辆。145本"))
    assert CHECKS["statement_added"](before, good)
    assert not CHECKS["statement_added"](before, bad)


def test_certify_names_row_and_promise() -> None:
    with pytest.raises(CertificateError, match=r"row 'r1': type breaks its promise 'target_kept'"):
        certify(ORIGINAL, ORIGINAL.replace(answer="13"), perturbations.get("type"))


def test_every_promise_has_a_check() -> None:
    for name in perturbations.names("table"):
        assert set(perturbations.get(name).promises) <= CHECKS.keys()


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
