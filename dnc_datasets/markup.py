"""Names and texts that others chose, inside Markdown: they stay what they are, whatever characters they hold."""

from __future__ import annotations

import re

_SPECIAL = re.compile(r"[\\`*<>|&]")
_BREAKS = re.compile(r"\s+")


def markdown(text: str) -> str:
    """Text for a line or a table cell, every character that means something escaped.

    >>> print(markdown("a|b <i> *c*"))
    a\\|b \\<i\\> \\*c\\*
    """
    plain = _SPECIAL.sub(lambda match: f"\\{match[0]}", _BREAKS.sub(" ", text))
    return plain.replace("](", "]\\(")  # brackets alone, as of an interval, make no link


def code(text: str) -> str:
    """Text as code within a line; a backtick in it, which would end it, becomes an apostrophe.

    >>> print(code("a`b|c"))
    `a'b\\|c`
    """
    plain = _BREAKS.sub(" ", text).replace("`", "'").replace("|", "\\|")
    return f"`{plain}`"
