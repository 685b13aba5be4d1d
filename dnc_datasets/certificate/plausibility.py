"""Promises of plausible numbers: signs, wholeness, exact divisions, comparisons and bounds, each read once more."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from fractions import Fraction
from itertools import combinations

from dnc_datasets import expression, numerals, steps
from dnc_datasets.errors import ExpressionError
from dnc_datasets.expression import Binary, Expr
from dnc_datasets.numerals import Quantity
from dnc_datasets.problem import Problem

_COMPARED = frozenset(("cardinal", "decimal", "money", "percent"))
_MEASURE = re.compile(
    r" ?(?:miles?|f(?:oo|ee)t|yards?|inch(?:es)?|(?:kilo|centi)?met(?:er|re)s?|k?g|km|cm|pounds?|lbs?|ounces?|oz|"
    r"(?:kilo)?grams?|kilos?|tons?|gallons?|lit(?:er|re)s?|quarts?|pints?|m(?:illi)?l(?:iters?)?|acres?)\b"
)
_NEXT_WORD = re.compile(r"\s*([A-Za-z%]+)")
_CURRENCY = re.compile(r"[$€£¥]\s?\Z")
# What follows a number that has an upper end, and that end.
_BOUNDS = (
    (re.compile(r" hours? (?:a|per|each|every) (?:day|night)\b"), 24),
    (re.compile(r" days? (?:a|per|each|every) week\b"), 7),
    (re.compile(r" months? (?:a|per|each|every) year\b"), 12),
    (re.compile(r"[ -]years?[ -]old\b"), 120),
)
_PERCENT = re.compile(r" ?(?:%|percent\b)")
_WHOLE = 100
_FAR, _DIGITS_FAR = 5, 2


def signs_kept(original: Problem, perturbed: Problem) -> bool:
    """the answer, every step of the calculation and every earlier answer have the signs they had"""
    pairs = _paired_nodes(original, perturbed)
    if pairs is None or any(_sign(was) != _sign(now) for _, was, now in pairs):
        return False
    turns_before_and_after = zip(original.history, perturbed.history, strict=True)
    answers = [[numerals.parse(turn.answer) for turn in turns] for turns in turns_before_and_after]
    return all(was is None or now is None or _sign(was) == _sign(now) for was, now in answers)


def divisions_exact(original: Problem, perturbed: Problem) -> bool:
    """every division that came out even still does"""
    pairs = _paired_nodes(original, perturbed)
    return pairs is not None and all(
        now.denominator == 1 for op, was, now in pairs if op == "/" and was.denominator == 1
    )


def wholeness_kept(original: Problem, perturbed: Problem) -> bool:
    """what was whole and is counted is whole; decimals come only with a unit of measure that is asked for"""
    measured = False
    for text, was, now in _paired_numbers(original, perturbed):
        if was.is_integer and not now.is_integer:
            if not _MEASURE.match(text, now.end):
                return False
            measured = True
    try:
        old, new = (problem.exact_value() for problem in (original, perturbed))
    except ExpressionError:
        return False
    if old is None or new is None:
        return False
    if old.denominator == 1 and new.denominator > 1:
        return measured and _MEASURE.search(perturbed.question) is not None
    return True


def comparisons_kept(original: Problem, perturbed: Problem) -> bool:
    """of two numbers of one thing, unit, currency or share, the larger is still the larger"""
    things: dict[str, list[tuple[Fraction, Fraction]]] = {}
    for text, was, now in _paired_numbers(original, perturbed, computed=False):
        if now.kind in _COMPARED:
            things.setdefault(_thing(text, now), []).append((was.value, now.value))
    return all(
        (a < b) == (c < d) and (a == b) == (c == d)
        for pairs in things.values()
        for (a, c), (b, d) in combinations(pairs, 2)
    )


def bounds_kept(original: Problem, perturbed: Problem) -> bool:
    """no share, age or part of a day or week exceeds what it can be, alone or together"""
    shares_before, shares_after = Fraction(0), Fraction(0)
    for text, was, now in _paired_numbers(original, perturbed):
        if _PERCENT.match(text, now.end):
            if was.value <= _WHOLE < now.value or now.value <= 0:
                return False
            shares_before, shares_after = shares_before + was.value, shares_after + now.value
        for after, most in _BOUNDS:
            if after.match(text, now.end) and was.value <= most < now.value:
                return False
    return shares_before > _WHOLE or shares_after <= _WHOLE


def moved_within_half(original: Problem, perturbed: Problem) -> bool:
    """no number moved by more than half of its value"""
    return all(
        2 * abs(now.value - was.value) <= abs(was.value)
        for _, was, now in _paired_numbers(original, perturbed, computed=False)
    )


def magnitude_changed(original: Problem, perturbed: Problem) -> bool:
    """a number is five times as large or as small as it was, or twice with more or fewer digits"""
    return any(
        _is_far(*sorted((was.value, now.value)))
        for _, was, now in _paired_numbers(original, perturbed, computed=False)
        if was.value > 0
    )


def steps_follow(original: Problem, perturbed: Problem) -> bool:
    """every step gives its value, the same steps as before over the changed numbers"""
    before, after = (steps.stored(problem) for problem in (original, perturbed))
    if [step.equation.operators for step in before] != [step.equation.operators for step in after]:
        return False
    for at, step in enumerate(after):
        try:
            if step.equation.value(steps.values(after[:at])) != step.value:
                return False
        except ExpressionError:
            return False
    return not after or any(step.value == perturbed.exact_value() for step in after)


def _is_far(small: Fraction, large: Fraction) -> bool:
    return large >= _FAR * small or (
        large >= _DIGITS_FAR * small and len(str(int(small))) < len(str(int(large)))
    )


CHECKS: tuple[Callable[[Problem, Problem], bool], ...] = (
    signs_kept,
    divisions_exact,
    wholeness_kept,
    comparisons_kept,
    bounds_kept,
    moved_within_half,
    magnitude_changed,
    steps_follow,
)


def _sign(value: Fraction) -> int:
    return (value > 0) - (value < 0)


def _paired_nodes(original: Problem, perturbed: Problem) -> list[tuple[str, Fraction, Fraction]] | None:
    """Each operation of the calculation with its value before and after; None where they do not pair up."""
    try:
        before = list(_operations(expression.parse(original.equation)))
        after = list(_operations(expression.parse(perturbed.equation)))
        if [node.op for node in before] != [node.op for node in after]:
            return None
        return [(was.op, was.value(), now.value()) for was, now in zip(before, after, strict=True)]
    except ExpressionError:
        return None


def _operations(equation: Expr) -> Iterator[Binary]:
    if isinstance(equation, Binary):
        yield equation
        yield from _operations(equation.left)
        yield from _operations(equation.right)
    elif operand := getattr(equation, "operand", None):
        yield from _operations(operand)


def _paired_numbers(
    original: Problem, perturbed: Problem, *, computed: bool = True
) -> Iterator[tuple[str, Quantity, Quantity]]:
    """Each number with its text, before and after; `text_elsewhere_kept` says that they pair up.

    Without what is `computed`, the answers of earlier questions.
    """
    for (path, before), (_, after) in zip(original.texts(), perturbed.texts(), strict=True):
        if not computed and path.endswith(".answer"):
            continue
        for was, now in zip(numerals.find(before), numerals.find(after), strict=True):
            yield after, was, now


def _thing(text: str, quantity: Quantity) -> str:
    """What a number is a number of: its currency, its share, or the word after it."""
    if sign := _CURRENCY.search(text, max(0, quantity.start - 2), quantity.start):
        return sign[0].strip()
    word = _NEXT_WORD.match(text, quantity.end)
    return word[1].lower().removesuffix("s") if word else ""
