"""What break-downs go by: the operation, operators, quantities, answer size and the like of a row."""

from __future__ import annotations

import json
from collections.abc import Mapping
from fractions import Fraction
from typing import Any

from dnc_datasets import expression, numerals
from dnc_datasets.errors import ExpressionError
from dnc_datasets.remembering import remembered

Row = Mapping[str, Any]
_MANY = 6  # from so many quantities on, they are counted together


def labels(row: Row) -> dict[str, str]:
    """The labels of a dataset row, by kind; kinds that say nothing of the row are left out.

    >>> labels({"body": "Tom had 12 pens and lost 3.", "question": "How many?", "equation": "12 - 3", "answer": "9"})
    {'operation': '-', 'operators': '1', 'quantities': '2', 'answer size': '1 digit'}
    """
    meta = row.get("meta") or {}
    return dict(
        _labels(
            str(row.get("body") or ""),
            str(row.get("question") or ""),
            str(row.get("equation") or ""),
            str(row.get("answer")),
            str(row.get("answer_type") or ""),
            len(row.get("history") or ()),
            meta if isinstance(meta, str) else json.dumps(dict(meta)),
        )
    )


@remembered
def _labels(
    body: str, question: str, equation: str, answer: str, answer_type: str, turns: int, meta: str
) -> dict[str, str]:
    """The same by a row's columns; in most variants most rows stand as they were."""
    operators = _operators(equation)
    notes = json.loads(meta)
    found = {
        "operation": "".join(sorted(set(operators))),
        "operators": str(len(operators) or ""),
        "quantities": _quantities(body, question),
        "answer size": _answer_size(answer),
        "answer type": answer_type,
        "turn": str(turns + 1) if turns else "",
        "variation": str(notes.get("variation", "")),
        "category": str(notes.get("category", "")),
    }
    return {kind: label for kind, label in found.items() if label}


def _operators(equation: str) -> tuple[str, ...]:
    try:
        return expression.parse(equation).operators
    except ExpressionError:
        return ()


def _quantities(*texts: str) -> str:
    count = sum(len(numerals.find(text)) for text in texts)
    return f"{_MANY} or more" if count >= _MANY else str(count)


def _answer_size(answer: str) -> str:
    try:
        value = int(answer) if answer.isdecimal() else Fraction(answer)
    except (ValueError, ZeroDivisionError):
        return ""
    if value < 0:
        return "negative"
    if value.denominator != 1:
        return "not whole"
    digits = len(str(value.numerator))
    return f"{digits} digit{'s' if digits > 1 else ''}" if digits < 5 else "5 digits or more"
