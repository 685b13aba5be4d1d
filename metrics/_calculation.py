"""Reads a calculation in a sentence: where its result stands, or what its value is."""

from __future__ import annotations

import re
from fractions import Fraction

from dnc_datasets import expression
from dnc_datasets.errors import ExpressionError

# The pieces of a calculation: a number, a word of a unit, an operator, what may stand around a number.
_TERM = re.compile(
    r"(?P<number>-?[\d.,]{0,40}\d%?)|(?P<word>[a-z]{1,14}\b)|(?P<sign>[-+*/^×÷·])|[$€£()\s]", re.I
)
_MAX_TERMS = 13
_CALCULATION = re.compile(r"[$€£]?[(\s]{0,6}-?\d[\d.,\s()$€£+\-*/^×÷·]{0,200}[\d)]")
OPERATOR = re.compile(r"[+*/^×÷·]|(?<=[\s)])-|(?<=\d)-(?=\d)")


def end_of_chain(sentence: str, start: int) -> int:
    """Where the result of "3 + 4 = 7 = ..." stands: behind the last "=" that ends a calculation, or `start`.

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
    """How many numbers the side of an equation adds, multiplies and so on; 0 where it is something else.

    A number may have two words behind it: "5 red apples + 3 green apples" has two terms.
    """
    place, terms, words, wanted = 0, 0, 0, True  # wanted: a number comes next
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
    """The value of arithmetic that starts here and has an operator and no result."""
    found = _CALCULATION.match(sentence, start)
    if found is None or not OPERATOR.search(found[0]) or sentence[found.end() :].lstrip()[:1] == "=":
        return None
    text = found[0].strip()
    text = text + ")" * (text.count("(") - text.count(")"))
    try:
        return expression.parse(text).value(), text
    except ExpressionError:
        return None
