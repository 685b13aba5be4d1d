"""The nine variations of the SVAMP protocol: cases, coverage on the embedded corpus and on ASDiv-a."""

from __future__ import annotations

from pathlib import Path

import pytest

from dnc_datasets import perturbations
from dnc_datasets.draws import Draw
from dnc_datasets.problem import Problem
from dnc_datasets.serving import catalogue
from dnc_datasets.serving.settings import perturb

CODES = {
    "vary-same_object_different_structure": ("11", "question sensitivity"),
    "vary-different_object_same_structure": ("12", "question sensitivity"),
    "vary-different_object_different_structure": ("13", "question sensitivity"),
    "vary-add_relevant_information": ("21", "reasoning ability"),
    "vary-change_information": ("22", "reasoning ability"),
    "vary-invert_operation": ("23", "reasoning ability"),
    "vary-change_order_of_objects": ("31", "structural invariance"),
    "vary-change_order_of_phrases": ("32", "structural invariance"),
    "vary-add_irrelevant_information": ("33", "structural invariance"),
}
HAD = Problem("h", "Simon had 20 marbles. He lost 6 marbles.", "How many marbles does Simon have left?",
              equation="20 - 6", answer="14", unit="marbles")  # fmt: skip
LIST = Problem("l", "Simon has 20 nails and 6 hooks.", "How many things does he have?",
               equation="20 + 6", answer="26")  # fmt: skip


def _varied(name: str, problem: Problem) -> Problem:
    row = perturb(problem, perturbations.recipe(name), dataset="cases")
    assert row.original == problem
    assert dict(row.problem.meta)["variation"] == CODES[name][0]
    assert dict(row.problem.meta)["variation_category"] == CODES[name][1]
    assert dict(row.problem.meta)["seed"] == problem.id == row.problem.id
    return row.problem


def test_the_names() -> None:
    assert perturbations.variation_names() == tuple(CODES)
    assert set(CODES) <= set(perturbations.names())
    assert {f"tiny-{name}-attack" for name in CODES} <= {
        variant.name for variant in catalogue.variants("tiny")
    }
    assert catalogue.find("tiny-vary-invert_operation-attack").recipe == "vary-invert_operation"


def test_invert_operation_is_reverse() -> None:
    made = _varied("vary-invert_operation", HAD)
    hidden = made.answer
    assert hidden in ("20", "6")
    assert " If the answer is 14, what is " in made.question
    assert made.equation == ("20 - 14" if hidden == "6" else "14 + 6")


def test_change_information_is_relation() -> None:
    compared = HAD.replace(
        body="Simon had 20 marbles. Tom had 6 more marbles than Simon.",
        question="How many marbles did Tom have?",
        equation="20 + 6",
        answer="26",
    )
    made = _varied("vary-change_information", compared)
    assert (made.body, made.answer) in (
        ("Simon had 20 marbles. Tom had 6 fewer marbles than Simon.", "14"),
        ("Simon had 20 marbles. Tom had 6 times as many marbles as Simon.", "120"),
    )


def test_add_relevant_information() -> None:
    made = _varied("vary-add_relevant_information", HAD)
    assert made.body.startswith(HAD.body)
    assert made.body.endswith("more marbles.")
    (extra,) = set(made.values()) - set(HAD.values())
    assert made.answer == str(14 + extra)


def test_other_objects() -> None:
    made = _varied("vary-different_object_same_structure", HAD)
    assert "marbles" not in made.text
    assert (made.equation, made.answer, made.values()) == (HAD.equation, HAD.answer, HAD.values())
    both = _varied("vary-different_object_different_structure", HAD)
    assert "marbles" not in both.text
    assert both.equation == "20 - 6 - 6"


def test_a_unit_alone_is_no_other_object() -> None:
    step = perturbations.get("vary-different_object_same_structure")
    bare = HAD.replace(
        body="Simon had 20 at first and lost 6.", question="How many are left?", unit="marbles"
    )
    assert step.apply(bare, Draw(0, "d", bare.id, step.name)) is None


def test_order_and_irrelevant_information() -> None:
    assert _varied("vary-change_order_of_objects", LIST).body == "Simon has 6 hooks and 20 nails."
    moved = _varied("vary-change_order_of_phrases", HAD)
    assert moved.body == "Simon lost 6 marbles. If he had 20 marbles at first,"
    added = _varied("vary-add_irrelevant_information", HAD)
    assert "of the marbles were" in added.body
    assert (added.equation, added.answer) == (HAD.equation, HAD.answer)


@pytest.mark.parametrize("name", CODES)
def test_every_variation_runs_on_the_embedded_corpus(name: str) -> None:
    splits = catalogue.read("tiny")
    fired = 0
    for split in ("train", "test"):
        rows = [perturb(problem, perturbations.recipe(name), dataset="tiny") for problem in splits[split]]
        assert any(row.original for row in rows), split
        fired += sum(row.original is not None for row in rows)
    assert fired >= 40


@pytest.mark.parametrize("name", CODES)
def test_every_variation_runs_on_asdiv_a(name: str, mirror: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("DNC_MIRROR", str(mirror))
    monkeypatch.delenv("DNC_STRICT", raising=False)
    rows = [
        perturb(problem, perturbations.recipe(name), dataset="asdiv_a")
        for problem in catalogue.read("asdiv_a")["train"]
    ]
    assert any(row.original for row in rows)
    # The independent checks may refuse a good row now and then.
    assert sum(row.failed for row in rows) <= max(1, 0.05 * sum(row.original is not None for row in rows))


@pytest.mark.parametrize("name", CODES)
def test_the_same_draw_gives_the_same_variation(name: str) -> None:
    step = perturbations.get(name)
    problems = catalogue.read("tiny")["train"][:60]
    first = [step.apply(problem, Draw(1, "tiny", problem.id, name)) for problem in problems]
    assert first == [step.apply(problem, Draw(1, "tiny", problem.id, name)) for problem in problems]
