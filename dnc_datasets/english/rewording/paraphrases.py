"""Paraphrases by rule: as many rules as apply to a sentence; the head-entity filter checks what they make."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from typing import NamedTuple

from dnc_datasets.english.reading.head_entities import same_heads
from dnc_datasets.english.rewording.extent import changed_words
from dnc_datasets.english.rewording.paraphrase_rules import REWRITES, Rewrite


def rewrites(sentence: str, rules: Iterable[Rewrite] = REWRITES) -> Iterator[tuple[str, str]]:
    """Every rule that applies to a sentence, by name, with the sentence it makes; all pass the filter."""
    for rule in rules:
        match = rule.pattern.search(sentence)
        made = _rewritten(rule, match) if match else None
        if made is not None:
            yield rule.name, made


def _rewritten(rule: Rewrite, match: re.Match[str]) -> str | None:
    """What the rule makes of the sentence in which it was found; None where the filter refuses it."""
    sentence = match.string
    new = match.expand(rule.new) if isinstance(rule.new, str) else rule.new(match)
    if new is None:
        return None
    made = sentence[: match.start()] + new + sentence[match.end() :]
    return made if made != sentence and same_heads(sentence, made) else None


_CONDITIONS = re.compile(r"(?:\(\?<!(?:[^()]|\([^()]*\))*\)|\\b)+")
_PLAIN_START = re.compile(r"\^?((?:[A-Za-z]+(?: [A-Za-z]+)* ?)?)(.?)", re.DOTALL)


def opening(pattern: str) -> str:
    """The plain words that every match of the pattern opens with, as far as they are plain to see.

    >>> opening(r"\\b(?<!has )found\\b(?! out)"), opening(r"^There (?P<be>are|were) ")
    ('found', 'There ')
    """
    conditions = _CONDITIONS.match(pattern)
    rest = pattern[conditions.end() :] if conditions else pattern
    depth = 0
    for at, character in enumerate(rest):
        depth += (character in "([") - (character in ")]")
        if character == "|" and depth <= 0 and rest[at - 1 : at] != "\\":
            return ""
    found = _PLAIN_START.match(rest)
    assert found is not None
    return found[1][:-1] if found[2] and found[2] in "?*+{" else found[1]


# What must be in the sentence, and the search. A pattern of a whole sentence is tried at its start only; most
# rules are looked for in vain.
_FIND = tuple(
    (
        opening(rule.pattern.pattern),
        rule.pattern.match if rule.pattern.pattern.startswith("^") else rule.pattern.search,
    )
    for rule in REWRITES
)


class Paraphrase(NamedTuple):
    """A sentence said otherwise, and the rules that did it, in their order."""

    text: str
    rules: tuple[str, ...]


def said_otherwise(sentence: str, most: int) -> list[Paraphrase]:
    """Up to `most` different paraphrases, each by as many rules (up to three) as change other words."""
    found: dict[str, Paraphrase] = {}
    for first in [at for at, (word, find) in enumerate(_FIND) if word in sentence and find(sentence)]:
        made, changed = Paraphrase(sentence, ()), 0
        for at in (*range(first, len(REWRITES)), *range(first)):
            if len(made.rules) == _MOST_RULES or (at != first and not made.rules):
                break
            word, find = _FIND[at]
            match = find(made.text) if word in made.text else None
            text = _rewritten(REWRITES[at], match) if match else None
            # A rule that takes back what another one did, wholly or in part, changes no more words.
            if text is not None and (words := changed_words(sentence, text)) > changed:
                made, changed = Paraphrase(text, (*made.rules, REWRITES[at].name)), words
        if made.rules and same_heads(sentence, made.text):
            found.setdefault(made.text, made)
        if len(found) >= most:
            break
    return list(found.values())


_MOST_RULES = 3


def paraphrases(sentence: str, most: int) -> list[str]:
    """The texts of `said_otherwise`."""
    return [made.text for made in said_otherwise(sentence, most)]
