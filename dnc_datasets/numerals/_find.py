"""Finds the numbers of a text, and reads a string that is one number."""

from __future__ import annotations

import re
from fractions import Fraction
from functools import lru_cache

from dnc_datasets.numerals import _context, _digits
from dnc_datasets.numerals._quantity import Quantity
from dnc_datasets.numerals._tokens import DASHES, NUMBER_GROUP, OPAQUE, TOKEN, WORD_GROUP
from dnc_datasets.numerals._words import PLAIN, RUN, read_run

_MAX_CACHED_TEXTS = 4096
_MAX_PARSED = 1000
_PERCENT = re.compile(r"\s?(?:%|per\s?cent)$")
_RUN = re.compile(RUN)
# About twice as fast as calling the class, and most of the work on a short text.
_new = tuple.__new__


@lru_cache(maxsize=_MAX_CACHED_TEXTS)
def find(text: str) -> tuple[Quantity, ...]:
    """Every number of the text, in order and without overlaps; the package says what counts as one.

    >>> [(q.text, str(q.value), q.kind) for q in find("Two pens cost $1.50 each.")]
    [('Two', '2', 'word'), ('1.50', '3/2', 'money')]
    """
    line = f" {_lower(text)} "
    if "[" in line or "@" in line or "//" in line or "www." in line or "&#" in line:
        line = OPAQUE.sub(_blank, line)
    found: list[Quantity] = []
    month_end = -1
    for match in TOKEN.finditer(line):
        tail = match.lastgroup
        at = match.start()
        if tail == "number":
            surface = match[NUMBER_GROUP]
            # Nothing but a month before it can make short digits between blanks anything else.
            if line[at] == " " and len(surface) < 4 and at != month_end:
                start, end = match.span(NUMBER_GROUP)
                kind = "decimal" if "." in surface else "cardinal"
                value = _digits.read(surface)
                found.append(_new(Quantity, (surface, value, start - 1, end - 1, kind, "")))
                continue
        elif tail == "word":
            value = PLAIN.get(match[WORD_GROUP])
            if value is not None and line[at] == " ":
                start, end = match.span(WORD_GROUP)
                found.append(
                    _new(Quantity, (text[start - 1 : end - 1], value, start - 1, end - 1, "word", ""))
                )
            else:
                found += _words_at(match, line, text, found[-1] if found else None)
            continue
        elif tail == "month":
            if _digits.is_month(text, match.start(tail) - 1, match[tail]):
                month_end = match.end()
            continue
        found += _digits.numbers_at(match, line, text, found[-1] if found else None, at == month_end)
    return tuple(found)


@lru_cache(maxsize=65536)
def parse(text: str) -> Fraction | None:
    """The value of a string that is exactly one number, in digits or words; None for any other string.

    A currency or percent sign and a full stop may stand with it; 5% is 5, as in `find`.

    >>> parse("$1,050"), parse("twenty-one"), parse("3 pens")
    (Fraction(1050, 1), Fraction(21, 1), None)
    """
    if len(text) > _MAX_PARSED:
        return None
    text = _PERCENT.sub("", text.strip().lower().removesuffix("."))
    value = _digits.read(text)
    if value is not None:
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


def _lower(text: str) -> str:
    lower = text.lower()
    if len(lower) == len(text):
        return lower
    # One letter has a longer lower case; the places of all others must stay.
    return "".join(char if len(char.lower()) > 1 else char.lower() for char in text)


def _blank(match: re.Match[str]) -> str:
    return "_" * len(match[0])


def _words_at(match: re.Match[str], line: str, text: str, last: Quantity | None) -> list[Quantity]:
    """The numbers of a run of number words, as far as the words around it allow."""
    start, end = match.span(WORD_GROUP)
    at = match.start()
    if start == at + 1 and line[at] in DASHES and _context.is_name_part(line, at):
        return []
    if line[end] == "-" and line[end + 1].isalpha():
        follows = "-"
    else:
        follows = "of" if line.startswith(" of ", end) else ""
    found = []
    for value, first, stop, kind, bare in read_run(match[WORD_GROUP], follows):
        first, stop = start + first, start + stop
        if bare and _context.denies(bare, line, first, stop):
            continue
        if value < 0 and last is not None and last.end == first - 2:  # "ten minus three"
            first = line.index(" ", first) + 1
            value = -value
        found.append(Quantity(text[first - 1 : stop - 1], value, first - 1, stop - 1, kind))
    return found
