"""Sentences: where they end, how they open, and how a sentence becomes a clause of another."""

from __future__ import annotations

import re

from dnc_datasets.english.reading.words import EITHER, FEMALE, MALE, MONTHS_DAYS, OPENERS, TITLES

# A full stop that ends a sentence: not after a title or an initial, and before a space and no small letter.
# The mark comes first, so that what may not stand before it is looked at only there.
_SENTENCE_END = re.compile(
    r"[.!?](?<!\bMr.)(?<!\bMrs.)(?<!\bMessrs.)(?<!\bMs.)(?<!\bDr.)(?<!\bSt.)(?<!\bvs.)(?<!\b[A-Z].)[.!?]{0,9}[\"')]{0,9}"
    r"(?=\s+[^a-z\s])"
)
_FIRST_WORD = re.compile(r"[A-Za-z]+(?:-[a-z]+)?")
# Rules are for problems as people write them; what is longer is left alone, so that no text takes long.
_MAX_LENGTH = 4000


def is_too_long(text: str) -> bool:
    """Is the text longer than any that rules of wording are meant for?"""
    return len(text) > _MAX_LENGTH


def sentences(text: str) -> list[str]:
    """The sentences of a text, in order, each with its end mark; joining them with spaces gives it back."""
    parts: list[str] = []
    start = 0
    for match in _SENTENCE_END.finditer(text):
        parts.append(text[start : match.end()].strip())
        start = match.end()
    rest = text[start:].strip()
    return [*parts, rest] if rest else parts


def capitalised(text: str) -> str:
    """The text with a capital first letter."""
    return text[:1].upper() + text[1:]


def uncapitalised(clause: str, context: str = "") -> str | None:
    """The clause as it reads inside a sentence; None where it is not sure that its first word is no name.

    `context` is the text around it: a word that occurs there in small letters is no name.

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
    if follows.startswith("'s") and word.lower() not in OPENERS:
        return clause
    small = word.lower()
    if small in OPENERS or small.split("-")[0] in OPENERS or re.search(rf"(?<![A-Za-z]){small}\b", context):
        return clause[0].lower() + clause[1:]
    return None


def is_name(word: str) -> bool:
    """Is this (capitalised) word a first name, a month or a day that we know?"""
    return word in FEMALE or word in MALE or word in EITHER or word in MONTHS_DAYS
