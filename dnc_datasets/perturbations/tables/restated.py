"""Amounts of a report's text that grow with its table: sums of money, and figures that the table shows too."""

from __future__ import annotations

import re
from collections.abc import Set
from fractions import Fraction
from typing import Final

from dnc_datasets import numerals
from dnc_datasets.numerals import Quantity
from dnc_datasets.perturbations.numbers.amounts import AMOUNTS, currency_before, is_name, is_year
from dnc_datasets.problem import Problem

_SCALES: Final = {"thousand": 10**3, "million": 10**6, "billion": 10**9}
_WORDED: Final = re.compile(r"([0-9][0-9,.]*)( ?(?:thousand|million|billion|trillion))")
# A price, a rate, a value of one share: it stays where the amounts grow.
_PRICE_BEFORE: Final = re.compile(
    r"\b(?:price|prices|par value|nominal value|rate|exercise|strike|fee)s?\b[^.;]{0,30}\Z", re.IGNORECASE
)
_PRICE_AFTER: Final = re.compile(
    r"(?: (?:million|billion|thousand))?,?(?: par value)? (?:per|an?|each)\b|/", re.IGNORECASE
)
_WINDOW: Final = 45
_FEWEST_DIGITS: Final = 3


def growing(problem: Problem, cells: Set[Fraction]) -> list[Quantity] | None:
    """The amounts of the body that grow with the cells, in order; None where one cannot be told.

    `cells` are the sizes of the amounts that the table shows.
    """
    body, found = problem.body, []
    unit = _SCALES.get(problem.note("table_scale"), 1)
    for quantity in numerals.find(body):
        if quantity.kind not in AMOUNTS or quantity.kind == "percent" or not quantity.value:
            continue
        start, end = quantity.start, quantity.end
        money = quantity.kind == "money" or currency_before(body, start) != ""
        shown = is_shown(quantity, cells, unit)
        if not money and not shown:
            continue
        if not money and is_year(quantity.text):
            continue
        if not money and is_name(body, "body", quantity.text, start, end):
            return None  # it may name something, or be the amount
        price = _PRICE_AFTER.match(body, end) or _PRICE_BEFORE.search(body, max(0, start - _WINDOW), start)
        if price:
            if shown:
                return None  # it may be either
            continue
        if quantity.value < 0 or not (quantity.text[-1].isdigit() or _WORDED.fullmatch(quantity.text)):
            return None
        found.append(quantity)
    return found


def is_shown(quantity: Quantity, cells: Set[Fraction], unit: int) -> bool:
    """Whether the table shows this amount, in its own unit or in full: "$4.3 million" beside 4,312 thousand."""
    value = abs(quantity.value)
    if sum(char.isdigit() for char in quantity.text.strip("0.,")) < _FEWEST_DIGITS:
        return False  # it is shown by chance
    if value in cells:
        return True
    worded = _WORDED.fullmatch(quantity.text)
    if worded is None:
        return unit > 1 and value / unit in cells
    one = value / (numerals.parse(worded[1]) or 1)
    half = one / 10 ** len(worded[1].partition(".")[2]) / 2
    return any(abs(cell * scale - value) <= half for cell in cells for scale in {unit, 1, 10**3, 10**6})


def grown(quantity: Quantity, factor: Fraction, cells: Set[Fraction]) -> str:
    """The amount times the factor, written as it was; one that rounds what the table shows rounds that again.

    `cells` are the sizes of the amounts of the table, and how far those of one row are apart.
    """
    worded = _WORDED.fullmatch(quantity.text)
    if worded is None:
        return numerals.digits(quantity.value * factor, like=f",{quantity.text}")
    told = numerals.parse(worded[1]) or Fraction(1)
    decimals = len(worded[1].partition(".")[2])
    one, half = quantity.value / told, Fraction(1, 2 * 10**decimals)
    exact = {cell * scale / one for cell in cells for scale in (1, 10**3, 10**6)}
    meant = {value for value in exact if abs(value - told) <= half}
    if told in meant:
        return numerals.digits(told * factor, like=f",{worded[1]}") + worded[2]
    new = round((meant.pop() if len(meant) == 1 else told) * factor, decimals)
    return numerals.digits(new, like=f",{worded[1]}") + worded[2]
