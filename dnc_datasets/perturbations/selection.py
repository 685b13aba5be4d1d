"""Where the operands of an equation stand in a text, and what follows when they change."""

from __future__ import annotations

from collections.abc import Sequence
from fractions import Fraction
from functools import lru_cache
from typing import NamedTuple

from dnc_datasets import expression, numerals
from dnc_datasets.errors import ExpressionError
from dnc_datasets.expression import Expr, Name, Number
from dnc_datasets.numerals import Quantity
from dnc_datasets.perturbations.amounts import AMOUNTS, JOINED_ON
from dnc_datasets.problem import Problem

_MAX_CACHED_TEXTS = 4096


class Operands(NamedTuple):
    """The operands of an equation in its text, each a whole number that stands there once."""

    equation: Expr
    values: tuple[int, ...]  # in the order of the equation, as are the places
    places: tuple[tuple[str, Quantity], ...]  # each with the field that it stands in
    others: frozenset[tuple[int, int]]  # the other numbers of the text, as ratios in lowest terms


def operands(problem: Problem, scope: Sequence[str]) -> Operands | None:
    """Where each operand of the equation stands in the text; None unless all qualify.

    They qualify when each is a whole number in digits, in the scope, and occurs once in body and
    question (suitability, visibility, unambiguity). Problems whose answer is rounded do not qualify:
    how the changed problem would be rounded is not known.
    """
    if not problem.equation or problem.note("rounding"):
        return None
    return _operands_in(problem.body, problem.question, problem.equation, tuple(scope))


# One build asks for the operands of the same problem several times.
@lru_cache(maxsize=_MAX_CACHED_TEXTS)
def _operands_in(body: str, question: str, equation: str, scope: tuple[str, ...]) -> Operands | None:
    try:
        tree = expression.parse(equation)
    except ExpressionError:
        return None
    values = []
    digits = f"{body} {question}".replace(",", "")
    for leaf in tree.leaves():
        if not isinstance(leaf, Number) or leaf.ratio[1] != 1 or str(leaf.ratio[0]) not in digits:
            return None  # a third of the problems: no need to look for their numbers
        values.append(leaf.ratio[0])
    # Keys are ratios: hashing a Fraction costs more than all the rest of this function.
    places: dict[tuple[int, int], tuple[str, Quantity] | None] = {}
    for name, text in (("body", body), ("question", question)):
        in_scope = name in scope
        for quantity in numerals.find(text):
            surface, _, _, end, kind, _ = quantity
            ratio = quantity.value.as_integer_ratio()
            fits = ratio not in places and in_scope and kind in AMOUNTS and surface[-1].isdigit()
            places[ratio] = (name, quantity) if fits and text[end : end + 1] not in JOINED_ON else None
    found = []
    for value in values:
        place = places.pop((value, 1), None)  # popped: a second use of the same operand is no match
        if place is None:
            return None
        found.append(place)
    return Operands(tree, tuple(values), tuple(found), frozenset(places))


def moved(equation: Expr, new: Sequence[str]) -> Expr:
    """The equation with its operands at new values, given in its own order and in digits."""
    spellings = iter(new)

    def change(leaf: Number | Name) -> Expr:
        return expression.literal(next(spellings))

    return equation.replace(change)


def with_operands(problem: Problem, old: Operands, new: Sequence[str]) -> Problem | None:
    """The problem with its operands at new values in text and equation, and the answer recomputed.

    `old` is that of `operands`, `new` has one canonical text for each: "1036", "12.7". None where the
    changed equation has no value, or a new number equals another number of the text: nobody could then
    tell which one the equation means.
    """
    try:
        equation = moved(old.equation, new)
        answer = equation.canonical()
    except ExpressionError:
        return None
    values = {expression.literal(spelling).ratio for spelling in new}
    if len(values) < len(new) or not values.isdisjoint(old.others):
        return None
    texts = {"body": problem.body, "question": problem.question}
    # From the last to the first, so that the places before keep theirs.
    for (name, (surface, _, start, end, _, _)), spelling in sorted(
        zip(old.places, new, strict=True), key=_last_first
    ):
        if not surface.isdigit():
            spelling = numerals.digits(Fraction(spelling), surface)
        text = texts[name]
        texts[name] = f"{text[:start]}{spelling}{text[end:]}"
    return problem.replace(**texts, equation=equation.infix(), answer=answer)


def _last_first(pair: tuple[tuple[str, Quantity], str]) -> int:
    return -pair[0][1].start
