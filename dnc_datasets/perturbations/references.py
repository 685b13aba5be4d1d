"""Numbers of a report that point at a part of it or name a thing, and count nothing."""

from __future__ import annotations

import re

_WINDOW = 40
# "See Note 9", "“Item 12", "paragraph 121", "year 17", "Office 365".
_POINTS = re.compile(
    r"(?:\b[Nn]otes?|\bItems?|\b[Ll]evels?|\b[Pp]aragraphs?|\bAppendix|\bAnnex|\b[Cc]lauses?|\b[Yy]ear|\bYears|"
    r"\b[Pp]ages?|\b[Ss]ections?|\b[Ss]chedules?|\bExhibits?|\bFigures?|\bTables?|\bTopics?|\bScope|"
    r"\bPart|\bTier|\bArticles?|\bPhase|\b[Tt]ranche|\bOffice|\bDynamics|\bWindows|\bSeries|\bModel) "
    r"(?:\d+(?:\.\d+)?(?:, (?:and )?| and | or | to | & ))*$"
)
# What follows the number of a heading or of a note: "1. Emissions", "2 See", "3 (continued)".
_TITLE_AFTER = re.compile(r"[.:)]?\s+[A-Z(“]")
# "debt. 2 See", "Notes: 1 Includes", "Emissions 1.1 Office": headings and notes that run into the text.
_RUN_IN = re.compile(r"(?:[.:”]|\b[A-Z][a-z]+) $")
_NOTE_NUMBER = re.compile(r"\d{1,2}|\d\.\d")
# "401(k)", "(B.2)", "US$2.5" written as "US2.5": the letter belongs to the number.
_LETTER_AFTER = re.compile(r"\([a-z]\)")
_LETTER_BEFORE = re.compile(r"(?:^|[\s(])[A-Za-z]\.$|[A-Za-z]\d+\.$")
# A “6 for 11” share split is one ratio.
_RATIO_BEFORE = re.compile(r"[“\"]\d+ for $")
_RATIO_AFTER = re.compile(r" for \d+[”\"]")
# "6985 Mill Street" is an address.
_STREET_AFTER = re.compile(
    r" [A-Z]\w+ (?:Dr|Drive|Street|St|Avenue|Ave|Road|Rd|Way|Boulevard|Blvd|Lane|Place)\b"
)


def points(text: str, start: int, end: int) -> bool:
    """Whether the number text[start:end] of a report points at something or is part of a name."""
    before = text[max(0, start - _WINDOW) : start]
    return (
        _POINTS.search(before) is not None
        or _LETTER_BEFORE.search(before) is not None
        or _LETTER_AFTER.match(text, end) is not None
        or _STREET_AFTER.match(text, end) is not None
        or _RATIO_BEFORE.search(before) is not None
        or _RATIO_AFTER.match(text, end) is not None
        or _opens_note(text, before, start, end)
    )


def _opens_note(text: str, before: str, start: int, end: int) -> bool:
    ran_in = _RUN_IN.search(before)
    if ran_in is None or not _NOTE_NUMBER.fullmatch(text, start, end) or not _TITLE_AFTER.match(text, end):
        return False
    # Behind a word, only a number such as 1.1 is surely a heading's.
    return not ran_in[0][0].isalpha() or "." in text[start:end]
