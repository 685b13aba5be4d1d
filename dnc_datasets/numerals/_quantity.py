"""The type of a number found in text."""

from __future__ import annotations

from fractions import Fraction
from typing import NamedTuple

KINDS = (
    "cardinal",
    "decimal",
    "percent",
    "money",
    "ordinal",
    "year",
    "date",
    "fraction",
    "word",
    "time",
    "range",
)


class Quantity(NamedTuple):
    """One number in a text: `text` is exactly `field_text[start:end]`, `value` what it denotes."""

    text: str
    value: Fraction
    start: int
    end: int
    kind: str
    field: str = ""

    @property
    def is_integer(self) -> bool:
        """Whether the value is whole ("3", "3.0", "three", "1.2 million")."""
        return self.value.denominator == 1

    @property
    def in_digits(self) -> bool:
        """Whether it is written with digits, not words."""
        return not self.text[:1].isalpha()
