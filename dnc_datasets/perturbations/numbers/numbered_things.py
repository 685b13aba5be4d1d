"""Numbers in any text that are names, positions or list items: "page 1", "2.

Dig", "3G", "tie the game at 29".
"""

from __future__ import annotations

import re
import unicodedata
from typing import Final

from dnc_datasets.english.lexicon import LABELS_BEFORE_NUMBER, PROPER_NAMES_BEFORE_NUMBER

_WINDOW: Final = 40
# "page 21", "class 1 grade 6", but not "in the class 30 children": after an article, the number is a count.
_LABEL: Final = re.compile(
    r"(?<!\bthe )(?<!\ba )(?<!\beach )(?<!\bher )(?<!\bhis )(?<!\btheir )(?<!\bevery )(?<!\bthis )(?<!\bper )"
    r"\b(?:pages?|chapter|grade|room|class|route|highway|level|lesson|exercise|channel|flight|apartment)"
    r"(?: \d+ (?:and|to|or))? $",
    re.IGNORECASE,
)
_NAME: Final = re.compile(
    r"\b(?:ASC|IFRS|IAS|ASU|FY|Model|Windows|Interstate|iP(?:hone|ad|od)|No\.|Nos\.) ?$|#$"
)
_ENDS: Final = (
    r"(?:[.,;:?!)]|$| (?:and|or|in|on|at|was|late|early|when|with|by|but|before|after|to|as|while)\b)"
)
_SCORE_BEFORE: Final = re.compile(
    r"\b(?:ti(?:e|ed|es|ing)|knotted|evened|score)\b[^.]{0,25}\bat $|\bown $|"
    r"\b(?:down|up|led|lead|leading|won|lost|trailed|trailing|score of) (?:\d+ to )?$"
)
# The last three characters of each.
_SCORE_ENDS: Final = frozenset(("at ", "wn ", "up ", "ed ", "ad ", "ng ", "on ", "st ", "of ", "to "))
_SCORE_AFTER: Final = re.compile(rf"{_ENDS}| to \d")
_ERROR_AFTER: Final = re.compile(r" errors?\b")
# 5'6", "1 and half hours"
_FIXED_AFTER: Final = re.compile(r"'\d| and half\b")
_FIXED_STARTS: Final = (" error", " and half")
_FEET_BEFORE: Final = re.compile(r"\d'$")
_QUOTED_BEFORE: Final = re.compile(r"[“\"][A-Z][^”\"]{0,30}$")  # “Any item $10”
_STREET_AFTER: Final = re.compile(r" [A-Z]\w+ (?:Drive|Street|St|Avenue|Ave|Road|Rd|Boulevard|Lane|Place)\b")
_LISTED_AFTER: Final = re.compile(r"[.)] +[A-Z]")
_SENTENCE_END: Final = re.compile(r"[.!?:;] $|\n$")
_MONTH_BEFORE: Final = re.compile(r"\b(?:on|of|until|since|from|by) $")
_MONTH_AFTER: Final = re.compile(r" [A-Z][a-z]+(?: \d{3,4}\b|[,.;)]| [a-z])(?! ?[a-z]*s\b)")
# "Documenta 5, 6 and 7": one name for all.
_TITLES_BEFORE: Final = re.compile(r"(?<![.!?] )\b[A-Z][a-z]{3,} \d{1,3}(?:, \d{1,3}){0,6}(?:,? and|,) $")
_TITLES_ENDS: Final = (" and ", ", ")
_TITLES_AFTER: Final = re.compile(r"[.,;:)]|$| (?:and|or) \d| (?:in|at|was|is|were)\b")
_AFTER_LISTED, _QUOTES = (".", ")"), ("”", '"')
_LETTERS: Final = 4
_JOINS: Final = frozenset(("and", "to", "or"))
# The last letters of each word for a name or a label.
_NAMING_ENDINGS: Final = frozenset(
    word[-_LETTERS:].lower() for word in (*PROPER_NAMES_BEFORE_NUMBER, *LABELS_BEFORE_NUMBER)
)
_DIGITS_OF_AN_ERROR: Final = 3  # "404 error"
_LAST_DAY: Final = 31
_MOST_TITLED: Final = 3


def is_label(text: str, start: int, end: int) -> bool:
    """Return whether the number text[start:end] in digits is no count or amount in any kind of text.

    >>> is_label("She has 21 pens.", 8, 10)
    False
    """
    return (
        _is_label_by_what_follows(text, start, end)
        or is_unit(text[start:end])
        or (not _follows_plain_word(text, start) and _is_label_by_what_precedes(text, start))
    )


def has_label(text: str, start: int) -> bool:
    """Return whether a label precedes the number that also takes words: "page one"."""
    before = text[max(0, start - _WINDOW) : start].removesuffix("\n")
    if not before.endswith(" ") or not before[:-1].lower().endswith(LABELS_BEFORE_NUMBER):
        return False
    return _LABEL.search(text, max(0, start - _WINDOW), start) is not None


def names_something(text: str, start: int, end: int) -> bool:
    """Return whether the number in digits is a label or has one."""
    if _is_label_by_what_follows(text, start, end) or (text[start] == "0" and is_unit(text[start:end])):
        return True
    if _follows_plain_word(text, start):
        return False
    return _is_label_by_what_precedes(text, start) or has_label(text, start)


def _follows_plain_word(text: str, start: int) -> bool:
    """Return whether "$" or a word that is no name or label precedes the number.

    Only the last letters of the word are compared. This quick test decides nearly every case.
    """
    before = text[start - 1 : start]
    if before != " ":
        return before == "$"
    word = text[max(0, start - _LETTERS - 1) : start - 1].rpartition(" ")[2].lower()
    if word in _JOINS:  # "pages 12 and 15"
        return not text[start - len(word) - 3 : start - len(word) - 2].isdigit()
    return word not in _NAMING_ENDINGS and word.isalpha()


def _is_label_by_what_precedes(text: str, start: int) -> bool:
    before = text[max(0, start - _WINDOW) : start]
    named = before.removesuffix("\n").removesuffix(" ").endswith(PROPER_NAMES_BEFORE_NUMBER)
    return (
        (named and _NAME.search(before) is not None)
        or ("'" in before[-2:] and _FEET_BEFORE.search(before) is not None)
        or (not text.isascii() and _has_unknown_currency(before))
    )


def _is_label_by_what_follows(text: str, start: int, end: int) -> bool:
    after = text[end : end + 1]
    # The next characters decide nearly every case.
    if after == " ":
        if text.startswith(_FIXED_STARTS, end):
            errors = end - start == _DIGITS_OF_AN_ERROR and _ERROR_AFTER.match(text, end) is not None
            return errors or _FIXED_AFTER.match(text, end) is not None
        return text[end + 1 : end + 2].isupper() and _STREET_AFTER.match(text, end) is not None
    if after == "'":
        return _FIXED_AFTER.match(text, end) is not None
    if after in _AFTER_LISTED:
        before = text[max(0, start - _WINDOW) : start]
        starts = not before.strip() or _SENTENCE_END.search(before) is not None
        return starts and _LISTED_AFTER.match(text, end) is not None
    if after in _QUOTES:
        return _QUOTED_BEFORE.search(text, max(0, start - _WINDOW), start) is not None
    return after.isascii() and after.isupper()  # 3G, 4K


def is_score_or_title(text: str, start: int, end: int) -> bool:
    """Return whether a number of a passage is a score, a field position, a day or one of several titles."""
    before = text[max(0, start - _WINDOW) : start]
    # Plain comparisons first: this test runs for every number and rarely succeeds.
    if before[-3:] in _SCORE_ENDS and _SCORE_BEFORE.search(before) and _SCORE_AFTER.match(text, end):
        return True
    surface = text[start:end]
    if not surface.isdigit() or len(surface) > _MOST_TITLED:
        return False
    if int(surface) <= _LAST_DAY and _MONTH_BEFORE.search(before) and _MONTH_AFTER.match(text, end):
        return True
    if not before.endswith(_TITLES_ENDS):
        return False
    return _TITLES_BEFORE.search(before) is not None and _TITLES_AFTER.match(text, end) is not None


def is_unit(surface: str) -> bool:
    """Return whether the digits are the zeros of a unit: "£000"."""
    return len(surface) > 1 and not surface.strip("0")


def _has_unknown_currency(before: str) -> bool:
    """Return whether an unsupported currency sign precedes the number: "₤150"."""
    sign = before.rstrip(" ")[-1:]
    return not sign.isascii() and sign not in "€£¥฿₹" and unicodedata.category(sign) == "Sc"
