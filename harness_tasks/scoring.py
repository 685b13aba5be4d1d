"""Scores of one reply, by way of `dnc_metrics`: what lm-eval calls as `process_results`."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from dnc_metrics import answers, equations, extraction

Doc = Mapping[str, Any]
Scores = dict[str, float]
# Where the text does not give the answer, each of these says so; sources use one or the other.
_UNANSWERABLE = ("unknown", "unsure", "不确定", "未知")


def answer(doc: Doc, replies: Sequence[str]) -> Scores:
    """Is the answer in the reply right, by the strict and by the lenient reading; was there none at all?"""
    strict = lenient = found = False
    golds = _UNANSWERABLE if doc["answer_type"] == "unanswerable" else (doc["answer"], *doc["answers"])
    for gold in dict.fromkeys(golds):
        reading = answers.score(replies[0], gold, mode=answers.LENIENT, tolerance=doc["rounding"])
        found = found or reading.rule != extraction.NOT_FOUND
        if reading.correct:
            lenient = True
            marked = answers.score(replies[0], gold, mode=answers.STRICT, tolerance=doc["rounding"])
            strict = strict or marked.correct
    return {"answer_lenient": float(lenient), "answer_strict": float(strict), "not_found": float(not found)}


def equation(doc: Doc, replies: Sequence[str]) -> Scores:
    """Does the equation in the reply give the answer; is it equivalent or the same; was there none at all?"""
    scored = equations.score(replies[0], doc["equation"], answer=doc["answer"], rounding=doc["rounding"])
    return {
        "equation_executes": float(bool(scored.executes)),
        "equation_equivalent": float(scored.equivalent),
        "equation_exact": float(scored.exact),
        "not_found": float(scored.rule == extraction.NOT_FOUND),
    }


def answer_rule(reply: str) -> str:
    """The rule by which an answer is read from the reply."""
    return extraction.answer(reply).rule


def equation_rule(reply: str) -> str:
    """The rule by which an equation is read from the reply."""
    return extraction.equation(reply).rule
