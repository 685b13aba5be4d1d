"""Reads the equation in a model's output: infix or prefix, with numbers or number slots."""

from __future__ import annotations

import re
from typing import NamedTuple

from dnc_datasets import expression
from dnc_datasets.errors import ExpressionError
from dnc_metrics.errors import MetricError
from dnc_metrics.extraction.plain_text import tidy, western, window
from dnc_metrics.extraction.thinking import spoken

INFIX, PREFIX = "infix", "prefix"
_SLOT = re.compile(r"(?:number|num|n)_?\d{1,3}", re.I)
_MARKER = re.compile(r"\b(?:equation|expression|formula)\b\s*(?:is|:|=|would be|will be)+\s*|####+\s*", re.I)
# Two adjacent words, which no equation has. This check takes a tenth of the time of a failed parse.
_PROSE = re.compile(r"[A-Za-z]{2} [A-Za-z]{2}")
_MAX_MARKS = 50
_SEGMENT = 300

_OPERAND = r"-?[$€£]?(?:\d[\d,]{0,30}(?:\.\d{1,30})?|\.\d{1,30}|(?:number|num|n)_?\d{1,3}\b)%?"
_RUN = re.compile(
    # Starts at the first digit of a number, so that a text of digits or blanks is read once.
    rf"(?<!\d)(?:[-(\[{{][-(\[{{ ]{{0,19}})?{_OPERAND}"
    rf"(?:[ )\]}}]{{0,20}}(?:\*\*|[-+*/^×÷·%]|x(?=[ \d(]))[ (\[{{]{{0,20}}{_OPERAND}){{1,60}}"
    r"[ )\]}]{0,20}",
    re.I,
)


class FoundEquation(NamedTuple):
    """An equation read from text: its tree, rule, spelling and notation.

    The rule is "bare", "marked", "last_equation", "not_found" or "truncated".
    """

    expr: expression.Expr | None
    rule: str
    text: str
    notation: str = INFIX


_NOTHING = FoundEquation(None, "not_found", "")
_TRUNCATED = FoundEquation(None, "truncated", "")


def equation(text: str) -> FoundEquation:
    """Return the equation that a model wrote.

    It is the entire text if that is an equation, else the text after "equation:" or "####", else the last
    calculation. Number slots ("number0", "N_1") are names; other words are not.

    >>> equation("So we get 3 + 4 = 7 apples.").text, equation("- number0 number1").notation
    ('3 + 4', 'prefix')
    """
    if not isinstance(text, str):
        raise MetricError(f"a prediction must be text, not {type(text).__name__}")
    # `tidy` would remove "**", so the original text is tried first.
    said, unfinished = spoken(western(text))
    if unfinished:
        return _TRUNCATED
    shown = window(said)
    found = read(shown.strip())
    if found is not None:
        return found
    shown = tidy(shown)
    for mark in list(_MARKER.finditer(shown))[:_MAX_MARKS]:
        line = shown[mark.end() : mark.end() + _SEGMENT].strip().partition("\n")[0]
        found = read(line.strip(" .$"), "marked") or _last_run(line, "marked")
        if found is not None:
            return found
    return read(shown.strip(" \n.")) or _last_run(shown, "last_equation") or _NOTHING


def read(text: str, rule: str = "bare") -> FoundEquation | None:
    """Return the equation that is the entire text, prefix or infix; None if the text is not one."""
    if not text or len(text) > 2000 or _PROSE.search(text):
        return None
    if text[0] in "+-*/^":
        found = _parsed(text, rule, PREFIX)
        if found is not None:
            return found
    return _parsed(text, rule, INFIX)


def _parsed(text: str, rule: str, notation: str) -> FoundEquation | None:
    try:
        if notation == PREFIX:
            expr = expression.parse_prefix(text)
        else:
            expr = expression.parse(text, names=True)
    except ExpressionError:
        return None
    names = (leaf.name for leaf in expr.leaves() if isinstance(leaf, expression.Name))
    return FoundEquation(expr, rule, text, notation) if all(map(_SLOT.fullmatch, names)) else None


def _last_run(text: str, rule: str) -> FoundEquation | None:
    for run in reversed(list(_RUN.finditer(text))[-_MAX_MARKS:]):
        candidate = run[0].strip()
        # A bracket of the surrounding sentence: "(3 + 4 apples)".
        for spelled in (
            candidate,
            candidate.strip("([{ "),
            candidate.strip(")]} "),
            candidate.strip("()[]{} "),
        ):
            found = _parsed(spelled, rule, INFIX)
            if found is not None:
                return found
    return None
