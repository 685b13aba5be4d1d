"""Columns of periods in reverse order: "2019, 2018, 2017" becomes "2017, 2018, 2019"."""

from __future__ import annotations

import re
from collections.abc import Sequence
from itertools import chain, pairwise
from typing import NamedTuple

from dnc_datasets.english.lexicon import MONTH_ABBREVIATIONS, MONTHS, any_of
from dnc_datasets.memoization import memoized
from dnc_datasets.problem import Problem

Table = tuple[tuple[str, ...], ...]
Row = Sequence[str]

_YEAR = re.compile(
    r"(?<![\d,.$€£])(?:19|20)\d\d(?:\s?[/–-]\s?(?:20)?\d\d)?(?![\d,.]*\d)|\bfy ?['’]?\d\d\b", re.IGNORECASE
)
_UNSPACED = re.compile(r",(?=(?:19|20)\d\d\b)")  # "September 28,2019"
_ANY_YEAR = re.compile(r"(?:19|20)\d\d")
_MONTH_NAMES = any_of((*map(str.lower, MONTHS), *MONTH_ABBREVIATIONS))
_MONTH = re.compile(rf"\b({_MONTH_NAMES})\b", re.IGNORECASE)
_QUARTER = re.compile(r"\bq([1-4])\b", re.IGNORECASE)
_DAY = re.compile(r"(?<!\d)\d{1,2}(?!\d)")
_MARK = re.compile(r"\(\s?\w{1,2}\s?\)|[*†‡¹²³]")
_WHEN = (
    r"(?:fiscal |financial )?years?|fiscal|fy|calendar|as|of|at|on|for|the|ended|ending|end|year-end(?:ed)?|yearended|"
    r"52|53|weeks?"
)
_UNIT = (
    r"in|thousands?|millions?|billions?|dollars?|expressed|amounts?|stated|except|percent(?:age)?s?|data|per|and|"
    r"shares?|u\.? ?s|usd?|nt|new taiwan|canadian|rmb|mil|m|mm|bn|'?000s?|numbers?"
)
# Words beside the period of a heading that do not change the meaning of its column.
_PLAIN = re.compile(
    rf"(?<!\w)(?:{_WHEN}|unaudited|audited|restated|reported|see notes? \d+|notes? \d+)(?!\w)|[^\w\s%$€£]",
    re.IGNORECASE,
)
# A heading that applies to all columns.
_SPANS = re.compile(
    rf"(?:(?:{_WHEN}|{_UNIT}|unaudited|months?|quarters?|periods?|three|six|nine|twelve|{_MONTH_NAMES}|\d{{1,2}})"
    r"(?!\w)|\W)+",
    re.IGNORECASE,
)
_OF_ONE = re.compile(
    r"\b(?:restated|adjusted|revised|pro ?forma|notes?|(?:un)?audited|reported)\b|\(\w{1,2}\)", re.IGNORECASE
)
_AUDIT = re.compile(r"\W*(?:un)?audited\W*", re.IGNORECASE)
_NOTES = re.compile(r"\W*(?:see )?(?:notes?|ref(?:erence)?s?)\W*(?:no\W*)?", re.IGNORECASE)
_CHANGES = re.compile(
    r"chang|varia|increas|decreas|growth|differen|favou?rable|\bvs\b|versus|\bover\b|compared|movement|"
    r"year-? ?over|yr\W+to|sequential",
    re.IGNORECASE,
)
_AMOUNT = re.compile(r"[^\w]*(?:\d[\d,]*(?:\.\d+)?|\.\d+)[^\w]*(?:\(\w{1,2}\)\W*)?")
_NO_FIGURE = re.compile(r"\W*(?:n ?/? ?[am]|nmf?|nil|none|bps|x)?\W*", re.IGNORECASE)
_SIGN = re.compile(r"[$€£¥%]")
# "net of allowances of $310 and $298": the first number belongs to the first column.
_PAIRED = re.compile(
    r"\brespectively\b|(?<![\d,./-])\d[\d,.]{0,15}(?: [a-z]{1,20})? and (?:[$€£] ?)?\d[\d,.]{0,15}(?![\d,.-])",
    re.IGNORECASE,
)
_COLUMN = re.compile(
    r"\bcolumns?\b|\b(?:left|right)[ -]hand\b|\b(?:to|on|at) the (?:far )?(?:left|right)\b", re.IGNORECASE
)
_PLACED = re.compile(
    r"\b(?:first|second|third|last|latter|former|preceding)\b(?! (?:quarter|half|level|lien|mortgage|part))|"
    r"\b(?:left|right)(?:most|[ -]hand)\b|\b(?:left|right) (?:of|side)\b",
    re.IGNORECASE,
)
_RUN_OF_YEARS = re.compile(
    rf"(?:19|20)\d\d(?:\s{{1,3}}(?:(?:{_MONTH_NAMES})\.?\s\d{{1,2}}(?:\s?,)?\s)?(?:19|20)\d\d\b)+",
    re.IGNORECASE,
)
_FUTURE = re.compile(
    r"\bmaturit|\bdue\b|\bfuture\b|\bexpected\b|\bestimated\b|\bobligations?\b|\bcommitments?\b|\bindex\b",
    re.IGNORECASE,
)
_SIGNS = re.compile(r"[\s$€£()−–-]+")
_MOST_RISING = 3
_TELLING = 3  # characters: shorter figures are adjacent by chance


class _Period(NamedTuple):
    """A period by its end, with the other words of its heading."""

    end: tuple[int, int, int]
    besides: str


class _Part(NamedTuple):
    """Neighbouring columns with a period each: from `start`, `number` blocks of `width` columns."""

    start: int
    width: int
    number: int

    @property
    def end(self) -> int:
        return self.start + self.width * self.number

    def blocks(self, row: Row) -> list[Row]:
        """Return the cells of each block."""
        return [row[at : at + self.width] for at in range(self.start, self.end, self.width)]

    def reverse(self, order: list[int]) -> None:
        """Reverse the order of the blocks."""
        blocks = [order[at : at + self.width] for at in range(self.start, self.end, self.width)]
        order[self.start : self.end] = chain(*reversed(blocks))


def speaks_of_places(problem: Problem) -> bool:
    """Return whether the text mentions positions of columns or repeats headings, which fixes the columns.

    >>> speaks_of_places(Problem("1", "", "What is the sum of the first and the last year?"))
    True
    """
    asked = " ".join((problem.question, *(text for turn in problem.history for text in turn)))
    return (
        any(map(_COLUMN.search, (problem.body, asked)))
        or _PLACED.search(asked) is not None
        or any(map(_is_header, _RUN_OF_YEARS.findall(problem.body)))
        or _repeats_row(problem)
    )


def _repeats_row(problem: Problem) -> bool:
    """Return whether the text repeats the figures of a row, one after another."""
    body = f" {_SIGNS.sub(' ', problem.body)} "
    rows = ([_SIGNS.sub(" ", text).strip() for text in row[1:]] for row in problem.table)
    found = ([text for text in row if len(text) >= _TELLING and text[0].isdigit()] for row in rows)
    return any(len(row) > 1 and f" {' '.join(row)} " in body for row in found)


def _is_header(text: str) -> bool:
    """Return whether years without commas between them, "2012 2011 2010", are the headings of columns."""
    years = _ANY_YEAR.findall(text)
    return any(abs(int(a) - int(b)) == 1 for a, b in pairwise(years))


@memoized
def column_orders(table: Table) -> tuple[tuple[int, ...], ...]:
    """Return for each row its old columns in an order that reverses the periods. Return none if uncertain.

    A cell that heads several columns keeps its position.
    """
    if len({len(row) for row in table}) != 1 or any(map(_is_paired, table)):
        return ()
    count = next((at for at, row in enumerate(table) if at and any(map(_is_amount, row[1:]))), 0)
    parts = _parts(table, count)
    orders = []
    for at, row in enumerate(table):
        order = list(range(len(row)))
        for part in parts:
            moves = _moves_heading(row, part) if at < count else _moves_figures(row, part)
            if moves is None:
                return ()
            if moves:
                part.reverse(order)
        orders.append(tuple(order))
    turned = [[row[at] for at in order] for row, order in zip(table, orders, strict=True)]
    # Notes must follow in the order of their marks.
    return tuple(orders) if parts and _marks(table) == _marks(turned) else ()


def _is_paired(row: Row) -> bool:
    """Return whether a label gives one figure per column: "net of allowances of $310 and $298"."""
    return _PAIRED.search(row[0]) is not None and len(_ANY_YEAR.findall(row[0])) <= 1


def _is_amount(text: str) -> bool:
    return _AMOUNT.fullmatch(text) is not None and not _ANY_YEAR.fullmatch(_MARK.sub("", text).strip())


def _marks(table: Sequence[Row]) -> list[str]:
    """Return the marks of notes in the order of their first occurrence."""
    found = (mark for row in table for text in row for mark in _MARK.findall(text) if not _is_negative(text))
    return list(dict.fromkeys(found))


def _is_negative(text: str) -> bool:
    return re.fullmatch(r"[^\w]*\(\s?\d+\s?\)\W*", text) is not None


def _parts(table: Table, count: int) -> list[_Part]:
    """Return the columns that change places.

    Return none if a column has no period and holds neither notes nor changes.
    """
    heads = table[:count]
    dated: Row = max(heads, key=lambda row: sum(1 for text in row[1:] if _period(text)), default=())
    at = [column for column in range(1, len(dated)) if _period(dated[column])]
    if len(at) <= 1:
        return []
    adjacent = at[-1] - at[0] == len(at) - 1
    parts = _columns(heads, at) if adjacent else _blocks(heads, at)
    if not parts:
        return []
    if _rises(heads, at) and (parts[0].number > _MOST_RISING or any(_FUTURE.search(row[0]) for row in table)):
        return []
    first, last = parts[0].start, parts[-1].end
    for column in range(1, first):
        if not any(map(_NOTES.fullmatch, _texts(heads, column, 1))) and any(_texts(table, column, column)):
            return []
    changes = _comparisons(heads, last, len(dated))
    for column in range(last, len(dated)):
        said = " ".join(_texts(heads, column, last))
        if not _CHANGES.search(said) and any(_texts(table, column, column)):
            return []
    return [*parts, *changes]


def _texts(table: Table, column: int, first: int) -> list[str]:
    """Return the texts of a column.

    An empty one is replaced by the nearest text before it, from `first` on.
    """
    found = (next((text for text in reversed(row[first : column + 1]) if text.strip()), "") for row in table)
    return [text for text in found if text]


def _rises(heads: Table, at: Sequence[int]) -> bool:
    years = [_ANY_YEAR.findall(" ".join(row[column] for row in heads)) for column in (at[0], at[1])]
    return bool(years[0] and years[1]) and years[0][0] < years[1][0]


def _period(text: str) -> _Period | None:
    """Read the heading of one period.

    >>> _period("December 31, 2019")
    _Period(end=(2019, 12, 31), besides='')
    >>> _period("2019 vs. 2018")
    """
    text = _UNSPACED.sub(", ", _MARK.sub(" ", text))
    years = _YEAR.findall(text)
    if len(years) != 1:
        return None
    rest = _YEAR.sub(" ", text)
    months, quarters = _MONTH.findall(rest), _QUARTER.findall(rest)
    if len(months) + len(quarters) > 1:
        return None
    rest = _PLAIN.sub(" ", _QUARTER.sub(" ", _MONTH.sub(" ", rest)))
    days = _DAY.findall(rest) if months else []
    rest = _DAY.sub(" ", rest) if months else rest
    month = (
        MONTH_ABBREVIATIONS.index(months[0][:3].lower()) + 1
        if months
        else 3 * int(quarters[0])
        if quarters
        else 0
    )
    year = int(re.sub(r"\D", "", years[0])[:4])
    return _Period((year, month, int(days[0]) if days else 0), " ".join(rest.lower().split()))


def _columns(heads: Table, at: Sequence[int]) -> list[_Part]:
    """Return neighbouring columns with a period each, in one or more groups, or in blocks of one period."""
    own = [row for row in heads if all(row[column].strip() for column in at)]
    periods = [_period(" ".join(row[column] for row in own)) for column in at]
    if None in periods:
        return []
    width = next((n for n, one in enumerate(periods) if one != periods[0]), 0)
    if width > 1:
        equal = all(len(set(periods[n : n + width])) == 1 for n in range(0, len(at), width))
        return _blocks(heads, at[::width]) if equal and len(at) % width == 0 else []
    size = next(
        (n for n in range(2, len(at) + 1) if len(at) % n == 0 and periods[:n] * (len(at) // n) == periods), 0
    )
    if not _are_strict(periods[:size]):
        return []
    return [_Part(start, 1, size) for start in range(at[0], at[-1] + 1, size)]


def _blocks(heads: Table, at: Sequence[int]) -> list[_Part]:
    """Return blocks of columns that are headed by one period each and share their lower headings."""
    width = at[1] - at[0]
    periods = [next(filter(None, (_period(row[column]) for row in heads)), None) for column in at]
    if not _are_strict(periods) or any(later - earlier != width for earlier, later in pairwise(at)):
        return []
    for start in range(at[0], max(0, at[0] - width), -1):
        part = _Part(start, width, len(at))
        if part.end > len(heads[0]):
            continue
        alike = [
            len({tuple(block) for block in part.blocks(row)}) == 1 and any(part.blocks(row)[0])
            for row in heads
        ]
        if any(alike):
            return [part]
    return []


def _are_strict(periods: Sequence[_Period | None]) -> bool:
    """Return whether these are periods of one kind in strictly rising or falling order."""
    known = [one for one in periods if one is not None]
    if len(known) < len(periods) or len(known) <= 1 or len({one.besides for one in known}) > 1:
        return False
    pairs = list(pairwise(one.end for one in known))
    return all(a < b for a, b in pairs) or all(a > b for a, b in pairs)


def _comparisons(heads: Table, start: int, end: int) -> list[_Part]:
    """Return columns of "2019 vs. 2018", "2018 vs. 2017", which follow the order of the years."""
    for row in heads:
        at = [column for column in range(start, end) if len(_ANY_YEAR.findall(row[column])) == 2]
        if len(at) <= 1:
            continue
        width = at[1] - at[0]
        years = [max(_ANY_YEAR.findall(row[column])) for column in at]
        if sorted(years) == years or sorted(years, reverse=True) == years:
            part = _Part(at[0], width, len(at))
            if part.end <= end and all(later - earlier == width for earlier, later in pairwise(at)):
                return [part]
    return []


def _moves_heading(row: Row, part: _Part) -> bool | None:
    """Return whether the cells of a heading row move with their columns. Return None if this is unclear."""
    blocks = part.blocks(row)
    if len({tuple(block) for block in blocks}) == 1:
        return True
    filled = [at for at, text in enumerate(row[part.start : part.end]) if text.strip()]
    if len(filled) == 1:
        return False if _may_span(row[part.start + filled[0]], filled[0], part) else None
    return True if all(any(map(str.strip, block)) for block in blocks) else None


def _may_span(text: str, at: int, part: _Part) -> bool:
    """Return whether a lone heading may apply to all columns of a part."""
    if _ANY_YEAR.search(text):
        return False
    if _SPANS.fullmatch(text) and not _AUDIT.fullmatch(text):
        return True
    size = part.width * part.number
    return at in {0, (size - 1) // 2} and not _OF_ONE.search(text)


def _moves_figures(row: Row, part: _Part) -> bool | None:
    """Return whether the cells of a row with figures move with their columns. Return None if unclear."""
    cells = row[part.start : part.end]
    blocks = part.blocks(row)
    if len({tuple(block) for block in blocks}) == 1:
        return True
    filled = [text for text in cells if text.strip()]
    words = [text for text in filled if not _is_amount(text) and not _NO_FIGURE.fullmatch(text)]
    if len(words) == len(filled) == 1 and not row[0].strip():
        return False if _SPANS.fullmatch(words[0]) else None
    if any(map(str.isalpha, "".join(words))) and len(filled) < len(cells):
        return None
    return None if _is_signed_first(blocks) else True


def _is_signed_first(blocks: Sequence[Row]) -> bool:
    """Return whether the first of the figures has a currency sign and the last has none: "$310", "298"."""
    for cells in zip(*blocks, strict=True):
        figures = [text for text in cells if any(map(str.isdigit, text))]
        signs = ["".join(_SIGN.findall(text)) for text in figures]
        if signs and signs[0] and not signs[-1]:
            return True
    return False
