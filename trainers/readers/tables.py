"""A table with its paragraphs as taggable units (cells and words), cut to the question's best matches."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass
from fractions import Fraction
from functools import lru_cache

from dnc_datasets import numerals, operand_links
from dnc_datasets.perturbations.numbers.amounts import is_year
from dnc_datasets.problem import Problem
from dnc_trainers.representation import stem

FEATURES = 9  # number of values per unit in `question_match`
_MAX_HEADING_ROWS = 4
_EDGES = " .,;:?!()[]\"'“”‘’$%*"
_EMPTY_WORDS = frozenset(
    "a an and are as at be been between by did do does for from had has have how in is it its much many of on "
    "or over respective respectively than that the their there these this to was were what when which who "
    "will with would change difference average total sum percentage percent ratio increase decrease company "
    "year years ended end value amount both each".split()
)


@dataclass(frozen=True)
class Unit:
    """A cell, or a word of a paragraph, with its number and the link by which operands refer to it."""

    link: str  # table.3.2, or body.1.0 for the first word of number 0 in paragraph 1
    words: tuple[str, ...]
    value: Fraction | None
    row: int = -1  # of the table; -1 in a paragraph
    column: int = -1
    paragraph: int = -1
    place: int = -1  # the word's index in its paragraph

    @property
    def text(self) -> str:
        """Return the unit's text."""
        return " ".join(self.words)


@dataclass(frozen=True)
class Line:
    """A table row or a sentence, the unit of truncation."""

    units: tuple[Unit, ...]
    score: float
    heading: bool = False


def content(text: str) -> list[str]:
    """Return the stems of a text's content words.

    >>> content("What was the change in total Revenues, 2019?")
    ['revenu', '2019']
    """
    words = (word.strip(_EDGES).lower() for part in text.split() for word in _parts(part))
    return [stem(word) for word in words if word and word not in _EMPTY_WORDS]


def _parts(word: str) -> list[str]:
    for mark in "/-–—":
        word = word.replace(mark, " ")
    return word.split()


@lru_cache(maxsize=1 << 16)
def cell_value(cell: str) -> Fraction | None:
    """Return the number of a cell with exactly one; in brackets it is negative, as in reports.

    >>> [str(cell_value(cell)) for cell in ("$1,865", "(56)", "—", "5.3%")]
    ['1865', '-56', 'None', '53/10']
    """
    quantities = numerals.find(cell)
    if len(quantities) != 1:
        return None
    bare = cell.strip().lstrip("$€£¥ ")
    bracketed = bare.startswith("(") and ")" in bare and not any(c.isalpha() for c in bare)
    return -abs(quantities[0].value) if bracketed else quantities[0].value


def is_amount(cell: str) -> bool:
    """Return whether the cell is a number other than a year, without other text."""
    bare = cell.strip().lstrip("$€£¥( ").rstrip("%) *")
    return bool(bare) and cell_value(cell) is not None and not is_year(bare) and bare[0].isdigit()


def heading_rows(table: Sequence[Sequence[str]]) -> int:
    """Return the number of heading rows, those above the first amounts.

    >>> heading_rows((("", "2019", "2018"), ("Sales", "7", "9")))
    1
    """
    for at, row in enumerate(table[:_MAX_HEADING_ROWS]):
        if any(is_amount(cell) for cell in row[1:]):
            return at
    return min(1, len(table))


def column_heading(table: Sequence[Sequence[str]], column: int) -> str:
    """Return the headings above a column; a heading over several columns is in the first of them."""
    parts = []
    for row in table[: heading_rows(table)]:
        at = min(column, len(row) - 1)
        while at > 1 and not row[at].strip():
            at -= 1
        if at >= 0 and row[at].strip() and (at == column or at >= 1):
            parts.append(row[at])
    return " ".join(parts)


def row_heading(row: Sequence[str]) -> str:
    """Return the first cell of a row that is not an amount."""
    return next((cell for cell in row if cell.strip() and not is_amount(cell)), "")


def overlap(text: str, asked: frozenset[str]) -> tuple[float, float]:
    """Return the share of the text's words in the question, and of the question's words in the text."""
    stems = set(content(text))
    both = len(stems & asked)
    return (both / len(stems) if stems else 0.0), (both / len(asked) if asked else 0.0)


def lines(problem: Problem) -> list[Line]:
    """Return every row and sentence in reading order, scored by its match with the question."""
    question = frozenset(content(problem.question))
    result = []
    tops = heading_rows(problem.table)
    for row, cells in enumerate(problem.table):
        units = tuple(
            Unit(f"table.{row}.{column}", tuple(cell.split()), cell_value(cell), row, column)
            for column, cell in enumerate(cells)
            if cell.strip()
        )
        of_it, of_question = overlap(row_heading(cells), question)
        result.append(Line(units, of_it + of_question, heading=row < tops))
    for number, paragraph in enumerate(operand_links.paragraphs(problem.body)):
        for sentence in _sentences(_words(paragraph, number)):
            of_it, of_question = overlap(" ".join(unit.text for unit in sentence), question)
            # A sentence has many words, so its coverage of the question has the larger weight.
            result.append(Line(tuple(sentence), 0.5 * of_it + of_question - 0.05))
    return [line for line in result if line.units]


def _words(paragraph: str, number: int) -> list[Unit]:
    """Return the words of a paragraph; the first word of a number has its value and link."""
    starts = {quantity.start: at for at, quantity in enumerate(numerals.find(paragraph))}
    quantities = numerals.find(paragraph)
    units, at = [], 0
    for place, word in enumerate(paragraph.split()):
        at = paragraph.index(word, at)
        inside = [starts[here] for here in range(at, at + len(word)) if here in starts]
        value = quantities[inside[0]].value if inside else None
        link = f"body.{number}.{inside[0]}" if inside else ""
        units.append(Unit(link, (word,), value, paragraph=number, place=place))
        at += len(word)
    return units


def _sentences(words: list[Unit]) -> Iterable[list[Unit]]:
    part: list[Unit] = []
    for unit in words:
        part.append(unit)
        if unit.words[0][-1] in ".;" and len(part) > 3:
            yield part
            part = []
    if part:
        yield part


def kept(problem: Problem, cost: Callable[[str], int], budget: int) -> tuple[list[Line], list[Line]]:
    """Return the rows and sentences that fit in reading order, chosen by their match; and the cut ones.

    Headings have priority.
    """
    every = lines(problem)
    order = sorted(range(len(every)), key=lambda at: (not every[at].heading, -every[at].score, at))
    chosen, left = set(), budget
    for at in order:
        price = sum(cost(word) for unit in every[at].units for word in unit.words)
        if price <= left:
            left -= price
            chosen.add(at)
    return [every[at] for at in sorted(chosen)], [every[at] for at in range(len(every)) if at not in chosen]


def headings(problem: Problem, units: Sequence[Unit]) -> tuple[tuple[int, ...], ...]:
    """Return, for each numeric cell, the units of its row heading and column headings."""
    at = {(unit.row, unit.column): place for place, unit in enumerate(units) if unit.row >= 0}
    tops = heading_rows(problem.table)
    heading_units = []
    for unit in units:
        heads = []
        if unit.row >= 0 and unit.value is not None:
            row = problem.table[unit.row]
            before = next((c for c, cell in enumerate(row) if cell.strip() and not is_amount(cell)), None)
            heads = [(unit.row, before)] if before is not None and before != unit.column else []
            for top in range(tops):
                column = min(unit.column, len(problem.table[top]) - 1)
                while column > 1 and not problem.table[top][column].strip():
                    column -= 1
                heads.append((top, column))
        heading_units.append(
            tuple(at[head] for head in heads if head in at and head != (unit.row, unit.column))
        )
    return tuple(heading_units)


def question_match(problem: Problem, units: Sequence[Unit]) -> Iterator[tuple[float, ...]]:
    """Yield the match of each unit's headings with the question."""
    words = content(problem.question)
    stems = frozenset(words)
    rows = {row: overlap(row_heading(cells), stems) for row, cells in enumerate(problem.table)}
    best = max((sum(found) for found in rows.values()), default=0.0)
    columns = {
        column: column_heading(problem.table, column)
        for column in range(max(map(len, problem.table), default=0))
    }
    for unit in units:
        if unit.row < 0:
            in_question = float(not stems.isdisjoint(content(unit.text)))
            yield (0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, in_question, float(unit.value is not None))
            continue
        of_row, of_question = rows[unit.row]
        heading = columns.get(unit.column, "")
        of_column, _ = overlap(heading, stems)
        named = [words.index(word) for word in content(heading) if word in stems]
        first, last = (min(named), max(named)) if named else (-1, -1)
        yield (
            of_row,
            of_question,
            float(bool(best) and of_row + of_question == best),
            of_column,
            float(bool(named)),
            (first + 1) / (len(words) + 1),
            (last + 1) / (len(words) + 1),
            1.0,
            float(unit.value is not None),
        )
