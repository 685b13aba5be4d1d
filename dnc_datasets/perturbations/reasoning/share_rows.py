"""Questions about a share of one row in another: for each of the two figures, and for their difference."""

from __future__ import annotations

import re
from fractions import Fraction
from typing import Final, NamedTuple

from dnc_datasets import expression, operand_links
from dnc_datasets.english.rewording.share_questions import Share, share
from dnc_datasets.errors import ExpressionError
from dnc_datasets.expression import Binary, Number
from dnc_datasets.perturbations.table_logic import has_scale
from dnc_datasets.perturbations.tables.periods import year_at, years
from dnc_datasets.perturbations.tables.yearly import figure_of
from dnc_datasets.problem import Problem
from dnc_datasets.tables.relations import signed

_WORD: Final = re.compile(r"[a-z0-9]+")
_NOTE: Final = re.compile(r"\(\w{1,2}\)")
_SMALL: Final = frozenset("the of a an and its s".split())
_SCALES: Final = frozenset(("", "thousand", "million", "billion"))
_TOTAL: Final = re.compile(r"\btotals?\b", re.IGNORECASE)
_HUNDRED: Final = 100


class ShareOfRows(NamedTuple):
    """A share of two rows in one column, where the labels name the part and the total."""

    asked: Share
    part: Fraction
    whole: Fraction
    unit: str
    alone: bool  # whether label and period identify one cell of each row

    def figures(self) -> list[tuple[str, Fraction]]:
        """Return the questions for part and total with their values, where each names one cell."""
        if not self.alone:
            return []
        found = []
        for words, value in ((self.asked.part, self.part), (self.asked.whole, self.whole)):
            named = figure_of(re.sub(r"\A(?:the|its) ", "", words))
            if named is not None and value:
                verb = "were" if named[1] else "was"
                found.append((self._written(f"what {verb} {named[0]}"), value))
        return found

    def difference(self) -> tuple[str, Binary] | None:
        """Return the question for the difference of total and part, or None where no label names them."""
        names = [
            figure_of(re.sub(r"\A(?:the|its) ", "", words)) for words in (self.asked.whole, self.asked.part)
        ]
        if self.whole <= self.part or names[0] is None or names[1] is None:
            return None
        question = self._written(f"what was the difference between {names[0][0]} and {names[1][0]}")
        return question, Binary("-", expression.number(self.whole), expression.number(self.part))

    def _written(self, question: str) -> str:
        period = f" {self.asked.period}" if self.asked.period else ""
        start = question[0].upper() if self.asked.capital else question[0]
        return f"{start}{question[1:]}{period}?"


def read(problem: Problem) -> ShareOfRows | None:
    """Return the rows of a share of one amount in another, or None unless each name fits exactly one row."""
    if not problem.equation or problem.note("defect") or problem.history or problem.unit != "percent":
        return None
    asked = share(problem.question)
    cells = _cells(problem)
    if asked is None or cells is None or not asked.part:
        return None
    (row, column), (other, beside) = cells
    unit = problem.note("table_scale")
    if column != beside or row == other or unit not in _SCALES or not has_scale(problem, unit):
        return None
    if row_of(problem, asked.part) != row or row_of(problem, asked.whole) != other:
        return None
    part, whole = (signed(problem.table[at][column].strip()) for at in (row, other))
    if part is None or whole is None or min(part, whole) <= 0:
        return None
    named = years(asked.period)
    heads = [cells[column] for cells in problem.table[: min(row, other)] if column < len(cells)]
    if named and year_at(problem, f"table.{row}.{column}") not in named:
        return None
    amounts = [
        at for at in range(1, len(problem.table[row])) if signed(problem.table[row][at].strip()) is not None
    ]
    if named:
        same = [at for at in amounts if year_at(problem, f"table.{row}.{at}") in named]
    else:
        same = [column] if _TOTAL.search(" ".join(heads)) else amounts
    return ShareOfRows(asked, part, whole, unit, same == [column])


def _cells(problem: Problem) -> list[tuple[int, int]] | None:
    """Return the cells of part and total of an equation part / total * 100."""
    try:
        equation = expression.parse(problem.equation)
    except ExpressionError:
        return None
    if not isinstance(equation, Binary) or equation.op != "*" or equation.right.infix() != str(_HUNDRED):
        return None
    inner = equation.left
    if not isinstance(inner, Binary) or inner.op != "/":
        return None
    if not isinstance(inner.left, Number) or not isinstance(inner.right, Number):
        return None
    stored = operand_links.stored(problem)
    links = [stored.get(side.number, "") for side in (inner.left, inner.right)]
    if not all(link.startswith("table.") for link in links):
        return None
    return [(int(row), int(column)) for row, column in (link.split(".")[1:] for link in links)]


def row_of(problem: Problem, name: str) -> int | None:
    """Return the only row whose label has exactly the words of a name."""
    wanted = _words(name)
    found = [
        row for row, cells in enumerate(problem.table) if cells and wanted and _words(cells[0]) == wanted
    ]
    return found[0] if len(found) == 1 else None


def _words(text: str) -> frozenset[str]:
    return frozenset(word.removesuffix("s") for word in _WORD.findall(_NOTE.sub("", text).lower())) - _SMALL
