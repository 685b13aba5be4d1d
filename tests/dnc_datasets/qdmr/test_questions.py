"""Questions as steps by rule: cases, and how near they come to Break's own on the half that no rule was written on."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from dnc_datasets.qdmr import parse
from dnc_datasets.qdmr.questions import decomposed
from dnc_datasets.qdmr.steps import fault
from dnc_datasets.serving import catalogue
from dnc_metrics import decompositions

CASES = json.loads((Path(__file__).parent / "question_cases.json").read_text(encoding="utf-8"))


@pytest.mark.parametrize(("question", "steps"), CASES)
def test_steps_of_a_question(question: str, steps: list[str] | None) -> None:
    made = decomposed(question)
    assert ([step.text for step in made] if made else None) == steps


@given(st.text(alphabet="how many more than did the King 2 , ? or first : between and was", max_size=120))
def test_what_is_made_is_well_formed(question: str) -> None:
    made = decomposed(question)
    assert made is None or not fault(made)


def test_on_the_half_that_no_rule_was_written_on(mirror: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("DNC_MIRROR", str(mirror))
    rows = [row for row in catalogue.read("break_qdmr")["test"] if row.id.startswith("DROP")]
    last = same = 0
    sari = 0.0
    for row in rows:
        gold, made = parse.read(row.answer), decomposed(row.question)
        assert made is not None
        last += made[-1].operator is gold[-1].operator
        scored = decompositions.score(row.question, parse.written(made), row.answer)
        same += scored.operators
        sari += scored.sari
    assert len(rows) == 649
    assert last / len(rows) > 0.74
    assert same / len(rows) > 0.59
    assert sari / len(rows) > 0.72
