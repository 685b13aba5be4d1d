"""Which rows of a table are self-contained, and which are headings, sums or steps of a sequence."""

from __future__ import annotations

import re
from collections.abc import Sequence
from math import lcm

from dnc_datasets import numerals
from dnc_datasets.tables.relations import signed
from dnc_datasets.tables.typed import YEARS, keeps_its_place

# A row with such a label is computed from others or belongs at its place in the sequence.
_DEPENDS = re.compile(
    r"\b(?:sub-?total|total|totals|sum|net|gross|balances?|beginning|ending|end|opening|closing|less|plus|add|"
    r"deduct|therein|thereof|of which|including|excluding|profit|loss|margin|change|increase|decrease|average|"
    r"before|after|per|remaining|thereafter|within|later|first|second|third|fourth|quarter|year|years|"
    r"months?|days?|level|q[1-4]|fy ?\d\d|ebitda?|earnings|accumulated|allowance|adjusted|adjustments?|"
    r"income|results?|surplus|deficit|equity|outstanding|granted|vested|exercised|forfeited|high|low|minimum|maximum|"
    r"january|february|march|april|june|july|august|september|october|november|december)\b"
    r"|%|\b(?:19|20)[0-9]{2}\b|:$|\A[\W\d]|"
    r"\A(?:revenues?|sales|net sales|turnover|others?)\W*\Z",
    re.IGNORECASE,
)
_TOTAL = re.compile(r"\b(?:sub-?)?total\b", re.IGNORECASE)
_WORDS = re.compile(r"[A-Za-z]{4}")
_MAX_TERMS = 12
_FEWEST_MOVED = 2


def movable_runs(table: Sequence[Sequence[str]]) -> list[range]:
    """Where two or more neighbouring rows may change places without changing what the table says."""
    groups = _groups(table)
    cuts = _group_bounds(table, groups)
    runs: list[range] = []
    start = 1  # the first row is a heading, whatever it looks like
    for at in range(1, len(table) + 1):
        movable = at < len(table) and _stands_alone(table[at]) and not groups[at]
        if movable and at not in cuts:
            continue
        if at - start >= _FEWEST_MOVED and _is_closed(table, start, at):
            runs.append(range(start, at))
        start = at if movable else at + 1
    return runs


def _stands_alone(row: Sequence[str]) -> bool:
    """Whether the row is an item with a label and amounts, and not a heading or a sum."""
    if not row or not row[0] or _DEPENDS.search(row[0]) or keeps_its_place(row[0]):
        return False
    if any(quantity.kind in ("time", "date") for cell in row for quantity in numerals.find(cell)):
        return False  # a timetable runs in its order
    # "Value Realized(1)" is a heading: its number marks a note.
    numbers = [quantity for cell in row[1:] if not _WORDS.search(cell) for quantity in numerals.find(cell)]
    return bool(numbers) and not all(YEARS.fullmatch(quantity.text) for quantity in numbers)


def _is_heading(row: Sequence[str]) -> bool:
    return bool(row) and bool(row[0]) and not any(numerals.find(cell) for cell in row[1:])


def _is_closed(table: Sequence[Sequence[str]], start: int, end: int) -> bool:
    """Whether it is clear which rows a heading above represents: up to a total, a heading or the end."""
    if not _is_heading(table[start - 1]) or end == len(table):
        return True
    return not table[end][0] or _is_heading(table[end]) or _TOTAL.search(table[end][0]) is not None


def _group_bounds(table: Sequence[Sequence[str]], groups: Sequence[Sequence[tuple[int, int]]]) -> set[int]:
    """Rows before which a group starts or ends: what another row sums up, or what fills other columns."""
    bounds = set()
    for at in range(1, len(table)):
        for first, last in groups[at]:
            bounds |= {first, last + 1}
        # Rows that fill other columns are parts of a row above, or the other way round.
        if _filled(table[at]) != _filled(table[at - 1]):
            bounds.add(at)
    return bounds


def _filled(row: Sequence[str]) -> list[bool]:
    return [bool(cell.strip()) for cell in row[1:]]


def _groups(table: Sequence[Sequence[str]]) -> list[list[tuple[int, int]]]:
    """Of each row, the first and last row of each run of rows, right above or below, that adds up to it."""
    read = [[signed(cell) for cell in row[1:]] for row in table]
    unit = lcm(*(value.denominator for row in read for value in row if value is not None))
    # Whole numbers of one small unit are added many times as fast as fractions.
    amounts = [
        [None if value is None else value.numerator * (unit // value.denominator) for value in row]
        for row in read
    ]
    return [[], *(_groups_of(amounts, at, unit) for at in range(1, len(table)))]


def _groups_of(amounts: Sequence[Sequence[int | None]], at: int, unit: int) -> list[tuple[int, int]]:
    wanted = amounts[at]
    columns = {place: value for place, value in enumerate(wanted) if value}
    if not columns:
        return []
    found = []
    for step in (-1, 1):
        sums = [0] * len(wanted)
        for count in range(1, _MAX_TERMS + 1):
            other = at + step * count
            if not 1 <= other < len(amounts):
                break
            values = amounts[other]
            if len(values) != len(wanted) or not any(value is not None for value in values):
                break
            sums = [total + (value or 0) for total, value in zip(sums, values, strict=True)]
            if count > 1 and all(abs(sums[place] - size) <= unit for place, size in columns.items()):
                if max(columns.values()) > _MAX_TERMS * unit or min(columns.values()) < -_MAX_TERMS * unit:
                    found.append((min(at + step, other), max(at + step, other)))
                break
    return found
