"""The embedded passages, tables and conversations: enough of them, and every answer computed again."""

from __future__ import annotations

from itertools import permutations

import pytest

from dnc_datasets import expression, links, perturbations, sources
from dnc_datasets.expression import Number
from dnc_datasets.problem import Problem
from dnc_datasets.serving import catalogue

NAMES = ("tiny_passages", "tiny_tables", "tiny_dialogues", "tiny_dialogues_zh")
# Numbers that questions bring along: a whole is 100 percent; half, a third, a fifth and a tenth; a year.
KNOWN = {1, 2, 3, 4, 5, 10, 12, 100}


def rows(name: str) -> list[Problem]:
    return [row for split in catalogue.read(name).values() for row in split]


def test_there_are_enough() -> None:
    passages, tables = rows("tiny_passages"), rows("tiny_tables")
    assert len({row.body for row in passages}) >= 40
    assert len(passages) >= 120
    assert len({row.table for row in tables}) >= 30
    assert len(tables) >= 90
    assert len({row.segments for row in rows("tiny_dialogues")}) >= 25
    assert len({row.segments for row in rows("tiny_dialogues_zh")}) >= 10


@pytest.mark.parametrize("name", NAMES)
def test_every_answer_is_what_the_equation_gives(name: str) -> None:
    for row in rows(name):
        assert not row.note("defect"), row.id
        if row.answer_type == "number":
            assert row.expected_answer() == row.answer, row.id


@pytest.mark.parametrize("name", NAMES)
def test_every_operand_is_in_the_text(name: str) -> None:
    for row in rows(name):
        if not row.equation:
            continue
        # "$64 million" may be asked for in millions.
        seen = {abs(value) / scale for value in row.values() for scale in (1, 10**3, 10**6)} | KNOWN
        leaves = expression.parse(row.equation).leaves()
        missing = [leaf for leaf in leaves if isinstance(leaf, Number) and leaf.number not in seen]
        assert not missing, (row.id, missing)


@pytest.mark.parametrize("name", NAMES)
def test_ids_are_unique_and_questions_are_questions(name: str) -> None:
    found = rows(name)
    assert len({row.id for row in found}) == len(found)
    assert all(row.question.endswith(("?", "？")) for row in found)


@pytest.mark.parametrize("name", NAMES)
def test_splits_share_no_text(name: str) -> None:
    texts = [
        {(row.body, row.table, row.segments) for row in split} for split in catalogue.read(name).values()
    ]
    assert sum(map(len, texts)) == len(set().union(*texts))
    assert all(texts)


def test_table_operands_are_linked() -> None:
    for row in rows("tiny_tables"):
        assert links.AMBIGUOUS not in links.stored(row).values(), row.id


@pytest.mark.parametrize("name", ["tiny_dialogues", "tiny_dialogues_zh"])
def test_conversations_have_all_six_answer_types_and_graphs_of_several_steps(name: str) -> None:
    found = rows(name)
    assert {row.note("type") for row in found} == {
        "yes/no", "comparison", "arithmetic", "counterfactual", "unsure", "unknown", "extraction",
    }  # fmt: skip
    assert any(row.note("graph").count("<q1>") > 1 for row in found)


@pytest.mark.parametrize("name", NAMES)
def test_every_config_can_be_made(name: str) -> None:
    splits = catalogue.read(name)
    for variant in catalogue.variants(name):
        if variant.setting != "defense":
            continue
        made = variant.rows(splits)
        assert sum(row.original is not None for row in made["test"]) > 0, variant.name


@pytest.mark.parametrize("name", NAMES)
def test_problems_tell_their_shape(name: str) -> None:
    assert {row.shape for row in rows(name)} == {sources.get(name).shape}


@pytest.mark.parametrize("name", NAMES)
def test_perturbations_can_be_chained(name: str) -> None:
    source = sources.get(name)
    splits = {"test": catalogue.read(name)["test"][:9]}
    acting = [
        recipe
        for recipe in ("language", "type", "noise", "distribution", "verbosity", "extra", "logic", "order")
        if not catalogue.why_not(perturbations.get(recipe, source.shape), source)
    ]
    for first, second in permutations(acting, 2):
        catalogue.find(f"{name}-{first}+{second}-attack").rows(splits)  # a broken promise is an error
