"""A question over a small report, in the form of the published files."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest

from dnc_datasets.problem import Problem
from dnc_datasets.sources.tatqa_a import read_context


@pytest.fixture
def report_question() -> Callable[..., Problem]:
    """A function that reads one arithmetic question over these rows and this paragraph."""

    def read(
        rows: list[list[str]], paragraph: str, question: str, derivation: str, answer: str, scale: str
    ) -> Problem:
        asked = {
            "uid": "q",
            "order": 1,
            "question": question,
            "answer": answer,
            "derivation": derivation,
            "answer_type": "arithmetic",
            "scale": scale,
        }
        context: dict[str, Any] = {
            "table": {"uid": "t", "table": rows},
            "paragraphs": [{"order": 1, "text": paragraph}],
            "questions": [asked],
        }
        (problem,) = read_context(context)
        assert not problem.note("defect")
        return problem

    return read
