"""Reading templates: what a good one gives, and that a bad one is refused with its name and its fault."""

from __future__ import annotations

import json
from fractions import Fraction
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from dnc_datasets.corpus import Word, choose, fill, lexicon, parse_template, read_fillings
from dnc_datasets.corpus.template import Constraint
from dnc_datasets.errors import SourceError
from dnc_datasets.expression import parse
from dnc_datasets.problem import Problem

FAULTS = json.loads(Path(__file__).with_name("template_faults.json").read_text(encoding="utf-8"))

GOOD: dict[str, Any] = {
    "id": "try-001",
    "split": "train",
    "category": "take-away",
    "body": ["{a} put {start} {x.many} into a {box.one}.", "If {a.he} sells {change} of them,"],
    "question": "how many {x.many} are left, {a.his} mother and {other} cousins ask?",
    "equation": "start - change",
    "unit": "{x.many}",
    "slots": {"a": "person", "x": "fruit|vegetable", "box": "x.box"},
    "numbers": {"change": [3, 9], "rest": [2, 6, 2], "start": "change + rest", "other": ["2", "4"]},
    "constraints": ["start > change + 2", "start divisible by 2", "start <= 14"],
}


def test_a_good_template() -> None:
    template = parse_template("subtraction", GOOD)
    assert template.visible == ("start", "change", "other")
    assert template.operands == {"start", "change"}
    assert template.distractors == ("other",)
    assert template.steps == 1


@given(row=st.integers(1, 10_000))
def test_every_row_of_it_keeps_its_constraints(row: int) -> None:
    template = parse_template("subtraction", GOOD)
    fillings = choose(template, row)
    numbers = fillings.numbers
    assert numbers["start"] > numbers["change"] + 2
    assert numbers["start"] % 2 == 0
    assert numbers["start"] <= 14
    problem = fill(template, fillings, row)
    assert problem.id == f"try-001-{row}"
    assert read_fillings(problem) == fillings
    assert problem.value() == numbers["start"] - numbers["change"]


@pytest.mark.parametrize(("unit", "smallest"), [("{x.many}", 1), ("dollars", 100)])
def test_answers_are_whole_or_in_cents(unit: str, smallest: int) -> None:
    share = {"category": "sharing", "equation": "start / change", "unit": unit, "constraints": []}
    template = parse_template("division", {**GOOD, **share})
    values = [fill(template, choose(template, row), row).value() for row in range(1, 60)]
    assert all((value * smallest).denominator == 1 for value in values)
    assert any(value.denominator > 1 for value in values) == (smallest > 1)


@pytest.mark.parametrize("fault", FAULTS, ids=lambda fault: str(fault["name"]))
def test_a_bad_template_is_refused(fault: dict[str, Any]) -> None:
    record = {**GOOD, **fault["change"]}
    for field in fault.get("remove", ()):
        del record[field]
    with pytest.raises(SourceError) as refused:
        parse_template("subtraction", record)
    assert fault["says"] in str(refused.value)
    assert fault.get("id", "try-001") in str(refused.value)


def test_constraints_that_no_numbers_meet() -> None:
    template = parse_template("subtraction", {**GOOD, "constraints": ["change > start"]})
    with pytest.raises(SourceError, match=r"try-001.*no numbers"):
        choose(template, 1)


@pytest.mark.parametrize(
    ("relation", "left", "right", "holds"),
    [(" > ", 3, 2, True), (" > ", 2, 2, False), (" <= ", 2, 2, True), (" divisible by ", 9, 4, False)],
)
def test_relations(relation: str, left: int, right: int, holds: bool) -> None:
    numbers = {"a": Fraction(left), "b": Fraction(right)}
    a, b = (parse(name, names=True) for name in "ab")
    assert Constraint(a, relation, b).holds(numbers) is holds


@pytest.mark.parametrize(
    ("noun", "with_article"), [("apple", "an apple"), ("ukulele", "a ukulele"), ("pear", "a pear")]
)
def test_articles(noun: str, with_article: str) -> None:
    assert Word("thing", {"one": noun}).form("a") == with_article


def test_a_word_is_found_by_its_key() -> None:
    word = lexicon().words("farm animal")[3]
    assert (word.key, word.form("many")) == ("farm animal/goose", "geese")
    assert lexicon().word("farm animal/goose") is word
    with pytest.raises(SourceError, match="no word 'farm animal/unicorn'"):
        lexicon().word("farm animal/unicorn")


@pytest.mark.parametrize(
    "note", ["", "not JSON", "[]", '{"words": {}}', '{"words": {"a": 1}, "numbers": {}}']
)
def test_problems_of_other_sources_have_no_fillings(note: str) -> None:
    with pytest.raises(SourceError):
        read_fillings(Problem("x-1", "", "How many?", meta=(("fillings", note),)))
