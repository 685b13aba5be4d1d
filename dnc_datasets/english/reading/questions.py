"""Questions: patterns with slots ("how many {what} did {who} {verb}"), matched token by token.

A pattern consists of words and slots. A word is one or several alternatives joined by |. A trailing ? marks
an optional word. The slot {slot} takes one or more words, {slot~} zero or more, and {slot=} exactly one.
These slots never take an auxiliary, so that a match is unique. {slot*} takes any number of any words.
"""

from __future__ import annotations

import re
from collections.abc import Sequence

from dnc_datasets.english.lexicon import ASKED_NOUN_STOPS
from dnc_datasets.english.reading.tokens import Element, Token, matches, needed, tokens

_TOTAL = re.compile(
    r",? (?:in total|in all|altogether|all together|total|totaled|together|combined|all in all)\Z",
    re.IGNORECASE,
)
_WIDEST = len(", all together")


def without_total(question: str) -> tuple[str, bool]:
    """Return the question without a closing "in all" or similar phrase, and whether it had one."""
    cut = question.rstrip("? ")
    while end := _TOTAL.search(cut, max(0, len(cut) - _WIDEST)):
        cut = cut[: end.start()]
    cut = cut.rstrip("?").rstrip()
    return cut, len(cut) < len(question.rstrip("? "))


class Patterns:
    """A table of named patterns.

    A closing {slot*} takes the rest of the question without trying each of its ends. A pattern that consists
    only of such a slot matches every question.
    """

    def __init__(self, patterns: Sequence[tuple[str, str]]) -> None:
        self._open: dict[str, str] = {}
        self._always: list[tuple[str, str]] = []
        # Each with the words that it requires.
        self._compiled: list[tuple[str, list[Element], list[frozenset[str]]]] = []
        for name, text in patterns:
            compiled = [element for part in text.split() for element in _elements(part)]
            if text.endswith("*}"):
                self._open[name] = compiled.pop().slot
            if compiled:
                self._compiled.append((name, compiled, needed(compiled)))
            else:
                self._always.append((name, self._open[name]))

    def match(self, question: str) -> dict[str, dict[str, str]]:
        """Return the slots of every pattern that covers the entire question, by the pattern's name."""
        found = {name: {slot: question} for name, slot in self._always}
        text = question.strip().rstrip("? ").rstrip()
        stated = tokens(text)
        words = [token.text for token in stated]
        said = {word.lower() for word in words}
        for name, pattern, words_needed in self._compiled:
            if any(map(said.isdisjoint, words_needed)):
                continue
            fitting = [one for one in matches(pattern, words) if one.end == len(words) or name in self._open]
            if not fitting:
                continue
            # Several differ in where one slot ends and the rest begins: the shortest "who" is right.
            best = min(fitting, key=lambda one: sum(pattern[at].slot == "who" for at in one.taken))
            spans: dict[str, list[int]] = {}
            for position, at in enumerate(best.taken):
                if slot := pattern[at].slot:
                    spans.setdefault(slot, []).append(position)
            slots = {slot: _said(text, stated, at[0], at[-1]) for slot, at in spans.items()}
            if name in self._open and best.end < len(stated):
                slots[self._open[name]] = _said(text, stated, best.end, len(stated) - 1)
            found[name] = slots
        return found


def _said(text: str, stated: Sequence[Token], first: int, last: int) -> str:
    return text[stated[first].start : stated[last].end]


def _elements(part: str) -> list[Element]:
    """Return the elements that a part of a pattern represents."""
    if part.startswith("{"):
        slot = part.strip("{}*=~")
        if part.endswith("*}"):
            return [Element(frozenset("?"), other=True, repeated=True, slot=slot)]
        if part.endswith("=}"):
            return [Element(ASKED_NOUN_STOPS - {"have"}, other=True, slot=slot)]
        more = Element(ASKED_NOUN_STOPS, other=True, repeated=True, slot=slot)
        return [more] if part.endswith("~}") else [Element(ASKED_NOUN_STOPS, other=True, slot=slot), more]
    named = re.match(r"(\w+)=(.*)", part)
    word = named[2] if named else part
    return [
        Element(
            frozenset(word.rstrip("?").split("|")),
            optional=word.endswith("?"),
            slot=named[1] if named else "",
        )
    ]
