"""Arithmetic: the case table, the tree, the bounds, and the equations of the real datasets."""

from __future__ import annotations

import contextlib
import csv
import json
import pickle
import re
from collections.abc import Callable
from fractions import Fraction
from pathlib import Path
from typing import Any

import pytest

from dnc_datasets import expression
from dnc_datasets.errors import ExpressionError
from dnc_datasets.expression import Binary, Expr, Name, Number, Unary
from dnc_datasets.expression import _parse as parsing

CASES: dict[str, list[Any]] = json.loads(Path(__file__).with_name("expression_cases.json").read_text("utf-8"))


def each(kind: str) -> pytest.MarkDecorator:
    return pytest.mark.parametrize("case", CASES[kind], ids=repr)


# The case table


@each("parse")
def test_parse(case: list[str]) -> None:
    text, infix = case
    tree = expression.parse(text)
    assert tree.infix() == infix
    assert expression.parse(infix) == tree


@each("names")
def test_parse_with_names(case: list[str]) -> None:
    text, infix = case
    tree = expression.parse(text, names=True)
    assert tree.infix() == infix
    assert expression.parse(infix, names=True) == tree


@each("value")
def test_value(case: list[str]) -> None:
    text, value = case
    assert expression.canonical(expression.parse(text).value()) == value


@each("equation")
def test_equation(case: list[str | None]) -> None:
    text, infix, stated, remainder = case
    equation = expression.parse_equation(str(text))
    assert equation.expr.infix() == infix
    assert equation.stated == (None if stated is None else Fraction(stated))
    assert equation.remainder == (None if remainder is None else Fraction(remainder))


@each("exact")
def test_exact(case: tuple[str, str, bool]) -> None:
    a, b, same = case
    assert expression.same(a, b) is same
    assert expression.same(b, a) is same
    if same:
        assert expression.equivalent(a, b)


@each("equivalent")
def test_equivalent(case: tuple[str, str, bool]) -> None:
    a, b, same = case
    assert expression.equivalent(a, b) is same
    assert expression.equivalent(b, a) is same


@each("prefix")
def test_prefix(case: list[str]) -> None:
    text, prefix = case
    tree = expression.parse(text, names=True)
    assert tree.prefix() == prefix
    again = expression.parse_prefix(prefix)
    names = {"number0": Fraction(7)}
    assert again.value(names) == tree.value(names)


@each("parse_prefix")
def test_parse_prefix(case: list[str]) -> None:
    text, infix = case
    assert expression.parse_prefix(text).infix() == infix


@each("error")
def test_parse_refuses(case: list[str]) -> None:
    text, part = case
    with pytest.raises(ExpressionError, match=re.escape(part)):
        expression.parse(text)


@each("prefix_error")
def test_parse_prefix_refuses(case: list[str]) -> None:
    text, part = case
    with pytest.raises(ExpressionError, match=re.escape(part)):
        expression.parse_prefix(text)


@each("value_error")
def test_value_refuses(case: list[str]) -> None:
    text, part = case
    tree = expression.parse(text)
    with pytest.raises(ExpressionError, match=re.escape(part)):
        tree.value()


@each("canonical")
def test_canonical(case: list[str]) -> None:
    value, text = case
    assert expression.canonical(Fraction(value)) == text


@each("round")
def test_round_value(case: list[str]) -> None:
    value, rounding, rounded = case
    assert expression.round_value(Fraction(value), rounding) == Fraction(rounded)


@each("round_error")
def test_round_value_refuses(case: str) -> None:
    with pytest.raises(ExpressionError, match="'places:N'"):
        expression.round_value(Fraction(1, 3), case)


# The tree


def test_numbers_keep_their_spelling_and_compare_by_value() -> None:
    tree = expression.parse("2.40 * 1,050")
    assert [leaf.infix() for leaf in tree.leaves()] == ["2.40", "1,050"]
    assert tree == expression.parse("2.4*1050")
    assert hash(tree) == hash(expression.parse("2.4*1050"))
    assert len({tree, expression.parse("2.4*1050"), expression.parse("1050*2.4")}) == 2


def test_leaves_of_different_kinds_differ() -> None:
    assert Number("3") != Name("a")
    assert Unary("-", Number("3")) != Unary("%", Number("3"))
    assert Number("3") != Fraction(3)


def test_replace_changes_leaves_from_left_to_right() -> None:
    seen: list[str] = []

    def change(leaf: Number | Name) -> Expr:
        seen.append(leaf.infix())
        return expression.number(leaf.value() + 1000)

    tree = expression.parse("(7 - 2.5%) * -(3 + 4)")
    assert tree.replace(change).infix() == "(1007 - 1002.5%) * (-(1003 + 1004))"
    assert seen == ["7", "2.5", "3", "4"]
    assert tree.operators == ("*", "-", "%", "-", "+")


def test_names_are_looked_up() -> None:
    tree = expression.parse("number0 / number1", names=True)
    assert tree.value({"number0": Fraction(1, 2), "number1": Fraction(4)}) == Fraction(1, 8)
    with pytest.raises(ExpressionError, match=r"no exact value for the name 'number1'.*number0"):
        tree.value({"number0": Fraction(1)})
    with pytest.raises(ExpressionError, match="names with a value: none"):
        tree.value()
    with pytest.raises(ExpressionError, match="number0"):
        tree.value({"number0": 0.5, "number1": Fraction(1)})  # type: ignore[dict-item]


@pytest.mark.parametrize(
    ("value", "infix"), [("7", "7"), ("-1/2", "-0.5"), ("22/7", "22 / 7"), ("-22/7", "-(22 / 7)"), ("0", "0")]
)
def test_number_spells_any_rational(value: str, infix: str) -> None:
    tree = expression.number(Fraction(value))
    assert tree.infix() == infix
    assert tree.value() == Fraction(value)
    assert expression.parse(infix) == tree


@pytest.mark.parametrize(
    "make",
    [
        lambda: Number("-3"),
        lambda: Number("22/7"),
        lambda: Number("٣"),
        lambda: Number(""),
        lambda: Name("a b"),
        lambda: Name(""),
        lambda: Binary("**", expression.parse("2"), expression.parse("3")),
        lambda: Unary("+", expression.parse("2")),
    ],
)
def test_nothing_malformed_can_be_made(make: Callable[[], object]) -> None:
    with pytest.raises(ExpressionError):
        make()


@pytest.mark.parametrize("make", [lambda: expression.parse(None), lambda: expression.parse_prefix(7)])  # type: ignore[arg-type]
def test_what_is_no_text_is_refused(make: Callable[[], object]) -> None:
    with pytest.raises(ExpressionError, match=r"None|int|7"):
        make()


def test_numbers_longer_than_any_text_can_be_made() -> None:
    value = Fraction(10**200 + 1)
    assert expression.number(value).value() == value


def test_trees_survive_pickling() -> None:
    tree = expression.parse("(number0 - 2.40) * 5%", names=True)
    again = pickle.loads(pickle.dumps(tree))  # noqa: S301
    assert again == tree
    assert again.infix() == tree.infix()


# Bounds


@pytest.mark.parametrize(
    "text",
    [
        "1" * 1_000_000,
        "(" * 1_000_000,
        "1+" * 1_000 + "1",
        "(" * 2_000,
        "-" * 1_999 + "1",
        "9" * 101 + "+1",
        "1" + "%" * 1_999,
    ],
    ids=[
        "megabyte of digits",
        "megabyte of brackets",
        "long sum",
        "brackets",
        "minuses",
        "digits",
        "percents",
    ],
)
def test_oversized_text_is_refused(text: str) -> None:
    with pytest.raises(ExpressionError):
        expression.parse(text)


@pytest.mark.parametrize("filler", [" ", "$", "$ ", "1 ", "x ", ",", "1,", ". ", "r ", "= ", "=1 "])
def test_no_filler_makes_reading_slow_or_crash(filler: str) -> None:
    for text in ("1" + filler * 900, "1=" + filler * 900, filler * 900 + "1", "x" + filler * 900 + "=1"):
        with contextlib.suppress(ExpressionError):
            expression.parse(text, names=True)


def test_deepest_tree_works_everywhere() -> None:
    tree: Expr = expression.parse("1")
    op = 0
    while tree.depth < 128:
        tree = Binary("+*-/^%"[op % 6], tree, expression.parse("1")) if op % 7 else Unary("-", tree)
        op += 1
    assert expression.parse(tree.infix()) == tree
    assert hash(expression.parse(tree.infix())) == hash(tree)
    assert expression.equivalent(tree, tree)
    assert tree.replace(lambda leaf: leaf) == tree
    assert len(tree.operators) == 128
    for grow in (lambda: Binary("+", expression.parse("1"), tree), lambda: Unary("-", tree)):
        with pytest.raises(ExpressionError, match="128 levels"):
            grow()


def test_a_name_cannot_smuggle_a_huge_value() -> None:
    huge = Fraction(10**5000)
    with pytest.raises(ExpressionError, match="too large"):
        expression.parse("a * 1", names=True).value({"a": huge})
    with pytest.raises(ExpressionError, match="bits"):
        expression.canonical(huge)


def test_long_decimals_are_written_as_fractions() -> None:
    assert expression.canonical(Fraction(1, 10**30)) == "0." + "0" * 29 + "1"
    assert expression.canonical(Fraction(1, 10**31)) == f"1/{10**31}"


def test_cached_and_uncached_parsing_agree() -> None:
    assert parsing._parse("(12.46/2)*6=37.38", False) == expression.parse_equation("(12.46/2)*6=37.38")
    assert expression.parse("1+2") is expression.parse("1+2")
    with pytest.raises(ExpressionError):
        expression.parse("a+2")
    assert expression.parse("a+2", names=True).infix() == "a + 2"
    with pytest.raises(ExpressionError):
        expression.parse("a+2")


# Real equations


def test_every_asdiv_formula_gives_its_answer(mirror: Path) -> None:
    wrong, rows = [], 0
    for path in sorted(mirror.glob("LYH-YF/MWPToolkit/*/dataset/asdiv-a/*.json")):
        for row in json.loads(path.read_text("utf-8")):
            rows += 1
            kind = row["Solution-Type"]
            kind = kind if isinstance(kind, str) else kind["#text"]
            rounding = {"Floor-Division": "floor", "Ceil-Division": "ceil"}.get(kind, "")
            value = expression.round_value(expression.parse(row["Formula"]).value(), rounding)
            if value != Fraction(row["Answer"].split()[0].replace(",", "")):
                wrong.append(row["@ID"])
    assert rows == 1218
    assert wrong == ["nluds-0575"]  # 10/3=3.333, where the source rounds to three places


def test_every_asdiv_remainder_is_true(mirror: Path) -> None:
    found = 0
    for path in mirror.glob("LYH-YF/MWPToolkit/*/dataset/asdiv-a/*.json"):
        for row in json.loads(path.read_text("utf-8")):
            expr, stated, remainder = expression.parse_equation(row["Formula"])
            if remainder is not None:
                found += 1
                assert isinstance(expr, Binary)
                assert stated is not None
                assert expr.left.value() == stated * expr.right.value() + remainder, row["@ID"]
    assert found == 28


def test_every_svamp_equation_gives_its_answer(mirror: Path) -> None:
    (path,) = mirror.glob("arkilpatel/SVAMP/*/SVAMP.json")
    rows = json.loads(path.read_text("utf-8"))
    wrong = [
        row["ID"] for row in rows if expression.parse(row["Equation"]).value() != Fraction(str(row["Answer"]))
    ]
    assert len(rows) == 1000
    assert wrong == ["chal-680"]  # (4-2)+3, answered 1


def test_prefix_and_infix_of_svamp_agree(mirror: Path) -> None:
    (path,) = mirror.glob("arkilpatel/SVAMP/*/data/mawps-asdiv-a_svamp/dev.csv")
    with path.open(encoding="utf-8", newline="") as file:
        rows = list(csv.DictReader(file))
    for row in rows:
        names = {f"number{i}": Fraction(text) for i, text in enumerate(row["Numbers"].split())}
        tree = expression.parse_prefix(row["Equation"])
        assert tree.prefix() == row["Equation"]
        filled = tree.replace(lambda leaf, names=names: expression.number(leaf.value(names)))  # type: ignore[misc]
        assert filled.value() == tree.value(names) == Fraction(row["Answer"])
    assert len(rows) == 1000
