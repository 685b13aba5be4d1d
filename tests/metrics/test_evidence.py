"""What replies say their answers rest on: read in several writings, scored against the gold graph."""

from __future__ import annotations

import pytest

from dnc_metrics import evidence, extraction

_GOLD = [["<q>", "<q1>"], ["<q>", "<p2>"], ["<q1>", "<p1>"]]


@pytest.mark.parametrize(
    "reply",
    [
        "Q: Q1, P2\nQ1: P1",
        "- **Q**: P2 and Q1\n- **Q1**: P1",
        "<think>Q: P9</think>\nq -> q1, p2\nq1 -> p1\n",
        "问题：Q1、P2\n问题1：P1",
        "Here it is.\nQ: P2, Q1\nQ1: P1\nQ7: P3",  # what the question does not reach does not count
    ],
)
def test_the_gold_graph_is_right_however_it_is_written(reply: str) -> None:
    scored = evidence.score(reply, _GOLD)
    assert (scored.gem, scored.dagsim, scored.edge_f1) == (True, 1.0, 1.0)


def test_a_part_of_the_graph_counts_as_a_part() -> None:
    scored = evidence.score("Q: P2\nQ1: P1", _GOLD)
    assert not scored.gem
    assert 0 < scored.dagsim < 1
    assert scored.edge_f1 == 0.5


@pytest.mark.parametrize(
    ("reply", "rule"),
    [
        ("The answer is 7.", extraction.NOT_FOUND),
        ("Q1: P1", extraction.NOT_FOUND),
        ("", extraction.NOT_FOUND),
        ("<think>Q: P1", extraction.TRUNCATED),
    ],
)
def test_what_tells_no_graph_is_not_found(reply: str, rule: str) -> None:
    scored = evidence.score(reply, _GOLD)
    assert (scored.gem, scored.dagsim, scored.edge_f1, scored.rule) == (False, 0.0, 0.0, rule)


def test_a_graph_with_a_circle_ends() -> None:
    assert evidence.score("Q: Q1\nQ1: Q2\nQ2: Q1", _GOLD).edge_f1 == pytest.approx(1 / 3)
