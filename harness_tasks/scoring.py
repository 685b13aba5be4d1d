"""Scores of one reply by `dnc_metrics`; lm-eval calls these functions as `process_results`.

A server fault has no scores, so that lm-eval's averages exclude it.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from dnc_harness.server_replies import fault_of
from dnc_metrics import extraction, reply_scores

Doc = Mapping[str, Any]
Scores = dict[str, float]


def answer(doc: Doc, results: Sequence[str], *, cut_off: bool = False) -> Scores:
    """Score the answer in the reply by each reading, and whether it is missing or the reply cut off."""
    return _scores(doc, results[0], reply_scores.ANSWER, cut_off=cut_off)


def equation(doc: Doc, results: Sequence[str]) -> Scores:
    """Score the equation in the reply: gives the answer, is equivalent, is the same, or is missing."""
    return _scores(doc, results[0], reply_scores.EQUATION)


def graph(doc: Doc, results: Sequence[str]) -> Scores:
    """Score the evidence graph in the reply: equality and similarity to the gold graph, or missing."""
    return _scores(doc, results[0], reply_scores.GRAPH)


def _scores(doc: Doc, reply: str, target: str, *, cut_off: bool = False) -> Scores:
    if fault_of(reply):
        return {}
    scored = reply_scores.score_reply(doc, reply, target, cut_off=cut_off)
    return {
        **{name: float(value) for name, value in scored.scores.items()},
        "not_found": float(scored.rule == extraction.NOT_FOUND),
        "truncated": float(scored.rule == extraction.TRUNCATED),
    }
