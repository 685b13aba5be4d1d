"""What the scorers remember of replies is bounded by its size: long replies cannot fill the memory."""

from __future__ import annotations

import tracemalloc
from collections.abc import Callable
from contextlib import suppress

import pytest

from dnc_datasets import expression, numerals
from dnc_datasets.errors import DncError
from dnc_metrics import acceptance, answers, equations, extraction, similarity

_LONG, _SHORTER = 1 << 20, 9_000  # characters; longer gold answers are refused
_KEPT = 5 << 19  # bytes that may stay behind, of 8 MB of long texts and 3.6 MB of shorter ones

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
