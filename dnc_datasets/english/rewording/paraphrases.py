"""Paraphrases by rule: as many rules as apply to a sentence; the head-entity filter checks what they make."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable, Iterator
from difflib import SequenceMatcher
from typing import NamedTuple

from dnc_datasets.english.reading.head_entities import same_heads
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
