"""Tests of the cut between what a problem tells and what it asks."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from dnc_datasets.english.reading.whole_problems import cut
from dnc_datasets.serving import catalogue

_CASES = json.loads(Path(__file__).with_name("whole_problem_cases.json").read_text(encoding="utf-8"))


@pytest.mark.parametrize(("text", "body", "question"), _CASES)
def test_cases(text: str, body: str, question: str) -> None:
    assert cut(text) == (body, question)


def _squeezed(*texts: str) -> str:
    return "".join("".join(texts).split())


@given(st.text(st.sampled_from("Ab 3.?!,。？\n(\r") | st.characters(codec="utf-8"), max_size=60))
def test_nothing_is_lost(text: str) -> None:
    assert _squeezed(*cut(text)) == _squeezed(text)


def test_embedded_problems_are_cut_where_their_sources_do() -> None:
    problems = [problem for some in catalogue.read("tiny").values() for problem in some]
    cut_alike = 0
    for problem in problems:
        body, question = cut(problem.text)
        assert f"{body} {question}".strip() == problem.text
        assert body
        assert question.endswith("?")
        cut_alike += (body, question) == (problem.body, problem.question)
    # Some of their questions start with the "if" that belongs to what is told.
    assert cut_alike >= 0.98 * len(problems)
