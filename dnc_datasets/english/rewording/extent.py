"""Extent: how far one text is from another, in words."""

from __future__ import annotations

import re
from difflib import SequenceMatcher


def changed_words(before: str, after: str) -> int:
    """How many words of both texts together have no counterpart in the other, in order.

    >>> changed_words("Amy bought 3 pens.", "3 pens were bought by Amy.")
    6
    """
    old, new = _words(before), _words(after)
    blocks = SequenceMatcher(None, old, new, autojunk=False).get_matching_blocks()
    return len(old) + len(new) - 2 * sum(block.size for block in blocks)


def changed_share(before: str, after: str) -> float:
    """The share of words that changed: 0 for the same text, 1 where no word is kept in its order."""
    return changed_words(before, after) / max(1, len(_words(before)) + len(_words(after)))


def _words(text: str) -> list[str]:
    return re.findall(r"[\w$%']+", text.lower())
