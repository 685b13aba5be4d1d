"""Define: a number of the text is defined before the problem and used by its name."""

from __future__ import annotations

import re
from fractions import Fraction

from dnc_datasets import expression, steps
from dnc_datasets.draws import Draw
from dnc_datasets.english.reading.sentences import is_too_long
from dnc_datasets.errors import ExpressionError
from dnc_datasets.expression import Expr, Name, Number
from dnc_datasets.perturbations import Capability, perturbation
from dnc_datasets.perturbations.numbers.variables import nameable, with_variable
from dnc_datasets.problem import Problem

_MAX_VALUE = 10**7


@perturbation(
    "define",
    capability=Capability.OPERATION_REASONING,
    promises=("definition_gives_original", "equation_keeps_value"),
    shapes=("word_problem",),
    languages=("en",),
    qualifies="a number stated once that is no part of a range, a compound, a time or a name",
)
def define(problem: Problem, draw: Draw) -> Problem | None:
    """Andy plants 90 geraniums. -> Let x be 3 times 30. Andy plants x geraniums."""
    if is_too_long(problem.text) or problem.answer_type != "number":
        return None
    quantities = [one for one in nameable(problem) if one.value < _MAX_VALUE]
    if not quantities:
        return None
    if not _is_readable(problem.equation):
        return None
    used = {leaf.number for leaf in _leaves(problem) if isinstance(leaf, Number)}
    quantities = [one for one in quantities if one.value not in _parts_of_others(problem)]
    if not quantities:
        return None
    quantity = draw.choice([one for one in quantities if one.value in used] or quantities)
    words, meaning = _definition(quantity.value, draw)
    made = with_variable(problem, quantity)
    definition = f"Let x be {words}."
    made = made.replace(body=f"{definition} {made.body}" if made.body else definition)
    if not problem.equation:
        return made
    equation = expression.parse(problem.equation).replace(
        lambda leaf: meaning if leaf == expression.number(quantity.value) else leaf
    )
    # The steps of the solution speak of the number itself.
    return made.replace(
        equation=equation.infix(), meta=tuple(pair for pair in made.meta if pair[0] != steps.KEY)
    )


def _is_readable(equation: str) -> bool:
    try:
        return not equation or bool(expression.parse(equation))
    except ExpressionError:
        return False


def _leaves(problem: Problem) -> tuple[Number | Name, ...]:
    return expression.parse(problem.equation).leaves() if problem.equation else ()


def _parts_of_others(problem: Problem) -> set[Fraction]:
    """The numbers that an equation may have from another number of the text: the 5 of 1/5, the 100 of 20 %."""
    parts = {Fraction(100)} if re.search(r"%|\bpercent|\bcents?\b", problem.text) else set()
    fractions = [value for value in problem.values() if value.denominator > 1]
    return parts | {Fraction(part) for value in fractions for part in value.as_integer_ratio()}


def _definition(value: Fraction, draw: Draw) -> tuple[str, Expr]:
    """The words of a calculation that gives the value, and the calculation."""
    factors = [factor for factor in range(2, 13) if value % factor == 0 and value / factor >= 2]
    form = draw.integer(0, 3)
    if factors and form <= 1:
        factor = draw.choice(factors)
        other = expression.canonical(value / factor)
        return f"{factor} times {other}", expression.parse(f"{factor} * {other}")
    if form == 2:
        part = draw.integer(1, min(20, max(1, int(value) - 1)))
        other = expression.canonical(value - part)
        return f"{other} plus {part}", expression.parse(f"{other} + {part}")
    part = draw.integer(2, 20)
    other = expression.canonical(value + part)
    return f"{other} minus {part}", expression.parse(f"{other} - {part}")
