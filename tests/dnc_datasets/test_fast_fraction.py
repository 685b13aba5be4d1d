"""FastFraction gives what Fraction gives, in every operation and with every kind of number."""

from __future__ import annotations

import copy
import operator
from fractions import Fraction
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from dnc_datasets.fast_fraction import FastFraction

OPERATIONS = ("add", "sub", "mul", "truediv", "floordiv", "mod", "eq", "ne", "lt", "le", "gt", "ge")
NUMBERS = st.one_of(st.integers(-200, 200), st.fractions(-50, 50, max_denominator=60), st.floats(-9, 9))


def result(name: str, one: Any, other: Any) -> Any:
    try:
        return getattr(operator, name)(one, other)
    except ZeroDivisionError:
        return "division by zero"


@pytest.mark.parametrize("name", OPERATIONS)
@given(st.fractions(-50, 50, max_denominator=60), NUMBERS)
def test_an_operation_gives_what_a_fraction_gives(name: str, one: Fraction, other: Any) -> None:
    fast = FastFraction.of(one)
    others = [other] if isinstance(other, float) else [other, FastFraction.of(other)]
    for same in others:
        for expected, made in (
            (result(name, one, other), result(name, fast, same)),
            (result(name, other, one), result(name, same, fast)),
        ):
            assert made == expected
            assert hash(made) == hash(expected)
            if isinstance(made, Fraction):
                assert made.as_integer_ratio() == expected.as_integer_ratio()


@given(st.fractions(max_denominator=60))
def test_a_value_is_what_a_fraction_is(value: Fraction) -> None:
    fast = FastFraction.of(value)
    assert (fast, hash(fast), str(fast), bool(fast)) == (value, hash(value), str(value), bool(value))
    assert (abs(fast), -fast, float(fast), round(fast)) == (abs(value), -value, float(value), round(value))
    assert copy.deepcopy(fast) == value
