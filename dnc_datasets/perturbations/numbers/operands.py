"""Where the operands of an equation stand in a text, and what follows when they change."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from fractions import Fraction
from typing import NamedTuple

from dnc_datasets import expression, numerals
from dnc_datasets import steps as solution
from dnc_datasets.errors import ExpressionError
from dnc_datasets.expression import Binary, Expr, Name, Number, Unary
from dnc_datasets.numerals import Quantity, Ratio
from dnc_datasets.perturbations.numbers.amounts import AMOUNTS, JOINED_ON, is_name, is_prose
from dnc_datasets.problem import Problem

Place = tuple[str, int, Quantity]  # field, which of the values, and where it stands


class Operands(NamedTuple):
    """The operands of an equation that may move: each stands once in the text, as a number in digits."""

    equation: Expr
    values: list[Fraction]  # each once, in the order of the equation
    places: list[Place]  # from the last to the first, so that changing one leaves the next in its place
    others: set[Ratio]  # the other numbers of text and equation


def operands(problem: Problem, scope: Sequence[str]) -> Operands | None:
    """The operands that move together; None unless every operand in digits qualifies, and one is there.

    One in digits qualifies as a whole number in the scope that occurs once in body and question (suitability,
    visibility, unambiguity). One that the text only says in words ("six", "twice", "a week") stays where it is.
    Problems whose answer is rounded do not qualify: how the changed problem would be rounded is not known.
    """
    found = movable(problem, scope)
    if found is None:
        return None
    left = {leaf.ratio for leaf in found.equation.leaves() if isinstance(leaf, Number)}
    left -= {value.as_integer_ratio() for value in found.values}
    texts = (problem.body, problem.question) if left else ()
    if any(one.in_digits and one.ratio in left for text in texts for one in numerals.find(text)):
        return None
    return None if any(value.denominator > 1 for value in found.values) else found


def movable(problem: Problem, scope: Sequence[str]) -> Operands | None:
    """The operands in digits that stand at just one place; all others stay where they are. None for none.

    What the text may also mean by a word stays too, unless every operand is written out: the 2 of an equation
    over "half of 2 pies" may be either. So does the 3 of "1/3 of the 3 pies".
    """
    if not problem.equation or problem.note("rounding") or problem.note("defect"):
        return None
    try:
        equation = expression.parse(problem.equation)
    except ExpressionError:
        return None
    leaves = equation.leaves()
    if len(leaves) < 2:
        return None  # a number of the text that happens to be the answer tells no calculation
    used = list(dict.fromkeys(leaf.ratio for leaf in leaves if isinstance(leaf, Number)))
    if any(isinstance(leaf, Name) for leaf in leaves) or _adds_again(equation):
        return None
    twice = _factors_twice(equation) | _divides_again(leaves, equation)
    divisors = {divisor.ratio for divisor in _divisors(equation)}
    parts: set[int] = set()  # of the fractions that the text states: the 3 of "3/4"
    standing: dict[Ratio, list[Quantity | None]] = {ratio: [] for ratio in used}
    others: set[Ratio] = set()
    prose = is_prose(problem)
    for name, text in (("body", problem.body), ("question", problem.question)):
        for quantity in numerals.find(text):
            if quantity.ratio[1] > 1:
                parts.update(quantity.ratio)
            if quantity.ratio not in standing:
                others.add(quantity.ratio)
                continue
            fits = name in scope and _stands_alone(text, quantity, name, prose)
            # A tenth is 10% and divides by 10; 15% does not divide by 15.
            fits = fits and not (quantity.kind == "percent" and quantity.ratio in divisors)
            fits = fits and not (quantity.ratio == _TWO and _BOTH.search(problem.text))
            standing[quantity.ratio].append(quantity._replace(field=name) if fits else None)
    written = all(len(places) == 1 for places in standing.values()) and len(leaves) == len(used)
    # What words mean matters only where not every operand is written out.
    meant: frozenset[Fraction] = frozenset() if written else numerals.implied(problem.text) | {Fraction(1)}
    values: list[Fraction] = []
    places: list[Place] = []
    for ratio in used:
        value = Fraction(*ratio)
        place = standing[ratio][0] if len(standing[ratio]) == 1 else None
        part = ratio[1] == 1 and ratio[0] in parts
        if not standing[ratio] and value not in meant and not part:
            return None  # it stands nowhere, and nobody knows what it would be of the changed text
        if place is None or value in meant or part or ratio in twice:
            others.add(ratio)
            continue
        places.append((place.field, len(values), place))
        values.append(value)
    if not values:
        return None
    places.sort(key=lambda found: (found[0], found[2].start), reverse=True)
    return Operands(equation, values, places, others)


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
    """Whether the number counts or measures by itself, in digits."""
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


def with_operands(
    problem: Problem, old: Operands, new: Sequence[Fraction], *, grouped: bool = False
) -> Problem | None:
    """The problem with its operands at new values in text, equation and steps, and the answer recomputed.

    `old` is that of `operands`, `new` has one value for each. None where the changed equation has no value, or
    a new number equals another number of the text: nobody could then tell which one the equation means.
    `grouped` writes thousands with a comma.
    """
    ratios = {value.as_integer_ratio() for value in new}
    if len(ratios) < len(new) or not ratios.isdisjoint(old.others):
        return None
    moves = dict(zip(old.values, new, strict=True))
    equation = moved(old.equation, moves)
    try:
        answer = equation.canonical()
        steps = solution.with_moves(solution.stored(problem), moves)
    except ExpressionError:
        return None
    texts = {"body": problem.body, "question": problem.question}
    for name, index, (surface, _, start, end, _, _) in old.places:
        if new[index] == old.values[index]:
            continue
        spelling = numerals.digits(new[index], f",{surface}" if grouped else surface)
        text = texts[name]
        texts[name] = f"{text[:start]}{spelling}{text[end:]}"
    meta = problem.meta
    if steps:
        kept = {key: value for key, value in meta if key != "solution"}
        meta = tuple(sorted({**kept, solution.KEY: solution.to_note(steps)}.items()))
    return problem.replace(**texts, equation=equation.infix(), answer=answer, meta=meta)
