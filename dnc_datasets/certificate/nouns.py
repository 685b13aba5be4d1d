"""The noun that a number counts, read for the checks alone: perturbations read with `english.reading`."""

from __future__ import annotations

import re

from dnc_datasets.english.lexicon import COUNT_ADJECTIVES, IRREGULAR_VERBS, NOUN_PHRASE_STOPS, is_past, plain

_WORD = re.compile(r" ([A-Za-z][A-Za-z'-]*)")
_MAX_WORDS = 5
_POINTING = frozenset(("them", "others", "these", "those"))


def counted_noun(text: str, end: int) -> str:
    """Return the head noun of the phrase after a number that ends at `end`; empty where there is none.

    >>> counted_noun("She ate 3 red plums at noon.", 9), counted_noun("She ate 3 of them.", 9)
    ('plums', '')
    """
    words: list[str] = []
    while len(words) < _MAX_WORDS and (match := _WORD.match(text, end)):
        word, end = match[1], match.end()
        if word == "of" or word in _POINTING or _ends_phrase(word, words):
            break
        words.append(word)
    return words[-1] if words and words[-1] not in COUNT_ADJECTIVES else ""


def _ends_phrase(word: str, words: list[str]) -> bool:
    """Return whether the word starts something else: a function word, a name, or a verb after a plural."""
    if word in NOUN_PHRASE_STOPS or word in IRREGULAR_VERBS:
        return True
    if word[0].isupper() and words:
        return True
    after_plural = bool(words) and words[-1].endswith("s")
    return after_plural and (is_past(word) or plain(word) == word or word.endswith(("ed", "ing")))
