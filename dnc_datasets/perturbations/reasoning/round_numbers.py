"""Round thresholds for an answer over a table: few digits, near the answer or far from it, and never the answer."""

from __future__ import annotations

from collections.abc import Iterator
from fractions import Fraction
from typing import Final, NamedTuple

_FACTORS: Final = (Fraction(2), Fraction(3), Fraction(1, 2), Fraction(1, 3))
_OFFSETS: Final = (-3, -2, -1, 1, 2, 3)
_SHARE_OF_STEP: Final = Fraction(1, 20)
_MANTISSAS: Final = (5, 2, 1)
# How far off a near threshold is at most: one step and a half, or a fourth of the answer.
_LEAST_REACH, _MOST_REACH = Fraction(3, 2), Fraction(1, 4)
_LEAST_STEP: Final = Fraction(1, 100)
_MOST_DIGITS: Final = 3
# Below these sizes, percentages go by tenths, halves and ones.
_TENTHS_BELOW, _HALVES_BELOW, _ONES_BELOW = 1, 5, 50


class Spans(NamedTuple):
    """The thresholds near an answer and those far from it."""

    near: list[Fraction]
    far: list[Fraction]


def round_spans(
    exact: Fraction,
    stated: Fraction,
    *,
    percent: bool = False,
    integers: bool = False,
    least: Fraction | None = None,
    most: Fraction | None = None,
) -> Spans:
    """Return the round thresholds of an answer that lie between `least` and `most`, both excluded.

    Near thresholds are one to three steps off, of which each is about five percent of the answer; far ones are about
    twice or three times as much, or as little. None is what the answer rounds to. `most` limits only the far ones of
    an amount, and all of a percentage.

    >>> spans = round_spans(Fraction("19650.67"), Fraction("19650.67"))
    >>> [int(value) for value in spans.near], [int(value) for value in spans.far]
    ([18000, 18500, 19000, 20500, 21000], [39000, 58000, 9800, 6600])
    """
    if not stated:
        return Spans([], [])
    step = _step(stated, percent=percent, integers=integers)
    middle = round(stated / step) * step
    reach = max(step * _LEAST_REACH, abs(stated) * _MOST_REACH)
    near = [value for offset in _OFFSETS if abs((value := middle + offset * step) - stated) <= reach]
    far = []
    for factor in _FACTORS:
        value = stated * factor
        size = max(abs(value), min(Fraction(1), abs(stated))) if percent else value
        step = _step(size, percent=percent, integers=integers)
        far.append(round(value / step) * step)
    excluded = set(_roundings(exact)) | set(_roundings(stated))

    def sayable(value: Fraction, limit: Fraction | None) -> bool:
        inside = (least is None or value > least) and (limit is None or value < limit)
        return inside and value * stated > 0 and value not in excluded

    return Spans(
        [value for value in near if sayable(value, most if percent else None)],
        [value for value in dict.fromkeys(far) if sayable(value, most) and value not in near],
    )


def _step(value: Fraction, *, percent: bool, integers: bool) -> Fraction:
    """Return the distance of round numbers about as large as a value: 1, 2 or 5 of a decimal place."""
    size = abs(value)
    if percent and size < _ONES_BELOW:
        return Fraction(1, 10 if size < _TENTHS_BELOW else 2 if size < _HALVES_BELOW else 1)
    wanted = size * _SHARE_OF_STEP
    place = Fraction(1)
    while place > wanted:
        place /= 10
    while place * 10 <= wanted:
        place *= 10
    step = place * next(mantissa for mantissa in _MANTISSAS if place * mantissa <= wanted)
    least = Fraction(1) if percent or integers or value.denominator == 1 else _LEAST_STEP
    return max(step, least)


def _roundings(value: Fraction) -> Iterator[Fraction]:
    """Yield a value, and what it rounds to with one, two and three significant digits, up or to the even side."""
    yield value
    place, size = Fraction(1), abs(value)
    while size and place > size:
        place /= 10
    while place * 10 <= size:
        place *= 10
    for _ in range(_MOST_DIGITS):
        yield round(value / place) * place
        yield (value / place + Fraction(1, 2)) // 1 * place
        place /= 10
