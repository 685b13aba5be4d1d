"""Sentences: their boundaries, their openings, and their conversion to clauses of another sentence."""

from __future__ import annotations

import re

from dnc_datasets.english.lexicon import (
    ABBREVIATIONS,
    ABBREVIATIONS_AFTER_NUMBER,
    ABBREVIATIONS_BEFORE_NUMBER,
    MONTHS_DAYS_HOLIDAYS,
    SENTENCE_OPENERS,
    TITLES,
    is_first_name,
)


def _not_after(words: tuple[str, ...], *, before: str = "") -> str:
    """Return a pattern for an end mark that follows none of these abbreviations.

    With `before`, it may follow one of them unless `before` matches after it.
    """
    places = [rf"(?<{'=' if before else '!'}\b{re.escape(word)}.)" for word in words]
    return rf"(?!(?:{'|'.join(places)})\s*{before})" if before else "".join(places)


_NO_ABBREVIATION = _not_after(ABBREVIATIONS) + _not_after(ABBREVIATIONS_BEFORE_NUMBER, before=r"\d")
# A full stop that ends a sentence: not after an abbreviation or an initial, and before a space and no small letter.
# The mark comes first, so that the lookbehind is evaluated only at marks.
_SENTENCE_END = re.compile(rf"[.!?]{_NO_ABBREVIATION}(?<!\b[A-Z].)[.!?]{{0,9}}[\"')]{{0,9}}(?=\s+[^a-z\s])")
_END_INSIDE = re.compile(
    rf"[.!?]{_NO_ABBREVIATION}{_not_after(ABBREVIATIONS_AFTER_NUMBER)}(?<!\b[a-z].) ", re.IGNORECASE
)
_FIRST_WORD = re.compile(r"[A-Za-z]+(?:-[a-z]+)?")
# The rules are for problems of usual length. Longer texts are not changed, which bounds the running time.
_MAX_LENGTH = 4000


def is_too_long(text: str) -> bool:
    """Return whether the text is longer than any text that the rules of wording are meant for."""
    return len(text) > _MAX_LENGTH


def sentences(text: str) -> list[str]:
    """Return the sentences of a text in order, each with its end mark.

    Joined by spaces, they give the text.
    """
    parts: list[str] = []
    start = 0
    if text.find(".", 0, -1) < 0 and text.find("?", 0, -1) < 0 and text.find("!", 0, -1) < 0:
        return [rest] if (rest := text.strip()) else parts  # no mark is inside
    for match in _SENTENCE_END.finditer(text):
        parts.append(text[start : match.end()].strip())
        start = match.end()
    rest = text[start:].strip()
    return [*parts, rest] if rest else parts


def ends_inside(text: str) -> bool:
    """Return whether a sentence ends before the text does, even if the next one opens in lower case.

    >>> ends_inside("Mr. Li paid Rs. 40 for 2 lbs. of rice"), ends_inside("he has 3 pens. he finds 2")
    (False, True)
    """
    return _END_INSIDE.search(text) is not None


def capitalised(text: str) -> str:
    """Return the text with a capital first letter."""
    return text[:1].upper() + text[1:]


_LABEL = re.compile(r" (?:[A-Z]|\d{1,3})\b(?!['’.])")
_TITLE = re.compile(r"(?: [A-Z][a-z]+){2,}")


def uncapitalised(clause: str, context: str = "") -> str | None:
    """Return the clause as it is inside a sentence, or None where its first word may be a name.

    `context` is the surrounding text. A word that occurs there in lower case is no name.

    >>> uncapitalised("After lunch he left"), uncapitalised("Adam left"), uncapitalised("Zorp left")
    ('after lunch he left', 'Adam left', None)
    """
    match = _FIRST_WORD.match(clause)
    if match is None or clause[:1].islower():
        return clause
    word = match[0]
    follows = clause[match.end() : match.end() + 2]
    if (
        word == "I"
        or (word.isupper() and (len(word) > 1 or follows[:1] == "."))
        or is_name(word)
        or word in TITLES
    ):
        return clause
    if follows.startswith("'s") and word.lower() not in SENTENCE_OPENERS:
        return clause
    small = word.lower()
    if (label := _LABEL.match(clause, match.end())) and small not in SENTENCE_OPENERS:
        return (
            clause if f"{small}{label[0]}" not in context else clause[0].lower() + clause[1:]
        )  # "Classroom A"
    if word == "The" and (title := _TITLE.match(clause, match.end())) and f"the{title[0]}" not in context:
        return None  # "The Lion King"
    if (
        small in SENTENCE_OPENERS
        or small.split("-")[0] in SENTENCE_OPENERS
        or re.search(rf"(?<![A-Za-z]){small}\b", context)
    ):
        return clause[0].lower() + clause[1:]
    return None


def is_name(word: str) -> bool:
    """Return whether this (capitalised) word is a known first name, a month or a day."""
    return is_first_name(word) or word in MONTHS_DAYS_HOLIDAYS
