"""Noise and Distribution over tables: operands linked to one cell or span change, and the answer follows."""

from __future__ import annotations

import re
from collections import Counter
from fractions import Fraction

from dnc_datasets import expression, numerals, operand_links
from dnc_datasets.draws import Draw
from dnc_datasets.errors import ExpressionError
from dnc_datasets.expression import Binary, Expr, Name, Number
from dnc_datasets.numerals import Quantity
from dnc_datasets.perturbations import Capability, perturbation
from dnc_datasets.perturbations.numbers.amounts import AMOUNTS, is_year
from dnc_datasets.perturbations.tables.document import Origins, grouping, shown, with_history
from dnc_datasets.problem import Problem
from dnc_datasets.tables.typed import typed

_PROMISES = ("linked_operands_moved", "equation_gives_answer", "text_elsewhere_kept")
_MAX_DRAWS = 40
_UNITS = {"thousand": 10**3, "million": 10**6, "billion": 10**9}
_SCALED = re.compile(r"(?:thousand|million|billion|bn|mn|m|k)\Z", re.IGNORECASE)
_TELLING = 3
_NUMBER = re.compile(r"\d[\d,]*(?:\.(\d+))?")
# A column computed from others, which would become inconsistent with them.
_COMPUTED = re.compile(r"\b(?:change|variance|variation|difference|increase|decrease)\b", re.IGNORECASE)
# "How much more", "the increase in". The direction of "increase / (decrease)" is open.
_DIRECTED = re.compile(
    r"\bmore\b|\bless\b|\bhigher\b|\blower\b|\bexceed|\bgain|\bincreased?\b(?! ?/)|\bdecreased?\b(?!\))|\bdrop",
    re.IGNORECASE,
)


@perturbation(
    "noise",
    capability=Capability.VALUE_UNDERSTANDING,
    changes_target=True,
    promises=_PROMISES,
    shapes=("table",),
    needs_equations=True,
)
def add_decimal_digit(problem: Problem, draw: Draw) -> Problem | None:
    """1,196 -> 1,196.4 in its cell: n + d/10, d from 1 to 9, for each linked operand, all whole numbers."""
    places = _linked_operands(problem)
    if not places or not all(place.is_integer for place in places.values()):
        return None
    return _moved(problem, places, {value: value + Fraction(draw.integer(1, 9), 10) for value in places})


@perturbation(
    "distribution",
    capability=Capability.VALUE_UNDERSTANDING,
    changes_target=True,
    promises=_PROMISES,
    shapes=("table",),
    needs_equations=True,
)
def shift_operands(problem: Problem, draw: Draw, *, mu: float = 1000, sigma: float = 300) -> Problem | None:
    """561 -> 1,597 in its cell: n + floor(X), X ~ N(mu, sigma^2), for each linked operand but percentages."""
    places = _linked_operands(problem)
    if not places or _are_percentages(problem, places):
        return None
    for _ in range(_MAX_DRAWS):
        new = {value: value + draw.normal(mu, sigma) for value in places}
        if min(new.values()) > 0 and _is_plausible(problem, new):
            return _moved(problem, places, new)
    return None


def _is_plausible(problem: Problem, new: dict[Fraction, Fraction]) -> bool:
    """Return whether a part is still below its total, and an increase of the question still an increase."""
    equation = expression.parse(problem.equation)
    ratio = _ratio(equation)
    if ratio and new.keys() >= set(ratio):
        return (ratio[0] < ratio[1]) == (new[ratio[0]] < new[ratio[1]])
    if not _DIRECTED.search(problem.question):
        return True
    return (equation.value() < 0) == (_with_values(equation, new).value() < 0)


def _with_values(equation: Expr, new: dict[Fraction, Fraction]) -> Expr:
    def leaf(old: Number | Name) -> Expr:
        return expression.number(new.get(old.number, old.number)) if isinstance(old, Number) else old

    return equation.replace(leaf)


def _are_percentages(problem: Problem, places: dict[Fraction, Quantity]) -> bool:
    """Return whether the operands are percentages or days, which have an upper limit.

    The percent sign is optional.
    """
    if any(place.kind == "percent" for place in places.values()):
        return True
    if problem.unit == "percent" and _percent_of(expression.parse(problem.equation)) is None:
        return True
    heads = [problem.table[0], *problem.table[1:2]]
    return any("days" in cell.lower().split() for row in heads for cell in row)


def _percent_of(equation: Expr) -> Expr | None:
    """Return the factor of 100; None if there is none."""
    if isinstance(equation, Binary) and equation.op == "*" and isinstance(equation.right, Number):
        return equation.left if equation.right.number == 100 else None
    return None


def _ratio(equation: Expr) -> tuple[Fraction, Fraction] | None:
    """Return the operands of a / b or a / b * 100 without signs; None for any other equation."""
    inner = _percent_of(equation) or equation
    if isinstance(inner, Binary) and inner.op == "/":
        sides = [operand_links.operand_values(side) for side in (inner.left, inner.right)]
        if [len(side) for side in sides] == [1, 1]:
            return sides[0][0], sides[1][0]
    return None


def _linked_operands(problem: Problem) -> dict[Fraction, Quantity] | None:
    """Return the place of each operand by value; None unless each is a constant or at one place."""
    if not problem.equation or problem.note("defect"):
        return None
    found: dict[Fraction, Quantity] = {}
    sizes = Counter((abs(top), bottom) for top, bottom in problem.ratios())
    fixed = operand_links.constants(expression.parse(problem.equation))
    for value, link in operand_links.stored(problem).items():
        if link == operand_links.CONSTANT:
            if value not in fixed:
                return None  # it has another form in the text, such as "$4.3 million" in a table of thousands
            continue
        place = operand_links.locate(problem, link) if link != operand_links.AMBIGUOUS else None
        if place is None or place.value != value or sizes[value.as_integer_ratio()] != 1:
            return None
        if place.kind not in AMOUNTS or not place.text[-1].isdigit() or is_year(place.text):
            return None
        if _is_computed(problem, link):
            return None
        found[value] = place
    return None if _share_a_sum(problem, found) else found


def _share_a_sum(problem: Problem, places: dict[Fraction, Quantity]) -> bool:
    """Return whether the question asks for a / b and the row also gives a + b or a - b.

    The answer could be derived from these.
    """
    ratio = _ratio(expression.parse(problem.equation))
    if ratio is None or not places.keys() >= set(ratio):
        return False
    rows = {places[value].field.rpartition(".")[0] for value in ratio}
    if len(rows) > 1 or "body" in rows or "" in rows:
        return False
    row = problem.table[int(rows.pop().split(".")[1])]
    sizes = {abs(quantity.value) for cell in row[1:] for quantity in numerals.find(cell)}
    return not sizes.isdisjoint((sum(ratio), abs(ratio[0] - ratio[1])))


def _moved(
    problem: Problem, places: dict[Fraction, Quantity], new: dict[Fraction, Fraction]
) -> Problem | None:
    """Return the problem with each operand changed in its cell, in the equation and in its link."""
    known = operand_links.stored(problem)
    moved = {new.get(value, value): link for value, link in known.items()}
    if len(moved) < len(known):
        return None  # two operands became equal, and no link could distinguish them
    equation = _with_values(expression.parse(problem.equation), new)
    try:
        if _becomes_false(problem, places, equation):
            return None
        answer = expression.canonical(expression.round_value(equation.value(), problem.note("rounding")))
    except ExpressionError:
        return None
    if _contradicts_text(problem, new) or not _history_holds(problem, places, new):
        return None
    ordered = sorted(places.values(), key=lambda place: (place.field, place.start))
    manner = grouping(problem)
    changed = problem.rewrite(
        ordered, lambda place: numerals.digits(new[place.value], like=f"{manner}{place.text}")
    )
    return changed.replace(
        equation=equation.infix(),
        answer=answer,
        meta=with_note(problem, "operands", operand_links.to_note(moved)),
    )


def _history_holds(problem: Problem, places: dict[Fraction, Quantity], new: dict[Fraction, Fraction]) -> bool:
    """Return whether every earlier answer is an amount that the new cells also give.

    A year or a yes may depend on any cell.
    """
    if not problem.history:
        return True
    if not all(place.field.startswith("table.") for place in places.values()):
        return False
    if not all(any(map(_is_amount, numerals.find(turn.answer))) for turn in problem.history):
        return False
    origins = Origins(problem.table, typed(problem.table))
    cells = {tuple(map(int, place.field.split(".")[1:])): new[value] for value, place in places.items()}
    moved = {cell: cells.get(cell, size) for cell, size in origins.values.items()}
    kept = with_history(problem, origins, moved)
    return kept is not None and kept.history == problem.history


def _is_amount(quantity: Quantity) -> bool:
    return quantity.kind in AMOUNTS and not is_year(quantity.text)


def _is_computed(problem: Problem, link: str) -> bool:
    """Return whether the cell is in a computed column such as "Change"."""
    field, *place = link.split(".")
    if field != "table":
        return False
    row, column = map(int, place)
    # The headings of the column are above its first amount.
    heads = [cells[column] for cells in problem.table[:row] if column < len(cells)]
    return any(_COMPUTED.search(head) for head in heads)


def _becomes_false(problem: Problem, places: dict[Fraction, Quantity], equation: Expr) -> bool:
    """Return whether the old answer occurs beside the operands or in the text, where the new one differs."""
    old, new = abs(expression.parse(problem.equation).value()), abs(equation.value())
    rounded: dict[str, tuple[Fraction, Fraction]] = {}
    rows = {place.field.split(".")[1] for place in places.values() if place.field != "body"}
    used = {place.field for place in places.values()}
    for path, text in problem.texts(("table", "body")):
        if path != "body" and (path in used or path.split(".")[1] not in rows):
            continue
        for match in _NUMBER.finditer(text):
            # In running text, small integers are too frequent to refer to the answer.
            if path == "body" and not match[1] and len(match[0]) <= 2:
                continue
            rounding = f"places:{len(match[1] or '')}"
            if rounding not in rounded:
                rounded[rounding] = (
                    expression.round_value(old, rounding),
                    expression.round_value(new, rounding),
                )
            was, now = rounded[rounding]
            if was != now and was == numerals.parse(match[0]):
                return True
    return False


def _contradicts_text(problem: Problem, new: dict[Fraction, Fraction]) -> bool:
    """Return whether the text gives an operand of the table in another scale and would become false.

    Example: "$36.4 million" for 36,358. Short numbers are excluded, because they have other meanings.
    """
    unit = _UNITS.get(problem.note("table_scale"))
    scales = (unit,) if unit else tuple(_UNITS.values())
    for quantity in numerals.find(problem.body):
        if not _SCALED.search(quantity.text) or sum(map(str.isdigit, quantity.text.strip("0."))) < _TELLING:
            continue
        number = shown(quantity)
        for old, now in new.items():
            for scale in scales:
                if number.shows(abs(old) * scale) and not number.shows(abs(now) * scale):
                    return True
    return False


def with_note(problem: Problem, key: str, value: str) -> tuple[tuple[str, str], ...]:
    """Return the problem's meta with one value changed."""
    return tuple((name, value if name == key else old) for name, old in problem.meta)
