"""Tests of what is remembered of texts, and how much."""

from __future__ import annotations

import pytest

from dnc_datasets import numerals, remembering
from dnc_datasets.numerals import _find
from dnc_datasets.remembering import remembered


def test_results_are_kept_up_to_so_many_characters(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(remembering, "MOST", 10_000)
    made: list[str] = []

    @remembered
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
