"""Plausible numbers for a story: the range of each operand, and the relations that must remain true."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from fractions import Fraction
from functools import cached_property, partial
from itertools import combinations
from math import floor
from operator import add, mul
from typing import NamedTuple

from dnc_datasets import expression, numerals
from dnc_datasets.draws import Draw
from dnc_datasets.english.lexicon import MONTH, TIME_UNIT
from dnc_datasets.expression import Binary, Expr, Number
from dnc_datasets.graph import node_at, nodes
from dnc_datasets.numerals import Quantity
from dnc_datasets.perturbations.numbers.calculations import Ends, Exact, quotient, whole
from dnc_datasets.perturbations.numbers.operands import Operands, movable, with_operands
from dnc_datasets.perturbations.numbers.stated_ratios import stated_ratios_hold
from dnc_datasets.perturbations.numbers.value_bounds import (
    Bounds,
    asks_for_measure,
    bounds_of,
    is_rest,
    usual_price,
    words_of,
)
from dnc_datasets.perturbations.numbers.value_search import Range, Search, Task, places
from dnc_datasets.problem import Problem

# The checks of the certificate for every plausible perturbation of a story, at any strength.
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
_RANKED = re.compile(r"\b(?:first|second|third|last)[- ]place\b|\b(?:ranked|ranking|standings|runner-?up)\b")
# "8 weekend days in June": the calendar determines the number. A deck has 52 cards.
_OF_CALENDAR = re.compile(
    r"\bdecks? of (?:52|cards)\b|\b52[- ]cards?\b|"
    r"\b(?:weekend|week|work|working|school|business)[- ]?days in (?:an? |the |this |that )?"
    rf"(?:month|week|year|{MONTH.lower()})\b",
)
# "the first 2 and the last 2 rows", "a pack is cheaper", "for example": numbers that depend on others.
_NO_ROOM = re.compile(
    r"\b(?:for example|for instance|e\.g|i\.e|that is to say|which means|meaning that|in the middle(?! ages)|cheaper|"
    r"bargain|in bulk|better deal|worth it)\b|"
    rf"\bfirst \w+ (?:[a-z]+ )?(?!{TIME_UNIT})[a-z]+\b[^.]{{0,200}}\blast \w+ "
)
# Every match of these three has one of the words.
_BOUND_WORDS = frozenset(
    "place ranked ranking standings runner runnerup deck decks 52 days weekdays weekenddays workdays workingdays "
    "schooldays businessdays example instance g e say means meaning middle cheaper bargain bulk deal worth last".split()
)
_FOUR_DIGITS, _YEAR = re.compile(r"\d{4}"), re.compile(r"\b(?:1[0-9]|20)\d\d\b")
_UNGROUPED = re.compile(r"(?<![\d.,])\d{4,}(?![\d,]*,\d)")
# Multiples of these numbers remain multiples where possible: 507 miles would be an unusual walk.
_ROUND = ((500, 100), (50, 10), (10, 5))
_TENTH, _NICKEL = Fraction(1, 10), Fraction(1, 20)
# If every operand is at least this large, another order of magnitude may also be a smaller one.
_LARGE = 100


@dataclass(frozen=True, eq=False)
class Window:
    """A range of factors for operands. Prices and similar numbers change only if `soft` is set."""

    low: Fraction
    high: Fraction
    soft: bool = True

    @cached_property
    def thousandths(self) -> tuple[int, int]:
        """The two factors in thousandths, for a draw of integers."""
        return round(self.low * 1000), round(self.high * 1000)


_A_LITTLE = Window(Fraction(1, 2), Fraction(3, 2))
# The most suitable window is first. Two or three times the number, or a half or a third, suits most things.
_FAR_LESS = Window(Fraction(1, 12), Fraction(1, 3))
_MILD = (Window(Fraction(2), Fraction(7, 2)), Window(Fraction(2, 7), Fraction(1, 2)))
_FAR_MORE = Window(Fraction(7, 2), Fraction(6), False)


class Strength(NamedTuple):
    """The strength of a change: `windows` to try, `limits` of one operand, and the test `enough`."""

    windows: Callable[[Mapping[Exact, Bounds]], Sequence[Window]]
    limits: Callable[[Exact, Bounds, Window], tuple[Exact, Exact, bool]]  # bounds, and whether it may stay
    decimals: bool  # whether measures get decimals
    enough: Callable[[Iterable[tuple[Exact, Exact]]], bool]  # of the old and the new values
    can_be_enough: Callable[
        [Sequence[Exact], Sequence[Ends]], bool
    ]  # of the old values and the new ones' ends


def with_plausible_values(
    problem: Problem, draw: Draw, scope: Sequence[str], strength: Strength
) -> Problem | None:
    """Return the problem with new operands that are as plausible as the old ones, or None."""
    found = movable(problem, scope)
    if found is None:
        return None
    texts = [(problem.body, "body"), (problem.question, "question")]
    stated = [exact(quantity) for text, _ in texts for quantity in numerals.find(text)]
    if _means_two_amounts(found, stated):
        return None
    taken = frozenset(quotient(*ratio) for ratio in found.others)
    places = [place._replace(field=name) for name, _, _, place in found.places]
    new = _new_values([found.equation], places, texts, taken, draw, strength)
    if new is None or not _still_holds(found.equation, stated, new):
        return None
    if not stated_ratios_hold(problem.body, found.equation, new):
        return None
    if not _is_usual_answer(problem.question, found.equation, new):
        return None
    return _written(problem, found, new)


def _means_two_amounts(found: Operands, stated: Sequence[Exact]) -> bool:
    """Return whether a number that the text states once may be two amounts.

    Example: the 10 of the text and half of its 20. Copies of one step are one amount.
    """
    tree = found.equation
    leaves = tree.leaves()
    if len(set(leaves)) == len(leaves):
        return False
    places = [(path, node.number) for path, node in nodes(tree) if isinstance(node, Number)]
    for value in found.values:
        steps = [path[:-1] for path, number in places if number == value]
        if len(steps) > len(set(steps)):
            return True
        if len({(node_at(tree, path)) for path in steps}) > 1 and _is_derived(value, stated):
            return True
    return False


def _is_derived(value: Fraction, stated: Sequence[Exact]) -> bool:
    """Return whether other numbers of the text give the value.

    It is a combination of two of them, or one of them doubled, halved or increased by one.
    """
    others = {Fraction(number) for number in stated if number not in (0, value)}
    near = {value - 1, value + 1, value * 2, value / 2}
    return bool(near & others) or any(
        value in (one + two, one - two, one / two) or (value == one * two and 1 not in (one, two))
        for one in others
        for two in others
        if one != two
    )


_MOST_WITH_PRODUCTS = 8


def _still_holds(tree: Expr, stated: Sequence[Exact], new: Mapping[Exact, Exact]) -> bool:
    """Return whether sums among the stated numbers hold, and differences of sums keep their signs."""
    numbers = sorted(set(stated))
    if len(numbers) > 2:  # two numbers and their sum
        used = {leaf.number for leaf in tree.leaves() if isinstance(leaf, Number)}
        # 5 rows of 6 chairs, 30 chairs. Among the many numbers of a passage, a product is a coincidence.
        relations = (add, mul) if len(numbers) <= _MOST_WITH_PRODUCTS else (add,)
        for one, two in combinations(numbers, 2):
            for related in relations:
                total = related(one, two)
                if total not in stated or {one, two, total} <= used or (related is mul and one <= 1):
                    continue
                if related(new.get(one, one), new.get(two, two)) != new.get(total, total):
                    return False
    operators = tree.operators
    if "-" not in operators or operators.count("+") < 2:
        return True  # no difference of two sums
    return _signs(tree) == _signs(_changed(tree, new))


def _changed(tree: Expr, new: Mapping[Exact, Exact]) -> Expr:
    """Return the calculation over the new numbers."""
    return tree.replace(
        lambda leaf: (
            expression.number(new.get(leaf.number, leaf.number)) if isinstance(leaf, Number) else leaf
        )
    )


_PRICE_ASKED = re.compile(
    r"\b(?:how much (?:does|did|do|will|is|was)|(?:price|cost) of) (?:the|an?|one|each) (?P<what>[a-z -]{2,40}?)"
    r"(?: costs?\b| sell\b|\?)"
)
_DAILY_HOURS = re.compile(r"\bhow many hours\b.{0,200}\b(?:a|per|each|every|that|one) (?:day|night)\b")
_HOURS = 14


def _is_usual_answer(question: str, tree: Expr, new: Mapping[Exact, Exact]) -> bool:
    """Return whether an answer that is the price of one thing or the hours of a day remains usual."""
    lower = question.lower()
    most = 0
    if asked := _PRICE_ASKED.search(lower):
        most = max((usual_price(word) for word in asked["what"].split()), default=0)
    elif _DAILY_HOURS.search(lower):
        most = _HOURS
    return not most or _changed(tree, new).value() <= max(tree.value(), Fraction(most))


def _signs(tree: Expr) -> list[bool]:
    """Return whether each term exceeds its partner, for each difference of two sums of equal length."""
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
    taken: frozenset[Exact],
    draw: Draw,
    strength: Strength,
) -> dict[Exact, Fraction] | None:
    """Return a new value for each operand that keeps the calculations and comparisons of the texts valid.

    `operands` occur in `texts`, each given with its path. The last text is the question. Values in `taken`
    are excluded. An operand that cannot change keeps its value. Return None if the search fails.
    """
    new = _new_values(calculations, operands, texts, taken, draw, strength)
    return None if new is None else {value: Fraction(other) for value, other in new.items()}


def _new_values(
    calculations: Sequence[Expr],
    operands: Sequence[Quantity],
    texts: Sequence[tuple[str, str]],
    taken: frozenset[Exact],
    draw: Draw,
    strength: Strength,
) -> dict[Exact, Exact] | None:
    """Return new values as `plausible_values` does, with integers as int."""
    by_path = {path: text for text, path in texts}
    bounds = {exact(place): bounds_of(by_path[place.field], place) for place in operands}
    free = {value: one for value, one in bounds.items() if not one.is_fixed and value > 1}
    if not free or any(is_rest(by_path[place.field], place) for place in operands):
        return None
    if any(_is_bound(text) for text, _ in texts):
        return None
    measured = _measured(calculations, free, texts[-1][0]) if strength.decimals else set()
    taken |= bounds.keys() - free.keys()
    ordered = comparisons([text for text, _ in texts])
    if ordered is None:
        return None
    shares = [exact(one) for text, _ in texts for one in numerals.find(text) if one.kind == "percent"]
    old = list(free)
    task = Task(
        calculations,
        old,
        ordered,
        partial(_suits, strength, shares, old),
        partial(strength.can_be_enough, old),
        1 if measured else 0,
        strength is DISTRIBUTION,
        _beside(calculations, [text for text, _ in texts], set(bounds.values())),
    )
    search = Search(task)
    places = {exact(place): place for place in operands}
    fits = [_fits(by_path[places[value].field], places[value]) for value in old]
    windows = strength.windows(free)
    tries = [(window, is_round, True) for window in windows for is_round in (True, False)]
    for window, is_round, all_move in (*tries, (windows[0], False, False)):
        ranges = []
        for value, fit in zip(old, fits, strict=True):
            low, high, stays = _limits(value, free[value], window, strength, all_move)
            step = _step(value, is_round, value in measured)
            ranges.append(Range(low, high, step, taken if stays else taken | {value}, fit))
        factors = [_factors(one, window) for one in free.values()]
        new = search.find(ranges, draw, partial(_drawn, old, factors, draw))
        if new is not None:
            moves = dict(zip(old, new, strict=True))
            return {value: moves.get(value, value) for value in bounds}
    return None


def _is_bound(text: str) -> bool:
    """Return whether the text contains a ranking, depends on the calendar or repeats its numbers in words."""
    said = words_of(text)
    if _BOUND_WORDS.isdisjoint(said):
        return False
    lower = text.lower()
    return any(pattern.search(lower) for pattern in (_RANKED, _OF_CALENDAR, _NO_ROOM))


def exact(quantity: Quantity) -> Exact:
    """Return the value of a quantity. An integer is an int, with which Python computes many times faster."""
    return quantity.ratio[0] if quantity.is_integer else quantity.value


def _measured(calculations: Sequence[Expr], free: Mapping[Exact, Bounds], question: str) -> set[Exact]:
    """Return the operands that may have decimals: measures in the unit that the question asks for."""
    if any(set(calculation.operators) - {"+", "-", "*"} for calculation in calculations):
        return set()
    return {
        value
        for value, one in free.items()
        if one.sort == "measure" and asks_for_measure(question, one.thing)
    }


def _limits(
    value: Exact, one: Bounds, window: Window, strength: Strength, all_move: bool
) -> tuple[Exact, Exact, bool]:
    """Return the lowest and highest new value of an operand, and whether it may keep its old one."""
    low, high, may_stay = strength.limits(value, one, window)
    return (low, high, may_stay) if all_move else (min(low, value), max(high, value), True)


def _suits(strength: Strength, shares: Sequence[Exact], old: Sequence[Exact], new: Sequence[Exact]) -> bool:
    """Return whether the new values differ enough from the old ones, and shares of one total still fit."""
    if not strength.enough(zip(old, new, strict=True)):
        return False
    return not shares or _shares_fit(shares, dict(zip(old, new, strict=True)))


def _factors(one: Bounds, window: Window) -> tuple[int, int]:
    """Return the range of factors in thousandths: the window if the number scales, otherwise around one."""
    return (window if _moves_far(one, window) else _A_LITTLE).thousandths


def _drawn(
    old: Sequence[Exact], factors: Sequence[tuple[int, int]], draw: Draw, place: int
) -> tuple[int, int]:
    """Return an initial value for the operand at a place, as a numerator and a denominator."""
    value = old[place]
    return value.numerator * draw.integer(*factors[place]), value.denominator * 1000


def _beside(calculations: Sequence[Expr], texts: Sequence[str], bounds: set[Bounds]) -> list[Exact]:
    """Return the numbers that no calculation uses, of things that are counted or asked for.

    "Jim had 365 cards.": the number that he gives away is smaller.
    """
    used = {leaf.ratio for one in calculations for leaf in one.leaves() if isinstance(leaf, Number)}
    unused = [
        (text, quantity)
        for text in texts
        for quantity in numerals.find(text)
        if quantity.kind in _COMPARED and quantity.ratio not in used
    ]
    if not unused:
        return []
    things = {(one.sort, one.thing) for one in bounds if one.thing}
    asked = {word.removesuffix("s") for word in re.findall(r"[a-z]+", texts[-1].lower())}
    found = set()
    for text, quantity in unused:
        one = bounds_of(text, quantity)
        if (one.sort, one.thing) in things or one.thing in asked:
            found.add(exact(quantity))
    return sorted(found)


def _written(problem: Problem, found: Operands, new: Mapping[Exact, Exact]) -> Problem | None:
    grouped = (
        _FOUR_DIGITS.search(problem.text) is None or _UNGROUPED.search(_YEAR.sub("", problem.text)) is None
    )
    ratios = [new[quotient(*ratio)].as_integer_ratio() for ratio in found.ratios]
    return with_operands(problem, found, ratios, grouped=grouped)


def a_little(value: Exact, one: Bounds, window: Window) -> tuple[Exact, Exact, bool]:
    """Return the limits of a small change: within half of the value."""
    less, more, under = (4, 6, 5) if one.narrow else (1, 3, 2)
    high = one.high
    return (
        one.low if one.low * under > value * less else quotient(value * less, under),
        quotient(value * more, under) if high is None or high * under > value * more else high,
        False,
    )


def other_magnitude(value: Exact, one: Bounds, window: Window) -> tuple[Exact, Exact, bool]:
    """Return the limits of the window. A number that does not scale stays, or changes a little."""
    if not _moves_far(one, window):
        low, high, _ = a_little(value, one, window)
        return low, high, True
    (less, under), (more, over) = window.low.as_integer_ratio(), window.high.as_integer_ratio()
    low = one.low if one.low * under > value * less else quotient(value * less, under)
    high = quotient(value * more, over)
    return low, high if one.high is None else min(high, one.high), False


def _moves_far(one: Bounds, window: Window) -> bool:
    return one.scales and window is not _A_LITTLE and (window.soft or not one.soft)


def _far_windows(bounds: Mapping[Exact, Bounds]) -> Sequence[Window]:
    """Return the windows for a large change.

    Large numbers become much smaller. Others change by a factor of two or three, or more where that is
    plausible.
    """
    large = all(value >= _LARGE for value, one in bounds.items() if one.scales)
    return (_FAR_LESS, *_MILD, _FAR_MORE) if large else (*_MILD, _FAR_MORE)


def is_far(old: Exact, new: Exact) -> bool:
    """Return whether a number is of another order of magnitude: a factor of two or more, and other digits.

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
    # A larger distance makes another magnitude more likely, so the ends show whether it is possible.
    lambda old, ends: any(is_far(one, new) for one, both in zip(old, ends, strict=True) for new in both),
)


def comparisons(texts: Sequence[str]) -> list[tuple[Exact, Exact]] | None:
    """Return the comparable numbers of the texts, as pairs of the smaller and the larger.

    Counts are compared by their noun, if the word after the number states it. Return None if there are more
    numbers than a story has, because the number of pairs is quadratic.
    """
    known: dict[tuple[str, str, Exact], None] = {}
    if sum(len(numerals.find(text)) for text in texts) > _MAX_COMPARED:
        return None
    for text in texts:
        for quantity in numerals.find(text):
            if quantity.kind in _COMPARED:
                one = bounds_of(text, quantity)
                known[one.sort, one.thing, exact(quantity)] = None
    found = list(known)
    pairs = set()
    for (sort, thing, value), (other_sort, other_thing, other) in combinations(found, 2):
        open_thing = sort == "count" and not (thing and other_thing)
        if sort == other_sort and value != other and (thing == other_thing or open_thing):
            pairs.add((min(value, other), max(value, other)))
    return sorted(pairs)


def _shares_fit(shares: Sequence[Exact], new: Mapping[Exact, Exact]) -> bool:
    """Return whether shares with a sum of at most one still have such a sum."""
    return sum(shares) > 100 or sum(new.get(share, share) for share in shares) <= 100


def _step(value: Exact, is_round: bool, measured: bool) -> Exact:
    """Return the step between the possible values of an operand."""
    if measured:
        return _TENTH
    decimals = places(value)
    if decimals:
        nickel = is_round and decimals == 2 and (value * 20).denominator == 1
        return _NICKEL if nickel else Fraction(1, 10**decimals)
    if is_round:
        for least, step in _ROUND:
            if value >= least and value % step == 0:
                return step
    return 1


def _fits(text: str, place: Quantity) -> Callable[[Exact], bool]:
    """Return a test whether a value fits the text: "an 8" must not become "an 9", nor "1.5" become "2.0"."""
    article = _ARTICLE_BEFORE.search(text, max(0, place.start - 5), place.start)
    with_an = article is not None and article[1].lower() == "an"
    split = not place.is_integer and (place.kind != "money" or places(place.value) == 1)

    def fits(value: Exact) -> bool:
        if split and value.denominator == 1:
            return False
        return article is None or (_SAID_WITH_AN.match(str(floor(value))) is not None) == with_an

    return fits
