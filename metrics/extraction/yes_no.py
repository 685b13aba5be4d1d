"""Yes or no in a reply: in one word, before or after an explanation, or as true and false."""

from __future__ import annotations

import re

from dnc_metrics.extraction.plain_text import tidy

YES, NO = VERDICTS = ("yes", "no")
_SAID = {"yes": YES, "true": YES, "no": NO, "false": NO}
# Every repetition is bounded, since white space is collapsed before.
_WORD = "(yes|no|true|false)"
_OPEN, _CLOSE = "[\"'(*\\[]{0,4}", "[\"')*\\]]{0,4} ?"
_FIRST = re.compile(rf"[ \n]{{0,3}}{_OPEN}{_WORD}(?![\w/-])", re.I)
_LAST = re.compile(
    # A sentence, or a conclusion,
    rf"(?:[.!?:;\n] ?|\b(?:so|therefore|thus|hence|then),? ?){_OPEN}{_WORD}(?={_CLOSE}(?:[.!,;:\n]|\Z))"
    # or the end of a clause.
    rf"|(?:[,—–=→-] ?|\b(?:is|be|say) ?){_OPEN}{_WORD}(?={_CLOSE}(?:[.!\n]|\Z))",
    re.I,
)
# "Yes or no?" is a question; "no idea" and "no way to tell" give no answer; "no more than 3" is a bound.
_NEITHER = re.compile(
    r"\b(?:yes|true) ?(?:/|or|and) ?(?:no|false)\b|\bno ?(?:/|or|and) ?yes\b|\bno (?:idea|clue|answer|information|way"
    r"|one|data|conclusion|definite|enough|such|more|less|fewer|longer|other|matter)\b",
    re.I,
)


def verdict(text: str) -> str:
    """Return the yes or no at the end of a text, or else at its start; empty if there is neither.

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
    """Return whether the text is only yes, no, true or false.

    >>> alone("Yes."), alone("Yes, she has.")
    (True, False)
    """
    return tidy(text).strip(" \n.!\"'()*").lower() in _SAID
