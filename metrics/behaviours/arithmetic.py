"""Behaviours that start from the right calculation and end with another number."""

from __future__ import annotations

from collections.abc import Callable, Iterator

from dnc_metrics._mistakes import MISREAD, ROUNDING, SCALE, SLIP, Ratio, lowest
from dnc_metrics.behaviours.case import Case
from dnc_metrics.behaviours.operands import negative
from dnc_metrics.behaviours.registry import behaviour

_UNITS = (7, 12, 16, 24, 60, 365)
_LONG = 4  # digits of a long number
_MAX_DIGITS = 20


@behaviour("rounds its answer", ROUNDING)
def rounds_the_answer(case: Case) -> Iterator[Ratio]:
    if case.gold[1] != 1:
        yield _nearest(case.gold)
        tenth = _nearest(lowest(case.gold[0] * 10, case.gold[1]))
        yield lowest(tenth[0], 10)


@behaviour("cuts the decimals off its answer", ROUNDING)
def truncates_the_answer(case: Case) -> Iterator[Ratio]:
    if case.gold[1] != 1:
        yield _truncated(case.gold)


@behaviour("rounds the numbers before it calculates", ROUNDING)
def rounds_the_numbers(case: Case) -> Iterator[Ratio]:
    yield from _changed(case, _nearest)


@behaviour("cuts the decimals off the numbers before it calculates", ROUNDING)
def truncates_the_numbers(case: Case) -> Iterator[Ratio]:
    yield from _changed(case, _truncated)


@behaviour("answers in round numbers", ROUNDING)
def answers_in_round_numbers(case: Case) -> Iterator[Ratio]:
    top, bottom = case.gold
    power = 10
    while 2 * power <= abs(top) // bottom and power <= 10**_MAX_DIGITS:
        yield _nearest(lowest(top, bottom * power))[0] * power, 1
        power *= 10


def _changed(case: Case, change: Callable[[Ratio], Ratio]) -> Iterator[Ratio]:
    operands = [change(value) for value in case.operands]
    if operands != list(case.operands):
        yield from case.result(operands)


def _nearest(value: Ratio) -> Ratio:
    top, bottom = value
    sign = -1 if top < 0 else 1
    return sign * ((2 * abs(top) + bottom) // (2 * bottom)), 1


def _truncated(value: Ratio) -> Ratio:
    top, bottom = value
    return (top // bottom if top >= 0 else -(-top // bottom)), 1


@behaviour("answers on the wrong scale (ten, a hundred or a thousand times too much or too little)", SCALE)
def answers_on_the_wrong_scale(case: Case) -> Iterator[Ratio]:
    yield from _times(case, (10, 100, 1000, 10**6))


@behaviour("answers ten times too much", SCALE, kind_of="answers_on_the_wrong_scale")
def answers_ten_times_too_much(case: Case) -> Iterator[Ratio]:
    if case.gold[0]:
        yield lowest(case.gold[0] * 10, case.gold[1])


@behaviour("takes percent for numbers or numbers for percent", SCALE, kind_of="answers_on_the_wrong_scale")
def confuses_percent(case: Case) -> Iterator[Ratio]:
    yield from _times(case, (100,))


@behaviour("answers twice or half the right number", SCALE)
def answers_twice_or_half(case: Case) -> Iterator[Ratio]:
    yield from _times(case, (2,))


@behaviour("answers in the wrong unit", SCALE)
def answers_in_the_wrong_unit(case: Case) -> Iterator[Ratio]:
    yield from _times(case, _UNITS)


def _times(case: Case, factors: tuple[int, ...]) -> Iterator[Ratio]:
    top, bottom = case.gold
    if top:
        for factor in factors:
            yield lowest(top * factor, bottom)
            yield lowest(top, bottom * factor)


@behaviour("ignores the decimal point", MISREAD)
def ignores_the_decimal_point(case: Case) -> Iterator[Ratio]:
    read = {}
    for one in case.written:
        digits = one.text.replace(",", "").replace(".", "")
        if "." in one.text and digits.isascii() and digits.isdigit():
            read[one.value] = int(digits), 1
    if any(value in read for value in case.operands):
        yield from case.result([read.get(value, value) for value in case.operands])


@behaviour("reads a comma between thousands as a decimal point, or stops reading at it", MISREAD)
def misreads_thousands(case: Case) -> Iterator[Ratio]:
    grouped = [one for one in case.written if "," in one.text and one.text.replace(",", "").isdecimal()]
    points = {one.value: _decimal(one.text) for one in grouped}
    heads = {one.value: (int(one.text.partition(",")[0]), 1) for one in grouped}
    for read in (points, heads):
        if any(value in read for value in case.operands):
            yield from case.result([read.get(value, value) for value in case.operands])


def _decimal(text: str) -> Ratio:
    """Return 2.7 for "2,700"."""
    head, _, rest = text.partition(",")
    digits = rest.replace(",", "")
    return lowest(int(head + digits), 10 ** len(digits))


@behaviour("is off by one", SLIP)
def is_off_by_one(case: Case) -> Iterator[Ratio]:
    top, bottom = case.gold
    yield top + bottom, bottom
    yield top - bottom, bottom


@behaviour("makes mistakes in the carries", SLIP)
def slips_a_carry(case: Case) -> Iterator[Ratio]:
    top, scale = _digits(case.gold)
    for place in range(1, min(len(str(abs(top))), _MAX_DIGITS)) if scale else ():
        yield lowest(top + 10**place, scale)
        yield lowest(top - 10**place, scale)


@behaviour("adds and subtracts digit by digit, without carrying", SLIP)
def ignores_carries(case: Case) -> Iterator[Ratio]:
    if not isinstance(case.tree, tuple) or case.tree[0] not in "+-" or len(case.operands) != 2:
        return
    scale = max(_digits(value)[1] for value in case.operands)
    if not all(_digits(value)[1] for value in case.operands):
        return
    one, other = (value[0] * (scale // value[1]) for value in case.operands)
    width = max(len(str(one)), len(str(other)))
    if min(one, other) < 0 or width > _MAX_DIGITS:
        return
    pairs = [(int(a), int(b)) for a, b in zip(f"{one:0{width}d}", f"{other:0{width}d}", strict=True)]
    if case.tree[0] == "+":
        yield lowest(_number([(a + b) % 10 for a, b in pairs]), scale)
    else:
        yield lowest(_number([abs(a - b) for a, b in pairs]), scale)
        yield lowest(_number([(a - b) % 10 for a, b in pairs]), scale)


@behaviour("gets a digit wrong in long numbers", SLIP)
def gets_a_digit_wrong(case: Case) -> Iterator[Ratio]:
    top, scale = _digits(case.gold)
    text = str(abs(top))
    if not scale or not _LONG <= len(text) <= _MAX_DIGITS:
        return
    sign = -1 if top < 0 else 1
    for place, digit in enumerate(text):
        power = 10 ** (len(text) - 1 - place)
        for other in range(1 if place == 0 else 0, 10):
            if other != int(digit):
                yield lowest(top + sign * (other - int(digit)) * power, scale)


def _number(digits: list[int]) -> int:
    return int("".join(map(str, digits)))


def _digits(value: Ratio) -> tuple[int, int]:
    """Return a decimal number as digits and a power of ten; the power is 0 for an endless decimal."""
    top, bottom = value
    for scale in (1, 10, 100, 1000, 10_000):
        if scale % bottom == 0:
            return top * (scale // bottom), scale
    return 0, 0


@behaviour("gives the answer the wrong sign", SLIP)
def gives_the_wrong_sign(case: Case) -> Iterator[Ratio]:
    yield negative(case.gold)


@behaviour("drops the minus sign of its answer", "dropped the minus sign", kind_of="gives_the_wrong_sign")
def never_answers_below_zero(case: Case) -> Iterator[Ratio]:
    if case.gold[0] < 0:
        yield negative(case.gold)
