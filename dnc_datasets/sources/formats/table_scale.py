"""The scale of the amounts of a report's table: thousands, millions, billions or none."""

from __future__ import annotations

import re
from collections.abc import Sequence, Set

UNKNOWN = "unknown"
_MONEY = r"(?:[$£€¥]|\b(?:USD|US\$|EUR|GBP|RMB|SEK|CHF|DKK))\s?"
# Scales in a heading: "$'000", "(in thousands)", "£m", "SEK billion".
_HEADINGS = {
    "thousand": re.compile(rf"thousands?\b|['’‘`]\s?000\b|\b000s\b|{_MONEY}000\b", re.IGNORECASE),
    "million": re.compile(rf"millions?\b|{_MONEY}(?:m|mn|mm)\b", re.IGNORECASE),
    "billion": re.compile(rf"billions?\b|{_MONEY}bn\b", re.IGNORECASE),
}
# Scales in a paragraph: "(in millions of dollars, except ...)", "expressed in thousands".
_IN_SCALE = re.compile(r"\bin (?:[A-Z]\S+ ){0,3}(thousand|million|billion)s\b")
_HEADING_ROWS = 3


def table_scale(table: Sequence[Sequence[str]], body: str, asked: Set[str]) -> str:
    """Return the scale that the table or its paragraphs state, otherwise the common scale of its questions.

    `asked` holds the scales of the answers to the questions over the table. The result is "unknown" where
    they differ from the stated scale, or from each other if none is stated.
    """
    stated = _stated(table, body)
    scaled = asked - {""}
    if len(stated) == 1 and scaled <= stated:
        return next(iter(stated))
    if not stated and len(asked) <= 1:
        return next(iter(asked), "")
    if len(stated) > 1 and len(scaled) == 1 and scaled <= stated:
        return next(iter(scaled))
    return UNKNOWN


def _stated(table: Sequence[Sequence[str]], body: str) -> set[str]:
    heads = [cell for row in table[:_HEADING_ROWS] for cell in row]
    # Further down, a label in brackets of its own: "(In thousands)".
    heads += [row[0] for row in table[_HEADING_ROWS:] if row and row[0].startswith("(in ")]
    found = {name for name, sign in _HEADINGS.items() if any(sign.search(cell) for cell in heads)}
    return found or set(_IN_SCALE.findall(body))
