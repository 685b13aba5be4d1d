"""Escapes text from others for each medium in which it is shown, with one function per medium.

Records, datasets, models and servers choose names, ids, replies and messages. In every medium such text is
data: it starts no markup, no script, no terminal command and no formula. Control characters, characters that
reorder text and half surrogate pairs are shown in the notation of JSON (`\\u001b`), so that they are visible.
"""

from __future__ import annotations

import html as _html
import re

# Controls of terminals (C0, C1), of text direction, line separators, surrogates, noncharacters, and "tags".
_CONTROLS = (
    "\x00-\x08\x0b\x0c\x0e-\x1f\x7f-\x9f\u061c\u200e\u200f\u2028-\u202e\u2066-\u2069\ud800-\udfff"
    "\ufdd0-\ufdef\ufff9-\ufffb\ufffe\uffff\U000e0000-\U000e007f"
)
_UNSAFE = re.compile(rf"[{_CONTROLS}]|\r(?!\n)")
_MARKDOWN = re.compile(r"[\\`*>|&~]|<(?! )|(?<!\w)_|_(?!\w)|(?<=\])[(\[:]")
_MARKDOWN_START = re.compile(r"^(#{1,6}(?=\s|$)|[-+](?=\s|$)|={2,}|-{2,}|\d{1,9}(?=[.)](?:\s|$)))")
_SPACES = re.compile(r"\s+")
_FORMULA = tuple("=+-@\t\r\n＝＋－＠")
_NUMBER = re.compile(r"[+-]?\d[\d.,]*(?:[eE][+-]?\d+)?%?")


def terminal(text: str) -> str:
    """Return text for a terminal. Newlines and tabs are kept.

    >>> print(terminal("a\\x1b[31mred"))
    a\\u001b[31mred
    """
    return _UNSAFE.sub(_as_json, text)


def line(text: str) -> str:
    """Return text for one line of a terminal or of a table.

    >>> print(line("two\\nlines"))
    two lines
    """
    return terminal(_SPACES.sub(" ", text))


def without_controls(text: str) -> str:
    """Return text of the same width in a terminal, with the unsafe characters removed."""
    return _UNSAFE.sub("", text)


def html(text: str) -> str:
    """Return text for the content or a quoted attribute of an HTML element.

    >>> html('<b>"x"')
    '&lt;b&gt;&quot;x&quot;'
    """
    return _html.escape(terminal(text))


def xml(text: str) -> str:
    """Return text for the content or a quoted attribute of XML, such as SVG, which allows no control characters.

    >>> xml("a\\x00<")
    'a\\\\u0000&lt;'
    """
    return _html.escape(terminal(text))


def markdown(text: str) -> str:
    """Return text for a line or a table cell of Markdown.

    >>> print(markdown("a|b <i> *c* [10, 20] [x](y)"))
    a\\|b \\<i\\> \\*c\\* [10, 20] [x]\\(y)
    """
    plain = _MARKDOWN.sub(lambda match: f"\\{match[0]}", line(text))
    start = _MARKDOWN_START.match(plain)
    if not start:
        return plain
    end = start.end() if start[0].isdigit() else 0
    return f"{plain[:end]}\\{plain[end:]}"


def code(text: str) -> str:
    """Return text as code within a line of Markdown.

    A backtick, which would end it, becomes an apostrophe.

    >>> print(code("a`b|c"))
    `a'b\\|c`
    """
    plain = line(text).replace("`", "'").replace("|", "\\|")
    return f"`{plain}`"


def csv(text: str) -> str:
    """Return text for a cell of CSV or TSV that a spreadsheet reads as text. Numbers stay numbers.

    >>> csv("=HYPERLINK(1)"), csv("-5.2"), csv("-5+cmd")
    ("'=HYPERLINK(1)", '-5.2', "'-5+cmd")
    """
    plain = terminal(text)
    return f"'{plain}" if plain.startswith(_FORMULA) and not _NUMBER.fullmatch(plain) else plain


def _as_json(match: re.Match[str]) -> str:
    code_point = ord(match[0])
    if code_point <= 0xFFFF:
        return f"\\u{code_point:04x}"
    high, low = divmod(code_point - 0x10000, 0x400)
    return f"\\u{0xD800 + high:04x}\\u{0xDC00 + low:04x}"
