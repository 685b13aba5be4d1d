"""Cells of a table that can be replaced by a variable, and the problem with a variable in one of them."""

from __future__ import annotations

import re
from collections.abc import Iterator, Set

from dnc_datasets import expression, numerals, operand_links
from dnc_datasets.numerals import Quantity
from dnc_datasets.perturbations.numbers.variables import LONE_X, NAME
from dnc_datasets.perturbations.tables.document import (
    AMOUNT_OPERATIONS,
    RATIO_OPERATIONS,
    SHARE_OPERATIONS,
    Origins,
    shown,
)
from dnc_datasets.problem import Problem, splice
from dnc_datasets.tables.relations import Cell
from dnc_datasets.tables.typed import FIXED, PERCENT, typed

_SCALES = (10**3, 10**6, 10**9)
_TELLING = 3
_WHOLE = 100
_GENERAL = re.compile(r"totals?|years?|[0-9]+")
_LABEL_WORD = re.compile(r"[a-z0-9&']+")


def nameable_cells(problem: Problem) -> list[tuple[Cell, Quantity]]:
    """Return the cells of linked operands whose value is stated nowhere else.

    A document with an x has none.
    """
    texts = [text for _, text in problem.texts()]
    if problem.history or problem.note("defect") or any(map(LONE_X.search, texts)):
        return []
    kinds, fixed = typed(problem.table).kinds, operand_links.constants(expression.parse(problem.equation))
    stored = operand_links.stored(problem)
    if not _names_a_row(
        problem, {link.split(".")[1] for link in stored.values() if link.startswith("table.")}
    ):
        return []
    found = []
    for value, link in stored.items():
        quantity = operand_links.locate(problem, link) if link.startswith("table.") else None
        if quantity is None or quantity.value != value or value in fixed or not quantity.in_digits:
            continue
        if numerals.is_local(quantity.text):
            continue  # the numbers of its definition would be written with other symbols
        row, column = (int(part) for part in link.split(".")[1:])
        before = problem.table[row][column][: quantity.start]
        if kinds.get((row, column), "") in (*FIXED, "") or any(sign in before for sign in "(-−–"):
            continue  # "(x)" may be x or its negative
        if not _is_restated(problem, quantity):
            found.append(((row, column), quantity))
    return found


def _names_a_row(problem: Problem, rows: set[str]) -> bool:
    """Return whether the question names one of these rows, or no row. A source may have used another row."""
    asked = f" {' '.join(_LABEL_WORD.findall(problem.question.lower()))} "
    named = {
        str(number)
        for number, cells in enumerate(problem.table)
        if cells
        and (label := " ".join(_LABEL_WORD.findall(cells[0].lower())))
        and not _GENERAL.fullmatch(label)
        and f" {label} " in asked
    }
    return not named or bool(named & rows)


def _is_restated(problem: Problem, hidden: Quantity) -> bool:
    """Return whether another number of the document states the value: 8,300 as "$8.3 billion"."""
    for path, text in problem.texts():
        for quantity in numerals.find(text):
            if path == hidden.field:
                continue
            sizes = {abs(quantity.value), abs(quantity.unscaled.value)}
            if any(sizes & {hidden.value * scale, hidden.value / scale} for scale in (1, *_SCALES)):
                return True
            number = shown(quantity)
            if (number.unit != 1 or _significant(quantity) > 1) and any(
                number.shows(hidden.value * scale) for scale in (1, *_SCALES)
            ):
                return True
    return False


def is_read_off(problem: Problem, cell: Cell) -> bool:
    """Return whether a stated total, difference, share, change or ratio gives the number of a cell."""
    read = typed(problem.table)
    if any(cell in (one.target, *one.plus, *one.minus) for one in read.relations):
        return True
    origins = Origins(problem.table, read)
    shares = read.cells(PERCENT)
    if cell in shares and any(read.numbers[one].value == _WHOLE for one in shares - {cell}):
        return True  # the parts of a total
    for place, quantity in _telling(problem, shares):
        operations = {**AMOUNT_OPERATIONS, **RATIO_OPERATIONS}
        if quantity.kind == "percent":
            operations = {**SHARE_OPERATIONS, **(AMOUNT_OPERATIONS if place else {})}
        scales = (1,) if place else (1, *_SCALES)
        for origin, _ in origins.of(shown(quantity), operations, scales):
            exact = origin.operation not in AMOUNT_OPERATIONS or origin.exact or place is None
            if exact and place not in origin.cells and cell in (place, *origin.cells):
                return True
    return False


def _telling(problem: Problem, shares: Set[Cell]) -> Iterator[tuple[Cell | None, Quantity]]:
    """Yield the numbers of the text and the cells with too many digits for a chance result."""
    for cell, quantity in typed(problem.table).numbers.items():
        if _significant(quantity) >= _TELLING - (cell in shares):
            yield cell, quantity
    for quantity in numerals.find(problem.body):
        if _significant(quantity) >= _TELLING and quantity.kind not in ("year", "date"):
            yield None, quantity


def _significant(quantity: Quantity) -> int:
    """Return the number of digits of a number without leading zeros."""
    return len("".join(char for char in quantity.text if char.isdigit()).lstrip("0"))


def in_cell(problem: Problem, cell: Cell, quantity: Quantity) -> Problem:
    """Return the problem with x in place of the number of a cell."""
    text = problem.table[cell[0]][cell[1]]
    path = f"table.{cell[0]}.{cell[1]}"
    return problem.with_texts({path: splice(text, [(quantity.start, quantity.end, NAME)])})
