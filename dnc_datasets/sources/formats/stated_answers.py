"""Stated answers ("34.7%", "$ 103.7 million", "4,505") and the equations that give them, in one unit."""

from __future__ import annotations

import re
from fractions import Fraction
from typing import Final, NamedTuple

from dnc_datasets import expression, numerals
from dnc_datasets.errors import ExpressionError
from dnc_datasets.expression import Binary, Expr

PERCENT: Final = "percent"
_SCALES: Final = {"thousand": 10**3, "million": 10**6, "billion": 10**9, "trillion": 10**12}
_ANSWER: Final = re.compile(
    r"(?P<sign>[-(−]?) ?(?:(?:US|HK|A|C)?[$£€¥]|RMB|USD|EUR|GBP)? ?(?P<inner>[-(−]?) ?"
    r"(?P<number>\d[\d,]{0,40}(?:\.\d{1,30})?|\.\d{1,30})\)? ?"
    r"(?P<unit>%|percent|per cent|thousand|million|billion|trillion|bn|m|k|x|times)?\)?\.?",
    re.IGNORECASE,
)
_UNITS: Final = {
    "%": PERCENT,
    "per cent": PERCENT,
    "bn": "billion",
    "m": "million",
    "k": "thousand",
    "x": "times",
}
_PLACES: Final = 2
_HUNDRED: Final = expression.number(Fraction(100))
_NEWLINE: Final = re.compile(r"\\{1,4}n")


class Stated(NamedTuple):
    """A number in the form of an answer: its value without the unit, its decimals and its unit."""

    value: Fraction
    places: int
    unit: str


class Agreed(NamedTuple):
    """An equation that gives a stated answer, in its unit and with the rounding that it needs."""

    equation: Expr
    answer: Fraction
    unit: str
    rounding: str


def read_answer(text: str) -> Stated | None:
    """Return the number of an answer, or None where the answer is not one number.

    >>> read_answer("34.7%"), read_answer("$ 103.7 million").unit
    (Stated(value=Fraction(347, 10), places=1, unit='percent'), 'million')
    """
    found = _ANSWER.fullmatch(" ".join(_NEWLINE.sub(" ", text).split()))
    value = numerals.parse(found["number"]) if found else None
    if found is None or value is None:
        return None
    unit = (found["unit"] or "").lower()
    negative = found["sign"] or found["inner"]
    places = len(found["number"].partition(".")[2])
    return Stated(-value if negative else value, places, _UNITS.get(unit, unit))


def agree(equation: Expr, stated: Stated, rounding: str = "") -> Agreed | None:
    """Return the equation in the unit of a stated answer, or None where it gives another answer.

    An equation for 0.347 is multiplied by 100 where the answer is 34.7 %. An equation over a table in
    millions keeps the unit "million", one over a table in billions is multiplied by 1,000, and one for the
    full amount is divided by the unit. The rounding is that of the answer's decimals unless one is given.
    """
    rounding = rounding or f"places:{stated.places}"
    for form in _forms(equation, stated.unit):
        try:
            value = form.value()
        except ExpressionError:
            return None
        if value == stated.value:
            return Agreed(form, value, stated.unit, "")
        if expression.rounds_to(value, stated.value, rounding):
            return Agreed(form, expression.round_value(value, rounding), stated.unit, rounding)
    return None


def quotient_rounding(equation: Expr, answer: Fraction, places: int = _PLACES) -> str:
    """Return the rounding for an exact quotient, because other operands give infinite decimals.

    Return "" for other answers.

    >>> quotient_rounding(expression.parse("150 / 250 * 100"), Fraction(60))
    'places:2'
    """
    rounding = f"places:{places}"
    exact = "/" in equation.operators and expression.round_value(answer, rounding) == answer
    return rounding if exact else ""


def _forms(equation: Expr, unit: str) -> list[Expr]:
    forms = [equation]
    if unit == PERCENT:
        forms.insert(0, Binary("*", equation, _HUNDRED))
    elif unit in _SCALES:
        forms.append(Binary("/", equation, expression.number(Fraction(_SCALES[unit]))))
        forms += [Binary("*", equation, expression.number(Fraction(1000**power))) for power in (1, 2)]
    return forms
