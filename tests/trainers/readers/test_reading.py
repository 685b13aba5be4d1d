"""Replies of readers are scored as `dnc score` scores them."""

from __future__ import annotations

from fractions import Fraction

import pytest

from dnc_datasets.problem import Problem, to_row
from dnc_metrics import replies
from dnc_trainers.readers.reading import Reply, score

_ASKED = Problem("r", "", "How many?", segments=("Amy has 12 pens.",))


@pytest.mark.parametrize(
    ("changes", "words", "right"),
    [
        ({"answer": "unknown", "answer_type": "unanswerable"}, "unsure", True),
        ({"answer": "不确定", "answer_type": "unanswerable"}, "unknown", True),
        ({"answer": "unknown", "answer_type": "unanswerable"}, "12 pens", False),
        ({"answer": "yes", "answer_type": "yes_no"}, "unsure", False),
        ({"answer": "12", "equation": "12"}, "12", True),
        ({"answer": "Amy", "answers": ("Amy", "Ann"), "answer_type": "span"}, "Ann", True),
        ({"answer": "Amy, Ann", "answers": ("Amy", "Ann"), "answer_type": "multi-span"}, "Ann", False),
        ({"answer": "Amy, Ann", "answers": ("Amy", "Ann"), "answer_type": "multi-span"}, "Ann, Amy", True),
    ],
)
def test_words_count_as_they_do_for_dnc_score(changes: dict[str, object], words: str, right: bool) -> None:
    problem = _ASKED.replace(**changes)
    reply = Reply(words=tuple(words.split(", ")))
    assert score(problem, reply).correct is right
    assert replies.score(to_row(problem), reply.text).lenient is right


def test_a_value_is_right_before_the_source_rounds_it() -> None:
    # 4.125 is shown as 4.12, rounded half to even.
    problem = _ASKED.replace(equation="(3.52 + 4.73) / 2", answer="4.12")
    assert score(problem, Reply("(3.52 + 4.73) / 2", Fraction(33, 8))).correct
    assert not score(problem, Reply("3.52 + 4.73", Fraction(33, 4))).correct
    assert not score(problem, Reply()).correct
