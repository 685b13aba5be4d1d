"""Promises about tables: what followed from other figures still follows, found anew in the original."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Sequence
from fractions import Fraction
from itertools import combinations
from typing import NamedTuple

from dnc_datasets import expression, links, numerals
from dnc_datasets.problem import Problem

# Of a cell whose white space is collapsed, so that one blank is all there can be in a place.
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
_MOST_TERMS = 20
_TELLING = 3  # digits: shorter figures stand in a text by chance
_COUNTED = re.compile(r"\bemployees\b|\bheadcount\b|\bnumber of\b|\bstores\b|\bcustomers\b", re.IGNORECASE)

Place = tuple[int, int]


class Figure(NamedTuple):
    """A figure of a cell: its value with sign, the value of its last digit, and whether it is a share."""

    value: Fraction
    place: Fraction
    share: bool


class Sum(NamedTuple):
    """`whole` is what `parts` add up to, each with its sign."""

    whole: Place
    parts: tuple[tuple[int, Place], ...]


class Change(NamedTuple):
    """`share` is the change from `old` to `new` in percent."""

    share: Place
    new: Place
    old: Place


def relations_hold(original: Problem, perturbed: Problem) -> bool:
    """every total, subtotal, difference, change and share that held in the table still holds, as exactly"""
    before, after = figures(original.table), figures(perturbed.table)
    return all(
        _holds(one, after) and (isinstance(one, Change) or _off(one, before) > 0 or _off(one, after) == 0)
        for one in found_relations(original.table, before)
    )


def restatements_follow(original: Problem, perturbed: Problem) -> bool:
    """a figure of the text that the table shows too has its new value where all such cells have one"""
    before, after = figures(original.table), figures(perturbed.table)
    new: dict[Fraction, set[Fraction]] = {}
    for place, figure in before.items():
        if not figure.share:
            new.setdefault(abs(figure.value), set()).add(abs(after[place].value))
    pairs = zip(numerals.find(original.body), numerals.find(perturbed.body), strict=True)
    for was, now in pairs:
        if was.kind not in ("cardinal", "decimal", "money") or sum(map(str.isdigit, was.text)) < _TELLING:
            continue
        if _YEAR.fullmatch(was.text):
            continue
        wanted = new.get(abs(was.value))
        if wanted and abs(was.value) not in wanted and abs(now.value) not in wanted:
            return False
    return True


def linked_operands_follow(original: Problem, perturbed: Problem) -> bool:
    """each linked operand has the value of its cell or span in the new equation too; constants stay"""
    old, new = expression.parse(original.equation), expression.parse(perturbed.equation)
    was, now = links.operand_values(old), links.operand_values(new)
    before, after = links.stored(original), links.stored(perturbed)
    if old.operators != new.operators or len(was) != len(now) or before.keys() != set(was):
        return False
    moved = 0
    for old_value, new_value in zip(was, now, strict=True):
        link = before[old_value]
        if after.get(new_value) != link or (link == links.CONSTANT and old_value != new_value):
            return False
        places = (
            [link] if "." in link else links.places_of(original, old_value) if link == links.AMBIGUOUS else []
        )
        for place in places:
            found = links.locate(perturbed, place)
            if found is None or found.value != new_value:
                return False
        moved += old_value != new_value
    return moved > 0


def operands_within_half(original: Problem, perturbed: Problem) -> bool:
    """no operand moved by more than half of its value"""
    was, now = (links.operand_values(expression.parse(one.equation)) for one in (original, perturbed))
    return len(was) == len(now) and all(2 * abs(b - a) <= a for a, b in zip(was, now, strict=True))


def counts_stay_whole(original: Problem, perturbed: Problem) -> bool:
    """what is counted one by one and was whole is whole, unless the table counts in thousands"""
    if original.note("table_scale") in ("thousand", "million", "billion"):
        return True
    after = figures(perturbed.table)
    return all(
        after[place].value.denominator == 1
        for place, figure in figures(original.table).items()
        if figure.value.denominator == 1 and _COUNTED.search(original.table[place[0]][0])
    )


CHECKS: tuple[Callable[[Problem, Problem], bool], ...] = (
    relations_hold,
    restatements_follow,
    linked_operands_follow,
    operands_within_half,
    counts_stay_whole,
)


def figures(table: Sequence[Sequence[str]]) -> dict[Place, Figure]:
    """The figures below and beside the headings, by row and column; a dash is nothing."""
    found: dict[Place, Figure] = {}
    for row, cells in enumerate(table):
        for column, text in enumerate(cells):
            if not row or not column or _YEAR.fullmatch(text.strip()):
                continue
            text = " ".join(text.split())
            if _DASH.fullmatch(text):
                found[row, column] = Figure(Fraction(0), Fraction(1), False)
            elif match := _AMOUNT.fullmatch(text):
                digits = match[3].replace(",", "")
                size = Fraction(digits)
                sign = -1 if match[1] or match[2] else 1
                place = Fraction(1, 10 ** len(digits.partition(".")[2]))
                found[row, column] = Figure(sign * size, place, "%" in text)
    return found


def found_relations(table: Sequence[Sequence[str]], known: dict[Place, Figure]) -> list[Sum | Change]:
    """What holds in a table: sums by label or of three and more neighbours, differences and changes by label."""
    amounts = {place: figure for place, figure in known.items() if not figure.share}
    found: list[Sum | Change] = []
    for column in {column for _, column in amounts}:
        line = sorted(place for place in amounts if place[1] == column)
        found += _sums(line, [table[row][0] for row, _ in line], amounts)
    for row in {row for row, _ in amounts}:
        line = sorted(place for place in amounts if place[0] == row)
        heads = [_head(table, place) for place in line]
        found += _sums(line, heads, amounts)
        found += _changes(row, table, known, line, heads)
    return found


def _head(table: Sequence[Sequence[str]], place: Place) -> str:
    return " ".join(cells[place[1]] for cells in table[: min(3, place[0])] if place[1] < len(cells))


def _sums(line: Sequence[Place], labels: Sequence[str], amounts: dict[Place, Figure]) -> Iterator[Sum]:
    for at, whole in enumerate(line):
        labelled = _TOTAL.search(labels[at]) is not None
        runs = [line[start:at] for start in range(max(0, at - _MOST_TERMS), at)]
        runs += [line[at + 1 : stop] for stop in range(at + 2, min(len(line), at + _MOST_TERMS) + 1)]
        for run in runs:
            if sum(amounts[place].value != 0 for place in run) >= (2 if labelled else 3):
                one = Sum(whole, tuple((1, place) for place in run))
                if _holds(one, amounts) and _tells(one, amounts):
                    yield one
        if labelled:
            totals = [
                place for place, label in zip(line[:at], labels[:at], strict=True) if _TOTAL.search(label)
            ]
            for start in range(max(0, len(totals) - 1)):
                one = Sum(whole, tuple((1, place) for place in totals[start:]))
                if _holds(one, amounts) and _tells(one, amounts):
                    yield one
        if _RESULT.search(labels[at]) or _CHANGE.search(labels[at]):
            for first, second in combinations(line[max(0, at - 6) : at], 2):
                for signs in ((1, -1), (-1, 1)):
                    one = Sum(whole, ((signs[0], first), (signs[1], second)))
                    if _holds(one, amounts) and _tells(one, amounts):
                        yield one


def _changes(
    row: int,
    table: Sequence[Sequence[str]],
    known: dict[Place, Figure],
    line: Sequence[Place],
    heads: Sequence[str],
) -> Iterator[Change]:
    """The shares of a row that are changes between two of its amounts."""
    shares = [place for place, figure in known.items() if place[0] == row and figure.share]
    plain = [place for place, head in zip(line, heads, strict=True) if not _CHANGE.search(head)]
    for share in shares:
        for new, old in ((a, b) for a in plain for b in plain if a != b):
            one = Change(share, new, old)
            if known[old].value and known[share].value and _holds(one, known):
                yield one


def _holds(one: Sum | Change, known: dict[Place, Figure]) -> bool:
    """Whether a relation holds up to the rounding of what is shown."""
    if isinstance(one, Change):
        new, old, share = known[one.new], known[one.old], known[one.share]
        if not old.value:
            return False
        exact = (new.value - old.value) / abs(old.value) * 100
        return abs(abs(exact) - abs(share.value)) <= share.place
    shown = [known[place] for _, place in one.parts]
    place = min([known[one.whole].place, *(part.place for part in shown if part.value)])
    return _off(one, known) <= place * (len(shown) + 1) / 2


def _off(one: Sum, known: dict[Place, Figure]) -> Fraction:
    """By how much the parts miss their whole."""
    return abs(known[one.whole].value - sum(sign * known[place].value for sign, place in one.parts))


def _tells(one: Sum, known: dict[Place, Figure]) -> bool:
    """Whether the whole is so large that its parts do not add up to it by chance."""
    whole, off = known[one.whole], len(one.parts) + 1
    exact = _off(one, known) == 0
    return whole.value != 0 and (
        abs(whole.value) > 20 * off * whole.place if not exact else abs(whole.value) >= 10 * whole.place
    )
