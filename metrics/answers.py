"""Answer accuracy: comparison of a model's answer, a number or words, with the gold answer."""

from __future__ import annotations

import math
import re
from collections import Counter
from collections.abc import Sequence
from fractions import Fraction
from typing import Any, NamedTuple

from dnc_datasets import numerals
from dnc_datasets.memoization import memoized
from dnc_metrics import drop, extraction
from dnc_metrics.acceptance import EXACT, ROUNDED, accepts, check_rounding
from dnc_metrics.errors import MetricError, check_lengths
from dnc_metrics.extraction import yes_no
from dnc_metrics.extraction.plain_text import tidy

STRICT, LENIENT = "strict", "lenient"
_MAX_GOLD = 10_000
_SHORT = 16  # maximum number of characters of frequent replies: "yes", "12", "42 apples"
_TEXT = "text"
_VALUE = "value"
_WHY = re.compile(r",? (?:because|since|as)\b|, (?:with|who|which|where)\b|[.;] | \(")
_BETWEEN = re.compile(r",[ \n]{1,3}(?:and )?|;[ \n]{0,3}|\n| and ")  # the items of a list


class AnswerScore(NamedTuple):
    """The score of an answer: whether it is correct, the number that was read, and the rule that read it.

    The rule of an answer without a number is "not_found". The rule of one that ends while the model is still
    reasoning is "truncated".
    """

    correct: bool
    found: Fraction | None
    rule: str


def score(
    prediction: object,
    gold: str,
    *,
    mode: str = LENIENT,
    acceptance: str = ROUNDED,
    rounding: str = "",
    equation: str = "",
    unit: str = "",
    percentage: bool = False,
) -> AnswerScore:
    """Score a prediction, a text or a number, against the gold answer.

    `mode`: "strict" accepts only an answer that the model marks, or an answer alone. "lenient" also accepts
    the last number of the text.

    `acceptance`: "exact" accepts a number only if it is equal ("3.0" is "3", "1/2" is "0.5", 123456 is not
    123457). "rounded" also accepts the gold answer rounded to the places that the number shows (see
    `acceptance`).

    `rounding` and `equation` are those of a row whose source rounds its answers. `unit` is the unit of "3
    hours and 20 minutes". `percentage` is true if the question asks for one, so that 25% is also 0.25.

    A gold answer that is not a number is compared as text, in DROP's normal form without typography.


    >>> score("So the answer is $1,050.00.", "1050")
    AnswerScore(correct=True, found=Fraction(1050, 1), rule='answer_is')
    >>> score("0.333", "1/3").correct, score("0.333", "1/3", acceptance="exact").correct
    (True, False)
    """
    if mode not in (STRICT, LENIENT):
        raise MetricError(f"mode must be 'strict' or 'lenient', not {mode!r}")
    if acceptance not in (EXACT, ROUNDED):
        raise MetricError(f"acceptance must be 'exact' or 'rounded', not {acceptance!r}")
    if rounding:
        check_rounding(rounding)
    target = gold_value(gold)
    if target is None:
        return _score_text(prediction, gold, mode)
    found = read(prediction, unit)
    if found.value is None:
        return AnswerScore(False, None, found.rule)
    if mode == STRICT and found.rule == extraction.LAST_NUMBER:
        return AnswerScore(False, None, extraction.NOT_FOUND)
    right = found.value == target or accepts(
        found,
        target,
        how=acceptance,
        rounding=rounding,
        shown=gold,
        equation=equation,
        percentage=percentage and "%" not in gold,
    )
    if not right and isinstance(prediction, str) and target.denominator == _QUARTER:
        right = _says_quarters(prediction, target)
    return AnswerScore(right, found.value, found.rule)


_QUARTER, _TAIL = 4, 80


def _says_quarters(prediction: str, target: Fraction) -> bool:
    """Return whether the last value of a reply is this number of quarters: "The answer is one quarter."."""
    if "quarter" not in prediction[-_TAIL:]:
        return False
    values = numerals.stated(prediction[-_TAIL:])
    return bool(values) and values[-1].kind == "fraction" and values[-1].value == target


def accuracy(
    predictions: Sequence[object],
    references: Sequence[str],
    *,
    mode: str = LENIENT,
    acceptance: str = ROUNDED,
    roundings: Sequence[str] | None = None,
) -> dict[str, Any]:
    """Return the share of correct answers, the counts of wrong, not found and truncated ones, and rules."""
    check_lengths(
        predictions=predictions,
        references=references,
        **({"roundings": roundings} if roundings is not None else {}),
    )
    if not predictions:
        raise MetricError("no predictions to score; give at least one")
    outcomes = []
    for index, (prediction, gold) in enumerate(zip(predictions, references, strict=True)):
        try:
            rounding = roundings[index] if roundings is not None else ""
            outcomes.append(score(prediction, gold, mode=mode, acceptance=acceptance, rounding=rounding))
        except MetricError as error:
            raise MetricError(f"row {index}: {error}") from None
    right = sum(outcome.correct for outcome in outcomes)
    rules = Counter(outcome.rule for outcome in outcomes)
    missing, cut = rules[extraction.NOT_FOUND], rules[extraction.TRUNCATED]
    return {
        "accuracy": right / len(outcomes),
        "correct": right,
        "wrong": len(outcomes) - right - missing - cut,
        "not_found": missing,
        "truncated": cut,
        "rules": dict(rules.most_common()),
    }


@memoized
def gold_value(gold: str) -> Fraction | None:
    """Return the number of a gold answer such as "1,050", "1/2", "$5" or "9 (apples)"; None for a text."""
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


def read(prediction: object, unit: str = "") -> extraction.Found:
    """Return the number of a prediction, which is a text or a number."""
    if isinstance(prediction, str):
        short = len(prediction) <= _SHORT
        return _read_short(prediction, unit) if short else extraction.answer(prediction, unit)
    if isinstance(prediction, bool) or not isinstance(prediction, (int, float, Fraction)):
        raise MetricError(f"a prediction must be a text or a number, not {type(prediction).__name__}")
    if isinstance(prediction, float):
        if not math.isfinite(prediction):
            return extraction.Found(None, extraction.NOT_FOUND, "")
        # 0.1 means one tenth, not the nearest binary fraction.
        return extraction.Found(Fraction(str(prediction)), _VALUE, str(prediction))
    return extraction.Found(Fraction(prediction), _VALUE, "")


_read_short = memoized(extraction.answer)


def _score_text(prediction: object, gold: str, mode: str) -> AnswerScore:
    if isinstance(prediction, bool):
        prediction = yes_no.YES if prediction else yes_no.NO
    if not isinstance(prediction, str):
        return AnswerScore(False, None, _VALUE)
    target = _normal(gold)
    if target in yes_no.VERDICTS:
        return _score_verdict(prediction, target, mode)
    words, rule = extraction.phrase(prediction, gold)
    given = _normal(words)
    if not given:
        return AnswerScore(False, None, rule if rule == extraction.TRUNCATED else extraction.NOT_FOUND)
    right = given == target
    if not right and mode == LENIENT:
        # "Kim, because 200 is more than 180": the rest is the reason.
        right = _normal(_WHY.split(words, maxsplit=1)[0]) == target
    return AnswerScore(right, None, _TEXT if rule == "bare" else rule)


def _score_verdict(prediction: str, target: str, mode: str) -> AnswerScore:
    """Score a yes or no that is marked, or at the end or the beginning of the text."""
    rule = extraction.NOT_FOUND
    for words, rule in extraction.phrases(prediction):
        said = yes_no.verdict(words)
        if said:
            right = said == target and (mode == LENIENT or yes_no.alone(words))
            return AnswerScore(right, None, _TEXT if rule == "bare" else rule)
    return AnswerScore(False, None, rule if rule == extraction.TRUNCATED else extraction.NOT_FOUND)


def is_list(prediction: str, golds: Sequence[str]) -> AnswerScore:
    """Score whether a text lists exactly these spans, in any order.

    >>> is_list("The answer is 2018 and 2019.", ["2019", "2018"]).correct, is_list("2019", ["2019", "2018"]).correct
    (True, False)
    """
    words, rule = extraction.phrase(prediction, ", ".join(golds))
    given = _items(words)
    if not given:
        return AnswerScore(False, None, rule if rule == extraction.TRUNCATED else extraction.NOT_FOUND)
    wanted = sum(map(_items, golds), Counter())  # type: Counter[Fraction | str]
    return AnswerScore(given == wanted, None, _TEXT if rule == "bare" else rule)


def _items(text: str) -> Counter[Fraction | str]:
    """Return the items of a list, numbers by value; a span that is a list is split in the same way."""
    parts = [part.strip(" ,;") for part in _BETWEEN.split(tidy(text))]
    made = (numerals.parse(part) if len(part) <= _MAX_GOLD else None for part in parts)
    whole = (part if value is None else value for part, value in zip(parts, made, strict=True))
    return Counter(one if isinstance(one, Fraction) else _normal(one) for one in whole if one != "")


@memoized
def _normal(text: str) -> str:
    return drop.normalise(tidy(text))
