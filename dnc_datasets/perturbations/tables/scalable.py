"""Which cells of a report's table are amounts that can grow together, so that all that follows from them follows."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from typing import Final

from dnc_datasets import numerals
from dnc_datasets.numerals import Quantity
from dnc_datasets.perturbations.numbers.amounts import AMOUNTS, fills_cell, is_year
from dnc_datasets.perturbations.tables.relations import Cell, Relation

Table = Sequence[Sequence[str]]

# What does not grow with the amounts beside it: shares of a whole, amounts per share, rates, prices, times; unless
# they are as large as amounts or add up with them, as "Fixed rate loans" and "Over 60 days" do.
_STAYS: Final = re.compile(
    r"%|\bper\b|\bpercent|\bratios?\b|\bdays\b|\bmultiples?\b|\bvolatility\b|\bbasis points\b|\bbps\b|\beps\b|"
    r"\bgrowth\b|\byears\)|\bnumber of years\b|\brates?\b|\byields?\b|\bmargins?\b|\bprices?\b|\bterms?\b|\bage\b|"
    r"\bmaturity\b|\bli[fv]es?\b|\bexchange\b|\bdate\b",
    re.IGNORECASE,
)
_SURELY_STAYS: Final = re.compile(
    r"% of\b|\bas (?:a )?%|\bper (?:\w+ )?share\b|\bpercentage\b|\beps\b|% change", re.IGNORECASE
)
_NOTES: Final = re.compile(r"\W*(?:notes?|ref(?:erence)?s?|item|no|page|exhibit)\W*", re.IGNORECASE)
_NOTE_MARK: Final = re.compile(r"(?<=[\d)])\s?\(\w{1,2}\)\s*\Z")
_DASHED: Final = re.compile(r"[\s$€£]*[\u2012\u2013\u2014\u2212]\s?[$€£]?\d")
_PER_SHARE: Final = re.compile(r"\b(?:per (?:\w+ ){0,2}share|eps)\b", re.IGNORECASE)
_AN_AMOUNT: Final = 1000
_MANY_HEADS: Final = 3


def amount_cells(table: Table) -> dict[Cell, Quantity] | None:
    """The amounts of the table by row and column, without sign; None where a cell cannot be read.

    The first row and column are headings. Shares in percent, years and the numbers of notes stay out.
    """
    found: dict[Cell, Quantity] = {}
    if any(_PER_SHARE.search(cells[0]) and not any(cells[1:]) for cells in table if cells):
        return None  # "Earnings per share:" above "Basic" and "Diluted", which do not say what they are
    for row, cells in enumerate(table):
        for column, text in enumerate(cells):
            if not row or not column or not text or _numbers_notes(table, row, column):
                continue
            if _DASHED.match(text):
                return None  # minus, or a dash that says nothing
            numbers = numerals.find(_NOTE_MARK.sub("", text))
            if not numbers:
                continue
            if len(numbers) > 1:
                return None
            quantity = numbers[0]
            if quantity.kind not in AMOUNTS or "%" in text or is_year(quantity.text) or not quantity.value:
                continue
            if quantity.text[-1].isdigit() and fills_cell(text, quantity.start, quantity.end):
                found[row, column] = _unsigned(quantity)
    return found


def growing_cells(table: Table, found: Mapping[Cell, Quantity], held: Sequence[Relation]) -> set[Cell]:
    """The amounts that can grow together: all but those of rows and columns of rates, prices and times."""
    rows = {row for row, _ in found if _STAYS.search(table[row][0])}
    columns = {cell for cell in found if _column_stays(table, *cell)}
    large = {row for row, column in found if found[row, column].value >= _AN_AMOUNT}
    summed = {row for one in held for row, _ in (one.target, *one.plus, *one.minus)}
    rows -= {row for row in large | summed if not _SURELY_STAYS.search(table[row][0])}
    return {cell for cell in found if cell not in columns and cell[0] not in rows}


def _numbers_notes(table: Table, row: int, column: int) -> bool:
    return any(_NOTES.fullmatch(head) for head in _heads(table, row, column))


def _column_stays(table: Table, row: int, column: int) -> bool:
    return any(_STAYS.search(head) for head in _heads(table, row, column))


def _heads(table: Table, row: int, column: int) -> list[str]:
    heads = [cells[column] for cells in table[: min(row, _MANY_HEADS)] if column < len(cells)]
    return [head for head in heads if not fills_cell_alone(head)]


def fills_cell_alone(text: str) -> bool:
    """Whether a cell holds an amount and nothing else."""
    numbers = numerals.find(text)
    return (
        len(numbers) == 1 and fills_cell(text, numbers[0].start, numbers[0].end) and not is_year(text.strip())
    )


def _unsigned(quantity: Quantity) -> Quantity:
    """The number without a minus sign, which stays in front of it as text."""
    sign = quantity.value < 0
    return quantity._replace(
        text=quantity.text[sign:],
        ratio=(abs(quantity.ratio[0]), quantity.ratio[1]),
        start=quantity.start + sign,
    )
