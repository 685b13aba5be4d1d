"""Every check of plausible numbers passes a right row and refuses the wrong one it is there for."""

from __future__ import annotations

import pytest

from dnc_datasets.certificate import CHECKS
from dnc_datasets.problem import Problem
from dnc_datasets.steps import KEY

BODY = "Ana drove 20 miles and 12 miles. She works 8 hours a day and pays 40% and 50% of $60."
ORIGINAL = Problem("r1", BODY, "How many miles did she drive?", equation="(20 - 12) / 4", answer="2")


def body(**changes: str) -> str:
    made = BODY
    for old, new in changes.items():
        made = made.replace(old.removeprefix("n"), new, 1)
    return made


@pytest.mark.parametrize(
    ("check", "good", "bad"),
    [
        ("signs_kept", {"equation": "(30 - 10) / 4"}, {"equation": "(30 - 40) / 4"}),
        ("signs_kept", {"equation": "(30 - 10) / 4"}, {"equation": "(30 - 30) / 4"}),
        ("divisions_exact", {"equation": "(30 - 10) / 4"}, {"equation": "(31 - 10) / 4"}),
        ("wholeness_kept", {"body": body(n20="20.5"), "equation": "8.5 / 4"}, {"equation": "8.5 / 4"}),
        ("wholeness_kept", {"body": body(n20="20.5")}, {"body": body(n8="8.5")}),
        ("comparisons_kept", {"body": body(n20="30")}, {"body": body(n20="11")}),
        ("comparisons_kept", {"body": body(n40="30")}, {"body": body(n40="51")}),
        ("comparisons_kept", {"body": body(n40="30")}, {"body": body(n40="50")}),
        ("bounds_kept", {"body": body(n8="12")}, {"body": body(n8="25")}),
        ("bounds_kept", {"body": body(n40="50")}, {"body": body(n40="51")}),
        ("bounds_kept", {"body": body(n40="5")}, {"body": body(n40="101")}),
        ("moved_within_half", {"body": body(n20="30")}, {"body": body(n20="31")}),
        ("moved_within_half", {"body": body(n20="10")}, {"body": body(n20="9")}),
        ("magnitude_changed", {"body": body(n20="100")}, {"body": body(n20="99")}),
        ("magnitude_changed", {"body": body(n20="9")}, {"body": body(n20="10")}),
        ("magnitude_changed", {"body": body(n8="16")}, {"body": body(n8="15")}),
    ],
)
def test_check(check: str, good: dict[str, str], bad: dict[str, str]) -> None:
    assert CHECKS[check](ORIGINAL, ORIGINAL.replace(**good))
    assert not CHECKS[check](ORIGINAL, ORIGINAL.replace(**bad))


STEPS = '[{"equation": "5 * 2", "value": "10"}, {"equation": "step1 + 7", "value": "17"}]'


@pytest.mark.parametrize(
    ("steps", "holds"),
    [
        ('[{"equation": "6 * 2", "value": "12"}, {"equation": "step1 + 7", "value": "19"}]', True),
        ('[{"equation": "6 * 2", "value": "10"}, {"equation": "step1 + 7", "value": "17"}]', False),
        ('[{"equation": "6 * 2", "value": "12"}, {"equation": "step1 + 7", "value": "17"}]', False),
        ('[{"equation": "6 + 2", "value": "8"}, {"equation": "step1 + 7", "value": "15"}]', False),
        ('[{"equation": "6 * 2", "value": "12"}]', False),
        ('[{"equation": "6 * 3", "value": "18"}, {"equation": "step1 + 7", "value": "25"}]', False),
    ],
)
def test_steps_follow(steps: str, holds: bool) -> None:
    original = Problem("1", "", "5 7", equation="5 * 2 + 7", answer="17", meta=((KEY, STEPS),))
    perturbed = Problem("1", "", "6 7", equation="6 * 2 + 7", answer="19", meta=((KEY, steps),))
    assert CHECKS["steps_follow"](original, perturbed) is holds
