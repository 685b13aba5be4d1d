"""Every check finds the defect it is there for."""

from __future__ import annotations

import pytest

from dnc_datasets import perturbations
from dnc_datasets.certificate import CHECKS, certify
from dnc_datasets.errors import CertificateError
from dnc_datasets.problem import Problem

ORIGINAL = Problem("r1", "Ana has 5 pens. Bo has 7 pens.", "How many?", equation="5 + 7", answer="12")


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
