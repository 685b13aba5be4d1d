"""The promise that thresholds, choices and rankings of earlier turns, and limits of a text, still hold."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Mapping, Sequence
from fractions import Fraction
from itertools import combinations

from dnc_datasets import numerals
from dnc_datasets.certificate.clauses import sentences
from dnc_datasets.certificate.stated_figures import named_lines, total_rows
from dnc_datasets.certificate.tables import Figure, Place, figures
from dnc_datasets.memoization import once_per_pair
from dnc_datasets.numerals import Quantity
from dnc_datasets.problem import Problem

_LIMIT = re.compile(
    r"\b(?:(?:less|lower|fewer|smaller|greater|more|higher|larger|bigger) than|below|under|above|over|"
    r"at (?:least|most)|exceed(?:s|ed|ing)?|pass(?:ed|es)|reach(?:ed|es)|top(?:ped|s)|surpass(?:ed|es)|beyond|within|"
    r"minimum of|maximum of)"
    r"(?: (?:a|the|of|about|by|mark))? ?(?:[A-Z]{3} )?[$€£¥]? ?\Z",
    re.IGNORECASE,
)
_RANKS = re.compile(
    r"\b(?:high(?:er|est)|low(?:er|est)|larg(?:er|est)|small(?:er|est)|great(?:er|est)|bigg(?:er|est)|most|least|fewest|"
    r"more|less|fewer|exceed\w*|rank\w*|order|top|bottom|maximum|minimum|best|worst|second|third|greater)\b",
    re.IGNORECASE,
)
_OF_CHANGE = re.compile(
    r"\b(?:change|(?:in|de)crease|growth|grew|grow|decline|rise|rose|fall|fell|difference|ratio|percent\w*|share|"
    r"proportion|average)\b|%",
    re.IGNORECASE,
)
_WINDOW = 40
_SCALES = (1, 10**3, 10**6, 10**9)
_UNITS = {"thousand": 10**3, "million": 10**6, "billion": 10**9}
_COUNTING = ("cardinal", "decimal", "money", "percent", "word")
_YEAR = re.compile(r"(?:19|20)\d\d")

Figures = Mapping[Place, Figure]


@once_per_pair
def earlier_turns_hold(original: Problem, perturbed: Problem) -> bool:
    """a threshold, a choice or a ranking that an earlier turn or the text states has the outcome that it had"""
    before, after = figures(original.table), figures(perturbed.table)
    if before.keys() != after.keys() or len(original.history) != len(perturbed.history):
        return False
    if all(before[place].value == after[place].value for place in before):
        return True
    scales = (_UNITS[unit],) if (unit := original.note("table_scale")) in _UNITS else _SCALES
    for was, now in zip(original.history, perturbed.history, strict=True):
        rows = named_lines(original.table, was.question).rows or frozenset(row for row, _ in before)
        places = [place for place in before if place[0] in rows]
        if not _limits_hold(was.question, now.question, places, before, after, (1, *scales)):
            return False
        ranks = _RANKS.search(was.question) is not None or was.answer.strip().lower() in ("yes", "no")
        if ranks and not _ranking_holds(places, before, after, _OF_CHANGE.search(was.question) is not None):
            return False
    return _text_limits_hold(original, perturbed, before, after, scales)


CHECKS: tuple[Callable[[Problem, Problem], bool], ...] = (earlier_turns_hold,)


def _text_limits_hold(
    original: Problem, perturbed: Problem, before: Figures, after: Figures, scales: Sequence[int]
) -> bool:
    """Return whether figures keep their sides of the money limits that the text states.

    The figures are those of the lines that the sentence names, or of totals.
    """
    old, new = numerals.find(original.body), numerals.find(perturbed.body)
    if len(old) != len(new):
        return False
    spans = sentences(original.body)
    for was, now in _limits(original.body, old, new):
        if was.kind != "money":
            continue
        start, end = next(((a, b) for a, b in spans if a <= was.start < b), (0, len(original.body)))
        named = named_lines(original.table, original.body[start:end])
        rows = named.rows or total_rows(original)
        places = [
            place for place in before if place[0] in rows and (place[1] in named.columns or not named.columns)
        ]
        if not _sides_kept(places, was, now, before, after, scales):
            return False
    return True


def _limits_hold(
    was: str, now: str, places: Sequence[Place], before: Figures, after: Figures, scales: Sequence[int]
) -> bool:
    old, new = numerals.find(was), numerals.find(now)
    return len(old) == len(new) and all(
        _sides_kept(places, one, other, before, after, scales) for one, other in _limits(was, old, new)
    )


def _limits(
    text: str, old: Sequence[Quantity], new: Sequence[Quantity]
) -> Iterator[tuple[Quantity, Quantity]]:
    """Yield the numbers after words such as "below", before and after a change."""
    for was, now in zip(old, new, strict=True):
        counts = was.kind in _COUNTING and not _YEAR.fullmatch(was.text)
        if counts and _LIMIT.search(text, max(0, was.start - _WINDOW), was.start):
            yield was, now


def _sides_kept(
    places: Sequence[Place],
    was: Quantity,
    now: Quantity,
    before: Figures,
    after: Figures,
    scales: Sequence[int],
) -> bool:
    """Return whether each figure keeps its side of a limit. A percentage may limit any result."""
    if was.kind == "percent":
        shares = [place for place in places if before[place].share]
        if not shares:
            return _scaled(places, before, after)
        places, scales = shares, (1,)
    return all(
        _side(before[place], was.value, scale) == _side(after[place], now.value, scale)
        for place in places
        for scale in scales
        if before[place].share == (was.kind == "percent")
    )


def _side(figure: Figure, limit: Fraction, scale: int) -> int:
    size = abs(figure.value) * scale
    return (size > limit) - (size < limit)


def _ranking_holds(places: Sequence[Place], before: Figures, after: Figures, of_results: bool) -> bool:
    """Return whether figures of rows and columns, and the sums of columns, keep their order."""
    if of_results:
        return _scaled([place for place in places if not before[place].share], before, after)
    plain = [place for place in places if not before[place].share]
    columns: dict[int, list[Place]] = {}
    for place in plain:
        columns.setdefault(place[1], []).append(place)
    sums = [
        tuple(sum((some[place].value for place in line), Fraction(0)) for some in (before, after))
        for line in columns.values()
    ]
    pairs = [
        ((before[one].value, after[one].value), (before[other].value, after[other].value))
        for one, other in combinations(plain, 2)
        if one[0] == other[0] or one[1] == other[1]
    ]
    return all(
        (one[0] < other[0]) == (one[1] < other[1]) and (one[0] == other[0]) == (one[1] == other[1])
        for one, other in (*pairs, *combinations(sums, 2))
    )


def _scaled(places: Sequence[Place], before: Figures, after: Figures) -> bool:
    """Return whether one factor moved all these figures, up to rounding."""
    pairs = [(before[place], after[place]) for place in places if before[place].value]
    if not pairs:
        return True
    largest = max(pairs, key=lambda pair: abs(pair[0].value))
    factor = largest[1].value / largest[0].value
    return all(
        abs(new.value - old.value * factor)
        <= new.place + abs(old.value * largest[1].place / largest[0].value)
        for old, new in pairs
    )
