"""Yes or no as a model says it: in one word, at the start or at the end of what it explains, or as true and false."""

from __future__ import annotations

import re

from dnc_metrics.extraction.plain_text import tidy

YES, NO = VERDICTS = ("yes", "no")
_SAID = {"yes": YES, "true": YES, "no": NO, "false": NO}
# Every repetition is bounded: white space is collapsed before.
_WORD = "(yes|no|true|false)"
_OPEN, _CLOSE = "[\"'(*\\[]{0,4}", "[\"')*\\]]{0,4} ?"
_FIRST = re.compile(rf"[ \n]{{0,3}}{_OPEN}{_WORD}(?![\w/-])", re.I)
_LAST = re.compile(
    # A sentence of its own, or what follows from what was said,
    rf"(?:[.!?:;\n] ?|\b(?:so|therefore|thus|hence|then),? ?){_OPEN}{_WORD}(?={_CLOSE}(?:[.!,;:\n]|\Z))"
    # or what a clause ends with.
    rf"|(?:[,—–=→-] ?|\b(?:is|be|say) ?){_OPEN}{_WORD}(?={_CLOSE}(?:[.!\n]|\Z))",
    re.I,
)
# "Yes or no?" asks; "no idea" and "no way to tell" give no answer; "no more than 3" says how many.
_NEITHER = re.compile(
    r"\b(?:yes|true) ?(?:/|or|and) ?(?:no|false)\b|\bno ?(?:/|or|and) ?yes\b|\bno (?:idea|clue|answer|information|way"
    r"|one|data|conclusion|definite|enough|such|more|less|fewer|longer|other|matter)\b",
    re.I,
)


def verdict(text: str) -> str:
    """The yes or no that a text ends with, or else begins with; empty where it says neither.

    >>> verdict("She has 12 + 3 = 15, so yes."), verdict("No, she does not."), verdict("No idea.")
    ('yes', 'no', '')
    """
    stated = _NEITHER.sub(" ", tidy(text)).strip()
    last = None
    for found in _LAST.finditer(stated):
        last = found[1] or found[2]
    if last is None:
        first = _FIRST.match(stated)
        last = first[1] if first else None
    return _SAID[last.lower()] if last else ""


def alone(text: str) -> bool:
    """Is the text nothing but yes, no, true or false?

    >>> alone("Yes."), alone("Yes, she has.")
    (True, False)
    """
    return tidy(text).strip(" \n.!\"'()*").lower() in _SAID
