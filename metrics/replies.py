"""Scores the reply to one row of a dataset, for lm-eval, inspect and `dnc score`.

A row is a mapping with the columns of a config. Scoring reads `answer`, `answers`, `answer_type`, `question`,
`unit`, `equation`, and the rounding of the source: `rounding`, or the note of that name in `meta`.
"""

from __future__ import annotations

import json
import re
from collections.abc import Mapping, Sequence
from fractions import Fraction
from typing import Any, NamedTuple

from dnc_datasets.memoization import memoized
from dnc_metrics import answers, contrast, extraction
from dnc_metrics.acceptance import EXACT, accepts
from dnc_metrics.extraction import measures

Row = Mapping[str, Any]
# Accepted answers if the text does not give the answer; sources use one or another.
_UNANSWERABLE = (
    "unknown", "unsure", "cannot be determined", "undetermined", "indeterminate", "not stated", "n/a",
    "insufficient data", "不确定", "未知", "无法确定",
)  # fmt: skip
_CANNOT_TELL = re.compile(
    r"\b(?:cannot|can't|can not|could not|couldn't) be (?:determined|known|told|calculated|answered)\b"
    r"|\b(?:not enough|insufficient|no) information\b|\b(?:do not|don't|cannot|can't) (?:know|tell)\b"
    r"|\b(?:impossible|no way) to (?:tell|know|say|determine)\b|\bis (?:unknown|unclear|uncertain|not known)\b",
    re.I,
)
# Weaker forms, a refusal only if no number follows in a later sentence: "It is not stated. I take 5."
_NOT_STATED = re.compile(
    r"\b(?:does not|doesn't|did not|didn't|fails to) (?:say|state|mention|specify)\b|\bnever (?:says|states|mentions)\b"
    r"|\b(?:problem|question|text|story) (?:does not|doesn't|fails to) (?:tell|give|provide)\b"
    r"|\b(?:is not|isn't|are not|aren't|was not|wasn't|not) (?:stated|mentioned|specified|given|provided)\b"
    r"|\b(?:number|count|amount|value|information|price|detail)s?\b[^.!?\d]{0,40}\b(?:is|are) missing\b"
    r"|\b(?:lacks?|missing|needs? more) (?:\w+ ){0,2}(?:information|data|details?)\b"
    r"|\b(?:insufficient|not enough) (?:data|details?)\b|\bdepends on (?:how|the number|what)\b"
    r"|\b(?:cannot|can't|can not|could not|couldn't|unable to|impossible to) (?:be )?"
    r"(?:solved?|computed?|determined?|calculated?|answer(?:ed)?|find|found|worked? out)\b",
    re.I,
)
_LATER = re.compile(r"[.!?]\s[^.!?\d]{0,300}\d")
# The answer type of a question that its text does not answer.
UNANSWERABLE = "unanswerable"
# The answer type of a row whose `answers` are parts of one answer, not alternatives.
SEVERAL = "multi-span"
# The answer is unknown, but a constraint on it is known: "numeric", "boolean", ">= 12", "<= 12".
CONSTRAINT = "constraint"
_SCALES = {"thousand": 10**3, "million": 10**6, "billion": 10**9}
_NEAR = 60  # maximum number of characters between a number and its stated direction
_FALL = re.compile(
    r"\b(?:decreas|declin|drop|fell|fall|reduc|shr[aiu]nk|went down|going down|down by|loss of)[a-z]{0,5}"
    r"(?:(?!increas|rose|grew|gain)[^.!?\d\n]){0,40}\Z",
    re.I,
)
_CURRENCIES = ("$", "-$", "€", "-€", "£", "-£", "¥", "-¥")
_PERCENTAGE = re.compile(r"percent|per cent|%|百分", re.I)


class Reading(NamedTuple):
    """The score of a reply by each reading, the rule that read it, and the number in it.

    `lenient` accepts the last number if none is marked; `strict` requires a marked or self-contained answer.
    Both accept numbers rounded to the places that they show. `exact` is lenient, but requires equality with
    the gold answer.
    """

    lenient: bool
    strict: bool
    exact: bool
    rule: str
    found: extraction.Found | None = None

    @property
    def not_found(self) -> bool:
        """Return whether the reply has no answer."""
        return self.rule == extraction.NOT_FOUND

    @property
    def truncated(self) -> bool:
        """Return whether the reply ends before the answer."""
        return self.rule == extraction.TRUNCATED


def score(row: Row, reply: str, *, cut_off: bool = False) -> Reading:
    """Score a reply; `cut_off` means that it reached the token limit, so that a guess is no answer.

    >>> score({"answer": "1/3", "question": "What share is left?"}, "<think>1/2?</think>The answer is 0.33.")[:4]
    (True, True, False, 'answer_is')
    """
    if row.get("answer_type") == CONSTRAINT:
        return _constraint(str(row["answer"]), reply, cut_off)
    if row.get("answer_type") == SEVERAL and row.get("answers"):
        return _list(row["answers"], reply, cut_off)
    wanted = _wanted_of(row)
    if not wanted.values:
        reading = _words(wanted.texts, reply, cut_off)
        if row.get("answer_type") == UNANSWERABLE and not reading.lenient and not reading.truncated:
            rule = extraction.phrase(reply)[1]
            if refuses(reply):
                return Reading(True, rule in extraction.EXPLICIT, True, rule)
        return reading
    found = answers.read(reply, wanted.measured)
    if cut_off and not found.explicit:
        return Reading(False, False, False, extraction.TRUNCATED)
    if found.value is not None and any(value < 0 for _, value in wanted.values) and _falls(reply, found):
        found = found._replace(value=-found.value)
    if wanted.scaled:
        found = _in_scale(found, str(row["unit"]), [value for _, value in wanted.values])
    right = exact = False
    if found.value is not None:
        exact = any(_equal(found.value, value) for _, value in wanted.values)
        if not exact and found.kind == "percent" and asks_percentage(row):
            exact = any(accepts(found, value, how=EXACT, percentage=True) for _, value in wanted.values)
        rounds = "" if exact else rounding(row)
        right = exact or (
            (not wanted.whole or rounds != "" or found.kind == "percent")
            and _rounded(row, wanted.values, found, rounds)
        )
    if not right and wanted.texts:
        words = _words(wanted.texts, reply, cut_off)
        if words.lenient:
            return words
    return Reading(right, right and found.explicit, exact, found.rule, found)


def refuses(reply: str) -> bool:
    """Return whether the reply states that the question cannot be answered.

    >>> refuses("It cannot be determined."), refuses("The answer is 7.")
    (True, False)
    """
    words = extraction.phrase(reply)[0].replace("’", "'")
    if words.strip(" .").lower() in _UNANSWERABLE or _CANNOT_TELL.search(words):
        return True
    weak = _NOT_STATED.search(words)
    return weak is not None and not _LATER.search(words, weak.end())


def whole_golds(row: Row) -> frozenset[int] | None:
    """Return the correct numbers of a row if only integers without rounding are accepted; else None.

    >>> whole_golds({"answer": "7", "answers": ["7", "8"]}) == {7, 8}, whole_golds({"answer": "Ann"})
    (True, None)
    """
    if row.get("answer_type") in (CONSTRAINT, SEVERAL) or rounding(row):
        return None
    wanted = _wanted_of(row)
    alone = wanted.whole and wanted.values and not wanted.texts
    return frozenset(value.numerator for _, value in wanted.values) if alone else None


def _rounded(row: Row, values: Sequence[tuple[str, Fraction]], found: extraction.Found, rounds: str) -> bool:
    percentage = found.kind == "percent" and asks_percentage(row)
    equation = str(row.get("equation") or "")
    return any(
        accepts(
            found,
            value,
            rounding=rounds,
            shown=gold,
            equation=equation,
            percentage=percentage and "%" not in gold,
        )
        for gold, value in values
    )


class _Wanted(NamedTuple):
    """The accepted numbers (as written, with value) and texts of a row, and the unit of the question."""

    values: tuple[tuple[str, Fraction], ...]
    texts: tuple[str, ...]
    whole: bool  # whether all numbers are integers
    measured: str
    scaled: bool


def _wanted_of(row: Row) -> _Wanted:
    return _wanted(
        str(row["answer"]),
        tuple(row.get("answers") or ()),
        str(row.get("answer_type") or ""),
        str(row.get("question") or ""),
        str(row.get("unit") or ""),
    )


@memoized
def _wanted(answer: str, others: tuple[str, ...], answer_type: str, question: str, unit: str) -> _Wanted:
    if answer_type == UNANSWERABLE:
        golds: Sequence[str] = _UNANSWERABLE
    else:
        golds = list(dict.fromkeys(gold for gold in (answer, *others) if gold))
    read = [(gold, answers.gold_value(gold)) for gold in golds]
    values = tuple((gold, value) for gold, value in read if value is not None)
    texts = tuple(gold for gold, value in read if value is None)
    whole = all(value.denominator == 1 for _, value in values)
    return _Wanted(values, texts, whole, measures.asked_unit(question, unit), unit.lower() in _SCALES)


def _equal(one: Fraction, other: Fraction) -> bool:
    # Fraction's own comparison is several times slower, and this is the most frequent operation.
    return one.numerator == other.numerator and one.denominator == other.denominator


def _in_scale(found: extraction.Found, unit: str, golds: Sequence[Fraction]) -> extraction.Found:
    """Return the number of thousands in "$2,608 thousand" and in "$2,608,000", if the row counts thousands.

    "Eight thousand" in words may also mean 8,000 of them.
    """
    scale = _SCALES[unit.lower()]
    if found.value is None:
        return found
    if not found.text.lower().endswith(unit.lower()):
        # "$2,608,000" and "2.608 million" are the same amount; a bare 2,608,000 would count thousands.
        money = found.kind == "money" or found.text.startswith(_CURRENCIES)
        named = money or found.text.lower().endswith(tuple(_SCALES))
        same = named and found.value not in golds and found.value / scale in golds
        return found._replace(value=found.value / scale) if same else found
    if found.value in golds and not any(sign.isdigit() for sign in found.text):
        return found
    return found._replace(value=found.value / scale, text=found.text[: -len(unit)].rstrip())


def _falls(reply: str, found: extraction.Found) -> bool:
    """Return whether the reply states a fall by this number: "it decreased by 16.84%" means -16.84%."""
    place = reply.rfind(found.text) if found.text and found.value and found.value > 0 else -1
    return place >= 0 and _FALL.search(reply[max(0, place - _NEAR) : place]) is not None


def asks_percentage(row: Row) -> bool:
    """Return whether the question asks for a percentage."""
    return bool(_PERCENTAGE.search(f"{row.get('question', '')} {row.get('unit') or ''}"))


def rounding(row: Row) -> str:
    """Return the rounding of a row's source; empty if there is none."""
    if "rounding" in row:
        return str(row["rounding"])
    notes = row.get("meta") or ""
    if isinstance(notes, Mapping):
        return str(notes.get("rounding", ""))
    return (
        str(json.loads(notes).get("rounding", "")) if isinstance(notes, str) and "rounding" in notes else ""
    )


def _words(golds: Sequence[str], reply: str, cut_off: bool) -> Reading:
    best = Reading(False, False, False, extraction.NOT_FOUND)
    for gold in golds:
        outcome = answers.score(reply, gold, mode=answers.LENIENT)
        strict = outcome.correct and answers.score(reply, gold, mode=answers.STRICT).correct
        reading = Reading(outcome.correct, strict, outcome.correct, outcome.rule)
        if best[:3] < reading[:3] or best.not_found:
            best = reading
    if best.not_found:
        # A number instead of yes or no is an answer, but a wrong one.
        found = answers.read(reply)
        best = best if found.value is None else best._replace(rule=found.rule, found=found)
    return _unless_cut_off(best, cut_off)


def _list(golds: Sequence[str], reply: str, cut_off: bool) -> Reading:
    right, _, rule = answers.is_list(reply, golds)
    return _unless_cut_off(Reading(right, right, right, rule), cut_off)


def _unless_cut_off(reading: Reading, cut_off: bool) -> Reading:
    """Return a reading as truncated if the reply reached the limit before it marked an answer."""
    cut = cut_off and not reading.lenient and reading.rule not in extraction.EXPLICIT
    return reading._replace(rule=extraction.TRUNCATED) if cut else reading


def _constraint(constraint: str, reply: str, cut_off: bool) -> Reading:
    """Score whether the reply satisfies a constraint: a number, a number within a bound, or yes or no."""
    name, _, bound = constraint.partition(" ")
    if name == "boolean":
        both = (_words([word], reply, cut_off) for word in ("yes", "no"))
        return max(both, key=lambda reading: reading[:3])
    found = answers.read(reply)
    if cut_off and not found.explicit:
        return Reading(False, False, False, extraction.TRUNCATED)
    held = found.value is not None and bool(contrast.holds(name, found.text, bound))
    return Reading(held, held and found.explicit, held, found.rule, found)
