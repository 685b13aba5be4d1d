"""Ratios, changes in percent and averages that a text states of its own amounts: they hold for new amounts too."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from fractions import Fraction
from itertools import permutations
from typing import Final

from dnc_datasets import numerals
from dnc_datasets.english.lexicon import MULTIPLES, RATIO_WORDS
from dnc_datasets.english.reading.report_sentences import sentence_spans
from dnc_datasets.expression import Expr, Number
from dnc_datasets.memoization import memoized
from dnc_datasets.numerals import Stated
from dnc_datasets.perturbations.numbers.calculations import Exact
from dnc_datasets.perturbations.numbers.value_bounds import words_of

_AVERAGES: Final = frozenset(("average", "averages", "averaged", "mean"))
_SHARES: Final = RATIO_WORDS.union(MULTIPLES)
_RATIOS: Final = frozenset(("percent", "multiple", "fraction"))
_AMOUNTS: Final = frozenset(("cardinal", "decimal", "money", "word"))
_LEAST: Final = 1  # "half" is a word for a number, too
_MOST_AMOUNTS: Final = 12
_FEWEST: Final = 3  # an average and two amounts
# "25 %" may be a share between 24.5 and 25.5 %.
_HALF: Final = Fraction(1, 200)

Relation = tuple[str, tuple[Fraction, ...], Fraction]


def stated_ratios_hold(text: str, tree: Expr, new: Mapping[Exact, Exact]) -> bool:
    """Return whether every ratio and average that the text states of its amounts holds for the new ones.

    A ratio that the equation uses is an operand and no statement about the others.
    """
    if "%" not in text and _SHARES.isdisjoint(words_of(text)) and _AVERAGES.isdisjoint(words_of(text)):
        return True
    used = {leaf.number for leaf in tree.leaves() if isinstance(leaf, Number)}
    for kind, amounts, value in _relations(text):
        if kind != "average" and used & {value, value * 100, 1 / value, 1 - value, 1 + value}:
            continue
        moved = tuple(Fraction(new.get(amount, amount)) for amount in amounts)
        if moved != amounts and not _holds(kind, moved, Fraction(new.get(value, value))):
            return False
    return True


@memoized
def _relations(text: str) -> tuple[Relation, ...]:
    """Return the ratios and averages that a text states of its own amounts, as far as they are true."""
    found: list[Relation] = []
    spans = sentence_spans(text)
    values = numerals.stated(text)
    amounts = [one for one in values if one.kind in _AMOUNTS and one.value >= _LEAST]
    if len(amounts) > _MOST_AMOUNTS:
        return ()
    for start, end in spans:
        here = [one for one in amounts if start <= one.start < end]
        for ratio in values:
            if (ratio.kind in _RATIOS or 0 < ratio.value < _LEAST) and start <= ratio.start < end:
                found.extend(_ratios(ratio, here, amounts))
        if not _AVERAGES.isdisjoint(words_of(text[start:end])):
            found.extend(_averages([one.value for one in here]))
            # "The three shops sold 20, 30 and 40 cakes": the number of shops is none of the amounts.
            found.extend(_averages([one.value for one in here if one.kind != "word"]))
    return tuple(found)


def _ratios(ratio: Stated, here: Sequence[Stated], amounts: Sequence[Stated]) -> Iterator[Relation]:
    """Yield the relations of two amounts, one of them in the ratio's sentence, that the ratio states."""
    kinds = ("part", "growth", "fall") if ratio.kind == "percent" else ("multiple",)
    for one, other in permutations(amounts, 2):
        if ratio.value and (one in here or other in here) and one.value != other.value:
            pair = (one.value, other.value)
            yield from ((kind, pair, ratio.value) for kind in kinds if _holds(kind, pair, ratio.value))


def _averages(values: Sequence[Fraction]) -> Iterator[Relation]:
    if len(values) < _FEWEST:
        return
    for at, value in enumerate(values):
        others = (*values[:at], *values[at + 1 :])
        if _holds("average", others, value):
            yield "average", others, value


def _holds(kind: str, amounts: Sequence[Fraction], value: Fraction) -> bool:
    if kind == "average":
        return sum(amounts) == value * len(amounts)
    one, other = amounts
    if kind == "multiple":
        return one == value * other
    part = {"part": one, "growth": one - other, "fall": other - one}[kind]
    return abs(part / other - value) < _HALF
