"""Amounts of money with a scale word, "$14.2 million", that are denied as one."""

from __future__ import annotations

import re
from collections.abc import Iterator
from fractions import Fraction
from typing import Final, NamedTuple

_AMOUNT: Final = re.compile(
    r"(?<![\w.])(?P<sign>[$€£¥])(?P<blank> ?)(?P<number>\d{1,3}(?:,\d{3}){0,4}(?:\.\d{1,3})?)"
    r"(?P<scale> (?:thousand|million|billion))\b(?![-–—/])",
    re.IGNORECASE,
)
_SCALES: Final = {"thousand": 10**3, "million": 10**6, "billion": 10**9}
_WINDOW: Final = 60
# "a $10 million share repurchase program": a denial must not separate an amount from its noun.
_NOUN: Final = re.compile(
    r" (?!(?:of|in|for|to|from|at|as|and|or|by|on|with|was|were|is|are|has|had|have|due|during|per|net of|which|that|"
    r"used|paid|received|recorded|recognized|related|relating|attributable|associated|primarily|mainly|partially|"
    r"over|under|after|before|compared|versus|while|including|excluding|based|through|since|resulting|respectively|"
    r"higher|lower|more|less|driven|but)\b)\w"
)
# "between $5 million and $6 million", "$5 million to $6 million": two ends that belong together.
_RANGE_BEFORE: Final = re.compile(
    r"\b(?:between|ranging from|range of) ?\Z|(?:thousand|million|billion) to ?\Z", re.I
)
_RANGE_AFTER: Final = re.compile(r" to [$€£¥]")
_MOVED: Final = re.compile(
    r"\b(?:increas|decreas|ris|rose|fell|grew|declin|reduc|improv|chang|down|up)[a-z]*\b[^;]{0,50}\Z",
    re.IGNORECASE,
)
# "the first $5 million", "up to $5 million", "in excess of": limits and units that a contract fixes.
_LIMIT: Final = re.compile(
    r"\b(?:first|next|each|every|per|minimum|maximum|least|most|excess of|exceeds?|exceeding|to the) ?\Z",
    re.IGNORECASE,
)
_BRACKET_AFTER: Final = re.compile(r" ?[a-z]* ?\(", re.IGNORECASE)


class ScaledAmount(NamedTuple):
    """An amount with a scale: its number, its start, its end with the scale, its sign and its scale."""

    number: str
    start: int
    end: int
    sign: str
    scale: str

    @property
    def ratio(self) -> tuple[int, int]:
        """The value of the number without its scale."""
        return Fraction(self.number.replace(",", "")).as_integer_ratio()


def scaled_amounts(text: str) -> Iterator[ScaledAmount]:
    """Yield the independent amounts with a scale, outside of brackets, names, ranges and limits.

    >>> [one.number for one in scaled_amounts("We paid $1.5 million for a $20 million plan.")]
    ['1.5']
    """
    for found in _AMOUNT.finditer(text):
        start, end = found.start("number"), found.end()
        before = text[max(0, found.start() - _WINDOW) : found.start()]
        if (
            _NOUN.match(text, end)
            or _LIMIT.search(before)
            or before.count("(") > before.count(")")
            or _BRACKET_AFTER.match(text, end)
        ):
            continue
        in_range = _RANGE_BEFORE.search(before) or _RANGE_AFTER.match(text, end)
        if in_range and not _MOVED.search(before):
            continue
        if Fraction(found["number"].replace(",", "")):
            yield ScaledAmount(found["number"], start, end, found["sign"], found["scale"])


def taken_by_scale(ratios: set[tuple[int, int]], decimals: int) -> set[tuple[int, int]]:
    """Return the values also in thousands, millions and billions, rounded.

    A cell with 12,876 in thousands is 12.9 million.

    >>> (129, 10) in taken_by_scale({(12876, 1)}, 1)
    True
    """
    found = set(ratios)
    for top, bottom in ratios:
        for scale in _SCALES.values():
            rounded = top * 10**decimals // (bottom * scale)
            found |= {Fraction(rounded + up, 10**decimals).as_integer_ratio() for up in (0, 1)}
    return found
