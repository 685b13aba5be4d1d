"""Selection of denied numbers in a report: a few, one in each sentence, preferably operands."""

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
from dnc_datasets.numerals import Quantity
from dnc_datasets.perturbations.numbers.amounts import currency_before, repeats_heading
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
    r"\b(?:between|minimum|range[sd]?|ranging)\b(?:[^.]|\.(?=\d)){0,80}\Z|\d[%,]* to [$€£]? ?\Z",
    re.IGNORECASE,
)
# "The next twelve months" is the name of a window of time, "three measures of it: peak" counts listed things.
_WINDOW_BEFORE: Final = re.compile(
    r"\b(?:next|following|succeeding|subsequent|past|last|previous|preceding|prior|first) \Z", re.IGNORECASE
)
_MONTHS_OF_A_YEAR: Final = ("12", "twelve")
_LISTED_AFTER: Final = re.compile(r"(?! ?%)[^.;:%$€£\d]{1,80}:")
# "$2.50 par value", "a 50% likelihood", "$2.3 bil- lion", and the blank of another encoding before "million".
_TERM_AFTER: Final = re.compile(
    r" (?:par|face|stated|liquidation) value\b| (?:likelihood|probability|confidence|chance)\b|"
    r" (?:a0 ?)?(?:mil|bil|percent|thou)-| a0",
    re.IGNORECASE,
)
_TERM_BEFORE: Final = re.compile(r"\b(?:par|face|stated) value(?: of)? [$€£]? ?\Z", re.IGNORECASE)
# "More than 10%", "assumes that $100 was invested": denying a bound or an assumption is uninformative.
_BOUND_BEFORE: Final = re.compile(
    r"\b(?:(?:more|greater|less|fewer|higher|lower|later|other) than|at least|at most|up to|over|under|above|below|"
    r"in excess of|exceed(?:s|ed|ing)?|threshold of|limit of|as (?:much|many) as)"
    r"(?: (?:a|the|approximately|about))? ?[$€£]? ?\Z|\b(?:assum(?:e|es|ed|ing)|if)\b[^.,]{0,60}\Z",
    re.IGNORECASE,
)
_BOUND_AFTER: Final = re.compile(
    r" (?:[a-z]+ )?(?:or (?:less|more|fewer|greater|above|below|higher|lower)|and (?:above|below|over|under))\b",
    re.IGNORECASE,
)
# "the 3.95% notional swap"
_ATTRIBUTE_AFTER: Final = re.compile(r"(?:(?<=%)| ?%| percent) (?!(?:of|in|on|per|and|to|for|from)\b)[a-z]")
_ATTRIBUTE_BEFORE: Final = re.compile(r"\b(?:an?|the|our|its|this|that|each|any) \Z", re.IGNORECASE)
# "$316.2 million, which expire": the clause follows its number.
_CLAUSE_AFTER: Final = re.compile(r" ?,? (?:of )?(?:which|who|whom|whose|where)\b")
# "assumes that $100 was invested", "* $ 100 invested on": the base of an index.
_BASE_AFTER: Final = re.compile(r" (?:(?:was|were|is) )?(?:[a-z]+ )?invested\b")
_SHARE_AFTER: Final = re.compile(r" ?%| per ?cent\b")
_RANGE_AFTER: Final = re.compile(r"[%\w ]{0,12} to [$€£]? ?\d")
_QUESTION: Final = "question"
_WINDOW: Final = 100


def selected(problem: Problem, places: Mapping[str, Sequence[tuple[int, int]]]) -> set[tuple[str, int]]:
    """Return the places of numbers that get a denial, each as its text and its start."""
    needed = _operands(problem)
    asked = content_words(problem.question)
    alone: dict[tuple[str, int], tuple[tuple[int, int], int]] = {}
    weak: dict[tuple[str, int], tuple[tuple[int, int], int]] = {}
    listed: dict[tuple[str, int], tuple[tuple[int, int], int]] = {}
    bases: dict[tuple[str, int], tuple[tuple[int, int], int]] = {}
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
            if _repeats_share(text, found[:at], found[at], since=spans[sentence][0]):
                continue
            needs = any(abs(found[at].unscaled.value) * scale in needed for scale in (*_SCALES, _PERCENT))
            rank = (-needs, -len(asked & content_words(said)))
            best = listed if in_list(text, found, at) else weak if _says_little(text, start, end) else alone
            if _BASE_AFTER.match(text, end):
                best = bases
            if (path, sentence) not in best or rank < best[path, sentence][0]:
                best[path, sentence] = (rank, start)
    # One number of a list, a bound or the base of an index is denied only where there is no other.
    order = sorted((alone or weak or listed or bases).items(), key=lambda item: (item[1][0], item[0]))
    return {(path, start) for (path, _), (_, start) in order[: _MOST if alone else 1]}


def _is_bound(text: str, start: int, end: int, *, asked: bool) -> bool:
    """Return whether the number is in a range or a term, or is a period of the question or of a name."""
    since = max(0, start - _WINDOW)
    if _IN_RANGE.search(text, since, start) or _RANGE_AFTER.match(text, end) or _ENDED_AFTER.match(text, end):
        return True
    if _TERM_AFTER.match(text, end) or _TERM_BEFORE.search(text, since, start):
        return True
    if _CLAUSE_AFTER.match(text, end):
        return True
    if _WINDOW_BEFORE.search(text, since, start) and text[start:end].lower() in _MONTHS_OF_A_YEAR:
        return True
    return asked and _PERIOD_AFTER.match(text, end) is not None


def _repeats_share(text: str, earlier: Sequence[Quantity], here: Quantity, *, since: int) -> bool:
    """Return whether the number is the second of two equal shares of a sentence: "a 50% holding ... the other 50%"."""
    return _SHARE_AFTER.match(text, here.end) is not None and any(
        one.start >= since and one.value == here.value and _SHARE_AFTER.match(text, one.end)
        for one in earlier
    )


def _says_little(text: str, start: int, end: int) -> bool:
    """Return whether a denial is uninformative.

    It is for a bound or an assumption, for a count of listed things, and for a description of one thing.
    """
    since = max(0, start - _WINDOW)
    if _BOUND_BEFORE.search(text, since, start) or _BOUND_AFTER.match(text, end):
        return True
    if _WINDOW_BEFORE.search(text, since, start):
        return True
    if _LISTED_AFTER.match(text, end) and not currency_before(text, start):
        return True  # the counted things are listed
    attribute = _ATTRIBUTE_AFTER.match(text, end) is not None
    return attribute and _ATTRIBUTE_BEFORE.search(text, since, start) is not None


def _operands(problem: Problem) -> set[Fraction]:
    """Return the values of the equation in every scale that a text may use."""
    try:
        leaves = expression.parse(problem.equation).leaves() if problem.equation else []
    except ExpressionError:
        return set()
    sizes = {abs(leaf.number) for leaf in leaves if isinstance(leaf, expression.Number)}
    return {size * scale for size in sizes for scale in _SCALES if size > 1}


def _is_sentence(said: str) -> bool:
    return _ENDS.search(said) is not None and said.count(" ") >= _FEWEST_WORDS
