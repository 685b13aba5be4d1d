"""Scores the reply to one row of a dataset: what lm-eval, inspect and `dnc score` all call.

A row is a mapping with the columns of a config. Read are `answer`, `answers`, `answer_type`, `question`,
`unit`, `equation`, and how the source rounds: `rounding`, or the note of that name in `meta`.
"""

from __future__ import annotations

import json
import re
from collections.abc import Mapping
from typing import Any, NamedTuple

from dnc_metrics import _measures, answers, extraction
from dnc_metrics.acceptance import EXACT, accepts

Row = Mapping[str, Any]
# Where the text does not give the answer, each of these says so; sources use one or the other.
_UNANSWERABLE = ("unknown", "unsure", "cannot be determined", "不确定", "未知", "无法确定")
_SCALES = {"thousand": 10**3, "million": 10**6, "billion": 10**9}
_PERCENTAGE = re.compile(r"percent|per cent|%|百分", re.I)


class Reading(NamedTuple):
    """A reply: is it right by each reading, the rule that read it, and the number in it.

    `lenient` takes the last number where none is marked, `strict` only what is marked or stands alone; both
    take numbers rounded as far as they show. `exact` is lenient, but takes only what is equal to the gold.
    """

    lenient: bool
    strict: bool
    exact: bool
    rule: str
    found: extraction.Found | None = None

    @property
    def not_found(self) -> bool:
        """No answer is in the reply."""
        return self.rule == extraction.NOT_FOUND

    @property
    def truncated(self) -> bool:
        """The reply ends before the answer."""
        return self.rule == extraction.TRUNCATED


def score(row: Row, reply: str, *, cut_off: bool = False) -> Reading:
    """Score a reply; `cut_off` says that it hit the limit of tokens, so that a guess would be no answer.

    >>> score({"answer": "1/3", "question": "What share is left?"}, "<think>1/2?</think>The answer is 0.33.")[:4]
    (True, True, False, 'answer_is')
    """
    golds = _golds(row)
    values = [answers.gold_value(gold) for gold in golds]
    if all(value is None for value in values):
        return _words(golds, reply)
    question = str(row.get("question", ""))
    found = answers.read(reply, _measures.asked(question, str(row.get("unit") or "")))
    if cut_off and not found.explicit:
        return Reading(False, False, False, extraction.TRUNCATED)
    found = _in_scale(found, str(row.get("unit") or ""))
    percentage = found.kind == "percent" and asks_percentage(row)
    rounds = rounding(row)
    right = exact = False
    for gold, value in zip(golds, values, strict=True):
        if value is None:
            continue
        exact = (
            exact
            or found.value == value
            or (percentage and accepts(found, value, how=EXACT, percentage=True))
        )
        right = (
            exact
            or right
            or accepts(
                found,
                value,
                rounding=rounds,
                shown=gold,
                equation=str(row.get("equation") or ""),
                percentage=percentage and "%" not in gold,
            )
        )
    if not right and None in values:
        texts = [gold for gold, value in zip(golds, values, strict=True) if value is None]
        words = _words(texts, reply)
        if words.lenient:
            return words
    return Reading(right, right and found.explicit, exact, found.rule, found)


def _in_scale(found: extraction.Found, unit: str) -> extraction.Found:
    """The number of thousands in "$2,608 thousand", where the row counts thousands."""
    scale = _SCALES.get(unit.lower())
    if scale is None or found.value is None or not found.text.lower().endswith(unit.lower()):
        return found
    return found._replace(value=found.value / scale, text=found.text[: -len(unit)].rstrip())


def asks_percentage(row: Row) -> bool:
    """Does the question ask for a percentage?"""
    return bool(_PERCENTAGE.search(f"{row.get('question', '')} {row.get('unit') or ''}"))


def _golds(row: Row) -> list[str]:
    if row.get("answer_type") == "unanswerable":
        return list(_UNANSWERABLE)
    return list(dict.fromkeys(gold for gold in (row["answer"], *(row.get("answers") or ())) if gold))


def rounding(row: Row) -> str:
    """How the source of a row rounds its answers; empty where it does not."""
    if "rounding" in row:
        return str(row["rounding"])
    notes = row.get("meta") or ""
    if isinstance(notes, Mapping):
        return str(notes.get("rounding", ""))
    return (
        str(json.loads(notes).get("rounding", "")) if isinstance(notes, str) and "rounding" in notes else ""
    )


def _words(golds: list[str], reply: str) -> Reading:
    best = Reading(False, False, False, extraction.NOT_FOUND)
    for gold in golds:
        outcome = answers.score(reply, gold, mode=answers.LENIENT)
        strict = outcome.correct and answers.score(reply, gold, mode=answers.STRICT).correct
        reading = Reading(outcome.correct, strict, outcome.correct, outcome.rule)
        if best[:3] < reading[:3] or best.not_found:
            best = reading
    return best
