"""The second reader refuses rows in which words changed sides, passes good ones, and leaves its verdict on the row."""

from __future__ import annotations

import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

from dnc_datasets import perturbations, second_reader
from dnc_datasets.draws import Draw
from dnc_datasets.errors import MissingPackageError
from dnc_datasets.perturbations import Capability, perturbation
from dnc_datasets.problem import Problem
from dnc_datasets.second_reader import MARK, REFUSED, Reading, Stored, frames, objections
from dnc_datasets.serving.build import build
from dnc_datasets.serving.settings import perturb
from dnc_datasets.serving.verify import verify

pytest.importorskip("spacy")

SAME = Reading(words=True, question=True)
PENS = "Amy bought 3 red pens and Ben bought 5 blue pens. How many pens did Amy buy?"
SOLD = "Olga baked 24 rolls. Carl sold 9 cakes. How many rolls are there?"


@pytest.mark.parametrize(
    ("before", "after", "objects"),
    [
        (PENS, "Ben bought 5 blue pens and Amy bought 3 red pens. How many pens did Amy buy?", False),
        (PENS, "Ben bought 3 red pens and Amy bought 5 blue pens. How many pens did Amy buy?", True),
        (PENS, "Amy bought 3 blue pens and Ben bought 5 red pens. How many pens did Amy buy?", True),
        (PENS, "Amy bought 3 red pens and Ben bought 5 blue pens. How many pens did Ben buy?", True),
        (SOLD, "Carl sold 9 cakes. Olga baked 24 rolls. How many rolls are there?", False),
        (SOLD, "Olga sold 24 rolls. Carl baked 9 cakes. How many rolls are there?", True),
        (SOLD, "Olga baked 24 cakes. Carl sold 9 rolls. How many rolls are there?", True),
        (SOLD, "Olga baked 24 rolls. Carl sold 9 cakes. How many cakes are there?", True),
        (SOLD, "Olga did not bake 24 rolls. Carl sold 9 cakes. How many rolls are there?", True),
        (SOLD, "24 rolls were baked by Olga. Carl sold 9 cakes. How many rolls are there?", False),
    ],
)  # fmt: skip
def test_words_that_change_sides_are_objected_to(before: str, after: str, objects: bool) -> None:
    (found,) = objections([(Problem("1", "", before), Problem("1", "", after), SAME)])
    assert bool(found) is objects


def test_a_changed_question_is_read_only_where_it_is_meant_to_stay() -> None:
    before, after = (
        Problem("1", SOLD.partition(" How")[0], f"How many {noun} are there?") for noun in ("rolls", "cakes")
    )
    found = list(objections([(before, after, SAME), (before, after, Reading(words=True, question=False))]))
    assert found[0]
    assert found[1] == ""


def test_tables_and_chinese_are_not_read() -> None:
    table = Problem("1", "Sales.", "How much?", table=(("a", "3"),))
    chinese = Problem("1", "小明有3支笔。", "他有几支笔?")
    assert list(objections([(table, table, SAME), (chinese, chinese, SAME)])) == [None, None]


def _crossed(problem: Problem, draw: Draw) -> Problem:
    """Exchange two names, as no good perturbation would."""
    swapped = problem.body.replace("Amy", "X").replace("Ben", "Amy").replace("X", "Ben")
    return problem.replace(body=swapped)


@pytest.fixture
def foreign() -> Iterator[str]:
    """A plug-in that asks for the second reader."""
    name = "crossed_names_for_test"
    perturbation(
        name,
        capability=Capability.PROBE,
        promises=("target_kept",),
        shapes=("word_problem",),
        second_reader=True,
    )(_crossed)
    yield name
    perturbations._REGISTERED.pop(name)
    perturbations.get.cache_clear()


def test_text_that_no_rule_wrote_is_read_by_default(foreign: str) -> None:
    problem = Problem(
        "1", "Amy bought 3 red pens. Ben bought 5 blue caps.", "How many things are there?", answer="8"
    )
    steps = perturbations.recipe(foreign)
    row = perturb(problem, steps, dataset="own")
    assert row.original is None
    assert row.certificate == (REFUSED,)
    assert "belongs to Amy in the original and to Ben in the row" in row.reason
    unread = perturb(problem, steps, dataset="own", reader=second_reader.read_nothing)
    assert unread.original is not None
    assert MARK not in unread.certificate


def test_rules_are_not_read_by_default_and_marked_if_they_are() -> None:
    problem = Problem(
        "1", "Amy has 3 pens. Ben has 5 cups.", "How many things do they have?", equation="3 + 5", answer="8"
    )
    steps = perturbations.recipe("order")
    assert MARK not in perturb(problem, steps, dataset="own").certificate
    assert perturb(problem, steps, dataset="own", reader=second_reader.read_row).certificate[-1] == MARK


def test_stored_verdicts_stand_in_for_the_parser() -> None:
    problem, step = Problem("7", "Amy has 3 pens.", "How many?"), perturbations.get("order")
    records = [{"id": "7", "certificate": ["order_changed", MARK]}, {"id": "8", "certificate": [REFUSED]}]
    kept, dropped = (Stored(records, dropped=dropped) for dropped in (False, True))
    assert kept(problem, problem, step) == ""
    assert kept(problem.replace(id="8"), problem, step)
    assert kept(problem.replace(id="9"), problem, step) is None
    assert dropped(problem.replace(id="9"), problem, step)
    assert Stored([], dropped=True)(problem, problem, step) is None


def test_a_folder_that_was_read_is_verified_without_spacy(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    report = build(["tiny_all-order-attack"], tmp_path / "dnc", second_reader=True)
    assert report.perturbed
    monkeypatch.setattr(frames, "pipeline", _no_parser)
    assert verify(tmp_path / "dnc").failures == []
    with pytest.raises(MissingPackageError):
        build(["tiny_all-order-attack"], tmp_path / "other", second_reader=True)


def _no_parser() -> None:
    raise MissingPackageError("no parser")


def test_a_missing_parser_names_the_extra(monkeypatch: pytest.MonkeyPatch) -> None:
    frames.pipeline.cache_clear()
    monkeypatch.setitem(sys.modules, "spacy", None)
    with pytest.raises(MissingPackageError, match=r"dnc-bench\[parse\]"):
        frames.pipeline()
    frames.pipeline.cache_clear()
