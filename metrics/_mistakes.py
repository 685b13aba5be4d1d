"""Mistakes: the wrong answers that each kind of mistake on a problem's numbers gives, by exact search."""

from __future__ import annotations

import math
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from fractions import Fraction
from functools import lru_cache
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
_DECIMALS = (100, 1000, 10_000)  # powers of ten of two to four decimals
_OPERATORS = ("+", "-", "*", "/")
_SCALES = tuple(
    pair for factor in (10, 100, 1000, 10**4, 10**5, 10**6, 60, 12) for pair in ((factor, 1), (1, factor))
)
# Words that are confused with one another: fifteen for fifty.
_ALIKE = dict(zip(range(13, 20), range(30, 100, 10), strict=True))
_ALIKE |= {ten: teen for teen, ten in _ALIKE.items()}

Ratio = tuple[int, int]  # in lowest terms; Fractions are several times slower to create, hash and compare
Tree = int | tuple[Any, ...]  # the number of a leaf, or (operator, left, right)


class Explanation(NamedTuple):
    """A mistake that would give the answer: its cause, and a sentence about it on this row."""

    cause: str
    sentence: str


@dataclass(frozen=True)
class Question:
    """A row for the search of mistakes: its numbers, its calculation and its original."""

    gold: Ratio | None  # None for a yes/no question whose original asks for a number
    numbers: tuple[Ratio, ...]
    tree: Tree | None = None
    leaves: tuple[Ratio, ...] = ()
    before: tuple[Ratio, ...] = ()  # each leaf's value before the perturbation, if it has changed
    original: Ratio | None = None  # the answer before the perturbation, if it differs

    @classmethod
    def of(cls, row: Mapping[str, Any]) -> Question | None:
        """Return the question of a dataset row; None if neither its answer nor its original's is a number."""
        gold = number_of(str(row["answer"]))
        source = row.get("source")
        if gold is None and (not source or number_of(str(source["answer"])) is None):
            return None
        numbers = tuple(dict.fromkeys(_numbers(row)))[:_MAX_NUMBERS]
        tree, leaves = calculation(str(row.get("equation") or ""))
        if not source:
            return cls(gold, numbers, tree, leaves)
        _, old = calculation(str(source.get("equation") or ""))
        before = old if len(old) == len(leaves) else ()
        original = number_of(str(source["answer"]))
        return cls(gold, numbers, tree, leaves, before, original if original != gold else None)


_Values = tuple[Ratio, ...]
# Cause, sentence, values for the sentence after the calculation, the calculation, and its leaves.
_Entry = tuple[str, str, _Values, Tree | None, tuple[Ratio, ...]]


class Candidates:
    """The wrong answers that mistakes on a question give, by value."""

    def __init__(self, question: Question) -> None:
        self.question = question
        self._by_value: dict[Ratio, list[_Entry]] = {}
        self._add_all()

    def causes(self, answers: Iterable[Ratio]) -> list[set[str]]:
        """Return the causes of each answer that a mistake gives; other answers are omitted."""
        by_value = self._by_value
        return [{one[0] for one in by_value[answer]} for answer in answers if answer in by_value]

    def explain(self, answer: Ratio) -> list[tuple[Explanation, object]]:
        """Return the explanations of an answer, each with the shape of its calculation."""
        made: list[tuple[Explanation, object]] = []
        for cause, words, values, tree, leaves in self._by_value.get(answer, ()):
            form = None if tree is None else shape(tree, leaves)
            shown = [] if tree is None else [infix(tree, leaves)]
            shown += [written(value) for value in values]
            if cause in (OTHER_OPERATION, SWAPPED) and self.question.tree is not None:
                shown.append(infix(self.question.tree, self.question.leaves))
            made.append((Explanation(cause, words.format(*shown)), form))
        return made

    def _add_all(self) -> None:
        question = self.question
        for number in question.numbers:
            self._add((REPEATED, "repeats {} of the text", (number,), None, ()), number)
        if question.original is not None:
            self._add((ORIGINAL, "is the answer of the unperturbed problem", (), None, ()), question.original)
        if question.gold is None:
            return
        top, bottom = question.gold
        for rounded, words in _rounded(question.gold):
            self._add((ROUNDING, words, (), None, ()), rounded)
        for factor in _SCALES:
            value = lowest(top * factor[0], bottom * factor[1])
            self._add((SCALE, "is {} times the answer", (factor,), None, ()), value)
        if question.tree is None or len(question.leaves) > _MAX_LEAVES:
            return
        for entry in _mistakes(question.tree, question):
            result = evaluate(entry[3], entry[4])
            if result is not None:
                self._add(entry, result)

    def _add(self, entry: _Entry, value: Ratio) -> None:
        gold, by_value = self.question.gold, self._by_value
        if value == gold:
            return
        if value in by_value:
            by_value[value].append(entry)
        else:
            by_value[value] = [entry]
        top, bottom = value
        if bottom == 1:
            return
        # A model writes a fraction with decimals. Those of the right answer are no mistake, and 0 shows none.
        for scale in _DECIMALS:
            rounded = lowest((2 * top * scale + bottom) // (2 * bottom), scale)
            if rounded[0] and rounded != value and not (gold and rounds_to(rounded, gold, scale)):
                by_value.setdefault(rounded, []).append(entry)


def _mistakes(tree: Tree, question: Question) -> Iterator[tuple[str, str, _Values, Tree, tuple[Ratio, ...]]]:
    """Yield every mistake in a calculation, as an entry."""
    leaves = question.leaves
    for cause, words, missing, other in _other_calculations(tree):
        yield cause, words, tuple(leaves[leaf] for leaf in missing), other, leaves
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


@lru_cache(maxsize=1024)
def _other_calculations(tree: Tree) -> tuple[tuple[str, str, tuple[int, ...], Tree], ...]:
    """Return other calculations with the same numbers: cause, sentence, missing leaves, calculation."""
    return (
        *((STEP, "stops at the step {}", (), part) for part in _steps(tree)),
        *((LEFT_OUT, "{} leaves out {}", (leaf,), without) for without, leaf in without_leaf(tree)),
        *((OTHER_OPERATION, "{} instead of {}", (), other) for other in _other_operations(tree)),
        *((SWAPPED, "{} instead of {}", (), other) for other in _swapped(tree)),
    )


def _steps(tree: Tree) -> Iterator[Tree]:
    """Yield the parts of a calculation that are calculations themselves."""
    if isinstance(tree, tuple):
        for child in tree[1:]:
            if isinstance(child, tuple):
                yield child
                yield from _steps(child)


def without_leaf(tree: Tree) -> Iterator[tuple[Tree, int]]:
    """Yield the calculation without one of its numbers, unless the rest is a part of it."""
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
    """Yield the calculation with other operators: all choices for two, one change for more."""
    own = tuple(operators(tree))
    if len(own) <= 2:
        choices: Iterable[tuple[str, ...]] = product(_OPERATORS, repeat=len(own))
    else:
        choices = ((*own[:at], op, *own[at + 1 :]) for at in range(len(own)) for op in _OPERATORS)
    for choice in choices:
        if choice != own:
            yield with_operators(tree, iter(choice))


def operators(tree: Tree) -> Iterator[str]:
    """Yield the operators of a calculation, the outermost first."""
    if isinstance(tree, tuple):
        yield tree[0]
        yield from operators(tree[1])
        yield from operators(tree[2])


def with_operators(tree: Tree, choice: Iterator[str]) -> Tree:
    """Return the calculation with other operators, the outermost first."""
    if not isinstance(tree, tuple):
        return tree
    op = next(choice)
    left = with_operators(tree[1], choice)
    return (op, left, with_operators(tree[2], choice))


def _swapped(tree: Tree) -> Iterator[Tree]:
    """Yield the calculation with the two sides of one subtraction or division swapped."""
    if not isinstance(tree, tuple):
        return
    op, left, right = tree
    if op in "-/":
        yield (op, right, left)
    yield from ((op, other, right) for other in _swapped(left))
    yield from ((op, left, other) for other in _swapped(right))


def misreadings(value: Ratio, before: Ratio | None) -> list[Ratio]:
    """Return misreadings of a number: its old value, a digit less, two digits swapped, no decimal point."""
    top, bottom = value
    ways = [] if before is None else [before]
    text = written((abs(top), bottom))
    if "/" not in text:
        whole, point, decimals = text.partition(".")
        digits = whole + decimals
        ways += [(int(whole), 1), (int(digits), 1)] if point else [(top * 10, 1)]
        if 2 <= len(digits) <= 12:
            scale = 10 ** len(decimals)
            fewer = [int(digits[:at] + digits[at + 1 :]) for at in range(len(digits))]
            exchanged = [
                int(digits[: at - 1] + digits[at] + digits[at - 1] + digits[at + 1 :])
                for at in range(1, len(digits))
            ]
            ways += [lowest(number, scale) for number in fewer + exchanged]
        if bottom == 1 and top in _ALIKE:
            ways.append((_ALIKE[top], 1))
    return [way for way in dict.fromkeys(ways) if way not in (value, (0, 1))]


def _rounded(gold: Ratio) -> Iterator[tuple[Ratio, str]]:
    top, bottom = gold
    if bottom == 1:
        return
    for scale, words in ((1, "whole number"), (10, "number with one decimal")):
        below = top * scale // bottom
        for value in dict.fromkeys((below, -(-top * scale // bottom))):
            yield lowest(value, scale), f"is the answer as a {words}"


def calculation(text: str) -> tuple[Tree | None, tuple[Ratio, ...]]:
    """Return a calculation as a tree over the numbers of its leaves, or None if it has another form."""
    if not text:
        return None, ()
    try:
        parsed = expression.parse(text)
    except ExpressionError:
        return None, ()
    leaves: list[Ratio] = []
    tree = _converted(parsed, leaves)
    return (tree, tuple(leaves)) if isinstance(tree, tuple) else (None, ())


def _converted(node: Expr, leaves: list[Ratio]) -> Tree | None:
    if isinstance(node, Number):
        leaves.append((node.number.numerator, node.number.denominator))
        return len(leaves) - 1
    if isinstance(node, Binary) and node.op in _OPERATORS:
        left = _converted(node.left, leaves)
        right = None if left is None else _converted(node.right, leaves)
        return None if left is None or right is None else (node.op, left, right)
    return None


def evaluate(tree: Tree, leaves: Sequence[Ratio]) -> Ratio | None:
    """Return the value in lowest terms, or None for a division by zero."""
    if isinstance(tree, int):
        return leaves[tree]
    op, left, right = tree
    # Most sides are leaves, which need no call.
    one = leaves[left] if isinstance(left, int) else evaluate(left, leaves)
    other = leaves[right] if isinstance(right, int) else evaluate(right, leaves)
    if one is None or other is None:
        return None
    (a, b), (c, d) = one, other
    if op == "+":
        return (a + c, 1) if b == d == 1 else lowest(a * d + c * b, b * d)
    if op == "-":
        return (a - c, 1) if b == d == 1 else lowest(a * d - c * b, b * d)
    if op == "*":
        return (a * c, 1) if b == d == 1 else lowest(a * c, b * d)
    return None if not c else lowest(a * d, b * c) if c > 0 else lowest(-a * d, -b * c)


def lowest(top: int, bottom: int) -> Ratio:
    """Return a fraction in lowest terms; the denominator must be positive."""
    common = math.gcd(top, bottom)
    return top // common, bottom // common


def written(value: Ratio) -> str:
    """Return a number in its usual spelling."""
    return str(value[0]) if value[1] == 1 else expression.canonical(Fraction(*value))


def rounds_to(rounded: Ratio, gold: Ratio, scale: int) -> bool:
    """Return whether a number differs from the answer by at most half a unit of its last place."""
    (top, bottom), (a, b) = rounded, gold
    return 2 * abs(top * b - a * bottom) * scale <= bottom * b


def shape(tree: Tree, leaves: Sequence[Ratio]) -> object:
    """Return the canonical form of a calculation: operators and their numbers, in any order."""
    if isinstance(tree, int):
        return leaves[tree]
    op, left, right = tree
    sides = (shape(left, leaves), shape(right, leaves))
    return (op, frozenset(sides) if op in "+*" else sides)


def infix(tree: Tree, leaves: Sequence[Ratio]) -> str:
    """Return a calculation in infix notation."""
    return _expr(tree, leaves).infix()


def _expr(tree: Tree, leaves: Sequence[Ratio]) -> Expr:
    if isinstance(tree, int):
        return expression.number(Fraction(*leaves[tree]))
    return Binary(tree[0], _expr(tree[1], leaves), _expr(tree[2], leaves))


def number_of(text: str) -> Ratio | None:
    """Return the number that a text represents, such as an answer; None for other texts."""
    if text.isdigit() and text.isascii():
        return int(text), 1
    try:
        value: Fraction | None = Fraction(text)
    except (ValueError, ZeroDivisionError):
        value = numerals.parse(text)
    return None if value is None else (value.numerator, value.denominator)


def _numbers(row: Mapping[str, Any]) -> Iterator[Ratio]:
    """Yield the numbers of a row in reading order."""
    texts = [row.get("body") or "", *(row.get("segments") or ()), row.get("question") or ""]
    texts += [cell for cells in row.get("table") or () for cell in cells]
    for text in texts:
        for quantity in numerals.find(str(text)[:_MAX_TEXT]):
            yield quantity.ratio
