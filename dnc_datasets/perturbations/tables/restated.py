"""Amounts and percentages of a report's text that follow from its table or grow with it."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from fractions import Fraction
from functools import lru_cache
from math import floor
from typing import Final, NamedTuple

from dnc_datasets import numerals
from dnc_datasets.english.reading.report_words import words
from dnc_datasets.numerals import Quantity
from dnc_datasets.perturbations.numbers.amounts import AMOUNTS, currency_before, is_name, is_year
from dnc_datasets.perturbations.tables.document import (
    AMOUNT_OPERATIONS,
    INSTALMENTS,
    SHARE_OPERATIONS,
    Origin,
    Origins,
    Shown,
    agreed,
    belongs,
    names,
    rewritten,
    sentence_at,
    shown,
)
from dnc_datasets.perturbations.tables.stated_figures import compared_rows, stated_figures
from dnc_datasets.problem import Problem
from dnc_datasets.tables.relations import Cell

SCALES: Final = {"thousand": 10**3, "million": 10**6, "billion": 10**9}
_TEXT_SCALES: Final = [1, 10**3, 10**6, 10**9]
_CURRENCY_CODE: Final = re.compile(
    r"(?:\$ ?US|\b(?:US|CA|AU|HK|NZ)D?|\bRMB|\bEUR|\bGBP|\bCHF|\bRs\.?) ?\Z", re.IGNORECASE
)
# A price, a rate, a value of one share: it does not change when the amounts grow.
_PRICE_BEFORE: Final = re.compile(
    r"\b(?:price|prices|par value|nominal value|rate|exercise|strike|fee)s?\b[^.;]{0,60}\Z|"
    r"\bper (?:\w+ ){0,2}(?:share|unit)\b[^.;]{0,40}\Z",
    re.IGNORECASE,
)
_PRICE_AFTER: Final = re.compile(
    r"(?: (?:million|billion|thousand|cents?|pence))?(?:,?(?: par value)? (?:per|each)| an?)\b|"
    r",? (?:par|nominal) value\b|/",
    re.IGNORECASE,
)
# "was $19 (31 December 2018: $29)": the second number is a price too.
_BESIDE_PRICE: Final = re.compile(r" ?\([^()]{0,40}[:,] ?(?:[A-Z]{2,3} ?)?[$€£¥]?")
# "a 49% equity interest": an interest owned is no share of amounts.
_OWNED: Final = re.compile(
    r"%?,? (?:[a-z-]+ ){0,2}(?:interests?|stakes?|owned|ownership|holdings?|shareholdings?)\b", re.IGNORECASE
)
# A sentence whose short amounts may be results: "an increase of $2 million".
_TELLS_RESULT: Final = re.compile(
    r"\b(?:in|de)creas|\bchange|\bdifference|\bhigher\b|\blower\b|\bgrew\b|\bgrowth\b|\brose\b|\bfell\b|\bdeclin|"
    r"\bup\b|\bdown\b|\btotal|\bsum\b|\baverage\b"
)
# A sentence whose short numbers may be shares.
_COMPARES: Final = re.compile(
    r"\b(?:in|de)creas|\bchange|\bdifference|\bhigher\b|\blower\b|\bgrew\b|\bgrowth\b|\brose\b|\bfell\b|\bdeclin|"
    r"\bup\b|\bdown\b|\btotal|\bof\b[^.]{0,60}%|%"
)
_CHANGED: Final = re.compile(
    r"\b(?:in|de)creas\w*|\bhigher\b|\blower\b|\bgrew\b|\bgrowth\b|\brose\b|\bfell\b|\bdeclin\w*|\bup\b|\bdown\b",
    re.IGNORECASE,
)
# "$(9.8) million", "$ 2.3 bil- lion": the scale is separated from its number.
_SCALE_AFTER_BRACKET: Final = re.compile(
    r" ?\) ?(?:thousand|million|billion|mn|m|bn)\b| ?(?:thou- ?sand|mil- ?lion|bil- ?lion)\b", re.IGNORECASE
)
# "increased $1.2 billion", "a decrease of approximately $3.1 million"
_CHANGED_BY: Final = re.compile(
    r"\b(?:(?:in|de)creas\w{1,3}|grew|rose|fell|declin\w{1,3}|up|down)(?: by| of)?"
    r"(?: approximately| about)? ?[$€£¥]? ?\Z",
    re.IGNORECASE,
)
# "$1.0 million per quarter", "monthly payments of $250,000"
_EACH: Final = re.compile(
    r",? (?:per|each|every|an?) (?:(?:fiscal|calendar) )?(?P<period>quarter|month)\b", re.IGNORECASE
)
_EACH_BEFORE: Final = re.compile(
    r"\b(?P<period>quarter|month)ly (?:[a-z]+ ){1,3}of (?:approximately |about )?[$€£¥]? ?\Z", re.IGNORECASE
)
_CURRENCY_WORD: Final = re.compile(r" (?:US )?(?:dollars|euros?|pounds|yen)\b", re.IGNORECASE)
_ARTICLE: Final = re.compile(r"\b(an?) [$€£¥]? ?\Z", re.IGNORECASE)
_NUMBER: Final = re.compile(r"\d[\d,.]*")
_WINDOW: Final = 90
_CODE: Final = 8
_BEFORE: Final = 40
_IN_FULL: Final = 1_000_000
_THOUSAND: Final = 1000
_LONG: Final = 100_000
_FEW: Final = 2
_TELLING: Final = 3  # digits: shorter numbers agree by chance
_NONE: Final = Fraction(0)
_RELATES: Final = re.compile(
    r"\b(?:more|fewer|less|than|at most|at least|records?|targets?|limits?|maximum|minimum|average|half|per ?cent|"
    r"ratio|ahead|leaving|gained|outsold|in all|in total|altogether|as many|twice|times as|up from|down from|rose|"
    r"risen|fell|fallen|grew|grown|each|per)\b|%",
    re.IGNORECASE,
)
_COUNTED_BY_CHANCE: Final = 3  # "the two towns" says nothing of their amounts
_SLIGHTLY: Final = Fraction(1, 20)
_TENS: Final = 20  # number of half last digits in ten last digits
Found = Sequence[tuple[Origin, int]]


class Mention(NamedTuple):
    """A number of the body, with its origins in the table or the fact that it grows with the table.

    Where it is `open` whether a short number has these origins, it stays or grows in agreement with one of them.
    What a very short number shows may be chance: it follows its `likely` origins if these agree on another size.
    A number may be off from what it follows, by the rounding of its author: the `offset` stays.
    An amount that may equal its cells by `chance` grows by a common factor exactly, and no further than its cells.
    """

    quantity: Quantity
    number: Shown
    origins: Found
    grows: bool
    open: bool = False
    likely: Found = ()
    offset: Fraction = _NONE
    named: bool = True  # the sentence has a word of the row that it may state
    chance: bool = False

    @property
    def is_free(self) -> bool:
        """Return whether the number grows with its table and has no origin."""
        return self.grows and not self.origins and not self.likely

    def moved(self, new: Mapping[Cell, Fraction], factor: Fraction, coarse: bool = False) -> Fraction | None:
        """Return the new size of the number. Return None if it cannot be stated.

        A `coarse` number keeps its number of digits: 2.9 -> 35, not 34.8.
        """
        number = self.number
        if coarse and self.is_free and number.value * factor >= _TENS * number.half:
            return replace(number, half=10 * number.half).rounded(number.value * factor)
        if self.origins and not self.open:
            size = agreed(self.origins, number, new)
            if self.chance and factor != 1 and size != number.rounded(number.value * factor):
                return None  # it is not certain which of the two sizes is right
            if (
                size is not None
                and self.origins[0][0].operation in INSTALMENTS
                and size != number.rounded(size)
            ):
                return None  # a year of the rounded payment is another amount
            return None if size is None else size + self.offset
        size = number.rounded(number.value * factor) if self.grows else number.value
        if self.grows and number.value >= _IN_FULL and not number.value % _THOUSAND:
            size = Fraction(
                floor(size / _THOUSAND + Fraction(1, 2)) * _THOUSAND
            )  # "$2,792,000" has no hundreds
        if not self.open:
            sizes = {agreed([one], number, new) for one in self.likely} - {None}
            if len(sizes) > 1 and any(origin.exact for origin, _ in self.likely):
                return None  # "£0.9 million" beside two cells of 0.9, one of which changes
            return self._followed(sizes.pop(), size) if len(sizes) == 1 else size
        by_cells = {agreed([one], number, new) for one in self.origins} - {None}
        if size in by_cells:
            return size
        return self._followed(by_cells.pop(), size) if len(by_cells) == 1 and self.grows else None

    def _followed(self, by_cell: Fraction | None, grown: Fraction) -> Fraction | None:
        """Return the size by a cell that a number may state.

        Return None if that size is not nearly the grown one and the sentence does not name the row.
        """
        if by_cell is None or self.named or abs(by_cell - grown) <= _SLIGHTLY * grown:
            return by_cell
        return None


class Texts(NamedTuple):
    """The numbers of a body that change with the table."""

    mentions: tuple[Mention, ...]

    def moved(
        self, problem: Problem, new: Mapping[Cell, Fraction], factor: Fraction, coarse: bool = False
    ) -> Problem | None:
        """Return the problem with its body in agreement with new cells.

        Return None if two origins of a number disagree.
        """
        edits = []
        # Amounts beside each other keep the same number of decimals.
        exact = {one.number.half for one in self.mentions if one.chance}
        rough = frozenset(
            one.quantity.start
            for one in self.mentions
            if coarse and one.is_free and one.number.half not in exact
        )
        for mention in self.mentions:
            value = mention.moved(new, factor, mention.quantity.start in rough)
            if value is None or not value:
                return None
            if value != mention.number.value:
                if not _fits_article(problem.body, mention, value):
                    return None
                edits.append((mention.quantity, value))
        return problem.replace(body=rewritten(problem, problem.body, edits, rough)) if edits else problem


def states_more(body: str, texts: Texts) -> bool:
    """Return whether a text compares an amount that follows from no cell: "50 more than in April", "at most 360".

    Such an amount may depend on the cells in any way. The text of a short table is about the table, so there the
    row is left alone. The text of a company's report compares many amounts of its own.
    """
    linked = {one.quantity.start for one in texts.mentions if one.origins and not one.open}
    return any(
        _RELATES.search(sentence_at(body, quantity.start, quantity.end))
        and quantity.kind in (*AMOUNTS, "word", "percent", "fraction")
        and quantity.value > _COUNTED_BY_CHANCE
        and quantity.start not in linked
        and not is_year(quantity.text)
        and not is_name(body, "body", quantity.text, quantity.start, quantity.end)
        for quantity in numerals.find(body)
    )


def _fits_article(body: str, mention: Mention, value: Fraction) -> bool:
    """Return whether the article before a number fits its new size: "a $1.1 million", "an $8.8 million"."""
    start = mention.quantity.start
    article = _ARTICLE.search(body, max(0, start - _CODE), start)
    if article is None:
        return True
    words = numerals.spell(floor(value / mention.number.unit))
    return (article[1].lower() == "an") == words.startswith(("eight", "eleven"))


def read_texts(problem: Problem, origins: Origins) -> Texts | None:
    """Return the numbers of the body that follow from cells or grow with them.

    Return None if one cannot be stated.
    """
    body, found = problem.body, []
    last_price = 0
    unit = SCALES.get(problem.note("table_scale"), 1)
    for quantity in numerals.find(body):
        start, end = quantity.start, quantity.end
        if quantity.kind == "word" and _states_in_words(body, quantity, origins, unit):
            return None  # the number would have to be spelled in words
        if quantity.kind not in AMOUNTS or not quantity.value:
            continue
        number = shown(quantity)
        if quantity.kind == "percent" and _OWNED.match(body, end):
            continue
        if quantity.kind == "percent":
            same = [one for one in origins.cells(number) if one[0].cells[0] in origins.shares]
            possible = origins.of(number, SHARE_OPERATIONS)
            shares = [*same, *_by_sentence(possible, origins, body, quantity)]
            changes = [one for one in possible if one[0].operation == "change"]
            if shares:
                # "Around 2% of sales" may be any share: it stays true, or the row is left alone.
                found.append(Mention(quantity, number, shares, False, _digits(quantity) < _FEW))
            elif changes and _digits(quantity) == _TELLING - 1 and _names_change(body, quantity):
                found.append(Mention(quantity, number, changes, False, True))
            continue
        money = (
            quantity.kind == "money"
            or currency_before(body, start - (body[start - 1 : start] == "(")) != ""
            or _CURRENCY_CODE.search(body, max(0, start - _CODE), start) is not None
        )
        scales = [1, unit] if unit > 1 else _TEXT_SCALES if number.unit > 1 else [1]
        paid = _instalments(body, quantity, number, origins, scales) if money and quantity.value > 0 else ()
        if paid:
            if not quantity.in_digits:
                return None
            found.append(Mention(quantity, number, paid, False))
            continue
        if unit == number.unit == 1 and quantity.value >= _LONG:
            scales = [1, 10**3]  # "1,001,100 options" beside 1,001.1 in a column of thousands
        cells = origins.cells(number, scales)
        unsure: Found = ()
        if not _tells(quantity):
            sentence = sentence_at(body, start, end)
            scaled = money or number.unit > 1
            named = [one for one in cells if names(one[0], origins.table, sentence)] if scaled else []
            if _digits(quantity) < _FEW:  # "the $100 million facility" is no mention of 100,382
                named = [one for one in named if one[0].exact]
            named = named or list(
                stated_figures(body, quantity, number, origins, scales, money) if scaled else ()
            )
            # "$1.4 million" may state 1.4 in a table in millions, in any row. It may state 1,412 if the unit of the
            # table is unknown.
            short = scaled and not named and _digits(quantity) == _TELLING - 1
            unsure = [one for one in cells if one[1] == unit or unit == 1 < number.unit] if short else ()
            if unsure and _CHANGED_BY.search(body, max(0, start - _BEFORE), start):
                unsure = _changes_of_rows(number, origins, scales, body, quantity) or unsure
            cells = named
        if cells and money:  # the number may state a cell or a difference
            cells = [*cells, *compared_rows(body, quantity, number, origins, scales)]
        if not money and is_year(quantity.text):
            continue
        priced = number.unit == 1 and (
            _PRICE_BEFORE.search(body, max(0, start - _WINDOW), start) is not None
            or (start - _WINDOW < last_price and _BESIDE_PRICE.fullmatch(body, last_price, start) is not None)
        )
        last_price = end if priced else last_price
        if not money and unsure and number.unit > 1 and not is_year(quantity.text):
            found.append(Mention(quantity, number, unsure, False, True))
            continue
        if not money and not cells:
            stated = stated_figures(body, quantity, number, origins, scales, money)
            if stated and not is_name(body, "body", quantity.text, start, end):
                if not quantity.in_digits:
                    return None
                found.append(Mention(quantity, number, stated, False))
                continue
            if _is_result(quantity, number, origins, body) or _is_shortened(quantity, number, origins):
                return None  # other numbers of the text may follow from it
            continue
        if not money and is_name(body, "body", quantity.text, start, end):
            return None  # it may be a name or the amount
        if _SCALE_AFTER_BRACKET.match(body, end):
            return None
        if priced or _PRICE_AFTER.match(body, end):
            if cells:
                return None  # it may be a price or the amount
            continue
        if quantity.value < 0 or not quantity.in_digits:
            return None
        results = (
            []
            if cells
            else _by_sentence(origins.of(number, AMOUNT_OPERATIONS, scales), origins, body, quantity)
        )
        if not cells and not results:
            results = _nearly(number, origins, scales, body, quantity)
        if not cells and not results and not unsure and _digits(quantity) == _TELLING - 1:
            # "Operating income decreased $5.7 million" under a heading that names the row.
            unsure = _changes_of_rows(number, origins, scales, body, quantity)
        if not cells and not results and not unsure and not _tells(quantity):
            unsure = _results_of_named_rows(number, origins, scales, body, quantity)
        open_to = unsure if not cells and not results else ()
        linked = cells or results or open_to
        likely: Found = ()
        if money and not linked and not _tells(quantity):
            likely = _likely(quantity, number, origins, unit, body) or _equal_cells(number, origins, scales)
        was = None if open_to else agreed(linked, number, origins.values)
        offset = _NONE if was is None else number.value - was
        is_named = True
        if open_to or likely:
            spoken = words(_sentence(body, quantity))
            is_named = any(
                not spoken.isdisjoint(words(origins.table[cell[0]][0]))
                for origin, _ in (*open_to, *likely)
                for cell in origin.cells
            )
        found.append(Mention(quantity, number, linked, money, bool(open_to), likely, offset, is_named))
    return Texts(tuple(_with_chance(body, found, origins)))


def _with_chance(body: str, found: Sequence[Mention], origins: Origins) -> Iterator[Mention]:
    """The mentions, with the short amounts marked that may equal cells by chance.

    Their sentence names no row of these cells, and several cells explain them, or no cell explains another amount of
    the sentence: "Capital expenditures were $17.9 billion in 2019 and $16.7 billion in 2018" beside 17,934.
    """
    free = {_sentence(body, one.quantity) for one in found if one.is_free}
    for one in found:
        cells = [origin for origin, _ in one.origins if origin.operation == "cell" and not origin.exact]
        if not cells or len(cells) < len(one.origins) or not one.grows or one.open or one.offset:
            yield one
            continue
        sentence = _sentence(body, one.quantity)
        several = len({abs(origins.values[origin.cells[0]]) for origin in cells}) > 1
        named = any(belongs(origin, origins.table, sentence) for origin in cells)
        chance = _digits(one.quantity) <= _TELLING and not named and (several or sentence in free)
        yield one._replace(chance=chance)


def _states_in_words(body: str, quantity: Quantity, origins: Origins, unit: int) -> bool:
    """Return whether a number in words states cells or a result: "six hundred and twenty million dollars"."""
    if not quantity.is_integer or not quantity.text.isascii():
        return False
    size = abs(quantity.value)
    scales = [1, unit] if unit > 1 else [1]
    number = Shown(Fraction(size), Fraction(1, 2), Fraction(1))
    if size >= _THOUSAND:
        scales = _TEXT_SCALES
        cells = origins.cells(number, scales)
        if _CURRENCY_WORD.match(body, quantity.end) or any(origin.exact for origin, _ in cells):
            return True
    return bool(stated_figures(body, quantity, number, origins, scales, size >= _THOUSAND))


def _instalments(
    body: str, quantity: Quantity, number: Shown, origins: Origins, scales: Sequence[int]
) -> Found:
    """The cells that an amount of each quarter or month makes in a year, exactly."""
    start, end = quantity.start, quantity.end
    period = _EACH.match(body, end) or _EACH_BEFORE.search(body, max(0, start - _WINDOW), start)
    if period is None:
        return ()
    operation = f"{period['period'].lower()}ly"
    times = INSTALMENTS[operation]
    year = Shown(number.value * times, number.half * times, number.unit)
    cells = [one for one in origins.cells(year, scales) if one[0].exact]
    return [(Origin(operation, origin.cells, True), scale) for origin, scale in cells]


def _nearly(number: Shown, origins: Origins, scales: Sequence[int], body: str, quantity: Quantity) -> Found:
    """Return the changes of a row named by the sentence, up to the rounding of two cells: 6,778 for 6,777."""
    if _digits(quantity) <= _TELLING or len(scales) > _FEW:
        return ()
    wide = replace(number, half=number.half + max(scales))
    return [
        one
        for one in _by_sentence(origins.of(wide, ("difference",), scales), origins, body, quantity)
        if one[0].cells[0][0] == one[0].cells[-1][0]
        and belongs(one[0], origins.table, _sentence(body, quantity))
    ]


def _likely(quantity: Quantity, number: Shown, origins: Origins, unit: int, body: str) -> Found:
    """Return the cells, and changes of rows, that a very short amount may state.

    An example is "$0.9 million", stated of 929 thousand. If labels share several words with the sentence,
    only the best ones count.
    """
    return _best_named(_all_likely(quantity, number, origins, unit), origins, body, quantity, _FEW)


def _best_named(found: Found, origins: Origins, body: str, quantity: Quantity, fewest: int) -> Found:
    """Return the origins whose rows share the most words with the sentence.

    Return all origins if the highest number of shared words is below `fewest`.
    """
    if len(found) <= 1:
        return found
    spoken = words(_sentence(body, quantity))
    common = [len(spoken & words(origins.table[one.cells[0][0]][0])) for one, _ in found]
    most = max(common)
    return (
        found if most < fewest else [one for one, count in zip(found, common, strict=True) if count == most]
    )


def _all_likely(quantity: Quantity, number: Shown, origins: Origins, unit: int) -> Found:
    if "." not in quantity.text or unit == 1 or number.unit < unit:
        return ()
    cells = origins.cells(number, [unit])
    if number.unit == unit:
        return [one for one in cells if one[0].exact]
    changes = origins.of(number, ("difference",), [unit])
    return [*cells, *(one for one in changes if one[0].cells[0][0] == one[0].cells[-1][0])]


def _equal_cells(number: Shown, origins: Origins, scales: Sequence[int]) -> Found:
    """Return the cells that a round amount states exactly, in any row: "$500 million" of 500 in millions."""
    return [one for one in origins.cells(number, scales) if one[0].exact] if number.unit > 1 else ()


def _changes_of_rows(
    number: Shown, origins: Origins, scales: Sequence[int], body: str, quantity: Quantity
) -> Found:
    """Return the changes of rows that a short amount after "increased" or "decreased" may state."""
    if not _CHANGED.search(_sentence(body, quantity)):
        return ()
    found = origins.of(number, ("difference",), scales)
    return _best_named(
        [one for one in found if one[0].cells[0][0] == one[0].cells[-1][0]], origins, body, quantity, 1
    )


def _results_of_named_rows(
    number: Shown, origins: Origins, scales: Sequence[int], body: str, quantity: Quantity
) -> Found:
    """Return the sums and changes of named rows that a short amount may state.

    An example is $0.4 million, stated of 349 and 60.
    """
    sentence = _sentence(body, quantity)
    return [
        one
        for one in origins.of(number, ("difference", "sum"), scales)
        for first, last in [(one[0].cells[0], one[0].cells[-1])]
        if (first[0] == last[0]) == (one[0].operation == "difference")
        and belongs(one[0], origins.table, sentence)
    ]


def _sentence(body: str, quantity: Quantity) -> str:
    return sentence_at(body, quantity.start, quantity.end)


def _names_change(body: str, quantity: Quantity) -> bool:
    """Return whether a percentage describes a change: "grew by 12%"."""
    return _CHANGED.search(body, max(0, quantity.start - _WINDOW), quantity.start) is not None


def _is_result(quantity: Quantity, number: Shown, origins: Origins, body: str) -> bool:
    """Return whether a count of the text is the sum or difference of two cells whose rows are named."""
    if not _tells(quantity) or not quantity.in_digits:
        return False
    sentence = sentence_at(body, quantity.start, quantity.end)
    found = origins.of(number, AMOUNT_OPERATIONS, (1, 10**3, 10**6))
    full = quantity.value >= _IN_FULL and not quantity.value % 1000  # 1329000 beside a table in thousands
    return any(full or belongs(origin, origins.table, sentence) for origin, _ in found)


def _is_shortened(quantity: Quantity, number: Shown, origins: Origins) -> bool:
    """Return whether a count of the text is a long count of the table in thousands: 153 of 152,644."""
    if not _tells(quantity) or not quantity.in_digits or is_year(quantity.text) or number.unit > 1:
        return False
    return any(abs(value) >= _LONG and number.shows(abs(value) / 1000) for value in origins.values.values())


def _digits(quantity: Quantity) -> int:
    """Return the number of significant digits: one in "$100 million", three in "70.0"."""
    return _telling_digits(quantity.text)


@lru_cache(maxsize=4096)
def _telling_digits(text: str) -> int:
    number = _NUMBER.search(text)
    digits = number[0].strip(".,").lstrip("0.,") if number else ""
    return sum(map(str.isdigit, digits if "." in digits else digits.rstrip("0,")))


def _tells(quantity: Quantity) -> bool:
    return _digits(quantity) >= _TELLING


def _by_sentence(found: Found, origins: Origins, body: str, quantity: Quantity) -> Found:
    """Return the origins whose rows the sentence names.

    If it names none, return all origins of a number that is too long for chance.
    """
    if not found:
        return ()
    sentence = sentence_at(body, quantity.start, quantity.end)
    named = [one for one in found if belongs(one[0], origins.table, sentence)]
    if _tells(quantity):
        return named or found
    compares = _COMPARES if quantity.kind == "percent" else _TELLS_RESULT
    return named if compares.search(sentence) else ()
