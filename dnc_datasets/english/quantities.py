"""Quantities: the numbers of a text as one reads them, with what they count."""

from __future__ import annotations

from fractions import Fraction

from dnc_datasets import numerals


def values_of(text: str) -> list[Fraction]:
    """Every value of the text, smallest first: the same for texts whose numbers only change places."""
    return sorted(quantity.value for quantity in numerals.find(text))
