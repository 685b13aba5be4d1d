"""Values that a text states, including words for multiples and shares; `find` reports only numbers.

The values are mathematical: 40 % is 2/5, like "two fifths", and 50 cents is 1/2 of a dollar.
"""

from __future__ import annotations

import re
from fractions import Fraction
from typing import NamedTuple

from dnc_datasets.english.lexicon import COINS, MULTIPLES
from dnc_datasets.numerals._find import find
from dnc_datasets.numerals._quantity import Quantity

_PERCENT = re.compile(r"[\s-]?(?:%|per\s?cent\b)", re.IGNORECASE)
_CENTS = re.compile(r"(?:[\s-]cents?\b|\s?¢)", re.IGNORECASE)
_QUARTERS = re.compile(r"[\s-]quarters\b(?!\s+(?:in|from|on|for)\b)", re.IGNORECASE)
_PERIODS = re.compile(r"[\s-](decade|centur|fortnight)(?:s|y|ies)?\b", re.IGNORECASE)
_LONG = {"decade": 10, "centur": 100, "fortnight": 14}
_WORD = re.compile(rf"\b(?:{'|'.join(sorted(MULTIPLES, key=len, reverse=True))})\b", re.IGNORECASE)
_IS_COIN = re.compile(rf"\b(?:{'|'.join(sorted(COINS))})\b", re.IGNORECASE)
# "the first quarter", "a quarter" in a pocket: a period, or a coin.
_NO_SHARE = re.compile(
    r"\b(?:first|second|third|fourth|last|next|final|each|every|per|this|that)\s+$", re.IGNORECASE
)
_SHARE = re.compile(
    r"\s+(?:of|as|the|that|to|less|more|full|hour|mile|cup|pound|inch|gallon|teaspoon|acre)\b"
)
_MAX_QUARTERS = 3


class Stated(NamedTuple):
    """A value, the position of its words, and the kind of number."""

    value: Fraction
    start: int
    end: int
    kind: str


def stated(text: str) -> tuple[Stated, ...]:
    """Return every value that the text states, in order of appearance.

    >>> [str(one.value) for one in stated("Amy has twice as many, Ben has 40% and Cy three quarters as many.")]
    ['2', '2/5', '3/4']
    """
    found = [_read(text, quantity) for quantity in find(text)]
    taken = [(one.start, one.end) for one in found]
    for match in _WORD.finditer(text):
        start, end = match.span()
        if any(start < other_end and other_start < end for other_start, other_end in taken):
            continue
        word = match[0].lower()
        if word == "quarter" and not _is_share(text, start, end):
            continue
        found.append(Stated(Fraction(*MULTIPLES[word]), start, end, "multiple"))
    return tuple(sorted(found, key=lambda one: one.start))


def _read(text: str, quantity: Quantity) -> Stated:
    value, start, end, kind = quantity.value, quantity.start, quantity.end, quantity.kind
    if kind == "percent" or _PERCENT.match(text, end):
        after = _PERCENT.match(text, end)
        return Stated(value / 100, start, after.end() if after else end, "percent")
    if after := _CENTS.match(text, end):
        return Stated(value / 100, start, after.end(), "money")
    if text[end - 1 : end] == "¢" or text[end : end + 1] == "¢":
        return Stated(value / 100, start, end, "money")
    if kind == "word" and value <= _MAX_QUARTERS and value.denominator == 1 and not _IS_COIN.search(text):
        if after := _QUARTERS.match(text, end):
            return Stated(value / 4, start, after.end(), "fraction")
        if value == 1 and (single := re.compile(r"[\s-]quarter\b").match(text, end)):
            return Stated(Fraction(1, 4), start, single.end(), "fraction")
    if after := _PERIODS.match(text, end):
        return Stated(value * _LONG[after[1].lower()], start, after.end(), kind)
    return Stated(value, start, end, kind)


def _is_share(text: str, start: int, end: int) -> bool:
    """Return whether "quarter" means a fourth here, not a coin or a period."""
    return not _NO_SHARE.search(text[:start]) and _SHARE.match(text, end) is not None
