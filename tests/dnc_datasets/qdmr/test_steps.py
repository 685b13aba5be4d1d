"""Steps have the operator that Break says, are read and written alike, and faults are named."""

import csv
import json
from ast import literal_eval
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from dnc_datasets import expression
from dnc_datasets.errors import ExpressionError
from dnc_datasets.qdmr import answers, equations
from dnc_datasets.qdmr.evaluate import evaluate
from dnc_datasets.qdmr.parse import read, written
from dnc_datasets.qdmr.steps import Operator, Step, fault

CASES = json.loads((Path(__file__).parent / "operator_cases.json").read_text(encoding="utf-8"))
BREAK = "allenai/Break/cef3ed359754e5b0942bb1f90e6b12586898d593/break_dataset"


@pytest.mark.parametrize(("text", "operator"), CASES)
def test_operator(text: str, operator: str) -> None:
    assert Step(text).operator == operator


@pytest.mark.parametrize(
    ("file", "least"), [("logical-forms/dev.csv", 0.995), ("QDMR-high-level/dev.csv", 0.985)]
)
def test_operators_are_those_of_break(mirror: Path, file: str, least: float) -> None:
    right = count = 0
    with (mirror / BREAK / file).open(encoding="utf-8", newline="") as lines:
        for row in csv.DictReader(lines):
            steps, said = read(row["decomposition"]), literal_eval(row["operators"])
            if len(steps) == len(said):
                count += len(steps)
                right += sum(step.operator == operator for step, operator in zip(steps, said, strict=True))
    assert count > 7000
    assert right / count >= least


@pytest.mark.parametrize(
    ("steps", "words"),
    [
        ([], "no steps"),
        (["pens"] * 11, "more than 10"),
        (["pens", "number of #2"], "does not stand before"),
        (["pens", "cups", "number of #2"], "nothing refers to step 1"),
        (["pens", ""], "step 2 is empty"),
        (["pens", "number of #1"], ""),
    ],
)
def test_faults(steps: list[str], words: str) -> None:
    found = fault([Step(text) for text in steps])
    assert words in found if words else not found


@given(st.lists(st.from_regex(r"[a-z]{1,8}( [a-z#]{1,5}){0,3}", fullmatch=True), min_size=1, max_size=6))
def test_written_steps_are_read_again(texts: list[str]) -> None:
    steps = tuple(Step(text) for text in texts)
    assert read(written(steps)) == steps


numbers = st.integers(1, 99).map(str)
sums = st.recursive(
    numbers,
    lambda inner: st.tuples(inner, st.sampled_from("+-*/"), inner).map("({0[0]} {0[1]} {0[2]})".format),
    max_leaves=5,
)


@given(sums)
def test_an_equation_and_its_steps_have_one_value(text: str) -> None:
    equation = expression.parse(text)
    try:
        value = equation.value()
    except ExpressionError:  # a division by zero
        return
    made = equations.decompose(equation)
    assert made is not None
    values = evaluate(made.steps, signed=True)
    assert values[-1] == value
    assert values == [part.value() for part in made.parts]


def test_powers_have_no_step() -> None:
    assert equations.decompose(expression.parse("2 ^ 3")) is None


def test_two_numbers_behind_an_answer() -> None:
    values = [expression.parse(text).value() for text in ("50", "20", "30", "7")]
    assert answers.behind(values[1] + values[3], values, "sum") == (values[1], values[3])
    assert answers.behind(values[2], values, "difference") == (values[0], values[1])
    assert answers.behind(values[3], values, "sum") is None  # too small to mean anything
    twice = [*values, expression.parse("40").value(), expression.parse("10").value()]
    assert answers.behind(values[2], twice, "difference") is None  # 50 - 20 and 40 - 10


@pytest.mark.parametrize(
    ("pair", "answer", "other"),
    [
        (("Nile", "Rhine"), "the Nile", "Rhine"),
        (("Nile", "Rhine"), "Rhine", "Nile"),
        (("Nile", "Rhine"), "Danube", None),
        (("Williams", "McNabb"), "DeAngelo Williams", "McNabb"),
        (("foreign visitors", "Thai travelers"), "Thai", "foreign visitors"),
        (
            ("between 20 and 24 years", "between 30 and 34 years"),
            "between 20 and 24 years",
            "between 30 and 34 years",
        ),
        (("Siege of Vienna", "Battle of Vienna"), "The Siege of Vienna", "Battle of Vienna"),
        (("a siege", "a battle"), "a siege and then a battle", None),
    ],
)
def test_other_candidate(pair: tuple[str, str], answer: str, other: str | None) -> None:
    assert answers.other(pair, answer) == other


def test_operators_are_named_as_in_break() -> None:
    assert len(Operator) == 14
