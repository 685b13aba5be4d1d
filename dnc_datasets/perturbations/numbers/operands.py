"""Where the operands of an equation stand in a text, and what follows when they change."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from fractions import Fraction
from typing import NamedTuple

from dnc_datasets import expression, numerals
from dnc_datasets import steps as solution
from dnc_datasets.errors import ExpressionError
from dnc_datasets.expression import Binary, Expr, Name, Number, Unary
from dnc_datasets.memoization import memoized
from dnc_datasets.numerals import Quantity, Ratio
from dnc_datasets.perturbations.numbers.amounts import AMOUNTS, JOINED_ON, is_name, is_prose
from dnc_datasets.problem import Problem

Exact = Fraction | int
Place = tuple[str, int, Quantity]  # field, which of the values, and where it is


class Operands(NamedTuple):
    """The operands of an equation that may move: each is once in the text, as a number in digits."""

    equation: Expr
    values: list[Fraction]  # each once, in the order of the equation
    places: list[Place]  # from the last to the first, so that changing one leaves the next in its place
    others: frozenset[Ratio]  # the other numbers of text and equation


def operands(problem: Problem, scope: Sequence[str]) -> Operands | None:
    """The operands that move together; None unless every operand in digits qualifies, and one is there.

    One in digits qualifies as a whole number in the scope that occurs once in body and question (suitability,
    visibility, unambiguity). One that the text only says in words ("six", "twice", "a week") stays where it is.
    Problems whose answer is rounded do not qualify: how the changed problem would be rounded is not known.
    """
    found = movable(problem, scope)
    if found is None:
        return None
    for value in found.values:
        if value.denominator > 1:
            return None
    leaves = found.equation.leaves()
    if len(found.values) == len(leaves):
        return found
    left = {leaf.ratio for leaf in leaves if isinstance(leaf, Number)}
    left -= {value.as_integer_ratio() for value in found.values}
    texts = (problem.body, problem.question) if left else ()
    if any(one.in_digits and one.ratio in left for text in texts for one in numerals.find(text)):
        return None
    return found


def movable(problem: Problem, scope: Sequence[str]) -> Operands | None:
    """The operands in digits that stand at just one place; all others stay where they are. None for none.

    What the text may also mean by a word stays too, unless every operand is written out: the 2 of an equation
    over "half of 2 pies" may be either. So does the 3 of "1/3 of the 3 pies".
    """
    if not problem.equation or problem.note("rounding") or problem.note("defect"):
        return None
    return _movable(problem.body, problem.question, problem.equation, tuple(scope), is_prose(problem))


# Four perturbations move the operands of a problem, so their places are found once.
@memoized
def _movable(body: str, question: str, written: str, scope: tuple[str, ...], prose: bool) -> Operands | None:
    try:
        equation = expression.parse(written)
    except ExpressionError:
        return None
    leaves = equation.leaves()
    if len(leaves) < 2:
        return None  # a number of the text that happens to be the answer tells no calculation
    used: dict[Ratio, None] = {}
    for leaf in leaves:
        if not isinstance(leaf, Number):
            return None
        used[leaf.ratio] = None
    # Only an equation that has a number twice can have a calculation, a factor or a divisor twice.
    repeats = len(used) < len(leaves)
    if repeats and _adds_again(equation):
        return None
    standing, others, parts = _occurrences(body, question, scope, prose, equation, used)
    # What words mean matters only where not every operand is written out.
    meant: frozenset[Fraction] = frozenset()
    if repeats or any(len(places) != 1 for places in standing.values()):
        meant = numerals.implied(f"{body} {question}".strip()) | {Fraction(1)}
    twice = _factors_twice(equation) | _divides_again(leaves, equation) if repeats else ()
    values: list[Fraction] = []
    places: list[Place] = []
    for ratio, found in standing.items():
        place = found[0] if len(found) == 1 else None
        part = ratio[0] in parts and ratio[1] == 1
        if not found and Fraction(*ratio) not in meant and not part:
            return None  # it is nowhere, and nobody knows what it would be of the changed text
        if place is None or part or ratio in twice or (meant and place.value in meant):
            others.add(ratio)
            continue
        places.append((place.field, len(values), place))
        values.append(place.value)
    if not values:
        return None
    places.sort(key=_by_place, reverse=True)
    return Operands(equation, values, places, frozenset(others))


def _by_place(place: Place) -> tuple[str, int]:
    return place[0], place[2].start


def _occurrences(
    body: str, question: str, scope: Sequence[str], prose: bool, equation: Expr, used: Iterable[Ratio]
) -> tuple[dict[Ratio, list[Quantity | None]], set[Ratio], set[int]]:
    """Return the occurrences of each operand (None where it may not move), other numbers, and parts of fractions."""
    parts: set[int] = set()  # of the fractions that the text states: the 3 of "3/4"
    standing: dict[Ratio, list[Quantity | None]] = {ratio: [] for ratio in used}
    others: set[Ratio] = set()
    for name, text in (("body", body), ("question", question)):
        for quantity in numerals.find(text):
            surface, ratio, start, end, kind, _ = quantity
            if ratio[1] > 1:
                parts.update(ratio)
            if ratio not in standing:
                others.add(ratio)
                continue
            fits = name in scope and _stands_alone(text, quantity, name, prose)
            # A tenth is 10% and divides by 10; 15% does not divide by 15.
            if fits and kind == "percent":
                fits = ratio not in {divisor.ratio for divisor in _divisors(equation)}
            if fits and ratio == _TWO:
                fits = not (_BOTH.search(body) or _BOTH.search(question))
            standing[ratio].append(Quantity(surface, ratio, start, end, kind, name) if fits else None)
    return standing, others, parts


def _adds_again(equation: Expr) -> bool:
    """Whether a sum has the same calculation twice: how often would follow from a number that nobody wrote."""
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
    """Numbers that one product has twice: "4 weeks of 4 ways a day", of which the text may say but one."""
    found: set[Ratio] = set()
    _factors(equation, found)
    return found


_MOST_PEOPLE = 4
_TWO = (2, 1)
_BOTH = re.compile(r"\bboth\b", re.IGNORECASE)  # says again that there are two


def _divides_again(leaves: Sequence[Number | Name], equation: Expr) -> set[Ratio]:
    """Small numbers that divide and are used elsewhere, too: "2 packs" split by Amy and Ben, who are two as well."""
    divisors = {divisor.ratio for divisor in _divisors(equation) if divisor.number <= _MOST_PEOPLE}
    used = [leaf.ratio for leaf in leaves if isinstance(leaf, Number)]
    return {ratio for ratio in divisors if used.count(ratio) > 1}


def _divisors(equation: Expr) -> Iterator[Number]:
    """The numbers that the equation divides by."""
    for part in _parts(equation):
        if part.op == "/" and isinstance(part.right, Number):
            yield part.right


def _parts(equation: Expr) -> Iterator[Binary]:
    """The equation and every calculation inside it."""
    if isinstance(equation, Unary):
        yield from _parts(equation.operand)
    elif isinstance(equation, Binary):
        yield equation
        yield from _parts(equation.left)
        yield from _parts(equation.right)


def _factors(equation: Expr, twice: set[Ratio]) -> list[Ratio]:
    """The numbers of a product; those that it, or a product inside, has twice join `twice`."""
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
    """Return whether the number counts or measures alone, in digits."""
    surface, _, start, end, kind, _ = quantity
    if kind not in AMOUNTS or not surface[-1].isdigit():
        return False
    if text[end : end + 1] in JOINED_ON or text[max(0, start - 1) : start] in JOINED_ON:
        return False
    return not (prose and is_name(text, name, surface, start, end))


def moved(equation: Expr, moves: Mapping[Fraction, Fraction]) -> Expr:
    """The equation with the operands at their new values."""

    def leaf(old: Number | Name) -> Expr:
        return expression.number(moves.get(old.number, old.number)) if isinstance(old, Number) else old

    return equation.replace(leaf)


def _leaf(value: Exact) -> Expr:
    top, bottom = ratio = value.as_integer_ratio()
    return Number(str(top), ratio) if bottom == 1 and top >= 0 else expression.number(Fraction(value))


def with_operands(
    problem: Problem, old: Operands, new: Sequence[Exact], *, grouped: bool = False
) -> Problem | None:
    """The problem with its operands at new values in text, equation and steps, and the answer recomputed.

    `old` is that of `operands`, `new` has one value for each. None where the changed equation has no value, or
    a new number equals another number of the text: nobody could then tell which one the equation means.
    `grouped` writes thousands with a comma.
    """
    ratios = [value.as_integer_ratio() for value in new]
    if len(set(ratios)) < len(new) or not old.others.isdisjoint(ratios):
        return None
    leaves = {value.as_integer_ratio(): _leaf(made) for value, made in zip(old.values, new, strict=True)}
    equation = old.equation.replace(lambda leaf: leaves.get(leaf.ratio, leaf))  # type: ignore[union-attr]
    try:
        answer = equation.canonical()
        steps = solution.stored(problem)
        if steps:
            moves = dict(zip(old.values, map(Fraction, new), strict=True))
            steps = solution.with_moves(steps, moves)
    except ExpressionError:
        return None
    texts = {"body": problem.body, "question": problem.question}
    for name, index, (surface, ratio, start, end, _, _) in old.places:
        if ratios[index] == ratio:
            continue
        spelling = numerals.digits(new[index], f",{surface}" if grouped else surface)
        text = texts[name]
        texts[name] = f"{text[:start]}{spelling}{text[end:]}"
    meta = problem.meta
    if steps:
        kept = {key: value for key, value in meta if key != "solution"}
        meta = tuple(sorted({**kept, solution.KEY: solution.to_note(steps)}.items()))
    return problem.replace(**texts, equation=equation.infix(), answer=answer, meta=meta)
