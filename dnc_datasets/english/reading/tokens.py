"""The words and marks of an English text, and rows of elements that they are matched against."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass
from typing import NamedTuple

# Units that stand apart from the number before them; "2nd", "1L" and "49ers" are one token.
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
    """A place in a pattern: the words that may stand there, or, where `other`, those that may not.

    `optional` may be missing; `repeated` may be missing or stand several times. Words are compared in small
    letters, unless `exact`. `slot` is the name of what it takes.
    """

    words: frozenset[str]
    other: bool = False
    optional: bool = False
    repeated: bool = False
    exact: bool = False
    slot: str = ""

    def takes(self, word: str) -> bool:
        """May this word stand here?"""
        return ((word if self.exact else word.lower()) in self.words) is not self.other


def needed(pattern: Sequence[Element]) -> list[frozenset[str]]:
    """Small words of which a text must have one, for each place of a pattern that one of a few must take.

    Most texts lack one, and need no further look.
    """
    return [
        frozenset(map(str.lower, element.words))
        for element in pattern
        if not (element.other or element.optional or element.repeated)
    ]


class Match(NamedTuple):
    """The token after the last that a pattern took, and which element took each."""

    end: int
    taken: tuple[int, ...]


def matches(pattern: Sequence[Element], words: Sequence[str], start: int = 0) -> list[Match]:
    """Every end that the pattern can have when it begins at `start`, each with one way to get there.

    All ways go forward together, word by word. Where two meet at the same element only the first is kept; a way
    that goes on to the next element comes before one that stays.
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
