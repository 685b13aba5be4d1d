"""The promise that text and earlier turns agree with a changed table: found again in the original, figure by figure."""

from __future__ import annotations

import json
import re
from bisect import bisect_left, bisect_right
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from fractions import Fraction
from itertools import combinations, permutations, product
from operator import mul
from typing import NamedTuple

from dnc_datasets import expression, numerals
from dnc_datasets.certificate.tables import Figure, Place, figures
from dnc_datasets.errors import ExpressionError
from dnc_datasets.expression import Number
from dnc_datasets.memoization import memoized
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
# Fewer digits or cells agree by chance.
_MIN_DIGITS, _MIN_CELLS, _SUM_DIGITS, _SHARE_DIGITS = 3, 2, 7, 6
_REACH, _MOST_LINES = 6, 60
_FLOAT_ERROR = 1e-9
_NEARLY = 0.04
_BEGINS = re.compile(r"\bbeginning\b|\bopening\b|\bstart\b|\b1 january\b|\bjanuary 1\b", re.IGNORECASE)
_ENDS = re.compile(r"\bend(?:ing)?\b|\bclosing\b|\b31 december\b|\bdecember 31\b", re.IGNORECASE)
_RATIO_LABEL = re.compile(r"\bratio\b|\bmargins?\b|\bgearing\b|\bintensity\b|\bleverage\b", re.IGNORECASE)
_PER_SHARE = re.compile(r"\bper (?:\w+ ){0,3}share\b|\beps\b", re.IGNORECASE)
_INCOME = re.compile(r"\bnet (?:income|earnings|profit|loss)\b", re.IGNORECASE)
_INCOME_PER = re.compile(r"\bearnings\b|\bincome\b|\bprofit\b|\bloss\b|\beps\b", re.IGNORECASE)
_SHARE_COUNT = re.compile(r"\bshares\b", re.IGNORECASE)
_RATE = re.compile(r"\bper (?!cent\b|share\b)[a-z]+\b|\brates?\b|\baverage\b", re.IGNORECASE)
_CHANGES = re.compile(r"\b(?:increas|decreas|declin|r[io]se|grew|fell|dropp|chang)\w* (?:of|by) [$€£¥]? ?\Z")
_LONG, _WINDOW = 4, 40
_POWERS = (0, 3, 6, -3, -6)
_MOST_RATE_LINES = 30
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
    return (
        _changes_follow(original, perturbed, before, after)
        and _scaled_follow(original, perturbed, before, after)
        and _parts_follow(original, perturbed, before, after)
        and _labels_follow(original.table, perturbed.table, before, after)
        and _wholes_kept(original.table, before, after)
        and _lines_hold(original.table, after)
    )


def _labels_follow(
    was: tuple[tuple[str, ...], ...],
    now: tuple[tuple[str, ...], ...],
    before: Mapping[Place, Figure],
    after: Mapping[Place, Figure],
) -> bool:
    """Whether a long number in the label of a row that is a figure of the row is its new value."""
    for place, figure in before.items():
        if figure.value == after[place].value or _size_digits(figure) < _MIN_DIGITS:
            continue
        old, new = _numbers(was[place[0]][0]), _numbers(now[place[0]][0])
        if len(old) != len(new):
            return False
        for one, other in zip(old, new, strict=True):
            if abs(one.value) == abs(figure.value) and abs(other.value) != abs(after[place].value):
                return False
    return True


def _wholes_kept(
    table: tuple[tuple[str, ...], ...], before: Mapping[Place, Figure], after: Mapping[Place, Figure]
) -> bool:
    """Whether a column of shares that shows its percent sign once, at the top, still is within a whole."""
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
    """Whether gains less losses that one sentence lists, and that were a figure which it names, still are."""
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
    """The size of the last digit that a number shows: 100,000 of "$9.6 million"."""
    digits = _DIGITS.search(quantity.text)
    stated = numerals.parse(digits[0].rstrip(",")) if digits else None
    if digits is None or not stated:
        return Fraction(1)
    return abs(quantity.value) / stated * Fraction(1, 10 ** len(digits[1] or ""))


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
    """Whether a change of the text, in percent or in full, that is one of a row its sentence names is the new one."""
    old, new = numerals.find(original.body), numerals.find(perturbed.body)
    if len(old) != len(new):
        return False
    for one, other in zip(old, new, strict=True):
        percent = _PERCENT.match(original.body, one.end) or one.kind == "percent"
        long = sum(map(str.isdigit, one.text)) >= _LONG
        if not percent and not (
            long and _CHANGES.search(original.body[max(0, one.start - _WINDOW) : one.start])
        ):
            continue
        words = set(_LETTERS.findall(_sentence(original.body, one.start)))
        ways = [
            way
            for way in _ways(before)
            if way.result == ("(a - b) / b * 100" if percent else "a - b")
            and (percent or way.a < way.b)
            and way.a[0] == way.b[0]
            and words & set(_LETTERS.findall(original.table[way.a[0]][0].lower()))
            and _shows(one, way.size(before))
        ]
        if len(ways) == 1 and not _shows(other, ways[0].size(after)):
            return False
    return True


def _scaled_follow(
    original: Problem, perturbed: Problem, before: Mapping[Place, Figure], after: Mapping[Place, Figure]
) -> bool:
    """Whether "$9.1 billion" or "1.3 million" that rounds a figure of the table rounds its new value.

    A number with three digits or more counts wherever it is, a shorter one where its sentence names the row.
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
            return False  # the cell that it states has not moved
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
    """The words of the label of a figure's row and of the head of its column."""
    heads = [cells[place[1]] for cells in table[: min(2, place[0])] if place[1] < len(cells)]
    return set(_LETTERS.findall(" ".join((table[place[0]][0], *heads)).lower()))


def _unread(table: tuple[tuple[str, ...], ...], read: Mapping[Place, Figure]) -> set[Fraction]:
    """The amounts with three digits or more of cells that hold more than a figure, such as "US$ 8,300"."""
    return {
        abs(one.value)
        for row, cells in enumerate(table[1:], 1)
        for column, cell in enumerate(cells[1:], 1)
        if (row, column) not in read
        for one in numerals.find(cell)
        if one.kind not in _NAMES and not _YEAR.fullmatch(one.text)
        if sum(map(str.isdigit, one.text)) >= _MIN_DIGITS
    }


def _lines_hold(table: tuple[tuple[str, ...], ...], after: Mapping[Place, Figure]) -> bool:
    """Whether rows and columns that were sums, differences, shares or changes of others still are."""
    sums, quotients, balances = _line_identities(table)
    if any(after[one].value != after[other].value for one, other in balances):
        return False
    for terms in sums:
        off = sum((sign * after[place].value for sign, place in terms), Fraction(0))
        finest = min(after[place].place for _, place in terms)
        if 2 * abs(off) > len(terms) * finest:
            return False
    return all(_is_quotient(way, *(after[place] for place in places)) for way, *places in quotients) and all(
        _share_one_base(pairs, after) for pairs in _hidden_bases(table)
    )


_Terms = tuple[tuple[int, Place], ...]
_Quotients = tuple[tuple[str, Place, Place, Place], ...]


@memoized
def _line_identities(
    table: tuple[tuple[str, ...], ...],
) -> tuple[tuple[_Terms, ...], _Quotients, tuple[tuple[Place, Place], ...]]:
    """The sums and quotients of lines that hold in at least two cells and in every one, and balances that run on."""
    found = figures(table)
    sums: list[_Terms] = []
    quotients: list[tuple[str, Place, Place, Place]] = []
    for turned in (False, True):
        plain: dict[int, dict[int, Place]] = {}
        shares: dict[int, dict[int, Place]] = {}
        for place, figure in found.items():
            line, at = place[::-1] if turned else place
            if figure.value:
                (shares if figure.share else plain).setdefault(line, {})[at] = place
        order = sorted(plain)
        if _MIN_CELLS < len(order) <= _MOST_LINES:
            for whole, line in enumerate(order):
                for runs in _parts(order, whole):
                    # A longer run adds terms that cancel out.
                    made = (
                        _sum_of_lines([plain[line], *(plain[part] for part in run)], found) for run in runs
                    )
                    sums += next((terms for terms in made if terms), [])
            if not turned:
                for whole, parts in _of_one_label(table, order):
                    sums += _sum_of_lines([plain[whole], *(plain[part] for part in parts)], found)
        for line, share in shares.items():
            for a, b in permutations([other for other in plain if other != line], 2):
                quotients += _quotients_of_lines(share, plain[a], plain[b], found)
    ratios = _ratios_by_label(table, found) + _per_share(table, found) + _rates(table, found)
    return tuple(sums), (*quotients, *ratios), tuple(_balances(table, found))


def _of_one_label(
    table: tuple[tuple[str, ...], ...], order: Sequence[int]
) -> Iterator[tuple[int, Sequence[int]]]:
    """Rows with the rows of one label above them: the carrying amount below the balances of cost and depreciation."""
    labelled: dict[str, list[int]] = {}
    for row in order:
        for label, rows in labelled.items():
            if label and 1 < len(rows) <= _REACH:
                yield row, rows
        labelled.setdefault(table[row][0].strip().lower(), []).append(row)


def _balances(
    table: tuple[tuple[str, ...], ...], found: Mapping[Place, Figure]
) -> Iterator[tuple[Place, Place]]:
    """The balances at the beginning of one period that are those at the end of another."""
    begins = [place for place in found if _BEGINS.search(table[place[0]][0])]
    ends = [place for place in found if _ENDS.search(table[place[0]][0])]
    for one in begins:
        for other in ends:
            if one[1] != other[1] and found[one].value == found[other].value and _size_digits(found[one]) > 1:
                yield one, other


def _ratios_by_label(
    table: tuple[tuple[str, ...], ...], found: Mapping[Place, Figure]
) -> list[tuple[str, Place, Place, Place]]:
    """Percentages of rows called ratios or margins that two figures above them give, and no others."""
    made = []
    for place, share in found.items():
        if (
            not share.share
            or not _RATIO_LABEL.search(table[place[0]][0])
            or _size_digits(share) < _MIN_DIGITS
        ):
            continue
        above = [
            other
            for other in found
            if other[1] == place[1] and 0 < place[0] - other[0] <= _REACH and not found[other].share
        ]
        ways = [
            ("a / b * 100", place, a, b)
            for a, b in permutations(above, 2)
            if _is_quotient("a / b * 100", share, found[a], found[b])
        ]
        made += ways if len(ways) == 1 else []
    return made


def _per_share(
    table: tuple[tuple[str, ...], ...], found: Mapping[Place, Figure]
) -> list[tuple[str, Place, Place, Place]]:
    """Earnings per share that are net income over shares, nearly, in all columns of at least two."""
    labels, section = {}, ""
    for row, cells in enumerate(table):
        if not any(cell.strip() for cell in cells[1:]):
            above = row and not any(cell.strip() for cell in table[row - 1][1:])
            section = f"{section if above else ''} {cells[0] if cells else ''}"
        labels[row] = f"{section} {cells[0] if cells else ''}"
    rows = sorted({row for row, _ in found})
    incomes = [row for row in rows if _INCOME.search(table[row][0]) and not _PER_SHARE.search(labels[row])]
    shares = [row for row in rows if _SHARE_COUNT.search(labels[row]) and not _PER_SHARE.search(labels[row])]
    made: list[tuple[str, Place, Place, Place]] = []
    for row in rows:
        columns = [column for at, column in found if at == row]
        if not _PER_SHARE.search(labels[row]) or not _INCOME_PER.search(labels[row]):
            continue
        for income, count in product(incomes, shares):
            ways = [
                (("a / b", (row, column), (income, column), (count, column)))
                for column in columns
                if (income, column) in found and (count, column) in found
            ]
            holding = [way for way in ways if _is_quotient(way[0], *(found[place] for place in way[1:]))]
            if len(holding) > 1 and 3 * len(holding) >= 2 * len(ways):
                made += holding
    return made


def _rates(
    table: tuple[tuple[str, ...], ...], found: Mapping[Place, Figure]
) -> list[tuple[str, Place, Place, Place]]:
    """Rows called rates or averages, or "per day", that are the quotient of two others in all of at least two cells."""
    lines: dict[int, dict[int, Place]] = {}
    for place, figure in found.items():
        if figure.value and not figure.share:
            lines.setdefault(place[0], {})[place[1]] = place
    made: list[tuple[str, Place, Place, Place]] = []
    for row, line in lines.items() if len(lines) <= _MOST_RATE_LINES else ():
        if (
            not _RATE.search(table[row][0])
            or sum(_size_digits(found[at]) for at in line.values()) < _SUM_DIGITS
        ):
            continue
        for a, b in permutations([other for other in lines if other != row], 2):
            cells = [at for at in line if at in lines[a] and at in lines[b]]
            ways = [("a / b exactly", line[at], lines[a][at], lines[b][at]) for at in cells]
            if len(ways) >= _MIN_CELLS and all(
                _is_quotient(way, *(found[place] for place in places)) for way, *places in ways
            ):
                made += ways
    return made


_Pairs = tuple[tuple[Place, Place], ...]


@memoized
def _hidden_bases(table: tuple[tuple[str, ...], ...]) -> tuple[_Pairs, ...]:
    """Columns of amounts with the percentages beside them that are shares of one amount, shown or not."""
    found = figures(table)
    made = []
    for column in {column for (_, column), figure in found.items() if figure.share}:
        for beside in (column - 1, column + 1):
            pairs = tuple(
                ((row, beside), (row, column))
                for row, at in found
                if at == column and found[row, at].share and found[row, at].value
                if (row, beside) in found and found[row, beside].value and not found[row, beside].share
            )
            if len(pairs) > _MIN_CELLS and _share_one_base(pairs, found):
                made.append(pairs)
    return tuple(made)


def _share_one_base(pairs: _Pairs, found: Mapping[Place, Figure]) -> bool:
    """Whether some amount has all of these percentages, up to their rounding."""
    least, most = 0.0, float("inf")
    for one, other in pairs:
        amount, share = abs(float(found[one].value)), abs(float(found[other].value))
        half = float(found[other].place) / 2 * (1 + _FLOAT_ERROR)
        least = max(least, (amount - float(found[one].place) / 2) / (share + half))
        most = min(most, (amount + float(found[one].place) / 2) / (share - half) if share > half else most)
    return least <= most


def _parts(order: Sequence[int], whole: int) -> Iterator[Iterable[Sequence[int]]]:
    """The lines that may make up a line: two of its neighbours, or runs right above or below it, the shortest first."""
    above, below = order[max(0, whole - _REACH) : whole][::-1], order[whole + 1 : whole + 1 + _REACH]
    for pair in combinations([*above, *below], 2):
        yield [pair]
    for run in (above, below):
        yield (run[:count] for count in range(3, len(run) + 1))


def _sum_of_lines(lines: Sequence[Mapping[int, Place]], found: Mapping[Place, Figure]) -> list[_Terms]:
    """The sums of the cells of the first line by those of the others, each with one sign in all cells."""
    whole, *parts = lines
    cells = [at for at in whole if sum(at in part for part in parts) > 1]
    if len(cells) < _MIN_CELLS or sum(_size_digits(found[whole[at]]) for at in cells) < _SUM_DIGITS:
        return []
    columns = [[float(found[part[at]].value) if at in part else 0.0 for part in parts] for at in cells]
    # The signs are tried on the first cell; all cells must then agree.
    first, wanted = columns[0], float(found[whole[cells[0]]].value)
    slack = (len(parts) + 1) * float(max(found[whole[at]].place for at in cells)) / 2 + _FLOAT_ERROR
    for signs in product((1, -1), repeat=len(parts)):
        if abs(sum(map(mul, signs, first)) - wanted) > slack:
            continue
        made = [
            (
                (-1, whole[at]),
                *((sign, part[at]) for sign, part in zip(signs, parts, strict=True) if at in part),
            )
            for at in whole
        ]
        if all(_adds_up(terms, found) for terms in made):
            return [terms for terms in made if len(terms) > _MIN_CELLS]
    return []


def _adds_up(terms: _Terms, found: Mapping[Place, Figure]) -> bool:
    off = sum((sign * found[place].value for sign, place in terms), Fraction(0))
    return 2 * abs(off) <= len(terms) * min(found[place].place for _, place in terms)


def _size_digits(figure: Figure) -> int:
    return len(str(abs(int(figure.value / figure.place))))


def _quotients_of_lines(
    share: Mapping[int, Place], a: Mapping[int, Place], b: Mapping[int, Place], found: Mapping[Place, Figure]
) -> list[tuple[str, Place, Place, Place]]:
    """The percentages of a line as shares or changes of two others, where all cells agree."""
    cells = [at for at in share if at in a and at in b]
    if len(cells) < _MIN_CELLS or sum(_size_digits(found[share[at]]) for at in cells) < _SHARE_DIGITS:
        return []
    for way in ("a / b * 100", "(a - b) / b * 100"):
        if all(_is_quotient(way, found[share[at]], found[a[at]], found[b[at]]) for at in cells):
            return [(way, share[at], a[at], b[at]) for at in cells]
    return []


def _is_quotient(way: str, share: Figure, a: Figure, b: Figure) -> bool:
    """Whether a percentage follows from two figures, up to the rounding of all three."""
    if not a.value or not b.value:
        return False
    if way == "a / b":  # of amounts in thousands and shares in millions, and other scales
        quotient = abs(float(share.value) * float(b.value) / float(a.value))
        off = min(abs(quotient / 10**power - 1) for power in range(-6, 7))
        return off <= _NEARLY + float(share.place / abs(share.value)) / 2 if share.value else False
    top, bottom = float(a.value), float(b.value)
    if way == "a / b exactly":
        rounding = float(a.place) / abs(top) + float(b.place) / abs(bottom)
        size, half = abs(float(share.value)), float(share.place) / 2
        ratios = [abs(top / bottom) * 10.0**power for power in _POWERS]
        return any(abs(one - size) <= half + one * rounding / 2 + _FLOAT_ERROR for one in ratios)
    value = abs((top / bottom - (1 if way.startswith("(") else 0)) * _HUNDRED)
    spread = abs(top / bottom) * (float(a.place) / abs(top) + float(b.place) / abs(bottom)) * _HUNDRED / 2
    return abs(value - abs(float(share.value))) <= float(share.place) / 2 + spread + _FLOAT_ERROR


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
