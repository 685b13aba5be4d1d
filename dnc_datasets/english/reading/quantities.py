"""Quantities: the numbers of a text with the nouns that they count."""

from __future__ import annotations

import re
from fractions import Fraction
from typing import NamedTuple

from dnc_datasets import numerals
from dnc_datasets.english.lexicon import COUNT_ADJECTIVES, IRREGULAR_VERBS, NOUN_PHRASE_STOPS, PLAIN_VERBS
from dnc_datasets.memoization import memoized

_WORD = re.compile(r" ([a-z][a-z'-]*|[A-Z][A-Za-z'-]*(?= [a-z])|[A-Z][A-Za-z-]*s\b)")
# Words that form no noun phrase after a number: "5 more", "5 of them".
_NOT_NOUNS = frozenset("of others them".split())
_UNCOUNTED = frozenset(("ordinal", "year", "date", "time", "range"))


class Counted(NamedTuple):
    """A number and the noun phrase after it: "pieces of candy", or "" where there is none."""

    value: Fraction
    text: str
    start: int
    end: int
    noun: str
    noun_end: int


def values_of(text: str) -> list[Fraction]:
    """Return every value of the text in ascending order.

    Texts whose numbers only change places have equal lists.
    """
    return sorted(quantity.value for quantity in numerals.find(text))


def same_values(one: str, other: str) -> bool:
    """Return whether two texts hold the same values with the same frequencies, in any order."""
    return sorted(quantity.ratio for quantity in numerals.find(one)) == sorted(
        quantity.ratio for quantity in numerals.find(other)
    )


@memoized
def counted(text: str) -> list[Counted]:
    """Return every number of the text with its counted noun.

    >>> [(item.text, item.noun) for item in counted("She ate 3 red plums and 2 of them were good.")]
    [('3', 'red plums'), ('2', '')]
    """
    found = []
    for quantity in numerals.find(text):
        if quantity.kind in _UNCOUNTED:
            continue
        end = noun_end(text, quantity.end)
        noun = text[quantity.end : end].strip()
        found.append(Counted(quantity.value, quantity.text, quantity.start, quantity.end, noun, end))
    return found


def noun_end(text: str, start: int) -> int:
    """Return the end of the noun phrase that begins after `start`, or `start` where there is none."""
    at = start
    words: list[str] = []
    while match := _WORD.match(text, at):
        word = match[1]
        if word == "of" and words and words[-1] != "of":
            # "pieces of candy", but not "pieces of the candy" and "3 of them"
            following = _WORD.match(text, match.end())
            if (
                following is None
                or following[1] in NOUN_PHRASE_STOPS
                or following[1] in ("them", "these", "those")
            ):
                break
        elif word in COUNT_ADJECTIVES and not words:
            following = _WORD.match(text, match.end())
            if following is None or following[1] in NOUN_PHRASE_STOPS or following[1] in _NOT_NOUNS:
                break
        elif word in NOUN_PHRASE_STOPS or word in _NOT_NOUNS or word in IRREGULAR_VERBS or len(words) == 5:
            break
        elif word.endswith(("ed", "ing")) and words and words[-1].endswith("s"):
            break  # "12 students signed up", "12 tickets playing games"
        elif word == "attending" or (word in PLAIN_VERBS and words and words[-1].endswith("s")):
            break  # "6 teachers travel to the lake", "9 people attending a lunch"
        words.append(word)
        at = match.end()
    return at
