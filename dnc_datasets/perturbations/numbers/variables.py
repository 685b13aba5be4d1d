"""Numbers of a text or a table that can be written as a variable, and the problem with one of them written so."""

from __future__ import annotations

import re
from collections.abc import Iterator, Set
from fractions import Fraction

from dnc_datasets import expression, numerals, operand_links
from dnc_datasets.expression import Expr
from dnc_datasets.numerals import Quantity
from dnc_datasets.perturbations.numbers.amounts import amounts
from dnc_datasets.perturbations.tables.document import (
    AMOUNT_OPERATIONS,
    RATIO_OPERATIONS,
    SHARE_OPERATIONS,
    Origins,
    shown,
)
from dnc_datasets.problem import TEXT_FIELDS, Problem, splice
from dnc_datasets.tables.relations import Cell
from dnc_datasets.tables.typed import FIXED, PERCENT, typed

NAME = "x"
_LONE_X = re.compile(r"(?<![A-Za-z])[xX](?![A-Za-z])")
_DIGITS = re.compile(r"\d[\d,]*(?:\.\d+)?")
_WORD = re.compile(r"[A-Za-z]+")
# The number is part of a longer one, a time, a range, a ratio or a measure with two parts.
_AFTER = re.compile(
    r"\s?(?:dozen|hundred|thousand|million|billion|half|halves|and (?:a|one)[- ]half|and a quarter|[ap]\.?m\b|"
    r"o'clock|to \$?\d|or \$?\d|and \d+/\d|\d|[-–—:/°º'\"’”*+=x×]|out of\b|in \d|by \d|st\b|nd\b|rd\b|th\b|percentage)"
    r"|\s(?:and|or) (?:half|one-half|1/2)\b",
    re.IGNORECASE,
)
_BEFORE = re.compile(
    r"(?:\d\s?|\d[a-z%]* (?:to|or)|\b(?:between|between \$?\d+ and|ages?|aged|grades?|numbers?|sizes?|no\.)|"
    r"[#*+=/x×:'’-])\s?\$?\Z",
    re.IGNORECASE,
)
# "15 minutes 3 days a week": a unit with its own number is directly before.
_AFTER_A_UNIT = re.compile(r"\b\d{1,12}(?:\.\d{1,6})?%? [A-Za-z-]{1,20} \$?\Z")
_AT_A_TIME = re.compile(r"\b(?:at|until|till|by|around|since|before|after) \Z", re.IGNORECASE)
_COUNTS = re.compile(r" [a-z]|%|\$")
_IN_THE = re.compile(r" (?:in the (?:morning|afternoon|evening)|at night|tonight|sharp)\b")
# "the two of them", "all four walls"
_POINTED_AT = re.compile(
    r"\b(?:the|these|those|all|any|other|both|which|of|his|her|their|last|first|next) \Z", re.IGNORECASE
)
_ARTICLE = re.compile(r"\b([Aa]) \Z")
_SENTENCE_START = re.compile(r"(?:\A|[.!?:;\n][\"')]?\s{0,4})[\"'“(]?\$?\Z")


def nameable(problem: Problem) -> list[Quantity]:
    """The numbers that are stated once and can be written as a variable; none where the text has one already."""
    if _LONE_X.search(problem.text) or not problem.text.isascii():
        return []
    values = [abs(value) for value in problem.values()]
    found = []
    for quantity in amounts(problem, TEXT_FIELDS, words=True):
        text = problem.text_at(quantity.field)
        if values.count(quantity.value) == 1 and quantity.value > 1 and _stands_alone(text, quantity):
            found.append(quantity)
    return found


def _stands_alone(text: str, quantity: Quantity) -> bool:
    before, surface = text[: quantity.start], quantity.text
    if not (_DIGITS.fullmatch(surface) or _WORD.fullmatch(surface)):
        return False
    if text[quantity.end : quantity.end + 1].isalpha() or _AFTER.match(text, quantity.end):
        return False
    if _BEFORE.search(before) or _AFTER_A_UNIT.search(before):
        return False
    if quantity.kind == "word" and _POINTED_AT.search(before):
        return False
    if _IN_THE.match(text, quantity.end) or _SENTENCE_START.search(before):
        return False
    return not (_AT_A_TIME.search(before) and not _COUNTS.match(text, quantity.end))


def with_variable(problem: Problem, quantity: Quantity) -> Problem:
    """The problem with x in place of a number; "a 20% discount" becomes "an x% discount"."""
    text = problem.text_at(quantity.field)
    edits = [(quantity.start, quantity.end, NAME)]
    article = _ARTICLE.search(text[: quantity.start])
    if article:
        edits.insert(0, (article.start(1), article.end(1), f"{article[1]}n"))
    return problem.with_texts({quantity.field: splice(text, edits)})


def is_implied(problem: Problem, value: Fraction) -> bool:
    """Whether a word of the text means this number: the 7 of "week"."""
    return value in numerals.implied(problem.text)


def nameable_cells(problem: Problem) -> list[tuple[Cell, Quantity]]:
    """The cells of linked operands whose value is stated nowhere else; none where the document has an x already."""
    texts = [text for _, text in problem.texts()]
    if problem.history or problem.note("defect") or any(map(_LONE_X.search, texts)):
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
        row, column = (int(part) for part in link.split(".")[1:])
        before = problem.table[row][column][: quantity.start]
        if kinds.get((row, column), "") in (*FIXED, "") or any(sign in before for sign in "(-−–"):
            continue  # "(x)" may be x or its negative
        if not _is_restated(problem, quantity):
            found.append(((row, column), quantity))
    return found


def _names_a_row(problem: Problem, rows: set[str]) -> bool:
    """Whether the question names one of these rows, or no row at all; a source may have taken another row."""
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
    """Whether another number of the document is the value, rounded or in another scale: 8,300 and "$8.3 billion"."""
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
    """Whether a total, difference, share, change or ratio that the document states gives the number of a cell."""
    read = typed(problem.table)
    if any(cell in (one.target, *one.plus, *one.minus) for one in read.relations):
        return True
    origins = Origins(problem.table, read)
    shares = read.cells(PERCENT)
    if cell in shares and any(read.numbers[one].value == _WHOLE for one in shares - {cell}):
        return True  # the parts of a whole
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


def _is_summed_in_text(problem: Problem, cell: Cell) -> bool:
    """Whether the text states the sum of neighbours in the column of a cell, with it: "We paid $12,450" for all."""
    values = typed(problem.table).values
    column = [(row, value) for (row, at), value in sorted(values.items()) if at == cell[1]]
    stated = {
        abs(one.value) / scale
        for one in numerals.find(problem.body)
        if _significant(one) >= _TELLING
        for scale in (1, *_SCALES)
    }
    return any(
        abs(sum((value for _, value in column[start:end]), Fraction(0))) in stated
        for start in range(len(column))
        for end in range(start + 2, len(column) + 1)
        if any(row == cell[0] for row, _ in column[start:end])
    )


def _telling(problem: Problem, shares: Set[Cell]) -> Iterator[tuple[Cell | None, Quantity]]:
    """The numbers of the text and of the cells with so many digits that they are no result by chance."""
    for cell, quantity in typed(problem.table).numbers.items():
        if _significant(quantity) >= _TELLING - (cell in shares):
            yield cell, quantity
    for quantity in numerals.find(problem.body):
        if _significant(quantity) >= _TELLING and quantity.kind not in ("year", "date"):
            yield None, quantity


def _significant(quantity: Quantity) -> int:
    """The number of digits of a number without zeros in front."""
    return len("".join(char for char in quantity.text if char.isdigit()).lstrip("0"))


def in_cell(problem: Problem, cell: Cell, quantity: Quantity) -> Problem:
    """The problem with x in place of the number of a cell."""
    text = problem.table[cell[0]][cell[1]]
    path = f"table.{cell[0]}.{cell[1]}"
    return problem.with_texts({path: splice(text, [(quantity.start, quantity.end, NAME)])})


_SCALES = (10**3, 10**6, 10**9)
_TELLING = 3
_WHOLE = 100
_GENERAL = re.compile(r"totals?|years?|[0-9]+")
_LABEL_WORD = re.compile(r"[a-z0-9&']+")
# Notes that describe only the original calculation.
_STALE = frozenset(
    "formula solution_type rounding derivation solution solution_steps step_questions no_equation type qdmr "
    "program".split()
)


def without_solution(problem: Problem) -> Problem:
    """The problem without notes that describe only the original calculation."""
    return problem.replace(meta=tuple(pair for pair in problem.meta if pair[0] not in _STALE))


def recalculated(problem: Problem, equation: Expr, unit: str = "") -> Problem:
    """The problem with another equation and the answer that it gives."""
    return without_solution(problem).replace(
        equation=equation.infix(),
        answer=expression.canonical(equation.value()),
        answers=(),
        unit=unit,
    )
