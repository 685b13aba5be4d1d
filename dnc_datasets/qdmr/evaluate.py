"""Evaluates the steps of a decomposition: numbers, yes and no, and the maximum of several."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from fractions import Fraction

from dnc_datasets import numerals
from dnc_datasets.qdmr.steps import Operator, Step, extreme

# A number, several numbers, or a text: "yes", "no", a span, or "#2" for the step that a comparison selects.
Value = Fraction | tuple[Fraction, ...] | str
YES, NO = "yes", "no"
_COMPARED = re.compile(
    r"if #(?P<left>\d{1,3}) is (?P<how>higher than|lower than|equal to|the same as) "
    r"(?:#(?P<right>\d{1,3})|(?P<value>\S+))\Z"
)
_BOTH = re.compile(r"if both #(?P<left>\d{1,3}) and #(?P<right>\d{1,3}) are (?P<what>true|false)\Z")
_HIGHEST, _LOWEST = ("highest", "largest", "maximum"), ("lowest", "smallest", "minimum")


def evaluate(
    steps: Sequence[Step], given: Mapping[int, Value] | None = None, *, signed: bool = False
) -> list[Value | None]:
    """Return the value of every step, in order, or None for a step that cannot be evaluated.

    `given` holds the values of steps that name something in a text, by their numbers from 1. As in Break, a
    difference is absolute, because the order of its two sides is arbitrary. With `signed` it has a sign.

    >>> evaluate([Step("12"), Step("5"), Step("the difference of #1 and #2"), Step("if #3 is higher than 6")])
    [Fraction(12, 1), Fraction(5, 1), Fraction(7, 1), 'yes']
    """
    known: dict[int, Value | None] = {}
    for number, step in enumerate(steps, 1):
        known[number] = given[number] if given and number in given else _run(step, known, signed)
    return list(known.values())


def compare(left: Fraction, how: str, right: Fraction) -> bool:
    """Return whether a number is higher than, lower than or equal to another."""
    if how == "higher":
        return left > right
    return left < right if how == "lower" else left == right


def _run(step: Step, known: Mapping[int, Value | None], signed: bool) -> Value | None:
    values = [known.get(reference) for reference in step.references]
    operator = step.operator
    if operator is Operator.SELECT:
        return numerals.parse(step.text)
    if operator is Operator.BOOLEAN:
        return _boolean(step, known)
    if operator is Operator.AGGREGATE:
        return _aggregate(step, values[0])
    numbers = [value for value in values if isinstance(value, Fraction)]
    if len(numbers) < len(values) or len(values) < 2:
        return None
    if operator is Operator.UNION:
        return tuple(numbers)
    if operator is Operator.ARITHMETIC:
        return _arithmetic(step.text.lower(), numbers, signed)
    if operator is Operator.COMPARISON:
        return _comparison(step, numbers)
    return None


def _arithmetic(text: str, numbers: Sequence[Fraction], signed: bool) -> Fraction | None:
    first, rest = numbers[0], numbers[1:]
    if "sum" in text:
        return sum(rest, first)
    if "difference" in text:
        value = first - sum(rest)
        return value if signed else abs(value)
    for number in rest:
        if "multiplication" in text:
            first *= number
        elif number:
            first /= number
        else:
            return None
    return first


def _comparison(step: Step, numbers: Sequence[Fraction]) -> str | None:
    end = extreme(step.text)
    best = max(numbers) if end == "max" else min(numbers)
    if not end or list(numbers).count(best) != 1:
        return None  # a tie
    return f"#{step.references[list(numbers).index(best)]}"


def _boolean(step: Step, known: Mapping[int, Value | None]) -> str | None:
    if found := _BOTH.match(step.text):
        sides = known.get(int(found["left"])), known.get(int(found["right"]))
        if not set(sides) <= {YES, NO}:
            return None
        wanted = YES if found["what"] == "true" else NO
        return YES if sides == (wanted, wanted) else NO
    found = _COMPARED.match(step.text)
    if found is None:
        return None
    left = known.get(int(found["left"]))
    right = known.get(int(found["right"])) if found["right"] else numerals.parse(found["value"])
    if isinstance(left, str) and isinstance(right, str) and found["how"] == "the same as":
        return YES if left.strip().lower() == right.strip().lower() else NO
    if not isinstance(left, Fraction) or not isinstance(right, Fraction):
        return None
    return YES if compare(left, found["how"].split()[0], right) else NO


def _aggregate(step: Step, value: Value | None) -> Fraction | None:
    text = step.text.lower()
    if isinstance(value, Fraction):
        return value if "number of" in text and value.denominator == 1 else None
    if not isinstance(value, tuple) or not value:
        return None
    if "number of" in text:
        return Fraction(len(value))
    if "average" in text or "mean" in text:
        return sum(value, Fraction(0)) / len(value)
    if "sum" in text or "total" in text:
        return sum(value, Fraction(0))
    if any(word in text for word in _HIGHEST):
        return max(value)
    return min(value) if any(word in text for word in _LOWEST) else None
