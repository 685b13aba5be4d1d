"""What differs between two problems, text by text: a text that is the same to the letter need not be read again."""

from __future__ import annotations

from collections.abc import Callable
from functools import wraps
from typing import TypeVar

from dnc_datasets import numerals
from dnc_datasets.numerals import Ratio
from dnc_datasets.problem import Problem

T = TypeVar("T")


def once_per_pair(function: Callable[[Problem, Problem], T]) -> Callable[[Problem, Problem], T]:
    """Remember the result for the latest two problems, because several promises of a row need it."""
    latest: tuple[Problem, Problem, T] | None = None

    @wraps(function)
    def recall(original: Problem, perturbed: Problem) -> T:
        nonlocal latest
        known = latest
        if known is not None and known[0] is original and known[1] is perturbed:
            return known[2]
        made = function(original, perturbed)
        latest = original, perturbed, made
        return made

    return recall


@once_per_pair
def changed_texts(original: Problem, perturbed: Problem) -> list[tuple[str, str]] | None:
    """The texts that changed, before and after, in reading order; None where there are more or fewer than before."""
    pairs = [(original.body, perturbed.body)]
    if original.segments != perturbed.segments:
        if len(original.segments) != len(perturbed.segments):
            return None
        pairs += zip(original.segments, perturbed.segments, strict=True)
    if original.table != perturbed.table:
        if list(map(len, original.table)) != list(map(len, perturbed.table)):
            return None
        for was, now in zip(original.table, perturbed.table, strict=True):
            if was != now:
                pairs += zip(was, now, strict=True)
    if original.history != perturbed.history:
        if len(original.history) != len(perturbed.history):
            return None
        for turn, new in zip(original.history, perturbed.history, strict=True):
            pairs += zip(turn, new, strict=True)
    pairs.append((original.question, perturbed.question))
    return [pair for pair in pairs if pair[0] != pair[1]]


def changed_numbers(original: Problem, perturbed: Problem) -> list[tuple[Ratio, Ratio]] | None:
    """The numbers of the texts that changed, before and after; None where the problems do not have as many.

    Where one text has more than before and another fewer, these are all numbers of the problem.
    """
    found: list[tuple[Ratio, Ratio]] = []
    texts = changed_texts(original, perturbed)
    for was, now in texts or ():
        before, after = numerals.find(was), numerals.find(now)
        if len(before) != len(after):
            texts = None
            break
        found += zip([one.ratio for one in before], [one.ratio for one in after], strict=True)
    if texts is not None:
        return found
    every, new = original.ratios(), perturbed.ratios()
    return list(zip(every, new, strict=True)) if len(every) == len(new) else None
