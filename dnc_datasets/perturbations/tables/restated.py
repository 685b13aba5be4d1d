"""Amounts and percentages of a report's text that follow from its table, and those that grow with it."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from fractions import Fraction
from typing import Final, NamedTuple

from dnc_datasets import numerals
from dnc_datasets.numerals import Quantity
from dnc_datasets.perturbations.numbers.amounts import AMOUNTS, currency_before, is_name, is_year
from dnc_datasets.perturbations.tables.document import (
    AMOUNT_OPERATIONS,
    SHARE_OPERATIONS,
    Origin,
    Origins,
    Shown,
    agreed,
    belongs,
    names,
    rewritten,
    sentence_at,
    shown,
)
from dnc_datasets.problem import Problem
from dnc_datasets.tables.relations import Cell

_SCALES: Final = {"thousand": 10**3, "million": 10**6, "billion": 10**9}
# A price, a rate, a value of one share: it stays where the amounts grow.
_PRICE_BEFORE: Final = re.compile(
    r"\b(?:price|prices|par value|nominal value|rate|exercise|strike|fee)s?\b[^.;]{0,30}\Z|"
    r"\bper (?:\w+ ){0,2}(?:share|unit)\b[^.;]{0,40}\Z",
    re.IGNORECASE,
)
_PRICE_AFTER: Final = re.compile(
    r"(?: (?:million|billion|thousand))?,?(?: par value)? (?:per|an?|each)\b|/", re.IGNORECASE
)
# A sentence whose short numbers may be results: "an increase of $2 million".
_COMPARES: Final = re.compile(
    r"\b(?:in|de)creas|\bchange|\bdifference|\bhigher\b|\blower\b|\bgrew\b|\bgrowth\b|\brose\b|\bfell\b|\bdeclin|"
    r"\bup\b|\bdown\b|\btotal|\bof\b[^.]{0,60}%|%"
)
_WINDOW: Final = 60
_ABOUT: Final = Fraction(1, 200)
_IN_FULL: Final = 1_000_000
_POINTS: Final = Fraction(3, 10)
_RATIO: Final = re.compile(r"\b(?:ratio|gearing|leverage|margin|intensity)\b", re.IGNORECASE)
_TELLING: Final = 3  # digits: shorter numbers are shown by chance
Found = Sequence[tuple[Origin, int]]


class Mention(NamedTuple):
    """A number of the body: its origins in the table, and whether it grows with the table where it has none."""

    quantity: Quantity
    number: Shown
    origins: Found
    grows: bool


class Texts(NamedTuple):
    """The numbers of a body that move when the table does."""

    mentions: tuple[Mention, ...]

    def moved(self, problem: Problem, new: Mapping[Cell, Fraction], factor: Fraction) -> Problem | None:
        """The problem with its body in agreement with new cells; None where two origins of a number disagree."""
        edits = []
        for quantity, number, origins, grows in self.mentions:
            value = agreed(origins, number, new) if origins else number.rounded(number.value * factor)
            if value is None or not value:
                return None
            if origins or grows:
                edits.append((quantity, value))
        return problem.replace(body=rewritten(problem.body, edits)) if edits else problem


def read_texts(problem: Problem, origins: Origins) -> Texts | None:
    """The numbers of the body that follow from cells or grow with them; None where one cannot be stated."""
    body, found = problem.body, []
    unit = _SCALES.get(problem.note("table_scale"), 1)
    for quantity in numerals.find(body):
        if quantity.kind not in AMOUNTS or not quantity.value:
            continue
        start, end = quantity.start, quantity.end
        number = shown(quantity)
        if quantity.kind == "percent":
            shares = _by_sentence(origins.of(number, SHARE_OPERATIONS), origins, body, quantity)
            if shares:
                found.append(Mention(quantity, number, shares, False))
            continue
        money = quantity.kind == "money" or currency_before(body, start) != ""
        scales = sorted({1, unit, 10**3, 10**6}) if number.unit > 1 or unit > 1 else [1]
        cells = origins.cells(number, scales)
        if not _tells(quantity):
            sentence = sentence_at(body, start, end)
            cells = [one for one in cells if names(one[0], origins.table, sentence)] if money else []
        if not money and is_year(quantity.text):
            continue
        if not money and not cells:
            if _is_result(quantity, number, origins, body):
                return None  # other numbers beside it may follow from it
            continue
        if not money and is_name(body, "body", quantity.text, start, end):
            return None  # it may name something, or be the amount
        priced = number.unit == 1 and _PRICE_BEFORE.search(body, max(0, start - _WINDOW), start)
        if priced or _PRICE_AFTER.match(body, end):
            if cells:
                return None  # it may be either
            continue
        if quantity.value < 0 or not quantity.in_digits:
            return None
        results = (
            []
            if cells
            else _by_sentence(origins.of(number, AMOUNT_OPERATIONS, scales), origins, body, quantity)
        )
        found.append(Mention(quantity, number, cells or results, money))
    return Texts(tuple(found))


def _is_result(quantity: Quantity, number: Shown, origins: Origins, body: str) -> bool:
    """Whether a count of the text is the sum or difference of two cells whose rows its sentence names."""
    if not _tells(quantity) or not quantity.in_digits:
        return False
    sentence = sentence_at(body, quantity.start, quantity.end)
    found = origins.of(number, AMOUNT_OPERATIONS, (1, 10**3, 10**6))
    full = quantity.value >= _IN_FULL and not quantity.value % 1000  # 1329000 beside a table in thousands
    return any(full or belongs(origin, origins.table, sentence) for origin, _ in found)


def _tells(quantity: Quantity) -> bool:
    return sum(char.isdigit() for char in quantity.text.strip("0.,")) >= _TELLING


def _by_sentence(found: Found, origins: Origins, body: str, quantity: Quantity) -> Found:
    """The origins whose rows the sentence names; all where it names none and the number is too long for chance."""
    if not found:
        return ()
    sentence = sentence_at(body, quantity.start, quantity.end)
    named = [one for one in found if belongs(one[0], origins.table, sentence)]
    if _tells(quantity):
        return named or found
    return named if _COMPARES.search(sentence) else ()


def restated_share(
    quantity: Quantity,
    cell: Cell,
    origins: Origins,
    new: Mapping[Cell, Fraction],
    operations: Mapping[str, object],
) -> Fraction | None:
    """The new size of a percentage or ratio of the table: it stays where no amounts of its row or column give it."""
    number = shown(quantity)
    row, column = cell
    found = [
        one
        for one in origins.of(number, operations, (1, 10**3))
        if cell not in one[0].cells
        and (
            all(place[0] == row for place in one[0].cells)
            or all(place[1] == column for place in one[0].cells)
        )
    ]
    if not found and "change" in operations:
        about = Shown(number.value, _POINTS, number.unit)
        nearly = [
            one for one, _ in origins.of(about, {"share": None}) if {at[1] for at in one.cells} == {column}
        ]
        # A ratio that the report rounded more than it shows.
        return None if nearly and _RATIO.search(origins.table[row][0]) else number.value
    if not found:
        about = Shown(number.value, number.value * _ABOUT, number.unit)
        nearly = [one for one, _ in origins.of(about, operations, (1, 10**3)) if cell not in one.cells]
        # It may follow from rounded amounts of its column.
        return None if any({place[1] for place in one.cells} == {column} for one in nearly) else number.value
    in_row = [one for one in found if one[0].cells[0][0] == row]
    return agreed(in_row or found, number, new)
