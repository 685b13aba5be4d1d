"""The labels of a table's rows, and tests of whether a sentence names a row."""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import Final

from dnc_datasets.english.reading.report_words import words

_MARKS: Final = re.compile(r"\(\w{1,2}\)|\(see [\w ,.&-]{0,60}\)|[*†‡]|\s+", re.IGNORECASE)
# A tax has many names: provision, expense, charge or benefit.
_TAX: Final = words("tax")
_NAMES_OF_TAX: Final = words("provision expense benefit charge credit income")
# The goodwill of an acquisition: the sentence names the acquired company.
_ACQUIRED: Final = re.compile(r"\bacqui(?:red?|sitions?)\b|\bbusiness combinations?\b", re.IGNORECASE)
_GOODWILL: Final = re.compile(r"\bgoodwill\b", re.IGNORECASE)
_FEES: Final = re.compile(r"\bfees?\b", re.IGNORECASE)
_RATE: Final = re.compile(r"\d ?%|\d per ?cent\b")


class RowLabel:
    """The label of a row: its words, and its text without note marks."""

    def __init__(self, text: str) -> None:
        self.text = _MARKS.sub(" ", text.lower()).strip()
        self.words = words(self.text)
        self.acquired = _ACQUIRED.search(text) is not None
        self.fees = _FEES.search(text) is not None
        self.tax = self.words - _NAMES_OF_TAX if self.words & _TAX and self.words & _NAMES_OF_TAX else None

    def is_in(self, sentence: str, spoken: frozenset[str]) -> bool:
        """Return whether a sentence names the row: by the label, or by all of its words if it has several."""
        if not self.words:
            return False
        return (len(self.words) > 1 and self.words <= spoken) or f" {self.text} " in f" {sentence} "

    def is_named(self, sentence: str) -> bool:
        """Return whether a sentence names the row. A tax has several names, an acquisition its goodwill."""
        small, spoken = sentence.lower(), words(sentence)
        if self.is_in(small, spoken):
            return True
        if self.tax is not None and self.tax <= spoken and spoken & _NAMES_OF_TAX:
            return True
        return (
            self.acquired
            and _GOODWILL.search(sentence) is not None
            and _ACQUIRED.search(sentence) is not None
        )

    def is_rated(self, sentence: str) -> bool:
        """Return whether the row is a fee, and the sentence states several rates of a fee."""
        return self.fees and _FEES.search(sentence) is not None and len(_RATE.findall(sentence)) > 1


def row_labels(table: Sequence[Sequence[str]]) -> tuple[tuple[int, RowLabel], ...]:
    """Return the labels of the rows below the first one."""
    return tuple((row, RowLabel(cells[0])) for row, cells in enumerate(table) if row and cells)


def below(table: Sequence[Sequence[str]], row: int) -> range:
    """The rows of the section that a label without numbers opens, and of any other row only this one."""
    if _is_filled(table[row]):
        return range(row, row + 1)
    end = row + 1
    while end < len(table) and _is_filled(table[end]):
        end += 1
    return range(row, end)


def _is_filled(cells: Sequence[str]) -> bool:
    return any(cell.strip() for cell in cells[1:])
