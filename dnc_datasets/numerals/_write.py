"""Writer of exact values in digits, in the format of the number that they replace."""

from __future__ import annotations

import re
from fractions import Fraction

from dnc_datasets.errors import DncError
from dnc_datasets.numerals._spell import decimal_places

# Python refuses to write integers of more than 4300 digits; 13,000 bits are 3914 digits.
_MAX_BITS = 13_000
_MOST_SAID = 4
# "20 000" and "1.234,56".
_CONVENTION = re.compile(
    r"(?P<pointed>[0-9]{1,3}(?:\.[0-9]{3})+,[0-9]+)|[0-9]{1,3}(?:[ \u00a0\u2007\u2009\u202f][0-9]{3})+"
)
_MANNER = re.compile(r"[-−]?([$£€¥₹฿]?)([0-9,]*)(?:\.([0-9]+))?(st|nd|rd|th)?", re.I)


def digits(value: Fraction | int, like: str = "") -> str:
    """Return the value in digits: integers and terminating decimals as such, other values as a fraction.

    `like`, the number that the value replaces, determines the format: thousands grouping, the minimum number
    of decimals, the suffix of an ordinal, or a fraction. A leading comma requests grouping.

    >>> digits(Fraction(73, 10)), digits(Fraction(22, 7)), digits(2050, like="1,050"), digits(9, like="1.00")
    ('7.3', '22/7', '2,050', '9.00')
    """
    numerator, denominator = value.numerator, value.denominator
    if numerator.bit_length() > _MAX_BITS or denominator.bit_length() > _MAX_BITS:
        raise DncError("a number of more than 3900 digits cannot be written; check where it comes from")
    if denominator == 1 and (not like or like == "1,000"):
        return f"{numerator:,}" if like else str(numerator)
    if like.isdigit():  # the most frequent case
        if denominator == 1:
            return str(numerator)
        if denominator == 10 or denominator == 5 or denominator == 2:
            whole, tenth = divmod(abs(numerator) * (10 // denominator), 10)
            return f"{'-' if numerator < 0 else ''}{whole}.{tenth}"
    if denominator == 1 and like.isascii() and like.replace(",", "").isdigit():
        return f"{numerator:,}"
    if "/" in like and denominator > 1:
        return _fraction(numerator, denominator, mixed=" " in like)
    if convention := _CONVENTION.fullmatch(like.removeprefix(",")):
        return _in_convention(value, convention[0], bool(convention["pointed"]))
    manner = _MANNER.match(like)
    assert manner is not None  # every part is optional
    currency, grouped, decimals, suffix = manner.groups()
    wanted = len(decimals or "")
    sign = "-" if numerator < 0 else ""
    places = decimal_places(denominator)
    if places is None or places * 4 > _MAX_BITS:
        return _fraction(numerator, denominator, mixed=False)
    group = "," if "," in grouped else ""
    whole, part = divmod(abs(numerator) * 10**places // denominator, 10**places)
    text = f"{sign}{currency}{whole:{group}}"
    if places or wanted:
        padded = f"{part:0{places}d}" if places else ""
        return f"{text}.{padded.ljust(wanted, '0')}"
    return text + _suffix(whole) if suffix else text


def is_local(surface: str) -> bool:
    """Return whether a number has points or blanks between its thousands.

    >>> is_local("1.234,56"), is_local("20 000"), is_local("1,050")
    (True, True, False)
    """
    return _CONVENTION.fullmatch(surface) is not None


def _in_convention(value: Fraction | int, like: str, pointed: bool) -> str:
    """Return the value in another number convention, given by `like`: "1.234,56" or "20 000"."""
    usual = like.replace(".", "").replace(",", ".") if pointed else "1,000"
    written = digits(value, like=f"1,{usual}" if pointed else usual)
    if pointed:
        return written.translate(str.maketrans(",.", ".,"))
    blank = next(char for char in like if not char.isdigit())
    return written.replace(",", blank)


def said(value: Fraction) -> str:
    """Return the value as in a conversation: exact up to four decimals, otherwise with two.

    >>> said(Fraction(5, 4)), said(Fraction(48000, 1601)), said(Fraction(-8))
    ('1.25', '29.98', '-8')
    """
    places = decimal_places(value.denominator)
    if places is None or places > _MOST_SAID:
        value = Fraction(round(value * 100), 100)
    return digits(value)


def _fraction(numerator: int, denominator: int, mixed: bool) -> str:
    if not mixed or abs(numerator) < denominator:
        return f"{numerator}/{denominator}"
    whole, rest = divmod(abs(numerator), denominator)
    return f"{'-' if numerator < 0 else ''}{whole} {rest}/{denominator}"


def _suffix(whole: int) -> str:
    if whole % 100 in (11, 12, 13):
        return "th"
    return {1: "st", 2: "nd", 3: "rd"}.get(whole % 10, "th")
