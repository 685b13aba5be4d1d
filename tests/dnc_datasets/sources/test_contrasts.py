"""Break, joined to DROP, and the contrast sets that others have published."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from dnc_datasets.errors import DncError, SourceError
from dnc_datasets.qdmr import parse
from dnc_datasets.serving import catalogue, verify
from dnc_datasets.serving.build import build
from dnc_datasets.sources.break_qdmr import split_of
from dnc_metrics import replies

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
    assert all(parse.written(parse.read(row.answer)) == row.answer for row in splits["test"])
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
    asked = [row.problem for row in rows if row.problem.answer in ("yes", "no")]
    assert sum(problem.answer == "no" for problem in asked) / len(rows) > 0.5


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
