"""Problems are rewritten, written out and read back without loss."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from dnc_datasets.errors import ProblemError
from dnc_datasets.problem import FIELDS, Edit, Problem, Turn, from_row, splice, to_row

texts = st.text(max_size=20)
problems = st.builds(
    Problem,
    id=texts,
    body=texts,
    question=texts,
    table=st.lists(st.lists(texts, min_size=1, max_size=3).map(tuple), max_size=3).map(tuple),
    equation=texts,
    answer=texts,
    answers=st.lists(texts, max_size=3).map(tuple),
    unit=texts,
    segments=st.lists(texts, max_size=3).map(tuple),
    history=st.lists(st.builds(Turn, texts, texts), max_size=2).map(tuple),
    evidence=st.lists(texts, max_size=3).map(tuple),
    meta=st.dictionaries(texts, texts, max_size=3).map(lambda d: tuple(sorted(d.items()))),
)


@given(problems)
def test_rows_give_the_problem_back(problem: Problem) -> None:
    assert from_row(to_row(problem)) == problem


@given(problems)
def test_replace_changes_one_field_only(problem: Problem) -> None:
    for name in FIELDS:
        changed = problem.replace(**{name: "new"})
        assert getattr(changed, name) == "new"
        assert all(getattr(changed, other) == getattr(problem, other) for other in FIELDS if other != name)


@given(problems)
def test_every_text_has_a_path_that_leads_to_it(problem: Problem) -> None:
    for path, text in problem.texts():
        assert problem.text_at(path) == text
    assert problem.with_texts(dict(problem.texts())) == problem


@given(problems)
def test_texts_are_changed_by_path_and_nothing_else_is(problem: Problem) -> None:
    paths = [path for path, _ in problem.texts()]
    for path in paths:
        changed = problem.with_texts({path: "new 7"})
        assert changed.text_at(path) == "new 7"
        assert all(changed.text_at(other) == problem.text_at(other) for other in paths if other != path)


def test_replace_refuses_what_is_no_field() -> None:
    with pytest.raises(TypeError, match="no field colour"):
        Problem("1", "", "").replace(colour="red")


def test_splice_applies_edits_in_order() -> None:
    assert splice("3 pens, 5 cups", [Edit(0, 1, "three"), Edit(8, 9, "five")]) == "three pens, five cups"


def test_rounding_follows_the_source() -> None:
    problem = Problem("1", "", "", equation="248 / 16", meta=(("rounding", "ceil"),))
    assert problem.expected_answer() == "16"


@pytest.mark.parametrize(
    ("row", "message"),
    [
        ({"id": "1"}, "no 'question'"),
        ({"id": "7", "question": "How many?", "answer": 7.3}, "'7'.*'answer' is 7.3"),
        ({"id": "7", "question": "How many?", "answer": True}, "write it as text"),
        ({"id": "7", "question": "How many?", "meta": "{"}, "meta is not JSON"),
        ({"id": "7", "question": "How many?", "history": [{"question": "x"}]}, "question and answer"),
        ({"id": "7", "question": "How many?", "answers": "12"}, "must be a list"),
    ],
)
def test_bad_rows_name_row_and_remedy(row: dict[str, object], message: str) -> None:
    with pytest.raises(ProblemError, match=message):
        from_row(row)
