"""Promises of plausible numbers: signs, integers, exact divisions, comparisons and bounds."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Sequence
from fractions import Fraction
from itertools import combinations

from dnc_datasets import expression, numerals, steps
from dnc_datasets.errors import ExpressionError
from dnc_datasets.expression import Binary, Expr
from dnc_datasets.memoization import once_per_pair
from dnc_datasets.numerals import Quantity, Ratio
from dnc_datasets.problem import Problem

_COMPARED = frozenset(("cardinal", "decimal", "money", "percent"))
_MEASURE = re.compile(
    r" ?(?:miles?|f(?:oo|ee)t|yards?|inch(?:es)?|(?:kilo|centi)?met(?:er|re)s?|k?g|km|cm|pounds?|lbs?|ounces?|oz|"
    r"(?:kilo)?grams?|kilos?|tons?|gallons?|lit(?:er|re)s?|quarts?|pints?|m(?:illi)?l(?:iters?)?|acres?)\b"
)
_NEXT_WORD = re.compile(r"\s*([A-Za-z%]+)")
_CURRENCY = re.compile(r"[$€£¥]\s?\Z")
# Units after a number with an upper limit, and that limit.
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
    if pairs is None:
        return False
    for _, (was, _), (now, _) in pairs:
        if (was > 0) != (now > 0) or (was < 0) != (now < 0):
            return False
    if not original.history and not perturbed.history:
        return True
    turns_before_and_after = zip(original.history, perturbed.history, strict=True)
    answers = [[numerals.parse(turn.answer) for turn in turns] for turns in turns_before_and_after]
    return all(was is None or now is None or _sign(was) == _sign(now) for was, now in answers)


def divisions_exact(original: Problem, perturbed: Problem) -> bool:
    """every division that came out even still does"""
    pairs = _paired_nodes(original, perturbed)
    if pairs is None:
        return False
    return all(under == 1 for op, (_, under_before), (_, under) in pairs if op == "/" and under_before == 1)


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
    things: dict[str, list[tuple[Exact, Exact]]] = {}
    for text, was, now in _stated_numbers(original, perturbed):
        if now.kind in _COMPARED:
            things.setdefault(_thing(text, now), []).append((_exact(was), _exact(now)))
    return all(
        (a < b) == (c < d) and (a == b) == (c == d)
        for pairs in things.values()
        for (a, c), (b, d) in combinations(pairs, 2)
    )


def bounds_kept(original: Problem, perturbed: Problem) -> bool:
    """no share, age or part of a day or week exceeds what it can be, alone or together"""
    shares_before: Exact = 0
    shares_after: Exact = 0
    for text, one, other in _paired_numbers(original, perturbed):
        was, now = _exact(one), _exact(other)
        if _PERCENT.match(text, other.end):
            if was <= _WHOLE < now or now <= 0:
                return False
            shares_before, shares_after = shares_before + was, shares_after + now
        for after, most in _BOUNDS:
            if was <= most < now and after.match(text, other.end):
                return False
    return shares_before > _WHOLE or shares_after <= _WHOLE


def moved_within_half(original: Problem, perturbed: Problem) -> bool:
    """no number moved by more than half of its value"""
    for _, was, now in _stated_numbers(original, perturbed):
        (a, b), (c, d) = was.ratio, now.ratio
        if 2 * abs(c * b - a * d) > abs(a) * d:
            return False
    return True


def magnitude_changed(original: Problem, perturbed: Problem) -> bool:
    """a number is five times as large or as small as it was, or twice with more or fewer digits"""
    return any(
        _is_far(*sorted((_exact(was), _exact(now))))
        for _, was, now in _stated_numbers(original, perturbed)
        if was.ratio[0] > 0
    )


def steps_follow(original: Problem, perturbed: Problem) -> bool:
    """every step gives its value, the same steps as before over the changed numbers"""
    before, after = steps.stored(original), steps.stored(perturbed)
    if not before and not after:
        return True
    if [step.equation.operators for step in before] != [step.equation.operators for step in after]:
        return False
    for at, step in enumerate(after):
        try:
            if step.equation.value(steps.values(after[:at])) != step.value:
                return False
        except ExpressionError:
            return False
    return not after or any(step.value == perturbed.exact_value() for step in after)


def _is_far(small: Exact, large: Exact) -> bool:
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


Exact = Fraction | int


def _exact(quantity: Quantity) -> Exact:
    return quantity.ratio[0] if quantity.is_integer else quantity.value


def _sign(value: Fraction) -> int:
    return (value.numerator > 0) - (value.numerator < 0)


@once_per_pair
def _paired_nodes(original: Problem, perturbed: Problem) -> list[tuple[str, Ratio, Ratio]] | None:
    """Return each operation of the equation with its value before and after, or None if they differ."""
    try:
        before = list(_operations(expression.parse(original.equation)))
        after = list(_operations(expression.parse(perturbed.equation)))
        if [node.op for node in before] != [node.op for node in after]:
            return None
        return [
            (was.op, was.ratio_of_value(), now.ratio_of_value())
            for was, now in zip(before, after, strict=True)
        ]
    except ExpressionError:
        return None


def _operations(equation: Expr) -> Iterator[Binary]:
    if isinstance(equation, Binary):
        yield equation
        yield from _operations(equation.left)
        yield from _operations(equation.right)
    elif operand := getattr(equation, "operand", None):
        yield from _operations(operand)


Numbers = Sequence[tuple[str, Quantity, Quantity]]  # text, before and after


@once_per_pair
def _paired_numbers(original: Problem, perturbed: Problem) -> Numbers:
    """Return each number with its text, before and after. `text_elsewhere_kept` guarantees the pairs."""
    return _paired(original, perturbed)


@once_per_pair
def _stated_numbers(original: Problem, perturbed: Problem) -> Numbers:
    """Return the same numbers without the answers of earlier questions, which are computed."""
    return (
        _paired(original, perturbed, without=".answer")
        if original.history
        else _paired_numbers(original, perturbed)
    )


def _paired(original: Problem, perturbed: Problem, without: str = "\0") -> Numbers:
    return [
        (after, was, now)
        for (path, before), (_, after) in zip(original.texts(), perturbed.texts(), strict=True)
        if not path.endswith(without)
        for was, now in zip(numerals.find(before), numerals.find(after), strict=True)
    ]


def _thing(text: str, quantity: Quantity) -> str:
    """Return the thing that a number counts: its currency, its share, or the word after it."""
    if sign := _CURRENCY.search(text, max(0, quantity.start - 2), quantity.start):
        return sign[0].strip()
    word = _NEXT_WORD.match(text, quantity.end)
    return word[1].lower().removesuffix("s") if word else ""
