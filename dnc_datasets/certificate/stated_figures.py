"""The promise that counts, totals, differences, averages and ratios in words agree with a changed table.

A number of one or two digits equals a figure by chance. It counts if its sentence names the row or the
column.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Mapping, Sequence
from fractions import Fraction
from itertools import combinations, permutations
from typing import NamedTuple

from dnc_datasets import numerals
from dnc_datasets.certificate.clauses import stem
from dnc_datasets.certificate.tables import Figure, Place, figures
from dnc_datasets.english.lexicon import NAMES_OF_NO_LINE, RATIOS_IN_WORDS
from dnc_datasets.memoization import memoized, once_per_pair
from dnc_datasets.numerals import Quantity
from dnc_datasets.problem import Problem

_WORD = re.compile(r"[a-z]{3,}")
_YEAR = re.compile(r"\b(?:19|20)\d\d\b")
_NAMES_NO_LINE = frozenset(map(stem, NAMES_OF_NO_LINE))
_TIME = re.compile(
    r"[- ](?:\w+ )?(?:months?|weeks?|days?|years?|hours?|minutes?|quarters?|per ?cent|basis|degrees)\b|[%°]"
)
_SCALE = re.compile(r"(?:thousand|million|billion|bn|mn|m|k)\Z", re.IGNORECASE)
_IN_ALL = re.compile(
    r"\bin all\b|\baltogether\b|\bin total\b|\btotal(?:l?ed|l?ing)?\b|\bcombined\b|\btogether\b",
    re.IGNORECASE,
)
_CHANGED_BY = re.compile(
    r"\b(?:grew|grown|rose|fell|dropped|declin\w+|(?:in|de)creas\w+|gained|lost|up|down)(?: in \w+)? ?(?:by|of)? ?"
    r"[$€£¥]? ?\Z",
    re.IGNORECASE,
)
_MORE = re.compile(r" (?:\w+ )?(?:more|fewer|less) than\b", re.IGNORECASE)
_AVERAGE = re.compile(r"\baverage\b", re.IGNORECASE)
_NUMBERED = re.compile(
    r"\b(?:notes?|items?|sections?|topics?|pages?|no\.|levels?|stages?|phases?|parts?|forms?|chapters?|tables?|exhibits?|"
    r"as[cu]|ifrs|ias)\s\Z",
    re.IGNORECASE,
)
_AFTER = re.compile(r"(?:[ -][A-Za-z]+){1,3}")
_LEAST, _SHORT, _CERTAIN = 2, 10, 20
_WINDOW = 40
_SEVERAL = 3
_SCALES = (1, 10**3, 10**6, 10**9)
_UNITS = {"thousand": 10**3, "million": 10**6, "billion": 10**9}
_COUNTING = ("cardinal", "decimal", "money", "word")

_NEARLY = r"(?P<nearly>(?:almost|nearly|about|around|roughly|approximately|some|more than|over|less than|under|just) )?"
# Words for a ratio of two lines, and words for a change of one line.
_TIMES = re.compile(
    rf"\b{_NEARLY}(?:(?P<two>twice|double) |(?P<three>three times|thrice|triple) |(?P<half>half (?:of |as |the ))|"
    r"(?P<thirds>two[- ]thirds of)|(?P<third>(?:a|one)[- ]third of)|(?P<quarters>three[- ]quarters of)|"
    r"(?P<quarter>(?:a|one)[- ]quarter of))",
    re.IGNORECASE,
)
_BY = re.compile(
    rf"\b(?:rose|grew|fell|dropped|declined|increased|decreased|up|down|shrank) (?:by )?{_NEARLY}"
    r"(?:(?P<half>half)|(?P<third>(?:a|one)[- ]third)|(?P<quarter>(?:a|one)[- ]quarter)|"
    r"(?P<fifth>(?:a|one)[- ]fifth))\b|\b(?P<two>doubled)\b|\b(?P<three>tripled|trebled)\b|\b(?P<halved>halved)\b",
    re.IGNORECASE,
)
_SIZES = {name: Fraction(*ratio) for name, ratio in RATIOS_IN_WORDS.items()}
_CHANGES = {**_SIZES, "two": Fraction(1), "three": Fraction(2), "halved": Fraction(1, 2)}
_EXACTLY, _ABOUT, _SLACK = Fraction(1, 50), Fraction(1, 8), Fraction(1, 50)

Figures = Mapping[Place, Figure]
Size = Callable[[Figures], Fraction]


class Sentence(NamedTuple):
    """A sentence and the rows and columns that it names."""

    text: str
    rows: frozenset[int]
    columns: frozenset[int]


@once_per_pair
def stated_figures_follow(original: Problem, perturbed: Problem) -> bool:
    """a count, round amount, total, difference, average or ratio that the text states of named lines still holds"""
    before, after = figures(original.table), figures(perturbed.table)
    if before.keys() != after.keys():
        return False
    if all(before[place].value == after[place].value for place in before):
        return True
    old, new = numerals.find(original.body), numerals.find(perturbed.body)
    if len(old) != len(new):
        return False
    unit = _UNITS.get(original.note("table_scale"), 1)
    for was, now in zip(old, new, strict=True):
        ways = list(_ways(original, was, before, unit))
        if ways and not any(_shows(now, size(after) * scale) for size, scale in ways):
            return False
    return _ratios_hold(original, before, after)


CHECKS: tuple[Callable[[Problem, Problem], bool], ...] = (stated_figures_follow,)


def _ways(problem: Problem, one: Quantity, found: Figures, unit: int) -> Iterator[tuple[Size, int]]:
    """Yield the derivations of a number of the text from the table's figures, with their scale."""
    if (
        one.kind not in _COUNTING
        or one.value < _LEAST
        or not one.is_integer
        or _TIME.match(problem.body, one.end)
    ):
        return
    if _YEAR.fullmatch(one.text) or _NUMBERED.search(problem.body, max(0, one.start - _WINDOW), one.start):
        return
    scaled = one.kind == "money" or _SCALE.search(one.text) is not None or one.value >= _SCALES[1]
    sentence = _sentence(problem, one.start)
    after = _AFTER.match(problem.body, one.end)
    thing = _stems(after[0]) if after else frozenset[str]()
    for scale in dict.fromkeys((1, unit, *(_SCALES if scaled and unit == 1 else ()))):
        size = one.value / scale
        cells = _cells(problem.table, size, found, sentence, thing, scaled)
        ways = [_cell(place) for place in cells]
        plain = not scaled and unit == 1
        ways = ways or list(_results(problem, one, size, found, sentence, plain))
        if ways:
            yield from ((way, scale) for way in ways)
            return


def _cells(
    table: Sequence[Sequence[str]],
    size: Fraction,
    found: Figures,
    sentence: Sentence,
    thing: frozenset[str],
    scaled: bool,
) -> list[Place]:
    equal = [place for place, figure in found.items() if not figure.share and abs(figure.value) == size]
    rows = [place for place in equal if place[0] in sentence.rows]
    if size < _SHORT and not scaled:
        rows = [place for place in rows if thing & _stems(table[place[0]][0])]
    both = [place for place in rows if place[1] in sentence.columns]
    if both or rows:
        return both or rows
    return [place for place in equal if size >= _CERTAIN and place[1] in sentence.columns]


def _results(
    problem: Problem, one: Quantity, size: Fraction, found: Figures, sentence: Sentence, plain: bool
) -> Iterator[Size]:
    """Yield the totals of columns, means of rows and changes of rows that have this size."""
    body, lines = problem.body, _lines(problem.table)
    average = _AVERAGE.search(sentence.text) is not None
    for (axis, at), (places, signed) in lines.items():
        named = at in (sentence.columns if axis else sentence.rows)
        total = abs(signed)
        evident = named or _IN_ALL.search(sentence.text) or (plain and len(places) >= _SEVERAL)
        if not average and axis and size >= _CERTAIN and total == size and evident:
            yield _total(places)
        if average and named and total == size * len(places):
            yield _mean(places)
    if average:
        return
    more = _MORE.match(body, one.end)
    for (axis, at), (other_axis, other) in combinations(lines, 2) if more else ():
        (line, total), (beside, second) = lines[axis, at], lines[other_axis, other]
        named = axis == other_axis == 1 and not sentence.columns.isdisjoint((at, other))
        if named and len(line) == len(beside) and abs(total - second) == size:
            yield _growth(line, beside)
    if not _CHANGED_BY.search(body, max(0, one.start - _WINDOW), one.start):
        return
    for (axis, at), (places, _) in lines.items():
        for pair in combinations(places, 2) if not axis and at in sentence.rows else ():
            if abs(found[pair[0]].value - found[pair[1]].value) == size:
                yield _difference(pair)


def _cell(place: Place) -> Size:
    return lambda some: abs(some[place].value)


def _total(places: Sequence[Place]) -> Size:
    return lambda some: abs(_sum(places, some))


def _mean(places: Sequence[Place]) -> Size:
    return lambda some: abs(_sum(places, some)) / len(places)


def _growth(line: Sequence[Place], beside: Sequence[Place]) -> Size:
    return lambda some: abs(_sum(line, some) - _sum(beside, some))


def _difference(pair: tuple[Place, Place]) -> Size:
    return lambda some: abs(some[pair[0]].value - some[pair[1]].value)


def _sum(places: Sequence[Place], some: Figures) -> Fraction:
    return sum((some[place].value for place in places), Fraction(0))


@memoized
def _lines(table: tuple[tuple[str, ...], ...]) -> dict[tuple[int, int], tuple[list[Place], Fraction]]:
    """Return the rows (0) and columns (1) of at least two amounts that are no shares, each with its sum."""
    found = figures(table)
    lines: dict[tuple[int, int], list[Place]] = {}
    for place in sorted(found):
        if not found[place].share and found[place].value:
            for axis in (0, 1):
                lines.setdefault((axis, place[axis]), []).append(place)
    return {line: (places, _sum(places, found)) for line, places in lines.items() if len(places) > 1}


def _ratios_hold(problem: Problem, before: Figures, after: Figures) -> bool:
    """Return whether "twice", "half of" and "by a quarter" still hold of the lines of their sentence."""
    for match in _TIMES.finditer(problem.body):
        wanted, slack = _wanted(match, _SIZES)
        sentence = _sentence(problem, match.start())
        rows = sentence.rows | total_rows(problem)
        pairs = [
            (one, other)
            for one, other in permutations([place for place in before if place[0] in rows], 2)
            if one[1] == other[1] and one[0] != other[0]
            if {one[0], other[0]} & sentence.rows and (one[1] in sentence.columns or not sentence.columns)
        ]
        limit = (match["nearly"] or "").lower()
        if limit in ("more than", "over", "less than", "under"):
            above = limit in ("more than", "over")
            if any(
                _is_beyond(pair, wanted, above, before) > _is_beyond(pair, wanted, above, after)
                for pair in pairs
            ):
                return False
        elif not _still(pairs, wanted, slack, before, after, _ratio):
            return False
    for match in _BY.finditer(problem.body):
        wanted, slack = _wanted(match, _CHANGES)
        sentence = _sentence(problem, match.start())
        pairs = [
            (one, other)
            for one, other in permutations([place for place in before if place[0] in sentence.rows], 2)
            if one[0] == other[0]
        ]
        if not _still(pairs, wanted, slack, before, after, _change):
            return False
    return True


def _wanted(match: re.Match[str], sizes: Mapping[str, Fraction]) -> tuple[Fraction, Fraction]:
    name = next(name for name in sizes if name in match.re.groupindex and match[name])
    return sizes[name], _ABOUT if match["nearly"] else _EXACTLY


def _ratio(one: Fraction, other: Fraction) -> Fraction:
    return abs(one) / abs(other)


def _change(one: Fraction, other: Fraction) -> Fraction:
    return abs(one - other) / abs(other)


def _still(
    pairs: Sequence[tuple[Place, Place]],
    wanted: Fraction,
    slack: Fraction,
    before: Figures,
    after: Figures,
    size: Callable[[Fraction, Fraction], Fraction],
) -> bool:
    """Return whether one of the pairs with the ratio still has it, if any pair had it."""

    def holds(pair: tuple[Place, Place], some: Figures, within: Fraction) -> bool:
        one, other = (some[place].value for place in pair)
        return other != 0 and one != 0 and abs(size(one, other) - wanted) <= within * wanted

    held = [pair for pair in pairs if holds(pair, before, slack)]
    return not held or any(holds(pair, after, slack + _SLACK) for pair in held)


def _is_beyond(pair: tuple[Place, Place], wanted: Fraction, above: bool, some: Figures) -> bool:
    """Return whether the ratio of a part and its total is above or below a limit."""
    one, other = (abs(some[place].value) for place in pair)
    return bool(one < other) and (one > wanted * other if above else one < wanted * other)


def total_rows(problem: Problem) -> frozenset[int]:
    """Return the rows called a total."""
    return frozenset(
        row for row, cells in enumerate(problem.table) if cells and "total" in cells[0].lower().split()
    )


def _sentence(problem: Problem, at: int) -> Sentence:
    start = max(problem.body.rfind(end, 0, at) + len(end) for end in (". ", "\n", "? "))
    ends = [place for end in (". ", "\n", "? ") if (place := problem.body.find(end, at)) >= 0]
    return named_lines(
        problem.table, problem.body[max(0, start if start > 1 else 0) : min(ends, default=len(problem.body))]
    )


@memoized
def named_lines(table: tuple[tuple[str, ...], ...], text: str) -> Sentence:
    """Return a sentence with the rows and columns that it names by half of their words or by their year."""
    stems, years = _stems(text), set(_YEAR.findall(text))

    def is_named(label: str) -> bool:
        own = _stems(label)
        return (bool(own) and 2 * len(own & stems) >= len(own)) or bool(years & set(_YEAR.findall(label)))

    rows = frozenset(row for row, cells in enumerate(table) if cells and is_named(cells[0]))
    columns = frozenset(
        column for cells in table[:2] for column, head in enumerate(cells) if column and is_named(head)
    )
    return Sentence(text, rows, columns)


def _stems(text: str) -> frozenset[str]:
    return frozenset(map(stem, _WORD.findall(text.lower()))) - _NAMES_NO_LINE


def _shows(one: Quantity, size: Fraction) -> bool:
    """Return whether a number is this size, up to half of its last digit."""
    digits = re.search(r"\d[\d,]*(?:\.(\d+))?", one.text)
    stated = numerals.parse(digits[0].rstrip(",")) if digits else None
    if digits is None or not stated:
        return abs(one.value) == size
    last: Fraction = abs(one.value) / stated / 10 ** len(digits[1] or "")
    return 2 * abs(abs(one.value) - size) <= last
