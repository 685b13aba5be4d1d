"""Claims of a report's text and labels about its amounts. A change that makes a claim false is refused."""

from __future__ import annotations

import re
from bisect import bisect_left, bisect_right
from collections.abc import Iterable, Iterator, Sequence
from fractions import Fraction
from itertools import combinations, pairwise
from operator import itemgetter
from typing import Any, Final, NamedTuple, TypeVar

from dnc_datasets import numerals
from dnc_datasets.english.lexicon import NO_COUNTED_THINGS
from dnc_datasets.english.reading.report_sentences import sentence_spans
from dnc_datasets.english.reading.report_words import words
from dnc_datasets.memoization import memoized
from dnc_datasets.numerals import Quantity
from dnc_datasets.perturbations.numbers.amounts import AMOUNTS, currency_before, is_name, is_year
from dnc_datasets.perturbations.tables.composed import Said, composed_amounts_hold
from dnc_datasets.perturbations.tables.document import Shown, sentence_at, shown
from dnc_datasets.perturbations.tables.labels import below
from dnc_datasets.perturbations.tables.possible import lines
from dnc_datasets.problem import Problem
from dnc_datasets.tables.relations import Cell, Signed

Sized = TypeVar("Sized", bound=tuple[Any, ...])

_FLOAT_ERROR: Final = 1e-9
_LONGEST_RUN: Final = 7
_LONG_TEXT: Final = 200  # numbers
_BY_CHANCE: Final = Fraction(3, 10)  # coincidences that a search of the text may expect
_REACH: Final = 400
_MOST_PARTS: Final = 4
_NEIGHBOURS: Final = 8
_HEADINGS: Final = 3  # rows
_SCALES: Final = (1, 10**3, 10**6, 10**9)
_SCALED: Final = re.compile(r"(?:thousand|million|billion|bn|mn|m|k)\Z", re.IGNORECASE)
# The noun that a number counts: "9.7 million restricted shares", "2,080 stores in".
_COUNTED: Final = re.compile(r"(?: [a-z][a-z-]*){0,3}? (?P<thing>[a-z]{3,}s)\b")
_WORD: Final = re.compile(r"[a-z]{3,}")
_PARTS_OF_MONEY: Final = frozenset(("cents", "pence"))
_SHARES: Final = re.compile(r"\b(?:shares|stock|units|options|rsus|awards)\b", re.IGNORECASE)
# Rows and sections of people and places that a report counts, and of anything else that it gives the number of.
_CUSTOMERS: Final = re.compile(
    r"\b(?:subscribers|subscriptions|customers|users|members|accounts|households|merchants|clients|employees|"
    r"headcount|stores|branches|sites)\b\s*(?:[(:,*]|\Z|at\b|as\b|in\b)|\bnumber (?:of|\()",
    re.IGNORECASE,
)
# "Amounts due from customers"
_OF_MONEY: Final = re.compile(
    r"\b(?:from|by|to|due|owed|per|for|amounts?|revenues?|sales|costs?)\b", re.IGNORECASE
)
_IN_FULL: Final = 100_000
_LEAST_COUNT: Final = 100
_LARGE_COUNT: Final = 1000
_PER_SHARE: Final = re.compile(r" (?:per|for each|an?) (?:[a-z-]+ ){0,2}(?:share|unit)\b", re.IGNORECASE)
_OF_SHARES: Final = re.compile(r" (?:[a-z-]+ ){0,3}(?:shares|units)\b", re.IGNORECASE)
_NEARLY_PAID: Final = Fraction(1, 50)
# Words with which a text adds up or subtracts short amounts.
_JOINED: Final = re.compile(
    r"\b(?:less|plus|minus|net of|totall?ing|in total|comprising|consisting of)\b", re.IGNORECASE
)
# "265.7p", "(12.5)p", "4 cents"
_PENCE: Final = re.compile(r"\W*\d+(?:\.\d+)?\)?\s?(?:p|c|¢|pence|cents?)\W*")
# Words that judge sizes, and may become false when amounts move separately: "doubled", "the majority".
_RANK: Final = re.compile(r"rank|ranking|place|position|pos\.?|#|no\.?", re.IGNORECASE)
_JUDGES: Final = re.compile(
    r"\b(?:doubled|tripled|quadrupled|halved|majority|flat|stable|steady|unchanged|"
    r"(?:in line|consistent) with (?:the )?(?:prior|previous|preceding|last|same|fiscal|19|20)|"
    r"slight(?:ly)?|marginal(?:ly)?|modest(?:ly)?|(?:small|minor)(?= (?:\w+ )?(?:in|de)crease)|half|"
    r"one[- ]third|two[- ]thirds|one[- ]quarter|three[- ]quarters|twice|thrice|trebled|"
    r"(?:three|four|five|ten|\d{1,3}(?:\.\d{1,2})?) times|"
    r"a third (?:of|less|more)|a quarter (?:of|less|more)|for every|"
    r"\d{1,3}(?:\.\d{1,2})? to (?:1|one)(?![\d.,])|"
    r"by (?:[a-z]+ ){0,2}(?:a|one)[- ](?:third|quarter|fifth|sixth|seventh|eighth|ninth|tenth)(?!s? part)|"
    r"(?!(?:in|of|an?|as|the|by|per|and|or|to) )[a-z]+(?:-[a-z]+)? per ?cent|"
    r"largest|smallest|highest|lowest|most of)\b",
    re.IGNORECASE,
)
_COMPARED: Final = re.compile(
    r"\b(?:(?:in|de)creas\w*|change[ds]?|grew|growth|rose|fell|declined?|higher|lower|compared|previous|prior|"
    r"it|this|these|they|which)\b|\d",
    re.IGNORECASE,
)
# An amount and its share of a total: "$4.7 million or 46%", "$1.2 million (11%)".
_OR_SHARE: Final = re.compile(r",? (?:or |\(|\(or )(?:approximately |about )?\Z")
# The same amount in another currency: "NZD $1.3m (AUD $1.2m)".
_CONVERTED: Final = re.compile(
    r"\)?,? ?\((?:approximately |about |or |equivalent to )?[A-Z$€£¥]{1,4} ?[$€£¥]?\Z"
)


class Claim(NamedTuple):
    """A number of the text before and after a change, and its position."""

    before: Shown
    after: Shown
    start: int


def names_amounts(table: Sequence[Sequence[str]], row: int | None = None) -> bool:
    """Return whether the label of this row, or of any, states an amount: "Notes due 2025, $500 million"."""
    labels = [cells[0] for at, cells in enumerate(table) if cells and row in (None, at)]
    return any(_is_amount(label, one) for label in labels for one in numerals.find(label))


def shows_prices(table: Sequence[Sequence[str]]) -> bool:
    """Return whether rows or columns give the highest and lowest price of a share.

    Scaled prices are implausible.
    """
    cells = (*(row[0] for row in table if row), *(cell for row in table[:_HEADINGS] for cell in row))
    return {"high", "low"} <= {cell.strip().lower() for cell in cells}


def judges_sizes(body: str, table: Sequence[Sequence[str]]) -> bool:
    """Return whether a sentence judges a line of the table, or a change, by its size.

    Such a judgement may become false when amounts move separately.

    >>> rows = (("", "2019", "2018"), ("Marketing costs", "12", "9"))
    >>> judges_sizes("Marketing costs were stable.", rows), judges_sizes("The majority of our staff is here.", rows)
    (True, False)
    """
    if _is_ranked(table):
        return True
    if not _JUDGES.search(body):
        return False
    named = frozenset[str]().union(
        *(words(cell) for row in table for cell in (row[:1] or ("",))), words(" ".join(table[0]))
    )
    judged = (body[start:end] for start, end in sentence_spans(body) if _JUDGES.search(body, start, end))
    return any(_COMPARED.search(one) or not named.isdisjoint(words(one)) for one in judged)


def _is_ranked(table: Sequence[Sequence[str]]) -> bool:
    """Return whether a column called a rank or a place counts the rows from 1."""
    columns = [at for at, head in enumerate(table[0]) if _RANK.fullmatch(head.strip())]
    expected = [str(number) for number in range(1, len(table))]
    ranks = [[row[at].strip(" .") if at < len(row) else "" for row in table[1:]] for at in columns]
    return len(expected) > 1 and expected in ranks


def shows_pence(table: Sequence[Sequence[str]]) -> bool:
    """Return whether cells hold values per share with their own unit: "265.7p".

    These cells must not change.
    """
    return any(_PENCE.fullmatch(cell) for row in table for cell in row[1:])


def _is_amount(text: str, one: Quantity) -> bool:
    if one.kind not in AMOUNTS or one.kind == "percent" or one.value < 1 or is_year(one.text):
        return False
    money = one.kind == "money" or currency_before(text, one.start) != ""
    return money or "," in one.text or _SCALED.search(one.text) is not None


def claims_hold(problem: Problem, made: Problem, old: Signed, new: Signed, said: Sequence[Said] = ()) -> bool:
    """Return whether the text's claims about cells and other amounts remain true with the new cells."""
    if all(new[cell] == size for cell, size in old.items()):
        return True
    was, now = numerals.find(problem.body), numerals.find(made.body)
    if not was and not now:
        return True
    if len(was) != len(now) or len(was) > _LONG_TEXT:
        return len(was) == len(now)
    pairs = list(zip(was, now, strict=True))
    stated = [
        Claim(shown(one), shown(other), one.start) for one, other in pairs if _is_amount(problem.body, one)
    ]
    return (
        _states_sums(stated, old, new)
        and _explains(stated, old, new)
        and _counts_fit(problem, pairs, old, new)
        and _joined_sums_hold(problem.body, pairs)
        and _conversions_hold(problem.body, pairs)
        and _shares_hold(problem.body, pairs, old, new)
        and _payments_hold(problem.body, pairs)
        and _unit_values_hold(problem.body, was, old, new)
        and all(composed_amounts_hold(one, pairs, old, new) for one in said)
    )


def _states_sums(stated: Sequence[Claim], old: Signed, new: Signed) -> bool:
    """Return whether each stated sum of neighbouring cells is the sum of the new cells."""
    if not stated:
        return True
    moved = {cell for cell, size in old.items() if new[cell] != size}
    about = {cell: float(size) for cell, size in old.items()}
    sums: list[tuple[float, Sequence[Cell]]] = []
    for line in lines(old):
        changed, sizes = [cell in moved for cell in line], [about[cell] for cell in line]
        for start in range(len(line) - 2 if any(changed) else 0):
            moves, total = any(changed[start : start + 2]), sizes[start] + sizes[start + 1]
            for end in range(start + 3, min(start + _LONGEST_RUN, len(line)) + 1):
                moves, total = moves or changed[end - 1], total + sizes[end - 1]
                if moves:
                    sums.append((abs(total), line[start:end]))
    by_size = _by_size(sums)
    for one in stated:
        if len(sums) * 4 * 2 * one.before.half > _BY_CHANCE * one.before.value:
            continue
        for _, run in _near(one.before, by_size):
            scale = _scale(one.before, abs(_total(run, old)))
            if scale is not None and not one.after.shows(abs(_total(run, new)) * scale):
                return False
    return True


def _total(run: Sequence[Cell], values: Signed) -> Fraction:
    return sum((values[cell] for cell in run), Fraction(0))


def _by_size(results: Iterable[Sized]) -> tuple[list[float], list[Sized]]:
    """Return the results sorted by size, and these sizes.

    The first item of a result is its approximate size.
    """
    some = sorted(results, key=itemgetter(0))
    return [one[0] for one in some], some


def _near(number: Shown, results: tuple[list[float], list[Sized]]) -> Iterator[Sized]:
    """Yield the results that a number may state in some scale."""
    sizes, some = results
    slack = number.slack * (1 + _FLOAT_ERROR) + _FLOAT_ERROR * number.about
    for scale in _SCALES:
        start = bisect_left(sizes, (number.about - slack) / scale)
        yield from some[start : bisect_right(sizes, (number.about + slack) / scale)]


def _scale(number: Shown, size: Fraction) -> int | None:
    return next((scale for scale in _SCALES if size and number.shows(size * scale)), None)


def _explains(stated: Sequence[Claim], old: Signed, new: Signed) -> bool:
    """Return whether neighbouring amounts of the text that add up to a cell or a row's change still do."""
    if len(stated) < 2:
        return True
    if all(map(_are_apart, pairwise(stated))):
        return True
    rows: dict[int, list[Cell]] = {}
    for cell in old:
        rows.setdefault(cell[0], []).append(cell)
    pairs = [
        (was, now)
        for row in rows.values()
        if any(new[cell] != old[cell] for cell in row)
        for one, other in combinations(row, 2)
        for was, now in [(old[one] - old[other], new[one] - new[other])]
        if was != now
    ]
    changes = _by_size([(abs(float(was)), abs(was), abs(now)) for was, now in pairs])
    cells = _by_size(
        [(abs(float(size)), abs(size), abs(new[cell])) for cell, size in old.items() if new[cell] != size]
    )
    for start in range(len(stated)):
        for count in range(2, _MOST_PARTS + 1):
            some = stated[start : start + count]
            if len(some) < count or _are_apart(some):
                break
            half = count * max(one.before.half for one in some) / 2
            number = Shown(sum((one.before.value for one in some), Fraction(0)), half, Fraction(1))
            changed = Shown(sum((one.after.value for one in some), Fraction(0)), 2 * half, Fraction(1))
            for results in (changes, cells):
                if 2 * half * len(results[0]) * len(stated) * _MOST_PARTS > number.value:
                    continue
                for _, was, now in _near(number, results):
                    scale = _scale(number, was)
                    if scale is not None and not changed.shows(now * scale):
                        return False
    return True


def _are_apart(some: Sequence[Claim]) -> bool:
    return some[-1].start - some[0].start > _REACH


def _counts_fit(
    problem: Problem, pairs: Sequence[tuple[Quantity, Quantity]], old: Signed, new: Signed
) -> bool:
    """Return whether no count of the text is unchanged while counts of the same things multiply."""
    staying = [
        one
        for one, other in pairs
        if one.ratio == other.ratio and one.kind in AMOUNTS and one.value >= 2 and not is_year(one.text)
    ]
    if not staying:
        return True
    grown = {cell for cell, size in old.items() if abs(new[cell]) >= 2 * abs(size) > 0}
    first = problem.table[0]
    large = any(one.value >= _IN_FULL for one in staying)
    heads = {problem.table[row][0] for row, _ in grown}
    heads |= {first[column] for _, column in grown if column < len(first)}
    things = {word for head in heads for word in _WORD.findall(head.lower()) if word.endswith("s")}
    of_shares = large and (
        any(_SHARES.search(problem.table[row][0]) for row in {at[0] for at in old if new[at] != old[at]})
        or (bool(grown) and any(_SHARES.search(cell) for row in problem.table for cell in row))
    )
    of_customers = _customer_rows(problem.table) & {row for row, _ in grown}
    for one in staying:
        if of_customers and _is_large_count(problem.body, one):
            return False
        if (
            of_shares
            and one.value >= _IN_FULL
            and _SHARES.search(sentence_at(problem.body, one.start, one.end))
        ):
            return False
        counted = _COUNTED.match(problem.body, one.end) if things else None
        if (
            counted is not None
            and counted["thing"] in things - _PARTS_OF_MONEY
            and not currency_before(problem.body, one.start)
        ):
            return False
    return True


@memoized
def _customer_rows(table: tuple[tuple[str, ...], ...]) -> frozenset[int]:
    """The rows that count people or places, by their label or by that of their section; shares are none of these."""
    named = (
        row
        for row, cells in enumerate(table)
        if row and cells and _CUSTOMERS.search(cells[0])
        if not _SHARES.search(cells[0]) and not _OF_MONEY.search(cells[0])
    )
    return frozenset(at for row in named for at in below(table, row))


def _is_large_count(body: str, one: Quantity) -> bool:
    """Return whether a number of the text counts hundreds of things: "246,400 addresses"."""
    if one.kind == "percent" or one.value < _LEAST_COUNT or _is_money(body, one):
        return False
    if is_name(body, "body", one.text, one.start, one.end):
        return False
    counted = _COUNTED.match(body, one.end)
    return counted is not None and counted["thing"] not in NO_COUNTED_THINGS


def _joined_sums_hold(body: str, pairs: Sequence[tuple[Quantity, Quantity]]) -> bool:
    """Return whether amounts that the text adds up still give their sum: "$1.2m less $0.1m", "$1.1m"."""
    return all(_adds_up([pairs[at][1] for at in trio]) for trio in _joined_sums(body))


@memoized
def _joined_sums(body: str) -> tuple[tuple[int, int, int], ...]:
    """Return the positions of three short amounts that a text adds up or subtracts."""
    found, joined = numerals.find(body), []
    amounts = [at for at, one in enumerate(found) if _is_money(body, one)]
    for at, first in enumerate(amounts):
        near = [
            other
            for other in amounts[at + 1 : at + _NEIGHBOURS]
            if found[other].end - found[first].start <= _REACH
        ]
        for second, third in combinations(near, 2):
            if _adds_up([found[first], found[second], found[third]]) and _JOINED.search(
                body, found[first].end, found[third].start
            ):
                joined.append((first, second, third))
    return tuple(joined)


def _is_money(body: str, one: Quantity) -> bool:
    return one.kind == "money" or currency_before(body, one.start) != ""


def _adds_up(some: Sequence[Quantity]) -> bool:
    one, other, largest = sorted(abs(each.value) for each in some)
    return one + other == largest


def _conversions_hold(body: str, pairs: Sequence[tuple[Quantity, Quantity]]) -> bool:
    """Return whether an amount and its equivalent in another currency keep their rate, up to rounding."""
    for (one, was), (other, now) in pairwise(pairs):
        between = body[one.end : other.start]
        if (
            "(" not in between
            or len(between) > _REACH
            or not (_is_money(body, one) and _CONVERTED.fullmatch(between))
        ):
            continue
        before, after = _rates(one, other), _rates(was, now)
        if before is not None and (after is None or after[1] < before[0] or before[1] < after[0]):
            return False
    return True


def _rates(one: Quantity, other: Quantity) -> tuple[Fraction, Fraction] | None:
    """Return the lowest and highest rate between two rounded amounts."""
    top, bottom = shown(one), shown(other)
    if top.value <= top.half or bottom.value <= bottom.half:
        return None
    return (top.value - top.half) / (bottom.value + bottom.half), (top.value + top.half) / (
        bottom.value - bottom.half
    )


def _shares_hold(body: str, pairs: Sequence[tuple[Quantity, Quantity]], old: Signed, new: Signed) -> bool:
    """Return whether the share in "$4.7 million or 46%" still has a base among the cells, if it had one."""
    for (amount, moved), (share, shown_share) in pairwise(pairs):
        if share.kind != "percent" or not _is_money(body, amount):
            continue
        if not _OR_SHARE.fullmatch(body[amount.end : share.start]):
            continue
        before, after, part, new_part = map(shown, (share, shown_share, amount, moved))
        bases = [
            (cell, scale)
            for cell, size in old.items()
            for scale in _SCALES
            if size and _may_be(part, before, abs(size) * scale)
        ]
        if bases and not any(_may_be(new_part, after, abs(new[cell]) * scale) for cell, scale in bases):
            return False
        # A share that follows to the last digit must do so with the new amounts too.
        exact = [
            (cell, scale)
            for cell, scale in bases
            if before.shows(part.value * 100 / (abs(old[cell]) * scale))
        ]
        if exact and not any(
            after.shows(new_part.value * 100 / (abs(new[cell]) * scale)) for cell, scale in exact
        ):
            return False
    return True


def _payments_hold(body: str, pairs: Sequence[tuple[Quantity, Quantity]]) -> bool:
    """Return whether no payment changed that is a value per share times a number of shares.

    An example is "$0.16 per share" and "154.7 million shares".
    """
    rates, counts = _per_share(body)
    for one, other in pairs if rates and counts else ():
        if one.value == other.value or not _is_money(body, one):
            continue
        for rate in rates:
            for count in counts:
                near = max(abs(rate.start - one.start), abs(count.start - one.start)) <= _REACH
                paid = rate.value * count.value
                if near and paid and abs(paid - one.value) <= _NEARLY_PAID * one.value:
                    return False
    return True


@memoized
def _per_share(body: str) -> tuple[list[Quantity], list[Quantity]]:
    """Return the numbers of a text that are values per share, and those that count shares."""
    found = numerals.find(body)
    rates = [one for one in found if _PER_SHARE.match(body, one.end)]
    return rates, [one for one in found if _OF_SHARES.match(body, one.end)] if rates else []


def _unit_values_hold(body: str, stated: Sequence[Quantity], old: Signed, new: Signed) -> bool:
    """Return whether amounts that are counts of the text times one price still have one price.

    "Vesting of 15,000 units", "of 7,500 units", beside 377,400 and 188,700.
    """
    counts = {
        one.value
        for one in stated
        if one.is_integer and one.value >= _LARGE_COUNT and not is_year(one.text) and not _is_money(body, one)
    }
    if len(counts) < 2:
        return True
    by_price: dict[Fraction, dict[Fraction, list[Cell]]] = {}
    for cell, size in old.items():
        for count in counts if abs(size) >= _LARGE_COUNT else ():
            by_price.setdefault(abs(size) / count, {}).setdefault(count, []).append(cell)
    return all(
        len({abs(new[cell]) / count for count, cells in some.items() for cell in cells}) == 1
        for some in by_price.values()
        if len(some) > 1
    )


def _may_be(part: Shown, share: Shown, base: Fraction) -> bool:
    """Return whether a rounded part may be this percentage of a base."""
    least, most = (part.value - part.half) * 100 / base, (part.value + part.half) * 100 / base
    return least <= share.value + share.half and share.value - share.half <= most
