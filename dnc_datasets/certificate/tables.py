"""Promises about tables: relations found in the original still hold in the new table."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Mapping, Sequence
from fractions import Fraction
from functools import lru_cache
from itertools import combinations, permutations
from math import lcm
from typing import NamedTuple

from dnc_datasets import expression, numerals, operand_links
from dnc_datasets.fast_fraction import FastFraction
from dnc_datasets.memoization import memoized, once_per_pair
from dnc_datasets.numerals import Quantity
from dnc_datasets.problem import Problem

# An amount in a cell with collapsed white space, where single blanks are enough.
_AMOUNT = re.compile(
    r"(\(|-|−)? ?[$€£¥]? ?(\(|-|−)? ?(\d[\d,]*(?:\.\d+)?|\.\d+) ?\)? ?(%|\)%)? ?\)?(?: ?\(\w{1,2}\))?"
)
_DASH = re.compile(r"[ $€£¥]*[-–—] ?%?")
_YEAR = re.compile(r"(?:19|20)\d\d")
_TOTAL = re.compile(r"\btotals?\b|\bsub-?totals?\b|\bsum\b", re.IGNORECASE)
_CHANGE = re.compile(
    r"\bchange|\bvariance\b|\bdifference\b|\bincrease\b|\bdecrease\b|\bgrowth\b|\bmovement\b", re.IGNORECASE
)
_RESULT = re.compile(
    r"\bgross (?:profit|margin|income)\b|\bnet\b|\boperating (?:profit|income|loss)\b|\bprofit\b",
    re.IGNORECASE,
)
_ASKED_YEAR = re.compile(r"\b(?:19|20)\d\d\b")
_MOST_TERMS = 20
_TELLING = 3  # digits: shorter figures occur in a text by chance
_COUNTED = re.compile(r"\bemployees\b|\bheadcount\b|\bnumber of\b|\bstores\b|\bcustomers\b", re.IGNORECASE)

Place = tuple[int, int]


class Figure(NamedTuple):
    """A figure of a cell: its signed value, the value of its last digit, and its number of digits.

    It is a share if the cell shows a percent sign.
    """

    value: Fraction
    place: Fraction
    share: bool
    digits: int  # without leading zeros


class Sum(NamedTuple):
    """A sum: `whole` is the total of `parts`, each with its sign."""

    whole: Place
    parts: tuple[tuple[int, Place], ...]


class Change(NamedTuple):
    """A change in percent: `share` is the change from `old` to `new`."""

    share: Place
    new: Place
    old: Place


@once_per_pair
def relations_hold(original: Problem, perturbed: Problem) -> bool:
    """every total, subtotal, difference, change and share that held in the table still holds, as exactly"""
    before, after = _read(original.table), _read(perturbed.table)
    return all(
        after.holds(one) and (isinstance(one, Change) or before.off(one) > 0 or after.off(one) == 0)
        for one in found_relations(original.table)
    )


@once_per_pair
def restatements_follow(original: Problem, perturbed: Problem) -> bool:
    """a figure of the text that the table shows too has its new value where all such cells have one"""
    before, after = figures(original.table), figures(perturbed.table)
    if any(place not in after for place, figure in before.items() if not figure.share):
        return False
    new: dict[Fraction, set[Fraction]] | None = None
    pairs = zip(numerals.find(original.body), numerals.find(perturbed.body), strict=True)
    for was, now in pairs:
        if was.kind not in ("cardinal", "decimal", "money") or sum(map(str.isdigit, was.text)) < _TELLING:
            continue
        if _YEAR.fullmatch(was.text):
            continue
        if new is None:
            new = _new_values(before, after)
        wanted = new.get(abs(was.value))
        if wanted and abs(was.value) not in wanted and abs(now.value) not in wanted:
            return False
    return True


def _new_values(
    before: Mapping[Place, Figure], after: Mapping[Place, Figure]
) -> dict[Fraction, set[Fraction]]:
    """Return the new sizes of the figures of each old size, without shares."""
    new: dict[Fraction, set[Fraction]] = {}
    for place, figure in before.items():
        if not figure.share:
            new.setdefault(abs(figure.value), set()).add(abs(after[place].value))
    return new


@once_per_pair
def told_sums_hold(original: Problem, perturbed: Problem) -> bool:
    """sums, differences and changes in percent of amounts that the text tells side by side still hold"""
    return stated_sums_hold(original.body, perturbed.body)


def linked_operands_follow(original: Problem, perturbed: Problem) -> bool:
    """each linked operand has the value of its cell or span in the new equation too; constants stay"""
    old, new = expression.parse(original.equation), expression.parse(perturbed.equation)
    was, now = operand_links.operand_values(old), operand_links.operand_values(new)
    before, after = operand_links.stored(original), operand_links.stored(perturbed)
    if old.operators != new.operators or len(was) != len(now) or before.keys() != set(was):
        return False
    moved = 0
    for old_value, new_value in zip(was, now, strict=True):
        link = before[old_value]
        if after.get(new_value) != link or (link == operand_links.CONSTANT and old_value != new_value):
            return False
        places = (
            [link]
            if "." in link
            else operand_links.places_of(original, old_value)
            if link == operand_links.AMBIGUOUS
            else []
        )
        for place in places:
            found = operand_links.locate(perturbed, place)
            if found is None or found.value != new_value:
                return False
        moved += old_value != new_value
    return moved > 0 and not _moved_constants(original, perturbed, before)


def _moved_constants(original: Problem, perturbed: Problem, stored: Mapping[Fraction, str]) -> bool:
    """Return whether a changed figure equals a constant, and so may be stated by that constant."""
    fixed = {value for value, link in stored.items() if link == operand_links.CONSTANT}
    after = figures(perturbed.table)
    return bool(fixed) and any(
        abs(figure.value) in fixed and (place not in after or after[place].value != figure.value)
        for place, figure in figures(original.table).items()
    )


def asked_cell_is_named(original: Problem, perturbed: Problem) -> bool:
    """the question names the label and the year of just one cell, and that cell holds the answer"""
    asked = perturbed.question.lower()
    years = _ASKED_YEAR.findall(asked)
    rows = [row for row, cells in enumerate(perturbed.table) if cells and cells[0].strip().lower() in asked]
    rows = [row for row in rows if perturbed.table[row][0].strip()]
    longest = max((len(perturbed.table[row][0].strip()) for row in rows), default=0)
    rows = [row for row in rows if len(perturbed.table[row][0].strip()) == longest]
    if len(years) != 1 or len(rows) != 1:
        return False
    found = {
        figure.value
        for place, figure in figures(perturbed.table).items()
        if place[0] == rows[0] and years[0] in _head(perturbed.table, place)
    }
    return len(found) == 1 and expression.canonical(found.pop()) == perturbed.answer


@once_per_pair
def operands_within_half(original: Problem, perturbed: Problem) -> bool:
    """no operand moved by more than half of its value"""
    was, now = (operand_links.operand_values(expression.parse(one.equation)) for one in (original, perturbed))
    return len(was) == len(now) and all(2 * abs(b - a) <= a for a, b in zip(was, now, strict=True))


def counts_stay_whole(original: Problem, perturbed: Problem) -> bool:
    """what is counted one by one and was whole is whole, unless the table counts in thousands"""
    if original.note("table_scale") in ("thousand", "million", "billion"):
        return True
    after = figures(perturbed.table)
    counted = _counted_rows(original.table)
    return not counted or all(
        after[place].value.denominator == 1
        for place, figure in figures(original.table).items()
        if figure.value.denominator == 1 and place[0] in counted
    )


@memoized
def _counted_rows(table: tuple[tuple[str, ...], ...]) -> frozenset[int]:
    return frozenset(row for row, cells in enumerate(table) if cells and _COUNTED.search(cells[0]))


CHECKS: tuple[Callable[[Problem, Problem], bool], ...] = (
    asked_cell_is_named,
    relations_hold,
    restatements_follow,
    told_sums_hold,
    linked_operands_follow,
    operands_within_half,
    counts_stay_whole,
)


def figures(table: Sequence[Sequence[str]]) -> dict[Place, Figure]:
    """Return the figures below and beside the headings, by row and column. A dash is zero."""
    return in_units(table).figures


def in_units(table: Sequence[Sequence[str]]) -> Figures:
    """Return the same figures, with their sizes and last digits as integers of one small unit."""
    return _read(table if type(table) is tuple else tuple(map(tuple, table)))


class Figures:
    """A table's figures, with their sizes and last digits as integers of one small unit."""

    def __init__(self, figures: dict[Place, Figure]) -> None:
        self.figures = figures
        self.unit = lcm(*(figure.place.denominator for figure in figures.values()))
        self.sizes = {place: self._in_units(figure.value) for place, figure in figures.items()}
        self.places = {place: self._in_units(figure.place) for place, figure in figures.items()}

    def _in_units(self, value: Fraction) -> int:
        return value.numerator * (self.unit // value.denominator)

    def off(self, one: Sum) -> int:
        """Return the difference between the total and its parts, in units."""
        return abs(self.sizes[one.whole] - sum(sign * self.sizes[place] for sign, place in one.parts))

    def holds(self, one: Sum | Change) -> bool:
        """Return whether a relation holds up to the rounding of the shown figures."""
        if isinstance(one, Sum):
            shown = [self.places[place] for _, place in one.parts if self.sizes[place]]
            rounding = min([self.places[one.whole], *shown]) * (len(one.parts) + 1)
            return 2 * self.off(one) <= rounding
        new, old, share = self.sizes[one.new], abs(self.sizes[one.old]), abs(self.sizes[one.share])
        change = abs(new - self.sizes[one.old]) * 100 * self.unit  # both sides are multiplied by `old`
        return old != 0 and abs(change - share * old) <= self.places[one.share] * old

    def tells(self, one: Sum) -> bool:
        """Return whether the total is so large that its parts do not add up to it by chance."""
        size, place = abs(self.sizes[one.whole]), self.places[one.whole]
        if not size or self.off(one):
            return size > 20 * (len(one.parts) + 1) * place
        return size >= 10 * place


# Several questions may share a table, and each has several promises.
@memoized
def _read(table: tuple[tuple[str, ...], ...]) -> Figures:
    found: dict[Place, Figure] = {}
    heads = bool(table) and (not table[0][:1] or not table[0][0].strip() or _names_years(table[0]))
    for row, cells in enumerate(table):
        if not row and heads:
            continue
        years = None
        for column, text in enumerate(cells):
            figure = _figure(text) if column and text and not text[0].isalpha() else None
            if figure is None:
                continue
            if (row < 2 or len(cells) > 2) and _YEAR.fullmatch(text.strip()):
                years = _names_years(cells) if years is None else years
                if years:
                    continue
            found[row, column] = figure
    return Figures(found)


# Most cells of a table are unchanged in the perturbed one.
@lru_cache(maxsize=8192)
def _figure(text: str) -> Figure | None:
    """Return the figure of a cell, or None."""
    digits = text.replace(",", "")
    if digits.isdigit() and text.isascii() and text[0] != ",":  # nearly all cells
        return Figure(FastFraction.of(int(digits)), FastFraction.of(1), False, len(str(int(digits))))
    text = " ".join(text.split())
    if _DASH.fullmatch(text):
        return Figure(FastFraction.of(0), FastFraction.of(1), False, 1)
    match = _AMOUNT.fullmatch(text)
    if match is None:
        return None
    whole, _, decimals = match[3].replace(",", "").partition(".")
    size, shown = int(whole + decimals), 10 ** len(decimals)
    value = FastFraction.quotient(-size if match[1] or match[2] else size, shown)
    return Figure(value, FastFraction.quotient(1, shown), "%" in text, len(str(size)))


def _names_years(cells: Sequence[str]) -> bool:
    """Return whether all amounts of a row are years."""
    given = [" ".join(cell.split()) for cell in cells[1:] if cell.strip()]
    return not any(_AMOUNT.fullmatch(cell) and not _YEAR.fullmatch(cell) for cell in given)


@memoized
def found_relations(table: tuple[tuple[str, ...], ...]) -> list[Sum | Change]:
    """Return the relations of a table: sums, differences and changes.

    Labels announce them, except for sums of three and more neighbours.
    """
    read = _read(table)
    amounts = {place for place, figure in read.figures.items() if not figure.share}
    found: list[Sum | Change] = []
    for column in {column for _, column in amounts}:
        line = sorted(place for place in amounts if place[1] == column)
        found += _sums(line, [table[row][0] for row, _ in line], read)
    for row in {row for row, _ in amounts}:
        line = sorted(place for place in amounts if place[0] == row)
        heads = [_head(table, place) for place in line]
        found += _sums(line, heads, read)
        found += _changes(row, read, line, heads)
    return found


def _head(table: Sequence[Sequence[str]], place: Place) -> str:
    return " ".join(cells[place[1]] for cells in table[: min(3, place[0])] if place[1] < len(cells))


def _sums(line: Sequence[Place], labels: Sequence[str], read: Figures) -> Iterator[Sum]:
    totalled = [_TOTAL.search(label) is not None for label in labels]
    for at, whole in enumerate(line):
        for run in _runs(line, at, 2 if totalled[at] else 3, read):
            one = Sum(whole, tuple((1, place) for place in run))
            if read.tells(one):
                yield one
        candidates = []
        if totalled[at]:
            totals = [place for place, total in zip(line[:at], totalled[:at], strict=True) if total]
            candidates += [
                Sum(whole, tuple((1, place) for place in totals[start:])) for start in range(len(totals) - 1)
            ]
        if _RESULT.search(labels[at]) or _CHANGE.search(labels[at]):
            size, most = read.sizes[whole], 3 * read.places[whole]
            candidates += [
                Sum(whole, ((sign, first), (-sign, second)))
                for first, second in combinations(line[max(0, at - 6) : at], 2)
                for left in [read.sizes[first] - read.sizes[second]]
                for sign in (1, -1)
                if -most <= 2 * (size - sign * left) <= most
            ]
        yield from (one for one in candidates if read.holds(one) and read.tells(one))


def _runs(line: Sequence[Place], at: int, fewest: int, read: Figures) -> Iterator[Sequence[Place]]:
    """Yield the neighbours directly before or after a cell that add up to it.

    At least `fewest` are nonzero.
    """
    sizes, places = read.sizes, read.places
    whole = line[at]
    for step in (-1, 1):
        left, least, something = sizes[whole], places[whole], 0
        end = max(-1, at - _MOST_TERMS - 1) if step < 0 else min(len(line), at + _MOST_TERMS)
        for other in range(at + step, end, step):
            if size := sizes[line[other]]:
                left -= size
                least = min(least, places[line[other]])
                something += 1
            terms = abs(other - at)
            if something >= fewest and 2 * abs(left) <= least * (terms + 1):
                yield line[other:at] if step < 0 else line[at + 1 : other + 1]


def _changes(row: int, read: Figures, line: Sequence[Place], heads: Sequence[str]) -> Iterator[Change]:
    """Yield the shares of a row that are changes between two of its amounts."""
    shares = [place for place, figure in read.figures.items() if place[0] == row and figure.share]
    plain = [place for place, head in zip(line, heads, strict=True) if not _CHANGE.search(head)]
    for share in shares:
        for new, old in permutations(plain, 2):
            one = Change(share, new, old)
            if read.sizes[old] and read.sizes[share] and read.holds(one):
                yield one


_SENTENCE_END = re.compile(r"[.!?]\s+(?=[A-Z\"“(])")
_AMOUNTS = ("cardinal", "decimal", "money")
# With fewer digits, a sum or a share is often a coincidence.
_MIN_DIGITS = 3
# A longer sentence is a list, in which many sums are coincidences.
_MAX_AMOUNTS = 8
_SHARE_AND_TWO_AMOUNTS = 3


def stated_sums_hold(before: str, after: str) -> bool:
    """Return whether sums and percentage changes within a sentence hold with its new numbers.

    >>> stated_sums_hold("It cost $10.1 and $5.2, in all $15.3.", "It cost $60.6 and $5.2, in all $91.8.")
    False
    """
    if before == after:
        return True
    old, new = numerals.find(before), numerals.find(after)
    if len(old) != len(new):
        return False
    for places in _sentences(before, old):
        for group in (*combinations(places, 3), *combinations(places, 4)):
            if _related([old[at] for at in group]) and not _related([new[at] for at in group], digits=0):
                return False
    return True


def _sentences(text: str, quantities: Sequence[Quantity]) -> Iterator[list[int]]:
    """Yield the places of the amounts and percentages of each sentence."""
    ends = [match.start() for match in _SENTENCE_END.finditer(text)] + [len(text)]
    start = 0
    for end in ends:
        inside = [at for at, one in enumerate(quantities) if start <= one.start < end]
        usable = [
            at for at in inside if quantities[at].kind in (*_AMOUNTS, "percent") and quantities[at].value > 0
        ]
        if len(usable) <= _MAX_AMOUNTS:
            yield usable
        start = end


def _related(group: Sequence[Quantity], digits: int = _MIN_DIGITS) -> bool:
    """Return whether one amount is the sum of the others, or the percentage is the change between them."""
    shares = [one for one in group if one.kind == "percent"]
    if not shares:
        *others, largest = sorted(group, key=lambda one: one.value)
        return sum(one.value for one in others) == largest.value and _digits(largest) >= digits
    if len(shares) > 1 or len(group) != _SHARE_AND_TWO_AMOUNTS or _digits(shares[0]) < digits:
        return False
    one, other = (amount.value for amount in group if amount.kind != "percent")
    return any(_is_change(shares[0], base, new) for base, new in ((one, other), (other, one)))


def _is_change(share: Quantity, base: Fraction, new: Fraction) -> bool:
    """Return whether `new` differs from `base` by the share, rounded as the share is."""
    decimals = len(re.sub(r"[^\d].*", "", share.text.partition(".")[2]))
    error: Fraction = abs(abs(new - base) * 100 / base - share.value)
    return error <= Fraction(1, 2 * 10**decimals)


def _digits(quantity: Quantity) -> int:
    return sum(char.isdigit() for char in quantity.text)
