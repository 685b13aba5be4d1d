"""Paraphrases by rule: as many rules as apply to a sentence; the head-entity filter checks what they make."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable, Iterator
from difflib import SequenceMatcher
from fractions import Fraction
from typing import NamedTuple

from dnc_datasets import numerals
from dnc_datasets.english.lexicon import CAPITALISED_OPENERS, PRONOUNS
from dnc_datasets.english.reading.quantities import noun_end
from dnc_datasets.english.reading.sentences import sentences
from dnc_datasets.english.rewording.paraphrase_rules import REWRITES
from dnc_datasets.english.rewording.structural_rules import Rewrite
from dnc_datasets.memoization import memoized


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


# One item of a pattern: an escaped character, a class, a repetition, or any other character.
_ITEM = re.compile(r"\\.|\[[^\]]{1,200}\]|\{[0-9,]{1,9}\}|.", re.DOTALL)
_PLAIN = re.compile(r"[A-Za-z ,']")
_REPEATS = ("?", "*", "+", "{")


def required(pattern: str) -> str:
    """The longest plain text outside groups that every match of the pattern holds; empty where none is plain to see.

    >>> required(r"\\b(?<!has )found\\b(?! out)"), required(r"^(?P<who>He|She) then (?=[a-z]{3,20} )")
    ('found', ' then ')
    """
    runs = [""]
    depth = 0
    for item in _ITEM.findall(pattern):
        if item == "|" and not depth:
            return ""  # either side may match
        depth += (item == "(") - (item == ")")
        if depth or not _PLAIN.fullmatch(item):
            if item.startswith(_REPEATS) and not depth:
                runs[-1] = runs[-1][:-1]  # the character before it may be missing
            runs.append("")
        else:
            runs[-1] += item
    return max(runs, key=len)


# What must be in the sentence, and the search. A pattern of a whole sentence is tried at its start only; most
# rules are looked for in vain.
_FIND = tuple(
    (
        required(rule.pattern.pattern),
        rule.pattern.match if rule.pattern.pattern.startswith("^") else rule.pattern.search,
    )
    for rule in REWRITES
)


class Paraphrase(NamedTuple):
    """A sentence said otherwise, and the rules that did it, in their order."""

    text: str
    rules: tuple[str, ...]


# A row states how strong its paraphrase is, which asks for the same sentences once more.
@memoized
def said_otherwise(sentence: str, most: int) -> list[Paraphrase]:
    """Up to `most` different paraphrases, each by as many rules (up to five) as change other words."""
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


_MOST_RULES = 5


def paraphrases(sentence: str, most: int) -> list[str]:
    """The texts of `said_otherwise`."""
    return [made.text for made in said_otherwise(sentence, most)]


def changed_words(before: str, after: str) -> int:
    """How many words of both texts together have no counterpart in the other, in order.

    >>> changed_words("Amy bought 3 pens.", "3 pens were bought by Amy.")
    6
    """
    old, new = _words(before), _words(after)
    blocks = SequenceMatcher(None, old, new, autojunk=False).get_matching_blocks()
    return len(old) + len(new) - 2 * sum(block.size for block in blocks)


def replaced_share(before: str, after: str) -> float:
    """The share of words of both texts that the other does not have; a word that only moves is not counted.

    >>> replaced_share("Amy ran today.", "Today Amy ran."), replaced_share("Amy ran home.", "Amy walked home.")
    (0.0, 0.3333333333333333)
    """
    old, new = Counter(_words(before)), Counter(_words(after))
    return ((old - new).total() + (new - old).total()) / max(1, old.total() + new.total())


def _words(text: str) -> list[str]:
    return re.findall(r"[\w$%']+", text.lower())


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
