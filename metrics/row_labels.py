"""Labels of rows for break-downs: operation, operators, quantities, answer size and others."""

from __future__ import annotations

import json
from collections.abc import Mapping
from fractions import Fraction
from hashlib import sha256
from typing import Any

from dnc_datasets import expression, numerals
from dnc_datasets.errors import ExpressionError
from dnc_datasets.memoization import memoized

Row = Mapping[str, Any]
# A rewrite that replaces a smaller share of words than the first bound is weak, and excluded from tables of
# drops.
WEAK = "weak"
_BANDS = ((0.2, WEAK), (0.4, "20 to 40 % of words"), (0.6, "40 to 60 % of words"))
_STRONGEST = "60 % of words and more"
_MANY = 6  # higher numbers of quantities are counted together


def labels(row: Row) -> dict[str, str]:
    """Return the labels of a dataset row, by kind, without empty ones.

    >>> labels({"body": "Tom had 12 pens and lost 3.", "question": "How many?", "equation": "12 - 3", "answer": "9"})
    {'operation': '-', 'operators': '1', 'quantities': '2', 'answer size': '1 digit'}
    """
    operators = _operators(str(row.get("equation") or ""))
    notes = _notes(row.get("meta") or {})
    turns = len(row.get("history") or ())
    found = {
        "operation": "".join(sorted(set(operators))),
        "operators": str(len(operators) or ""),
        "quantities": _quantities(str(row.get("body") or ""), str(row.get("question") or "")),
        "answer size": _answer_size(str(row.get("answer"))),
        "answer type": str(row.get("answer_type") or ""),
        "turn": str(turns + 1) if turns else "",
        "variation": str(notes.get("variation", "")),
        "category": str(notes.get("category", "")),
        "strength": _strength(row.get("parameters")),
    }
    return {kind: label for kind, label in found.items() if label}


def _strength(parameters: object) -> str:
    """Return the share of words that a rewrite replaced, in bands; "weak" below the first one.

    >>> _strength({"paraphrase_judged": {"changed": 0.45}})
    '40 to 60 % of words'
    """
    if not parameters or (isinstance(parameters, str) and '"changed"' not in parameters):
        return ""
    try:
        steps: Any = json.loads(parameters) if isinstance(parameters, str) else parameters
        shares = [float(step["changed"]) for step in dict(steps or {}).values() if "changed" in step]
    except (ValueError, TypeError):
        return ""
    return next((name for below, name in _BANDS if min(shares) < below), _STRONGEST) if shares else ""


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


# Notes of a source that identify related rows.
_NOTES = ("template", "passage", "conversation", "seed_problem")


def cluster(row: Mapping[str, Any]) -> str:
    """Return the cluster of a row, from its columns; an original and its perturbed rows share it.

    >>> cluster({"id": "a", "body": "Tom had 3 pens.", "meta": '{"template": "pens-1"}'})
    'template pens-1'
    >>> cluster({"id": "a", "body": "Tom had 3 pens.", "original_id": "b"})
    'b'
    """
    source = row.get("source") or row
    notes = _notes(source.get("meta") or row.get("meta"))
    for name in _NOTES:
        if notes.get(name):
            return f"{name} {_short(str(notes[name]))}"
    shared = (source.get("table") or (), source.get("segments") or ())
    if any(shared):
        return f"text {_short(json.dumps([list(map(list, shared[0])), list(shared[1])]))}"
    return str(row.get("original_id") or row["id"])


def _notes(meta: object) -> Mapping[str, Any]:
    if isinstance(meta, str):
        return _decoded(meta)
    return (
        meta if isinstance(meta, (dict, Mapping)) else dict(meta) if isinstance(meta, (list, tuple)) else {}
    )


@memoized
def _decoded(meta: str) -> Mapping[str, Any]:
    found = json.loads(meta)
    return found if isinstance(found, dict) else {}


def _short(text: str) -> str:
    return text if len(text) <= 64 else sha256(text.encode("utf-8", "surrogatepass")).hexdigest()
