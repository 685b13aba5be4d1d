"""New amounts of a table as they are written in its cells, and the operands that change with them."""

from __future__ import annotations

from collections.abc import Mapping, Set
from fractions import Fraction
from typing import Final

from dnc_datasets import expression, numerals, operand_links
from dnc_datasets.expression import Binary, Expr, Number, Unary
from dnc_datasets.perturbations.numbers.amounts import CURRENCIES
from dnc_datasets.perturbations.numbers.value_search import places
from dnc_datasets.perturbations.tables.document import Origins, grouping
from dnc_datasets.problem import Problem
from dnc_datasets.tables.relations import Cell
from dnc_datasets.tables.typed import YEARS, Typed

_CENTS: Final = 2
_YEAR: Final = 4  # digits
SCALED: Final = frozenset(("thousand", "million", "billion"))


def written_cells(
    problem: Problem,
    origins: Origins,
    read: Typed,
    growing: Set[Cell],
    new: Mapping[Cell, Fraction],
    even: bool,
) -> dict[str, str] | None:
    """Return the texts of the changed cells. Return None if one cannot be written.

    If `even`, all growing cells get the same number of decimals.
    """
    manner, changed = grouping(problem), {}
    shown = max((places(new[cell]) for cell in growing), default=0) if even else 0
    for (row, column), quantity in read.numbers.items():
        value = new[row, column]
        if value == origins.values[row, column]:
            continue
        text = problem.table[row][column]
        like = quantity.text
        if "." not in like and places(value) and (row, column) in growing:
            like = f"{like}.{'0' * shown}"
        spelled = numerals.digits(abs(value), like=f"{manner}{like}")
        if _is_odd_money(problem, text, value, quantity.text):
            return None
        if "/" in spelled or (len(spelled) == _YEAR and YEARS.fullmatch(spelled)):
            return None
        if (value < 0) != (origins.values[row, column] < 0):
            return None
        changed[f"table.{row}.{column}"] = text[: quantity.start] + spelled + text[quantity.end :]
    return changed


def decimals(text: str) -> int:
    """Return the number of decimals of a number as it is written."""
    return len(text.partition(".")[2])


def _is_odd_money(problem: Problem, cell: str, value: Fraction, old: str) -> bool:
    """Return whether full money amounts would get an unusual number of decimals: "$1.4", "$0.108"."""
    in_full = any(sign in cell for sign in CURRENCIES) and problem.note("table_scale") not in SCALED
    return in_full and decimals(old) in (0, 2) and places(value) not in (0, 2)


def names_unknown_constants(problem: Problem) -> bool:
    """Return whether an operand has no link but is no constant by nature. Other words must state it."""
    constants = [
        value for value, link in operand_links.stored(problem).items() if link == operand_links.CONSTANT
    ]
    return bool(constants) and not _fixed(expression.parse(problem.equation)).issuperset(constants)


def operands_can_move(problem: Problem, read: Typed) -> bool:
    """Return whether each operand from the table is in a cell that can change, or is a share."""
    for link in operand_links.stored(problem).values():
        field, _, place = link.partition(".")
        row, _, column = place.partition(".")
        if field == "table" and (int(row), int(column)) not in read.numbers and not _is_share(problem, link):
            return False
    return True


def moved_operands(problem: Problem, made: Problem) -> dict[Fraction, Fraction] | None:
    """Return the new value of each operand. Return None unless all but shares and constants changed."""
    equation = expression.parse(problem.equation)
    fixed = _fixed(equation)
    found: dict[Fraction, Fraction] = {}
    for value, link in operand_links.stored(problem).items():
        if link == operand_links.CONSTANT:
            if value not in fixed:
                return None  # other words state it
            continue
        places = [link] if link != operand_links.AMBIGUOUS else operand_links.places_of(problem, value)
        after = [operand_links.locate(made, place) for place in places]
        sizes = {place.value for place in after if place is not None}
        if None in after or len(sizes) != 1:
            return None  # it may be any of these cells, which differ now
        now = sizes.pop()
        if now == value and not all(_is_share(problem, place) for place in places):
            return None
        if now != value and value in fixed:
            return None  # the 100 of percent is also in a cell
        if now != value:
            found[value] = now
    return found or None


def _fixed(equation: Expr) -> set[Fraction]:
    """Return the numbers of an equation that are constants by nature."""
    return operand_links.constants(equation) | _divisors_of_averages(equation)


def _divisors_of_averages(equation: Expr) -> set[Fraction]:
    """Return the 2 of -(a + b) / 2, which is a constant even if a cell holds 2."""
    if isinstance(equation, Unary):
        return _divisors_of_averages(equation.operand)
    if not isinstance(equation, Binary):
        return set()
    found = _divisors_of_averages(equation.left) | _divisors_of_averages(equation.right)
    if equation.op != "/" or not isinstance(equation.left, Unary) or not isinstance(equation.right, Number):
        return found
    number = equation.right.number
    return found | {number} if number == len(equation.left.leaves()) else found


def _is_share(problem: Problem, link: str) -> bool:
    place = operand_links.locate(problem, link)
    if place is None:
        return False
    text = problem.text_at(place.field)
    return place.kind == "percent" or text[place.end : place.end + 1] == "%"


def moves_a_constant(problem: Problem, origins: Origins, new: Mapping[Cell, Fraction]) -> bool:
    """Return whether a cell changes that equals a constant of the equation: the base 100 of an index."""
    fixed = {value for value, link in operand_links.stored(problem).items() if link == operand_links.CONSTANT}
    return bool(fixed) and any(
        abs(size) in fixed and new[cell] != size for cell, size in origins.values.items()
    )


def has_no_end(problem: Problem, answer: str) -> bool:
    """Return whether an unrounded new answer has more decimals than the old one and than money."""
    old = numerals.parse(problem.answer)
    if problem.note("rounding") or old is None:
        return False
    return places(Fraction(answer)) > max(places(old), _CENTS)
