"""The tokens of an English text, and sequences of elements that are matched against them."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass
from typing import NamedTuple

# Units that are separate tokens after a number; "2nd", "1L" and "49ers" are one token.
_UNIT = "km|m|dm|cm|mm|ha|nm|yd|in|ft|kg|g|mg|t|lb|oz|mph|Pa|mb|MB|kb|KB|gb|GB|tb|TB|T|G|M|K|am|pm"
# One token, tried in this order; every other character is self-contained.
_TOKEN = re.compile(
    rf"""
      \.?\d[\d,./:]*(?<![,./:])(?:(?!(?:{_UNIT})\b)[A-Za-z]\w*)?  # 1,200.5  3/4  6:00  2nd
    | (?:[A-Za-z]\.){{2,6}} | [A-Z]\.(?!\w)                        # p.m.  B.
    | (?:Mr|Mrs|Ms|Dr|St|Jr|Sr|Co|Inc|Ltd|Corp|vs)\.               # Mr.
    | (?i:do|does|did|is|are|was|were|would|could|should|has|have|had|ca|wo|must|need)(?=n['’]t\b)  # did of didn't
    | n['’]t\b | ['’](?:s|S|re|ve|ll|d|m)\b                        # n't of didn't, 's of Amy's
    | can(?=not\b)
    | [^\W\d_]\w*(?:&[^\W\d_]\w*)?(?:-\d\w*)?(?:/(?=\s|$))?       # pens  R&D  Orbius-5  increase/
    | (?<=\s)\s+                                                  # what a wide gap has beyond one blank
    | \S
    """,
    re.VERBOSE,
)


class Token(NamedTuple):
    """A word, number or mark and its place in the text."""

    text: str
    start: int
    end: int


def tokens(text: str) -> list[Token]:
    """The tokens of a text, in order.

    >>> [token.text for token in tokens("Didn't Amy's 3/4 lb. cost $5?")]
    ['Did', "n't", 'Amy', "'s", '3/4', 'lb', '.', 'cost', '$', '5', '?']
    """
    return [Token(found[0], found.start(), found.end()) for found in _TOKEN.finditer(text)]


@dataclass(frozen=True)
class Element:
    """A place in a pattern: the words that it accepts or, where `other` is set, the words that it rejects.

    An `optional` element may be missing. A `repeated` one may be missing or occur several times. Words are
    compared in lower case, unless `exact`. `slot` is the name under which the words are kept.
    """

    words: frozenset[str]
    other: bool = False
    optional: bool = False
    repeated: bool = False
    exact: bool = False
    slot: str = ""

    def takes(self, word: str) -> bool:
        """Return whether the element accepts this word."""
        return ((word if self.exact else word.lower()) in self.words) is not self.other


def needed(pattern: Sequence[Element]) -> list[frozenset[str]]:
    """Return the sets of lower-case words of which a text must contain one each to match the pattern.

    Most texts lack one of them, and need no matching.
    """
    return [
        frozenset(map(str.lower, element.words))
        for element in pattern
        if not (element.other or element.optional or element.repeated)
    ]


class Match(NamedTuple):
    """The index of the token after a match, and the element that took each token."""

    end: int
    taken: tuple[int, ...]


def matches(pattern: Sequence[Element], words: Sequence[str], start: int = 0) -> list[Match]:
    """Return every end of the pattern when it begins at `start`, each with one assignment of tokens.

    All alternatives advance together, token by token. Where two reach the same element, only the first is
    kept. An alternative that advances to the next element precedes one that stays.
    """
    ways: dict[int, tuple[int, ...]] = {
        0: ()
    }  # element that comes next -> elements that took the words so far
    last = len(pattern) - 1
    ended: set[int] = set()
    found: list[Match] = []

    def end(at: int, taken: tuple[int, ...]) -> None:
        if taken and at not in ended:
            ended.add(at)
            found.append(Match(at, taken))

    for place in range(start, len(words)):
        if not ways:
            return found
        onward: dict[int, tuple[int, ...]] = {}
        staying: list[tuple[int, tuple[int, ...]]] = []
        for first, taken in ways.items():
            for at in range(first, last + 1):
                element, fits = pattern[at], pattern[at].takes(words[place])
                grown = (*taken, at)
                if not (element.optional or element.repeated):
                    if fits and at == last:
                        end(place + 1, grown)
                    elif fits:
                        onward.setdefault(at + 1, grown)
                    break
                if at == last:
                    end(place, taken)
                    if fits and element.repeated:
                        onward.setdefault(at, grown)
                    elif fits:
                        end(place + 1, grown)
                elif fits:
                    staying.append((at if element.repeated else at + 1, grown))
        for at, grown in staying:
            onward.setdefault(at, grown)
        ways = onward
    for first, taken in ways.items():
        if all(element.optional or element.repeated for element in pattern[first:]):
            end(len(words), taken)
    return found
