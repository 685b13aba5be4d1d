"""An index of paraphrase rules by the rarest word that every match holds, so that few rules are tried on a sentence."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable
from typing import NamedTuple

from dnc_datasets.english.reading.word_sets import words_in
from dnc_datasets.english.rewording.structural_rules import Rewrite

# One item of a pattern: an escaped character, a class, a repetition, or any other character.
_ITEM = re.compile(r"\\.|\[[^\]]{1,200}\]|\{[0-9,]{1,9}\}|.", re.DOTALL)
_PLAIN = re.compile(r"[A-Za-z ,']")
_REPEATS = ("?", "*", "+", "{")
_EDGE = "|"  # where a word starts or ends
_NEIGHBOURS = ("(?=", "(?!", "(?<=", "(?<!")
_ALTERNATIVES = re.compile(r"\(\?(?::|P<[a-z]+>)([A-Za-z ,'|]+)\)")
_NO_WORD_AFTER = re.compile(r"(?:[ ,]|\\[.?]|\[\.,\])")
_WHOLE_WORD = re.compile(r"(?<=[ ,'|])[A-Za-z]+(?=[ ,'|])")
_WORD = re.compile(r"[A-Za-z]+")


class Required(NamedTuple):
    """What every match of a pattern holds: plain texts, one word of each set, and an end mark."""

    runs: list[str]
    choices: list[frozenset[str]]
    end: str = ""


def required(pattern: str) -> Required:
    """Return what every match of the pattern holds; nothing where it has alternatives.

    A bar marks the edge of a word.

    >>> required(r"\\b(?<!has )found\\b(?! out)").runs
    ['|found|']
    >>> need = required(r"^There (?P<be>are|were) (?P<n>\\d+) left\\.$")
    >>> need.runs, sorted(need.choices[0]), need.end
    (['|There ', ' ', ' left'], ['are', 'were'], '.')
    """
    pieces = _pieces(pattern)
    if "|" in pieces:
        return Required([], [])  # either side may match
    runs, choices = [""], []
    for piece, after in zip(pieces, (*pieces[1:], ""), strict=True):
        if piece in (r"\b", "^"):
            runs[-1] += _EDGE
        elif piece.startswith(_NEIGHBOURS):
            runs[-1] += _edge(piece)
        elif _PLAIN.fullmatch(piece):
            runs[-1] += piece
        elif (plain := _ALTERNATIVES.fullmatch(piece)) and not after.startswith(_REPEATS):
            one_of = plain[1].split("|")
            if len(one_of) == 1:
                runs[-1] += plain[1]
                continue
            found = [max(_WORD.findall(one), key=len, default="") for one in one_of]
            bounded = runs[-1].endswith((" ", _EDGE)) and (after == r"\b" or _NO_WORD_AFTER.match(after))
            if bounded and all(found):
                choices.append(frozenset(found))
            runs.append("")
        else:
            if piece.startswith(_REPEATS):
                runs[-1] = runs[-1][:-1]  # the character before it may be missing
            runs.append("")
    end = pieces[-2][1:] if pieces[-1:] == ["$"] and pieces[-2] in (r"\.", r"\?") else ""
    return Required([run for run in runs if run], choices, end)


def _pieces(pattern: str) -> list[str]:
    """The items of a pattern, each group with all that is inside as one piece."""
    pieces: list[str] = []
    depth = 0
    for item in _ITEM.findall(pattern):
        if depth:
            pieces[-1] += item
        else:
            pieces.append(item)
        depth += (item == "(") - (item == ")")
    return pieces


def _edge(neighbour: str) -> str:
    """The mark of an edge where what is beside a match is no part of a word.

    >>> _edge("(?=[.,]| and )"), _edge("(?<=[a-z] )"), _edge("(?! out)"), _edge("(?=s)")
    ('|', '|', '', '')
    """
    if neighbour.startswith("(?<="):
        return _EDGE if neighbour.endswith(" )") and "|" not in neighbour else ""
    ahead = neighbour.startswith("(?=") and "(" not in neighbour[1:]
    return _EDGE if ahead and all(map(_NO_WORD_AFTER.match, neighbour[3:-1].split("|"))) else ""


class _Entry(NamedTuple):
    """The place of a rule, and what a sentence must hold before it is tried: words, one of each set, and texts."""

    at: int
    words: frozenset[str]
    choices: tuple[frozenset[str], ...]
    texts: tuple[str, ...]


class RuleIndex:
    """Rules by a word that every match holds: one look at the words of a sentence finds the rules worth a try."""

    def __init__(self, rules: Iterable[Rewrite]) -> None:
        self.rules = tuple(rules)
        needs = [required(rule.pattern.pattern) for rule in self.rules]
        words = [frozenset(word for run in need.runs for word in _WHOLE_WORD.findall(run)) for need in needs]
        number = Counter(word for some in words for word in some)  # of rules that need the word
        # End mark of a sentence -> word -> the rules for such sentences that need the word.
        self._by_word: dict[str, dict[str, list[_Entry]]] = {end: {} for end in (".", "?", "")}
        self._others: list[_Entry] = []
        for at, (rule, need, some) in enumerate(zip(self.rules, needs, words, strict=True)):
            texts = [text for run in need.runs for text in run.split(_EDGE) if _WORD.search(text)]
            one_of = rule.words.split("|") if rule.words else sorted(some, key=lambda word: (number[word], word))[:1]
            if not one_of and need.choices:
                one_of = sorted(need.choices[0])
            entry = _Entry(
                at,
                some.difference(one_of),
                tuple(choice for choice in need.choices if choice != frozenset(one_of)),
                tuple(text for text in texts if text.strip(" ,") not in some),
            )
            if not one_of:
                self._others.append(entry)
            for end, by_word in self._by_word.items():
                if not need.end or need.end == end:
                    for word in one_of:
                        by_word.setdefault(word, []).append(entry)

    def candidates(self, sentence: str) -> list[Rewrite]:
        """The rules that may match the sentence, in their order."""
        words = words_in(sentence)
        by_word = self._by_word.get(sentence.removesuffix("\n")[-1:]) or self._by_word[""]
        entries = self._others.copy()
        for word in words:
            if word in by_word:
                entries += by_word[word]
        found = set()
        for at, needed, choices, texts in entries:
            if not needed <= words:
                continue
            for choice in choices:
                if choice.isdisjoint(words):
                    break
            else:
                for text in texts:
                    if text not in sentence:
                        break
                else:
                    found.add(at)
        return [self.rules[at] for at in sorted(found)]
