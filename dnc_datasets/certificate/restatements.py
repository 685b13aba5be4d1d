"""The promise that text and earlier turns agree with a changed table, checked figure by figure."""

from __future__ import annotations

import json
import re
from bisect import bisect_left, bisect_right
from collections.abc import Callable, Iterator, Mapping
from fractions import Fraction
from itertools import combinations, permutations
from typing import NamedTuple

from dnc_datasets import expression, numerals
from dnc_datasets.certificate.line_identities import lines_hold
from dnc_datasets.certificate.running_lines import running_lines_hold
from dnc_datasets.certificate.stated_parts import parts_agree
from dnc_datasets.certificate.tables import Figure, Place, figures
from dnc_datasets.errors import ExpressionError
from dnc_datasets.expression import Number
from dnc_datasets.numerals import Quantity
from dnc_datasets.problem import Problem

_LETTERS = re.compile(r"[a-z]{4,}")
_DIGITS = re.compile(r"\d[\d,]*(?:\.(\d+))?")
_YEAR = re.compile(r"(?:19|20)\d\d")
_PERCENT = re.compile(r" ?%| ?percent\b")
_NAMES = ("year", "date", "ordinal", "time")
_MOST_FIGURES = 160
_HUNDRED = 100
_SCALES = (1, 10**3, 10**6, 10**9)
_UNITS = {"thousand": 10**3, "million": 10**6, "billion": 10**9}
_SCALE_WORD = re.compile(r"\b(?:thousand|million|billion)|\d ?(?:bn|mn|m|k)\b", re.IGNORECASE)
# Shorter numbers agree by chance.
_MIN_DIGITS = 3
_FLOAT_ERROR = 1e-9
_CHANGES = re.compile(r"\b(?:increas|decreas|declin|r[io]se|grew|fell|dropp|chang)\w* (?:of|by) [$€£¥]? ?\Z")
_OF_CHANGE = re.compile(
    r"\b(?:(?:in|de)creas|chang|grew|gr[eo]w|declin|r[io]se|f[ae]ll|drop|higher|lower|up\b|down\b|more\b|less\b)"
)
_LONG, _WINDOW = 4, 40
_GAIN = re.compile(r"\W*(?:\w+ ){0,2}(?:gains?|income|benefits?|increase)\b", re.IGNORECASE)
_LOSS = re.compile(r"\W*(?:\w+ ){0,2}(?:loss(?:es)?|expenses?|charges?|decrease)\b", re.IGNORECASE)
_FEWEST_PARTS, _MOST_PARTS, _COMMON_WORDS = 3, 6, 3
_PART_ERROR = Fraction(1, 12)
_RESULTS: Mapping[str, Callable[[Fraction, Fraction], Fraction]] = {
    "a": lambda a, b: a,
    "a - b": lambda a, b: a - b,
    "a + b": lambda a, b: a + b,
    "(a + b) / 2": lambda a, b: (a + b) / 2,
    "a / b": lambda a, b: a / b,
    "(a - b) / b": lambda a, b: (a - b) / b,
    "a / b * 100": lambda a, b: a / b * _HUNDRED,
    "(a - b) / b * 100": lambda a, b: (a - b) / b * _HUNDRED,
}


class _Source(NamedTuple):
    """One derivation of a number from the original's table."""

    result: str
    a: Place
    b: Place

    def size(self, table: Mapping[Place, Figure]) -> Fraction | None:
        if self.a not in table or self.b not in table:
            return None
        a, b = table[self.a].value, table[self.b].value
        return abs(_RESULTS[self.result](a, b)) if b or "/ b" not in self.result else None


def restatements_agree(original: Problem, perturbed: Problem) -> bool:
    """text and earlier turns that state a figure of the table, or a result of two, agree with its new figures"""
    before, after = figures(original.table), figures(perturbed.table)
    if before.keys() != after.keys():
        return False
    if all(before[place].value == after[place].value for place in before):
        return original.history == perturbed.history
    if len(original.history) != len(perturbed.history):
        return False
    equations = _equations(original)
    for at, (was, now) in enumerate(zip(original.history, perturbed.history, strict=True)):
        if not _agrees(was.answer, now.answer, before, after, equations.get(at, "")):
            return False
        if not _figures_follow(was.question, now.question, before, after):
            return False
    return (
        _changes_follow(original, perturbed, before, after)
        and _scaled_follow(original, perturbed, before, after)
        and _parts_follow(original, perturbed, before, after)
        and _labels_follow(original.table, perturbed.table, before, after)
        and _wholes_kept(original.table, before, after)
        and lines_hold(original.table, perturbed.table)
        and parts_agree(original, perturbed, before, after)
        and running_lines_hold(original.table, after)
    )


def _labels_follow(
    was: tuple[tuple[str, ...], ...],
    now: tuple[tuple[str, ...], ...],
    before: Mapping[Place, Figure],
    after: Mapping[Place, Figure],
) -> bool:
    """Return whether a long number in a row's label that equals a figure of the row has its new value."""
    labels: dict[int, tuple[list[Quantity], list[Quantity]]] = {}
    for place, figure in before.items():
        if figure.value == after[place].value or figure.digits < _MIN_DIGITS:
            continue
        row = place[0]
        if row not in labels:
            labels[row] = _numbers(was[row][0]), _numbers(now[row][0])
        old, new = labels[row]
        if len(old) != len(new):
            return False
        for one, other in zip(old, new, strict=True):
            if abs(one.value) == abs(figure.value) and abs(other.value) != abs(after[place].value):
                return False
    return True


def _wholes_kept(
    table: tuple[tuple[str, ...], ...], before: Mapping[Place, Figure], after: Mapping[Place, Figure]
) -> bool:
    """Return whether no column of shares newly exceeds 100 percent.

    Only columns that show the percent sign once, at the top, are checked.
    """
    for column in {column for _, column in before}:
        first, *rest = sorted(place for place in before if place[1] == column)
        signs = [sign in table[row][column] for row, _ in rest for sign in "%$"]
        if "%" not in table[first[0]][column] or any(signs):
            continue
        sums = [sum(abs(some[place].value) for place in (first, *rest)) for some in (before, after)]
        if sums[0] <= _HUNDRED < sums[1]:
            return False
    return True


def _parts_follow(
    original: Problem, perturbed: Problem, before: Mapping[Place, Figure], after: Mapping[Place, Figure]
) -> bool:
    """Return whether gains less losses that one sentence lists still make the same figure.

    The sentence must name the figure's row.
    """
    unit = _UNITS.get(original.note("table_scale"))
    old, new = numerals.find(original.body), numerals.find(perturbed.body)
    if not unit or len(old) != len(new):
        return True
    lists: dict[str, list[tuple[int, Quantity, Quantity]]] = {}
    for one, other in zip(old, new, strict=True):
        if _SCALE_WORD.search(one.text):
            loss = _LOSS.match(original.body, one.end)
            sign = -1 if loss else 1 if _GAIN.match(original.body, one.end) else 0
            lists.setdefault(_sentence(original.body, one.start), []).append((sign, one, other))
    for sentence, parts in lists.items():
        if not _FEWEST_PARTS <= len(parts) <= _MOST_PARTS or len({sign for sign, *_ in parts}) != 2:
            continue
        if not all(sign for sign, *_ in parts):
            continue
        was = abs(sum((sign * abs(one.value) for sign, one, _ in parts), Fraction(0)))
        now = abs(sum((sign * abs(other.value) for sign, _, other in parts), Fraction(0)))
        slack = len(parts) * max(_last_digit(one) for _, one, _ in parts) / 2
        words = set(_LETTERS.findall(sentence))
        common = {
            place: len(words & _label_words(original.table, place))
            for place, figure in before.items()
            if slack <= was * _PART_ERROR and abs(abs(figure.value) * unit - was) <= slack
        }
        best = max(_COMMON_WORDS, *common.values(), 0)
        whole = [place for place, count in common.items() if count == best]
        if whole and not any(abs(abs(after[place].value) * unit - now) <= slack for place in whole):
            return False
    return True


def _last_digit(quantity: Quantity) -> Fraction:
    """Return the value of the last digit that a number shows: 100,000 for "$9.6 million"."""
    digits = _DIGITS.search(quantity.text)
    stated = numerals.parse(digits[0].rstrip(",")) if digits else None
    if digits is None or not stated:
        return Fraction(1)
    return abs(quantity.value) / stated * Fraction(1, 10 ** len(digits[1] or ""))


def _agrees(
    was: str, now: str, before: Mapping[Place, Figure], after: Mapping[Place, Figure], equation: str
) -> bool:
    """Return whether an earlier answer follows from the new figures as it did from the old ones."""
    old, new = _numbers(was), _numbers(now)
    if len(old) != len(new):
        return False
    for one, other in zip(old, new, strict=True):
        if equation:
            size = _recomputed(equation, before, after)
            if size is None or not (_shows(other, size) or _shows(other, size * _HUNDRED)):
                return False
            continue
        sources = [_Source("a", place, place) for place in before if _shows(one, abs(before[place].value))]
        sources = sources or [way for way in _ways(before) if _shows(one, way.size(before))]
        if not any(_shows(other, way.size(after)) for way in sources):
            return False
    return True


def _figures_follow(
    was: str, now: str, before: Mapping[Place, Figure], after: Mapping[Place, Figure]
) -> bool:
    """Return whether a number of an earlier question that is a long figure has one of its new values."""
    old, new = _numbers(was), _numbers(now)
    return len(old) == len(new) and all(
        not wanted or abs(other.value) in wanted
        for one, other in zip(old, new, strict=True)
        for wanted in [
            {abs(after[place].value) for place in before if abs(before[place].value) == abs(one.value)}
        ]
        if sum(map(str.isdigit, one.text)) > 2
    )


def _changes_follow(
    original: Problem, perturbed: Problem, before: Mapping[Place, Figure], after: Mapping[Place, Figure]
) -> bool:
    """Return whether a change that the text states of a named row is the change of the new figures.

    The text may state it in percent or as an amount.
    """
    old, new = numerals.find(original.body), numerals.find(perturbed.body)
    if len(old) != len(new):
        return False
    rows = _rows(before)
    for one, other in zip(old, new, strict=True):
        percent = _PERCENT.match(original.body, one.end) or one.kind == "percent"
        long = sum(map(str.isdigit, one.text)) >= _LONG
        if not percent and not (
            long and _CHANGES.search(original.body[max(0, one.start - _WINDOW) : one.start])
        ):
            continue
        sentence = _sentence(original.body, one.start)
        if percent and sum(map(str.isdigit, one.text)) < _MIN_DIGITS and not _OF_CHANGE.search(sentence):
            continue  # "11 per cent of billings" does not state growth
        words = set(_LETTERS.findall(sentence))
        named = [
            places
            for row, places in rows.items()
            if words & set(_LETTERS.findall(original.table[row][0].lower()))
        ]
        result = "(a - b) / b * 100" if percent else "a - b"
        about, slack = abs(float(one.value)), float(_last_digit(one)) * (1 + _FLOAT_ERROR)
        ways = [
            way
            for places in named
            for a, b in (permutations(places, 2) if percent else combinations(sorted(places), 2))
            for first, second in [(float(before[a].value), float(before[b].value))]
            for off in [abs(first - second) * (_HUNDRED / abs(second) if percent else 1) - about]
            if abs(off) <= slack + _FLOAT_ERROR * (abs(first) + about)
            for way in [_Source(result, a, b)]
            if _shows(one, way.size(before))
        ]
        if len(ways) == 1 and not _shows(other, ways[0].size(after)):
            return False
    return True


def _rows(table: Mapping[Place, Figure]) -> dict[int, list[Place]]:
    """Return the nonzero figures of each row. A table with too many figures has none."""
    rows: dict[int, list[Place]] = {}
    for place, figure in table.items() if len(table) <= _MOST_FIGURES else ():
        if figure.value:
            rows.setdefault(place[0], []).append(place)
    return rows


def _scaled_follow(
    original: Problem, perturbed: Problem, before: Mapping[Place, Figure], after: Mapping[Place, Figure]
) -> bool:
    """Return whether "$9.1 billion" or "1.3 million" that rounds a figure of the table rounds its new value.

    A number with three digits or more counts anywhere. A shorter one counts if its sentence names the row.
    """
    old, new = numerals.find(original.body), numerals.find(perturbed.body)
    if len(old) != len(new):
        return False
    unit = _UNITS.get(original.note("table_scale"))
    scales = (1, unit) if unit else _SCALES
    sizes = sorted((float(abs(figure.value)), place) for place, figure in before.items() if not figure.share)
    only = [size for size, _ in sizes]
    fixed = _unread(original.table, before)
    for one, other in zip(old, new, strict=True):
        word = _SCALE_WORD.search(one.text)
        if (
            word
            and other.value != one.value
            and any(_shows(one, size * by) for size in fixed for by in scales)
        ):
            return False  # the cell that it states has not changed
        digits = _DIGITS.search(one.text)
        if not word or not digits or not one.value:
            continue
        ways = []
        for scale in scales:
            value = float(abs(one.value)) / scale
            half = value / float(numerals.parse(digits[0].rstrip(",")) or 1) / 10 ** len(digits[1] or "")
            near = sizes[bisect_left(only, value - half) : bisect_right(only, value + half)]
            ways += [(place, scale) for _, place in near if _shows(one, abs(before[place].value) * scale)]
        telling = sum(map(str.isdigit, digits[0].strip("0.")))
        if telling < _MIN_DIGITS - 1:
            continue
        if telling < _MIN_DIGITS:
            words = set(_LETTERS.findall(_sentence(original.body, one.start)))
            ways = [(place, scale) for place, scale in ways if words & _label_words(original.table, place)]
        if ways and not any(_shows(other, abs(after[place].value) * scale) for place, scale in ways):
            return False
    return True


def _label_words(table: tuple[tuple[str, ...], ...], place: Place) -> set[str]:
    """Return the words of a figure's row label and column heading."""
    heads = [cells[place[1]] for cells in table[: min(2, place[0])] if place[1] < len(cells)]
    return set(_LETTERS.findall(" ".join((table[place[0]][0], *heads)).lower()))


def _unread(table: tuple[tuple[str, ...], ...], read: Mapping[Place, Figure]) -> set[Fraction]:
    """Return the amounts with three digits or more of cells with additional text, such as "US$ 8,300"."""
    return {
        abs(one.value)
        for row, cells in enumerate(table[1:], 1)
        for column, cell in enumerate(cells[1:], 1)
        if (row, column) not in read
        for one in numerals.find(cell)
        if one.kind not in _NAMES and not _YEAR.fullmatch(one.text)
        if sum(map(str.isdigit, one.text)) >= _MIN_DIGITS
    }


def _sentence(text: str, at: int) -> str:
    start = max(text.rfind(". ", 0, at), text.rfind("\n", 0, at)) + 1
    end = min(
        (place for place in (text.find(". ", at), text.find("\n", at)) if place >= 0), default=len(text)
    )
    return text[start:end].lower()


def _numbers(text: str) -> list[Quantity]:
    """Return the numbers of a turn except years and dates. An answer of four digits only is no year."""
    return [
        one
        for one in numerals.find(text)
        if one.kind not in _NAMES and (not _YEAR.fullmatch(one.text) or text.strip() == one.text)
    ]


def _shows(quantity: Quantity, size: Fraction | None) -> bool:
    """Return whether the number is this size, up to half of its last digit."""
    if size is None:
        return False
    match = _DIGITS.search(quantity.text)
    stated = numerals.parse(match[0].rstrip(",")) if match else None
    if match is None or not stated:
        return abs(quantity.value) == size
    unit = abs(quantity.value) / stated
    last = Fraction(1, 10 ** len(match[1] or ""))
    return 2 * abs(abs(quantity.value) - size) <= unit * last


def _ways(table: Mapping[Place, Figure]) -> Iterator[_Source]:
    """Yield the results of two figures of one row or one column."""
    if len(table) > _MOST_FIGURES:
        return
    for a, b in permutations([place for place in table if table[place].value], 2):
        if a[0] == b[0] or a[1] == b[1]:
            yield from (_Source(result, a, b) for result in list(_RESULTS)[1:])


def _equations(problem: Problem) -> dict[int, str]:
    turns = json.loads(problem.note("turns") or "[]") if problem.history else []
    return {at: str(turn.get("equation") or "") for at, turn in enumerate(turns) if isinstance(turn, dict)}


def _recomputed(
    equation: str, before: Mapping[Place, Figure], after: Mapping[Place, Figure]
) -> Fraction | None:
    """Return the value of an earlier equation for the new figures.

    Return None if a number has several new values.
    """
    new: dict[Fraction, set[Fraction]] = {}
    for place, figure in before.items():
        new.setdefault(abs(figure.value), set()).add(abs(after[place].value))
    try:
        parsed = expression.parse(equation)
        leaves = {leaf.number for leaf in parsed.leaves() if isinstance(leaf, Number)}
        if any(len(new.get(value, ())) > 1 for value in leaves):
            return None
        moved = {value: min(new[value]) for value in leaves if value in new}
        return abs(
            parsed.replace(lambda leaf: expression.number(moved.get(leaf.value(), leaf.value()))).value()
        )
    except ExpressionError:
        return None


CHECKS: tuple[Callable[[Problem, Problem], bool], ...] = (restatements_agree,)
