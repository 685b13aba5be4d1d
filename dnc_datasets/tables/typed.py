"""The types of a table's rows, columns and cells: headings, years, shares, rates, counts, notes and amounts.

Types are read from words, without regard to case, and from arithmetic. Every change of a table uses these types.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from fractions import Fraction
from functools import lru_cache
from typing import Final, NamedTuple

from dnc_datasets import numerals
from dnc_datasets.english.lexicon import MONTH, WEEKDAYS, any_of
from dnc_datasets.memoization import memoized
from dnc_datasets.numerals import Quantity
from dnc_datasets.tables.relations import NOTE_MARK, Cell, Relation, relations, signed_amounts

Table = tuple[tuple[str, ...], ...]

HEADING, LABEL, TEXT, NOTE = "heading", "label", "text", "note"
YEAR, DATE = "year", "date"
PERCENT, RATIO, PER_SHARE, INDEX, BASE = "percent", "ratio", "per share", "index", "base"
COUNT, AMOUNT = "count", "amount"
TEMPERATURE = "temperature"
# Kinds of cells whose number names, dates or refers to something.
FIXED: Final = frozenset((HEADING, LABEL, TEXT, NOTE, YEAR, DATE))
# Kinds that can grow with the other amounts of a table.
GROWING: Final = frozenset((COUNT, AMOUNT))

_NUMBERS: Final = frozenset(("cardinal", "decimal", "money", "percent"))
_MOST_HEADINGS: Final = 3
YEARS: Final = re.compile(r"(?:19|20)\d\d")
_NOTES: Final = re.compile(r"\W*(?:notes?|ref(?:erence)?s?|item|no|page|exhibit)\W*", re.IGNORECASE)
_MARK_AFTER: Final = re.compile(r"\(\s?[\w*†‡]\s?\)|[*†‡]")
_ZEROS: Final = re.compile("00+")  # the unit of "£000"
_LETTER_MARK: Final = re.compile(r"\d{1,2}\([a-z]\)")
_DASHED: Final = re.compile(r"[\s$€£]*[\u2012\u2013\u2014\u2212]\s?[$€£]?\d")
_DATED: Final = re.compile(
    r"\b(?:years?|expir\w*|maturity|due|dates?|since|established|founded|opened)\b", re.IGNORECASE
)
# Columns and rows of years that may be before 1900, and of numbers that are identifiers.
_OF_A_YEAR: Final = re.compile(
    r"\W*(?:(?:year|date|when)s?(?: of| the [a-z]+ was| was)? )?(?:built|founded|foundation|born|birth|died|deaths?|"
    r"opened|opening|established|completed|completion|launch(?:ed)?|construct(?:ed|ion)|inaugurated|invented|"
    r"discovered|years?)(?: (?:in|on|year|date|first [a-z]+))?\W*",
    re.IGNORECASE,
)
_OLD_YEAR: Final = re.compile(r"1\d{3}|20\d\d|2100")
_NAMED_BY_NUMBER: Final = re.compile(
    r"\W*(?:(?:[a-z]+ )?(?:zip|post(?:al)?)(?:[ -]?codes?)?|codes?|[a-z]+ codes?|ids?|[a-z]+ ids?|isbn|phones?|"
    r"telephones?|fax|(?:[a-z]+ )?(?:phone|telephone|fax|mobile|account|invoice|serial|part|model|licen[cs]e|"
    r"registration|identification|catalog(?:ue)?|reference)[ -](?:numbers?|no\.?|ids?|codes?))\W*",
    re.IGNORECASE,
)
_PLAIN_DIGITS: Final = re.compile(r"[\d -]*\d")
# Temperatures are not scaled: ten times a warm day is no plausible temperature.
_DEGREES: Final = re.compile(
    r"°\s?[CF]?(?![a-z])|\btemperatures?\b|\b(?:celsius|fahrenheit)\b", re.IGNORECASE
)
_PER_SHARE: Final = re.compile(
    r"\bper (?:[\w-]+ ){0,3}(?:share|unit|adr)\b|\beps\d?\b|\bprice\s?(?:paid\s?)?per", re.IGNORECASE
)
# Shares of a total and changes in percent, which are never amounts.
_SURE_SHARE: Final = re.compile(
    r"% of\b|\bas (?:a )?%|\bpercentage\b|% change|\(\s?%\s?\)|\bper ?cent\b|\A\s?%|%\s?\Z", re.IGNORECASE
)
# A caption that makes all cells shares: "As a percentage of net revenue".
_ALL_SHARES: Final = re.compile(
    r"\A\W*(?:(?:expressed |stated |shown )?as )?(?:an? )?(?:percent(?:age)?s?|%) of\b", re.IGNORECASE
)
# Shares, rates, prices and times, unless they are as large as amounts or add up with them ("fixed rate loans").
_SHARE: Final = re.compile(
    r"%|\bgrowth\b|\byields?\b|\bmargins?\b|\bvolatility\b|\bbasis points\b|\bbps\b|"
    r"\brates?\b(?! (?:notes?|loans?|debt|bonds?|borrowings?|swaps?|mortgages?|securities|facilit))",
    re.IGNORECASE,
)
_RATIO: Final = re.compile(
    r"\bratios?\b|\bper\b|\bdays\b|\bmultiples?\b|\byears\)|\bnumber of years\b|\bprices?\b|\bage\b|\bmaturity\b|"
    r"(?<![-‑–])\bterms?\b(?! (?:debt|loans?|notes?|deposits?|facilit))|\bli[fv]es?\b|\bexchange (?:rate|ratio)s?\b|"
    r"\bdate\b|\btimes\b|\b(?:debt|borrowings?|loans?|liabilities|assets|equity|price) ?(?:to|/) ?"
    r"(?:[a-z]+ ){0,2}(?:ebitdax?|equity|assets|capital|sales|revenues?|earnings|liabilities|value|book)\b|"
    r"\b(?:interest|dividend) cover(?:age)?\b|\b(?:price )?quotations?\b",
    re.IGNORECASE,
)
_INDEXED: Final = re.compile(
    r"\bindex\b|\bindices\b|\bs ?& ?p\b|\bcomposite\b|\bnasdaq\b|\bpeer\b|\bnyse\b|\bdow jones\b|\brussell\b|"
    r"\breturns?\b|\binvest",
    re.IGNORECASE,
)
_COUNTED: Final = re.compile(
    r"\b(?:number|employees|headcount|staff|personnel|shares|units|options|rsus?|stores|customers|people|members|"
    r"directors|executives|properties|awards|vessels|sites|countries|branches|hours)\b",
    re.IGNORECASE,
)
_KINDS_SAID: Final = (_PER_SHARE, _SURE_SHARE, _SHARE, _RATIO, _COUNTED)
# A label with a place in time: the rows of a timetable, a calendar or a running balance keep their order.
_SEQUENCE: Final = re.compile(
    rf"\b(?:{any_of(WEEKDAYS)}|{MONTH}|mon|tues?|wed|thur?s?|fri|sat|sun)\b|\b\d{{1,2}}:\d\d\b|"
    r"\b\d{1,2}\s?[ap]\.?m\b|\A\W*(?:19|20)\d\d\b|\bq[1-4]\b|\b(?:first|second|third|fourth|fifth|last)\b|"
    r"\b(?:weeks?|days?|months?|quarters?|years?|steps?|rounds?|laps?|grades?|trips?) \d",
    re.IGNORECASE,
)
_DAY: Final = re.compile(rf"\W*(?:{MONTH}) \d{{1,2}}\W*", re.IGNORECASE)
_CHANGES: Final = re.compile(r"\bchanges?\b|\bvariance\b|\bgrowth\b|%", re.IGNORECASE)
_AN_AMOUNT: Final = 1000
_HUNDRED: Final = 100
_FEWEST_YEARS: Final = 2
_FEWEST_PARTS: Final = 3


class Typed(NamedTuple):
    """A table with the kind of each non-empty cell, its amounts and the relations between them.

    `numbers` holds the unsigned number of each cell that has one. `values` holds the signed amounts.
    `unclear` is true if a cell with numbers cannot be read.
    """

    headings: int
    kinds: Mapping[Cell, str]
    numbers: Mapping[Cell, Quantity]
    values: Mapping[Cell, Fraction]
    relations: Sequence[Relation]
    unclear: bool

    def cells(self, *kinds: str) -> set[Cell]:
        """Return the cells with numbers of these kinds."""
        return {cell for cell in self.numbers if self.kinds[cell] in kinds}


@memoized
def typed(table: Table) -> Typed:
    """Read the types of a table."""
    headings = heading_rows(table)
    kinds: dict[Cell, str] = {}
    numbers: dict[Cell, Quantity] = {}
    unclear = False
    for row, cells in enumerate(table):
        for column, text in enumerate(cells):
            if not text.strip():
                continue
            kind = (
                HEADING
                if row < headings
                else LABEL
                if not column
                else _plain_kind(table, headings, row, column)
            )
            kinds[row, column] = kind
            if kind in (HEADING, LABEL, NOTE):
                continue
            found = numerals.find(NOTE_MARK.sub("", text))
            unclear |= len(found) > 1 or _DASHED.match(text) is not None
            if kind not in (TEXT, YEAR, DATE) and len(found) == 1 and found[0].value:
                numbers[row, column] = _unsigned(found[0].unscaled)
    summable = [cell for cell in numbers if kinds[cell] == AMOUNT]
    values = signed_amounts(table, summable)
    unclear |= values.keys() != set(summable)
    held = relations(table, values)
    kinds.update(_by_words(table, headings, numbers, kinds, held))
    kinds.update(_indexed(table, headings, numbers, kinds))
    kinds.update(_signed_once(table, headings, numbers, kinds))
    return Typed(headings, kinds, numbers, values, held, unclear)


def heading_rows(table: Sequence[Sequence[str]]) -> int:
    """Return the number of rows at the top that head columns. They hold no amount, or only years.

    >>> heading_rows([["", "2019", "2018"], ["Sales", "5", "6"]])
    1
    >>> heading_rows([["Notes due 2015", "$ 500"], ["Fees", "2"]])
    0
    """
    for number, row in enumerate(table[: _MOST_HEADINGS + 1]):
        amounts = [cell for cell in row[1:] if fills_cell_alone(cell)]
        named = bool(row) and bool(row[0].strip())
        if amounts and (named or number) and not (number == 0 and _counts_columns(amounts)):
            return number
    return min(1, len(table))


def _counts_columns(amounts: Sequence[str]) -> bool:
    """Return whether the numbers of a row only number its columns: 1, 2, 3."""
    return len(amounts) > 1 and [cell.strip() for cell in amounts] == [
        str(n) for n in range(1, len(amounts) + 1)
    ]


def keeps_its_place(label: str) -> bool:
    """Return whether a row label has a place in time: "Tuesday", "10:15 a.m.", "2019", "Week 3"."""
    return _SEQUENCE.search(label) is not None


def fills_cell(text: str, start: int, end: int) -> bool:
    """Return whether a number is the content of a cell: "$ (1,205)", "12%", but not "Level 1"."""
    if _ZEROS.fullmatch(text[start:end]) or _LETTER_MARK.fullmatch(text):
        return False
    return not text[:start].strip(" $€£¥(-−") and not _MARK_AFTER.sub("", text[end:]).strip(" %)")


@lru_cache(maxsize=4096)
def fills_cell_alone(text: str) -> bool:
    """Return whether a cell holds an amount and nothing else. A year is no amount."""
    found = numerals.find(text)
    return (
        len(found) == 1
        and found[0].kind in _NUMBERS
        and fills_cell(text, found[0].start, found[0].unscaled.end)
        and not YEARS.fullmatch(NOTE_MARK.sub("", text).strip())
    )


def heads(table: Sequence[Sequence[str]], headings: int, column: int) -> list[str]:
    """Return the texts at the top of a column."""
    return [row[column] for row in table[:headings] if column < len(row)]


def _above(table: Table, headings: int, row: int, column: int) -> list[str]:
    """Return the headings of a cell: those of its column, and words among the first rows above it."""
    top = heads(table, max(headings, min(row, _MOST_HEADINGS)), column)
    return [head for head in top if not fills_cell_alone(head)]


def _plain_kind(table: Table, headings: int, row: int, column: int) -> str:
    """Return the kind of a cell below the headings, read from the cell and the headings above it."""
    text = table[row][column]
    above = _above(table, headings, row, column)
    if any(map(_NOTES.fullmatch, above)):
        return NOTE
    if _DAY.fullmatch(text):
        return DATE
    found = numerals.find(NOTE_MARK.sub("", text))
    if len(found) != 1 or found[0].kind == "word":
        return TEXT
    if found[0].kind in ("date", "time", "ordinal", "range"):
        return DATE
    if not fills_cell(text, found[0].start, found[0].unscaled.end):
        return TEXT
    plain = NOTE_MARK.sub("", text).strip()
    if YEARS.fullmatch(plain) and _is_year(table, headings, row, column, above):
        return YEAR
    named = (*above, table[row][0])
    if _OLD_YEAR.fullmatch(plain) and any(map(_OF_A_YEAR.fullmatch, named)):
        return YEAR
    if _PLAIN_DIGITS.fullmatch(plain) and any(map(_NAMED_BY_NUMBER.fullmatch, named)):
        return NOTE
    if any(map(_DEGREES.search, (text, *named))):
        return TEMPERATURE
    return PERCENT if "%" in text else AMOUNT


def _is_year(table: Table, headings: int, row: int, column: int, above: Sequence[str]) -> bool:
    """Return whether four digits are a year, judged by the words or numbers of their row or column."""
    if any(map(_DATED.search, (*above, table[row][0]))):
        return True
    beside = [NOTE_MARK.sub("", cell).strip() for cell in table[row][1:] if numerals.find(cell)]
    below = [
        NOTE_MARK.sub("", line[column]).strip()
        for line in table[headings:]
        if column < len(line) and numerals.find(line[column])
    ]
    return any(len(some) >= _FEWEST_YEARS and all(map(YEARS.fullmatch, some)) for some in (beside, below))


def _by_words(
    table: Table,
    headings: int,
    numbers: Mapping[Cell, Quantity],
    kinds: Mapping[Cell, str],
    held: Sequence[Relation],
) -> Iterator[tuple[Cell, str]]:
    """Yield the kinds that labels, sections and headings give.

    Large amounts and terms of sums are no rates.
    """
    large = {row for row, column in numbers if numbers[row, column].value >= _AN_AMOUNT}
    summed = {row for one in held for row, _ in (one.target, *one.plus, *one.minus)}
    sections = _sections(table, headings)
    captions = [row[0] for row in table[:headings] if row and _ALL_SHARES.search(row[0])]
    spanned = _columns_of_shares(table, headings, numbers)
    settled = large | summed
    counts = any(_said(head).counted for head in table[0])
    for cell, quantity in numbers.items():
        if kinds[cell] != AMOUNT:
            continue
        row, column = cell
        above = _above(table, headings, row, column)
        label, over = _said(table[row][0]), [_said(head) for head in above]
        said = [label, _said(sections[row]), *over, *map(_said, captions)]
        if any(one.per_share for one in said):
            yield cell, PER_SHARE
        elif quantity.value < _AN_AMOUNT and (
            column in spanned or any(one.sure_share for one in said) or any(one.share for one in over)
        ):
            yield cell, PERCENT
        elif quantity.value < _AN_AMOUNT and any(one.ratio for one in over):
            yield cell, RATIO
        elif row not in settled and label.share and quantity.kind != "money":
            yield cell, PERCENT
        elif row not in settled and label.ratio:
            yield cell, RATIO
        elif quantity.is_integer and (counts or label.counted or any(one.counted for one in over)):
            yield cell, COUNT


class _Said(NamedTuple):
    """The kinds that the words of a label or a heading give to the numbers beside and below it."""

    per_share: bool
    sure_share: bool
    share: bool
    ratio: bool
    counted: bool


# One label or heading applies to many cells.
@lru_cache(maxsize=4096)
def _said(text: str) -> _Said:
    return _Said(*(kind.search(text) is not None for kind in _KINDS_SAID))


def _columns_of_shares(table: Table, headings: int, numbers: Mapping[Cell, Quantity]) -> set[int]:
    """Return the columns under a share heading that spans several. Its text is in the first of them."""
    found = set()
    for row in table[: headings - 1]:  # the last row of headings spans no columns
        for column in range(2, len(row)):
            sizes = [one.value for cell, one in numbers.items() if cell[1] == column]
            left = next((cell for cell in reversed(row[1:column]) if cell.strip()), "")
            is_share = not row[column].strip() and _SURE_SHARE.search(left) is not None
            if is_share and sizes and max(sizes) <= _HUNDRED:
                found.add(column)
    return found


def _sections(table: Table, headings: int) -> list[str]:
    """Return for each row the labels of its section: rows above it with a label and nothing else.

    A section that opens right below another one is part of it: "Per common share:", "Net earnings:", "Basic".
    """
    found, current, opens = [], "", False
    for number, row in enumerate(table):
        empty = not any(cell.strip() for cell in row[1:])
        if number >= headings and empty:
            label = row[0] if row else ""
            current = f"{current} {label}" if opens else label
        opens = number >= headings and empty
        found.append(current)
    return found


def _signed_once(
    table: Table, heading: int, numbers: Mapping[Cell, Quantity], kinds: Mapping[Cell, str]
) -> Iterator[tuple[Cell, str]]:
    """Yield the shares of columns that show the sign only at the top and the end, or never.

    An example is "21.8%" above "17.7" and "31.3". A column of changes may show the sign in some rows. A table
    without a sign has shares if it has several columns and the parts of each add up to 100.
    """
    columns: dict[int, list[Cell]] = {}
    for cell in numbers:
        columns.setdefault(cell[1], []).append(cell)
    if len(columns) > 1 and all(_are_parts([numbers[cell] for cell in cells]) for cells in columns.values()):
        yield from ((cell, PERCENT) for cell in numbers if kinds[cell] in GROWING)
    for column in {column for _, column in numbers}:
        first, *rest = sorted(cell for cell in numbers if cell[1] == column)
        texts = [table[row][column] for row, _ in rest]
        signs = sum("%" in text for text in texts)
        ends = not signs or (
            signs == 1 and "%" in texts[-1]
        )  # the sign is at the top, or there and at the end
        changes = any(map(_CHANGES.search, heads(table, max(heading, 1), column)))
        if "%" not in table[first[0]][column] or any("$" in text for text in texts):
            continue
        if (changes and signs) or (ends and all(numbers[cell].value <= _HUNDRED for cell in (first, *rest))):
            yield from ((cell, PERCENT) for cell in rest if kinds[cell] in GROWING)


def _are_parts(numbers: Sequence[Quantity]) -> bool:
    """Return whether at least three numbers other than 100 add up to 100, up to rounding."""
    parts = [one.value for one in numbers if one.value != _HUNDRED]
    decimals = max((len(one.text.partition(".")[2]) for one in numbers), default=0)
    off = abs(sum(parts, Fraction(0)) - _HUNDRED)
    return len(parts) >= _FEWEST_PARTS and 2 * off * 10**decimals <= len(parts)


def _indexed(
    table: Table, headings: int, numbers: Mapping[Cell, Quantity], kinds: Mapping[Cell, str]
) -> Iterator[tuple[Cell, str]]:
    """Yield the lines that count from a base of 100.

    They are values of an index or an investment, which no factor may scale. The base is a column ("2005 | 100
    | 100" under each other) or, if the years run down, a row.
    """
    words = " ".join((*table[0], *(table[row][0] for row in range(len(table)) if table[row])))
    for axis in (1, 0):
        for line in sorted({cell[axis] for cell in numbers}):
            cells = [cell for cell in numbers if cell[axis] == line]
            if any(numbers[cell].value != _HUNDRED or kinds[cell] == PERCENT for cell in cells):
                continue
            across = {cell[1 - axis] for cell in cells}
            others = [cell for cell in numbers if cell[1 - axis] in across and cell[axis] != line]
            if not others or (len(across) == 1 and not _INDEXED.search(words)):
                continue
            for cell in (*cells, *others):
                yield cell, BASE if cell in cells else INDEX


def _unsigned(quantity: Quantity) -> Quantity:
    """Return the number without its minus sign, which remains as text before it."""
    sign = quantity.value < 0
    return quantity._replace(
        text=quantity.text[sign:],
        ratio=(abs(quantity.ratio[0]), quantity.ratio[1]),
        start=quantity.start + sign,
    )
