"""Reader of numbers written in digits, alone and as tokens of a text."""

from __future__ import annotations

import re
from fractions import Fraction
from math import gcd
from unicodedata import numeric

from dnc_datasets.numerals import _context
from dnc_datasets.numerals._quantity import Quantity, Ratio
from dnc_datasets.numerals._tokens import (
    CURRENCIES,
    DASHES,
    MAX_DIGITS,
    MONTHS,
    MULTIPLES,
    NUMBER,
    TAIL,
    VULGAR_FRACTIONS,
)

_MINUS = "-−"
# Characters that may precede a minus sign. After a letter or a digit, the sign is a hyphen.
_BEFORE_MINUS = " \t\n\r\u00a0([{\"'“‘=,:+*/×÷<>≤≥~|" + CURRENCIES
# A point after these characters ends a sentence: "(so he said).5 of them".
_AFTER_WHICH_A_POINT_ENDS = ".)]\"'”’"
_SHARES = {"half": Fraction(1, 2), "third": Fraction(1, 3), "quarter": Fraction(1, 4)}
_SURFACE = re.compile(
    rf"([+\-−]?)[{CURRENCIES}]?\s?([+\-−]?)(?:({NUMBER}|\.[0-9]+)"
    r"(?:[\s-]([0-9]+)/([0-9]+)|/([0-9]+)|st|nd|rd|th"
    rf"|[\s-]({'|'.join(MULTIPLES)})|\sand\s(?:an?|one)[\s-](half|third|quarter))?)?([{VULGAR_FRACTIONS}]?)"
)
_KIND_OF_TAIL = {
    "percent": "percent",
    "percent_sign": "percent",
    "percent_tied": "percent",
    "hour": "time",
    "hour_tied": "time",
    "coin": "money",
    "ordinal": "ordinal",
    "fraction": "fraction",
    "mixed": "fraction",
    "mixed_tied": "fraction",
    "share": "fraction",
    "vulgar": "fraction",
}
# Tails that are part of the number, and tails that are separate numbers.
_IN_SPAN = frozenset("ordinal fraction mixed mixed_tied multiple multiple_tied share vulgar".split())
_IN_PARTS = {"clock": "time", "date": "date", "date_dashed": "date"}
_PART = re.compile(r"[0-9]+(?:\.[0-9]+)?")
_MONTH_BEFORE = re.compile(rf"(?<![a-z])({MONTHS})\.? $")
_LONGEST_MONTH = len(" september.")
# The last two characters of a month. Few other words before a number end in them.
_MONTH_ENDS = frozenset(
    end
    for name in "january february march april may june july august september october november december sept".split()
    for month in (name, name[:3])
    for end in (month[-2:], f"{month[-1]}.")
)
_new = tuple.__new__  # about twice as fast as calling the class
# "may 31 , 2008", "ended may 31": a date in lower case.
_DATE_AFTER = re.compile(
    r"[a-z]+\.? [0-9]{1,2}(?:st|nd|rd|th)? ?,? (?:19|20)[0-9]{2}\b|[a-z]+\.? (?:19|20)[0-9]{2}\b"
)
_DATE_BEFORE = re.compile(
    r"\b(?:on|of|ended|ending|since|until|till|before|after|by|from|through|at|in|and|[0-9]{1,2}) $"
)
_DAY_AFTER = re.compile(r"[a-z]+\.? [0-9]{1,2}(?:st|nd|rd|th)?(?: ?[,.;:)]|$| (?!\S*s\b))")
_REST_OF_YEARS = re.compile(r"[-–—](?:[0-9]{4}|[0-9]{2})(?![0-9])")


_SCALE_LETTERS = re.compile(r"(?:bn|mn|mm|tn|m|b|k)(?![a-z0-9])")
_LETTER_SCALES = {"k": 10**3, "m": 10**6, "mn": 10**6, "mm": 10**6, "b": 10**9, "bn": 10**9, "tn": 10**12}


def read(surface: str) -> Ratio | None:
    """Return the value of a number in lower-case digits: "1,050", "-3", "1 1/2", "16th", "2.5 million"."""
    if len(surface) > 2 * MAX_DIGITS:
        return None
    whole, _, decimals = surface.partition(".")
    if surface.isascii() and whole.isdigit() and (decimals.isdigit() or whole == surface):  # the usual case
        if not decimals.strip("0"):
            return int(whole), 1
        top, bottom = int(whole + decimals), 10 ** len(decimals)
        shared = gcd(top, bottom)
        return top // shared, bottom // shared
    match = _SURFACE.fullmatch(surface)
    if not match:
        return None
    sign, inner_sign, number, over, under, denominator, multiple, share, symbol = match.groups()
    if (not number and not symbol) or (sign and inner_sign):
        return None
    if number and not (over or denominator or multiple or share or symbol):
        top, bottom = _plain(number)
        return (-top if (sign or inner_sign) in ("-", "−") else top), bottom
    value = Fraction(*_plain(number)) if number else Fraction(0)
    if over:
        if int(under) <= int(over) or value.denominator > 1:
            return None
        value += Fraction(int(over), int(under))
    elif denominator:
        if not int(denominator):
            return None
        value /= int(denominator)
    elif multiple:
        value *= MULTIPLES[multiple]
    elif share:
        value += _SHARES[share]
    if symbol:
        value += Fraction(numeric(symbol)).limit_denominator(10)
    return (-value if (sign or inner_sign) in ("-", "−") else value).as_integer_ratio()


def _plain(number: str) -> Ratio:
    whole, _, decimals = number.replace(",", "").partition(".")
    if not decimals:
        return int(whole), 1
    top, bottom = int(whole + decimals), 10 ** len(decimals)
    shared = gcd(top, bottom)
    return top // shared, bottom // shared


def numbers_at(line: str, text: str, at: int, end: int, last: Quantity | None) -> tuple[list[Quantity], int]:
    """Return the numbers of one token in digits, and the position at which the token ends.

    `line[at]` is the character before the digits, `end` the position after them, and `last` the number
    before.
    """
    start = at + 1
    match = TAIL.match(line, end)
    tail, stop = (match.lastgroup or "", match.end()) if match else ("", end)
    after_blank = line[at] == " "  # the most frequent case
    if tail in ("version", "name") or end - start > MAX_DIGITS or (not after_blank and _belongs(line, at)):
        return [], stop
    if match and tail == "fraction" and _context.looks_like_year(line[start:end]) and len(match[tail]) < 3:
        return _parts(text, start, stop, "year"), stop  # "1568/9"
    if tail in _IN_PARTS:
        return _parts(text, start, stop, _IN_PARTS[tail]), stop
    if tail in _IN_SPAN:
        end = stop
    first, money = (start, line[at - 1] in CURRENCIES) if after_blank else _with_sign(line, at)
    if money and match and tail == "unit" and (scale := _SCALE_LETTERS.match(line, end)):
        scaled = read(line[first:end])
        if scaled is not None:  # "$3.4bn", "£386m"
            value = Fraction(*scaled) * _LETTER_SCALES[scale[0]]
            end = scale.end()
            return [
                Quantity(text[first - 1 : end - 1], value.as_integer_ratio(), first - 1, end - 1, "money")
            ], end
    surface = line[first:end]
    ratio = (int(surface), 1) if surface.isascii() and surface.isdigit() else read(surface)
    if ratio is None:  # "1/0", "5 7/2"
        return _parts(text, start, end, "cardinal"), stop
    kind = "decimal" if "." in surface else "cardinal"
    if money:
        kind = "money"
    elif tail in _KIND_OF_TAIL:
        kind = _KIND_OF_TAIL[tail]
    elif not line[start].isascii():
        kind = "fraction"
    elif first == start and kind == "cardinal":
        kind = _kind_of_integer(line, text, start, end, match, last)
    return [_new(Quantity, (text[first - 1 : end - 1], ratio, first - 1, end - 1, kind, ""))], stop


def _kind_of_integer(
    line: str, text: str, start: int, end: int, match: re.Match[str] | None, last: Quantity | None
) -> str:
    """Return the kind of an unsigned integer: year, date, range or cardinal."""
    at, surface = start - 1, line[start:end]
    tail = (match and match.lastgroup) or ""
    in_range = line[at] in DASHES and line[at - 1].isdigit()
    if tail == "era" and match:
        return "year" if text[match.start(tail) - 1].isupper() else "cardinal"
    if len(surface) == 2 and line[at] in "'’" and not line[at - 1].isalnum():
        return "year"  # "'96", "the '90s"
    if in_range and last and last.kind == "year" and last.end == at - 1 and len(surface) in (2, 4):
        return "year"  # the end of "1995-96"
    month = None
    if line[at] == " " and line[at - 2 : at] in _MONTH_ENDS:
        month = _MONTH_BEFORE.search(line, max(0, at - _LONGEST_MONTH), start)
    if month and not _is_month(text, month.start(1) - 1, month[1]):
        month = None
    if _context.looks_like_year(surface):
        if tail == "decade" or month or (tail == "range" and _REST_OF_YEARS.match(line, end)):
            return "year"
        if tail in ("", "day") and _context.is_year(line, text, start, end, last):
            return "year"
    if len(surface) < 3 and (
        month or (match and tail == "day" and _is_month(text, match.start(tail) - 1, match[tail]))
    ):
        return "date"
    return "range" if tail == "range" or in_range else "cardinal"


def _is_month(text: str, start: int, name: str) -> bool:
    """Return whether this word is a month and not a verb.

    "may" and "march" are months with a capital letter, or between other words of a date.
    """
    if not name.startswith(("may", "mar")) or text[start].isupper():
        return True
    before, after = text[max(0, start - 12) : start].lower(), text[start : start + 24].lower()
    return bool(_DATE_AFTER.match(after)) or bool(_DATE_BEFORE.search(before) and _DAY_AFTER.match(after))


def _parts(text: str, start: int, end: int, kind: str) -> list[Quantity]:
    return [
        Quantity(part[0], _plain(part[0]), part.start(), part.end(), kind)
        for part in _PART.finditer(text, start - 1, end - 1)
    ]


def _belongs(line: str, at: int) -> bool:
    """Return whether the character at this position joins the digits to a name, path or page reference."""
    mark, before = line[at], line[at - 1]
    if mark in DASHES:
        return _context.is_name_part(line, at)
    return (mark == "/" and before.isalpha()) or (mark == ":" and before == ".")


def _with_sign(line: str, at: int) -> tuple[int, bool]:
    """Return the start of the number, with its sign and leading point, and whether it is money."""
    mark, before = line[at], line[at - 1]
    if mark in CURRENCIES:
        return (at - 1 if _is_minus(line, at - 1) else at + 1), True
    if mark == "." and not before.isalnum() and before not in _AFTER_WHICH_A_POINT_ENDS:
        return (at - 1 if _is_minus(line, at - 1) else at), before in CURRENCIES
    if _is_minus(line, at):
        return at, before in CURRENCIES
    return at + 1, False


def _is_minus(line: str, at: int) -> bool:
    return line[at] in _MINUS and line[at - 1] in _BEFORE_MINUS
