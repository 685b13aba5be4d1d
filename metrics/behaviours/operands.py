"""Behaviours that use numbers other than the operands."""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from itertools import combinations

from dnc_metrics._mistakes import (
    DISTRACTOR,
    LEFT_OUT,
    MISREAD,
    REPEATED,
    Ratio,
    lowest,
    without_leaf,
)
from dnc_metrics.behaviours.case import Case
from dnc_metrics.behaviours.registry import behaviour

ALL_NUMBERS = "used all numbers"
POSITION = "chose numbers by position or size"
_MAX_EXTRA = 4
_MAX_FACTORS = 8


def total(numbers: Sequence[Ratio]) -> Ratio:
    """Return the sum of exact ratios."""
    bottom = math.lcm(*(below for _, below in numbers))
    return lowest(sum(top * (bottom // below) for top, below in numbers), bottom)


def negative(value: Ratio) -> Ratio:
    """Return the negative of a value."""
    return -value[0], value[1]


def size(value: Ratio) -> float:
    """Return a value that orders numbers by size; they have at most 256 bits."""
    return value[0] / value[1]


@behaviour("adds all numbers of the text", ALL_NUMBERS)
def adds_all_numbers(case: Case) -> Iterator[Ratio]:
    if len(case.all_numbers) > 1:
        yield total(case.all_numbers)
        digits = [one.value for one in case.written if not one.in_words]
        if len(digits) > 1 and len(digits) < len(case.written):
            yield total(digits)


@behaviour("multiplies all numbers of the text", ALL_NUMBERS)
def multiplies_all_numbers(case: Case) -> Iterator[Ratio]:
    if 1 < len(case.all_numbers) <= _MAX_FACTORS:
        yield lowest(
            math.prod(top for top, _ in case.all_numbers), math.prod(low for _, low in case.all_numbers)
        )


@behaviour("subtracts all other numbers of the text from one", ALL_NUMBERS)
def subtracts_all_numbers(case: Case) -> Iterator[Ratio]:
    numbers = case.all_numbers
    if len(numbers) > 1:
        for first in (numbers[0], max(numbers, key=size)):
            yield total((first, first, negative(total(numbers))))


@behaviour("takes a denied number", DISTRACTOR)
def takes_a_denied_number(case: Case) -> Iterator[Ratio]:
    yield from _denied(case, 1, 1)


@behaviour("takes several denied numbers, but not all", DISTRACTOR)
def takes_several_denied_numbers(case: Case) -> Iterator[Ratio]:
    yield from _denied(case, 2, len(_denied_places(case)) - 1)


@behaviour("takes every denied number", DISTRACTOR)
def takes_every_denied_number(case: Case) -> Iterator[Ratio]:
    places = len(_denied_places(case))
    yield from _denied(case, places, places)


def _denied_places(case: Case) -> list[int]:
    return [place for place, wrong in enumerate(case.denied) if wrong is not None]


def _denied(case: Case, fewest: int, most: int) -> Iterator[Ratio]:
    places = _denied_places(case)
    for count in range(max(1, fewest), most + 1):
        for chosen in combinations(places, count):
            operands = [
                wrong if place in chosen and wrong is not None else right
                for place, (right, wrong) in enumerate(zip(case.operands, case.denied, strict=True))
            ]
            yield from case.result(operands)


@behaviour("uses the number of an added statement", DISTRACTOR)
def uses_an_added_number(case: Case) -> Iterator[Ratio]:
    yield from _using(case, case.added)


@behaviour("adds the number of an added statement", DISTRACTOR, kind_of="uses_an_added_number")
def adds_the_added_number(case: Case) -> Iterator[Ratio]:
    if case.added:
        yield total((case.gold, *case.added))


@behaviour("uses a number that has nothing to do with the question", DISTRACTOR)
def uses_an_irrelevant_number(case: Case) -> Iterator[Ratio]:
    yield from _using(case, case.irrelevant)


def _using(case: Case, numbers: Sequence[Ratio]) -> Iterator[Ratio]:
    """Yield the results of calculations that use one of these numbers with an operand or instead of it."""
    for number in numbers[:_MAX_EXTRA]:
        yield total((case.gold, number))
        yield total((case.gold, negative(number)))
        yield total((number, negative(case.gold)))
        yield lowest(case.gold[0] * number[0], case.gold[1] * number[1])
        for place in range(len(case.operands)):
            yield from case.result((*case.operands[:place], number, *case.operands[place + 1 :]))


@behaviour("calculates with the first numbers of the text", POSITION)
def takes_the_first_numbers(case: Case) -> Iterator[Ratio]:
    for numbers in (case.numbers, case.all_numbers):
        yield from _chosen(case, numbers, numbers[: len(case.operands)])


@behaviour("calculates with the last numbers of the text", POSITION)
def takes_the_last_numbers(case: Case) -> Iterator[Ratio]:
    for numbers in (case.numbers, case.all_numbers):
        yield from _chosen(case, numbers, numbers[-len(case.operands) or len(numbers) :])


@behaviour("calculates with the largest numbers of the text", POSITION)
def takes_the_largest_numbers(case: Case) -> Iterator[Ratio]:
    yield from _chosen(case, case.all_numbers, _extreme(case, largest=True))


@behaviour("calculates with the smallest numbers of the text", POSITION)
def takes_the_smallest_numbers(case: Case) -> Iterator[Ratio]:
    yield from _chosen(case, case.all_numbers, _extreme(case, largest=False))


def _extreme(case: Case, *, largest: bool) -> list[Ratio]:
    """Return the largest or smallest numbers in reading order, one for each operand."""
    numbers = case.all_numbers
    order = sorted(range(len(numbers)), key=lambda place: size(numbers[place]), reverse=largest)
    return [numbers[place] for place in sorted(order[: len(case.operands)])]


def _chosen(case: Case, numbers: Sequence[Ratio], chosen: Sequence[Ratio]) -> Iterator[Ratio]:
    """Yield the calculation with other operands: in reading order, in the right order, the larger first."""
    operands = case.operands
    if len(chosen) != len(operands) or len(operands) < 2:
        return
    place = {number: at for at, number in reversed(list(enumerate(numbers)))}
    ranks = sorted(range(len(operands)), key=lambda at: place.get(operands[at], at))
    arranged = list(chosen)
    for rank, at in enumerate(ranks):
        arranged[at] = chosen[rank]
    for order in (chosen, arranged, sorted(chosen, key=size, reverse=True)):
        yield from case.result(order)


@behaviour("copies a number of the text", REPEATED)
def copies_a_number(case: Case) -> Iterator[Ratio]:
    yield from case.all_numbers


@behaviour("copies the first number of the text", REPEATED, kind_of="copies_a_number")
def copies_the_first_number(case: Case) -> Iterator[Ratio]:
    yield from case.numbers[:1]


@behaviour("copies the last number of the text", REPEATED, kind_of="copies_a_number")
def copies_the_last_number(case: Case) -> Iterator[Ratio]:
    yield from case.numbers[-1:]
    yield from case.all_numbers[-1:]


@behaviour("copies the largest number of the text", REPEATED, kind_of="copies_a_number")
def copies_the_largest_number(case: Case) -> Iterator[Ratio]:
    if case.all_numbers:
        yield max(case.all_numbers, key=size)


@behaviour("leaves an operand out", LEFT_OUT)
def leaves_an_operand_out(case: Case) -> Iterator[Ratio]:
    if case.tree is not None:
        for part, _ in without_leaf(case.tree):
            yield from case.result(case.operands, part)


@behaviour("reads only the first word of a number in words", MISREAD)
def reads_the_first_number_word(case: Case) -> Iterator[Ratio]:
    words = {one.value for one in case.written if one.in_words}
    read = [_first_word(value) if value in words else value for value in case.operands]
    if read != list(case.operands):
        yield from case.result(read)


@behaviour("confuses tens with teens, such as fifty with fifteen", MISREAD)
def confuses_tens_and_teens(case: Case) -> Iterator[Ratio]:
    words = {one.value for one in case.written if one.in_words}
    read = [_sound_alike(value) if value in words else value for value in case.operands]
    if read != list(case.operands):
        yield from case.result(read)


def _sound_alike(value: Ratio) -> Ratio:
    """Return 15 for 50, 50 for 15, and other numbers unchanged."""
    top, bottom = value
    if bottom != 1 or not (12 < top < 20 or (20 < top < 100 and top % 10 == 0)):
        return value
    return (10 + top // 10 if top > 20 else 10 * (top - 10)), 1


def _first_word(value: Ratio) -> Ratio:
    """Return 500 for 570 and 40 for 41: the value of the leading digit."""
    top, bottom = value
    if bottom != 1 or top <= 20:
        return value
    power: int = 10 ** (len(str(top)) - 1)
    return top // power * power, 1
