"""The type of a number found in text."""

from __future__ import annotations

from fractions import Fraction
from functools import lru_cache
from typing import NamedTuple

from dnc_datasets.fast_fraction import FastFraction

Ratio = tuple[int, int]  # numerator and denominator, in lowest terms

_SCALE_LETTERS = "bkmntBKMNT"

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
    """One number in a text: `text` equals `field_text[start:end]`, and `ratio` is its value."""

    text: str
    ratio: Ratio  # not a Fraction, which is slower to create, hash and compare
    start: int
    end: int
    kind: str
    field: str = ""

    @property
    def value(self) -> Fraction:
        """The value as a Fraction."""
        return _fraction(self.ratio)

    @property
    def is_integer(self) -> bool:
        """Return whether the value is an integer ("3", "3.0", "three", "1.2 million")."""
        return self.ratio[1] == 1

    @property
    def unscaled(self) -> Quantity:
        """The number without a letter that scales it: 386 of "£386m". Any other number is unchanged."""
        if self.kind != "money" or self.text[-1:] not in _SCALE_LETTERS or not self.text[:1].isdigit():
            return self
        digits = self.text.rstrip(_SCALE_LETTERS)
        if not digits[-1].isdigit():  # "12 million"
            return self
        whole, _, decimals = digits.replace(",", "").partition(".")
        value = Fraction(int(whole + decimals), 10 ** len(decimals))
        return self._replace(text=digits, ratio=value.as_integer_ratio(), end=self.start + len(digits))

    @property
    def in_digits(self) -> bool:
        """Return whether the number is written in digits, not words."""
        return not self.text[:1].isalpha()


@lru_cache(maxsize=8192)
def _fraction(ratio: Ratio) -> Fraction:
    return FastFraction.quotient(*ratio)
