"""The differences between two problems, text by text. Identical texts need not be read again."""

from __future__ import annotations

from dnc_datasets import numerals
from dnc_datasets.memoization import once_per_pair
from dnc_datasets.numerals import Ratio
from dnc_datasets.problem import Problem


@once_per_pair
def changed_texts(original: Problem, perturbed: Problem) -> list[tuple[str, str]] | None:
    """Return the changed texts, before and after, in reading order.

    Return None if the problems have different numbers of texts.
    """
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


def changed_numbers(original: Problem, perturbed: Problem) -> tuple[list[Ratio], list[Ratio]] | None:
    """Return the numbers of the changed texts, before and after.

    If the count of numbers differs within a text, return all numbers of both problems. Return None if these
    counts also differ.
    """
    before: list[Ratio] = []
    after: list[Ratio] = []
    texts = changed_texts(original, perturbed)
    for was, now in texts or ():
        before += [one.ratio for one in numerals.find(was)]
        after += [one.ratio for one in numerals.find(now)]
        if len(before) != len(after):
            texts = None
            break
    if texts is None:
        before, after = original.ratios(), perturbed.ratios()
    return (before, after) if len(before) == len(after) else None
