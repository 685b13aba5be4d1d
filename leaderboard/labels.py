"""What break-downs go by: the operation, operators, quantities, answer size and the like of a row."""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping
from fractions import Fraction
from typing import Any

from dnc_datasets import expression, numerals
from dnc_datasets.errors import ExpressionError

Row = Mapping[str, Any]
_MANY = 6  # from so many quantities on, they are counted together


def labels(row: Row) -> dict[str, str]:
    """The labels of a dataset row, by kind; kinds that say nothing of the row are left out.

    >>> labels({"body": "Tom had 12 pens and lost 3.", "question": "How many?", "equation": "12 - 3", "answer": "9"})
    {'operation': '-', 'operators': '1', 'quantities': '2', 'answer size': '1 digit'}
    """
    found = {kind: label(row) for kind, label in _KINDS.items()}
    return {kind: label for kind, label in found.items() if label}


def _operators(row: Row) -> tuple[str, ...]:
    try:
        return expression.parse(row.get("equation") or "").operators
    except ExpressionError:
        return ()


def _operation(row: Row) -> str:
    return "".join(sorted(set(_operators(row))))


def _operator_count(row: Row) -> str:
    count = len(_operators(row))
    return str(count) if count else ""


def _quantities(row: Row) -> str:
    texts = (row.get("body") or "", row.get("question") or "")
    count = sum(len(numerals.find(text)) for text in texts)
    return f"{_MANY} or more" if count >= _MANY else str(count)


def _answer_size(row: Row) -> str:
    try:
        value = Fraction(str(row.get("answer")))
    except (ValueError, ZeroDivisionError):
        return ""
    if value < 0:
        return "negative"
    if value.denominator != 1:
        return "not whole"
    digits = len(str(value.numerator))
    return f"{digits} digit{'s' if digits > 1 else ''}" if digits < 5 else "5 digits or more"


def _answer_type(row: Row) -> str:
    return str(row.get("answer_type") or "")


def _turn(row: Row) -> str:
    history = row.get("history")
    return str(len(history) + 1) if history else ""


def _note(key: str) -> Callable[[Row], str]:
    def label(row: Row) -> str:
        meta = row.get("meta") or "{}"
        notes = json.loads(meta) if isinstance(meta, str) else meta
        return str(notes.get(key, ""))

    return label


_KINDS: dict[str, Callable[[Row], str]] = {
    "operation": _operation,
    "operators": _operator_count,
    "quantities": _quantities,
    "answer size": _answer_size,
    "answer type": _answer_type,
    "turn": _turn,
    "variation": _note("variation"),
    "category": _note("category"),
}
