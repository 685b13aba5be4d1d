"""Plausible numbers for a story: how far each operand may move, and what must stay true of its text."""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from fractions import Fraction
from itertools import combinations
from math import floor
from typing import NamedTuple

from dnc_datasets import numerals
from dnc_datasets.draws import Draw
from dnc_datasets.expression import Expr
from dnc_datasets.numerals import Quantity
from dnc_datasets.perturbations.numbers.operands import Operands, movable, with_operands
from dnc_datasets.perturbations.numbers.plausible import Range, Task, Values, find_values, places
from dnc_datasets.perturbations.numbers.sense import Sense, asks_for_measure, sense
from dnc_datasets.problem import TEXT_FIELDS, Problem

# What the certificate of every plausible perturbation of a story checks, whatever its strength.
PROMISES = (
    "operands_moved",
    "equation_gives_answer",
    "text_elsewhere_kept",
    "steps_follow",
    "signs_kept",
    "wholeness_kept",
    "divisions_exact",
    "comparisons_kept",
    "bounds_kept",
)
QUALIFIES = "one operand or more must stand at just one place, and other numbers must make as much sense"

_COMPARED = frozenset(("cardinal", "decimal", "money", "percent", "word"))
_MAX_COMPARED = 150
_ARTICLE_BEFORE = re.compile(r"\b(an?) [$€£]?$", re.IGNORECASE)
_SAID_WITH_AN = re.compile(r"8|11(?!\d)|18(?!\d)|11(?=\d{3}\b)|18(?=\d{3}\b)")
_UNGROUPED = re.compile(r"(?<![\d.,])\d{4,}(?![\d,]*,\d)")
# Numbers that are multiples of these stay so, if that is possible: nobody walks 507 miles.
_ROUND = ((Fraction(500), Fraction(100)), (Fraction(50), Fraction(10)), (Fraction(10), Fraction(5)))
_LEAST_FACTOR, _LARGEST_FACTOR = 5, 25
# Where every operand is at least this, another order of magnitude is a smaller one.
_LARGE = 40


class Strength(NamedTuple):
    """How far operands move: `limits` gives the bounds of one, and whether it may stay; `target` a first value."""

    limits: Callable[[Fraction, Sense, bool], tuple[Fraction, Fraction, bool]]
    target: Callable[[Fraction, Sense, bool, Draw], Fraction]
    decimals: bool  # whether what is measured gets decimals
    enough: Callable[[Values], bool]


def with_plausible_numbers(
    problem: Problem, draw: Draw, scope: Sequence[str], strength: Strength
) -> Problem | None:
    """The problem with its operands at other values, under which it makes as much sense as before."""
    found = movable(problem, scope)
    if found is None:
        return None
    taken = frozenset(Fraction(*ratio) for ratio in found.others)
    texts = [(text, path) for path, text in problem.texts(TEXT_FIELDS)]
    places = [place._replace(field=name) for name, _, place in found.places]
    new = plausible_values([found.equation], places, texts, taken, draw, strength)
    return _written(problem, found, new) if new is not None else None


def plausible_values(
    calculations: Sequence[Expr],
    operands: Sequence[Quantity],
    texts: Sequence[tuple[str, str]],
    taken: frozenset[Fraction],
    draw: Draw,
    strength: Strength,
) -> Values | None:
    """A value for each operand under which the calculations and what the texts compare are what they were.

    `operands` stand in `texts`, each given with its path; the last text is the question. No value of `taken` is
    chosen. What cannot change keeps its value. None where nothing was found.
    """
    by_path = {path: text for text, path in texts}
    senses = {place.value: sense(by_path[place.field], place) for place in operands}
    free = {value: one for value, one in senses.items() if not one.is_fixed and value > 1}
    if not free:
        return None
    down = all(value >= _LARGE for value, one in free.items() if one.scales)
    question = texts[-1][0]
    plain = all(set(calculation.operators) <= {"+", "-", "*"} for calculation in calculations)
    measured = {
        value
        for value, one in free.items()
        if strength.decimals and plain and one.sort == "measure" and asks_for_measure(question, one.thing)
    }
    taken |= senses.keys() - free.keys()
    ordered = comparisons([text for text, _ in texts])
    if ordered is None:
        return None
    shares = [one.value for text, _ in texts for one in numerals.find(text) if one.kind == "percent"]
    for is_round, all_move in ((True, True), (False, True), (False, False)):
        ranges = {}
        for place in operands:
            value = place.value
            if value not in free:
                continue
            low, high, may_stay = strength.limits(value, free[value], down)
            if not all_move:
                low, high = min(low, value), max(high, value)
            step = _step(value, is_round, value in measured)
            stays = frozenset() if may_stay or not all_move else frozenset((value,))
            ranges[value] = Range(low, high, step, taken | stays, _fits(by_path[place.field], place))
        task = Task(
            calculations,
            ranges,
            ordered,
            lambda new: strength.enough(new) and _shares_fit(shares, new),
            1 if measured else 0,
        )
        new = find_values(task, draw, lambda value: strength.target(value, free[value], down, draw))
        if new is not None:
            return {value: new.get(value, value) for value in senses}
    return None


def _written(problem: Problem, found: Operands, new: Values) -> Problem | None:
    grouped = _UNGROUPED.search(re.sub(r"\b(?:1[0-9]|20)\d\d\b", "", problem.text)) is None
    return with_operands(problem, found, [new[value] for value in found.values], grouped=grouped)


def a_little(value: Fraction, one: Sense, down: bool) -> tuple[Fraction, Fraction, bool]:
    """Within half of its value."""
    most = Fraction(1, 5) if one.narrow else Fraction(1, 2)
    low, high = value * (1 - most), value * (1 + most)
    return max(one.low, low), high if one.high is None else min(high, one.high), False


def near(value: Fraction, one: Sense, down: bool, draw: Draw) -> Fraction:
    """A value between three fifths and seven fifths."""
    return value * Fraction(draw.integer(600, 1400), 1000)


def other_magnitude(value: Fraction, one: Sense, down: bool) -> tuple[Fraction, Fraction, bool]:
    """Ten times as many, more or less, or a tenth; what does not scale stays, or moves a little."""
    if not one.scales:
        return *a_little(value, one, down)[:2], True
    if down:
        return max(one.low, value / _LARGEST_FACTOR), value / _LEAST_FACTOR, False
    return value * _LEAST_FACTOR, value * _LARGEST_FACTOR, False


def far(value: Fraction, one: Sense, down: bool, draw: Draw) -> Fraction:
    """Around ten times the value, or a tenth; of what does not scale, the value."""
    if not one.scales:
        return value
    factor = Fraction(draw.integer(600, 1200), 100)
    return value / factor if down else value * factor


NOISE = Strength(a_little, near, True, lambda new: any(old != value for old, value in new.items()))
DISTRIBUTION = Strength(
    other_magnitude,
    far,
    False,
    lambda new: any(value >= 5 * old or value * 5 <= old for old, value in new.items()),
)


def comparisons(texts: Sequence[str]) -> list[tuple[Fraction, Fraction]] | None:
    """The numbers of the texts that can be compared, as pairs of the smaller and the larger.

    What is counted is compared by what it is, where the word behind the number says so. None where there are
    more numbers than a story has: every one is compared with every other.
    """
    known: dict[tuple[str, str, Fraction], None] = {}
    if sum(len(numerals.find(text)) for text in texts) > _MAX_COMPARED:
        return None
    for text in texts:
        for quantity in numerals.find(text):
            if quantity.kind in _COMPARED:
                one = sense(text, quantity)
                known[one.sort, one.thing, quantity.value] = None
    found = list(known)
    pairs = set()
    for (sort, thing, value), (other_sort, other_thing, other) in combinations(found, 2):
        open_thing = sort == "count" and not (thing and other_thing)
        if sort == other_sort and value != other and (thing == other_thing or open_thing):
            pairs.add((min(value, other), max(value, other)))
    return sorted(pairs)


def _shares_fit(shares: Sequence[Fraction], new: Values) -> bool:
    """Whether shares that were at most a whole together still are."""
    return sum(shares) > 100 or sum(new.get(share, share) for share in shares) <= 100


def _step(value: Fraction, is_round: bool, measured: bool) -> Fraction:
    """The distance between the values that an operand may take."""
    if measured:
        return Fraction(1, 10)
    decimals = places(value)
    if decimals:
        nickel = is_round and decimals == 2 and (value * 20).denominator == 1
        return Fraction(1, 20) if nickel else Fraction(1, 10**decimals)
    if is_round:
        for least, step in _ROUND:
            if value >= least and (value / step).denominator == 1:
                return step
    return Fraction(1)


def _fits(text: str, place: Quantity) -> Callable[[Fraction], bool]:
    """Whether a value can be written there: "an 8" must not become "an 9", nor "1.5" become "2.0"."""
    article = _ARTICLE_BEFORE.search(text, max(0, place.start - 5), place.start)
    with_an = article is not None and article[1].lower() == "an"
    split = place.kind != "money" and not place.is_integer

    def fits(value: Fraction) -> bool:
        if split and value.denominator == 1:
            return False
        return article is None or (_SAID_WITH_AN.match(str(floor(value))) is not None) == with_an

    return fits
