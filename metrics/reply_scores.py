"""Scores one reply to one row, for any target; lm-eval, inspect, `dnc score` and submissions use it."""

from __future__ import annotations

import json
import re
from collections.abc import Mapping
from dataclasses import dataclass
from fractions import Fraction
from itertools import islice
from typing import Any

from dnc_datasets import expression, numerals
from dnc_datasets.errors import ExpressionError
from dnc_metrics import equations, evidence, extraction, replies
from dnc_metrics.record import NOT_FOUND, RIGHT, TRUNCATED, WRONG

# Targets of a reply: the answer, an equation that gives it, or the evidence graph.
ANSWER, EQUATION, GRAPH = "answer", "equation", "graph"
_EQUALS = re.compile(r"= ?[$€£]?")
_RESULT = 40  # number of characters after an equals sign that are searched for a result
_MAX_RESULTS = 50


@dataclass(frozen=True)
class ReplyScore:
    """A scored reply: its scores by name, the rule that read it, the number in it, and its calculation."""

    right: bool
    scores: Mapping[str, float]
    rule: str
    answer: Fraction | None = None
    stated: str = ""

    @property
    def status(self) -> str:
        """Return the status: right, wrong, not found or truncated."""
        if self.right:
            return RIGHT
        return {extraction.NOT_FOUND: NOT_FOUND, extraction.TRUNCATED: TRUNCATED}.get(self.rule, WRONG)


def score_reply(
    row: Mapping[str, Any], reply: str, target: str = ANSWER, *, cut_off: bool = False
) -> ReplyScore:
    """Score a reply; `cut_off` means that it reached the token limit.

    >>> row = {"answer": "7", "question": "How many?", "equation": "3 + 4"}
    >>> score_reply(row, "3 + 4 = 7").status, score_reply(row, "10 - 3", EQUATION).scores["equation_exact"]
    ('right', False)
    """
    if target == EQUATION:
        return _equation(row, reply)
    return _graph(row, reply) if target == GRAPH else _answer(row, reply, cut_off)


def evidence_graph(row: Mapping[str, Any]) -> list[list[str]]:
    """Return the edges of a turn's reasoning graph; empty if it is unknown."""
    if "graph" in row:
        known: list[list[str]] = row["graph"]
        return known
    meta = row.get("meta") or {}
    notes = json.loads(meta) if isinstance(meta, str) else meta
    found: list[list[str]] = json.loads(notes.get("graph") or "[]")
    return found


def _answer(row: Mapping[str, Any], reply: str, cut_off: bool) -> ReplyScore:
    reading = replies.score(row, reply, cut_off=cut_off)
    right = reading.lenient
    scores = {"answer_lenient": right, "answer_strict": reading.strict, "answer_exact": reading.exact}
    value = reading.found.value if reading.found else None
    stated = "" if right else _stated(reply)
    if stated and _value(stated) != value and _shows_result(reply, stated):
        stated = ""  # the calculation is correct, and another number was read as the answer
    return ReplyScore(right, scores, reading.rule, value, stated)


def _equation(row: Mapping[str, Any], reply: str) -> ReplyScore:
    scored = equations.score(reply, row["equation"], answer=row["answer"], rounding=replies.rounding(row))
    right = bool(scored.executes)
    scores = {
        "equation_executes": right,
        "equation_equivalent": scored.equivalent,
        "equation_same": scored.same,
        "equation_exact": scored.exact,
    }
    stated = _stated(reply)
    return ReplyScore(right, scores, scored.rule, _value(stated), stated)


def _graph(row: Mapping[str, Any], reply: str) -> ReplyScore:
    scored = evidence.score(reply, evidence_graph(row))
    scores = {"gem": scored.gem, "dagsim": scored.dagsim, "edge_f1": scored.edge_f1}
    return ReplyScore(bool(scored.gem), scores, scored.rule)


def _stated(reply: str) -> str:
    """Return the calculation that a reply states, or an empty text."""
    found = extraction.equation(reply).expr
    return found.infix() if found is not None else ""


def _shows_result(reply: str, stated: str) -> bool:
    """Return whether the reply writes the true value of its calculation after an equals sign."""
    value = _value(stated)
    if value is None:
        return False
    signs = islice(_EQUALS.finditer(reply), _MAX_RESULTS)
    numbers = (numerals.find(reply[sign.end() : sign.end() + _RESULT]) for sign in signs)
    return any(found[0].value == value for found in numbers if found)


def _value(stated: str) -> Fraction | None:
    try:
        return expression.parse(stated).value() if stated else None
    except ExpressionError:
        return None
