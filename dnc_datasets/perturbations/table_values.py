"""Noise and Distribution over tables: operands linked to one cell or span move, and the answer follows."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Callable
from fractions import Fraction

from dnc_datasets import expression, links, numerals
from dnc_datasets.draws import Draw
from dnc_datasets.errors import ExpressionError
from dnc_datasets.expression import Expr, Name, Number
from dnc_datasets.numerals import Quantity
from dnc_datasets.perturbations import Capability, perturbation
from dnc_datasets.perturbations.amounts import AMOUNTS, is_year
from dnc_datasets.problem import Problem

_PROMISES = ("linked_operands_moved", "equation_gives_answer", "text_elsewhere_kept")
_MAX_DRAWS = 40
_GROUPED = re.compile(r"\d,\d{3}")


@perturbation(
    "noise",
    capability=Capability.VALUE_UNDERSTANDING,
    changes_target=True,
    promises=_PROMISES,
    shapes=("table",),
)
def add_decimal_digit(problem: Problem, draw: Draw) -> Problem | None:
    """1,196 -> 1,196.4 in its cell: n + d/10, d from 1 to 9, for each linked operand, all whole numbers."""
    places = _linked_operands(problem)
    if not places or not all(place.is_integer for place in places.values()):
        return None
    return _moved(problem, places, lambda value: value + Fraction(draw.integer(1, 9), 10))


@perturbation(
    "distribution",
    capability=Capability.VALUE_UNDERSTANDING,
    changes_target=True,
    promises=_PROMISES,
    shapes=("table",),
)
def shift_operands(problem: Problem, draw: Draw, *, mu: float = 1000, sigma: float = 300) -> Problem | None:
    """561 -> 1,597 in its cell: n + floor(X), X ~ N(mu, sigma^2), for each linked operand but percentages."""
    places = _linked_operands(problem)
    if not places or any(place.kind == "percent" for place in places.values()):
        return None

    def shifted(value: Fraction) -> Fraction:
        for _ in range(_MAX_DRAWS):
            if (new := value + draw.normal(mu, sigma)) > 0:
                return new
        return value

    return _moved(problem, places, shifted)


def _linked_operands(problem: Problem) -> dict[Fraction, Quantity] | None:
    """Where each operand stands, by value; None unless each is a constant or stands at one place only."""
    if not problem.equation or problem.note("defect"):
        return None
    found: dict[Fraction, Quantity] = {}
    sizes = Counter(abs(value) for value in problem.values())
    for value, link in links.stored(problem).items():
        if link == links.CONSTANT:
            continue
        place = links.locate(problem, link) if link != links.AMBIGUOUS else None
        if place is None or place.value != value or sizes[value] != 1:
            return None
        if place.kind not in AMOUNTS or not place.text[-1].isdigit() or is_year(place.text):
            return None
        found[value] = place
    return found


def _moved(
    problem: Problem, places: dict[Fraction, Quantity], change: Callable[[Fraction], Fraction]
) -> Problem | None:
    """The problem with each operand changed in its cell, in the equation and in its link."""
    new = {value: change(value) for value in places}
    known = links.stored(problem)
    moved = {new.get(value, value): link for value, link in known.items()}
    if len(moved) < len(known):
        return None  # two operands became equal, and no link could tell them apart

    def leaf(old: Number | Name) -> Expr:
        return expression.number(new.get(old.number, old.number)) if isinstance(old, Number) else old

    equation = expression.parse(problem.equation).replace(leaf)
    try:
        answer = expression.canonical(expression.round_value(equation.value(), problem.note("rounding")))
    except ExpressionError:
        return None
    ordered = sorted(places.values(), key=lambda place: (place.field, place.start))
    # A number that grows past 999 is grouped if the others of its table are: "674" -> "1,971".
    manner = "," if any(_GROUPED.search(cell) for row in problem.table for cell in row) else ""
    changed = problem.rewrite(
        ordered, lambda place: numerals.digits(new[place.value], like=f"{manner}{place.text}")
    )
    return changed.replace(
        equation=equation.infix(), answer=answer, meta=with_note(problem, "operands", links.to_note(moved))
    )


def with_note(problem: Problem, key: str, value: str) -> tuple[tuple[str, str], ...]:
    """The problem's meta with one value changed."""
    return tuple((name, value if name == key else old) for name, old in problem.meta)
