"""The promise that text and earlier turns agree with a changed table: found again in the original, figure by figure."""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Iterator, Mapping
from fractions import Fraction
from itertools import permutations
from typing import NamedTuple

from dnc_datasets import expression, numerals
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
    """One way in which the original's table gives a number."""

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
    return _changes_follow(original, perturbed, before, after)


def _agrees(
    was: str, now: str, before: Mapping[Place, Figure], after: Mapping[Place, Figure], equation: str
) -> bool:
    """Whether an earlier answer follows from the new figures in a way in which it followed from the old ones."""
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
    """Whether a number of an earlier question that is a long figure of the table has one of its new values."""
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
    """Whether a percentage of the text that is the change of a row its sentence names is the new change."""
    old, new = numerals.find(original.body), numerals.find(perturbed.body)
    if len(old) != len(new):
        return False
    for one, other in zip(old, new, strict=True):
        if not _PERCENT.match(original.body, one.end) and one.kind != "percent":
            continue
        words = set(_LETTERS.findall(_sentence(original.body, one.start)))
        ways = [
            way
            for way in _ways(before)
            if way.result == "(a - b) / b * 100"
            and way.a[0] == way.b[0]
            and words & set(_LETTERS.findall(original.table[way.a[0]][0].lower()))
            and _shows(one, way.size(before))
        ]
        if len(ways) == 1 and not _shows(other, ways[0].size(after)):
            return False
    return True


def _sentence(text: str, at: int) -> str:
    start = max(text.rfind(". ", 0, at), text.rfind("\n", 0, at)) + 1
    end = min(
        (place for place in (text.find(". ", at), text.find("\n", at)) if place >= 0), default=len(text)
    )
    return text[start:end].lower()


def _numbers(text: str) -> list[Quantity]:
    """The numbers of a turn but years and dates; an answer that is nothing but digits is no year."""
    return [
        one
        for one in numerals.find(text)
        if one.kind not in _NAMES and (not _YEAR.fullmatch(one.text) or text.strip() == one.text)
    ]


def _shows(quantity: Quantity, size: Fraction | None) -> bool:
    """Whether the number is this size, up to the half of its last digit."""
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
    """The results of two figures of one row or one column."""
    if len(table) > _MOST_FIGURES:
        return
    for a, b in permutations([place for place in table if table[place].value], 2):
        if a[0] == b[0] or a[1] == b[1]:
            yield from (_Source(result, a, b) for result in list(_RESULTS)[1:])


def _equations(problem: Problem) -> dict[int, str]:
    turns = json.loads(problem.note("turns") or "[]")
    return {at: str(turn.get("equation") or "") for at, turn in enumerate(turns) if isinstance(turn, dict)}


def _recomputed(
    equation: str, before: Mapping[Place, Figure], after: Mapping[Place, Figure]
) -> Fraction | None:
    """What the equation of an earlier turn gives over the new figures; None where a number has several new values."""
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
