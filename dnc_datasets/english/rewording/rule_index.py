"""An index of paraphrase rules by the words that every match holds, so that few rules are tried on a sentence."""

from __future__ import annotations

import re
from collections.abc import Iterable

from dnc_datasets.english.rewording.structural_rules import Rewrite

# One item of a pattern: an escaped character, a class, a repetition, or any other character.
_ITEM = re.compile(r"\\.|\[[^\]]{1,200}\]|\{[0-9,]{1,9}\}|.", re.DOTALL)
_PLAIN = re.compile(r"[A-Za-z ,']")
_REPEATS = ("?", "*", "+", "{")
_EDGE = "|"  # where a word starts or ends
_NEIGHBOURS = ("(?=", "(?!", "(?<=", "(?<!")


def required(pattern: str) -> list[str]:
    """Return the plain texts outside groups that every match of the pattern holds; none where it has alternatives.

    A bar marks the edge of a word.

    >>> required(r"\\b(?<!has )found\\b(?! out)"), required(r"^(?P<who>He|She) then (?=[a-z]{3,20} )")
    (['|found|'], ['|', ' then '])
    """
    runs = [""]
    depth = 0
    for item in _ITEM.findall(_without_neighbours(pattern)):
        if item == "|" and not depth:
            return []  # either side may match
        depth += (item == "(") - (item == ")")
        if not depth and item in (r"\b", "^"):
            runs[-1] += _EDGE
        elif depth or not _PLAIN.fullmatch(item):
            if item.startswith(_REPEATS) and not depth:
                runs[-1] = runs[-1][:-1]  # the character before it may be missing
            runs.append("")
        else:
            runs[-1] += item
    return [run for run in runs if run]


def _without_neighbours(pattern: str) -> str:
    """The pattern without the groups that only look at what is beside a match."""
    found, depth = "", 0  # the depth inside such a group
    items = _ITEM.findall(pattern)
    for at, item in enumerate(items):
        if depth or (item == "(" and "".join(items[at : at + 4]).startswith(_NEIGHBOURS)):
            depth += (item == "(") - (item == ")")
        else:
            found += item
    return found


_WHOLE_WORD = re.compile(r"(?<=[ ,|])[A-Za-z]+(?=[ ,|])")
_TEXT_WORD = re.compile(r"[A-Za-z]+")


class RuleIndex:
    """Rules by a word that every match holds: one look at the words of a sentence finds the rules worth a try."""

    def __init__(self, rules: Iterable[Rewrite]) -> None:
        self.rules = tuple(rules)
        # Word -> places of rules, each with all the words that its matches hold.
        self._by_word: dict[str, list[tuple[int, frozenset[str]]]] = {}
        self._others: list[tuple[int, str]] = []
        for at, rule in enumerate(self.rules):
            runs = required(rule.pattern.pattern)
            words = frozenset(word for run in runs for word in _WHOLE_WORD.findall(run))
            if one_of := rule.words.split("|") if rule.words else sorted(words, key=len)[-1:]:
                for word in one_of:
                    self._by_word.setdefault(word, []).append((at, words))
            else:
                self._others.append((at, max((run.strip(_EDGE) for run in runs), key=len, default="")))

    def candidates(self, sentence: str) -> list[Rewrite]:
        """The rules that may match the sentence, in their order."""
        words = set(_TEXT_WORD.findall(sentence))
        found = [at for at, text in self._others if text in sentence]
        for word in words & self._by_word.keys():
            for at, needed in self._by_word[word]:
                if needed <= words:
                    found.append(at)
        return [self.rules[at] for at in sorted(set(found))]
