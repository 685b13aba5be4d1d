"""Numbers of a text that are counts or amounts, as opposed to names and references."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from typing import Final, NamedTuple

from dnc_datasets import numerals
from dnc_datasets.english.lexicon import NUMBERED_NOUNS, REFERENCE_NOUNS
from dnc_datasets.memoization import memoized
from dnc_datasets.numerals import Quantity
from dnc_datasets.perturbations.numbers import names_and_dates as uncounted
from dnc_datasets.perturbations.numbers import numbered_things, reports
from dnc_datasets.perturbations.numbers.reports import preceding_label
from dnc_datasets.problem import Problem
from dnc_datasets.tables.typed import FIXED as FIXED_CELLS
from dnc_datasets.tables.typed import fills_cell, typed

# Sign -> the singular and plural of its name.
CURRENCIES = {
    "$": ("dollar", "dollars"),
    "€": ("euro", "euros"),
    "£": ("pound", "pounds"),
    "¥": ("yen", "yen"),
    "฿": ("baht", "baht"),
    "₹": ("rupee", "rupees"),
}
AMOUNTS: Final = frozenset(("cardinal", "decimal", "money", "percent"))
# With the hyphens U+2010 and U+2011, which reports set, and the entity of a sign ("60&#176;F").
JOINED_ON: Final = frozenset(("-", "\u2010", "\u2011", "–", "—", "/", ":", "&"))
_TO_COMPOUND = re.compile(r" to \d{1,4}[-\u2010\u2011]")

# "SAB 118", "AASB 16", "No. 118", "pp. 14", "Topics 606": but "USD 74" is an amount.
_ACRONYM = re.compile(
    r"(?:\b(?!USD|EUR|GBP|RMB|HKD|AUD|CAD|NT|US)[A-Z&]{2,}|\b(?:Nos?|pp?)\.|\bTopics?) (?:\d+, |\d+ and )*$"
)
# The last character of each but for capitals.
_ACRONYM_ENDS = frozenset("&.cs,d")
# Text after the number of a heading or a note: "16. Leases", "1) Includes", "3.5 INCOME TAXES".
_HEADING_AFTER = re.compile(r"(?:[.:]|\))?\s+[A-Z(]|[.)]\s")
# 3月, 2019年, 8折: dates, times and discounts, which never have decimals.
_CHINESE_DATES = "年月日号点折"
_WINDOW = 40
_HEADING_ROWS = 3
_NEXT_WORD = re.compile(r" [a-z]{3,20}\b")


def is_prose(problem: Problem) -> bool:
    """Return whether the text is a report or a history, where a bare number such as 1705 is a year."""
    return bool(problem.table) or bool(problem.note("passage"))


def amounts(problem: Problem, scope: Sequence[str], *, words: bool = False) -> list[Quantity]:
    """Return the independent counts and amounts in digits, and in words if `words` is set.

    Years, ordinals, times, ranges, compounds ("2-year") and names ("Week 3") are excluded, because "2.0-year"
    and "16 (not 93)th" are not English. "One" and "half" are excluded too, because they are often not
    numbers.
    """
    return [
        Quantity(surface, ratio, start, end, kind, path)
        for path, _, found in amounts_by_text(problem, scope, words=words)
        for surface, ratio, start, end, kind, _ in found
    ]


def amounts_by_text(
    problem: Problem, scope: Sequence[str], *, words: bool = False
) -> Iterator[tuple[str, str, Sequence[Quantity]]]:
    """Yield every text of the scope with its path and its amounts. The `field` of these is empty."""
    if not is_prose(problem):
        for path, text in problem.texts(scope):
            yield path, text, amounts_in(text, path, words)
        return
    # Without capital letters, only the context distinguishes an amount from a label: "item 7", "form 10-k".
    report = bool(problem.table) or problem.body.islower()
    for path, text in problem.texts(scope):
        if is_fixed_cell(problem, path):
            yield path, text, ()
            continue
        found = _amounts_in_passage(text, path, words, True, report)
        if report and not path.startswith("table."):
            found = [one for one in found if not repeats_heading(problem, text, one.start, one.end)]
        yield path, text, found


def repeats_heading(problem: Problem, text: str, start: int, end: int) -> bool:
    """Return whether a number of the text repeats a heading.

    "Due in more than 5 years" repeats the heading "More than 5 years".
    """
    following = _NEXT_WORD.match(text, end)
    return following is not None and f"{text[start:end]}{following[0]}".lower() in _headings(problem.table)


@memoized
def _headings(table: tuple[tuple[str, ...], ...]) -> str:
    columns = [" ".join(row) for row in table[:_HEADING_ROWS]]
    return "\n".join([*columns, *(row[0] for row in table if row)]).lower()


def amounts_in(
    text: str, path: str, words: bool = False, prose: bool = False, report: bool = False
) -> Sequence[Quantity]:
    """Return the amounts of one text at `path`, as defined by `amounts`.

    Reports are read without regard to case.
    """
    in_cell = path.startswith("table.")
    if report and not in_cell:
        small = reports.folded(text)
        return [
            one._replace(text=text[one.start : one.end])
            for one in amounts_in(small, path, words, prose)
            if reports.is_amount(small, one.start, one.end)
        ]
    found: list[Quantity] = []
    for quantity in numerals.find(text):
        if quantity.kind == "money":
            quantity = quantity.unscaled
        surface, (whole, parts), start, end, kind, _ = quantity
        if kind == "word":
            if not words or parts != 1 or whole <= 1 or "dozen" in surface.lower():
                continue
        elif kind not in AMOUNTS or not surface[-1].isdigit() or " " in surface:
            continue
        if kind != "word" and numbered_things.names_something(text, start, end):
            continue
        between_blanks = text[start - 1 : start] == " " == text[end : end + 1]
        if not between_blanks and _is_joined_on(text, start, end):
            continue
        if text.startswith(" to ", end) and _TO_COMPOUND.match(text, end):
            continue  # "a 2 to 5-year period"
        if prose and is_name(text, path, surface, start, end):
            continue
        if in_cell and not fills_cell(text, start, end):
            continue
        found.append(quantity)
    return found


# Many questions share a passage, so its amounts are cached. Other problems have separate texts.
_amounts_in_passage = memoized(amounts_in)


def _is_joined_on(text: str, start: int, end: int) -> bool:
    """Return whether a character beside the number joins it to a compound, a label or a date."""
    after, next_after = text[end : end + 1], text[end + 1 : end + 2]
    if after in JOINED_ON or (after == "%" and next_after in JOINED_ON):
        return True
    if after and after in _CHINESE_DATES:
        return True
    if after == ")" and is_label(text, start, end):
        return True
    before, last_before = text[start - 1 : start], text[max(0, start - 2) : max(0, start - 1)]
    if before in JOINED_ON or before == "第":
        return True
    # "0,25%", the decimal comma of other languages.
    return (after == "," and next_after.isdigit()) or (before == "," and last_before.isdigit())


def is_fixed_cell(problem: Problem, path: str) -> bool:
    """Return whether a cell contains no amount, but a heading, a label, a date or the number of a note."""
    if not path.startswith("table."):
        return False
    _, row, column = path.split(".")
    return typed(problem.table).kinds.get((int(row), int(column))) in FIXED_CELLS


def whole_numbers(text: str) -> set[int]:
    """Return the integers of a text."""
    return {whole for _, (whole, parts), _, _, _, _ in numerals.find(text) if parts == 1}


def is_label(text: str, start: int, end: int) -> bool:
    """Return whether the number in brackets marks a note, "Leases (1)".

    In a cell without other text, "(1)" is minus one.
    """
    bracketed = text[start - 1 : start] == "(" and text[end : end + 1] == ")"
    return bracketed and text.strip(" $€£¥%()") != text[start:end]


def is_year(surface: str) -> bool:
    """Return whether these digits can be a year, which reports write without a comma."""
    return len(surface) == 4 and surface.isdigit() and "1000" <= surface < "2100"


def is_reference(text: str, start: int, end: int) -> bool:
    """Return whether the number of a report is a reference: "16. Leases", "No. 118", "AASB 16", "5G"."""
    if text[end : end + 1].isalpha() or text[end : end + 2] in ("-K", "-Q"):
        return True
    before = text[max(0, start - _WINDOW) : start]
    # Plain comparisons first: this test runs for every number and rarely succeeds.
    named = before[-1:] == " " and (before[-2:-1] in _ACRONYM_ENDS or before[-2:-1].isupper())
    if (named and _ACRONYM.search(before)) or refers_or_names(text, start, end):
        return True
    return (not before or before.endswith("\n")) and _HEADING_AFTER.match(text, end) is not None


def is_name(text: str, path: str, surface: str, start: int, end: int) -> bool:
    """Return whether a number of a report is a year, a name or part of a description, not an amount."""
    if surface[0].isalpha():
        named = uncounted.has_spoken_label(text, start) or _is_titled(text, start)
        return named or uncounted.describes(text, start, end) or refers_or_names(text, start, end)
    if currency_before(text, start) or text[end : end + 1] == "%":
        return uncounted.in_phrase(text, start, end)
    if path.startswith("table."):
        return False  # its kind states whether it is a year
    if is_year(surface):
        return True
    return (
        _is_named(text[max(0, start - _WINDOW) : start])
        or is_reference(text, start, end)
        or uncounted.has_name(text, start, end)
        or uncounted.is_early_year(text, start, end)
        or uncounted.is_age(text, start, end)
        or uncounted.describes(text, start, end)
        or uncounted.in_phrase(text, start, end)
        or uncounted.stands_with_article(text, start, end)
        or numbered_things.is_score_or_title(text, start, end)
    )


def _is_titled(text: str, start: int) -> bool:
    """Return whether a number word is part of a name: "the Thirteen Years' War"."""
    return text[start].isupper() and text[max(0, start - 2) : start].strip()[-1:].isalnum()


def _is_named(before: str) -> bool:
    """Return whether a name for the number precedes it, also before other numbers: "Notes 5 and"."""
    word = preceding_label(before)
    # "May 5" and "may 5" differ. The other months have no second meaning.
    return word == "May" or word.strip("(.").lower() in NUMBERED_NOUNS


def currency_before(text: str, start: int) -> str:
    """Return the currency sign of the number at `start`, with at most a few spaces between them."""
    before = text[max(0, start - 4) : start].rstrip(" ")
    return before[-1] if before and before[-1] in CURRENCIES else ""


# Text after the number of a heading or a note: "1. Emissions", "2 See", "3 (continued)".
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
# "notes 6 “Taxation” and 25 “Leases”": each number is before its title.
_QUOTED_AFTER = re.compile(r" [“\"][A-Z]")
# "6985 Mill Street" is an address.
_STREET_AFTER = re.compile(
    r" [A-Z]\w+ (?:Dr|Drive|Street|St|Avenue|Ave|Road|Rd|Way|Boulevard|Blvd|Lane|Place)\b"
)


def refers_or_names(text: str, start: int, end: int) -> bool:
    """Return whether the number text[start:end] of a report is a reference or part of a name."""
    before = text[max(0, start - _WINDOW) : start]
    # Plain comparisons first: this test runs for every number and rarely succeeds.
    return (
        (before.endswith(" ") and preceding_label(before).lstrip('(“"') in REFERENCE_NOUNS)
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
    # After a word, only a number such as 1.1 certainly belongs to a heading.
    return not ran_in[0][0].isalpha() or "." in text[start:end]


# Ordinals ("16th"), times, dates and fractions are not separate number strings.
_KINDS_IN_DIGITS = frozenset(("cardinal", "decimal", "money", "percent", "year", "range"))
_IN_DIGITS = re.compile(r"[-−]?(?:[0-9]{1,3}(?:,[0-9]{3})+|[0-9]+)(?:\.[0-9]+)?")
_PERCENT_SIGN = re.compile(r" ?%")
_OF_A_DECADE = re.compile(r"['’]?s\b")  # "the 1970s" is one word


class DigitNumber(NamedTuple):
    """A number in digits, with its start and end. The span includes a percent sign."""

    digits: str
    start: int
    end: int
    is_percent: bool


def _is_cut(text: str, start: int, end: int) -> bool:
    """Return whether a comma joins the number to other digits: "12,34,567"."""
    return (text[end : end + 1] == "," and text[end + 1 : end + 2].isdigit()) or (
        text[max(0, start - 1) : start] == "," and text[max(0, start - 2) : max(0, start - 1)].isdigit()
    )


def numbers_in_digits(text: str) -> list[DigitNumber]:
    """Return the numbers of a text that are written in digits, in order of appearance.

    >>> [number.digits for number in numbers_in_digits("He paid $1,050 or 5% at 5:30 for two pens.")]
    ['1,050', '5']
    """
    found = []
    for surface, _, start, end, kind, _ in numerals.find(text):
        if kind not in _KINDS_IN_DIGITS:
            continue
        if surface.isdigit() and text[end : end + 1] == " " and text[end + 1 : end + 2] != "%":  # nearly all
            found.append(DigitNumber(surface, start, end, False))
            continue
        digits = _IN_DIGITS.match(text, start)
        if digits is None or digits.end() > end or _OF_A_DECADE.match(text, digits.end()):
            continue
        # "20 000", "1.234,56" and "3.4bn" are one number, and so is "12,34,567".
        rest = text[digits.end() : end]
        if rest[:1].isalpha() or any(map(str.isdigit, rest)) or _is_cut(text, start, digits.end()):
            continue
        percent = _PERCENT_SIGN.match(text, digits.end())
        found.append(
            DigitNumber(digits[0], start, percent.end() if percent else digits.end(), percent is not None)
        )
    return found
