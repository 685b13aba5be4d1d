"""Head entities: what each number counts and who is spoken of with it; a paraphrase must keep both."""

from __future__ import annotations

import re
from fractions import Fraction
from typing import NamedTuple

from dnc_datasets import numerals
from dnc_datasets.english.lexicon import CAPITALISED_OPENERS
from dnc_datasets.english.reading.people import PRONOUNS
from dnc_datasets.english.reading.quantities import noun_end
from dnc_datasets.english.reading.sentences import sentences
from dnc_datasets.memoization import memoized

_NAME = re.compile(r"(?<![.?!] )(?<!^)\b[A-Z][a-z]+|^[A-Z][a-z]+|(?<=[.?!] )[A-Z][a-z]+")
_SAME = {"he": "he", "him": "he", "his": "he", "she": "she", "her": "she", "hers": "she", "they": "they",
         "them": "they", "their": "they", "i": "i", "we": "we", "you": "you"}  # fmt: skip


class Head(NamedTuple):
    """A number, the noun that it counts, and everybody who is named in its sentence."""

    value: Fraction
    noun: str
    people: frozenset[str]


@memoized
def heads(text: str) -> list[Head]:
    """The head entity of every number in a text, smallest value first.

    >>> heads("Amy gave 3 red plums to Ben.")[0].noun, sorted(heads("Amy gave 3 red plums to Ben.")[0].people)
    ('plums', ['Amy', 'Ben'])
    """
    found = []
    for sentence in sentences(text):
        named = people_in(sentence)
        for quantity in numerals.find(sentence):
            end = noun_end(sentence, quantity.end)
            words = sentence[quantity.end : end].split(" of ")[0].split()
            found.append(Head(quantity.value, words[-1] if words else "", named))
    return sorted(found, key=lambda head: (head.value, head.noun))


@memoized
def people_in(sentence: str) -> frozenset[str]:
    """The names and pronouns of a sentence."""
    names = {match[0] for match in _NAME.finditer(sentence)} - CAPITALISED_OPENERS
    pronouns = {
        _SAME[word]
        for word in re.findall(r"[a-z]+", sentence.lower())
        if word in _SAME and word in (*PRONOUNS, "i", "we", "you")
    }
    return frozenset(names | pronouns)


def same_heads(before: str, after: str) -> bool:
    """Does every number still count the same things, with the same people in its sentence?

    Where one sentence became two, the people of each number may only be fewer.
    """
    old, new = heads(before), heads(after)
    if [head[:2] for head in old] != [head[:2] for head in new]:
        return False
    if people_in(before) != people_in(after):
        return False
    return all(b.people <= a.people and (b.people or not a.people) for a, b in zip(old, new, strict=True))
