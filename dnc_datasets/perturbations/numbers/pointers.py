"""Numbers of a report that point at a part of it or name a thing, and count nothing."""

from __future__ import annotations

import re

_WINDOW = 40
# "See Note 9", "“Item 12", "paragraph 121", "year 17", "Office 365".
_POINTS = frozenset(
    "Note note Notes notes years Item Items Level level Levels levels Paragraph paragraph Paragraphs paragraphs "
    "Appendix Annex Clause clause Clauses clauses Year year Years Page page Pages pages Section section "
    "Sections sections Schedule schedule Schedules schedules Exhibit Exhibits Figure Figures Table Tables "
    "Topic Topics Scope scope Scopes scopes Part Tier Article Articles Phase Tranche tranche Office Dynamics Windows "
    "Series Model Top top".split()
)
_JOINS = frozenset(("and", "or", "to", "&"))
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
# "notes 6 “Taxation” and 25 “Leases”": each number stands before its title.
_QUOTED_AFTER = re.compile(r" [“\"][A-Z]")
# "6985 Mill Street" is an address.
_STREET_AFTER = re.compile(
    r" [A-Z]\w+ (?:Dr|Drive|Street|St|Avenue|Ave|Road|Rd|Way|Boulevard|Blvd|Lane|Place)\b"
)


def label(before: str) -> str:
    """The word that a text before a number ends in, also behind other numbers: "Notes" of "Notes 5 and "."""
    words = before.split()
    while len(words) > 2 and words[-1] in _JOINS and _is_number(words[-2].rstrip(",")):
        del words[-2:]
    while words and words[-1][-1] == "," and _is_number(words[-1][:-1]):
        del words[-1]
    return words[-1] if words else ""


def _is_number(word: str) -> bool:
    return word.replace(".", "", 1).isdigit()


def points(text: str, start: int, end: int) -> bool:
    """Whether the number text[start:end] of a report points at something or is part of a name."""
    before = text[max(0, start - _WINDOW) : start]
    # Plain comparisons first: this is asked of every number, and nearly always in vain.
    return (
        (before.endswith(" ") and label(before).lstrip('(“"') in _POINTS)
        or (before.endswith(".") and _LETTER_BEFORE.search(before) is not None)
        or _LETTER_AFTER.match(text, end) is not None
        or _STREET_AFTER.match(text, end) is not None
        or (before.endswith(" for ") and _RATIO_BEFORE.search(before) is not None)
        or _RATIO_AFTER.match(text, end) is not None
        or _QUOTED_AFTER.match(text, end) is not None
        or _opens_note(text, before, start, end)
    )


def _opens_note(text: str, before: str, start: int, end: int) -> bool:
    if not _TITLE_AFTER.match(text, end) or not _NOTE_NUMBER.fullmatch(text, start, end):
        return False
    ran_in = _RUN_IN.search(before)
    if ran_in is None:
        return False
    # Behind a word, only a number such as 1.1 is surely a heading's.
    return not ran_in[0][0].isalpha() or "." in text[start:end]
