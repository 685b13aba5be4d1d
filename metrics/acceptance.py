"""Rules of accepting a number for the gold answer: equal, or rounded to the places that it shows.

    exact      equal to the gold answer
    rounded    equal; or, if the gold answer is not an integer, a decimal that is the gold answer rounded to
               the places that it shows: at least two, with at least two significant digits (0.33 or
               0.333 for 1/3, not 0.3; either neighbour on a tie). 0 represents nothing but 0.

If a source rounds its answers, the row states it (`rounding`). With "places:2" a number is also correct if it
gives the gold answer when rounded to two places (half away from zero), or if it is the value of the row's
equation by the rule above (83.333 for 83.33; 4.125 if the source's answer is 4.12). "gold" uses the places of
the gold answer. For counts ("floor", "ceil") and integers, only the equal number is accepted.

If the question asks for a percentage, "25%" also represents 0.25.
"""

from __future__ import annotations

import re
from fractions import Fraction

from dnc_datasets import expression
from dnc_datasets.errors import ExpressionError
from dnc_datasets.memoization import memoized
from dnc_metrics.errors import MetricError
from dnc_metrics.extraction import Found

EXACT, ROUNDED = "exact", "rounded"
_LEAST_PLACES = _LEAST_DIGITS = 2
_PLACES = re.compile(r"places:\d{1,2}")
_DECIMAL = re.compile(r"[-+$€£¥₹ ]{0,6}(?P<whole>[\d,]{0,40})\.(?P<part>\d{1,40})[ %.]{0,3}")
_COUNTED = ("", "floor", "ceil")


def accepts(
    found: Found,
    gold: Fraction,
    *,
    how: str = ROUNDED,
    rounding: str = "",
    shown: str = "",
    equation: str = "",
    percentage: bool = False,
) -> bool:
    """Return whether a number that was read from a text is correct; `shown` is the gold answer as written.

    >>> accepts(Found(Fraction("0.33"), "bare", "0.33"), Fraction(1, 3))
    True
    >>> accepts(Found(Fraction("0.3"), "bare", "0.3"), Fraction(1, 3))
    False
    """
    value = found.value
    if value is None:
        return False
    if value == gold or (how == ROUNDED and _rounded(found, gold, rounding, shown, equation)):
        return True
    if percentage and found.kind == "percent":
        return value == 100 * gold or (how == ROUNDED and not rounding and _shows(found, 100 * gold))
    return False


def check_rounding(rounding: str) -> None:
    """Raise an error for an unknown rounding."""
    if rounding not in (*_COUNTED, "gold") and not _PLACES.fullmatch(rounding):
        raise MetricError(f"unknown rounding {rounding!r:.60}; use 'places:N', 'gold', 'floor', 'ceil' or ''")


def _rounded(found: Found, gold: Fraction, rounding: str, shown: str, equation: str) -> bool:
    if not rounding:
        return gold.denominator != 1 and _shows(found, gold)
    check_rounding(rounding)
    if rounding == "gold":
        places = len(shown.strip().partition(".")[2].rstrip(" %)."))
        rounding = f"places:{places}" if places and "/" not in shown else ""
    if rounding in _COUNTED or found.value is None:
        return False
    try:
        if expression.round_value(found.value, rounding) == gold:
            return True
    except ExpressionError as error:
        raise MetricError(str(error)) from None
    unrounded = _value(equation) if equation else None
    # The equation must be the gold answer's; otherwise it is not used.
    if unrounded is None or not expression.rounds_to(unrounded, gold, rounding):
        return False
    return unrounded.denominator != 1 and _shows(found, unrounded)


def _shows(found: Found, wanted: Fraction) -> bool:
    """Return whether the number as written is `wanted` rounded to the last place that it shows."""
    decimal = _DECIMAL.fullmatch(found.text)
    if decimal is None or not found.value:
        return False
    places = len(decimal["part"])
    digits = len((decimal["whole"].replace(",", "") + decimal["part"]).lstrip("0"))
    if places < _LEAST_PLACES or digits < _LEAST_DIGITS:
        return False
    return bool(2 * abs(found.value - wanted) * 10**places <= 1)


@memoized
def _value(equation: str) -> Fraction | None:
    try:
        return expression.parse(equation).value()
    except ExpressionError:
        return None
