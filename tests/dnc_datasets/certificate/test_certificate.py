"""Every check finds the defect it is there for."""

from __future__ import annotations

import json
from importlib import import_module
from pathlib import Path
from typing import Any

import pytest

from dnc_datasets import certificate, perturbations
from dnc_datasets.certificate import CHECKS, certify
from dnc_datasets.certificate.changes import changed_numbers, changed_texts
from dnc_datasets.certificate.context import history_follows
from dnc_datasets.draws import Draw
from dnc_datasets.errors import CertificateError
from dnc_datasets.problem import Problem, Turn
from dnc_datasets.steps import KEY

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
        ({}, [], ([], [])),
        ({"body": "8 pens"}, [("3 pens", "8 pens")], ([(3, 1)], [(8, 1)])),
        ({"table": (*TABLE[:1], ("Sales", "13"), *TABLE[2:])}, [("12", "13")], ([(12, 1)], [(13, 1)])),
        ({"history": (Turn("6?", "9"),)}, [("6", "9")], ([(6, 1)], [(9, 1)])),
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
    assert changed_numbers(ALL, moved) == (ALL.ratios(), moved.ratios())
    assert ALL.ratios() != moved.ratios()


DRIVE_BODY = "Ana drove 20 miles and 12 miles. She works 8 hours a day and pays 40% and 50% of $60."
DRIVE = Problem("r1", DRIVE_BODY, "How many miles did she drive?", equation="(20 - 12) / 4", answer="2")


def drive_body(**changes: str) -> str:
    made = DRIVE_BODY
    for old, new in changes.items():
        made = made.replace(old.removeprefix("n"), new, 1)
    return made


@pytest.mark.parametrize(
    ("check", "good", "bad"),
    [
        ("signs_kept", {"equation": "(30 - 10) / 4"}, {"equation": "(30 - 40) / 4"}),
        ("signs_kept", {"equation": "(30 - 10) / 4"}, {"equation": "(30 - 30) / 4"}),
        ("divisions_exact", {"equation": "(30 - 10) / 4"}, {"equation": "(31 - 10) / 4"}),
        ("wholeness_kept", {"body": drive_body(n20="20.5"), "equation": "8.5 / 4"}, {"equation": "8.5 / 4"}),
        ("wholeness_kept", {"body": drive_body(n20="20.5")}, {"body": drive_body(n8="8.5")}),
        ("comparisons_kept", {"body": drive_body(n20="30")}, {"body": drive_body(n20="11")}),
        ("comparisons_kept", {"body": drive_body(n40="30")}, {"body": drive_body(n40="51")}),
        ("comparisons_kept", {"body": drive_body(n40="30")}, {"body": drive_body(n40="50")}),
        ("bounds_kept", {"body": drive_body(n8="12")}, {"body": drive_body(n8="25")}),
        ("bounds_kept", {"body": drive_body(n40="50")}, {"body": drive_body(n40="51")}),
        ("bounds_kept", {"body": drive_body(n40="5")}, {"body": drive_body(n40="101")}),
        ("moved_within_half", {"body": drive_body(n20="30")}, {"body": drive_body(n20="31")}),
        ("moved_within_half", {"body": drive_body(n20="10")}, {"body": drive_body(n20="9")}),
        ("magnitude_changed", {"body": drive_body(n20="100")}, {"body": drive_body(n20="99")}),
        ("magnitude_changed", {"body": drive_body(n20="9")}, {"body": drive_body(n20="10")}),
        ("magnitude_changed", {"body": drive_body(n8="16")}, {"body": drive_body(n8="15")}),
    ],
)
def test_check_of_plausible_numbers(check: str, good: dict[str, str], bad: dict[str, str]) -> None:
    assert CHECKS[check](DRIVE, DRIVE.replace(**good))
    assert not CHECKS[check](DRIVE, DRIVE.replace(**bad))


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


def _conversation(bag: int, half: int, left: str, equation: str) -> Problem:
    turns = [{"equation": f"{bag} / 2", "type": "arithmetic", "segments": []}]
    return Problem(
        "1",
        "",
        "How many nuts are left in the bag?",
        segments=(f"A bag holds {bag} nuts.", "Omar eats half of them."),
        history=(Turn("How many nuts does Omar eat?", str(half)),),
        equation=equation,
        answer=left,
        meta=(("turns", json.dumps(turns)),),
    )


CONVERSATION = _conversation(50, 25, "25", "50 - 25")


def test_an_answer_that_stayed_in_the_equation_is_found() -> None:
    assert history_follows(CONVERSATION, CONVERSATION)
    assert history_follows(_conversation(50, 25, "100", "50 * 2"), _conversation(30, 15, "60", "30 * 2"))
    assert not history_follows(CONVERSATION, _conversation(30, 15, "5", "30 - 25"))


def test_where_an_equation_holds_an_earlier_answer_nothing_moves() -> None:
    for name in ("noise", "noise_plausible"):
        step = perturbations.get(name, "dialogue")
        assert step.apply(CONVERSATION, Draw(0, "d", "1", name)) is None
        assert step.apply(_conversation(50, 25, "90", "50 + 40"), Draw(0, "d", "1", name)) is not None


def test_no_two_checks_have_one_name() -> None:
    stems = (path.stem for path in Path(certificate.__file__).parent.glob("*.py") if path.stem != "__init__")
    modules = [import_module(f"dnc_datasets.certificate.{stem}") for stem in stems]
    names = [check.__name__ for module in modules for check in getattr(module, "CHECKS", ())]
    assert len(names) == len(set(names))


def test_a_long_passage_that_differs_at_its_end_is_refused_at_once() -> None:
    rounds = [f"In round {at} the Larks scored {at + 20} points." for at in range(1, 31)]
    passage = Problem(
        "p1", f"{' '.join(rounds)} Then they rested.", "How many points did they score in round 3?"
    )
    changed = passage.replace(body=passage.body.replace("rested", "slept for 3 days"))
    assert not CHECKS["numbers_spelled"](passage, changed)
