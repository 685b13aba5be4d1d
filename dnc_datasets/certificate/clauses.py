"""The clauses around the values of a text, as the promises for foreign text read them."""

from __future__ import annotations

import re
from fractions import Fraction
from functools import lru_cache
from typing import NamedTuple

from dnc_datasets import numerals
from dnc_datasets.english.lexicon import ABBREVIATIONS, FILLERS, plain

_SENTENCE_END = re.compile(
    rf"(?<!\b(?:{'|'.join(one for one in ABBREVIATIONS if len(one) == 2)}))[.!?]{{1,4}}(?=\s|$)[\"')]{{0,4}}\s{{0,4}}"
)
_CLAUSE_END = re.compile(
    r"[;:,()](?!\d)|\b(?:and|but|while|whereas|then|if|so|because|when|after|before|who|which|or)\b",
    re.IGNORECASE,
)
_WORD = re.compile(r"[A-Za-z]+(?:['’][a-z]+)?|/")
_NEAR = 5  # words on each side


class Mention(NamedTuple):
    """A value with the words of its clause and of its sentence, in lower case."""

    value: Fraction
    kind: str
    before: tuple[str, ...]
    after: tuple[str, ...]
    sentence: tuple[str, ...]
    asked: bool  # whether the sentence is the question

    @property
    def clause(self) -> tuple[str, ...]:
        return (*self.before, *self.after)

    @property
    def near(self) -> tuple[str, ...]:
        """Return the words next to the value."""
        return (*self.before[-_NEAR:], *self.after[:_NEAR])


def words(text: str) -> tuple[str, ...]:
    """Return the words of a text in lower case, without possessive endings."""
    return tuple(word.lower().replace("’", "'").removesuffix("'s") for word in _WORD.findall(text))


@lru_cache(maxsize=8192)
def stem(word: str) -> str:
    """Return a form that the inflections of a word share.

    >>> stem("marbles"), stem("baked"), stem("boxes"), stem("running")
    ('marbl', 'bak', 'box', 'run')
    """
    word = plain(word) or word
    for ending in ("ies", "ing", "es", "ed", "s", "e", "y"):
        if word.endswith(ending) and len(word) - len(ending) >= 3:
            word = word.removesuffix(ending)
            break
    return word[:-1] if len(word) > 3 and word[-1] == word[-2] and word[-1] not in "ls" else word


@lru_cache(maxsize=512)
def content(some: tuple[str, ...]) -> frozenset[str]:
    """Return the stems of the words that name a person, a thing or an action."""
    return frozenset(stem(word) for word in some if word not in FILLERS)


@lru_cache(maxsize=512)
def sentences(text: str) -> tuple[tuple[int, int], ...]:
    """Return start and end of each sentence."""
    found, start = [], 0
    for match in _SENTENCE_END.finditer(text):
        found.append((start, match.end()))
        start = match.end()
    if text[start:].strip():
        found.append((start, len(text)))
    return tuple(found)


@lru_cache(maxsize=512)
def question(text: str) -> str:
    """Return the last sentence with a question mark, or the last sentence."""
    spans = sentences(text)
    asked = [text[start:end] for start, end in spans if "?" in text[start:end]]
    return asked[-1] if asked else text[slice(*spans[-1])] if spans else ""


@lru_cache(maxsize=512)
def mentions(text: str) -> tuple[Mention, ...]:
    """Return the values of a text with the words around each."""
    found = []
    values = [one for one in numerals.stated(text) if one.kind != "ordinal"]
    asked = question(text)
    for start, end in sentences(text):
        inside = [one for one in values if start <= one.start < end]
        # "2.5 and 3" may be two clauses, "two and a half" is one value.
        cuts = [
            match
            for match in _CLAUSE_END.finditer(text, start, end)
            if not any(one.start <= match.start() < one.end for one in inside)
        ]
        whole = words(text[start:end])
        for one in inside:
            first = max((cut.end() for cut in cuts if cut.end() <= one.start), default=start)
            last = min((cut.start() for cut in cuts if cut.start() >= one.end), default=end)
            others = [other for other in inside if other is not one and first <= other.start < last]
            # Words between two values of a clause belong to the nearer value. A tie goes to the first one.
            first = max((other.end for other in others if other.end <= one.start), default=first)
            last = min((other.start for other in others if other.start >= one.end), default=last)
            before, after = words(text[first : one.start]), words(text[one.end : last])
            found.append(Mention(one.value, one.kind, before, after, whole, text[start:end] == asked))
    return tuple(found)


def names(text: str) -> frozenset[str]:
    """Return the capitalized words, without those that only open a sentence or also occur in lower case."""
    small = frozenset(re.findall(r"\b[a-z]+\b", text))
    found = set()
    for match in re.finditer(r"\b[A-Z][a-z]{1,}\b", text):
        word = match[0].lower()
        if word not in small and word not in FILLERS and not plain(word):
            found.add(word)
    return frozenset(found)
