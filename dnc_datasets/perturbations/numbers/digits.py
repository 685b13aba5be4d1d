"""The numbers in digits that the published perturbations change."""

from __future__ import annotations

import re
from typing import NamedTuple

from dnc_datasets import numerals

# Ordinals ("16th"), times, dates and fractions are no number strings of their own.
_KINDS = frozenset(("cardinal", "decimal", "money", "percent", "year", "range"))
_DIGITS = re.compile(r"[-−]?(?:[0-9]{1,3}(?:,[0-9]{3})+|[0-9]+)(?:\.[0-9]+)?")
_PERCENT = re.compile(r" ?%")
_DECADE = re.compile(r"['’]?s\b")  # "the 1970s" is one word


class DigitNumber(NamedTuple):
    """A number in digits: its digits, and where it starts and ends. A percent sign belongs to it."""

    digits: str
    start: int
    end: int
    is_percent: bool


def numbers_in_digits(text: str) -> list[DigitNumber]:
    """Return the numbers of a text that are written in digits, in reading order.

    >>> [number.digits for number in numbers_in_digits("He paid $1,050 or 5% at 5:30 for two pens.")]
    ['1,050', '5']
    """
    found = []
    for quantity in numerals.find(text):
        digits = _DIGITS.match(text, quantity.start) if quantity.kind in _KINDS else None
        if digits is None or digits.end() > quantity.end or _DECADE.match(text, digits.end()):
            continue
        percent = _PERCENT.match(text, digits.end())
        end = percent.end() if percent else digits.end()
        found.append(DigitNumber(digits[0], quantity.start, end, percent is not None))
    return found
