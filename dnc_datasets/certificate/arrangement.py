"""Promises about order: paragraphs, rows and columns are the same in another order, and links follow them."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Sequence
from itertools import groupby, pairwise

from dnc_datasets import operand_links
from dnc_datasets.english.lexicon import MONTH_ABBREVIATIONS, any_of
from dnc_datasets.problem import Problem

Row = Sequence[str]

_YEAR = re.compile(r"(?:19|20)\d\d|(?<=\bfy)\d\d|(?<=\bfy )\d\d|(?<=\bfy['’])\d\d", re.IGNORECASE)
_MONTH = re.compile(rf"\b({any_of(MONTH_ABBREVIATIONS)})[a-z]*\.?(?: (\d{{1,2}})\b)?", re.IGNORECASE)
_DAY = re.compile(r"(\d{1,2}) [a-z]{3}", re.IGNORECASE)
_QUARTER = re.compile(r"\bq([1-4])", re.IGNORECASE)
_FIGURE = re.compile(r"[^\w]*\d[\d,.]*[^\w]*(?:\(\w{1,2}\)\W*)?")
# A heading that does not apply to all columns.
_OF_ONE = re.compile(r"restat|adjust|revis|pro ?forma|(?<!un)audited|\bnotes?\b|(?:19|20)\d\d", re.IGNORECASE)
_PLACES = re.compile(r"\bcolumns?\b|\b(?:left|right)[ -]hand\b", re.IGNORECASE)
_ASKED_PLACES = re.compile(
    r"\b(?:first|second|third|last|latter|former) (?:years?|dates?|periods?|columns?)\b", re.I
)


def parts_rearranged(original: Problem, perturbed: Problem) -> bool:
    """paragraphs are the same in another order, and so are the rows below the headings or the columns of periods"""
    old, new = operand_links.paragraphs(original.body), operand_links.paragraphs(perturbed.body)
    if (original.question, original.history) != (perturbed.question, perturbed.history):
        return False
    if sorted(old) != sorted(new) or (old, original.table) == (new, perturbed.table):
        return False
    rows = sorted(original.table) == sorted(perturbed.table) and original.table[:1] == perturbed.table[:1]
    return rows or (old == new and _columns_reversed(original, perturbed))


def links_follow(original: Problem, perturbed: Problem) -> bool:
    """every linked operand and all evidence is at its new link in the row, column or paragraph where it stood"""
    before, after = operand_links.stored(original), operand_links.stored(perturbed)
    if before.keys() != after.keys() or len(original.evidence) != len(perturbed.evidence):
        return False
    pairs = [(link, after[value]) for value, link in before.items()]
    pairs += zip(original.evidence, perturbed.evidence, strict=True)
    columns = {}
    if sorted(original.table) != sorted(perturbed.table):
        columns = _new_columns(original.table, perturbed.table)
    for old, new in pairs:
        if "." not in old:
            if old != new:
                return False
        elif columns and old.startswith("table."):
            _, row, column = old.split(".")
            if new != f"table.{row}.{columns.get(int(column), int(column))}":
                return False
        elif _surroundings(original, old) != _surroundings(perturbed, new):
            return False
    return True


CHECKS: tuple[Callable[[Problem, Problem], bool], ...] = (parts_rearranged, links_follow)


def _surroundings(problem: Problem, link: str) -> object:
    field, first, *second = link.split(".")
    parts = problem.table if field == "table" else operand_links.paragraphs(problem.body)
    return (parts[int(first)], second)


def _columns_reversed(original: Problem, perturbed: Problem) -> bool:
    """Return whether complete columns with ordered periods are reversed and no text names positions."""
    columns = _new_columns(original.table, perturbed.table)
    if not columns or any(map(_PLACES.search, (original.body, original.question))):
        return False
    if _ASKED_PLACES.search(original.question):
        return False
    keys = _keys(original.table, columns)
    return all(_is_reversal(run, columns, keys) for run in _runs(columns))


def _new_columns(before: Sequence[Row], after: Sequence[Row]) -> dict[int, int]:
    """Return the new position of each column between the first and last moved one.

    A column is complete if each of its cells is in its row at the new position. Only a heading of several
    columns may keep its position. Return no columns if one of them is incomplete.
    """
    if list(map(len, before)) != list(map(len, after)) or len(set(map(len, before))) != 1:
        return {}
    width = len(before[0])
    moved = [at for at in range(width) if any(a[at] != b[at] for a, b in zip(before, after, strict=True))]
    columns = {}
    for old in moved:
        places = [
            at for at in moved if all(_is_at(a, b, old, at) for a, b in zip(before, after, strict=True))
        ]
        if len(places) != 1 or places[0] == old:
            return {}
        columns[old] = places[0]
    for at in range(2, width):  # equal columns are identified by the column beside them
        new = columns.get(at - 1, at - 1) + 1
        is_free = not {at, new} & columns.keys() and at != new < width
        if is_free and all(_is_at(a, b, at, new) for a, b in zip(before, after, strict=True)):
            columns |= {at: new, new: at}
    if any(columns.get(new) != old for old, new in columns.items()) or 0 in columns:
        return {}
    return columns


def _is_at(before: Row, after: Row, old: int, new: int) -> bool:
    """Return whether the cell of a column is at its new position, or a spanning heading has not moved."""
    if before[old] == after[new] and before[new] == after[old]:
        return True
    pair = (before[old], before[new])
    return (
        (after[old], after[new]) == pair
        and "" in map(str.strip, pair)
        and not any(_FIGURE.fullmatch(text) or _OF_ONE.search(text) for text in pair)
        and not any(map(_FIGURE.fullmatch, before[1:]))
    )


def _runs(columns: dict[int, int]) -> Iterator[range]:
    """Yield the ranges of columns within which columns moved."""
    start = end = -1
    for old in sorted(columns):
        if old > end:
            if end >= 0:
                yield range(start, end + 1)
            start = old
        end = max(end, columns[old])
    yield range(start, end + 1)


Key = tuple[list[str], int, int]


def _keys(table: Sequence[Row], columns: dict[int, int]) -> dict[int, Key]:
    """Return the years, month or quarter, and day of the headings of each column that has a year."""
    count = next((at for at, row in enumerate(table) if at and any(map(_is_figure, row[1:]))), len(table))
    keys = {}
    for column in range(1, len(table[0])):
        head = " ".join(row[column] for row in table[:count])
        if years := _YEAR.findall(head):
            month, quarter = _MONTH.search(head), _QUARTER.search(head)
            day = (month and month[2]) or (_DAY.search(head) or ("", "0"))[1]
            place = (
                MONTH_ABBREVIATIONS.index(month[1].lower()) + 1
                if month
                else int(quarter[1])
                if quarter
                else 0
            )
            keys[column] = (years, place, int(day) if month else 0)
    return keys


def _is_figure(text: str) -> bool:
    return _FIGURE.fullmatch(text) is not None and not _YEAR.fullmatch(
        re.sub(r"\(\w{1,2}\)", "", text).strip()
    )


def _is_reversal(run: range, columns: dict[int, int], keys: dict[int, Key]) -> bool:
    """Return whether the periods of a run are in strict order, are reversed, and keep adjacent columns."""
    dated = [at for at in run if at in keys]
    order = [key for key, _ in groupby(keys[at] for at in dated)]
    pairs = list(pairwise(order))
    if not pairs or not (all(a < b for a, b in pairs) or all(a > b for a, b in pairs)):
        return False
    new = {columns.get(at, at): keys[at] for at in dated}
    if [key for key, _ in groupby(new[at] for at in sorted(new))] != order[::-1]:
        return False
    beside = [columns.get(at, at) for at in run]
    joined = [b == a + 1 for a, b in pairwise(beside)]
    return all(at in keys or any(joined[max(0, place - 1) : place + 1]) for place, at in enumerate(run))
