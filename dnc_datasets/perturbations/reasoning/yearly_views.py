"""Other readings of a question over years: from its wording, its equation or its percentages."""

from __future__ import annotations

import re
from collections.abc import Iterator
from fractions import Fraction

from dnc_datasets import expression, operand_links
from dnc_datasets.english.lexicon import MONTH
from dnc_datasets.english.rewording.table_questions import noun_forms
from dnc_datasets.errors import ExpressionError
from dnc_datasets.expression import Expr, Number
from dnc_datasets.graph import pair_of, relative_change
from dnc_datasets.perturbations.tables.periods import asks_forward, year_at, years
from dnc_datasets.perturbations.tables.yearly import AVERAGE, CHANGE, GROWTH, Yearly, yearly
from dnc_datasets.problem import Problem

_COUNTED_YEARS = re.compile(r"\((?P<last>(?:19|20)\d\d) - (?P<first>(?:19|20)\d\d) \+ 1\)")
_IN_PERCENT = re.compile(r"(?P<number>\d[\d.]{0,20})%")
_SHARE_CELL = re.compile(r"\(?\d[\d,]{0,12}(?:\.\d{1,6})? ?%\)?")
_TIMES_HUNDRED = re.compile(r"(?P<inner>\(.{1,200}\)(?: / \d{1,2})?) \* 100\Z")


_DATE_WORD = re.compile(rf"\b(?:{MONTH}|\d{{1,4}}|of|at|as|ended|ending)\b|[,. ]", re.IGNORECASE)


def read_any(problem: Problem) -> Yearly | None:
    """Return the first certain reading of a question over years: of amounts, of rates, or of a change."""
    return read(problem) or read_rates(problem) or read_change(problem)


def read(problem: Problem) -> Yearly | None:
    """Return the reading of a question over years: unchanged, in another wording, or with percentages."""
    if not problem.equation or problem.note("defect") or problem.history:
        return None
    by_column = turned(problem)
    for view in (*views(problem), *(views(by_column) if by_column else ())):
        asked = yearly(view)
        if asked is not None:
            # "the opening balance, in 2018" is no phrase.
            return asked if asked.figure[-1:] not in ",;:-" else None
    return None


def read_change(problem: Problem) -> Yearly | None:
    """Return the reading of a change between two years, for figures of the text or of another row.

    The question identifies the earlier year, and the equation the number of the earlier year. A cell in the
    column of another year rules the reading out.
    """
    if not problem.equation or problem.note("defect") or problem.history:
        return None
    try:
        equation = expression.parse(problem.equation)
    except ExpressionError:
        return None
    pair = relative_change(equation) or pair_of(equation, "-")
    named = years(problem.question)
    if pair is None or not all(isinstance(side, Number) for side in pair) or len(named) != 2:
        return None
    first, second = sorted(set(named)) if len(set(named)) == 2 else (0, 0)
    if not first or not asks_forward(problem.question):
        return None
    if not relative_change(equation) and (named[0] > named[1] or pair[0].value() <= pair[1].value()):
        return None  # a difference may have no sign
    if any(_PART_OF_A_YEAR.search(cell) for cells in problem.table[:_HEADINGS] for cell in cells):
        return None  # a quarter is not the year
    stored = operand_links.stored(problem)
    for side, year in zip(pair, (second, first), strict=True):
        link = stored.get(side.value(), "")
        if link.startswith("table.") and year_at(problem, link) != year:
            return None
    label = _NO_LABEL.sub(" ", " ".join(problem.question.split()))
    values = [expression.canonical(side.value()) for side in pair]
    links = {pair[0].value(): "table.1.2", pair[1].value(): "table.1.1"}
    meta = {**dict(problem.meta), "operands": operand_links.to_note({**stored, **links})}
    table = (("", str(first), str(second)), (label, values[1], values[0]))
    small = problem.replace(table=table, meta=tuple(sorted(meta.items())))
    for view in views(small):
        asked = yearly(view)
        if asked is not None and asked.operation in (CHANGE, GROWTH):
            return asked if not set(",;:") & set(asked.figure) else None
    return None


_HEADINGS = 3  # rows
_PART_OF_A_YEAR = re.compile(
    r"\bquarters?\b|(?<!twelve )(?<!12 )\bmonths?\b|(?<!52 )(?<!53 )\bweeks?\b|\bhalf\b|\bq[1-4]\b|\bh[12]\b",
    re.IGNORECASE,
)
# Words that are no part of a label: numbers, and the words for the operation.
_NO_LABEL = re.compile(
    r"\b(?:changes?|increases?|decreases?|growth|difference|variance|total|\d+)\b|[^A-Za-z ]", re.IGNORECASE
)


def views(problem: Problem) -> Iterator[Problem]:
    """Yield a problem and its other forms of question and equation."""
    yield problem
    counted = _with_counted_years(problem)
    if counted is not problem:
        yield counted
    try:
        relative = relative_change(expression.parse(counted.equation)) is not None
    except ExpressionError:
        return
    for question in noun_forms(problem.question, relative=relative, averaged_years=_operand_years(problem)):
        yield counted.replace(question=question)


def turned(problem: Problem) -> Problem | None:
    """Return the problem with the table transposed, where the labels of its rows are the years.

    Return None unless the operands are below the name of one column, each in a row of another year.
    """
    stored = operand_links.stored(problem)
    places = [link.split(".")[1:] for link in stored.values() if link.startswith("table.")]
    columns = {int(column) for _, column in places}
    if len(places) < 2 or len(columns) != 1 or len({len(cells) for cells in problem.table}) != 1:
        return None
    (column,) = columns
    labels = [years(problem.table[int(row)][0]) for row, _ in places]
    things = {_DATE_WORD.sub("", problem.table[int(row)][0].lower()).strip() for row, _ in places}
    if any(len(set(named)) != 1 for named in labels) or years(problem.table[0][column]) or len(things) > 1:
        return None  # "granted in 2018" and "vested in 2019" are two things
    links = {
        value: ".".join(("table", *link.split(".")[:0:-1])) if link.startswith("table.") else link
        for value, link in stored.items()
    }
    meta = {**dict(problem.meta), "operands": operand_links.to_note(links)}
    return problem.replace(table=tuple(zip(*problem.table, strict=True)), meta=tuple(sorted(meta.items())))


def read_rates(problem: Problem) -> Yearly | None:
    """Return the reading of a question over years of a row that holds percentages, with the percentages as numbers.

    It covers averages of rates and changes in points. `read` covers a change in percent where it can.
    """
    view = _as_amounts(problem)
    asked = read(view) if view is not None else None
    return asked if asked is not None and asked.operation in (AVERAGE, CHANGE, GROWTH) else None


def _with_counted_years(problem: Problem) -> Problem:
    """Return the problem with the number of years in place of "2019 - 2017 + 1"."""
    found = _COUNTED_YEARS.search(problem.equation)
    if found is None:
        return problem
    count = int(found["last"]) - int(found["first"]) + 1
    equation = f"{problem.equation[: found.start()]}{count}{problem.equation[found.end() :]}"
    spare = {Fraction(int(found["last"])), Fraction(int(found["first"])), Fraction(1)}
    return _relinked(problem.replace(equation=equation), spare, Fraction(count))


def _relinked(problem: Problem, spare: set[Fraction], constant: Fraction) -> Problem:
    links = {value: link for value, link in operand_links.stored(problem).items() if value not in spare}
    links[constant] = operand_links.CONSTANT
    meta = {**dict(problem.meta), "operands": operand_links.to_note(links)}
    return problem.replace(meta=tuple(sorted(meta.items())))


def _operand_years(problem: Problem) -> tuple[int, ...]:
    """Return the years of the cells that operands are linked to."""
    links = operand_links.stored(problem).values()
    found = {year_at(problem, link) for link in links if link.startswith("table.")}
    return tuple(sorted(year for year in found if year is not None))


def _as_amounts(problem: Problem) -> Problem | None:
    """Return the problem with the percentages of its row as plain numbers, or None without them."""
    if problem.unit != "percent" or not problem.equation:
        return None
    try:
        equation = _in_points(expression.parse(problem.equation), problem.equation)
    except ExpressionError:
        return None
    rows = {
        int(link.split(".")[1])
        for link in operand_links.stored(problem).values()
        if link.startswith("table.")
    }
    if len(rows) != 1 or equation is None:
        return None
    (row,) = rows
    cells = problem.table[row]
    if not any(_SHARE_CELL.fullmatch(cell) for cell in cells[1:]):
        return None
    plain = tuple(cell.replace("%", "").strip() if _SHARE_CELL.fullmatch(cell) else cell for cell in cells)
    table = tuple(plain if at == row else other for at, other in enumerate(problem.table))
    unit = "percent" if relative_change(expression.parse(equation)) else ""
    return problem.replace(table=table, equation=equation, unit=unit)


def _in_points(tree: Expr, equation: str) -> str | None:
    """Return an equation of percentages in points: "(2.9% + 3.8%) / 2 * 100" as "(2.9 + 3.8) / 2"."""
    if "%" not in equation:
        return equation
    found = _TIMES_HUNDRED.fullmatch(equation)
    plain = _IN_PERCENT.sub(r"\g<number>", found["inner"]) if found else ""
    return plain if plain and expression.parse(plain).value() == tree.value() else None
