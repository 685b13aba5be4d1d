"""Amounts of a report, recognised by lower-case context, so that case is irrelevant.

"Item 7", "item 7" and "( 1 )" are labels in any case. A number without evidence that it is an amount is
excluded.
"""

from __future__ import annotations

import re
from typing import Final

from dnc_datasets.english.lexicon import (
    BEFORE_COUNT,
    NUMBERED_NOUNS,
    REFERENCE_NOUNS,
    REPORT_UNITS,
    SECURITIES,
    SINGULARS_IN_S,
)

_WINDOW: Final = 48
_JOINS: Final = frozenset(("and", "or", "to", "&"))
_NAMED: Final = ("notes", "items", "sections", "pages")
_NAMING: Final = frozenset(word.lower() for word in (*NUMBERED_NOUNS, *REFERENCE_NOUNS))
_MONEY_BEFORE: Final = re.compile(r"[$€£¥₹฿] ?\(? ?[-−]?\Z")
_PERCENT_AFTER: Final = re.compile(r" ?%| ?per ?cent\b| percentage points?\b")
_SECURITY_AFTER: Final = re.compile(r"(?: ?%| percent) ([a-z]+)")
_FORM_AFTER: Final = re.compile(r" ?-? ?[kq]\b|[-/][a-z]\b")
_MARK: Final = re.compile(r"\d{1,2}")
_WORDS_AFTER: Final = re.compile(r" ([a-z][a-z'-]*)(?: ([a-z][a-z'-]*))?(?: ([a-z]+))?")
_PUNCTUATION: Final = frozenset((",", "(", ":", ";", ".", "2013", "2014", "-", "—", "–"))
_GROUPED: Final = re.compile(r"\d{1,3}(?:,\d{3})+(?:\.\d+)?")
# "in 2019, 41 shares": a new part of the sentence, and no list of numbers.
_YEAR_BEFORE: Final = re.compile(r"\b(?:19|20)\d\d ?,(?: and)? \Z")
# "0160" is a code.
_CODE: Final = re.compile(r"0\d+")
# The two numbers of "60 to 180 days" belong together.
_RANGE_BEFORE: Final = re.compile(r"\d to \Z")
_RANGE_AFTER: Final = re.compile(r" to \d")
_MANY_DIGITS: Final = 5


def folded(text: str) -> str:
    """Return the text in lower case; every character keeps its position."""
    lower = text.lower()
    return lower if len(lower) == len(text) else "".join(map(_small, text))


def _small(char: str) -> str:
    return char.lower() if len(char.lower()) == 1 else char


def is_amount(text: str, start: int, end: int, *, in_range: bool = False) -> bool:
    """Return whether the number text[start:end] of a folded report is an amount or a count.

    The numbers of a range, "60 to 180 days", qualify only with `in_range`.

    >>> is_amount("see item 7 .", 9, 10), is_amount("in 12 countries", 3, 5)
    (False, True)
    """
    before, surface = text[max(0, start - _WINDOW) : start], text[start:end]
    if _FORM_AFTER.match(text, end):
        return False
    if share := _PERCENT_AFTER.match(text, end):
        named = _SECURITY_AFTER.match(text, end)
        return share is not None and not (named and named[1] in SECURITIES)
    if _MONEY_BEFORE.search(before):
        return True
    if _is_mark(text, start, end) or _CODE.fullmatch(surface):
        return False
    if not in_range and (_RANGE_BEFORE.search(before) or _RANGE_AFTER.match(text, end)):
        return False
    word = _word_before(before)
    if word.strip("(.").lower() in _NAMING:
        return False
    if _GROUPED.fullmatch(surface):
        return True
    opens = not word and surface.isalpha()  # numbers of pages and headings open a paragraph in digits
    if word not in BEFORE_COUNT and word not in _PUNCTUATION and not opens:
        return False
    return "." in surface or (len(surface) >= _MANY_DIGITS and surface.isdigit()) or _counts(text, end)


def preceding_label(before: str) -> str:
    """Return the last word before a number, without other numbers: "Notes" of "Notes 5 and "."""
    words = before.split()
    while len(words) > 2 and words[-1] in _JOINS and _is_number(words[-2].rstrip(",")):
        del words[-2:]
    while words and words[-1][-1] == "," and _is_number(words[-1][:-1]):
        del words[-1]
    return words[-1] if words else ""


def _is_number(word: str) -> bool:
    return word.replace(".", "", 1).isdigit()


def _is_mark(text: str, start: int, end: int) -> bool:
    """Return whether a short number in brackets marks a note or an item of a list: "( 1 )"."""
    opened = text[max(0, start - 2) : start].rstrip().endswith("(")
    return (
        opened
        and text[end : end + 2].lstrip().startswith(")")
        and _MARK.fullmatch(text, start, end) is not None
    )


def _word_before(before: str) -> str:
    """Return the word before a number, or before a list of numbers: "items 5 and 7"."""
    if _YEAR_BEFORE.search(before):
        return ","
    return preceding_label(before)


def _counts(text: str, end: int) -> bool:
    """Return whether a plural or a unit follows: "31 plants", "12 major countries", "110 mmboe"."""
    following = _WORDS_AFTER.match(text, end)
    if following is None:
        return False
    words = [word for word in following.groups() if word]
    if words[0] in REPORT_UNITS or words[0] == "of":
        return words[0] != "of" or (len(words) > 1 and words[1] in ("the", "our", "its", "these", "those"))
    for word in words:
        if ends_count(word):
            return False
        if is_plural(word):
            return True
    return False


def is_plural(word: str) -> bool:
    """Return whether a lower-case word after a number is its counted noun: "plants"."""
    return word.endswith("s") and not word.endswith("ss") and len(word) > 2 and not ends_count(word)


def ends_count(word: str) -> bool:
    """Return whether a word cannot occur between a number and its noun: "in", "was"."""
    return word in BEFORE_COUNT or word in SINGULARS_IN_S or word in _NAMED
