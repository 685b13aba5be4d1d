"""DROP-num: both ways of reading it, and that its passages stay readable when they are perturbed."""

from __future__ import annotations

import json
import re
from pathlib import Path

import pytest

from dnc_datasets import perturbations, sources
from dnc_datasets.errors import SourceError
from dnc_datasets.perturbations.statements.neighbours import Neighbours
from dnc_datasets.problem import Problem
from dnc_datasets.serving import catalogue
from dnc_datasets.serving.settings import perturb

# What nobody writes: decades, years, scores, weeks and compounds with decimals or denials inside.
UNREADABLE = re.compile(
    r"\d\.0s\b|\b(?:in|since|until|December|census of) (?:1[5-9]|20)\d\d\.0|percent\.0|%\.0|\d\.\d+\.0"
    r"|\bWeek \d+\.0|\d-\d+\.0|\d+\.0-\w|\d+\.0(?:st|nd|rd|th)\b|\bpp\. \d+\.0"
)


@pytest.fixture(scope="module")
def splits(standin: Path) -> dict[str, list[Problem]]:
    return catalogue.read("drop_num", given=standin / "drop-num")


def some(splits: dict[str, list[Problem]]) -> list[Problem]:
    return splits["test"][::3] + splits["train"][::40]


def test_released_split(splits: dict[str, list[Problem]]) -> None:
    assert {name: len(rows) for name, rows in splits.items()} == {
        "train": 4475,
        "validation": 442,
        "test": 460,
    }
    rows = [row for part in splits.values() for row in part]
    assert len({row.id for row in rows}) == 5377
    assert all(row.answer_type == "number" and row.body and row.question for row in rows)


def test_questions_share_the_text_of_their_passage(splits: dict[str, list[Problem]]) -> None:
    rows = [row for part in splits.values() for row in part]
    assert len({id(row.body) for row in rows}) == len({row.body for row in rows}) < len(rows) / 4


def test_official_release_is_split_by_passage(standin: Path) -> None:
    splits = catalogue.read("drop_num_official", given=standin / "drop")
    assert splits == catalogue.read("drop_num_official", given=standin / "drop")
    passages = {name: {row.note("passage") for row in rows} for name, rows in splits.items()}
    assert passages["train"].isdisjoint(passages["test"] | passages["validation"])
    assert passages["test"].isdisjoint(passages["validation"])
    total = sum(map(len, passages.values()))
    assert 0.75 < len(passages["train"]) / total < 0.85
    assert all(row.answer_type == "number" for rows in splits.values() for row in rows)


@pytest.mark.parametrize("name", ["language", "type", "verbosity", "extra"])
def test_certificates_hold_and_text_stays_readable(splits: dict[str, list[Problem]], name: str) -> None:
    rows = some(splits)
    steps = perturbations.recipe(name, "passage")
    neighbours = Neighbours(rows)
    given = {"scope": sources.get("drop_num").scope}
    changed = 0
    for problem in rows:
        row = perturb(problem, steps, dataset="drop_num", neighbours=neighbours, parameters=given)
        if row.original is None:
            continue
        changed += 1
        assert row.problem.answer == problem.answer
        new = set(UNREADABLE.findall(row.problem.text)) - set(UNREADABLE.findall(problem.text))
        assert not new, (problem.id, new)
    assert changed > len(rows) * 0.6


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ('{"id": "1"}', "expected a JSON list"),
        ('[{"id": "1", "passage": "p", "question": "q"}]', "lacks 'answer'"),
        ('[{"id": "1", "passage": "p", "question": "q", "answer": "3"}', "record 2"),
        ('[{"id": "1", "passage": "p", "question": "q", "answer": ["3"]}]', "expected text"),
        ("[1]", "not an object"),
    ],
)
def test_bad_files_are_refused(tmp_path: Path, text: str, message: str) -> None:
    for name in ("trainset", "validset", "testset"):
        (tmp_path / f"{name}.json").write_text(text)
    with pytest.raises(SourceError, match=message):
        catalogue.read("drop_num", given=tmp_path)


def test_answers_that_are_no_numbers_are_kept_as_text(tmp_path: Path) -> None:
    row = {"id": "p", "passage": "Two men.", "question": "How many?", "answer": "2 or 3"}
    for name in ("trainset", "validset", "testset"):
        (tmp_path / f"{name}.json").write_text(json.dumps([row, {**row, "answer": "1,200.50"}]))
    first, second = catalogue.read("drop_num", given=tmp_path)["train"]
    assert (first.answer, first.answer_type) == ("2 or 3", "span")
    assert (second.answer, second.answer_type) == ("1200.5", "number")
