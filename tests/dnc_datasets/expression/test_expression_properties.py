"""Arithmetic: properties over generated trees and arbitrary text."""

from __future__ import annotations

import operator
import re
from collections.abc import Iterator
from fractions import Fraction
from random import Random

import pytest
from hypothesis import given
from hypothesis import strategies as st

from dnc_datasets import expression
from dnc_datasets.errors import ExpressionError
from dnc_datasets.expression import Binary, Expr, Name, Number, Unary

NUMBERS = st.one_of(
    st.integers(0, 10**6).map(str),
    st.decimals(0, 10**4, places=2).map(str),
    st.integers(1000, 10**9).map("{:,}".format),
).map(Number)
LEAVES = st.one_of(NUMBERS, st.sampled_from([Name("number0"), Name("x"), Name("r2")]))
BINARIES = st.recursive(
    LEAVES, lambda inner: st.builds(Binary, st.sampled_from("+-*/^%"), inner, inner), max_leaves=12
)
TREES = st.recursive(
    LEAVES,
    lambda inner: st.one_of(
        st.builds(Binary, st.sampled_from("+-*/^%"), inner, inner),
        st.builds(Unary, st.sampled_from("-%"), inner),
    ),
    max_leaves=12,
)
VALUES = {"number0": Fraction(7, 2), "x": Fraction(3), "r2": Fraction(-2)}


@given(TREES)
def test_infix_reads_back(tree: Expr) -> None:
    assert expression.parse(tree.infix(), names=True) == tree


@given(BINARIES)
def test_prefix_reads_back(tree: Expr) -> None:
    assert expression.parse_prefix(tree.prefix()) == tree


@given(TREES)
def test_prefix_keeps_the_value(tree: Expr) -> None:
    assert _value_or_error(expression.parse_prefix(tree.prefix())) == _value_or_error(tree)


@given(TREES)
def test_brackets_are_minimal(tree: Expr) -> None:
    text = tree.infix()
    for opened in (found.start() for found in re.finditer(r"\((?!-)", text)):
        closed = _closing(text, opened)
        less = text[:opened] + text[opened + 1 : closed] + text[closed + 1 :]
        assert expression.parse(less, names=True) != tree


@given(TREES)
def test_value_agrees_with_plain_fractions(tree: Expr) -> None:
    try:
        wanted = _plain(tree)
    except (ZeroDivisionError, OverflowError):
        with pytest.raises(ExpressionError):
            tree.value(VALUES)
    else:
        value = tree.value(VALUES)
        assert type(value) is Fraction
        assert value == wanted


@given(TREES, st.randoms(use_true_random=False))
def test_equivalent_ignores_order_and_grouping(tree: Expr, random: Random) -> None:
    other = _shuffled(tree, random)
    assert expression.equivalent(tree, tree)
    assert expression.equivalent(tree, other)
    assert expression.equivalent(other, tree)
    value, again = _value_or_error(tree), _value_or_error(other)
    if value is not None and again is not None:
        assert value == again


@given(TREES, TREES)
def test_equivalent_is_symmetric_and_sound(a: Expr, b: Expr) -> None:
    same = expression.equivalent(a, b)
    assert same == expression.equivalent(b, a)
    if same:
        assert sorted(map(str, _operands(a))) == sorted(map(str, _operands(b)))
        values = _value_or_error(a), _value_or_error(b)
        assert None in values or values[0] == values[1]


SMALL = st.recursive(
    st.sampled_from([Name("a"), Name("b"), Name("c")]),
    lambda inner: st.builds(Binary, st.sampled_from("+-*/"), inner, inner),
    max_leaves=4,
)


@given(SMALL, SMALL)
def test_equivalent_means_equal_values_whatever_the_names_hold(a: Expr, b: Expr) -> None:
    if expression.equivalent(a, b):
        names = {"a": Fraction(7, 3), "b": Fraction(-11, 5), "c": Fraction(13)}
        assert _value_or_error(a, names) == _value_or_error(b, names)


TEXTS = st.one_of(
    st.text(max_size=60), st.text(alphabet="0123456789.,+-*/^%()[]{}=xXr? $−×÷na_", max_size=60)
)


@given(TEXTS, st.booleans())
def test_any_text_is_read_or_refused(text: str, names: bool) -> None:
    for read in (expression.parse, expression.parse_prefix):
        try:
            tree = read(text, names=names)
        except ExpressionError:
            continue
        assert expression.parse(tree.infix(), names=True) == tree
        _value_or_error(tree)


@given(st.fractions(), st.integers(0, 6))
def test_rounding_moves_by_half_a_place_at_most(value: Fraction, places: int) -> None:
    rounded = expression.round_value(value, f"places:{places}")
    assert (rounded * 10**places).denominator == 1
    assert abs(rounded - value) <= Fraction(1, 2 * 10**places)
    assert expression.round_value(-value, f"places:{places}") == -rounded


@given(st.fractions())
def test_canonical_text_holds_the_value(value: Fraction) -> None:
    assert Fraction(expression.canonical(value)) == value


# What the properties are checked against


def _plain(tree: Expr) -> Fraction:
    """The value by Python's own Fraction; OverflowError where we promise a refusal instead."""
    if isinstance(tree, Number):
        return tree.number
    if isinstance(tree, Name):
        return VALUES[tree.name]
    if isinstance(tree, Unary):
        return -_plain(tree.operand) if tree.op == "-" else _plain(tree.operand) / 100
    assert isinstance(tree, Binary)
    left, right = _plain(tree.left), _plain(tree.right)
    if tree.op == "^":
        bits = max(left.numerator.bit_length(), left.denominator.bit_length())
        if right.denominator != 1 or abs(right) > 1000 or (bits > 1 and bits * abs(right) > 4096):
            raise OverflowError
        result: Fraction = left**right.numerator
    else:
        plain = {
            "+": operator.add,
            "-": operator.sub,
            "*": operator.mul,
            "/": operator.truediv,
            "%": operator.mod,
        }
        result = plain[tree.op](left, right)
    if max(abs(result.numerator), result.denominator) >= 1 << 4096:
        raise OverflowError
    return result


def _value_or_error(tree: Expr, names: dict[str, Fraction] = VALUES) -> Fraction | None:
    try:
        return tree.value(names)
    except ExpressionError:
        return None


def _shuffled(tree: Expr, random: Random) -> Expr:
    """An equivalent tree: operands swapped and operations regrouped at random."""
    if isinstance(tree, Unary):
        return Unary(tree.op, _shuffled(tree.operand, random))
    if not isinstance(tree, Binary):
        return tree
    op, a, b = tree.op, _shuffled(tree.left, random), _shuffled(tree.right, random)
    if op in "+*" and random.random() < 0.5:
        a, b = b, a
    if isinstance(b, Binary) and random.random() < 0.5:
        # a - (b - c) -> (a - b) + c, and the like
        regrouped = {
            "++": "++",
            "+-": "+-",
            "-+": "--",
            "--": "-+",
            "**": "**",
            "*/": "*/",
            "/*": "//",
            "//": "/*",
        }
        if op + b.op in regrouped:
            first, second = tuple(regrouped[op + b.op])
            return Binary(second, Binary(first, a, b.left), b.right)
    if op == "-" and random.random() < 0.3:
        return Binary("+", Unary("-", b), a)
    return Binary(op, a, b)


def _operands(tree: Expr) -> Iterator[Fraction | str]:
    """Numbers by value (those of a percentage by the percentage's), names by name."""
    if isinstance(tree, Name):
        yield tree.name
    elif isinstance(tree, Binary):
        yield from _operands(tree.left)
        yield from _operands(tree.right)
    elif isinstance(tree, Unary) and not (tree.op == "%" and isinstance(tree.operand, Number)):
        yield from _operands(tree.operand)
    else:
        yield tree.value()


def _closing(text: str, opened: int) -> int:
    depth = 0
    for at in range(opened, len(text)):
        depth += {"(": 1, ")": -1}.get(text[at], 0)
        if not depth:
            return at
    raise AssertionError(f"unbalanced: {text}")
