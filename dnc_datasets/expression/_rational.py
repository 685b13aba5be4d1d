"""Exact rationals: read from text, raised to a power, rounded, and written in canonical form."""

from __future__ import annotations

import re
from fractions import Fraction
from math import gcd

from dnc_datasets.errors import ExpressionError

_MAX_DIGITS = 100  # characters of one number
_MAX_EXPONENT = 1000
_MAX_BITS = 4096  # of any numerator or denominator; Python writes ints of up to 4300 digits
_MAX_PLACES = 30  # decimals of a canonical text; beyond, it is written n/d
_MAX_VALUE = 1 << _MAX_BITS

_LITERAL = re.compile(r"(?:[0-9]{1,3}(?:,[0-9]{3})+|[0-9]+)?(?:\.[0-9]+)?")

# Numerator and denominator, the denominator above zero: int arithmetic is many times faster than
# Fraction's, so a calculation uses ratios and creates a Fraction at its end.
Ratio = tuple[int, int]


def read(text: str) -> Ratio:
    """Return the value of an unsigned spelling as a ratio in lowest terms: "7", "2.40", ".5", "1,050"."""
    if len(text) > _MAX_DIGITS:
        raise ExpressionError(f"a number of {len(text)} characters; at most {_MAX_DIGITS} are accepted")
    if text.isascii() and text.isdigit():
        return int(text), 1
    whole, _, decimals = text.partition(".")
    if not (text.isascii() and whole.isdigit() and decimals.isdigit()):
        if not text or not _LITERAL.fullmatch(text):
            raise ExpressionError(f"{text!r} is not a number; write it like 7, 2.40, .5 or 1,050")
        whole = whole.replace(",", "")
    return lowest(int(whole + decimals), 10 ** len(decimals))


def lowest(top: int, bottom: int) -> Ratio:
    """Return the same ratio in lowest terms."""
    shared = gcd(top, bottom)
    return top // shared, bottom // shared


def bounded(top: int, bottom: int) -> bool:
    """Return whether a ratio in lowest terms is within the size limit for calculations."""
    return -_MAX_VALUE < top < _MAX_VALUE and bottom < _MAX_VALUE


def power(base: Fraction, exponent: Fraction) -> Ratio:
    """Return base ^ exponent. Refuse it before the computation if the result could exceed the bound."""
    if exponent.denominator != 1:
        raise ExpressionError(f"an exponent must be a whole number, not {canonical(exponent)}")
    times = exponent.numerator
    if abs(times) > _MAX_EXPONENT:
        raise ExpressionError(f"an exponent must be within ±{_MAX_EXPONENT}")
    if not base and times < 0:
        raise ExpressionError("zero cannot be raised to a negative power: that divides by zero")
    bits = max(base.numerator.bit_length(), base.denominator.bit_length())
    if bits > 1 and bits * abs(times) > _MAX_BITS:
        raise ExpressionError(f"a power could exceed {_MAX_BITS} bits; use smaller numbers")
    raised: Fraction = base**times
    return raised.as_integer_ratio()


def canonical(value: Fraction) -> str:
    """Return the canonical text of an exact rational: "7", "-7.3" or "22/7".

    A value has decimals if they end within 30 places. Otherwise it is a fraction.
    """
    return written(*value.as_integer_ratio())


def written(top: int, bottom: int) -> str:
    """Return the canonical text of a ratio in lowest terms."""
    if not bounded(top, bottom):
        raise ExpressionError(f"a number of more than {_MAX_BITS} bits is not written out")
    if bottom == 1:
        return str(top)
    if bottom == 10 or bottom == 5 or bottom == 2:  # most perturbed decimals have one place
        whole, tenth = divmod(abs(top) * (10 // bottom), 10)
        return f"{'-' if top < 0 else ''}{whole}.{tenth}"
    twos = (bottom & -bottom).bit_length() - 1
    rest, fives = bottom >> twos, 0
    while rest % 5 == 0:
        rest, fives = rest // 5, fives + 1
    places = max(twos, fives)
    if rest > 1 or places > _MAX_PLACES:
        return f"{top}/{bottom}"
    digits = str(abs(top) * 10**places // bottom).zfill(places + 1)
    return f"{'-' if top < 0 else ''}{digits[:-places]}.{digits[-places:]}"


def round_value(value: Fraction, rounding: str) -> Fraction:
    """Return the value rounded by a rule: "" (none), "floor", "ceil", or "places:2" (half away from zero).

    >>> round_value(Fraction(31, 2), "ceil"), round_value(Fraction(-5, 2), "places:0")
    (Fraction(16, 1), Fraction(-3, 1))
    """
    if not rounding:
        return value
    if rounding == "floor":
        return Fraction(value.numerator // value.denominator)
    if rounding == "ceil":
        return Fraction(-(-value.numerator // value.denominator))
    rule, _, places = rounding.partition(":")
    if rule != "places" or not re.fullmatch("[0-9]{1,2}", places) or int(places) > _MAX_PLACES:
        raise ExpressionError(
            f"unknown rounding {rounding[:60]!r}; use '', 'floor', 'ceil' "
            f"or 'places:N' with N up to {_MAX_PLACES}"
        )
    scale = 10 ** int(places)
    size = (2 * abs(value.numerator) * scale + value.denominator) // (2 * value.denominator)
    return Fraction(size if value.numerator >= 0 else -size, scale)


def rounds_to(value: Fraction, wanted: Fraction, rounding: str) -> bool:
    """Return whether the rule rounds to this number. On a tie, both neighbours are valid: sources differ.

    >>> [rounds_to(Fraction(value), Fraction("4.12"), "places:2") for value in ("4.1249", "4.125", "4.126")]
    [True, True, False]
    """
    rounded = round_value(value, rounding)
    # Half away from zero: on a tie, the other neighbour is also valid.
    tie = rounding.startswith("places:") and 2 * abs(rounded - value) * 10 ** int(rounding[7:]) == 1
    return wanted == rounded or (tie and wanted == 2 * value - rounded)
