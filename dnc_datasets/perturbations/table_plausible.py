"""Noise and Distribution over tables that still add up: all amounts of a report grow together, and all follows."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from fractions import Fraction
from itertools import pairwise, permutations
from typing import Final, NamedTuple

from dnc_datasets import expression, links, numerals
from dnc_datasets.draws import Draw
from dnc_datasets.errors import ExpressionError
from dnc_datasets.numerals import Quantity
from dnc_datasets.perturbations import Capability, perturbation
from dnc_datasets.perturbations.numbers.amounts import amounts
from dnc_datasets.perturbations.numbers.operands import moved
from dnc_datasets.perturbations.numbers.plausible import places
from dnc_datasets.perturbations.table_values import grouping, with_note
from dnc_datasets.perturbations.tables.periods import year_at
from dnc_datasets.perturbations.tables.relations import (
    Amounts,
    Cell,
    Relation,
    relations,
    signed_amounts,
)
from dnc_datasets.perturbations.tables.restated import growing, grown
from dnc_datasets.perturbations.tables.scalable import amount_cells, growing_cells
from dnc_datasets.perturbations.tables.told import told_relations_hold
from dnc_datasets.problem import Problem
from dnc_datasets.remembering import remembered

_PROMISES = (
    "linked_operands_follow",
    "equation_gives_answer",
    "text_elsewhere_kept",
    "relations_hold",
    "restatements_follow",
    "told_sums_hold",
    "signs_kept",
    "counts_stay_whole",
)
_QUALIFIES = (
    "every operand must be an amount that grows with its table, and every total must be told to follow"
)
_NEAR: Final = tuple(Fraction(tenths, 10) for tenths in (6, 7, 8, 9, 11, 12, 13, 14))
_FAR: Final = tuple(map(Fraction, (6, 7, 8, 9, 11, 12)))
# What comes whole, where the table does not count it in thousands.
_COUNTED: Final = re.compile(
    r"\b(?:number|employees|headcount|staff|personnel|shares|units|options|rsus?|stores|customers|people|members|"
    r"directors|executives|properties|awards|vessels|sites|countries|branches|hours)\b",
    re.IGNORECASE,
)
# An amount that is given in full has no tenths of a dollar.
_IN_FULL: Final = 10_000
_SCALED: Final = frozenset(("thousand", "million", "billion"))


class Growth(NamedTuple):
    """By what each amount of a table is multiplied."""

    factors: Mapping[Cell, Fraction]
    same: Fraction | None  # the factor of all, also of the text; None where each year has its own


@perturbation(
    "noise_plausible",
    capability=Capability.VALUE_UNDERSTANDING,
    changes_target=True,
    promises=(*_PROMISES, "operands_within_half"),
    shapes=("table",),
    needs_equations=True,
    qualifies=_QUALIFIES,
)
def move_a_little(problem: Problem, draw: Draw) -> Problem | None:
    """1,196 -> 1,554.8: all amounts of the report by one factor below one and a half, so that totals still hold."""
    return _with_growth(problem, draw, _NEAR)


@perturbation(
    "distribution_plausible",
    capability=Capability.VALUE_UNDERSTANDING,
    changes_target=True,
    promises=(*_PROMISES, "magnitude_changed"),
    shapes=("table",),
    needs_equations=True,
    qualifies=_QUALIFIES,
)
def move_far(problem: Problem, draw: Draw) -> Problem | None:
    """561 -> 5,049: all amounts of the report about ten times as large, so that totals and shares still hold."""
    return _with_growth(problem, draw, _FAR)


def _with_growth(problem: Problem, draw: Draw, choices: tuple[Fraction, ...]) -> Problem | None:
    if not problem.equation or problem.note("defect") or amounts(problem, ("question",)):
        return None
    if any(quantity.kind == "money" for quantity in numerals.find(problem.question)):
        return None
    read = _read(problem.table)
    if read is None:
        return None
    cells, values, held = read
    text = growing(problem, {quantity.value for quantity in cells.values()})
    if text is None:
        return None
    for growth in _growths(problem, cells, text, held, draw, choices):
        new = _adjusted(values, held, growth)
        if (
            new is not None
            and _order_kept(values, new)
            and (made := _written(problem, cells, new, text, growth)) is not None
            and told_relations_hold(problem.body, made.body)
        ):
            return made
    return None


# Several questions are asked about a table.
@remembered
def _read(
    table: tuple[tuple[str, ...], ...],
) -> tuple[dict[Cell, Quantity], dict[Cell, Fraction], list[Relation]] | None:
    """The amounts that grow, all amounts with their signs, and what follows from what; None where nothing grows."""
    cells = amount_cells(table)
    if not cells:
        return None
    values = signed_amounts(table, list(cells))
    if values.keys() != cells.keys():
        return None
    held = relations(table, values)
    grows = growing_cells(table, cells, held)
    return ({cell: cells[cell] for cell in cells if cell in grows}, values, held) if grows else None


def _growths(
    problem: Problem,
    cells: Mapping[Cell, Quantity],
    text: list[Quantity],
    held: list[Relation],
    draw: Draw,
    choices: tuple[Fraction, ...],
) -> Iterator[Growth]:
    """Ways in which the table may grow: each year by its own factor where nothing ties them, or all by one."""
    fitting = [factor for factor in draw.shuffled(choices) if _stay_whole(problem, cells, factor)]
    years = {cell: year_at(problem, f"table.{cell[0]}.{cell[1]}") for cell in cells}
    if not text and _years_are_apart(problem, cells, years, held):
        named = sorted(set(map(str, years.values())))
        for pair in pairwise(fitting):
            if abs(pair[0] - pair[1]) * 6 <= min(pair):
                factors = {year: pair[at % 2] for at, year in enumerate(named)}
                yield Growth({cell: factors[str(year)] for cell, year in years.items()}, None)
    for factor in fitting[:3]:
        yield Growth(dict.fromkeys(cells, factor), factor)


def _years_are_apart(
    problem: Problem, cells: Mapping[Cell, Quantity], years: Mapping[Cell, int | None], held: list[Relation]
) -> bool:
    """Whether no amount of one year follows from, or is, one of another year."""
    if None in years.values() or len(set(years.values())) < 2:
        return False
    if any("%" in cell for row in problem.table for cell in row) or "%" in problem.body:
        return False
    if any(len({years.get(cell) for cell in (one.target, *one.plus, *one.minus)}) > 1 for one in held):
        return False
    sizes: dict[Fraction, set[int | None]] = {}
    for cell, quantity in cells.items():
        sizes.setdefault(quantity.value, set()).add(years[cell])
    return all(len(standing) == 1 for value, standing in sizes.items() if value >= 100)


def _stay_whole(problem: Problem, cells: Mapping[Cell, Quantity], factor: Fraction) -> bool:
    """Whether what is counted one by one stays whole."""
    if factor.denominator == 1 or problem.note("table_scale") in _SCALED:
        return True
    title = " ".join(problem.table[0])
    return all(
        (quantity.value * factor).denominator == 1 or not quantity.is_integer
        for (row, _), quantity in cells.items()
        if quantity.value >= _IN_FULL or _COUNTED.search(problem.table[row][0]) or _COUNTED.search(title)
    )


def _adjusted(
    values: Mapping[Cell, Fraction], held: list[Relation], growth: Growth
) -> dict[Cell, Fraction] | None:
    """The amounts after growing; what held up to rounding is computed anew. None where not all can hold."""
    new = {cell: value * growth.factors.get(cell, 1) for cell, value in values.items()}
    amounts, grown_amounts = Amounts(values), Amounts(new)
    exact = {one.target for one in held if not amounts.off(one)}
    for relation in held:
        if relation.target not in exact and not grown_amounts.is_close(relation):
            new[relation.target] = relation.computed(new)
            grown_amounts = Amounts(new)
    return new if all(map(grown_amounts.is_close, held)) else None


def _order_kept(values: Mapping[Cell, Fraction], new: Mapping[Cell, Fraction]) -> bool:
    """Whether of two amounts of a row the larger still is: what rose from year to year rises."""
    rows: dict[int, list[tuple[Fraction, Fraction]]] = {}
    for (row, _), value in zip(values, values.items(), strict=True):
        rows.setdefault(row, []).append((value[1], new[value[0]]))
    return all(
        (was < was_other) == (now < now_other)
        for row in rows.values()
        for (was, now), (was_other, now_other) in permutations(row, 2)
    )


def _written(
    problem: Problem,
    cells: Mapping[Cell, Quantity],
    new: Mapping[Cell, Fraction],
    text: list[Quantity],
    growth: Growth,
) -> Problem | None:
    manner = grouping(problem)
    shown = max(places(new[cell]) for cell in cells)  # all cells show as many decimals, as reports do
    changed = {}
    for (row, column), quantity in cells.items():
        value = new[row, column]
        cell = problem.table[row][column]
        like = quantity.text if "." in quantity.text or not shown else f"{quantity.text}.{'0' * shown}"
        spelled = numerals.digits(abs(value), like=f"{manner}{like}")
        if "/" in spelled or (value < 0) != (signed_amounts(problem.table, [(row, column)])[row, column] < 0):
            return None
        changed[f"table.{row}.{column}"] = cell[: quantity.start] + spelled + cell[quantity.end :]
    made = problem.with_texts(changed)
    if growth.same is not None:
        factor = growth.same
        shown_too = _sizes(cells)
        made = made.rewrite(
            [one._replace(field="body") for one in text], lambda one: grown(one, factor, shown_too)
        )
    moves = _moves(problem, made)
    if moves is None:
        return None
    known = links.stored(problem)
    stored = {moves.get(value, value): link for value, link in known.items()}
    if len(stored) < len(known):
        return None
    equation = moved(expression.parse(problem.equation), moves)
    try:
        answer = expression.canonical(expression.round_value(equation.value(), problem.note("rounding")))
    except ExpressionError:
        return None
    return made.replace(
        equation=equation.infix(), answer=answer, meta=with_note(problem, "operands", links.to_note(stored))
    )


def _sizes(cells: Mapping[Cell, Quantity]) -> set[Fraction]:
    """The sizes of the amounts, and the differences of those of one row."""
    sizes = {quantity.value for quantity in cells.values()}
    apart = {
        abs(one.value - other.value)
        for (row, _), one in cells.items()
        for (other_row, _), other in cells.items()
        if row == other_row
    }
    return sizes | apart - {Fraction(0)}


def _moves(problem: Problem, made: Problem) -> dict[Fraction, Fraction] | None:
    """The new value of each operand; None unless all but shares and constants by nature moved."""
    fixed = links.constants(expression.parse(problem.equation))
    found: dict[Fraction, Fraction] = {}
    for value, link in links.stored(problem).items():
        if link == links.CONSTANT:
            if value not in fixed:
                return None  # it stands somewhere in other words
            continue
        places = [link] if link != links.AMBIGUOUS else links.places_of(problem, value)
        after = [links.locate(made, place) for place in places]
        sizes = {place.value for place in after if place is not None}
        if None in after or len(sizes) != 1:
            return None  # it may be any of them, and they are no longer the same
        now = sizes.pop()
        if now == value and not all(_is_share(problem, place) for place in places):
            return None
        if now != value:
            found[value] = now
    return found or None


def _is_share(problem: Problem, link: str) -> bool:
    place = links.locate(problem, link)
    if place is None:
        return False
    text = problem.text_at(place.field)
    return place.kind == "percent" or text[place.end : place.end + 1] == "%"
