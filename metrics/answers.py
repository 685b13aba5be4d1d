"""Answer accuracy: exact comparison of what a model answered with the gold answer."""

from __future__ import annotations

import math
import re
from collections import Counter
from collections.abc import Sequence
from fractions import Fraction
from functools import lru_cache
from typing import Any, NamedTuple

from dnc_datasets import expression, numerals
from dnc_datasets.errors import ExpressionError
from dnc_metrics import drop, extraction
from dnc_metrics.errors import MetricError, check_lengths

STRICT, LENIENT = "strict", "lenient"
_MAX_GOLD = 10_000
_TEXT = "text"
_VALUE = "value"
_PLACES = re.compile(r"places:\d{1,2}")
_NO_TOLERANCE = ("", "floor", "ceil")


class Outcome(NamedTuple):
    """Whether an answer is right, the number that was read from it, and the rule that read it.

    A wrong answer has a number (or a rule other than "not_found"); an answer without one was not found.
    """

    correct: bool
    found: Fraction | None
    rule: str


def score(prediction: object, gold: str, *, mode: str = LENIENT, tolerance: str = "") -> Outcome:
    """Whether a prediction, a text or a number, is the gold answer.

    Numbers are compared exactly: "3.0" is "3", "1/2" is "0.5", 123456 is not 123457.

    `mode`: "strict" takes only what the model marked as its answer, or an answer that stands alone;
    "lenient" also takes the last number of its text, and reads a percentage either way (5% is 5 or 0.05).

    `tolerance` is the row's rounding, for sources that round their answers: with "places:2" a prediction is
    right if it gives the gold answer when rounded to two decimals (half away from zero). "gold" means as many
    decimals as the gold answer shows, and none if it shows none. "", "floor" and "ceil" give no tolerance: a
    count of buses is a whole number, and 15.5 is not 16.

    A gold answer that is not a number is compared as text, in DROP's normal form.

    >>> score("So the answer is $1,050.00.", "1050")
    Outcome(correct=True, found=Fraction(1050, 1), rule='answer_is')
    >>> score("83.333", "83.33", tolerance="places:2").correct, score("83.333", "83.33").correct
    (True, False)
    """
    if mode not in (STRICT, LENIENT):
        raise MetricError(f"mode must be 'strict' or 'lenient', not {mode!r}")
    target = gold_value(gold)
    if target is None:
        return _score_text(prediction, gold, mode)
    found = _found(prediction)
    value = found.value
    if value is None or (mode == STRICT and found.rule == extraction.LAST_NUMBER):
        return Outcome(False, None, extraction.NOT_FOUND)
    right = value == target or (tolerance != "" and _rounds_to(value, target, gold, tolerance))
    if not right and mode == LENIENT and found.kind == "percent" and "%" not in gold:
        right = value / 100 == target
    return Outcome(right, value, found.rule)


def accuracy(
    predictions: Sequence[object],
    references: Sequence[str],
    *,
    mode: str = LENIENT,
    tolerances: Sequence[str] | None = None,
) -> dict[str, Any]:
    """The share of right answers, and how the others fail: wrong, or no answer found; counts by rule."""
    check_lengths(
        predictions=predictions,
        references=references,
        **({"tolerances": tolerances} if tolerances is not None else {}),
    )
    if not predictions:
        raise MetricError("no predictions to score; give at least one")
    outcomes = []
    for index, (prediction, gold) in enumerate(zip(predictions, references, strict=True)):
        try:
            tolerance = tolerances[index] if tolerances is not None else ""
            outcomes.append(score(prediction, gold, mode=mode, tolerance=tolerance))
        except MetricError as error:
            raise MetricError(f"row {index}: {error}") from None
    right = sum(outcome.correct for outcome in outcomes)
    rules = Counter(outcome.rule for outcome in outcomes)
    missing = rules[extraction.NOT_FOUND]
    return {
        "accuracy": right / len(outcomes),
        "correct": right,
        "wrong": len(outcomes) - right - missing,
        "not_found": missing,
        "rules": dict(rules.most_common()),
    }


@lru_cache(maxsize=1 << 14)
def gold_value(gold: str) -> Fraction | None:
    """The number that a gold answer is, as in "1,050", "1/2", "$5", "9 (apples)"; None if it is a text."""
    if not isinstance(gold, str):
        raise MetricError(f"a gold answer must be text, not {type(gold).__name__}")
    if len(gold) > _MAX_GOLD:
        raise MetricError(f"a gold answer of {len(gold)} characters; at most {_MAX_GOLD} are accepted")
    if not gold.strip():
        raise MetricError("an empty gold answer; leave the row out")
    value = extraction.plain(gold) or numerals.parse(gold.strip())
    if value is not None:
        return value
    found = extraction.answer(gold)
    return found.value if found.rule == "bare" else None


def _found(prediction: object) -> extraction.Found:
    if isinstance(prediction, str):
        return extraction.answer(prediction)
    if isinstance(prediction, bool) or not isinstance(prediction, (int, float, Fraction)):
        raise MetricError(f"a prediction must be a text or a number, not {type(prediction).__name__}")
    if isinstance(prediction, float):
        if not math.isfinite(prediction):
            return extraction.Found(None, extraction.NOT_FOUND, "")
        prediction = str(prediction)  # 0.1 means one tenth, not the nearest binary fraction
    return extraction.Found(Fraction(prediction), _VALUE, "")


def _rounds_to(value: Fraction, target: Fraction, gold: str, tolerance: str) -> bool:
    if tolerance == "gold":
        places = len(gold.strip().partition(".")[2].rstrip(" %)."))
        if not places or "/" in gold:
            return False
        tolerance = f"places:{places}"
    if tolerance in _NO_TOLERANCE:
        return False
    if not _PLACES.fullmatch(tolerance):
        raise MetricError(
            f"unknown tolerance {tolerance!r:.60}; use 'places:N', 'gold', 'floor', 'ceil' or ''"
        )
    try:
        return expression.round_value(value, tolerance) == target
    except ExpressionError as error:
        raise MetricError(str(error)) from None


def _score_text(prediction: object, gold: str, mode: str) -> Outcome:
    if not isinstance(prediction, str):
        return Outcome(False, None, _VALUE)
    words, rule = extraction.phrase(prediction)
    target, given = drop.normalise(gold), drop.normalise(words)
    if not given:
        return Outcome(False, None, extraction.NOT_FOUND)
    right = given == target
    if not right and mode == LENIENT and target in ("yes", "no"):
        right = given.split()[0] == target
    return Outcome(right, None, _TEXT if rule == "bare" else rule)
