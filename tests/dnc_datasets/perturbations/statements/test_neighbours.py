"""Tests of the pool that `extra` borrows from."""

from __future__ import annotations

import pytest

from dnc_datasets.perturbations.statements import neighbours
from dnc_datasets.perturbations.statements.neighbours import Neighbours
from dnc_datasets.problem import Problem

_PROBLEMS = [
    Problem(str(number), f"A shop sells {number} red kites in May. A barn holds {number + 500} cows.", "")
    for number in range(2, 60)
]


def _texts(pool: Neighbours) -> list[str]:
    return [statement.text for statement in pool.statements]


@pytest.mark.parametrize("most", [10, 1000])
def test_the_pool_is_bounded_and_the_same_in_any_order(monkeypatch: pytest.MonkeyPatch, most: int) -> None:
    monkeypatch.setattr(neighbours, "_MAX_STATEMENTS", most)
    found = _texts(Neighbours(_PROBLEMS, seed=1, dataset="d"))
    assert len(found) == min(most, 2 * len(_PROBLEMS))
    assert found == _texts(Neighbours(reversed(_PROBLEMS), seed=1, dataset="d"))
    assert found == _texts(Neighbours([*_PROBLEMS[::2], *_PROBLEMS[1::2], *_PROBLEMS], seed=1, dataset="d"))


def test_the_pool_of_the_whole_is_among_those_of_its_parts(monkeypatch: pytest.MonkeyPatch) -> None:
    """So that parts of a split can be looked at apart."""
    monkeypatch.setattr(neighbours, "_MAX_STATEMENTS", 10)
    whole = _texts(Neighbours(_PROBLEMS))
    parts = {text for at in range(3) for text in _texts(Neighbours(_PROBLEMS[at::3]))}
    assert set(whole) <= parts


def test_another_seed_and_another_dataset_have_another_pool(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(neighbours, "_MAX_STATEMENTS", 10)
    pools = [
        Neighbours(_PROBLEMS),
        Neighbours(_PROBLEMS, seed=1),
        Neighbours(_PROBLEMS, dataset="other"),
    ]
    assert len({tuple(_texts(pool)) for pool in pools}) == 3


def test_what_was_seen_is_bounded(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(neighbours, "_MAX_SEEN", 3)
    assert set(_texts(Neighbours(_PROBLEMS * 2))) == set(_texts(Neighbours(_PROBLEMS)))


def test_shared_words_come_from_a_bounded_number_of_reports(monkeypatch: pytest.MonkeyPatch) -> None:
    reports = [
        Problem(str(n), f"Barges are leased. Item{n} is not.", "", table=(("", "2019"), ("Rent", f"{n}")))
        for n in range(40)
    ]
    assert Neighbours(reports).common_words >= {"barg", "rent", "leas"}
    monkeypatch.setattr(neighbours, "_MAX_REPORTS", 5)
    some = Neighbours(reports).common_words
    assert some >= {"barg", "rent", "leas"}
    assert some == Neighbours(reports[::-1]).common_words


def test_a_conversation_lends_the_sentence_that_says_what_it_is_about() -> None:
    told = Problem(
        "1", "", "How many?", segments=("A school has 9 classes. It is old.", "Each class has 16 pupils.")
    )
    assert [one.text for one in Neighbours([told]).statements] == ["A school has 9 classes."]
