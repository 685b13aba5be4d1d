"""The numbers of a text and the nouns that they count, read by sentences. Shared sentences are read once."""

from __future__ import annotations

import re
from functools import lru_cache
from itertools import chain

from dnc_datasets import numerals
from dnc_datasets.english.lexicon import (
    COUNT_ADJECTIVES,
    IRREGULAR_VERBS,
    NOUN_PHRASE_STOPS,
    is_past,
    plain,
)
from dnc_datasets.memoization import once_per_pair
from dnc_datasets.numerals import Ratio
from dnc_datasets.problem import Problem

_END = ". "
_PRONOUN = "One"  # a number or a pronoun, depending on the sentence before
# The shape of a text: "0" for a digit, "a" for a letter, a blank for a blank or point, "/" for characters of an
# address or citation.
_SHAPE = bytes(
    ord(
        "0"
        if char.isdigit()
        else "a"
        if char.isalpha()
        else " "
        if char in " ."
        else "/"
        if char in "[@/&"
        else "-"
    )
    for char in map(chr, range(128))
).ljust(256, b"-")


@lru_cache(maxsize=64)
def sentences(text: str) -> list[str]:
    """Return the sentences of a text as far as they can be separated. Together they hold its numbers.

    A text is cut at a full stop between a word of at least three lower-case letters and a capitalized word other
    than "One". No number and its context are on both sides of such a stop. Thousands with a blank or a point
    ("20 000") and codes ("US5") affect the entire text, so that it is not cut.

    >>> sentences("Amy has 3 pens. Ben has No. 5."), sentences("Amy has 20 000 pens. Ben has 5.")
    (['Amy has 3 pens.', 'Ben has No. 5.'], ['Amy has 20 000 pens. Ben has 5.'])
    """
    parts = text.split(_END)
    if len(parts) == 1 or not text.isascii():
        return [text]
    shape = text.encode("ascii").translate(_SHAPE)
    if b"0 000" in shape or b"a0" in shape or b"/" in shape:
        return [text]
    pieces = []
    piece = parts[0]
    for part in parts[1:]:
        if _is_seam(piece, part):
            pieces.append(f"{piece}.")
            piece = part
        else:
            piece += _END + part
    pieces.append(piece)
    return pieces


def _is_seam(before: str, after: str) -> bool:
    """Return whether a full stop between two texts certainly ends a sentence."""
    last, first = before[-3:], after[:3]
    ends = len(last) == 3 and last.isalpha() and last.islower()
    return ends and first[:1].isupper() and first[1:2].islower() and first != _PRONOUN


@once_per_pair
def changed_sentences(original: Problem, perturbed: Problem) -> tuple[list[str], list[str]]:
    """Return the pieces of each text that the other one does not have."""
    old, new = sentences(original.text), sentences(perturbed.text)
    shared = set(old).intersection(new)
    if shared and len(set(old)) == len(old) and len(set(new)) == len(new):
        old = [piece for piece in old if piece not in shared]
        new = [piece for piece in new if piece not in shared]
    return old, new


def same_counted_values(original: Problem, perturbed: Problem) -> bool:
    """Return whether both texts hold the same numbers with the nouns that they count, in any order."""
    old, new = changed_sentences(original, perturbed)
    return sorted(chain.from_iterable(map(counted_values, old))) == sorted(
        chain.from_iterable(map(counted_values, new))
    )


def same_values(original: Problem, perturbed: Problem) -> bool:
    """Return whether both problems hold the same numbers, in any order."""
    if _asks_apart(original) and _asks_apart(perturbed):
        old, new = (
            sorted(ratio for sentence in changed for ratio, _ in counted_values(sentence))
            for changed in changed_sentences(original, perturbed)
        )
        return old == new
    return sorted(original.ratios()) == sorted(perturbed.ratios())


def _asks_apart(problem: Problem) -> bool:
    """Return whether all numbers are in the problem's text, with body and question in separate pieces."""
    body, question = problem.body, problem.question
    if problem.segments or problem.table or problem.history or not body.endswith("."):
        return False
    return _is_seam(body[:-1], question) and len(sentences(problem.text)) > 1


@lru_cache(maxsize=512)
def counted_values(text: str) -> tuple[tuple[Ratio, str], ...]:
    """Return every number of a text, in reading order, with the noun that it counts.

    >>> counted_values("Amy has 3 red pens. Ben has five.")
    (((3, 1), 'pens'), ((5, 1), ''))
    """
    return tuple((one.ratio, counted_noun(text, one.end)) for one in numerals.find(text))


_NEXT_WORD = re.compile(r" ([A-Za-z][A-Za-z'-]*)")
_MAX_WORDS = 5
_POINTING = frozenset(("them", "others", "these", "those"))


def counted_noun(text: str, end: int) -> str:
    """Return the head noun of the phrase after a number that ends at `end`, or an empty text.

    >>> counted_noun("She ate 3 red plums at noon.", 9), counted_noun("She ate 3 of them.", 9)
    ('plums', '')
    """
    words: list[str] = []
    while len(words) < _MAX_WORDS and (match := _NEXT_WORD.match(text, end)):
        word, end = match[1], match.end()
        if word == "of" or word in _POINTING or _ends_phrase(word, words):
            break
        words.append(word)
    return words[-1] if words and words[-1] not in COUNT_ADJECTIVES else ""


def _ends_phrase(word: str, words: list[str]) -> bool:
    """Return whether the word is outside the phrase: a function word, a name, or a verb after a plural."""
    if word in NOUN_PHRASE_STOPS or word in IRREGULAR_VERBS:
        return True
    if word[0].isupper() and words:
        return True
    after_plural = bool(words) and words[-1].endswith("s")
    return after_plural and (is_past(word) or plain(word) == word or word.endswith(("ed", "ing")))
