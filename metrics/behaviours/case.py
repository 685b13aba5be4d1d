"""A problem for behaviours: its numbers in reading order, its calculation, and its original."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from itertools import pairwise
from typing import Any, NamedTuple

from dnc_datasets import numerals
from dnc_metrics._mistakes import Ratio, Tree, calculation, evaluate, number_of

# Bounds: longer texts are read in part; larger numbers and longer calculations give no prediction.
_MAX_TEXT = 20_000
_MAX_NUMBERS = 60
_MAX_OPERANDS = 8
_MAX_BITS = 256
# The text between a number and a denied one: "12 (not 87)", "12 pens, not 87".
_DENIAL = re.compile(
    r"(?:[\s.]{1,3}[^\W\d]{1,30}){0,3}[\s%]{0,3}[(,–—-]\s{0,3}(?:and\s{1,3})?not\s{1,3}[$£€]?\s{0,3}\Z"
)


class Written(NamedTuple):
    """A number of the text and its spelling."""

    value: Ratio
    text: str
    is_denied: bool = False

    @property
    def in_words(self) -> bool:
        """Return whether the number is written in words."""
        return self.text[:1].isalpha()


@dataclass(frozen=True)
class Original:
    """The problem before the perturbation."""

    answer: Ratio | None
    tree: Tree | None
    operands: tuple[Ratio, ...]
    numbers: tuple[Ratio, ...]


@dataclass(frozen=True)
class Case:
    """A problem: its answer, the numbers of its calculation, and the others."""

    gold: Ratio
    written: tuple[Written, ...]  # every number of the text, in reading order
    denials: tuple[tuple[Ratio, Ratio], ...] = ()  # a number, and the number that it is said not to be
    tree: Tree | None = None
    operands: tuple[Ratio, ...] = ()
    original: Original | None = None

    @classmethod
    def of(cls, row: Mapping[str, Any]) -> Case | None:
        """Return the case of a dataset row, or None if its answer is not a number of moderate size.

        >>> case = Case.of({"body": "Tom had 12 (not 87) pens and lost 3.", "question": "How many are left?",
        ...                 "equation": "12 - 3", "answer": "9"})
        >>> case.numbers, case.denials
        (((12, 1), (3, 1)), (((12, 1), (87, 1)),))
        """
        gold = number_of(str(row["answer"]))
        if gold is None or _is_huge(gold):
            return None
        written, denials = _read(row)
        tree, operands = _calculation(row)
        source = row.get("source")
        original = None
        if source:
            before, _ = _read(source)
            answer = number_of(str(source["answer"]))
            numbers = tuple(one.value for one in before if not one.is_denied)
            original = Original(answer, *_calculation(source), numbers)
        return cls(gold, written, denials, tree, operands, original)

    @cached_property
    def numbers(self) -> tuple[Ratio, ...]:
        """Return the numbers of the text without the denied ones, in reading order."""
        return tuple(one.value for one in self.written if not one.is_denied)

    @cached_property
    def all_numbers(self) -> tuple[Ratio, ...]:
        """Return the numbers of the text with the denied ones, in reading order."""
        return tuple(one.value for one in self.written)

    @cached_property
    def denied(self) -> tuple[Ratio | None, ...]:
        """Return for each operand the number that the text denies, or None."""
        left = list(self.denials)
        known = dict(reversed(left))
        pairs: list[Ratio | None] = []
        for operand in self.operands:
            pair = next((one for one in left if one[0] == operand), None)
            if pair is not None:
                left.remove(pair)
            pairs.append(pair[1] if pair else known.get(operand))
        return tuple(pairs)

    @cached_property
    def added(self) -> tuple[Ratio, ...]:
        """Return the numbers that the original does not have, if the perturbation kept the calculation."""
        before = self.original
        if before is None or before.operands != self.operands:
            return ()
        return tuple((Counter(self.numbers) - Counter(before.numbers)).elements())

    @cached_property
    def irrelevant(self) -> tuple[Ratio, ...]:
        """Return the numbers of the text that are neither operands nor added by the perturbation."""
        if self.tree is None:
            return ()
        counts = Counter(self.numbers) - Counter(self.added)
        return tuple(value for value in counts if value not in self.operands)

    def result(self, operands: Sequence[Ratio], tree: Tree | None = None) -> Iterator[Ratio]:
        """Yield the value of the calculation with these operands; nothing for a division by zero."""
        chosen = self.tree if tree is None else tree
        value = None if chosen is None else evaluate(chosen, operands)
        if value is not None:
            yield value


def _calculation(row: Mapping[str, Any]) -> tuple[Tree | None, tuple[Ratio, ...]]:
    tree, operands = calculation(str(row.get("equation") or ""))
    if len(operands) > _MAX_OPERANDS or any(map(_is_huge, operands)):
        return None, ()
    return tree, operands


def _read(row: Mapping[str, Any]) -> tuple[tuple[Written, ...], tuple[tuple[Ratio, Ratio], ...]]:
    """Return the numbers of a row in reading order, and the denied ones with their operands."""
    texts = [row.get("body") or "", *(row.get("segments") or ()), row.get("question") or ""]
    texts += [cell for cells in row.get("table") or () for cell in cells]
    written: list[Written] = []
    denials: list[tuple[Ratio, Ratio]] = []
    for text in texts:
        if len(written) >= _MAX_NUMBERS:
            break
        shown = str(text)[:_MAX_TEXT]
        found = [one for one in numerals.find(shown) if not _is_huge(one.ratio)]
        denied: set[int] = set()
        for one, other in pairwise(found) if " not " in shown or "(not " in shown else ():
            if one.end not in denied and _DENIAL.match(shown[one.end : other.start]):
                denials.append((one.ratio, other.ratio))
                denied.add(other.end)
        written += [Written(one.ratio, one.text, one.end in denied) for one in found]
    return tuple(written[:_MAX_NUMBERS]), tuple(denials[:_MAX_NUMBERS])


def _is_huge(value: Ratio) -> bool:
    return value[0].bit_length() > _MAX_BITS or value[1].bit_length() > _MAX_BITS
