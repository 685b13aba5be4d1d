"""Where the operands of an equation stand in a text, and what follows when they change."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from fractions import Fraction
from typing import NamedTuple

from dnc_datasets import expression, numerals
from dnc_datasets.errors import ExpressionError
from dnc_datasets.expression import Expr, Number
from dnc_datasets.numerals import Quantity, Ratio
from dnc_datasets.perturbations.numbers.amounts import AMOUNTS, JOINED_ON
from dnc_datasets.problem import Problem

Place = tuple[str, int, Quantity]  # field, which of the operands, and where it stands


class Operands(NamedTuple):
    """The operands of an equation in its text, each a whole number that stands there once."""

    equation: Expr
    values: list[int]  # in the order of the equation
    places: list[Place]  # from the last to the first, so that changing one leaves the next in its place
    others: set[Ratio]  # the other numbers of the text


def operands(problem: Problem, scope: Sequence[str]) -> Operands | None:
    """Where each operand of the equation stands in the text; None unless all qualify.

    They qualify when each is a whole number in digits, in the scope, and occurs once in body and
    question (suitability, visibility, unambiguity). Problems whose answer is rounded do not qualify:
    how the changed problem would be rounded is not known.
    """
    if not problem.equation or problem.note("rounding"):
        return None
    try:
        equation = expression.parse(problem.equation)
    except ExpressionError:
        return None
    values = []
    wanted: set[Ratio] = set()
    digits = f"{problem.body} {problem.question}".replace(",", "")
    for leaf in equation.leaves():
        if not isinstance(leaf, Number) or leaf.ratio[1] != 1 or str(leaf.ratio[0]) not in digits:
            return None  # a third of the problems: no need to look for their numbers
        values.append(leaf.ratio[0])
        wanted.add(leaf.ratio)
    missing = wanted.copy()
    places: list[Place] = []
    others: set[Ratio] = set()
    for name, text in (("body", problem.body), ("question", problem.question)):
        for quantity in numerals.find(text):
            surface, ratio, _, end, kind, _ = quantity
            if ratio not in missing:
                others.add(ratio)
                continue
            stands_alone = surface[-1].isdigit() and text[end : end + 1] not in JOINED_ON
            if name not in scope or kind not in AMOUNTS or not stands_alone:
                return None
            missing.remove(ratio)
            places.append((name, values.index(ratio[0]), quantity))
    # One that stands in the text twice is among the others too; one used twice has one place.
    if len(places) < len(values) or not wanted.isdisjoint(others):
        return None
    places.reverse()
    return Operands(equation, values, places, others)


def moved(equation: Expr, new: Iterable[Number]) -> Expr:
    """The equation with other numbers as its operands, given in its own order."""
    numbers = iter(new)
    return equation.replace(lambda _: next(numbers))


def with_operands(problem: Problem, old: Operands, new: Sequence[str]) -> Problem | None:
    """The problem with its operands at new values in text and equation, and the answer recomputed.

    `old` is that of `operands`, `new` has one canonical text for each: "1036", "12.7". None where the
    changed equation has no value, or a new number equals another number of the text: nobody could then
    tell which one the equation means.
    """
    numbers = [Number(spelling) for spelling in new]
    ratios = {number.ratio for number in numbers}
    if len(ratios) < len(new) or not ratios.isdisjoint(old.others):
        return None
    equation = moved(old.equation, numbers)
    try:
        answer = equation.canonical()
    except ExpressionError:
        return None
    texts = {"body": problem.body, "question": problem.question}
    for name, index, (surface, _, start, end, _, _) in old.places:
        spelling = new[index]
        if not surface.isdigit():
            spelling = numerals.digits(Fraction(spelling), surface)
        text = texts[name]
        texts[name] = f"{text[:start]}{spelling}{text[end:]}"
    return problem.replace(**texts, equation=equation.infix(), answer=answer)
