"""DROP-num: both ways of reading it, and that its passages stay readable when they are perturbed."""

from __future__ import annotations

import json
import re
from pathlib import Path

import pytest

from dnc_datasets import perturbations, sources
from dnc_datasets.errors import DncError, SourceError
from dnc_datasets.perturbations.statements.neighbours import Neighbours
from dnc_datasets.problem import Problem
from dnc_datasets.qdmr.steps import parse_steps, write_steps
from dnc_datasets.serving import catalogue, verify
from dnc_datasets.serving.build import build
from dnc_datasets.serving.settings import perturb
from dnc_datasets.sources.break_qdmr import split_of
from dnc_metrics import replies

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


_NO_DATE = {"day": "", "month": "", "year": ""}


def test_break_is_split_by_id_alone(mirror: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("DNC_MIRROR", str(mirror))
    splits = catalogue.read("break_qdmr")
    assert {name: len(rows) for name, rows in splits.items()} == {
        "train": 1220,
        "validation": 316,
        "test": 1587,
    }
    assert all(split_of(row.id) == name for name, rows in splits.items() for row in rows)
    assert all(write_steps(parse_steps(row.answer)) == row.answer for row in splits["test"])
    assert [variant.name for variant in catalogue.variants("break_qdmr")] == ["break_qdmr"]
    with pytest.raises(DncError, match="its answers are decompositions"):
        catalogue.find("break_qdmr-language-attack")


def test_drop_is_joined_by_text_that_only_one_question_has(drop_qdmr: Path) -> None:
    splits = catalogue.read("drop_qdmr", given=drop_qdmr)
    rows = [row for split in splits.values() for row in split]
    assert len(rows) == len({row.id for row in rows}) == 1234
    assert all(row.body and row.answer and row.note("qdmr") for row in rows)


def _pair(
    question: str, number: str, original: str, row: str, spans: tuple[str, ...] = ()
) -> dict[str, object]:
    answer = {"number": number, "date": _NO_DATE, "spans": list(spans)}
    return {"question": question, "original_question": original, "answer": answer, "query_id": row}


def test_the_set_that_people_wrote_is_grouped_by_its_originals(tmp_path: Path) -> None:
    pairs = [
        _pair("How many lost?", "3", "How many won?", "ab-1_1"),
        _pair("Who lost?", "", "How many won?", "ab-1_2", ("Ann", "Ben")),
        _pair("Who won?", "", "Who came?", "cd-2_1", ("Kim",)),
    ]
    written = {"p1": {"passage": "Ann and Ben lost; 3 lost in all.", "qa_pairs": pairs}}
    (tmp_path / "drop_contrast_sets_test.json").write_text(json.dumps(written), encoding="utf-8")
    variant = catalogue.find("drop_human-published-contrast")
    rows = variant.rows(catalogue.read("drop_human", given=tmp_path))["test"]
    assert [row.problem.id for row in rows] == ["ab-1#1#human", "ab-1#2#human", "cd-2#1#human"]
    assert [row.original.id for row in rows if row.original] == ["ab-1", "ab-1", "cd-2"]
    assert rows[1].problem.answer_type == "multi-span"
    (tmp_path / "drop_contrast_sets_test.json").write_text('{"p1": {"passage": 1}}', encoding="utf-8")
    with pytest.raises(SourceError, match=r"is it drop_contrast_sets_test\.json"):
        catalogue.read("drop_human", given=tmp_path)


def test_the_set_made_of_iirc_builds_verifies_and_has_its_floor(standin: Path, tmp_path: Path) -> None:
    given = {"iirc_bpb": standin / "bpb_iirc"}
    build(["iirc_bpb", "iirc_bpb-published-contrast"], tmp_path / "dnc", given=given)
    report = verify.verify(tmp_path / "dnc", given=given)
    assert (report.rows, report.failures) == (1913, [])
    rows = catalogue.find("iirc_bpb-published-contrast").rows(
        catalogue.read("iirc_bpb", given=given["iirc_bpb"])
    )["test"]
    assert (len(rows), len({row.original.id for row in rows if row.original})) == (1500, 413)
    asked = [row.problem for row in rows if row.problem.answer in ("yes", "no")]
    assert sum(problem.answer == "no" for problem in asked) / len(rows) > 0.5


def test_the_validated_members_and_the_constraints_of_iirc_are_read(standin: Path) -> None:
    def rows(name: str) -> list[Problem]:
        found = catalogue.read(name, given=standin / "bpb_iirc")
        return [row.problem for row in catalogue.find(f"{name}-published-contrast").rows(found)["test"]]

    # The stand-in holds 311 of the 505 validated members, and all 56 constraints.
    members, valid = rows("iirc_bpb"), rows("iirc_bpb_validated")
    constraints = [one for one in rows("iirc_bpb_constraints") if one.answer_type == "constraint"]
    assert (len(valid), len(constraints)) == (311, 56)
    assert {one.question for one in valid} <= {one.question for one in members}
    assert {one.answer.split()[0] for one in constraints} == {"boolean", ">=", "<="}


@pytest.mark.parametrize(
    ("constraint", "reply", "right"),
    [
        (">= 12", "The answer is 12.", True),
        (">= 12", "11", False),
        ("<= 12", "about 3 yards", True),
        ("numeric", "Kim", False),
        ("numeric", "7", True),
        ("boolean", "The answer is no.", True),
        ("boolean", "7", False),
    ],
)
def test_constraints_are_scored(constraint: str, reply: str, right: bool) -> None:
    row = {"answer": constraint, "answer_type": "constraint", "question": "How many in total?"}
    assert replies.score(row, reply).lenient is right
