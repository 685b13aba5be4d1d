"""Rules as a baseline for readers of tables: keywords give the operator, words the row, years the columns."""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from fractions import Fraction
from typing import Any, ClassVar

from torch import nn

from dnc_datasets.problem import Problem
from dnc_trainers import readers
from dnc_trainers.readers import tables
from dnc_trainers.readers.encoding import Pieces
from dnc_trainers.readers.programs import execute
from dnc_trainers.readers.reader import Batch, Reader
from dnc_trainers.readers.replies import Reading, Reply

_YEAR = re.compile(r"\b(?:19|20)\d\d\b")
_CHANGE_RATIO = re.compile(
    r"percent(?:age)? (?:change|increase|decrease|growth)|% (?:change|increase|decrease)|growth rate|"
    r"rate of (?:increase|decrease|change)|percentage of (?:increase|decrease|change)",
    re.IGNORECASE,
)
_RATIO = re.compile(r"\bratio\b|\bproportion\b|\bpercent(?:age)?\b|\bshare of\b|\bdivided\b|%", re.IGNORECASE)
_PERCENT = re.compile(r"\bpercent(?:age)?\b|\bproportion\b|%", re.IGNORECASE)
_AVERAGE = re.compile(r"\baverage\b|\bmean\b", re.IGNORECASE)
_SUM = re.compile(r"\btotal\b|\bsum\b|\bcombined\b|\btogether\b", re.IGNORECASE)
_DIFFERENCE = re.compile(
    r"\bchange|\bdifference|\bincrease|\bdecrease|\bmore\b|\bless\b|\bhigher\b|\blower\b|\bexceed|\bgrow",
    re.IGNORECASE,
)
_FROM_TO = re.compile(r"\bfrom\b|\bbetween\b|\bin\b|\bover\b|\bcompared\b|\bduring\b", re.IGNORECASE)


def operator_of(question: str) -> tuple[str, str]:
    """Return the operator and the scale that a question's keywords name.

    >>> operator_of("What was the percentage change in sales between 2018 and 2019?")
    ('change_ratio', 'percent')
    """
    if _AVERAGE.search(question):
        return "average", ""
    if _CHANGE_RATIO.search(question):
        return "change_ratio", "percent"
    if _RATIO.search(question) and not _DIFFERENCE.search(question):
        return "ratio", "percent" if _PERCENT.search(question) else ""
    if _SUM.search(question) and not _DIFFERENCE.search(question):
        return "sum", ""
    return "difference", ""


def answer(problem: Problem) -> Reply:
    """Return the reply of the rules; empty if they find fewer than two numbers."""
    operator, scale = operator_of(problem.question)
    operands = _operands(problem, operator)
    return execute(operator, operands, scale) if len(operands) > 1 else Reply()


def _operands(problem: Problem, operator: str) -> list[Fraction]:
    rows = _rows_by_match(problem)
    if not rows:
        return []
    columns = _columns_by_year(problem)
    if operator in ("ratio", "sum") and len(rows) > 1:
        column = columns[0][1] if columns else 1
        values = [_value_at(problem, row, column) for row in sorted(rows[:2])]
        return [value for value in values if value is not None]
    if len(columns) > 1:
        years = {year for year, _ in columns}
        if operator in ("average", "sum"):
            wanted = [column for _, column in columns]
        else:
            # The later year comes first, as in a change from the earlier one.
            by_year = sorted(columns, reverse=True)
            wanted = [by_year[0][1], by_year[-1][1]]
        values = [_value_at(problem, rows[0], column) for column in wanted]
        operands = [value for value in values if value is not None]
        if len(operands) == len(wanted) and len(years) > 1:
            return operands
    if len(columns) == 1 and len(rows) > 1:
        values = [_value_at(problem, row, columns[0][1]) for row in rows[:2]]
        return [value for value in values if value is not None]
    amounts = [value for cell in problem.table[rows[0]][1:] if (value := tables.cell_value(cell)) is not None]
    return amounts if operator == "average" else amounts[:2]


def _rows_by_match(problem: Problem) -> list[int]:
    """Return the rows with amounts whose headings share words with the question, best first."""
    question = frozenset(tables.content(problem.question))
    matches = []
    for row, cells in enumerate(problem.table):
        if any(tables.is_amount(cell) for cell in cells[1:]):
            of_row, of_question = tables.overlap(tables.row_heading(cells), question)
            if of_row:
                matches.append((-(of_row + of_question), row))
    return [row for _, row in sorted(matches)]


def _columns_by_year(problem: Problem) -> list[tuple[str, int]]:
    """Return the first column of each year in the question, in its order; year ranges are expanded."""
    named = list(dict.fromkeys(_YEAR.findall(problem.question)))
    if len(named) == 2 and re.search(rf"{named[0]} ?[-–] ?{named[1]}", problem.question):
        first, last = sorted(map(int, named))
        named = [str(year) for year in range(first, last + 1)] if last - first < 8 else named
    width = max(map(len, problem.table), default=0)
    headings = {column: tables.column_heading(problem.table, column) for column in range(1, width)}
    pairs = []
    for year in named:
        for column, heading in headings.items():
            if year in heading:
                pairs.append((year, column))
                break
    return pairs


def _value_at(problem: Problem, row: int, column: int) -> Fraction | None:
    cells = problem.table[row]
    return tables.cell_value(cells[column]) if column < len(cells) else None


@dataclass(frozen=True)
class _Example:
    """A problem without ids, since the rules read none."""

    problem: Problem
    ids: tuple[int, ...] = (0,)
    labels: None = None


@readers.register("table_rules", Reading(reader="table_rules", epochs=1))
class TableRules(Reader):
    """The rules as a reader without trainable weights."""

    learns: ClassVar[bool] = False

    def __init__(self, config: Reading, pieces: Pieces) -> None:
        nn.Module.__init__(self)
        self.config, self.pieces = config, pieces

    @classmethod
    def words(cls, problem: Problem) -> Iterable[str]:
        return ()

    def example(self, problem: Problem) -> Any:
        return _Example(problem)

    def replies(self, batch: Batch) -> list[Reply]:
        examples: Sequence[_Example] = batch.examples
        return [answer(one.problem) for one in examples]
