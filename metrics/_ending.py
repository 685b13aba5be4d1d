"""Which number a text without a marker ends with: the last one that no bracket and no reason holds."""

from __future__ import annotations

import re
from collections.abc import Sequence

from dnc_datasets import numerals
from dnc_metrics._markers import TAIL

_REASON = re.compile(r"\b(?:because|since)\s", re.I)
SENTENCE_END = re.compile(r"[.!?](?=\s|$)|\n")


def before_the_reason(text: str, quantities: Sequence[numerals.Quantity], place: int) -> int:
    """The number before "since there were 470 of the others", where this one stands in such a clause."""
    reasons = list(_REASON.finditer(text, 0, quantities[place].start))
    if not reasons or SENTENCE_END.search(text, reasons[-1].end(), quantities[place].start):
        return place
    reason = reasons[-1]
    start = max((end.end() for end in SENTENCE_END.finditer(text, 0, reason.start())), default=0)
    before = [at for at in range(place) if start <= quantities[at].start < reason.start()]
    return before[-1] if before else place


def before_the_bracket(text: str, quantities: Sequence[numerals.Quantity], place: int) -> int:
    """The number that a bracket explains, "it is -5 (a loss of 5)", where this one stands in the bracket."""
    opened = text.rfind("(", 0, quantities[place].start)
    if opened < 0 or text.find(")", opened, quantities[place].start) >= 0:
        return place
    for earlier in range(place - 1, -1, -1):
        if quantities[earlier].end <= opened:
            return earlier if not text[quantities[earlier].end : opened].strip() else place
    return place


def last_numbers(text: str) -> tuple[str, tuple[numerals.Quantity, ...]] | None:
    """The last stretch of text that holds numbers, and the numbers; long text is read from its end."""
    end = len(text)
    while end > 0:
        start = max(0, end - TAIL)
        if start:
            gap = text.find(" ", start, start + 40)
            start = gap + 1 if gap >= 0 else start
            while start < end and text[start].isdigit():  # no gap: not in the middle of a number
                start += 1
        found = numerals.find(text[start:end])
        if found:
            return text[start:end], found
        end = start if start < end else 0
    return None
