"""Where the operands of an equation stand in a text, and what follows when they change."""

from __future__ import annotations

from collections.abc import Sequence
from fractions import Fraction
from functools import lru_cache

from dnc_datasets import expression, numerals
from dnc_datasets.errors import ExpressionError
from dnc_datasets.expression import Expr, Name, Number
from dnc_datasets.numerals import Quantity
from dnc_datasets.perturbations.amounts import AMOUNTS, JOINED_ON
from dnc_datasets.problem import Edit, Problem, splice

_MAX_CACHED_TEXTS = 4096


def operands(problem: Problem, scope: Sequence[str]) -> tuple[Quantity, ...] | None:
    """Where each operand of the equation stands in the text, in its order; None unless all qualify.

    They qualify when each is a whole number in digits, in the scope, and occurs once in body and
    question (suitability, visibility, unambiguity). Problems whose answer is rounded do not qualify:
    how the changed problem would be rounded is not known.
    """
    if not problem.equation or problem.note("rounding"):
        return None
    return _operands_in(problem.body, problem.question, problem.equation, tuple(scope))


# One build asks for the operands of the same problem several times.
@lru_cache(maxsize=_MAX_CACHED_TEXTS)
def _operands_in(
    body: str, question: str, equation: str, scope: tuple[str, ...]
) -> tuple[Quantity, ...] | None:
    try:
        leaves = expression.parse(equation).leaves()
    except ExpressionError:
        return None
    # Keys are ints: hashing a Fraction costs more than all the rest of this function.
    places: dict[int, Quantity | None] = {}
    for name, text in (("body", body), ("question", question)):
        for surface, value, start, end, kind, _ in numerals.find(text):
            number, parts = value.as_integer_ratio()
            if parts == 1:
                fits = number not in places and name in scope and kind in AMOUNTS and surface[-1].isdigit()
                alone = fits and text[end : end + 1] not in JOINED_ON
                places[number] = Quantity(surface, value, start, end, kind, name) if alone else None
    found = []
    for leaf in leaves:
        if isinstance(leaf, Name):
            return None
        number, parts = leaf.number.as_integer_ratio()
        place = places.pop(number, None) if parts == 1 else None  # popped: a second use is no match
        if place is None:
            return None
        found.append(place)
    return tuple(found)


def moved(equation: Expr, new: Sequence[Fraction]) -> Expr:
    """The equation with its operands at new values, given in its own order."""
    values = iter(new)

    def change(leaf: Number | Name) -> Expr:
        return expression.number(next(values))

    return equation.replace(change)


def with_operands(problem: Problem, places: Sequence[Quantity], new: Sequence[Fraction]) -> Problem | None:
    """The problem with its operands at new values in text and equation, and the answer recomputed.

    `places` are those of `operands`, `new` has one value for each. None where the changed equation has
    no value, or a new number equals another number of the text: nobody could then tell which one the
    equation means.
    """
    values = {value.as_integer_ratio() for value in new}
    found = _ratios(problem.body) | _ratios(problem.question)
    if len(values) < len(new) or values & (found - {place.value.as_integer_ratio() for place in places}):
        return None
    equation = moved(expression.parse(problem.equation), new)
    try:
        answer = expression.canonical(equation.value())
    except ExpressionError:
        return None
    edits: dict[str, list[Edit]] = {}
    for (text, _, start, end, _, name), value in sorted(zip(places, new, strict=True), key=_start):
        surface = expression.canonical(value) if text.isdigit() else numerals.digits(value, text)
        edits.setdefault(name, []).append(Edit(start, end, surface))
    texts = {name: splice(getattr(problem, name), some) for name, some in edits.items()}
    return problem.replace(**texts, equation=equation.infix(), answer=answer)


@lru_cache(maxsize=_MAX_CACHED_TEXTS)
def _ratios(text: str) -> frozenset[tuple[int, int]]:
    """The numbers of a text as pairs of ints, which hash faster than Fractions."""
    return frozenset(quantity.value.as_integer_ratio() for quantity in numerals.find(text))


def _start(pair: tuple[Quantity, Fraction]) -> int:
    return pair[0].start
