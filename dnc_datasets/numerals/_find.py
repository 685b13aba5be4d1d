"""Finder of the numbers of a text, by the number conventions of that text, and parser of a single number."""

from __future__ import annotations

import re
from fractions import Fraction
from functools import lru_cache
from typing import Final

from dnc_datasets.numerals import _context, _digits, chinese
from dnc_datasets.numerals._quantity import Quantity
from dnc_datasets.numerals._tokens import AMOUNT, DASHES, OPAQUE, TOKEN, WORD
from dnc_datasets.numerals._words import PLAIN, RUN, read_run

# Size limit of the cache in characters, and the overhead of an entry; as in `memoization`.
_MOST: Final = 1 << 20
_OTHERS: Final = 100
_MAX_CACHED_TEXTS: Final = 4096
_MAX_PARSED = 1000
_BLANKS = "\u00a0\u2007\u2009\u200a\u202f"
_PERCENT = re.compile(r"\s?(?:%|per\s?cent)$")
_RUN = re.compile(RUN)
# About twice as fast as calling the class, and most of the work on a short text.
_new: Final = tuple.__new__
# The ratios of the digits of most texts.
_SMALL: Final = {str(value): (value, 1) for value in range(3000)}
# Results for recent texts. An lru_cache would add a tenth to the time of `find`.
_found: Final[dict[str, tuple[Quantity, ...]]] = {}
_held: Final = [0]  # characters of these texts
_CODES: Final = (
    r"(?:rmb|usd|eur|gbp|cny|hkd|jpy|inr|aud|cad|nzd|chf|sek|nok|dkk|sgd|krw|brl|zar|nt"
    r"|(?<=\$)(?:us|nz|hk|a|c|s))"
)
_SPACED: Final = (
    r"(?<![0-9.,$£€¥/:-])(?<![0-9] )[1-9][0-9]{0,2}(?: [0-9]{3}){1,6}(?! ?[0-9]|[.,/:-][0-9]|[a-z%])"
)
_POINTED: Final = r"(?<![0-9.,])[1-9][0-9]{0,2}(?:\.[0-9]{3}){1,6},[0-9]{1,4}(?![0-9]|[.,][0-9])"
# Quick test for numbers in another convention. A letter directly before a digit may end a code.
FOREIGN: Final = re.compile(rf"[0-9][ .][0-9]{{3}}(?![0-9])|(?<![a-z]){_CODES}[0-9]")
# The shape of a text has "0" for each digit, "a" for each letter and a blank for each blank or point. A text with a
# match of FOREIGN contains one of these shapes, for which the search is many times faster.
_SHAPE: Final = bytes(
    ord("0" if char.isdigit() else "a" if char.islower() else " " if char in " ." else "-")
    for char in map(chr, range(128))
).ljust(256, b"-")
_THOUSANDS: Final = b"0 000"
_CODE: Final = b"a0"
_CODE_BEFORE: Final = re.compile(rf"(?<![a-z]){_CODES}(?=[0-9])")
_SPACED_NUMBER: Final = re.compile(_SPACED)
_POINTED_NUMBER: Final = re.compile(_POINTED)
# In a text with "1.234,56", "1.234" is a thousand and "12,5" twelve and a half.
_IN_THAT_TEXT: Final = re.compile(
    rf"{_POINTED}|(?<![0-9.,])(?:[1-9][0-9]{{0,2}}(?:\.[0-9]{{3}}){{1,6}}|[0-9]{{1,12}},[0-9]{{1,4}})(?![0-9]|[.,][0-9])"
)
_GROUPED: Final = re.compile(r"[0-9],[0-9]{3}(?![0-9])")
# Digits joined to letters are part of a name, with the characters after them: "v2.5", "20ac590.5".
_TIED: Final = re.compile(r"[a-z][0-9]{1,16}$")
_REACH: Final = 18
_HARD_BLANKS: Final = "\u00a0\u2007\u2009\u202f"
_SWAPPED: Final = str.maketrans({".": ",", ",": "."})


def find(text: str) -> tuple[Quantity, ...]:
    """Return every number of the text, in order and without overlaps.

    The docstring of the package lists the strings that count as numbers.

    >>> [(q.text, str(q.value), q.kind) for q in find("Two pens cost $1.50 each.")]
    [('Two', '2', 'word'), ('1.50', '3/2', 'money')]
    """
    known = _found.get(text)
    if known is None:
        known = tuple(_search(text))
        size = len(text) + _OTHERS
        if size > _MOST // 8:
            return known
        if _held[0] + size > _MOST:
            forget()
        _held[0] += size
        _found[text] = known
    return known


def forget() -> None:
    """Clear the cache of `find`, so that a benchmark measures it without the cache."""
    _found.clear()
    _held[0] = 0


def _search(text: str) -> list[Quantity]:
    line = f" {text.lower()} " if text.isascii() else _plain(text)
    if "[" in line or "@" in line or "/" in line or "&" in line:
        line = OPAQUE.sub(_blank, line)
    shape = line.encode("ascii", "replace").translate(_SHAPE)
    if (_THOUSANDS in shape or _CODE in shape) and FOREIGN.search(line):
        line = as_usual(line, text)
    found: list[Quantity] = []
    done = 0
    amount, plain, small = AMOUNT, PLAIN, _SMALL  # local names are looked up faster
    for match in TOKEN.finditer(line):
        at, end = match.span()  # places in the line are one more than in the text
        if match.lastindex == amount:
            surface = text[at : end - 1]
            if (ratio := small.get(surface)) is not None:  # nearly all
                kind = "money" if line[at] == "$" else "cardinal"
                found.append(_new(Quantity, (surface, ratio, at, end - 1, kind, "")))
            elif (ratio := _digits.read(line[at + 1 : end])) is not None:
                kind = "money" if line[at] == "$" else "decimal" if "." in line[at + 1 : end] else "cardinal"
                found.append(_new(Quantity, (surface, ratio, at, end - 1, kind, "")))
        elif match.lastindex == WORD:
            known = plain.get(line[at + 1 : end])
            if known is not None and line[at] == " ":
                found.append(_new(Quantity, (text[at : end - 1], known, at, end - 1, "word", "")))
            else:
                found += _words_at(line, text, at, end, done, found[-1] if found else None)
        elif at >= done and not (line[at] in ".," and _TIED.search(line, max(0, at - _REACH), at)):
            numbers, done = _digits.numbers_at(line, text, at, end, found[-1] if found else None)
            found += numbers
    if not text.isascii() and chinese.ANY.search(text):
        found = sorted((*found, *chinese.find(text)), key=lambda quantity: quantity.start)
    return found


def parse(text: str) -> Fraction | None:
    """Return the value of a string that is exactly one number in digits or words, otherwise None.

    The string may contain a currency or percent sign and a full stop. "5%" is 5, as in `find`.

    >>> parse("$1,050"), parse("twenty-one"), parse("3 pens")
    (Fraction(1050, 1), Fraction(21, 1), None)
    """
    return None if len(text) > _MAX_PARSED else _parsed(text)


@lru_cache(maxsize=_MAX_CACHED_TEXTS)
def _parsed(text: str) -> Fraction | None:
    if not text.isdigit():
        text = _PERCENT.sub("", text.strip().lower().removesuffix("."))
    ratio = _digits.read(text)
    if ratio is None and FOREIGN.search(f" {text} "):
        ratio = _digits.read(as_usual(f" {text} ", text)[1:-1].strip())
    if ratio is not None:
        return Fraction(*ratio)
    if not text.isascii() and (value := chinese.parse(text)) is not None:
        return value
    over, _, under = text.partition(" over ")
    if under:
        numerator, denominator = _parse_words(over), _parse_words(under)
        return numerator / denominator if numerator is not None and denominator else None
    return _parse_words(text)


def _parse_words(text: str) -> Fraction | None:
    run = _RUN.match(f"{text} of ")  # as if "of" followed, so that "three quarters" is 3/4
    if not run or run.end() != len(text):
        return None
    readings = read_run(text, "of")
    whole = len(readings) == 1 and (readings[0].start, readings[0].end) == (0, len(text))
    return readings[0].value if whole else None


def _plain(text: str) -> str:
    """Return the text in lower case with plain blanks; every character keeps its position."""
    lower = text.lower()
    if len(lower) != len(text):  # one letter has a longer lower case
        lower = "".join(char if len(char.lower()) > 1 else char.lower() for char in text)
    for blank in _BLANKS:  # five times as fast as translate
        lower = lower.replace(blank, " ")
    return f" {lower} "


def _blank(match: re.Match[str]) -> str:
    return " " * len(match[0])


def _words_at(line: str, text: str, at: int, end: int, done: int, last: Quantity | None) -> list[Quantity]:
    """Return the numbers of a run of number words that the context permits."""
    if line[at] in DASHES and _context.is_name_part(line, at):
        return []
    if line[end] == "-" and line[end + 1].isalpha():
        follows = "-"
    else:
        follows = "of" if line.startswith(" of ", end) else ""
    found = []
    for value, start, stop, kind, bare in read_run(line[at + 1 : end], follows):
        first, after = at + start, at + stop  # in the text
        if first + 1 < done or (bare and _context.denies(bare, line, first + 1, after + 1)):
            continue
        if value < 0 and last is not None and last.end == first - 1:  # "ten minus three"
            first = text.index(" ", first) + 1
            value = -value
        found.append(Quantity(text[first:after], value.as_integer_ratio(), first, after, kind))
    return found


def as_usual(line: str, text: str) -> str:
    """Return the line with its numbers in the English convention: "20,000", "1,234.56", " $3,550".

    >>> as_usual(" a total of 20 000 or 1.234,56 ", "a total of 20 000 or 1.234,56")
    ' a total of 20,000 or 1,234.56 '
    """
    grouped = _GROUPED.search(line) is not None and not _POINTED_NUMBER.search(line)
    line = _CODE_BEFORE.sub(lambda match: "$".rjust(len(match[0])), line)
    if _POINTED_NUMBER.search(line):
        line = _IN_THAT_TEXT.sub(lambda match: match[0].translate(_SWAPPED), line)
    spaced = list(_SPACED_NUMBER.finditer(line))
    if spaced and not grouped and any(_is_one_number(one, text) for one in spaced):
        line = _SPACED_NUMBER.sub(lambda match: match[0].replace(" ", ","), line)
    return line


def _is_one_number(match: re.Match[str], text: str) -> bool:
    """Return whether the groups of digits are certainly one number.

    They are with non-breaking blanks, with three groups, or as a multiple of a thousand.
    """
    written = text[match.start() - 1 : match.end() - 1]
    return (
        match[0].count(" ") > 1
        or match[0].endswith(" 000")
        or any(blank in written for blank in _HARD_BLANKS)
    )
