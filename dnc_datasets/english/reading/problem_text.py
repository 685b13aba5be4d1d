"""Splits a problem that is given as one text into body and question."""

from __future__ import annotations

import re

from dnc_datasets.english.reading.sentences import sentences

# After an open condition the question starts: "If each box holds 6 pens, | how many boxes are there?"
_CONDITION = re.compile(
    r"(?:(?:and|but|so|now|then),? )?(?:if|suppose|supposing|assuming|assume|given|since)\b", re.IGNORECASE
)
_ASKED_BEHIND = re.compile(
    r",\s+(?=(?:then,? )?(?:(?:(?:for|in|on|at|by|to|from|about|with|after) )?(?:how|what)|find|calculate|"
    r"compute|determine)\b)",
    re.IGNORECASE,
)
_ASKS = re.compile(r"[?？][\"'”’)]*\Z")
# "Find the number of pens." asks without a question mark.
_TOLD_TO = re.compile(
    r"(?:please |now,? )?(?:find|calculate|compute|determine|give|evaluate|work out|estimate|state|tell)\b",
    re.IGNORECASE,
)
# Sentences after the question that belong to it: "(Round to a whole number.)", "Write it as a fraction."
_TOLD_HOW = re.compile(
    r"[(\[]|(?:please |hint|note|remember|assume|use|round|express|write|give|answer|show|enter|report|leave|"
    r"state|provide|type)\b",
    re.IGNORECASE,
)
# In a text without capitals a full stop may be an abbreviation's: only these words are sure to open a question.
_OPENS = re.compile(r"(?:(?:for|in|on|at|by|to|from|about) )?(?:how|what)\b|if\b")
_STOP = re.compile(r"(?<=[.!?])\s+")
_CHINESE_SENTENCE = re.compile(r"[^。！？?!]*[。！？?!]+[”’」』）)]*|[^。！？?!]+\Z")


def split_problem(text: str) -> tuple[str, str]:
    """Return the body and the question of a problem.

    The body is empty where the question is not certain or the text is one sentence. Joined by a blank, the
    two parts give the text, except for white space at the split.

    >>> split_problem("Amy has 3 pens. If she buys 4 more, how many pens does she have?")
    ('Amy has 3 pens. If she buys 4 more,', 'how many pens does she have?')
    """
    whole = text.strip()
    parts = _sentences(whole)
    at = len(parts) - 1
    while at > 0 and not _ASKS.search(parts[at]) and _TOLD_HOW.match(parts[at]) and _asks_before(parts, at):
        at -= 1
    if not parts or not _asks(parts[at]):
        return "", whole
    # "How many pens does she have? How many has he?" is asked together.
    while at > 0 and _ASKS.search(parts[at - 1]):
        at -= 1
    if any(_ASKS.search(part) for part in parts[:at]):
        return "", whole  # a question inside the statement makes the problem's question ambiguous
    start = _start(whole, parts, at)
    asked = whole[start:]
    if _CONDITION.match(asked) and (after := _ASKED_BEHIND.search(parts[at])):
        start += after.start() + 1
    return whole[:start].rstrip(), whole[start:].lstrip()


def _sentences(text: str) -> list[str]:
    if "。" in text or "？" in text:
        return [part for found in _CHINESE_SENTENCE.findall(text) if (part := found.strip())]
    if text.islower():
        *stated, last = _STOP.split(text)
        return [*stated, last] if _OPENS.match(last) else [text]
    return sentences(text)


def _asks(sentence: str) -> bool:
    if _ASKS.search(sentence) or _TOLD_TO.match(sentence):
        return True
    return _CONDITION.match(sentence) is not None and _ASKED_BEHIND.search(sentence) is not None


def _asks_before(parts: list[str], at: int) -> bool:
    """Return whether a question precedes this sentence, with nothing but hints between."""
    for part in reversed(parts[:at]):
        if _asks(part):
            return True
        if not _TOLD_HOW.match(part):
            return False
    return False


def _start(text: str, parts: list[str], at: int) -> int:
    """Return the start of a sentence in the text. The same words may occur earlier, too."""
    start = 0
    for part in parts[:at]:
        start = text.index(part, start) + len(part)
    return text.index(parts[at], start)
