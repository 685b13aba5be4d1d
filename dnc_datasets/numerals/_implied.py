"""Numbers that words imply: the 2 of "twice", the 7 of "week", the 100 of "%"."""

from __future__ import annotations

import re
from fractions import Fraction
from typing import Final

from dnc_datasets.memoization import memoized

_WORD = re.compile(r"[a-z]+|[%$¢]")

# Number -> the words that imply it. A word may imply several: a year is 12 months, 52 weeks, 365 days.
_MEANT_BY: Final = {
    "1": "a an another single once himself herself itself myself whole % percent",
    "2": "twice double doubles doubled doubling half halves halved both pair pairs couple couples twin twins "
    "duo rectangle rectangular perimeter weekend biweekly",
    "3": "thrice triple triples tripled tripling treble third thirds trio triplets triangle triangular yard "
    "yards cube cubic",
    "4": "quarter quarters quarterly fourth fourths quadruple quadrupled square month months monthly quart "
    "quarts gallon gallons",
    "5": "fifth fifths nickel nickels weekday weekdays quintuple pentagon",
    "6": "sixth sixths hexagon hexagonal",
    "7": "seventh sevenths week weeks weekly day days daily night nights",
    "8": "eighth eighths octagon pint pints",
    "9": "ninth ninths",
    "10": "tenth tenths decade decades dime dimes",
    "12": "dozen dozens year years yearly annual annually month months monthly foot feet inch inches",
    "14": "fortnight",
    "16": "pound pounds ounce ounces lb lbs oz",
    "20": "score",
    "24": "day days hour hours daily",
    "25": "quarter quarters",
    "28": "month months",
    "30": "month months monthly",
    "31": "month months",
    "36": "yard yards",
    "52": "year years week weeks yearly annual annually",
    "60": "minute minutes hour hours hourly second seconds",
    "100": "% percent percentage $ dollar dollars cent cents ¢ century meter meters centimeter centimeters cm "
    "hundredth hundredths",
    "360": "degrees",
    "365": "year years day days yearly annual annually",
    "366": "leap",
    "1000": "kilogram kilograms kilo kilos kg gram grams g kilometer kilometers km meter meters liter liters ml "
    "thousandth millennium",
    "2000": "ton tons",
    "3600": "second seconds hour hours",
    "5280": "mile miles",
}


def _by_word() -> dict[str, frozenset[Fraction]]:
    found: dict[str, set[Fraction]] = {}
    for number, words in _MEANT_BY.items():
        for word in words.split():
            found.setdefault(word, set()).add(Fraction(number))
    return {word: frozenset(values) for word, values in found.items()}


_MEANS: Final = _by_word()


@memoized
def implied(text: str) -> frozenset[Fraction]:
    """Return the numbers that words of the text imply. No perturbation can change these operands.

    >>> sorted(map(int, implied("Ann runs twice as far each week.")))
    [2, 7, 52]
    """
    words = set(_WORD.findall(text.lower()))
    return frozenset[Fraction]().union(*[_MEANS[word] for word in words if word in _MEANS])
