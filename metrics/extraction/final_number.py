"""The final number of a text without a marker: the last one outside brackets and reasons, or a result."""

from __future__ import annotations

import re
from collections.abc import Sequence
from fractions import Fraction

from dnc_datasets import expression, numerals
from dnc_datasets.errors import ExpressionError
from dnc_metrics.extraction.markers import TAIL

_REASON = re.compile(r"\b(?:because|since)\s", re.I)
_DENIAL = re.compile(
    r"(?:,| -|–|—| and| but) not (?:just |only )?[$€£]?\Z|\b(?:instead of|rather than) [$€£]?\Z", re.I
)
SENTENCE_END = re.compile(r"[.!?](?=\s|$)|\n")
# The tokens of a calculation: a number, a word of a unit, an operator, signs around a number.
_TERM = re.compile(
    r"(?P<number>-?[\d.,]{0,40}\d%?)|(?P<word>[a-z]{1,14}\b)|(?P<sign>[-+*/^×÷·])|[$€£()\s]", re.I
)
_MAX_TERMS = 13
_CALCULATION = re.compile(r"[$€£]?[(\s]{0,6}-?\d[\d.,\s()$€£+\-*/^×÷·]{0,200}[\d)]")
OPERATOR = re.compile(r"[+*/^×÷·]|(?<=[\s)])-|(?<=\d)-(?=\d)")


def before_the_reason(text: str, quantities: Sequence[numerals.Quantity], place: int) -> int:
    """Return the number before a reason with this one, such as "since there were 470 of the others"."""
    reasons = list(_REASON.finditer(text, 0, quantities[place].start))
    if not reasons or SENTENCE_END.search(text, reasons[-1].end(), quantities[place].start):
        return place
    reason = reasons[-1]
    start = max((end.end() for end in SENTENCE_END.finditer(text, 0, reason.start())), default=0)
    before = [at for at in range(place) if start <= quantities[at].start < reason.start()]
    return before[-1] if before else place


def before_the_denial(text: str, quantities: Sequence[numerals.Quantity], place: int) -> int:
    """Return the number before "not 7" in "He has 5 left, not 7.", if this one is denied so."""
    if not place:
        return place
    before, denied = quantities[place - 1], quantities[place]
    if not _DENIAL.search(text, before.end, denied.start):
        return place
    return place if SENTENCE_END.search(text, before.end, denied.start) else place - 1


def before_the_bracket(text: str, quantities: Sequence[numerals.Quantity], place: int) -> int:
    """Return the number that a bracket explains, "it is -5 (a loss of 5)", if this one is in the bracket."""
    opened = text.rfind("(", 0, quantities[place].start)
    if opened < 0 or text.find(")", opened, quantities[place].start) >= 0:
        return place
    for earlier in range(place - 1, -1, -1):
        if quantities[earlier].end <= opened:
            return earlier if not text[quantities[earlier].end : opened].strip() else place
    return place


def last_numbers(text: str) -> tuple[str, tuple[numerals.Quantity, ...]] | None:
    """Return the last part of a text with numbers, and the numbers; long text is read from its end."""
    end = len(text)
    while end > 0:
        start = max(0, end - TAIL)
        if start:
            gap = text.find(" ", start, start + 40)
            start = gap + 1 if gap >= 0 else start
            while start < end and text[start].isdigit():  # no gap: do not start inside a number
                start += 1
        found = numerals.find(text[start:end])
        if found:
            return text[start:end], found
        end = start if start < end else 0
    return None


def end_of_chain(sentence: str, start: int) -> int:
    """Return the position of the result of "3 + 4 = 7 = ...": after the last "=", or `start`.

    The first side must have an operator, or be followed by another side: "a = 5" is no calculation.
    """
    at, several = start, sentence.count("=", start) > 1
    end = sentence.find("=", start)
    while end >= 0:
        terms = _terms(sentence[at:end])
        if terms < (1 if several or at > start else 2):
            break
        at = end + 1
        end = sentence.find("=", at)
    return at


def _terms(side: str) -> int:
    """Return the number of operands on one side of an equation; 0 if the side is not a calculation.

    Two words may follow a number: "5 red apples + 3 green apples" has two operands.
    """
    place, terms, words, wanted = 0, 0, 0, True  # wanted: a number must follow
    while place < len(side):
        token = _TERM.match(side, place)
        if token is None or terms > _MAX_TERMS:
            return 0
        kind = token.lastgroup
        if kind == "number" and not wanted and token[0][0] == "-":
            kind, end = "sign", place + 1  # "5-3"
        else:
            end = token.end()
        if kind == "word" and token[0] in "xX" and not wanted and side[end : end + 1] in " \n(0123456789":
            kind = "sign"
        if kind == "number":
            if not wanted:
                return 0
            wanted, words, terms = False, 0, terms + 1
        elif kind == "sign":
            if wanted:
                return 0
            wanted = True
        elif kind == "word":
            words += 1
            if wanted or words > 2:
                return 0
        place = end
    return 0 if wanted else terms


def calculation(sentence: str, start: int) -> tuple[Fraction, str] | None:
    """Return the value of a calculation that starts here without a result, and its text."""
    found = _CALCULATION.match(sentence, start)
    if found is None or not OPERATOR.search(found[0]) or sentence[found.end() :].lstrip()[:1] == "=":
        return None
    text = found[0].strip()
    text = text + ")" * (text.count("(") - text.count(")"))
    try:
        return expression.parse(text).value(), text
    except ExpressionError:
        return None
