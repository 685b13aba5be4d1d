"""Mistakes: every wrong answer that a kind of mistake on a problem's numbers leads to, by exact search."""

from __future__ import annotations

import math
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from fractions import Fraction
from itertools import product
from typing import Any, NamedTuple

from dnc_datasets import expression, numerals
from dnc_datasets.errors import ExpressionError
from dnc_datasets.expression import Binary, Expr, Number

DISTRACTOR = "used a distractor"
LEFT_OUT = "left an operand out"
OTHER_OPERATION = "another operation"
SWAPPED = "operands swapped"
MISREAD = "misread a number"
SLIP = "arithmetic slip"
REPEATED = "repeated a number of the text"
STEP = "stopped at a step"
ORIGINAL = "the original's answer"
ROUNDING = "rounding"
SCALE = "unit or scale"

# Bounds of the search: longer texts and equations are searched in part.
_MAX_NUMBERS = 60
_MAX_DISTRACTORS = 12
_MAX_LEAVES = 8
_MAX_TEXT = 20_000
_DECIMALS = (100, 1000, 10_000)  # a unit is this many of the last decimal that a model writes
_OPERATORS = ("+", "-", "*", "/")
_SCALES = tuple(
    pair for factor in (10, 100, 1000, 10**4, 10**5, 10**6, 60, 12) for pair in ((factor, 1), (1, factor))
)
# Words that are taken for one another: fifteen for fifty.
_ALIKE = dict(zip(range(13, 20), range(30, 100, 10), strict=True))
_ALIKE |= {ten: teen for teen, ten in _ALIKE.items()}

Ratio = tuple[int, int]
Tree = int | tuple[Any, ...]  # the number of a leaf, or (operator, left, right)


class Explanation(NamedTuple):
    """One mistake that would give the answer: its cause, and what it looks like on this row."""

    cause: str
    sentence: str


@dataclass(frozen=True)
class Question:
    """What the search needs of a row: its numbers, its calculation, and what the row was made from."""

    gold: Fraction
    numbers: tuple[Fraction, ...]
    tree: Tree | None = None
    leaves: tuple[Fraction, ...] = ()
    before: tuple[Fraction | None, ...] = ()  # each leaf's value before the perturbation, where it moved
    original: Fraction | None = None  # the answer before the perturbation, where it is another

    @classmethod
    def of(cls, row: Mapping[str, Any]) -> Question | None:
        """The question of a dataset row; None where its answer is no number."""
        gold = _value(str(row["answer"]))
        if gold is None:
            return None
        numbers = tuple(dict.fromkeys(_numbers(row)))[:_MAX_NUMBERS]
        tree, leaves = calculation(str(row.get("equation") or ""))
        source = row.get("source")
        if not source:
            return cls(gold, numbers, tree, leaves)
        _, old = calculation(str(source.get("equation") or ""))
        before = tuple(old) if len(old) == len(leaves) else ()
        original = _value(str(source["answer"]))
        return cls(gold, numbers, tree, leaves, before, original if original != gold else None)


_Values = tuple[str | Fraction, ...]
_Entry = tuple[str, str, _Values, Tree | None, tuple[Fraction, ...]]


class Candidates:
    """Every wrong answer that a mistake on this question gives, by value."""

    def __init__(self, question: Question) -> None:
        self.question = question
        self._by_value: dict[Ratio, list[_Entry]] = {}
        self._known: dict[Ratio, frozenset[str]] = {}
        self._gold = ratio(question.gold)
        self._add_all()

    def causes(self, key: Ratio) -> frozenset[str]:
        """The causes that would give the answer of this ratio."""
        known = self._known.get(key)
        if known is None:
            found = self._by_value.get(key)
            known = self._known[key] = frozenset(one[0] for one in found) if found else frozenset()
        return known

    def explain(self, answer: Fraction) -> list[tuple[Explanation, object]]:
        """The explanations of an answer, each with the shape of its calculation."""
        made: list[tuple[Explanation, object]] = []
        for cause, words, values, tree, leaves in self._by_value.get(ratio(answer), ()):
            form = None if tree is None else shape(tree, leaves)
            shown = [] if tree is None else [infix(tree, leaves)]
            shown += [value if isinstance(value, str) else expression.canonical(value) for value in values]
            made.append((Explanation(cause, words.format(*shown)), form))
        return made

    def _add_all(self) -> None:
        question = self.question
        for number in question.numbers:
            self._add(REPEATED, ratio(number), "repeats {} of the text", (number,))
        if question.original is not None:
            self._add(ORIGINAL, ratio(question.original), "is the answer of the unperturbed problem")
        for rounded, words in _rounded(question.gold):
            self._add(ROUNDING, ratio(rounded), words)
        for factor in _SCALES:
            top, bottom = factor
            value = _lowest(question.gold.numerator * top, question.gold.denominator * bottom)
            self._add(SCALE, value, "is {} times the answer", (Fraction(top, bottom),))
        if question.tree is None or len(question.leaves) > _MAX_LEAVES:
            return
        for cause, words, values, tree, leaves in _mistakes(question):
            result = evaluate(tree, leaves)
            if result is not None:
                self._add(cause, result, words, values, tree, leaves)

    def _add(
        self,
        cause: str,
        value: Ratio,
        words: str,
        values: _Values = (),
        tree: Tree | None = None,
        leaves: tuple[Fraction, ...] = (),
    ) -> None:
        if value == self._gold:
            return
        entry = (cause, words, values, tree, leaves)
        self._by_value.setdefault(value, []).append(entry)
        top, bottom = value
        if bottom == 1:
            return
        # A model writes a fraction with some decimals; those of a right answer are no mistake.
        for scale in _DECIMALS:
            rounded = _lowest((2 * top * scale + bottom) // (2 * bottom), scale)
            if rounded != value and not _is_gold(rounded, self._gold, scale):
                self._by_value.setdefault(rounded, []).append(entry)


def _mistakes(question: Question) -> Iterator[tuple[str, str, _Values, Tree, tuple[Fraction, ...]]]:
    """Cause, sentence, what fills it behind the calculation, the calculation, and its leaves."""
    tree, leaves = question.tree, question.leaves
    assert tree is not None
    right = (infix(tree, leaves),)
    yield from ((STEP, "stops at the step {}", (), part, leaves) for part in _steps(tree))
    for without, leaf in _without_leaf(tree):
        yield LEFT_OUT, "{} leaves out {}", (leaves[leaf],), without, leaves
    for other in _other_operations(tree):
        yield OTHER_OPERATION, "{} instead of {}", right, other, leaves
    for other in _swapped(tree):
        yield SWAPPED, "{} instead of {}", right, other, leaves
    for at, value in enumerate(leaves):
        before = question.before[at] if question.before else None
        for wrong in misreadings(value, before):
            misread = (*leaves[:at], wrong, *leaves[at + 1 :])
            yield MISREAD, "{} reads {} for {}", (wrong, value), tree, misread
    operands = set(leaves)
    distractors = [value for value in question.numbers if value not in operands][:_MAX_DISTRACTORS]
    for wrong in distractors:
        words = "{} uses {}, which does not count"
        for at in range(len(leaves)):
            yield DISTRACTOR, words, (wrong,), tree, (*leaves[:at], wrong, *leaves[at + 1 :])
        for op in "+-*":
            yield DISTRACTOR, words, (wrong,), (op, tree, len(leaves)), (*leaves, wrong)


def _steps(tree: Tree) -> Iterator[Tree]:
    """The parts of a calculation that are calculations themselves."""
    if isinstance(tree, tuple):
        for child in tree[1:]:
            if isinstance(child, tuple):
                yield child
                yield from _steps(child)


def _without_leaf(tree: Tree) -> Iterator[tuple[Tree, int]]:
    """The calculation without one of its numbers, where what is left is no part of it."""
    parts = {tree, *_steps(tree)}
    yield from (
        (other, leaf) for other, leaf in _dropped(tree) if isinstance(other, tuple) and other not in parts
    )


def _dropped(tree: Tree) -> Iterator[tuple[Tree, int]]:
    if not isinstance(tree, tuple):
        return
    op, left, right = tree
    if isinstance(left, int):
        yield right, left
    if isinstance(right, int):
        yield left, right
    yield from (((op, other, right), leaf) for other, leaf in _dropped(left))
    yield from (((op, left, other), leaf) for other, leaf in _dropped(right))


def _other_operations(tree: Tree) -> Iterator[Tree]:
    """The same numbers in the same order under other operators: all ways of two, one change of more."""
    own = tuple(operators(tree))
    if len(own) <= 2:
        choices: Iterable[tuple[str, ...]] = product(_OPERATORS, repeat=len(own))
    else:
        choices = ((*own[:at], op, *own[at + 1 :]) for at in range(len(own)) for op in _OPERATORS)
    for choice in choices:
        if choice != own:
            yield _with_operators(tree, iter(choice))


def operators(tree: Tree) -> Iterator[str]:
    """The operators of a calculation, the outermost first."""
    if isinstance(tree, tuple):
        yield tree[0]
        yield from operators(tree[1])
        yield from operators(tree[2])


def _with_operators(tree: Tree, choice: Iterator[str]) -> Tree:
    if not isinstance(tree, tuple):
        return tree
    op = next(choice)
    left = _with_operators(tree[1], choice)
    return (op, left, _with_operators(tree[2], choice))


def _swapped(tree: Tree) -> Iterator[Tree]:
    """The calculation with the two sides of one minus or division exchanged."""
    if not isinstance(tree, tuple):
        return
    op, left, right = tree
    if op in "-/":
        yield (op, right, left)
    yield from ((op, other, right) for other in _swapped(left))
    yield from ((op, left, other) for other in _swapped(right))


def misreadings(value: Fraction, before: Fraction | None) -> Iterator[Fraction]:
    """What a number may be read as: its old value, a digit less, two digits exchanged, no decimal point."""
    seen = {value, Fraction(0)}
    text = expression.canonical(abs(value))
    ways = [] if before is None else [before]
    if "/" not in text:
        whole, point, decimals = text.partition(".")
        digits = whole + decimals
        ways += [Fraction(int(whole or "0")), Fraction(int(digits))] if point else [value * 10]
        if 2 <= len(digits) <= 12:
            scale = 10 ** len(decimals)
            for at in range(len(digits)):
                ways.append(Fraction(int(digits[:at] + digits[at + 1 :]), scale))
                if at:
                    exchanged = digits[: at - 1] + digits[at] + digits[at - 1] + digits[at + 1 :]
                    ways.append(Fraction(int(exchanged), scale))
        if value.denominator == 1 and value.numerator in _ALIKE:
            ways.append(Fraction(_ALIKE[value.numerator]))
    for way in ways:
        if way not in seen:
            seen.add(way)
            yield way


def _rounded(gold: Fraction) -> Iterator[tuple[Fraction, str]]:
    if gold.denominator == 1:
        return
    for places in (0, 1):
        scale = 10**places
        for value in {math.floor(gold * scale), math.ceil(gold * scale)}:
            words = "whole number" if not places else "number with one decimal"
            yield Fraction(value, scale), f"is the answer as a {words}"


def calculation(text: str) -> tuple[Tree | None, tuple[Fraction, ...]]:
    """A calculation as a tree over the numbers of its leaves; None where it has another form."""
    if not text:
        return None, ()
    try:
        parsed = expression.parse(text)
    except ExpressionError:
        return None, ()
    leaves: list[Fraction] = []
    tree = _converted(parsed, leaves)
    return (tree, tuple(leaves)) if isinstance(tree, tuple) else (None, ())


def _converted(node: Expr, leaves: list[Fraction]) -> Tree | None:
    if isinstance(node, Number):
        leaves.append(node.number)
        return len(leaves) - 1
    if isinstance(node, Binary) and node.op in _OPERATORS:
        left = _converted(node.left, leaves)
        right = None if left is None else _converted(node.right, leaves)
        return None if left is None or right is None else (node.op, left, right)
    return None


def evaluate(tree: Tree, leaves: Sequence[Fraction]) -> Ratio | None:
    """The value in lowest terms; None for a division by zero."""
    if isinstance(tree, int):
        leaf = leaves[tree]
        return leaf.numerator, leaf.denominator
    op, left, right = tree
    one, other = evaluate(left, leaves), evaluate(right, leaves)
    if one is None or other is None:
        return None
    (a, b), (c, d) = one, other
    if op == "+":
        return (a + c, 1) if b == d == 1 else _lowest(a * d + c * b, b * d)
    if op == "-":
        return (a - c, 1) if b == d == 1 else _lowest(a * d - c * b, b * d)
    if op == "*":
        return (a * c, 1) if b == d == 1 else _lowest(a * c, b * d)
    return None if not c else _lowest(a * d, b * c) if c > 0 else _lowest(-a * d, -b * c)


def _lowest(top: int, bottom: int) -> Ratio:
    common = math.gcd(top, bottom)
    return top // common, bottom // common


def ratio(value: Fraction) -> Ratio:
    return value.numerator, value.denominator


def _is_gold(rounded: Ratio, gold: Ratio, scale: int) -> bool:
    """Does it differ from the answer by half a unit of its last place at most?"""
    (top, bottom), (a, b) = rounded, gold
    return 2 * abs(top * b - a * bottom) * scale <= bottom * b


def shape(tree: Tree, leaves: Sequence[Fraction]) -> object:
    """What two spellings of one calculation share: operators and the numbers under them, in any order."""
    if isinstance(tree, int):
        return ratio(leaves[tree])
    op, left, right = tree
    sides = (shape(left, leaves), shape(right, leaves))
    return (op, frozenset(sides) if op in "+*" else sides)


def infix(tree: Tree, leaves: Sequence[Fraction]) -> str:
    """The calculation as people write it."""
    return _expr(tree, leaves).infix()


def _expr(tree: Tree, leaves: Sequence[Fraction]) -> Expr:
    if isinstance(tree, int):
        return expression.number(leaves[tree])
    return Binary(tree[0], _expr(tree[1], leaves), _expr(tree[2], leaves))


def _value(text: str) -> Fraction | None:
    try:
        return Fraction(text)
    except (ValueError, ZeroDivisionError):
        return numerals.parse(text)


def _numbers(row: Mapping[str, Any]) -> Iterator[Fraction]:
    """The numbers of a row in the order in which a reader meets them."""
    texts = [row.get("body") or "", *(row.get("segments") or ()), row.get("question") or ""]
    texts += [cell for cells in row.get("table") or () for cell in cells]
    for text in texts:
        for quantity in numerals.find(str(text)[:_MAX_TEXT]):
            yield quantity.value
