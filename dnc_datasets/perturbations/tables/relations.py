"""Which amounts of a table follow from others: sums of neighbours, exact or up to rounding, down and across."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from fractions import Fraction
from itertools import permutations
from typing import Final, NamedTuple

from dnc_datasets.perturbations.tables.row_roles import signed

Cell = tuple[int, int]
Signed = Mapping[Cell, Fraction]

_MOST_TERMS: Final = 16
_FEWEST_UNLABELLED: Final = 3
_NEAR: Final = 6
_TOTAL: Final = re.compile(r"\b(?:sub-?)?totals?\b|\bsum\b|\bnet\b|\bgross\b|\baggregate\b", re.IGNORECASE)
_RESULT: Final = re.compile(
    r"\b(?:gross|operating|net|profit|loss|income|surplus|deficit|earnings|ebitda?|change|variance|difference|increase|"
    r"decrease|balance|excess|cash flows?)\b",
    re.IGNORECASE,
)


class Relation(NamedTuple):
    """`target` is the sum of `plus` less the sum of `minus`, up to rounding."""

    target: Cell
    plus: tuple[Cell, ...]
    minus: tuple[Cell, ...] = ()

    def computed(self, values: Signed) -> Fraction:
        """What the target is by the others; a dash counts nothing."""
        total = sum((values.get(cell, Fraction(0)) for cell in self.plus), Fraction(0))
        return total - sum((values.get(cell, Fraction(0)) for cell in self.minus), Fraction(0))


def signed_amounts(table: Sequence[Sequence[str]], cells: Sequence[Cell]) -> dict[Cell, Fraction]:
    """The amounts of these cells with their signs."""
    found = {}
    for row, column in cells:
        value = signed(
            table[row][column].split("(")[0] if table[row][column].count("(") > 1 else table[row][column]
        )
        if value is not None:
            found[row, column] = value
    return found


def relations(table: Sequence[Sequence[str]], values: Signed) -> list[Relation]:
    """Every sum and difference that holds: labelled ones, and sums of at least three neighbours."""
    found: list[Relation] = []
    columns = sorted({column for _, column in values})
    rows = sorted({row for row, _ in values})
    for column in columns:
        line = [(row, column) for row in rows if (row, column) in values]
        found += _in_line(line, values, [table[row][0] for row, _ in line])
    for row in rows:
        line = [(row, column) for column in columns if (row, column) in values]
        found += _in_line(line, values, [_heading(table, row, column) for _, column in line])
    return found


def _heading(table: Sequence[Sequence[str]], row: int, column: int) -> str:
    heads = [cells[column] for cells in table[: min(row, 3)] if column < len(cells)]
    return " ".join(head for head in heads if re.search("[A-Za-z]", head))


def _in_line(line: Sequence[Cell], values: Signed, labels: Sequence[str]) -> Iterator[Relation]:
    """The relations between the cells of one row or column."""
    for at, target in enumerate(line):
        total, result = _TOTAL.search(labels[at]) is not None, _RESULT.search(labels[at]) is not None
        for step in (-1, 1):
            terms: list[Cell] = []
            for other in range(at + step, at + step * _MOST_TERMS, step):
                if not 0 <= other < len(line):
                    break
                terms.append(line[other])
                if len(terms) < 2 or (len(terms) < _FEWEST_UNLABELLED and not total):
                    continue
                relation = Relation(target, tuple(terms))
                if is_close(relation, values):
                    yield relation
        totals = [cell for cell, label in zip(line[:at], labels[:at], strict=True) if _TOTAL.search(label)]
        for count in range(2, len(totals) + 1) if total else ():
            relation = Relation(target, tuple(totals[-count:]))
            if is_close(relation, values):
                yield relation
        if result:
            yield from _differences(line, at, values)


def _differences(line: Sequence[Cell], at: int, values: Signed) -> Iterator[Relation]:
    """The target as the difference of two neighbours, or as what is left of one after those behind it."""
    near = [cell for cell in line[max(0, at - _NEAR) : at + _NEAR + 1] if cell != line[at]]
    for larger, smaller in permutations(near, 2):
        relation = Relation(line[at], (larger,), (smaller,))
        if is_close(relation, values):
            yield relation
    for first in range(max(0, at - _MOST_TERMS), at - 2):
        relation = Relation(line[at], (line[first],), tuple(line[first + 1 : at]))
        if is_close(relation, values):
            yield relation


def last_place(values: Signed, cells: Sequence[Cell]) -> Fraction:
    """The value of the last digit that these cells show."""
    places = 0
    for cell in cells:
        bottom = values.get(cell, Fraction(0)).denominator
        while 10**places % bottom and places < 6:
            places += 1
    return Fraction(1, 10**places)


def is_close(relation: Relation, values: Signed) -> bool:
    """Whether the relation holds, up to the rounding of its terms, and is too large to hold by chance."""
    target = values.get(relation.target)
    if not target:
        return False
    cells = (relation.target, *relation.plus, *relation.minus)
    place = last_place(values, cells)
    off = abs(target - relation.computed(values))
    return off == 0 or (off <= place * len(cells) / 2 and abs(target) > 20 * place * len(cells))
