"""Questions: patterns with slots ("how many {what} did {who} {verb}"), matched token by token with spaCy.

A pattern is words, each one or several joined by |, a trailing ? for a word that may be missing, and slots:
{slot} takes one or more words, {slot~} none or more, {slot=} one; these never take an auxiliary, so that a match
is unique. {slot*} takes any number of any words.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

from dnc_datasets.english.reading.tokens import english

if TYPE_CHECKING:
    from spacy.matcher import Matcher
    from spacy.tokens import Doc

_AUXILIARIES = [
    *(
        "do",
        "does",
        "did",
        "is",
        "are",
        "was",
        "were",
        "will",
        "would",
        "can",
        "could",
        "should",
        "has",
        "have",
    ),
    *("?", "if", "more", "fewer", "than", "still"),
]
_TOTAL = re.compile(
    r"(?:,? (?:in total|in all|altogether|all together|total|totaled|together|combined|all in all))+(?= ?\?*$)",
    re.IGNORECASE,
)


def tokens(question: str) -> Doc:
    """The question without its question mark, as spaCy tokens."""
    return english().tokenizer(question.strip().rstrip("? ").rstrip())


def without_total(question: str) -> tuple[str, bool]:
    """The question without a closing "in all" and the like, and whether it had one."""
    cut = _TOTAL.sub("", question.rstrip("? ") + "?").rstrip("?").rstrip()
    return cut, len(cut) < len(question.rstrip("? "))


class Patterns:
    """A table of named patterns, compiled once into one spaCy Matcher.

    A closing {slot*} takes what is left, so that the Matcher need not try every end of it; a pattern
    that is nothing else fits every question.
    """

    def __init__(self, patterns: Sequence[tuple[str, str]]) -> None:
        self._slots: dict[str, list[str]] = {}
        self._open: dict[str, str] = {}
        self._always: list[tuple[str, str]] = []
        self._compiled: list[tuple[str, list[dict[str, Any]]]] = []
        for name, text in patterns:
            slots, compiled = _compile(text)
            if compiled[-1].get("OP") == "*" and text.endswith("*}"):
                self._open[name] = slots.pop()
                compiled.pop()
            if not compiled:
                self._always.append((name, self._open[name]))
                continue
            self._slots[name] = slots
            self._compiled.append((name, compiled))
        self._matcher: Matcher | None = None

    def match(self, question: str) -> dict[str, dict[str, str]]:
        """The slots of every pattern that covers the whole question, by the pattern's name."""
        found = {name: {slot: question} for name, slot in self._always}
        if not self._compiled:
            return found
        doc = tokens(question)
        if self._matcher is None:
            from spacy.matcher import Matcher

            self._matcher = Matcher(doc.vocab, validate=False)
            for name, compiled in self._compiled:
                self._matcher.add(name, [compiled])
        best: dict[str, tuple[int, int, list[int]]] = {}
        for key, start, end, alignment in self._matcher(doc, with_alignments=True):
            name = doc.vocab.strings[key]
            if start != 0 or (end != len(doc) and name not in self._open):
                continue
            # Several matches differ in where one slot ends and the next begins: the shortest "who" is right.
            who = sum(self._slots[name][pattern] == "who" for pattern in alignment)
            if name not in best or who < best[name][0]:
                best[name] = (who, end, alignment)
        for name, (_, end, alignment) in best.items():
            spans: dict[str, list[int]] = {}
            for position, pattern in enumerate(alignment):
                if slot := self._slots[name][pattern]:
                    spans.setdefault(slot, []).append(position)
            slots = {slot: doc[places[0] : places[-1] + 1].text for slot, places in spans.items()}
            if name in self._open and end < len(doc):
                slots[self._open[name]] = doc[end:].text
            found[name] = slots
        return found


def _compile(text: str) -> tuple[list[str], list[dict[str, Any]]]:
    slots: list[str] = []
    compiled: list[dict[str, Any]] = []
    for part in text.split():
        if part.startswith("{"):
            name = part.strip("{}*=~")
            slots.append(name)
            if part.endswith("*}"):
                compiled.append({"LOWER": {"NOT_IN": ["?"]}, "OP": "*"})
            elif part.endswith("=}"):
                compiled.append({"LOWER": {"NOT_IN": [word for word in _AUXILIARIES if word != "have"]}})
            elif part.endswith("~}"):
                compiled.append({"LOWER": {"NOT_IN": _AUXILIARIES}, "OP": "*"})
            else:
                compiled.append({"LOWER": {"NOT_IN": _AUXILIARIES}, "OP": "+"})
            continue
        named = re.match(r"(\w+)=(.*)", part)
        word = named[2] if named else part
        slots.append(named[1] if named else "")
        token: dict[str, Any] = {"LOWER": {"IN": word.rstrip("?").split("|")}}
        if word.endswith("?"):
            token["OP"] = "?"
        compiled.append(token)
    return slots, compiled
