"""The checks of structure refuse rows that are broken in the ways a rule could break them."""

from __future__ import annotations

import pytest

from dnc_datasets.certificate import CHECKS
from dnc_datasets.problem import Problem

PENS = Problem(
    "1",
    "Ann has 12 pens. Bob has 30 pens.",
    "How many pens do they have?",
    equation="12 + 30",
    answer="42",
)
HIDDEN = PENS.replace(
    body="Ann has x pens. Bob has 30 pens.",
    question="How many pens do they have? If the answer is 42, what is x?",
    equation="42 - 30",
    answer="12",
)
DEFINED = PENS.replace(body="Let x be 3 times 4. Ann has x pens. Bob has 30 pens.", equation="3 * 4 + 30")
EXTENDED = PENS.replace(
    question="How many pens do they have? And how much is 7 times that number?",
    equation="(12 + 30) * 7",
    answer="294",
)
MORE = Problem(
    "2",
    "Bob has 30 pens. Ann has 5 more pens than Bob.",
    "How many pens does Ann have?",
    equation="30 + 5",
    answer="35",
)
FEWER = MORE.replace(body="Bob has 30 pens. Ann has 5 fewer pens than Bob.", equation="30 - 5", answer="25")
TIMES = MORE.replace(
    body="Bob has 30 pens. Ann has 5 times as many pens as Bob.", equation="30 * 5", answer="150"
)
TWICE = Problem(
    "3",
    "Bob has 30 pens. Ann has twice as many pens as Bob.",
    "How many pens does Ann have?",
    equation="30 * 2",
    answer="60",
)
HALF = TWICE.replace(body=TWICE.body.replace("twice", "half"), equation="30 / 2", answer="15")
THREE = TWICE.replace(body=TWICE.body.replace("twice", "three times"), equation="30 * 3", answer="90")
REMARK = PENS.replace(body=f"{PENS.body} Three of the pens were a bit smaller than the others.")
NAMED = PENS.replace(body="Eve has 12 pens. Kurt has 30 pens.")

GOOD = [
    ("one_number_hidden", PENS, HIDDEN),
    ("hidden_value_follows", PENS, HIDDEN),
    (
        "one_number_hidden",
        PENS,
        HIDDEN.replace(
            body="Ann has an unknown number of pens. Bob has 30 pens.",
            question="How many pens do they have? If the answer is 42, what is the unknown number?",
        ),
    ),
    ("definition_gives_original", PENS, DEFINED),
    ("equation_keeps_value", PENS, DEFINED),
    ("question_extended", PENS, EXTENDED),
    *(
        (check, old, new)
        for check in ("one_relation_changed", "relation_gives_answer", "nodes_stay_plausible")
        for old, new in (
            (MORE, FEWER),
            (FEWER, MORE),
            (MORE, TIMES),
            (TIMES, MORE),
            (TWICE, HALF),
            (TWICE, THREE),
        )
    ),
    ("remark_changes_nothing", PENS, REMARK),
    ("names_exchanged", PENS, NAMED),
]


@pytest.mark.parametrize(("check", "old", "new"), GOOD)
def test_a_good_row_passes(check: str, old: Problem, new: Problem) -> None:
    assert CHECKS[check](old, new)


BROKEN = [
    ("one_number_hidden", PENS, HIDDEN.replace(body="Ann has x pens. Bob has 31 pens.")),
    ("one_number_hidden", PENS, HIDDEN.replace(question=HIDDEN.question.replace("42", "42.5.1"))),
    ("one_number_hidden", PENS, HIDDEN.replace(body="Ann has x pens. Rob has 30 pens.")),
    ("one_number_hidden", PENS, HIDDEN.replace(body="Ann has x pens. Bob has x pens.")),
    ("one_number_hidden", PENS, HIDDEN.replace(question=HIDDEN.question.replace("42", "43"))),
    ("one_number_hidden", PENS, HIDDEN.replace(answer="30")),
    ("one_number_hidden", PENS, HIDDEN.replace(question="How many pens do they have?")),
    # A dozen is the hidden number in a word, and the text states it twice.
    (
        "one_number_hidden",
        PENS.replace(body="Ann has 12 pens. Bob has 12 pens and 30 pens."),
        HIDDEN.replace(body="Ann has x pens. Bob has 12 pens and 30 pens."),
    ),
    (
        "one_number_hidden",
        PENS.replace(body="Ann has 12 pens, a dozen. Bob has 30 pens."),
        HIDDEN.replace(body="Ann has x pens, a dozen. Bob has 30 pens."),
    ),
    ("hidden_value_follows", PENS, HIDDEN.replace(equation="42 - 31")),
    ("hidden_value_follows", PENS, HIDDEN.replace(equation="12")),
    ("hidden_value_follows", PENS, HIDDEN.replace(equation="30 - 18")),
    ("hidden_value_follows", PENS.replace(equation="12 + 18 + 12", answer="42"), HIDDEN),
    ("definition_gives_original", PENS, DEFINED.replace(body=DEFINED.body.replace("3 times", "2 times"))),
    ("definition_gives_original", PENS, DEFINED.replace(body=DEFINED.body.replace("Bob", "Rob"))),
    ("definition_gives_original", PENS, DEFINED.replace(body=DEFINED.body.replace("30", "x"))),
    ("definition_gives_original", PENS, PENS),
    ("equation_keeps_value", PENS, DEFINED.replace(equation="12 + 30")),
    ("equation_keeps_value", PENS, DEFINED.replace(equation="2 * 6 + 30")),
    ("equation_keeps_value", PENS, DEFINED.replace(answer="43")),
    ("equation_keeps_value", PENS, DEFINED.replace(equation="")),
    ("question_extended", PENS, EXTENDED.replace(answer="42")),
    ("question_extended", PENS, EXTENDED.replace(body="Ann has 12 pens. Bob has 31 pens.")),
    ("one_relation_changed", MORE, FEWER.replace(body=FEWER.body.replace("Bob has", "Rob has"))),
    ("one_relation_changed", MORE, FEWER.replace(body=FEWER.body.replace("5", "6"))),
    ("one_relation_changed", MORE, MORE),
    ("one_relation_changed", MORE, FEWER.replace(body=FEWER.body.replace("pens than", "cups than"))),
    ("relation_gives_answer", MORE, FEWER.replace(answer="24")),
    ("relation_gives_answer", MORE, FEWER.replace(answer="35")),
    ("relation_gives_answer", MORE, TIMES.replace(answer="25")),
    ("relation_gives_answer", TWICE, HALF.replace(answer="90")),
    ("relation_gives_answer", TWICE, THREE.replace(answer="15")),
    ("nodes_stay_plausible", MORE, FEWER.replace(equation="5 - 30", answer="-25")),
    ("nodes_stay_plausible", MORE, FEWER.replace(equation="30 / 4", answer="7.5")),
    ("nodes_stay_plausible", MORE, FEWER.replace(answer="35")),
    # A third is a share and no amount, so that half a pen is as wrong as without it.
    (
        "nodes_stay_plausible",
        TWICE.replace(equation="15 * 2 * (1 / 3)", answer="10"),
        TWICE.replace(equation="15 / 2 * (1 / 3)", answer="2.5"),
    ),
    ("remark_changes_nothing", PENS, REMARK.replace(body=REMARK.body.replace("Three", "Nine"))),
    ("remark_changes_nothing", PENS, REMARK.replace(body=REMARK.body.replace("of the pens", "of the cups"))),
    ("remark_changes_nothing", PENS, REMARK.replace(body=f"{PENS.body} Three of the pens were lost.")),
    ("remark_changes_nothing", PENS, REMARK.replace(body=REMARK.body.replace("30", "31"))),
    ("remark_changes_nothing", PENS.replace(answer="3"), REMARK.replace(answer="3")),
    ("names_exchanged", PENS, NAMED.replace(body="Eve has 12 pens. Eve has 30 pens.")),
    ("names_exchanged", PENS, NAMED.replace(body="Bob has 12 pens. Ann has 30 pens.")),
    ("names_exchanged", PENS, NAMED.replace(body="Eve has 12 cups. Kurt has 30 pens.")),
    ("names_exchanged", PENS, NAMED.replace(body="Eve has 12 pens.  Kurt has 30 pens.")),
    ("names_exchanged", PENS, NAMED.replace(answer="41")),
    ("names_exchanged", PENS, PENS),
]


@pytest.mark.parametrize(("check", "old", "new"), BROKEN)
def test_a_broken_row_is_refused(check: str, old: Problem, new: Problem) -> None:
    assert not CHECKS[check](old, new)
