"""Scores of one reply, by way of `dnc_metrics`: what lm-eval calls as `process_results`."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from dnc_metrics import equations, evidence, extraction, replies

Doc = Mapping[str, Any]
Scores = dict[str, float]


def answer(doc: Doc, results: Sequence[str], *, cut_off: bool = False) -> Scores:
    """Is the answer in the reply right, by each reading; was there none at all, or was the reply cut off?"""
    reading = replies.score(doc, results[0], cut_off=cut_off)
    return {
        "answer_lenient": float(reading.lenient),
        "answer_strict": float(reading.strict),
        "answer_exact": float(reading.exact),
        "not_found": float(reading.not_found),
        "truncated": float(reading.truncated),
    }


def equation(doc: Doc, results: Sequence[str]) -> Scores:
    """Does the equation in the reply give the answer; is it equivalent or the same; was there none at all?"""
    scored = equations.score(results[0], doc["equation"], answer=doc["answer"], rounding=doc["rounding"])
    return {
        "equation_executes": float(bool(scored.executes)),
        "equation_equivalent": float(scored.equivalent),
        "equation_exact": float(scored.exact),
        "not_found": float(scored.rule == extraction.NOT_FOUND),
        "truncated": float(scored.rule == extraction.TRUNCATED),
    }


def graph(doc: Doc, results: Sequence[str]) -> Scores:
    """Is the graph of what answers rest on the gold one, how alike are they; was there none at all?"""
    scored = evidence.score(results[0], doc["graph"])
    return {
        "gem": float(scored.gem),
        "dagsim": scored.dagsim,
        "edge_f1": scored.edge_f1,
        "not_found": float(scored.rule == extraction.NOT_FOUND),
        "truncated": float(scored.rule == extraction.TRUNCATED),
    }


def answer_rule(reply: str) -> str:
    """The rule by which an answer is read from the reply."""
    return extraction.answer(reply).rule


def equation_rule(reply: str) -> str:
    """The rule by which an equation is read from the reply."""
    return extraction.equation(reply).rule
