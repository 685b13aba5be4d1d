"""Operands of an equation: their places in a text, and the problem with changed operands."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from fractions import Fraction
from typing import NamedTuple

from dnc_datasets import expression, numerals
from dnc_datasets import steps as solution
from dnc_datasets.errors import ExpressionError
from dnc_datasets.expression import Binary, Expr, Name, Number, Unary
from dnc_datasets.memoization import once_per_pair
from dnc_datasets.numerals import Quantity, Ratio
from dnc_datasets.perturbations.numbers.amounts import AMOUNTS, JOINED_ON, is_name, is_prose
from dnc_datasets.problem import Problem

Place = tuple[str, int, int, Quantity]  # field, start, index of the value, and the number


class Operands(NamedTuple):
    """The movable operands of an equation. Each occurs once in the text, as a number in digits."""

    equation: Expr
    ratios: list[Ratio]  # each once, in the order of the equation
    places: list[Place]  # from last to first, so that a change does not move the next place
    others: set[Ratio]  # the other numbers of text and equation

    @property
    def values(self) -> list[Fraction]:
        """The operands as Fractions."""
        return [Fraction(*ratio) for ratio in self.ratios]


def operands(problem: Problem, scope: Sequence[str]) -> Operands | None:
    """Return the operands that change together; None unless every operand in digits qualifies and one exists.

    An operand in digits qualifies if it is an integer in the scope and occurs once in body and question
    (suitability, visibility, unambiguity). An operand that the text states only in words ("six", "twice", "a
    week") is not changed. Problems with a rounded answer do not qualify, because the rounding of the changed
    problem is not known.
    """
    found = movable(problem, scope)
    if found is None:
        return None
    for _, parts in found.ratios:
        if parts > 1:
            return None
    leaves = found.equation.leaves()
    if len(found.ratios) == len(leaves):
        return found
    left = {leaf.ratio for leaf in leaves if isinstance(leaf, Number)}.difference(found.ratios)
    texts = (problem.body, problem.question) if left else ()
    if any(one.in_digits and one.ratio in left for text in texts for one in numerals.find(text)):
        return None
    return found


# Several perturbations change the operands of the same problem.
@once_per_pair
def movable(problem: Problem, scope: Sequence[str]) -> Operands | None:
    """Return the operands in digits that occur at exactly one place, or None if there are none.

    All other operands keep their values. So does an operand that a word may also imply, unless every operand
    is in digits: the 2 of "half of 2 pies" may be either. So does the 3 of "1/3 of the 3 pies".
    """
    if not problem.equation or problem.note("rounding") or problem.note("defect"):
        return None
    try:
        equation = expression.parse(problem.equation)
    except ExpressionError:
        return None
    body, question, prose = problem.body, problem.question, is_prose(problem)
    leaves = equation.leaves()
    if len(leaves) < 2:
        return None  # a number of the text that equals the answer is no calculation
    used: dict[Ratio, None] = {}
    for leaf in leaves:
        if not isinstance(leaf, Number):
            return None
        used[leaf.ratio] = None
    # Only an equation with a repeated number can have a repeated calculation, factor or divisor.
    repeats = len(used) < len(leaves)
    if repeats and _adds_again(equation):
        return None
    places: dict[Ratio, tuple[str, Quantity] | None] = {}  # of each operand; None where it may not move
    again = False
    others: set[Ratio] = set()
    parts: set[int] = set()  # of the fractions that the text states: the 3 of "3/4"
    for name, text in (("body", body), ("question", question)):
        fits = name in scope
        for quantity in numerals.find(text):
            ratio = quantity[1]
            if ratio[1] > 1:
                parts.update(ratio)
            if ratio not in used:
                others.add(ratio)
            elif ratio in places:
                places[ratio] = None
                again = True
            elif not (fits and _stands_alone(text, quantity, name, prose)) or (
                (quantity[4] == "percent" or ratio == _TWO) and _is_fixed(quantity, equation, body, question)
            ):
                places[ratio] = None
            else:
                places[ratio] = name, quantity
    # Implied numbers matter only if some operand is not in digits.
    meant: frozenset[Fraction] = frozenset()
    if repeats or again or len(places) < len(used):
        meant = numerals.implied(f"{body} {question}".strip()) | {Fraction(1)}
    twice = _factors_twice(equation) | _divides_again(leaves, equation) if repeats else ()
    ratios: list[Ratio] = []
    spots: list[Place] = []
    for ratio in used:
        place = places.get(ratio)
        if parts or meant:
            stays = (ratio[1] == 1 and ratio[0] in parts) or Fraction(*ratio) in meant
            if not stays and ratio not in places:
                return None  # it is not in the text, and its value for the changed text is unknown
            if stays:
                place = None
        if place is None or ratio in twice:
            others.add(ratio)
        else:
            name, quantity = place
            spots.append((name, quantity[2], len(ratios), quantity))
            ratios.append(ratio)
    if not ratios:
        return None
    spots.sort(reverse=True)
    return Operands(equation, ratios, spots, others)


def _is_fixed(quantity: Quantity, equation: Expr, body: str, question: str) -> bool:
    """Return whether a change of a percentage or a two would require another change.

    A tenth is 10% and divides by 10, but 15% does not divide by 15. "Both" repeats that there are two.
    """
    if quantity.kind == "percent" and quantity.ratio in {divisor.ratio for divisor in _divisors(equation)}:
        return True
    return quantity.ratio == _TWO and (_BOTH.search(body) or _BOTH.search(question)) is not None


def _adds_again(equation: Expr) -> bool:
    """Return whether a sum contains the same calculation twice, so that an unstated count is an operand."""
    if not isinstance(equation, Binary):
        return isinstance(equation, Unary) and _adds_again(equation.operand)
    if _adds_again(equation.left) or _adds_again(equation.right):
        return True
    if equation.op != "+" or not isinstance(equation.right, Binary):
        return False
    before = equation.left
    while isinstance(before, Binary) and before.op == "+" and before.right != equation.right:
        before = before.left
    return equation.right in (before, getattr(before, "right", None))


def _factors_twice(equation: Expr) -> set[Ratio]:
    """Return the numbers that occur twice in one product: "4 weeks of 4 ways a day".

    The text may state only one of them.
    """
    found: set[Ratio] = set()
    _factors(equation, found)
    return found


_MOST_PEOPLE = 4
_TWO = (2, 1)
_BOTH = re.compile(r"\bboth\b", re.IGNORECASE)


def _divides_again(leaves: Sequence[Number | Name], equation: Expr) -> set[Ratio]:
    """Return the small divisors that also have another use.

    Example: "2 packs" split by Amy and Ben, who are also two.
    """
    divisors = {divisor.ratio for divisor in _divisors(equation) if divisor.number <= _MOST_PEOPLE}
    used = [leaf.ratio for leaf in leaves if isinstance(leaf, Number)]
    return {ratio for ratio in divisors if used.count(ratio) > 1}


def _divisors(equation: Expr) -> Iterator[Number]:
    """Yield the numbers that the equation divides by."""
    for part in _parts(equation):
        if part.op == "/" and isinstance(part.right, Number):
            yield part.right


def _parts(equation: Expr) -> Iterator[Binary]:
    """Yield the equation and every calculation inside it."""
    if isinstance(equation, Unary):
        yield from _parts(equation.operand)
    elif isinstance(equation, Binary):
        yield equation
        yield from _parts(equation.left)
        yield from _parts(equation.right)


def _factors(equation: Expr, twice: set[Ratio]) -> list[Ratio]:
    """Return the numbers of a product, and add those that occur twice in a product to `twice`."""
    if isinstance(equation, Number):
        return [equation.ratio]
    if not isinstance(equation, Binary):
        return _factors(equation.operand, twice) if isinstance(equation, Unary) else []
    left, right = _factors(equation.left, twice), _factors(equation.right, twice)
    if equation.op not in "*/":
        return []
    twice.update(set(left) & set(right))
    return left + right


def _stands_alone(text: str, quantity: Quantity, name: str, prose: bool) -> bool:
    """Return whether the number is a separate count or measure in digits."""
    surface, _, start, end, kind, _ = quantity
    if kind not in AMOUNTS or not surface[-1].isdigit():
        return False
    if text[end : end + 1] in JOINED_ON or text[start - 1 : start] in JOINED_ON:
        return False
    return not (prose and is_name(text, name, surface, start, end))


def moved(equation: Expr, moves: Mapping[Fraction, Fraction]) -> Expr:
    """Return the equation with new values for its operands."""

    def leaf(old: Number | Name) -> Expr:
        return expression.number(moves.get(old.number, old.number)) if isinstance(old, Number) else old

    return equation.replace(leaf)


def with_operands(
    problem: Problem, old: Operands, new: Sequence[Ratio], *, grouped: bool = False
) -> Problem | None:
    """Return the problem with new operands in text, equation and steps, and the recomputed answer.

    `old` comes from `operands`, and `new` has one value for each operand. Return None if the changed equation
    has no value, or if a new number equals another number of the text, so that the equation would be
    ambiguous. `grouped` writes thousands with a comma.
    """
    if len(set(new)) < len(new) or not old.others.isdisjoint(new):
        return None
    made = [expression.spelled(ratio) for ratio in new]
    leaves = dict(zip(old.ratios, made, strict=True))
    equation = old.equation.replace(lambda leaf: leaves.get(leaf.ratio, leaf))  # type: ignore[union-attr]
    try:
        answer = equation.canonical()
        steps = solution.stored(problem)
        if steps:
            moves = {Fraction(*was): Fraction(*now) for was, now in zip(old.ratios, new, strict=True)}
            steps = solution.with_moves(steps, moves)
    except ExpressionError:
        return None
    changes = {"body": problem.body, "question": problem.question}
    for name, start, index, (surface, ratio, _, end, _, _) in old.places:
        if new[index] == ratio:
            continue
        leaf = made[index]
        over, under = new[index]
        if surface.isdigit() and isinstance(leaf, Number) and (not grouped or over < 1000 * under):
            spelling = leaf.text  # in text as in the equation
        else:
            value = Fraction(over, under)
            spelling = numerals.digits(value, f",{surface}" if grouped else surface)
            # "1.234,56" as "323,45", or "20 000" as "18 250", would be read as two numbers.
            if numerals.is_local(surface) and numerals.parse(spelling) != value:
                return None
        text = changes[name]
        changes[name] = f"{text[:start]}{spelling}{text[end:]}"
    copy = problem.replace(equation=equation.infix(), answer=answer, **changes)
    if steps:
        kept = {key: value for key, value in problem.meta if key != "solution"}
        meta = tuple(sorted({**kept, solution.KEY: solution.to_note(steps)}.items()))
        copy = copy.replace(meta=meta)
    return copy
