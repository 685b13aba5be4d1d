"""Measures in two units: "3 hours and 20 minutes" is 200 if the question asks for minutes."""

from __future__ import annotations

import re
from collections.abc import Sequence
from fractions import Fraction

from dnc_datasets.memoization import memoized
from dnc_datasets.numerals import Quantity

# Family -> unit -> number of smallest units in it. Only exact ratios: a month is no fixed number of days.
_FAMILIES: tuple[dict[str, int], ...] = (
    {"week": 604_800, "day": 86_400, "hour": 3600, "minute": 60, "second": 1},
    {"year": 12, "month": 1},
    {"dollar": 100, "cent": 1},
    {"mile": 63_360, "yard": 36, "foot": 12, "inch": 1},
    {"kilometer": 1_000_000, "meter": 1000, "centimeter": 10, "millimeter": 1},
    {"pound": 16, "ounce": 1},
    {"ton": 1_000_000, "kilogram": 1000, "gram": 1},
    {"gallon": 16, "quart": 4, "pint": 2, "cup": 1},
    {"liter": 1000, "milliliter": 1},
)
_SHORT = {
    "hr": "hour", "h": "hour", "min": "minute", "sec": "second", "s": "second", "wk": "week", "yr": "year",
    "feet": "foot", "ft": "foot", "inches": "inch", "in": "inch", "yd": "yard", "mi": "mile",
    "km": "kilometer", "m": "meter", "cm": "centimeter", "mm": "millimeter",
    "kilometre": "kilometer", "metre": "meter", "centimetre": "centimeter", "millimetre": "millimeter",
    "lb": "pound", "oz": "ounce", "kg": "kilogram", "g": "gram", "gal": "gallon", "qt": "quart", "pt": "pint",
    "l": "liter", "ml": "milliliter", "litre": "liter", "millilitre": "milliliter",
    "小时": "hour", "分钟": "minute", "秒": "second", "天": "day", "周": "week", "年": "year", "个月": "month",
}  # fmt: skip
_SCALES = {unit: (place, scale) for place, family in enumerate(_FAMILIES) for unit, scale in family.items()}
# The unit of a number before another number: "3 hours and", "5 ft", "3小时".
_BETWEEN = re.compile(r"\s{0,2}(?P<unit>[A-Za-z\u4e00-\u9fff]{1,12})\.?\s{0,2}(?:,\s?)?(?:and\s{1,2}|又|零)?")
_BEHIND = re.compile(r"\s{0,2}(?P<unit>[A-Za-z]{1,12}|个月|[\u4e00-\u9fff]{1,2})")
_ASKED = re.compile(
    r"\b(?:how (?:many|much)|in|many|number of)\s(?:more |fewer |total |whole )?(?P<unit>[a-z]{2,12})\b", re.I
)


@memoized
def asked_unit(question: str, unit: str = "") -> str:
    """Return the unit that a row asks for: its own, or one in the question; empty if neither has one.

    >>> asked_unit("How many minutes did she run?"), asked_unit("How long did she run?", "hours")
    ('minute', 'hour')
    """
    own = _named(unit)
    if own:
        return own
    named = [_named(found["unit"]) for found in _ASKED.finditer(question) if len(found["unit"]) > 2]
    return next(filter(None, named), "")


def joined(text: str, numbers: Sequence[Quantity], place: int) -> tuple[int, int] | None:
    """Return the first and last number of the measure that includes this one, with decreasing units."""
    first = last = place
    while first > 0 and _continues(text, numbers[first - 1], numbers[first]):
        first -= 1
    while last + 1 < len(numbers) and _continues(text, numbers[last], numbers[last + 1]):
        last += 1
    return (first, last) if last > first else None


def value(text: str, numbers: Sequence[Quantity], wanted: str) -> Fraction | None:
    """Return the value of joined numbers in the wanted unit; None if that unit is of another family."""
    if wanted not in _SCALES:
        return None
    family, scale = _SCALES[wanted]
    total = Fraction(0)
    for number in numbers:
        unit = _unit_behind(text, number)
        if unit is None or _SCALES[unit][0] != family:
            return None
        total += number.value * _SCALES[unit][1]
    return total / scale


def _continues(text: str, one: Quantity, two: Quantity) -> bool:
    between = _BETWEEN.fullmatch(text, one.end, two.start) if two.start - one.end <= 24 else None
    if between is None or (
        "." in between[0] and len(between["unit"]) > 3
    ):  # "5 ft. 3 in.", but no new sentence
        return False
    above = _named(between["unit"])
    below = _unit_behind(text, two)
    if not above or below is None:
        return False
    return _SCALES[above][0] == _SCALES[below][0] and _SCALES[above][1] > _SCALES[below][1]


def _unit_behind(text: str, number: Quantity) -> str | None:
    found = _BEHIND.match(text, number.end)
    return (_named(found["unit"]) or None) if found else None


def _named(word: str) -> str:
    """Return the unit that a word names, in its base form ("hrs" -> "hour"); empty for other words."""
    word = word.strip().lower()
    for form in (word, word[:-1] if word.endswith("s") else word):
        form = _SHORT.get(form, form)
        if form in _SCALES:
            return form
    return ""
