"""Context of a number: decides whether 1998 is a year, "one" a pronoun, or "second" a time.

All functions work on `line`, the text in lower case with one blank at each end.
"""

from __future__ import annotations

import re

from dnc_datasets.english.lexicon import (
    AFTER_ORDINAL_SECOND,
    AFTER_PRONOUN_ONE,
    AFTER_SECOND_OF_TIME,
    ARTICLES_BEFORE_ONE,
    BEFORE_HALF_OR_QUARTER,
    BEFORE_HYPHENED_NUMBER,
    BEFORE_LIKELY_YEAR,
    BEFORE_ONE,
    BEFORE_POSSIBLE_YEAR,
    BEFORE_PRONOUN_ONE,
    BEFORE_YEAR,
    COUNTED_AFTER_NUMBER,
    DETERMINERS_BEFORE_YEAR,
    HALVED_UNITS,
    NOT_NOUNS_AFTER_ONE,
    POSSESSIVES_BEFORE_SECOND,
    SINGULARS_IN_S,
)
from dnc_datasets.numerals._quantity import Quantity

_FIRST_YEAR, _LAST_YEAR = 1500, 2100
_WINDOW = 32
_ABBREVIATIONS = ("c.", "ca.", "vs.")
_OPENING = ' "“‘('
_QUOTES = '-.,()[]"“”‘'
_RIGHT_WORD = re.compile(r"(\s|-)([a-z'’]+)")


def _words(text: str) -> frozenset[str]:
    return frozenset(text.split())


_AFTER_YEAR = SINGULARS_IN_S | _words(
    "the and or to in of from by for after before between through than versus a an there they he she it we "
    "only were are had have will would with when where which who but because while at on not until since"
)
_LINK = r"(?:,|,? and(?: in)?|,? or| to| through|,? (?:as )?compared (?:to|with)|,? vs\.?|,? versus)"
_JOINS_YEARS = re.compile(rf"{_LINK} ")
_ANOTHER_YEAR = re.compile(rf"{_LINK} (?:1[5-9]|20)[0-9]{{2}}\b")


_ORDINAL_BESIDE = re.compile(r"first(?:,|,? and|,? or) \||\|(?:,|,? and|,? or) (?:third|fourth)")


_TIED_WORD = re.compile(r"[0-9]{0,32}[^\W\d_]{1,32}$")


def left_word(line: str, start: int, back: int = 1) -> str:
    """Return the word before this position, or the word `back` words before it.

    Return "" after the end of a sentence.
    """
    words = line[max(0, start - _WINDOW) : start].rstrip(_OPENING).split()
    if len(words) < back:
        return ""
    word = words[-back]
    return "" if word[-1] in ".!?;:" and word not in _ABBREVIATIONS else word.strip(_QUOTES)


def right_word(line: str, end: int) -> tuple[str, str]:
    """Return the separator before the next word (a blank or a hyphen) and the word, or two empty strings."""
    match = _RIGHT_WORD.match(line, end)
    return (match[1], match[2]) if match else ("", "")


def looks_like_year(surface: str) -> bool:
    """Return whether these digits are in the range of years."""
    return len(surface) == 4 and surface.isdigit() and _FIRST_YEAR <= int(surface) <= _LAST_YEAR


def is_year(line: str, text: str, start: int, end: int, last: Quantity | None) -> bool:
    """Return whether four digits are a year, judged by the words around them and the number before."""
    if last and last.kind in ("date", "ordinal") and line[last.end + 1 : start] in (", ", " ", " , "):
        return True  # "May 5, 2010"
    if last and last.kind == "year" and _JOINS_YEARS.fullmatch(line, last.end + 1, start):
        return True
    if line[start - 1] == "(" and line[end] in "):":
        return True
    left = left_word(line, start)
    if left in BEFORE_YEAR or (left == "of" and left_word(line, start, back=2) in BEFORE_YEAR):
        return True
    joint, right = right_word(line, end)
    named = joint == " " and text[end : end + 1].isupper()  # "the 2020 Notes"
    counted = right in COUNTED_AFTER_NUMBER or (
        right.endswith("s") and len(right) > 3 and right not in SINGULARS_IN_S
    )
    if left in BEFORE_LIKELY_YEAR:
        return named or not counted
    if _ANOTHER_YEAR.match(line, end):
        return True
    owned = left in DETERMINERS_BEFORE_YEAR or left.endswith(("'s", "’s"))
    if joint == "-" or not (owned or left in BEFORE_POSSIBLE_YEAR):
        return False
    return named or not right or (owned and not counted) or right in _AFTER_YEAR


def is_name_part(line: str, at: int) -> bool:
    """Return whether the hyphen at this position joins a number to a name, as in "covid-19" and "f-16".

    "3-of-4", "mid-1990s" and "1920s-1950s" are not names.
    """
    if not line[at - 1].isalpha():
        return False
    word = _TIED_WORD.search(line[max(0, at - _WINDOW) : at])
    return word is None or not (word[0] in BEFORE_HYPHENED_NUMBER or word[0][0].isdigit())


def denies(word: str, line: str, start: int, end: int) -> bool:
    """Return whether the context makes it uncertain that a number word is a number."""
    rule = _RULES.get(word)
    return rule is not None and rule(line, start, end)


def _one_is_pronoun(line: str, start: int, end: int) -> bool:
    joint, right = right_word(line, end)
    if joint == "-":
        return False
    left = left_word(line, start)
    if left in BEFORE_PRONOUN_ONE or right in AFTER_PRONOUN_ONE or line.startswith(("'s", "’s"), end):
        return True
    if right and right not in NOT_NOUNS_AFTER_ONE and not right.endswith(("ed", "ing")):
        return False
    return left in BEFORE_ONE or left_word(line, start, back=2) in ARTICLES_BEFORE_ONE


def _second_is_time(line: str, start: int, end: int) -> bool:
    joint, right = right_word(line, end)
    left = left_word(line, start)
    if (
        joint == "-"
        or right in AFTER_ORDINAL_SECOND
        or left in POSSESSIVES_BEFORE_SECOND
        or left.endswith(("'s", "’s"))
    ):
        return False
    if left in ("a", "another"):
        return not right or right in AFTER_SECOND_OF_TIME
    return not _ORDINAL_BESIDE.search(f"{line[max(0, start - 11) : start]}|{line[end : end + 12]}")


def _first_is_adverb(line: str, start: int, end: int) -> bool:
    right = right_word(line, end)[1]
    if right and right not in ("and", "but", "if", "when"):
        return False
    left = left_word(line, start)
    return left == "at" or (left == "" and line[end] == ",")


def _half_is_a_part(line: str, start: int, end: int) -> bool:
    joint, right = right_word(line, end)
    if joint == "-":
        return right not in HALVED_UNITS
    left = left_word(line, start)
    return left in BEFORE_HALF_OR_QUARTER or left.endswith("ern") or right == "time"


_RULES = {
    "one": _one_is_pronoun,
    "second": _second_is_time,
    "first": _first_is_adverb,
    "half": _half_is_a_part,
}
