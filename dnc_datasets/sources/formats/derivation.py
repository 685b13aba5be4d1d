"""TAT-QA's derivations ("(1,196-561)/561", "$ 5 million - (3,471)") as equations that give the answer."""

from __future__ import annotations

import re
from collections.abc import Iterator
from fractions import Fraction
from typing import NamedTuple

from dnc_datasets import expression
from dnc_datasets.errors import ExpressionError
from dnc_datasets.expression import Binary, Expr, Name, Number

_SIGNS = re.compile(r"[$€£¥]|\b(?:RMB|HK|US)\b")
_SCALE = re.compile(r" ?(thousand|million|billion)s?\b")
_SCALES = {"thousand": 10**3, "million": 10**6, "billion": 10**9}
_SCALED = re.compile(r"(?<![\d,.])(\d[\d,.]{0,40}) ?(thousand|million|billion)s?\b")
# A number alone in brackets, which accountants write for a negative one.
_BRACKETED = re.compile(r"(?<![\w)])\(\s*(\d[\d,.]*%?)\s*\)")
_HUNDRED = expression.number(Fraction(100))
# The source rounds to two places; a few answers were rounded to another number of them.
_PLACES = (2, 1, 0, 3, 4)


class Derived(NamedTuple):
    """An equation, how its value is rounded, and whether it then is the stated answer."""

    equation: Expr
    rounding: str
    agrees: bool


def derive(derivation: str, answer: Fraction, scale: str) -> Derived | None:
    """The reading of a derivation that gives the stated answer; the plainest where none does.

    None where it cannot be read at all. A ratio whose scale is "percent" is multiplied by 100.
    """
    first: Derived | None = None
    for equation in _readings(derivation, scale):
        try:
            value = equation.value()
        except ExpressionError:
            continue
        for places in _PLACES:
            rounding = f"places:{places}"
            if expression.round_value(value, rounding) == answer:
                return Derived(equation, rounding, True)
        first = first or Derived(equation, "places:2", False)
    return first


def _readings(derivation: str, scale: str) -> Iterator[Expr]:
    text = " ".join(_SIGNS.sub("", derivation).split())
    spellings = (
        _SCALE.sub("", text),
        _BRACKETED.sub(r"(-\1)", _SCALE.sub("", text)),
        _SCALED.sub(lambda match: f"({match[1]} * {_SCALES[match[2]]})", text),
    )
    for spelling in dict.fromkeys(spellings):
        try:
            equation = expression.parse(spelling.strip()).replace(_plain)
        except ExpressionError:
            continue
        if scale == "percent":
            yield Binary("*", equation, _HUNDRED)
        yield equation
        if scale in _SCALES:
            yield Binary("/", equation, expression.number(Fraction(_SCALES[scale])))


def _plain(leaf: Number | Name) -> Expr:
    """The number without thousands separators and closing zeros."""
    return expression.number(leaf.number) if isinstance(leaf, Number) else leaf
