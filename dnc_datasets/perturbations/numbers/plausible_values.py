"""Plausible numbers for a story: how far each operand may move, and what must stay true of its text."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from fractions import Fraction
from functools import cached_property, partial
from itertools import combinations
from math import floor
from typing import NamedTuple

from dnc_datasets import expression, numerals
from dnc_datasets.draws import Draw
from dnc_datasets.english.lexicon import MONTH
from dnc_datasets.expression import Binary, Expr, Number
from dnc_datasets.graph import node_at, nodes
from dnc_datasets.numerals import Quantity
from dnc_datasets.perturbations.numbers.calculations import Ends, Exact, whole
from dnc_datasets.perturbations.numbers.operands import Operands, movable, with_operands
from dnc_datasets.perturbations.numbers.value_bounds import Bounds, asks_for_measure, bounds_of, is_rest
from dnc_datasets.perturbations.numbers.value_search import Range, Task, Values, find_values, places
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
QUALIFIES = "at least one operand must occur exactly once, and other numbers must make as much sense"

_COMPARED = frozenset(("cardinal", "decimal", "money", "percent", "word"))
_MAX_COMPARED = 150
_ARTICLE_BEFORE = re.compile(r"\b(an?) [$€£]?$", re.IGNORECASE)
_SAID_WITH_AN = re.compile(r"8|11(?!\d)|18(?!\d)|11(?=\d{3}\b)|18(?=\d{3}\b)")
# "The first-place team has 12 wins and 4 ties": an order that follows from several numbers together.
_RANKED = re.compile(
    r"\b(?:first|second|third|last)[- ]place\b|\b(?:ranked|ranking|standings|runner-?up)\b", re.IGNORECASE
)
# "8 weekend days in June": the calendar says how many. A deck has 52 cards.
_OF_CALENDAR = re.compile(
    r"\bdecks? of (?:52|cards)\b|\b52[- ]cards?\b|"
    r"\b(?:weekend|week|work|working|school|business)[- ]?days in (?:an? |the |this |that )?"
    rf"(?:month|week|year|{MONTH})\b",
    re.IGNORECASE,
)
_UNGROUPED = re.compile(r"(?<![\d.,])\d{4,}(?![\d,]*,\d)")
# Numbers that are multiples of these stay so, if that is possible: nobody walks 507 miles.
_ROUND = ((Fraction(500), Fraction(100)), (Fraction(50), Fraction(10)), (Fraction(10), Fraction(5)))
# Where every operand is at least this, another order of magnitude may be a far smaller one.
_LARGE = 100


@dataclass(frozen=True, eq=False)
class Window:
    """By how much operands are multiplied: at least and at most; prices and the like only if `soft`."""

    low: Fraction
    high: Fraction
    soft: bool = True

    @cached_property
    def thousandths(self) -> tuple[int, int]:
        """The two factors, for a draw of whole numbers."""
        return round(self.low * 1000), round(self.high * 1000)


_A_LITTLE = Window(Fraction(1, 2), Fraction(3, 2))
# What suits best comes first. Most things can be two or three times as many or as few, which often has other digits.
_FAR_LESS = Window(Fraction(1, 12), Fraction(1, 3))
_MILD = (Window(Fraction(2), Fraction(7, 2)), Window(Fraction(2, 7), Fraction(1, 2)))
_FAR_MORE = Window(Fraction(7, 2), Fraction(6), False)


class Strength(NamedTuple):
    """How far operands move: `windows` to try for these operands, `limits` of one, and what is `enough`."""

    windows: Callable[[Mapping[Fraction, Bounds]], Sequence[Window]]
    limits: Callable[
        [Fraction, Bounds, Window], tuple[Fraction, Fraction, bool]
    ]  # bounds, and whether it may stay
    decimals: bool  # whether what is measured gets decimals
    enough: Callable[[Iterable[tuple[Exact, Exact]]], bool]  # of the old and the new values
    can_be_enough: Callable[
        [Sequence[Exact], Sequence[Ends]], bool
    ]  # of the old values and the new ones' ends


def with_plausible_values(
    problem: Problem, draw: Draw, scope: Sequence[str], strength: Strength
) -> Problem | None:
    """The problem with its operands at other values, under which it makes as much sense as before."""
    found = movable(problem, scope)
    if found is None:
        return None
    stated = [quantity.value for quantity in problem.quantities(TEXT_FIELDS)]
    if _means_two_amounts(found.equation, found.values, stated):
        return None
    taken = frozenset(Fraction(*ratio) for ratio in found.others)
    texts = [(text, path) for path, text in problem.texts(TEXT_FIELDS)]
    places = [place._replace(field=name) for name, _, place in found.places]
    new = plausible_values([found.equation], places, texts, taken, draw, strength)
    if new is None or not _still_holds(found.equation, stated, new):
        return None
    return _written(problem, found, new)


def _means_two_amounts(tree: Expr, moved: Sequence[Fraction], stated: Sequence[Fraction]) -> bool:
    """Whether a number that the text states once may be two amounts: the 10 of the text and half of its 20.

    Copies of one step are one amount.
    """
    places = [(path, node.number) for path, node in nodes(tree) if isinstance(node, Number)]
    for value in moved:
        steps = [path[:-1] for path, number in places if number == value]
        if len(steps) > len(set(steps)):
            return True
        if len({(node_at(tree, path)) for path in steps}) > 1 and _is_derived(value, stated):
            return True
    return False


def _is_derived(value: Fraction, stated: Sequence[Fraction]) -> bool:
    """Whether other numbers of the text give the value: two of them, or one that is doubled, halved or has one more."""
    others = {number for number in stated if number not in (0, value)}
    near = {value - 1, value + 1, value * 2, value / 2}
    return bool(near & others) or any(
        value in (one + two, one - two, one / two) or (value == one * two and 1 not in (one, two))
        for one in others
        for two in others
        if one != two
    )


def _still_holds(tree: Expr, stated: Sequence[Fraction], new: Mapping[Fraction, Fraction]) -> bool:
    """Whether sums among the stated numbers hold, and each part of a difference of sums keeps its sign."""
    used = {leaf.number for leaf in tree.leaves() if isinstance(leaf, Number)}
    for one, two in combinations(sorted(set(stated)), 2):
        total = one + two
        if total not in stated or {one, two, total} <= used:
            continue
        if new.get(one, one) + new.get(two, two) != new.get(total, total):
            return False
    changed = tree.replace(
        lambda leaf: (
            expression.number(new.get(leaf.number, leaf.number)) if isinstance(leaf, Number) else leaf
        )
    )
    return _signs(tree) == _signs(changed)


def _signs(tree: Expr) -> list[bool]:
    """For each difference of two sums with as many terms, whether each term is larger than its partner."""
    found: list[bool] = []
    for _, node in nodes(tree):
        if isinstance(node, Binary) and node.op == "-":
            left, right = _terms(node.left), _terms(node.right)
            if len(left) == len(right) > 1:
                found += [one.value() > two.value() for one, two in zip(left, right, strict=True)]
    return found


def _terms(tree: Expr) -> list[Expr]:
    if isinstance(tree, Binary) and tree.op == "+":
        return [*_terms(tree.left), *_terms(tree.right)]
    return [tree]


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
    bounds = {place.value: bounds_of(by_path[place.field], place) for place in operands}
    free = {value: one for value, one in bounds.items() if not one.is_fixed and value > 1}
    if not free or any(is_rest(by_path[place.field], place) for place in operands):
        return None
    if any(_RANKED.search(text) or _OF_CALENDAR.search(text) for text, _ in texts):
        return None
    measured = _measured(calculations, free, texts[-1][0]) if strength.decimals else set()
    taken |= bounds.keys() - free.keys()
    ordered = comparisons([text for text, _ in texts])
    if ordered is None:
        return None
    shares = [one.value for text, _ in texts for one in numerals.find(text) if one.kind == "percent"]
    beside = _beside(calculations, [text for text, _ in texts], set(bounds.values()))
    windows = strength.windows(free)
    tries = [(window, is_round, True) for window in windows for is_round in (True, False)]
    for window, is_round, all_move in (*tries, (windows[0], False, False)):
        ranges = {}
        for place in operands:
            if (value := place.value) in free:
                low, high, stays = _limits(value, free[value], window, strength, all_move)
                step = _step(value, is_round, value in measured)
                ranges[value] = Range(low, high, step, taken | stays, _fits(by_path[place.field], place))
        old = [whole(value) for value in ranges]
        holds = partial(_suits, strength, shares, old)
        more_places = 1 if measured else 0
        can_hold = partial(strength.can_be_enough, old)
        steady = strength is DISTRIBUTION
        task = Task(calculations, ranges, ordered, holds, more_places, steady, beside, can_hold)
        factors = [_factors(free[value], window) for value in ranges]
        new = find_values(task, draw, partial(_drawn, old, factors, draw))
        if new is not None:
            return {value: new.get(value, value) for value in bounds}
    return None


def _measured(calculations: Sequence[Expr], free: Mapping[Fraction, Bounds], question: str) -> set[Fraction]:
    """Return the operands that may have decimals: measures, where the question asks for the same unit."""
    if any(set(calculation.operators) - {"+", "-", "*"} for calculation in calculations):
        return set()
    return {
        value
        for value, one in free.items()
        if one.sort == "measure" and asks_for_measure(question, one.thing)
    }


def _limits(
    value: Fraction, one: Bounds, window: Window, strength: Strength, all_move: bool
) -> tuple[Fraction, Fraction, frozenset[Fraction]]:
    """Return the lowest and the highest new value of an operand, and its own value where it has to move."""
    low, high, may_stay = strength.limits(value, one, window)
    if not all_move:
        return min(low, value), max(high, value), frozenset()
    return low, high, frozenset() if may_stay else frozenset((value,))


def _suits(
    strength: Strength, shares: Sequence[Fraction], old: Sequence[Exact], new: Sequence[Exact]
) -> bool:
    """Whether the new values are far enough from the old ones, and shares still fit."""
    if not strength.enough(zip(old, new, strict=True)):
        return False
    return not shares or _shares_fit(shares, dict(zip(old, new, strict=True)))


def _factors(one: Bounds, window: Window) -> tuple[int, int]:
    """The thousandths to draw from: within the window where a number scales, around one where it does not."""
    return (window if _moves_far(one, window) else _A_LITTLE).thousandths


def _drawn(
    old: Sequence[Exact], factors: Sequence[tuple[int, int]], draw: Draw, place: int
) -> tuple[int, int]:
    """A first value for the operand at a place, as a numerator and a denominator."""
    value = old[place]
    return value.numerator * draw.integer(*factors[place]), value.denominator * 1000


def _beside(calculations: Sequence[Expr], texts: Sequence[str], bounds: set[Bounds]) -> list[Fraction]:
    """The numbers of the texts that no calculation uses, of things that are counted or asked for.

    "Jim had 365 cards.": what he gives away is less.
    """
    used = {leaf.number for one in calculations for leaf in one.leaves() if isinstance(leaf, Number)}
    things = {(one.sort, one.thing) for one in bounds if one.thing}
    asked = {word.removesuffix("s") for word in re.findall(r"[a-z]+", texts[-1].lower())}
    found = set()
    for text in texts:
        for quantity in numerals.find(text):
            if quantity.kind in _COMPARED and quantity.value not in used:
                one = bounds_of(text, quantity)
                if (one.sort, one.thing) in things or one.thing in asked:
                    found.add(quantity.value)
    return sorted(found)


def _written(problem: Problem, found: Operands, new: Values) -> Problem | None:
    grouped = _UNGROUPED.search(re.sub(r"\b(?:1[0-9]|20)\d\d\b", "", problem.text)) is None
    return with_operands(problem, found, [new[value] for value in found.values], grouped=grouped)


def a_little(value: Fraction, one: Bounds, window: Window) -> tuple[Fraction, Fraction, bool]:
    """Within half of its value."""
    most = Fraction(1, 5) if one.narrow else Fraction(1, 2)
    low, high = value * (1 - most), value * (1 + most)
    return max(one.low, low), high if one.high is None else min(high, one.high), False


def other_magnitude(value: Fraction, one: Bounds, window: Window) -> tuple[Fraction, Fraction, bool]:
    """Within the window; what does not scale stays, or moves a little."""
    if not _moves_far(one, window):
        return *a_little(value, one, window)[:2], True
    return max(one.low, value * window.low), value * window.high, False


def _moves_far(one: Bounds, window: Window) -> bool:
    return one.scales and window is not _A_LITTLE and (window.soft or not one.soft)


def _far_windows(bounds: Mapping[Fraction, Bounds]) -> Sequence[Window]:
    """Large numbers become far smaller; others grow or shrink to two or three times, or more where that is clear."""
    large = all(value >= _LARGE for value, one in bounds.items() if one.scales)
    return (_FAR_LESS, *_MILD, _FAR_MORE) if large else (*_MILD, _FAR_MORE)


def is_far(old: Exact, new: Exact) -> bool:
    """Whether a number is of another order of magnitude: twice as large or small and of other digits.

    >>> is_far(Fraction(6), Fraction(13)), is_far(Fraction(20), Fraction(60)), is_far(Fraction(9), Fraction(11))
    (True, False, False)
    """
    old, new = whole(old), whole(new)
    small, large = (old, new) if old <= new else (new, old)
    return large >= 5 * small or (large >= 2 * small and len(str(floor(large))) > len(str(floor(small))))


NOISE = Strength(
    lambda bounds: (_A_LITTLE,),
    a_little,
    True,
    lambda moves: any(old != new for old, new in moves),
    lambda old, ends: True,
)
DISTRIBUTION = Strength(
    _far_windows,
    other_magnitude,
    False,
    lambda moves: any(is_far(old, new) for old, new in moves),
    # The further away, the more likely another magnitude: the ends say whether one can be reached.
    lambda old, ends: any(is_far(one, new) for one, both in zip(old, ends, strict=True) for new in both),
)


def comparisons(texts: Sequence[str]) -> list[tuple[Fraction, Fraction]] | None:
    """The numbers of the texts that can be compared, as pairs of the smaller and the larger.

    What is counted is compared by what it is, where the word after the number says so. None where there are
    more numbers than a story has: every one is compared with every other.
    """
    known: dict[tuple[str, str, Fraction], None] = {}
    if sum(len(numerals.find(text)) for text in texts) > _MAX_COMPARED:
        return None
    for text in texts:
        for quantity in numerals.find(text):
            if quantity.kind in _COMPARED:
                one = bounds_of(text, quantity)
                known[one.sort, one.thing, quantity.value] = None
    found = list(known)
    pairs = set()
    for (sort, thing, value), (other_sort, other_thing, other) in combinations(found, 2):
        open_thing = sort == "count" and not (thing and other_thing)
        if sort == other_sort and value != other and (thing == other_thing or open_thing):
            pairs.add((min(value, other), max(value, other)))
    return sorted(pairs)


def _shares_fit(shares: Sequence[Fraction], new: Mapping[Exact, Exact]) -> bool:
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


def _fits(text: str, place: Quantity) -> Callable[[Exact], bool]:
    """Whether a value can be written there: "an 8" must not become "an 9", nor "1.5" become "2.0"."""
    article = _ARTICLE_BEFORE.search(text, max(0, place.start - 5), place.start)
    with_an = article is not None and article[1].lower() == "an"
    split = not place.is_integer and (place.kind != "money" or places(place.value) == 1)

    def fits(value: Exact) -> bool:
        if split and value.denominator == 1:
            return False
        return article is None or (_SAID_WITH_AN.match(str(floor(value))) is not None) == with_an

    return fits
