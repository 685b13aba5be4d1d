"""Short counts and round amounts of a text that state a cell, or a total, difference or average of cells.

A number of one or two digits equals some cell by chance. It states the cell if its sentence names the row, or
names the column and the number is not tiny. It states a result if the sentence has a word for it: "in all",
"grew by".
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from fractions import Fraction
from itertools import combinations
from typing import Final, NamedTuple

from dnc_datasets.english.reading.report_words import words
from dnc_datasets.memoization import memoized
from dnc_datasets.numerals import Quantity
from dnc_datasets.perturbations.tables.document import Origin, Origins, Shown, sentence_at
from dnc_datasets.tables.relations import Cell

_YEAR: Final = re.compile(r"\b(?:19|20)\d\d\b")
_TOTAL: Final = re.compile(
    r"\bin all\b|\baltogether\b|\b(?:in )?total(?:led|ed|ling|ing|s)?\b|\bcombined\b|\btogether\b|\boverall\b|\bboth\b|"
    r"\bsum\b|\baggregate\b",
    re.IGNORECASE,
)
_CHANGE: Final = re.compile(
    r"\b(?:in|de)creas\w*|\bchanged?\b|\bdifference\b|\bgrew\b|\bgrown\b|\bgrowth\b|\brose\b|\brisen\b|\bfell\b|\bfallen\b|"
    r"\bdeclin\w*|\bdropped\b|\bgained?\b|\blost\b|\badded\b|\bup\b|\bdown\b|\bmore\b|\bfewer\b|\bless\b|\bhigher\b|"
    r"\blower\b|\bextra\b|\badditional\b|\bnew\b",
    re.IGNORECASE,
)
_COMPARES: Final = re.compile(
    r"\bexceed|\b(?:more|fewer|less|higher|lower|larger|smaller|greater) than\b|\b(?:above|below|over)\b",
    re.IGNORECASE,
)
_AVERAGE: Final = re.compile(r"\baverag\w*|\bmean\b", re.IGNORECASE)
# Units of time and place after a number, which is then no count or amount of the table.
_NO_COUNT: Final = re.compile(
    r"(?: (?:fiscal|financial|calendar|full|business|working|consecutive|more))?"
    r"[- ]?(?:months?|weeks?|days?|years?|hours?|minutes?|quarters?|basis|bps|per ?cent|percent\w*|%|°|degrees?|"
    r"stars?|th|st|nd|rd)\b|[%°]",
    re.IGNORECASE,
)
# The noun that a number counts: "140 red seats", "46 manufacturing facilities".
_THING: Final = re.compile(r"(?:[ -][A-Za-z]+){1,3}")
_FEW: Final = 20  # a count of at least this size is no coincidence if its column is named
_LEAST_TOTAL: Final = 10
_MOST_LINES: Final = 40
_SEVERAL: Final = 3
Found = Sequence[tuple[Origin, int]]


class Named(NamedTuple):
    """The rows and columns that a sentence names."""

    rows: frozenset[int]
    columns: frozenset[int]
    things: frozenset[str]


def stated_figures(
    body: str, quantity: Quantity, number: Shown, origins: Origins, scales: Sequence[int], money: bool
) -> Found:
    """Return the origins that a number states, each with its scale, if chance does not explain them."""
    if _NO_COUNT.match(body, quantity.end) or number.value < 2:
        return ()
    sentence = sentence_at(body, quantity.start, quantity.end)
    named = _named(_table(origins), sentence)
    after = _THING.match(body, quantity.end)
    thing = words(after[0]) if after else frozenset[str]()
    for scale in scales:
        size = number.value / scale
        found = [*_cells(size, origins, named, thing, money or number.unit > 1)] or _results(
            size, origins, named, sentence, thing, plain=not money and list(scales) == [1]
        )
        if found:
            return [(origin, scale) for origin in found]
    return ()


def _table(origins: Origins) -> tuple[tuple[str, ...], ...]:
    return tuple(map(tuple, origins.table))


@memoized
def _named(table: tuple[tuple[str, ...], ...], sentence: str) -> Named:
    spoken, years = words(sentence), set(_YEAR.findall(sentence))
    rows = frozenset(
        row for row, cells in enumerate(table) if cells and _names(words(cells[0]), spoken)
    ) | frozenset(row for row, cells in enumerate(table) if cells and years & set(_YEAR.findall(cells[0])))
    columns = frozenset(
        column
        for row in table[:2]
        for column, head in enumerate(row)
        if column and (_names(words(head), spoken) or years & set(_YEAR.findall(head)))
    )
    return Named(rows, columns, spoken)


def _names(label: frozenset[str], spoken: frozenset[str]) -> bool:
    """Return whether a sentence has at least half of the words of a label."""
    return bool(label) and 2 * len(label & spoken) >= len(label)


def _cells(
    size: Fraction, origins: Origins, named: Named, thing: frozenset[str], money: bool
) -> list[Origin]:
    """Return the cells of this size in a named row, otherwise those in a named column."""
    equal = [cell for cell, value in origins.values.items() if abs(value) == size and _counts(cell, origins)]
    rows = [cell for cell in equal if cell[0] in named.rows]
    if size < _LEAST_TOTAL and not money:
        # "The 3 segments" counts a row of segments, but not "36 stores in 3 states" a row of stores.
        rows = [cell for cell in rows if thing & words(origins.table[cell[0]][0])]
    best = [cell for cell in rows if cell[1] in named.columns] or rows
    if not best and size >= _FEW:
        best = [cell for cell in equal if cell[1] in named.columns]
    return [Origin("cell", (cell,), True) for cell in best]


def _results(
    size: Fraction, origins: Origins, named: Named, sentence: str, thing: frozenset[str], plain: bool
) -> list[Origin]:
    """Return the totals, differences and averages of this size that words of the sentence announce.

    A `plain` count that is the total of a column with at least three cells needs no such words.
    """
    found: list[Origin] = []
    totals, changes = _TOTAL.search(sentence), _CHANGE.search(sentence)
    averages = _AVERAGE.search(sentence)
    values = origins.values
    for axis, at, line in _lines(origins):
        across = named.columns if axis else named.rows
        others = named.rows if axis else named.columns
        here = at in across
        about = [cell for cell in line if cell[1 - axis] in others]
        every = sum((values[cell] for cell in line), Fraction(0))
        if averages:
            if here or len(about) == len(line):
                if abs(every) == size * len(line):
                    found.append(Origin("mean", tuple(line), True))
                found += [
                    Origin("mean", pair, True)
                    for pair in combinations(line, 2)
                    if len(line) > 2 and abs(values[pair[0]] + values[pair[1]]) == 2 * size
                ]
            continue
        whole = size >= _LEAST_TOTAL and (
            here
            or totals
            or thing & _heads(origins, line, axis)
            or (plain and axis and len(line) >= _SEVERAL)
        )
        if whole and abs(every) == size and (size >= _FEW or totals):
            found.append(Origin("total", tuple(line), True))
        for pair in combinations(line if len(line) <= _MOST_LINES else about, 2):
            one, other = values[pair[0]], values[pair[1]]
            both = all(cell in about for cell in pair)
            summed = (both and (here or totals)) or (here and totals and not axis)
            if abs(one + other) == size >= _LEAST_TOTAL and len(line) > 2 and summed:
                found.append(Origin("total", pair, True))
            if abs(one - other) == size and changes and one and other and ((here and not axis) or both):
                found.append(Origin("difference", pair, True))
    if changes and not found and not averages:
        found += _growth_of_totals(size, origins, named)
    return found


def compared_rows(
    body: str, quantity: Quantity, number: Shown, origins: Origins, scales: Sequence[int]
) -> Found:
    """Return the differences of two named rows that a number may state: "exceeded it by $310 million"."""
    sentence = sentence_at(body, quantity.start, quantity.end)
    if not _COMPARES.search(sentence):
        return ()
    named = _named(_table(origins), sentence)
    return [
        one
        for one in origins.of(number, ("difference",), scales)
        for first, last in [one[0].cells]
        if first[0] != last[0] and {first[0], last[0]} <= named.rows
        if first[1] in named.columns or not named.columns
    ]


def _growth_of_totals(size: Fraction, origins: Origins, named: Named) -> Iterator[Origin]:
    """Yield the growth of a named column's total over that of another one.

    An example is "176 places, 26 more than in 2020".
    """
    columns = [(at, line) for axis, at, line in _lines(origins) if axis]
    for (one, first), (other, second) in combinations(columns, 2):
        if not {one, other} & named.columns or [row for row, _ in first] != [row for row, _ in second]:
            continue
        growth = Origin("growth of totals", (*first, *second), True)
        if growth.value(origins.values) == size:
            yield growth


def _heads(origins: Origins, line: Sequence[Cell], axis: int) -> frozenset[str]:
    """Return the words of the table's corner and of the line's heading: "Manufacturing facilities"."""
    corner = origins.table[0][0] if origins.table and origins.table[0] else ""
    head = origins.table[0][line[0][1]] if axis and line[0][1] < len(origins.table[0]) else ""
    return words(f"{corner} {head}")


def _counts(cell: Cell, origins: Origins) -> bool:
    return cell not in origins.shares


def _lines(origins: Origins) -> Iterator[tuple[int, int, list[Cell]]]:
    """Yield the rows (axis 0) and columns (axis 1) with at least two amounts."""
    found: dict[tuple[int, int], list[Cell]] = {}
    for cell in sorted(origins.values):
        if _counts(cell, origins) and origins.values[cell]:
            for axis in (0, 1):
                found.setdefault((axis, cell[axis]), []).append(cell)
    for (axis, at), cells in found.items():
        if len(cells) > 1:
            yield axis, at, cells
