"""Promises for rows that are assembled from a small proposal: a map of words, or one added statement."""

from __future__ import annotations

import re
from collections.abc import Callable

from dnc_datasets import numerals
from dnc_datasets.certificate.clauses import sentences, stem
from dnc_datasets.english.lexicon import (
    FEMALE_NAMES,
    FILLERS,
    MALE_NAMES,
    OPPOSITE_WORDS,
    UNITS_OF_MEASURE,
    plain,
)
from dnc_datasets.problem import Problem

_TOKEN = re.compile(r"[A-Za-z]+")
_FIXED = (
    FILLERS | UNITS_OF_MEASURE | frozenset(word for pair in OPPOSITE_WORDS for side in pair for word in side)
)
_VOWELS = tuple("aeiou")


def words_mapped(original: Problem, perturbed: Problem) -> bool:
    """undoing a one-to-one map of words, none of which was in the text, gives the original to the letter"""
    found = _map(original.text, perturbed.text)
    if not found or _TOKEN.split(original.text) != _TOKEN.split(perturbed.text):
        return False
    said = {word.lower() for word in _TOKEN.findall(original.text)}
    kept = {stem(old.lower()) for old in said - {old.lower() for old in found}}
    return len(set(found.values())) == len(found) and all(
        new.lower() not in said
        and stem(old.lower()) not in kept
        and not {old.lower(), new.lower()} & _FIXED
        and not plain(old.lower())
        and not numerals.stated(f"{old} of")
        and not numerals.stated(f"{new} of")
        and old[0].isupper() == new[0].isupper()
        and old.endswith("s") == new.endswith("s")
        and old.lower().startswith(_VOWELS) == new.lower().startswith(_VOWELS)
        for old, new in found.items()
    )


def _map(before: str, after: str) -> dict[str, str]:
    """Return the words that differ; nothing where one word has become two different ones."""
    old, new = _TOKEN.findall(before), _TOKEN.findall(after)
    if len(old) != len(new):
        return {}
    found: dict[str, str] = {}
    for one, two in zip(old, new, strict=True):
        if found.setdefault(one, two) != two:
            return {}
    return {one: two for one, two in found.items() if one != two}


def names_mapped(original: Problem, perturbed: Problem) -> bool:
    """only first names of known gender are exchanged, each for one of the same gender"""
    return all(
        any(old in group and new in group for group in (FEMALE_NAMES, MALE_NAMES))
        for old, new in _map(original.text, perturbed.text).items()
    )


def one_statement_added(original: Problem, perturbed: Problem) -> bool:
    """deleting one statement gives the original; the statement asks nothing"""
    text, spans = perturbed.text, sentences(perturbed.text)
    plain_original = original.text.split()
    return any(
        f"{text[:start]} {text[end:]}".split() == plain_original and "?" not in text[start:end]
        for start, end in spans
    )


CHECKS: tuple[Callable[[Problem, Problem], bool], ...] = (words_mapped, names_mapped, one_statement_added)
