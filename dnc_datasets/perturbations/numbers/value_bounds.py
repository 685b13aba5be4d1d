"""Bounds of the numbers of a story: the thing that each counts or measures, and its plausible range."""

from __future__ import annotations

import re
from collections.abc import Sequence
from fractions import Fraction
from typing import Final, NamedTuple

from dnc_datasets.english.lexicon import (
    BODY_WEIGHT_UNITS,
    CASH_NOUNS,
    CONVENTIONAL_COUNTS,
    FOREIGN_MONEY,
    LENGTH_UNITS,
    LONG_DISTANCES,
    LONG_PERIODS,
    MONEY_UNITS,
    NAMED_BY_NUMBER,
    NATURAL_PARTS,
    NATURALLY_BOUNDED,
    NOT_COUNTED,
    OF_A_DAY_OR_ROOM,
    OF_A_SMALL_STORY,
    PHYSICAL_UNITS,
    SMALL_COUNT_NOUNS,
    STATED_BEFORE,
    TIME_UNITS,
    USUAL_COUNTS,
    USUAL_PRICES,
)
from dnc_datasets.memoization import memoized
from dnc_datasets.numerals import Quantity
from dnc_datasets.perturbations.numbers.amounts import currency_before
from dnc_datasets.perturbations.numbers.calculations import Exact

_WINDOW = 60
_WORD = re.compile(r"[A-Za-z'’%°-]+")
_BOUNDED_WORD: Final = re.compile(r"\w+")
_CLAUSE_END = re.compile(r"[,;:.?!()]")
_MOST_WORDS = 4

# Units of measure, whose numbers may have decimals. A cup is often a thing and not a measure.
_MEASURED_UNITS = PHYSICAL_UNITS - {"cup", "cups"}
_MEASURED_SINGULARS: Final = frozenset(unit.removesuffix("s") for unit in _MEASURED_UNITS)
_PERIODS = TIME_UNITS | LONG_PERIODS
_MONEY: Final = MONEY_UNITS | FOREIGN_MONEY
# A set of words is many times faster to look up than a pattern.
_NATURAL_PHRASE: Final = re.compile(r"\b(?:(?:per|an) hour|(?:push|sit)-ups)\b")
_NATURAL_PHRASE_WORDS: Final = frozenset(("hour", "ups"))
_LIVING_ROOM: Final = re.compile(r"\bliving room\b")
# Words that make ten times the measure implausible: somebody's weight, a speed.
_BOUND = (
    (
        LONG_DISTANCES,
        re.compile(r"\b(?:speeds?|mph|hours?|walk\w*|ran|runs?)\b"),
    ),
    (
        BODY_WEIGHT_UNITS,
        re.compile(r"\b(?:weigh\w*|diet)\b"),
    ),
    (
        LENGTH_UNITS - LONG_DISTANCES,
        re.compile(r"\b(?:tall|taller|heights?)\b"),
    ),
)
# A price, a wage: ten times the price of a pencil is implausible.
_PRICE = re.compile(
    r"\b(?:each|per|every|apiece|an hour|hourly|a day|a week|a month|costs?|prices?|priced|charg(?:e|es|ed)|worth|"
    r"sells?|sold|ticket|salary|wage)\b|(?:for|at) \$"
)
# Expensive things stay expensive: no house is sold for the price of a bicycle.
_DEAR = re.compile(r"\b(?:houses?|homes?|mortgage|cars?|trucks?|salary|rent)\b")
_SIDES = re.compile(r"\d (?:[a-z]+ )?by \d")
_EACH_WORDS: Final = frozenset(("each", "every"))
_EACH_BEFORE = re.compile(r"\b(?:each|every)\b", re.IGNORECASE)
_EACH_AFTER = re.compile(
    r" (?:[a-z-]+ ){0,4}(?:each|per|every|apiece|(?:a|an) (?:day|night|week|month|hour|minute|year|box|bag|piece))\b"
)
# Above this number, small counts are not small: "34,000 kids" and 3,400 are equally plausible.
_MANY = 60
_SEVERAL = 20
_EACH = r"(?:a|an|per|each|every|in a|in an|in each|in one|of the)"
# "8 hours a day", "5 days a week": at most the length of the period. Every match contains one of the words.
_AT_MOST = tuple(
    (frozenset(words.split()), re.compile(after), most)
    for words, after, most in (
        (
            "day night",
            rf" hours? (?:\w+ ){{0,3}}?{_EACH} (?:day|night)\b|[^.?!]{{0,40}}\bhours {_EACH} day\b",
            20,
        ),
        ("week", rf" (?:days?|times) (?:\w+ ){{0,2}}?{_EACH} week\b", 7),
        ("month", rf" days? (?:\w+ ){{0,2}}?{_EACH} month\b", 28),
        ("month", rf" weeks? (?:\w+ ){{0,2}}?{_EACH} (?:month)\b", 4),
        ("year", rf" (?:months?) (?:\w+ ){{0,2}}?{_EACH} year\b", 12),
        ("year", rf" weeks? (?:\w+ ){{0,2}}?{_EACH} year\b", 52),
        ("hour", rf" minutes? (?:\w+ ){{0,2}}?{_EACH} hour\b", 59),
        ("old age", r"[ -](?:years?|months?)[ -]old\b| years? of age\b", 90),
        ("of", r" (?:out )?of (?:the |every |each )?\d", 0),
    )
)
_BOUNDING: Final = frozenset[str]().union(*(words for words, _, _ in _AT_MOST))
# "16 ounces per pound": a fixed conversion.
_CONVERTED = re.compile(
    r" (?P<small>[a-z]{2,12}) (?:per|in an?|in each|in one|to an?|makes? an?|equals? (?:an?|one)) "
    r"(?P<large>[a-z]{3,9})\b"
)
_CONVERSIONS = {
    "ounce pound": 16, "inche foot": 12, "feet yard": 3, "cent dollar": 100, "minute hour": 60, "second minute": 60,
    "hour day": 24, "day week": 7, "day year": 365, "day month": 30, "week year": 52, "week month": 4, "month year": 12,
    "pint gallon": 8, "quart gallon": 4, "cup gallon": 16, "cup pint": 2, "cup quart": 4, "ounce cup": 8,
    "ounce gallon": 128, "gram kilogram": 1000, "meter kilometer": 1000, "feet mile": 5280, "yard mile": 1760,
    "centimeter meter": 100, "pound ton": 2000, "milliliter liter": 1000,
}  # fmt: skip
# Limits of a person or a test: ten times the number is implausible.
_NO_MORE = re.compile(r"\b(?:per minute|deadlift\w*|bench press\w*|assignments?|grades? (?:on|in|of))\b")
_AGE_BEFORE = re.compile(r"\b(?:turned|turns|turn|aged?|age of|(?:is|was|are|be) (?:now )?)$")
_NAMED_BY = (*NAMED_BY_NUMBER, "#")
_NAMED_BEFORE = re.compile(rf"(?:\b(?:{'|'.join(map(re.escape, NAMED_BY_NUMBER))})|#) ?$")
# "the last 2", "these 5": the count follows from earlier statements.
_TOLD_BEFORE = re.compile(
    r"\b(?:last|first|other|remaining|these|those|all|both|next|of the|of her|of his|same|final|the) $"
)
_TOLD_ENDS: Final = tuple(f"{word} " for word in STATED_BEFORE)
_TOLD = 10
_UNIT_NAME_AFTER = re.compile(
    r"[A-Za-z]|th\b|st\b|nd\b|rd\b|'s\b|\"|’s\b| ?[ap]\.?m\b| o'clock|\.\d|/| ?[+x*=]"
)


# "the remaining 13 students": the count follows from the other numbers.
_REST_BEFORE = re.compile(r"\b(?:remaining|other) $")


def is_rest(text: str, quantity: Quantity) -> bool:
    """Return whether a number is the rest that others leave, so that none of them can change separately."""
    return _REST_BEFORE.search(text, max(0, quantity.start - _WINDOW), quantity.start) is not None


class Bounds(NamedTuple):
    """The sort of a number, the thing that it is compared by, and its bounds."""

    sort: str  # "count", "money", "percent", "measure" or "time"
    thing: str  # only numbers of the same thing are compared
    low: Exact
    high: Exact | None  # None: no bound but the strength of the move
    scales: bool  # whether another order of magnitude makes sense
    narrow: bool = False  # whether an increase by half would be implausible: a height, an age
    soft: bool = False  # whether it scales only if nothing else can: a price, a rate for each

    @property
    def is_fixed(self) -> bool:
        """Return whether no other number is plausible."""
        return self.high is not None and self.high <= self.low


_TWO = 2
_HALF = 50  # percent


def asks_for_measure(question: str, thing: str) -> bool:
    """Return whether the question asks for an amount in a unit of measure, which may have decimals.

    >>> asks_for_measure("How many miles did he drive?", "mile"), asks_for_measure("How many cars?", "mile")
    (True, False)
    """
    if thing not in _MEASURED_SINGULARS:
        return False
    return thing in [word.lower().removesuffix("s") for word in _WORD.findall(question)]


def bounds_of(text: str, quantity: Quantity) -> Bounds:
    """Return the sort and the bounds of a number of a story.

    >>> from dnc_datasets import numerals
    >>> text = "Each dog has 4 legs and eats 3 kilos a day."
    >>> [bounds_of(text, found).is_fixed for found in numerals.find(text)]
    [True, False]
    """
    return _bounds(text, quantity.start, quantity.end, *quantity.ratio)


@memoized
def _bounds(text: str, start: int, end: int, over: int, under: int) -> Bounds:
    value: Exact = over if under == 1 else Fraction(over, under)
    before = text[max(0, start - _WINDOW) : start]
    words = _words_after(text, end)
    first = words[0] if words else ""
    thing = "" if first in NOT_COUNTED else first.removesuffix("s")
    fixed = Bounds("count", thing, _TWO, 0, False)
    if value <= 1 or _is_name_or_conversion(text, before, end, value):
        return fixed
    if text[end : end + 1] == "%" or first in ("percent", "%"):
        return _percentage(value) or fixed
    sentence = _sentence(text, start, end)
    if currency_before(text, start) or first in _MONEY:
        return (
            fixed if first in CASH_NOUNS else _money(first, sentence, _usual_price(text, start, end, value))
        )
    if _is_convention(text, thing, value):
        return fixed
    small = _is_small(text, sentence, first, value)
    high: Exact | None = _most(text, end)
    usual = _usual_count(sentence, words, value)
    if first in _MEASURED_UNITS or first in _PERIODS or (first == "square" and len(words) > 1):
        sort = "time" if first in _PERIODS else "measure"
        if sort == "measure" and " square " in text and _SIDES.search(text):
            return fixed  # an area follows from the sides
        if high is None and sort == "time" and first.startswith("year") and _AGE_BEFORE.search(before):
            high = 90
        scales = sort == "measure" and not small and high is None
        narrow = small and value >= _SEVERAL
        high = usual if high is None else high if usual is None else min(high, usual)
        return Bounds(sort, first.removesuffix("s"), _TWO, high, scales, narrow, _of_each(text, start, end))
    if not NATURAL_PARTS.isdisjoint(words):
        return fixed
    if not words and _AGE_BEFORE.search(before):
        high = 90  # "Tom is 12."
    few = small or (value < _MANY and not SMALL_COUNT_NOUNS.isdisjoint(words))
    scales = high is None and not few
    high = usual if high is None else high if usual is None else min(high, usual)
    return Bounds("count", thing, _TWO, high, scales, few and value >= _SEVERAL, _of_each(text, start, end))


def _is_name_or_conversion(text: str, before: str, end: int, value: Exact) -> bool:
    """Return whether a number is part of a name or conversion, or follows from the words before it."""
    given = value <= _TOLD and before.endswith(_TOLD_ENDS) and _TOLD_BEFORE.search(before) is not None
    if given or _UNIT_NAME_AFTER.match(text, end):
        return True
    before = before.lower()
    if before.rstrip().endswith(_NAMED_BY) and _NAMED_BEFORE.search(before):
        return True
    unit = _CONVERTED.match(text, end)
    if unit is None:
        return False
    return _CONVERSIONS.get(f"{unit['small'].removesuffix('s')} {unit['large']}") == value


def _percentage(value: Exact) -> Bounds | None:
    """Return the bounds of a percentage. 50 has none, because the part and the rest are equal."""
    if value == _HALF:
        return None
    most = 99 if value < 100 else value if value == 100 else value * 2
    return Bounds("percent", "%", 1 if value < 100 else 101, most, False)


def _money(unit: str, sentence: str, most: Exact | None) -> Bounds:
    coin = "cents" if unit.startswith("cent") else "$"
    scales, soft = _DEAR.search(sentence) is None, _PRICE.search(sentence) is not None
    least = 1 if unit not in MONEY_UNITS or not unit.endswith("s") else _TWO  # "1 dollars" is not English
    return Bounds("money", coin, least, most if coin == "$" else None, scales, soft=soft)


_OF_ONE = re.compile(r"\b(?:each|apiece|per|every|an?|one)\b|\b(?:costs?|is|are|priced) \$|\bat \$")
_OF_SEVERAL = re.compile(
    r"\b(?:dozens?|box(?:es)?|packs?|bags?|cases?|crates?|cartons?|packages?|sets?|total|all|altogether|spen[dt]s?|machine|"
    r"kilograms?|pounds?|bunch(?:es)?|bundles?)\b"
)
_UNUSUAL = 5
_CLAUSE_MARKS = (". ", "? ", "! ", ", ", "; ", " and ")


def _usual_price(text: str, start: int, end: int, value: Exact) -> Exact | None:
    """Return the upper bound of a price: the highest usual price, or the value if it is higher.

    >>> _usual_price("An ice cream cone costs $4.", 25, 26, 4)
    9
    """
    clause = _between(text, start, end, _CLAUSE_MARKS).lower()
    most = max((usual_price(word) for word in _WORD.findall(clause)), default=0)
    if not most or value > _UNUSUAL * most or not _OF_ONE.search(clause) or _OF_SEVERAL.search(clause):
        return None
    return max(value, most)


def usual_price(noun: str) -> int:
    """Return the highest usual price of one thing in dollars; 0 for an unknown noun.

    The noun may be singular or plural.
    """
    for form in (noun, noun.removesuffix("s"), noun.removesuffix("es"), f"{noun.removesuffix('ies')}y"):
        if price := USUAL_PRICES.get(form):
            return price
    return 0


def _is_convention(text: str, thing: str, value: Exact) -> bool:
    """Return whether the number is common knowledge: 52 cards, 24 hours, 12 eggs beside "dozen"."""
    known = CONVENTIONAL_COUNTS.get(thing)
    beside = known.get(int(value)) if known and value.denominator == 1 else None
    return beside is not None and re.search(rf"\b{beside}", text.lower()) is not None


_USUAL = tuple(
    (frozenset(about.split()), frozenset(things.split()), most) for about, things, most in USUAL_COUNTS
)
_USUAL_NOUNS = frozenset[str]().union(*(things for _, things, _ in _USUAL))


def _usual_count(sentence: str, words: list[str], value: Exact) -> Exact | None:
    """Return the upper bound of a count: the largest usual count of its noun, or a larger value itself."""
    nouns = set(words[:2])
    if not nouns & _USUAL_NOUNS:
        return None
    said = set(_WORD.findall(sentence.lower()))
    most = [limit for about, things, limit in _USUAL if nouns & things and said & about]
    return max(value, min(most)) if most else None


def _is_small(text: str, sentence: str, unit: str, value: Exact) -> bool:
    """Return whether a number is small by nature, or by the sentence or the problem that states it."""
    story, said = _story(text), words_of(sentence)
    if story.no_more or not NATURALLY_BOUNDED.isdisjoint(said):
        return True
    if not _NATURAL_PHRASE_WORDS.isdisjoint(said) and _NATURAL_PHRASE.search(sentence.lower()):
        return True
    if any(unit in units and stated.search(text) for units, stated in _BOUND):
        return True
    return value < _MANY and (story.is_small or not OF_A_DAY_OR_ROOM.isdisjoint(said))


class _Story(NamedTuple):
    """The facts of a text that bound its numbers."""

    no_more: bool
    is_small: bool


@memoized
def _story(text: str) -> _Story:
    lower, said = text.lower(), words_of(text)
    small = not OF_A_SMALL_STORY.isdisjoint(said) or (
        "living" in said and _LIVING_ROOM.search(lower) is not None
    )
    return _Story(_NO_MORE.search(lower) is not None, small)


@memoized
def words_of(text: str) -> frozenset[str]:
    r"""Return the lower-case words of a text, as bounded by `\b`.

    >>> sorted(words_of("A 12-year-old boy"))
    ['12', 'a', 'boy', 'old', 'year']
    """
    return frozenset(_BOUNDED_WORD.findall(text.lower()))


def _of_each(text: str, start: int, end: int) -> bool:
    """Return whether the number is a rate for each thing or each time."""
    if _EACH_AFTER.match(text, end):
        return True
    if _EACH_WORDS.isdisjoint(words_of(text)):
        return False
    opening = max(text.rfind(mark, 0, start) for mark in ",;.?!")
    return _EACH_BEFORE.search(text, opening + 1, start) is not None


def _words_after(text: str, end: int) -> list[str]:
    """Return the words after a number, up to the end of its clause."""
    following = text[end : end + _WINDOW]
    stop = _CLAUSE_END.search(following)
    return [
        word.lower() for word in _WORD.findall(following[: stop.start()] if stop else following)[:_MOST_WORDS]
    ]


_SENTENCE_MARKS = (". ", "? ", "! ")


def _sentence(text: str, start: int, end: int) -> str:
    return _between(text, start, end, _SENTENCE_MARKS)


def _between(text: str, start: int, end: int, marks: Sequence[str]) -> str:
    """Return the text from the last of these marks before a number to the first after it."""
    left, right = -1, len(text)
    for mark in marks:
        before, after = text.rfind(mark, 0, start), text.find(mark, end)
        if before > left:
            left = before
        if 0 < after < right:
            right = after
    return text[left + 1 : right]


def _most(text: str, end: int) -> int | None:
    said = words_of(text)
    if _BOUNDING.isdisjoint(said):
        return None
    return next(
        (most for words, after, most in _AT_MOST if not words.isdisjoint(said) and after.match(text, end)),
        None,
    )
