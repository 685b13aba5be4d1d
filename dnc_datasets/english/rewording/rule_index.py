"""Index of paraphrase rules by words that every match contains, so that few rules are tried on a sentence."""

from __future__ import annotations

import re
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
    """The texts that every match of a pattern contains: literals, one word of each set, and an end mark."""

    runs: list[str]
    choices: list[frozenset[str]]
    end: str = ""


def required(pattern: str) -> Required:
    r"""Return the required texts of a pattern, or no texts if the pattern has alternatives.

    A bar marks the edge of a word.

    >>> required(r"\b(?<!has )found\b(?! out)").runs
    ['|found|']
    >>> need = required(r"^There (?P<be>are|were) (?P<n>\d+) left\.$")
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
    """Return the items of a pattern. Each group is one item."""
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
    """Return the edge mark if the neighbour of a match is not part of a word, otherwise "".

    >>> _edge("(?=[.,]| and )"), _edge("(?<=[a-z] )"), _edge("(?! out)"), _edge("(?=s)")
    ('|', '|', '', '')
    """
    if neighbour.startswith("(?<="):
        return _EDGE if neighbour.endswith(" )") and "|" not in neighbour else ""
    ahead = neighbour.startswith("(?=") and "(" not in neighbour[1:]
    return _EDGE if ahead and all(map(_NO_WORD_AFTER.match, neighbour[3:-1].split("|"))) else ""


class RuleIndex:
    """Index of rules by their required texts, to find the candidate rules of a sentence quickly.

    Each rule has a bit field in one large integer: one bit for each required word, word set or end mark, and
    one overflow bit above them. Every word of a sentence sets the bits that it satisfies. Adding one to the
    lowest bit of each field carries into its overflow bit if all other bits are set.
    """

    def __init__(self, rules: Iterable[Rewrite]) -> None:
        self.rules = tuple(rules)
        self._fulfils: dict[str, int] = {}  # by a word or an end mark
        self._lowest = self._highest = 0
        self._rule_at: dict[int, tuple[int, tuple[str, ...]]] = {}  # by the place of the highest bit
        place = 0
        for at, rule in enumerate(self.rules):
            need = required(rule.pattern.pattern)
            words = {word for run in need.runs for word in _WHOLE_WORD.findall(run)}
            texts = [text for run in need.runs for text in run.split(_EDGE) if _WORD.search(text)]
            needed = [*map(frozenset, zip(sorted(words), strict=True)), *need.choices]
            needed += [frozenset(rule.words.split("|"))] if rule.words else []
            needed += [frozenset((need.end,))] if need.end else []
            self._lowest |= 1 << place
            for one_of in needed:
                for word in one_of:
                    self._fulfils[word] = self._fulfils.get(word, 0) | 1 << place
                place += 1
            self._highest |= 1 << place
            self._rule_at[place] = at, tuple(text for text in texts if text.strip(" ,") not in words)
            place += 1
        self._known = frozenset(self._fulfils)

    def places(self, sentence: str) -> list[int]:
        """Return the indices of the rules that may match the sentence, in order."""
        fulfilled = self._fulfils.get(sentence.removesuffix("\n")[-1:], 0)
        for word in words_in(sentence) & self._known:
            fulfilled |= self._fulfils[word]
        fields = (fulfilled + self._lowest) & self._highest
        found = []
        while fields:
            field = fields & -fields
            fields ^= field
            at, texts = self._rule_at[field.bit_length() - 1]
            for text in texts:
                if text not in sentence:
                    break
            else:
                found.append(at)
        return found

    def candidates(self, sentence: str) -> list[Rewrite]:
        """Return the rules that may match the sentence, in order."""
        return [self.rules[at] for at in self.places(sentence)]
