"""Sums and differences in a table: sums of neighbours, exact or up to rounding, in columns and rows."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from fractions import Fraction
from itertools import combinations, permutations
from math import lcm
from typing import Final, NamedTuple

from dnc_datasets import numerals
from dnc_datasets.fast_fraction import FastFraction

Cell = tuple[int, int]
Signed = Mapping[Cell, Fraction]

_MOST_TERMS: Final = 16
_FEWEST_UNLABELLED: Final = 3
_NEAR: Final = 6
_MOST_PLACES: Final = 6
_TOTAL: Final = re.compile(r"\b(?:sub-?)?totals?\b|\bsum\b|\bnet\b|\bgross\b|\baggregate\b", re.IGNORECASE)
_NAMED_TOTAL: Final = re.compile(r"\b(?:sub-?)?totals?\b", re.IGNORECASE)
_MOST_TOTALS: Final = 5
_MOST_REPEATED: Final = 4
_RESULT: Final = re.compile(
    r"\b(?:gross|operating|net|profit|loss|income|surplus|deficit|earnings|ebitda?|change|variance|difference|increase|"
    r"decrease|balance|excess|cash flows?|carrying|book value)\b",
    re.IGNORECASE,
)


# A mark of a note after an amount: "640 (1)", "(1,205)(a)", "206,753(*)".
NOTE_MARK: Final = re.compile(r"(?<=[\d)])\s?(?:\(\s?(?:\w{1,2}|[*†‡])\s?\)|[*†‡])\s*\Z")
_NEGATIVE: Final = re.compile(r"[\s$€£¥]*[(−–-][\s$€£¥]*[\d.]")
_DASH: Final = re.compile(r"[\s$€£¥]*[-–—]\s*")


class Relation(NamedTuple):
    """A sum or difference: `target` is the sum of `plus` less the sum of `minus`, up to rounding."""

    target: Cell
    plus: tuple[Cell, ...]
    minus: tuple[Cell, ...] = ()

    def computed(self, values: Signed) -> Fraction:
        """Return the target computed from the other cells. A dash counts as zero."""
        total = sum((values.get(cell, Fraction(0)) for cell in self.plus), Fraction(0))
        return total - sum((values.get(cell, Fraction(0)) for cell in self.minus), Fraction(0))


def signed(cell: str) -> Fraction | None:
    """Return the signed amount of a cell: "(1,205)" is -1205 and a dash is 0. Other texts give None."""
    if _DASH.fullmatch(cell):
        return Fraction(0)
    found = numerals.find(cell)
    if len(found) != 1 or "%" in cell:
        return None
    size = abs(found[0].value)
    return -size if _NEGATIVE.match(cell) else size


def signed_amounts(table: Sequence[Sequence[str]], cells: Sequence[Cell]) -> dict[Cell, Fraction]:
    """Return the signed amounts of these cells."""
    found: dict[Cell, Fraction] = {}
    for row, column in cells:
        text = NOTE_MARK.sub("", table[row][column])
        value = signed(text.split("(")[0] if text.count("(") > 1 else text)
        if value is not None:
            found[row, column] = FastFraction.of(value)
    return found


def relations(table: Sequence[Sequence[str]], values: Signed) -> list[Relation]:
    """Return every sum and difference that holds: labelled ones, and sums of at least three neighbours."""
    found: list[Relation] = []
    columns = sorted({column for _, column in values})
    rows = sorted({row for row, _ in values})
    amounts = Amounts(values)
    for column in columns:
        line = [(row, column) for row in rows if (row, column) in values]
        found += _in_line(line, amounts, [table[row][0] for row, _ in line])
    for row in rows:
        line = [(row, column) for column in columns if (row, column) in values]
        found += _in_line(line, amounts, [_heading(table, row, column) for _, column in line])
    found += _pairs_of_rows(rows, columns, amounts)
    return found


def _pairs_of_rows(rows: Sequence[int], columns: Sequence[int], amounts: Amounts) -> Iterator[Relation]:
    """Yield rows that are the sum of the two above or below them.

    The sum must hold in every column, of which there are at least two.
    """
    for at, target in enumerate(rows):
        for pair in (rows[max(0, at - 2) : at], rows[at + 1 : at + 3]):
            filled = [column for column in columns if (target, column) in amounts.sizes]
            if len(pair) < 2 or len(filled) < 2:
                continue
            made = [Relation((target, column), ((pair[0], column), (pair[1], column))) for column in filled]
            if not any(amounts.off(one) or not amounts.sizes[one.target] for one in made):
                yield from made


class Amounts:
    """The amounts of a table as integers of one small unit, which makes the many additions fast."""

    def __init__(self, values: Signed) -> None:
        self.places = {cell: _places(value.denominator) for cell, value in values.items()}
        most: int = 10 ** max(self.places.values(), default=0)
        self.unit: int = lcm(most, *(value.denominator for value in values.values()))
        self.sizes = {
            cell: value.numerator * (self.unit // value.denominator) for cell, value in values.items()
        }

    def off(self, relation: Relation) -> int:
        """Return the difference between the target and the sum of the others. A dash counts as zero."""
        size = self.sizes.get
        others = sum(size(cell, 0) for cell in relation.plus) - sum(size(cell, 0) for cell in relation.minus)
        return abs(size(relation.target, 0) - others)

    def may_hold(self, off: int, cells: int) -> bool:
        """Return whether rounding explains a difference for this number of the coarsest cells."""
        return 2 * abs(off) <= cells * self.unit

    def close(self, relation: Relation) -> Iterator[Relation]:
        """Yield the relation if it holds."""
        if self.is_close(relation):
            yield relation

    def is_close(self, relation: Relation) -> bool:
        """Return whether the relation holds up to the rounding of its terms and is too large for chance."""
        cells = (relation.target, *relation.plus, *relation.minus)
        places = max(self.places.get(cell, 0) for cell in cells)
        return self.tells(relation.target, self.off(relation), places, len(cells))

    def rounds(self, relation: Relation) -> bool:
        """Return whether the relation holds up to the rounding of its terms. It may hold by chance."""
        cells = (relation.target, *relation.plus, *relation.minus)
        shown: int = 10 ** max(self.places.get(cell, 0) for cell in cells)
        return 2 * self.off(relation) <= len(cells) * (self.unit // shown)

    def tells(self, target: Cell, off: int, places: int, cells: int) -> bool:
        """Return whether a difference is small enough for rounding and for chance.

        `places` is the largest number of decimals among the `cells` cells of the relation.
        """
        size = abs(self.sizes.get(target, 0))
        if not size or not off:
            return size != 0
        shown: int = 10**places
        rounding = cells * (self.unit // shown)
        return 2 * off <= rounding and size > 20 * rounding


def _places(bottom: int) -> int:
    """Return the number of decimals of an amount with this denominator."""
    if bottom == 1:
        return 0
    return next((count for count in range(_MOST_PLACES) if not 10**count % bottom), _MOST_PLACES)


def _heading(table: Sequence[Sequence[str]], row: int, column: int) -> str:
    heads = [cells[column] for cells in table[: min(row, 3)] if column < len(cells)]
    return " ".join(head for head in heads if re.search("[A-Za-z]", head))


def _in_line(line: Sequence[Cell], amounts: Amounts, labels: Sequence[str]) -> Iterator[Relation]:
    """Yield the relations between the cells of one row or column."""
    summing = [_TOTAL.search(label) is not None for label in labels]
    sizes = [amounts.sizes[cell] for cell in line]
    for at, target in enumerate(line):
        if not sizes[at]:  # a dash is no sum
            continue
        total, result = summing[at], _RESULT.search(labels[at]) is not None
        fewest = 2 if total else _FEWEST_UNLABELLED
        for step in (-1, 1):
            left = sizes[at]
            end = max(at - _MOST_TERMS, -1) if step < 0 else min(at + _MOST_TERMS, len(line))
            for other in range(at + step, end, step):
                left -= sizes[other]
                count = (other - at) * step
                if count < fewest or not amounts.may_hold(left, count + 1):
                    continue
                terms = line[other:at][::-1] if step < 0 else line[at + 1 : other + 1]
                yield from amounts.close(Relation(target, tuple(terms)))
        totals = [cell for cell, sums in zip(line[:at], summing[:at], strict=True) if sums]
        for count in range(2, len(totals) + 1) if total else ():
            relation = Relation(target, tuple(totals[-count:]))
            if amounts.is_close(relation):
                yield relation
        if result:
            yield from _differences(line, at, amounts)
        if total or result:
            yield from _of_sections(line, at, amounts, labels)


def _of_sections(
    line: Sequence[Cell], at: int, amounts: Amounts, labels: Sequence[str]
) -> Iterator[Relation]:
    """Yield the target as the sum or difference of the ends of sections above it: totals, or equal labels."""
    totals = [cell for cell, label in zip(line[:at], labels[:at], strict=True) if _NAMED_TOTAL.search(label)]
    ends = [some for size in (2, 3) for some in combinations(totals[-_MOST_TOTALS:], size)]
    repeated: dict[str, list[Cell]] = {}
    for cell, label in zip(line[:at], labels[:at], strict=True):
        repeated.setdefault(label.strip().lower(), []).append(cell)
    ends += [tuple(cells) for label, cells in repeated.items() if label and 1 < len(cells) <= _MOST_REPEATED]
    target = amounts.sizes[line[at]]
    for some in ends:
        first, *rest = map(amounts.sizes.__getitem__, some)
        others = sum(rest)
        if amounts.may_hold(target - first - others, len(some) + 1):
            yield from amounts.close(Relation(line[at], some))
        if amounts.may_hold(target - first + others, len(some) + 1):
            yield from amounts.close(Relation(line[at], some[:1], some[1:]))


def _differences(line: Sequence[Cell], at: int, amounts: Amounts) -> Iterator[Relation]:
    """Yield the target as the difference of two neighbours, or as one cell less all cells after it."""
    target, most = amounts.sizes[line[at]], 3 * amounts.unit
    near = [
        (amounts.sizes[cell], cell) for cell in line[max(0, at - _NEAR) : at + _NEAR + 1] if cell != line[at]
    ]
    for (large, larger), (small, smaller) in permutations(near, 2):
        if -most <= 2 * (target - large + small) <= most:
            yield from amounts.close(Relation(line[at], (larger,), (smaller,)))
    start = max(0, at - _MOST_TERMS)
    left = target + sum(map(amounts.sizes.__getitem__, line[start:at]))
    for first in range(start, at - 2):
        size = amounts.sizes[line[first]]
        left -= size
        if amounts.may_hold(left - size, at - first + 1):
            yield from amounts.close(Relation(line[at], (line[first],), tuple(line[first + 1 : at])))
