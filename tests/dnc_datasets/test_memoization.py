"""Tests of what is memoized of texts, and how much."""

from __future__ import annotations

import tracemalloc
from collections.abc import Callable
from contextlib import suppress

import pytest

from dnc_datasets import expression, memoization, numerals
from dnc_datasets.errors import DncError
from dnc_datasets.memoization import memoized
from dnc_datasets.numerals import _find
from dnc_metrics import acceptance, answers, equations, extraction, similarity


def test_results_are_kept_up_to_so_many_characters(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(memoization, "MOST", 10_000)
    made: list[str] = []

    @memoized
    def last(text: str, place: int) -> str:
        made.append(text)
        return text[-place]

    assert [last("abc", 1), last("abc", 1), last("abc", 2)] == ["c", "c", "b"]
    assert len(made) == 2
    for number in range(100):
        last(f"{number}" * 100, 1)
    made.clear()
    last("abc", 1)
    assert made == ["abc"]
    made.clear()
    long = "x" * 5_000
    last(long, 1)
    last(long, 1)
    assert len(made) == 2
    last.cache_clear()  # type: ignore[attr-defined]
    last("abc", 1)
    assert made[-1] == "abc"


def test_found_numbers_are_kept_up_to_so_many_characters() -> None:
    numerals.forget()
    for number in range(3000):
        numerals.find(f"{number} pens " * 100)
        assert _find._held[0] <= _find._MOST
    assert sum(map(len, _find._found)) <= _find._MOST
    numerals.find("7 pens " * (_find._MOST // 7))
    assert max(map(len, _find._found)) < _find._MOST // 8
    numerals.forget()
    assert not _find._found


_LONG, _SHORTER = 1 << 20, 9_000  # characters; longer gold answers are refused
_KEPT = 5 << 19  # bytes that may remain, of 8 MB of long texts and 3.6 MB of shorter ones

_READERS: dict[str, Callable[[str], object]] = {
    "answer": extraction.answer,
    "score": lambda text: answers.score(text, "7"),
    "gold": answers.gold_value,
    "equation": lambda text: equations.score(text, "3 + 4"),
    "unrounded": acceptance._value,
    "edit": lambda text: similarity.edit(text, "7"),
    "number": numerals.parse,
    "expression": expression.parse,
}


@pytest.mark.parametrize("reader", _READERS.values(), ids=_READERS.keys())
def test_texts_are_not_kept(reader: Callable[[str], object]) -> None:
    def read(text: str) -> None:
        with suppress(DncError):
            reader(text)

    read("7 pens and 3 + 4 = 7")
    tracemalloc.start()
    try:
        before = tracemalloc.get_traced_memory()[0]
        for length, many in ((_LONG, 8), (_SHORTER, 400)):
            for number in range(many):
                read(f"{number} pens" + " and so on" * (length // 10 - 2))
        kept = tracemalloc.get_traced_memory()[0] - before
    finally:
        tracemalloc.stop()
    assert kept < _KEPT
