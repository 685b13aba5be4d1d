"""Which numbers of a report a careful author denies: few, one a sentence, and first those that the question needs."""

from __future__ import annotations

import re
from bisect import bisect_right
from collections.abc import Mapping, Sequence
from fractions import Fraction
from typing import Final

from dnc_datasets import expression, numerals
from dnc_datasets.english.lexicon import TIME_UNIT
from dnc_datasets.english.reading.content_words import content_words
from dnc_datasets.english.reading.report_sentences import sentence_spans
from dnc_datasets.errors import ExpressionError
from dnc_datasets.perturbations.numbers.amounts import repeats_heading
from dnc_datasets.perturbations.numbers.report_style import in_list, in_row
from dnc_datasets.problem import Problem

_MOST: Final = 3
_FEWEST_WORDS: Final = 5
_ENDS: Final = re.compile(r"[.!?][\"'”’)]*\Z")
_PERIOD_AFTER: Final = re.compile(rf"[- ](?:[a-z]+ )?(?:{TIME_UNIT}|quarter|period)s?\b", re.IGNORECASE)
# "The three months ended September 30" is the name of a quarter.
_ENDED_AFTER: Final = re.compile(
    rf"[- ](?:[a-z]+ )?(?:{TIME_UNIT})s?(?: period)? end(?:ed|ing)\b", re.IGNORECASE
)
_PERCENT: Final = Fraction(1, 100)
_SCALES: Final = (1, 10**3, 10**6, 10**9)
_IN_RANGE: Final = re.compile(
    r"\b(?:between|minimum|range[sd]?|ranging)\b[^.]{0,80}\Z|\d[%,]* to [$€£]? ?\Z", re.IGNORECASE
)
_RANGE_AFTER: Final = re.compile(r"[%\w ]{0,12} to [$€£]? ?\d")
_QUESTION: Final = "question"
_WINDOW: Final = 100


def selected(problem: Problem, places: Mapping[str, Sequence[tuple[int, int]]]) -> set[tuple[str, int]]:
    """Of the places of numbers in each text, those that get a denial, each by its text and its start."""
    needed = _operands(problem)
    asked = content_words(problem.question)
    alone: dict[tuple[str, int], tuple[tuple[int, int], int]] = {}
    listed: dict[tuple[str, int], tuple[tuple[int, int], int]] = {}
    for path, spots in places.items():
        text = dict(problem.texts())[path]
        found = numerals.find(text)
        at_start = {quantity.start: at for at, quantity in enumerate(found)}
        spans = sentence_spans(text)
        starts = [start for start, _ in spans]
        flat = {
            bisect_right(starts, one.start) - 1 for at, one in enumerate(found) if in_row(text, found, at)
        }
        for start, end in spots:
            sentence = bisect_right(starts, start) - 1
            at = at_start.get(start)
            if at is None or sentence < 0 or sentence in flat or repeats_heading(problem, text, start, end):
                continue
            said = text[slice(*spans[sentence])]
            if not _is_sentence(said) or _is_bound(text, start, end, asked=path == _QUESTION):
                continue
            needs = any(abs(found[at].unscaled.value) * scale in needed for scale in (*_SCALES, _PERCENT))
            rank = (-needs, -len(asked & content_words(said)))
            best = listed if in_list(text, found, at) else alone
            if (path, sentence) not in best or rank < best[path, sentence][0]:
                best[path, sentence] = (rank, start)
    # One number of a list is denied only where there is no other.
    order = sorted((alone or listed).items(), key=lambda item: (item[1][0], item[0]))
    return {(path, start) for (path, _), (_, start) in order[: _MOST if alone else 1]}


def _is_bound(text: str, start: int, end: int, *, asked: bool) -> bool:
    """Whether the number is in a range, in the name of a period, or a period of a question, as headings give too."""
    since = max(0, start - _WINDOW)
    if _IN_RANGE.search(text, since, start) or _RANGE_AFTER.match(text, end) or _ENDED_AFTER.match(text, end):
        return True
    return asked and _PERIOD_AFTER.match(text, end) is not None


def _operands(problem: Problem) -> set[Fraction]:
    """The values of the equation, in every scale in which a text may state them."""
    try:
        leaves = expression.parse(problem.equation).leaves() if problem.equation else []
    except ExpressionError:
        return set()
    sizes = {abs(leaf.number) for leaf in leaves if isinstance(leaf, expression.Number)}
    return {size * scale for size in sizes for scale in _SCALES if size > 1}


def _is_sentence(said: str) -> bool:
    return _ENDS.search(said) is not None and said.count(" ") >= _FEWEST_WORDS
