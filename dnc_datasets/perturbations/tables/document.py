"""A document as one object: the values of text and history, linked to the cells that give them.

A number of the text is a mention of a cell, of its rounded value, or of a difference, sum, change or share of
two cells. When cells change, all mentions of them change. A document with an ambiguous number is refused.
"""

from __future__ import annotations

import json
import re
from bisect import bisect_left, bisect_right
from collections.abc import Callable, Container, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from fractions import Fraction
from functools import lru_cache
from itertools import combinations
from typing import Any, Final, NamedTuple, TypeVar

from dnc_datasets import expression, numerals, operand_links
from dnc_datasets.errors import ExpressionError
from dnc_datasets.fast_fraction import FastFraction
from dnc_datasets.memoization import memoized
from dnc_datasets.numerals import Quantity
from dnc_datasets.perturbations.numbers import reports
from dnc_datasets.perturbations.numbers.amounts import is_year
from dnc_datasets.problem import Edit, Problem, splice
from dnc_datasets.tables.relations import Cell
from dnc_datasets.tables.typed import PERCENT, Typed

Values = Mapping[Cell, Fraction]
Size = TypeVar("Size", Fraction, float)

_NUMBER: Final = re.compile(r"[0-9][0-9,.]*")
_UNGROUPED: Final = re.compile(r"[\s$€£¥(]*\d{4,}(?:\.\d+)?[\s%)]*")
_GROUPED: Final = re.compile(r"\d,\d{3}(?!\d)")
_WORD: Final = re.compile(r"[a-z]{4,}")
_SENTENCE: Final = re.compile(r"[.!?] (?=\S)|\n")
_SENTENCE_REACH: Final = 600
_MOST_CELLS: Final = 160
_SHORT: Final = 2  # digits
_FLOAT_ERROR: Final = 1e-9
_NAMING_KINDS: Final = frozenset(("year", "date", "ordinal", "time"))
# Operation on two cells -> its result. The first two groups give amounts and percentages.
AMOUNT_OPERATIONS: Final[Mapping[str, Callable[[Fraction, Fraction], Fraction]]] = {
    "difference": lambda one, other: one - other,
    "sum": lambda one, other: one + other,
    "average": lambda one, other: (one + other) / 2,
}
SHARE_OPERATIONS: Final[Mapping[str, Callable[[Fraction, Fraction], Fraction]]] = {
    "change": lambda one, other: (one - other) / other * 100,
    "share": lambda one, other: one / other * 100,
}
RATIO_OPERATIONS: Final[Mapping[str, Callable[[Fraction, Fraction], Fraction]]] = {
    "growth": lambda one, other: (one - other) / other,
    "ratio": lambda one, other: one / other,
}
# Payments of a year.
INSTALMENTS: Final[Mapping[str, int]] = {"quarterly": 4, "monthly": 12}
_OPERATIONS: Final[Mapping[str, Callable[[Any, Any], Any]]] = {
    **AMOUNT_OPERATIONS,
    **SHARE_OPERATIONS,
    **RATIO_OPERATIONS,
}
# These operations give exact results of limited decimals.
_WITHOUT_REST: Final = ("difference", "sum")
# These operations compare the cells of one row: the same thing at two times.
_OF_ROWS: Final = ("average", "change", "growth")


class Origin(NamedTuple):
    """The derivation of a number from cells: one "cell", or the result of an operation on two cells.

    Of all its cells, it is the "total" or the "mean", or the "growth of totals" from one half of them to the other.
    "quarterly" and "monthly" are the amount of each quarter or month that makes a cell in a year.
    """

    operation: str
    cells: tuple[Cell, ...]
    exact: bool = False  # the number is the result itself, and not its rounded value

    def value(self, values: Mapping[Cell, Size]) -> Size | None:
        """Return the size of the number. Return None if the operation has no result."""
        one, other = values[self.cells[0]], values[self.cells[-1]]
        if self.operation == "cell":
            return abs(one)
        if self.operation in INSTALMENTS:
            return abs(one) / INSTALMENTS[self.operation]
        if self.operation == "growth of totals":
            half = len(self.cells) // 2
            first, second = (
                [values[cell] for cell in some] for some in (self.cells[:half], self.cells[half:])
            )
            growth: Size = abs(sum(first[1:], first[0]) - sum(second[1:], second[0]))
            return growth
        if self.operation in ("total", "mean"):
            every: Size = abs(sum(map(values.__getitem__, self.cells[1:]), one))
            return every if self.operation == "total" else every / len(self.cells)
        if self.operation not in AMOUNT_OPERATIONS and not other:
            return None
        result: Size = _OPERATIONS[self.operation](one, other)
        return abs(result)


@dataclass(frozen=True)
class Shown:
    """A number as it is written: its size, half of a unit of its last digit, and its scale."""

    value: Fraction
    half: Fraction
    unit: Fraction
    # The first two fields as floats, which exclude most values quickly.
    about: float = field(init=False, compare=False)
    slack: float = field(init=False, compare=False)

    def __post_init__(self) -> None:
        object.__setattr__(self, "about", float(self.value))
        object.__setattr__(self, "slack", float(self.half) + _FLOAT_ERROR * self.about)

    def shows(self, value: Fraction | None) -> bool:
        """Return whether the number is the value, exactly or rounded."""
        return value is not None and self.is_near(float(value)) and abs(value - self.value) <= self.half

    def is_near(self, size: float) -> bool:
        """Return whether the number may be a value of about this size."""
        return abs(size - self.about) <= self.slack

    def rounded(self, value: Fraction) -> Fraction:
        """Return another value, rounded to the precision of this number. A tie is rounded up."""
        step = 2 * self.half
        top, bottom = value.numerator * step.denominator, value.denominator * step.numerator
        return (2 * top + bottom) // (2 * bottom) * step


@lru_cache(maxsize=4096)
def shown(quantity: Quantity) -> Shown:
    """Return the number of a text as it is written."""
    digits = _digits(quantity)
    value = abs(FastFraction.of(quantity.value))
    unit = value / (numerals.parse(digits) or 1) if value else FastFraction(1)
    return Shown(value, unit / 10 ** len(digits.partition(".")[2]) / 2, unit)


def _digits(quantity: Quantity) -> str:
    """Return the digits of a number: "2.5" of "-$2.5 million"."""
    found = _NUMBER.search(quantity.text)
    return found[0].rstrip(".,") if found else quantity.text


class Origins:
    """The results that follow from the cells of a table, looked up by value."""

    def __init__(self, table: Sequence[Sequence[str]], read: Typed) -> None:
        self.table = table
        self.shares = read.cells(PERCENT)
        self.values = {cell: _signed(table, cell, quantity) for cell, quantity in read.numbers.items()}
        self._about = {cell: float(value) for cell, value in self.values.items()}
        self._by_size = sorted((abs(size), at, cell) for at, (cell, size) in enumerate(self._about.items()))
        self._sizes = [size for size, _, _ in self._by_size]
        self._pairs: tuple[list[tuple[Cell, Cell]], list[tuple[Cell, Cell]]] | None = None
        self._found: dict[str, tuple[list[float], list[tuple[Cell, Cell]]]] = {}

    def of(
        self, number: Shown, operations: Iterable[str], scales: Sequence[int] = (1,)
    ) -> list[tuple[Origin, int]]:
        """Return the origins of a number by these operations, each with the scale of the table."""
        found = []
        error = _FLOAT_ERROR * max(self._sizes, default=0.0)  # differences of large amounts
        for scale in scales:
            least = float((number.value - number.half) / scale) * (1 - _FLOAT_ERROR) - error
            most = float((number.value + number.half) / scale) * (1 + _FLOAT_ERROR) + error
            for _, operation, cells in self._between(least, most, operations):
                value = Origin(operation, cells).value(self.values)
                if value is not None and number.shows(value * scale):
                    exact = operation in _WITHOUT_REST and number.value == value * scale
                    found.append((Origin(operation, cells, exact), scale))
        return found

    def cells(self, number: Shown, scales: Sequence[int] = (1,)) -> list[tuple[Origin, int]]:
        """Return the cells that a number mentions, each with the scale.

        Exact mentions exclude rounded ones.
        """
        near = []
        for place, scale in enumerate(scales):
            least, most = (number.about - number.slack) / scale, (number.about + number.slack) / scale
            start = bisect_left(self._sizes, least * (1 - _FLOAT_ERROR))
            for size, at, cell in self._by_size[start : bisect_right(self._sizes, most * (1 + _FLOAT_ERROR))]:
                if abs(size * scale - number.about) <= number.slack:
                    near.append((at, place, cell, scale))
        near.sort()  # in table order
        found = [
            (Origin("cell", (cell,), number.value == abs(self.values[cell]) * scale), scale)
            for _, _, cell, scale in near
            if number.shows(abs(self.values[cell]) * scale)
        ]
        return [one for one in found if one[0].exact] or found

    def _between(
        self, least: float, most: float, operations: Iterable[str]
    ) -> list[tuple[float, str, tuple[Cell, Cell]]]:
        """Return the results of operations between two sizes, sorted by size."""
        found = []
        for operation in operations:
            sizes, cells = self._results(operation)
            start, end = bisect_left(sizes, least), bisect_right(sizes, most)
            if start < end:
                found += [(sizes[at], operation, cells[at]) for at in range(start, end)]
        return sorted(found)

    def _results(self, operation: str) -> tuple[list[float], list[tuple[Cell, Cell]]]:
        """Return the approximate results of an operation on two cells of a line, by size, and the cells."""
        known = self._found.get(operation)
        if known is None:
            in_rows, in_columns = self._cell_pairs()
            pairs = in_rows if operation in _OF_ROWS else in_rows + in_columns
            about, result = self._about, _OPERATIONS[operation]
            if operation in AMOUNT_OPERATIONS:
                made = [(abs(result(about[one], about[other])), (one, other)) for one, other in pairs]
            else:
                pairs = pairs + [(other, one) for one, other in pairs]
                made = [
                    (abs(result(about[one], about[other])), (one, other))
                    for one, other in pairs
                    if about[other]
                ]
            made = sorted(one for one in made if one[0])
            known = self._found[operation] = [size for size, _ in made], [cells for _, cells in made]
        return known

    def _cell_pairs(self) -> tuple[list[tuple[Cell, Cell]], list[tuple[Cell, Cell]]]:
        """Return the pairs of cells of each row and of each column. A table with too many cells has none."""
        if self._pairs is None:
            lines: tuple[dict[int, list[Cell]], dict[int, list[Cell]]] = {}, {}
            for cell in self.values if len(self.values) <= _MOST_CELLS else ():
                for axis in (0, 1):
                    lines[axis].setdefault(cell[axis], []).append(cell)
            in_rows, in_columns = (
                [pair for line in some.values() for pair in combinations(line, 2)] for some in lines
            )
            self._pairs = in_rows, in_columns
        return self._pairs


def _signed(table: Sequence[Sequence[str]], cell: Cell, quantity: Quantity) -> Fraction:
    before = table[cell[0]][cell[1]][: quantity.start]
    value = FastFraction.of(quantity.value)
    return -value if any(sign in before for sign in "(-−") else value


def belongs(origin: Origin, table: Sequence[Sequence[str]], sentence: str) -> bool:
    """Return whether a sentence names the row of each cell of an origin."""
    words = _words(sentence)
    return all(not words.isdisjoint(_words(table[row][0].lower())) for row, _ in origin.cells)


def names(origin: Origin, table: Sequence[Sequence[str]], sentence: str) -> bool:
    """Return whether a sentence names the row or the column of each cell of an origin."""
    words = _words(sentence)
    heads = (f"{table[row][0]} {table[0][column]}".lower() for row, column in origin.cells)
    return all(not words.isdisjoint(_words(head)) for head in heads)


# Several numbers of a sentence have several origins in one row.
@lru_cache(maxsize=4096)
def _words(text: str) -> frozenset[str]:
    return frozenset(_WORD.findall(text))


@lru_cache(maxsize=1024)
def sentence_at(text: str, start: int, end: int) -> str:
    """Return the sentence of a text around a position, in lower case."""
    since = max(0, start - _SENTENCE_REACH)
    first = max((match.end() for match in _SENTENCE.finditer(text, since, start)), default=since)
    last = _SENTENCE.search(text, end)
    return text[first : last.start() if last else len(text)].lower()


def agreed(found: Sequence[tuple[Origin, int]], number: Shown, new: Values) -> Fraction | None:
    """Return the new value of a number by all of its origins. Return None if they differ or there is none."""
    values = {origin.value(new) for origin, _ in found} if len({scale for _, scale in found}) < 2 else {None}
    if None in values or not values:
        return None
    scale, exact = found[0][1], all(origin.exact for origin, _ in found)
    sizes = {
        value * scale if exact else number.rounded(value * scale) for value in values if value is not None
    }
    return sizes.pop() if len(sizes) == 1 else None


def rewritten(
    problem: Problem,
    text: str,
    new: Sequence[tuple[Quantity, Fraction]],
    rough: Container[int] = frozenset(),
) -> str:
    """Return a text of the problem with a new size for each of these numbers, in the format of the old one.

    Numbers that start at a position of `rough` may have one decimal less.
    """
    mark = grouping(problem)
    return splice(
        text, [Edit(one.start, one.end, _written(one, value, mark, one.start in rough)) for one, value in new]
    )


def _written(quantity: Quantity, new: Fraction, mark: str, rough: bool) -> str:
    digits = _digits(quantity)
    at = quantity.text.index(digits)
    size = new / shown(quantity).unit
    whole, _, decimals = digits.partition(".")
    if rough and decimals and (size * 10 ** (len(decimals) - 1)).denominator == 1:
        like = f"{whole}.{decimals[:-1]}".rstrip(".")
        like = f"{mark}{like}" if len(whole) <= 3 else like
        return f"{quantity.text[:at]}{numerals.digits(size, like=like)}{quantity.text[at + len(digits) :]}"
    # The format of a short number does not show how its author groups thousands.
    like = f"{mark}{digits}" if len(digits.partition(".")[0]) <= 3 else digits
    return f"{quantity.text[:at]}{numerals.digits(size, like=like)}{quantity.text[at + len(digits) :]}"


def grouping(problem: Problem) -> str:
    """Return the thousands separator: a comma, or nothing if the table or lower-case text has none.

    >>> grouping(Problem("1", "Sales were 1,200.", "", table=(("", "2019"), ("Costs", "980"))))
    ','
    >>> grouping(Problem("1", "sales were $ 980 .", "", table=(("", "2019"), ("costs", "980"))))
    ''
    """
    return _grouping(problem.table, problem.body)


@memoized
def _grouping(table: tuple[tuple[str, ...], ...], body: str) -> str:
    cells = [cell for row in table[1:] for cell in row if not is_year(cell)]
    if any(map(_UNGROUPED.fullmatch, cells)):
        return ""
    is_folded = body != "" and body == body.lower()  # tokenised text without commas
    return "" if is_folded and not any(map(_GROUPED.search, (*cells, body))) else ","


def with_history(problem: Problem, origins: Origins, new: Values) -> Problem | None:
    """Return the problem with a history that agrees with new cells. Return None if a number cannot be stated.

    An earlier answer mentions a cell or a result of two cells, or is the result of its own equation.
    """
    if not problem.history:
        return problem
    equations = _turn_equations(problem)
    changes = {}
    for at, turn in enumerate(problem.history):
        for part, text in zip(turn._fields, turn, strict=True):
            moved = _moved_turn(problem, text, part, equations[at] if part == "answer" else "", origins, new)
            if moved is None:
                return None
            changes[f"history.{at}.{part}"] = moved
    return problem.with_texts(changes) if changes else problem


def _moved_turn(
    problem: Problem, text: str, part: str, equation: str, origins: Origins, new: Values
) -> str | None:
    small = reports.folded(text)
    edits = []
    for quantity in numerals.find(text):
        if quantity.kind in _NAMING_KINDS or not quantity.text[-1:].isascii():
            continue
        number = shown(quantity)
        if (
            part == "question"
            and not reports.is_amount(small, quantity.start, quantity.end)
            and not _repeats_cell(quantity, number, origins)
        ):
            continue
        value = _by_equation(equation, number, origins, new) if equation else None
        if not equation:
            value = _by_origin(text, quantity, number, origins, new)
        if value is None or not quantity.in_digits or not value:
            return None
        edits.append((quantity, value))
    return rewritten(problem, text, edits)


def _repeats_cell(quantity: Quantity, number: Shown, origins: Origins) -> bool:
    """Return whether a number of several digits is exactly a figure of the table: "Is 842 the revenue?"."""
    long = sum(map(str.isdigit, quantity.text)) > _SHORT and not is_year(quantity.text)
    return long and any(origin.exact for origin, _ in origins.cells(number))


def _by_origin(
    text: str, quantity: Quantity, number: Shown, origins: Origins, new: Values
) -> Fraction | None:
    """Return the new size of a number of the history, on which all of its origins agree."""
    share = quantity.kind == "percent" or text[quantity.end : quantity.end + 2].strip().startswith("%")
    found = origins.cells(number) + origins.of(number, SHARE_OPERATIONS if share else _OPERATIONS)
    return agreed([one for one in found if one[0].exact] or found, number, new)


def _by_equation(equation: str, number: Shown, origins: Origins, new: Values) -> Fraction | None:
    """Return the new size of an earlier result. Each operand of its equation must be a cell or a constant."""
    try:
        parsed = expression.parse(equation)
        factor = next((by for by in (1, 100) if number.shows(abs(parsed.value() * by))), None)
        moves = operand_moves(parsed, origins, new)
        if factor is None or moves is None:
            return None
        moved = parsed.replace(lambda leaf: expression.number(moves.get(leaf.value(), leaf.value())))
        return number.rounded(abs(moved.value() * factor))
    except ExpressionError:
        return None


def operand_moves(
    equation: expression.Expr, origins: Origins, new: Values
) -> dict[Fraction, Fraction] | None:
    """Return the new size of each operand that a cell states.

    Return None if cells differ, or if a constant equals a cell that changes.
    """
    fixed = operand_links.constants(equation)
    moves: dict[Fraction, Fraction] = {}
    for value in operand_links.operand_values(equation):
        after = {abs(new[cell]) for cell, size in origins.values.items() if abs(size) == value}
        if len(after) > 1 or (value in fixed and after - {value}) or (value not in fixed and not after):
            return None
        moves[value] = after.pop() if after else value
    return moves


def _turn_equations(problem: Problem) -> list[str]:
    """Return the equation of each earlier turn, if the source gives one."""
    turns = json.loads(problem.note("turns") or "[]")
    found = [str(turn.get("equation") or "") for turn in turns]
    return found if len(found) == len(problem.history) else [""] * len(problem.history)
