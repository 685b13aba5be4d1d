"""Define: a number of the text is defined before the problem and replaced by its name."""

from __future__ import annotations

import re
from fractions import Fraction

from dnc_datasets import expression, operand_links, steps
from dnc_datasets.draws import Draw
from dnc_datasets.english.reading.sentences import is_too_long
from dnc_datasets.errors import ExpressionError
from dnc_datasets.expression import Binary, Expr, Name, Number
from dnc_datasets.perturbations import Capability, perturbation
from dnc_datasets.perturbations.numbers.variables import nameable, with_variable
from dnc_datasets.perturbations.reasoning.phrases import written
from dnc_datasets.perturbations.tables.variable_cells import in_cell, nameable_cells
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
    # The steps of the solution mention the number itself.
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
    """Return the numbers of an equation that may come from another number: the 5 of 1/5, the 100 of 20 %."""
    parts = {Fraction(100)} if re.search(r"%|\bpercent|\bcents?\b", problem.text) else set()
    fractions = [value for value in problem.values() if value.denominator > 1]
    return parts | {Fraction(part) for value in fractions for part in value.as_integer_ratio()}


def _definition(value: Fraction, draw: Draw) -> tuple[str, Expr]:
    """Return a calculation that gives the value, in words and as an expression."""
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


_TRIES = 6
_LEAST = 2


@perturbation(
    "define",
    capability=Capability.OPERATION_REASONING,
    promises=("cell_defined", "equation_keeps_value"),
    shapes=("table",),
    languages=("en",),
    needs_equations=True,
    qualifies="an operand in one cell that is stated nowhere else in the document",
)
def define_a_cell(problem: Problem, draw: Draw) -> Problem | None:
    """Net sales | 90 -> Let x be 3 times 30. Net sales | x"""
    if not problem.equation or problem.answer_type != "number":
        return None
    cells = [
        (cell, quantity)
        for cell, quantity in nameable_cells(problem)
        if _LEAST < quantity.value < _MAX_CELL and quantity.value.denominator in _DECIMAL
    ]
    if not cells:
        return None
    cell, quantity = draw.choice(cells)
    known = {abs(value) for value in problem.values()}
    known |= set(operand_links.operand_values(expression.parse(problem.equation)))
    for _ in range(_TRIES):
        _, meaning = _definition(quantity.value, draw)
        parts = operand_links.operand_values(meaning)
        if len(parts) == len(meaning.leaves()) and known.isdisjoint(parts):
            return _defined(problem, in_cell(problem, cell, quantity), quantity.value, meaning)
    return None


def _defined(problem: Problem, made: Problem, value: Fraction, meaning: Expr) -> Problem:
    """Return the problem with the definition of x before its text, and links that follow."""
    assert isinstance(meaning, Binary)
    first, second = (written(side.value(), problem) for side in (meaning.left, meaning.right))
    definition = f"Let x be {first} {_WORDS[meaning.op]} {second}."
    body = f"{definition}{operand_links.PARAGRAPH_BREAK}{problem.body}" if problem.body else definition
    equation = expression.parse(problem.equation).replace(
        lambda leaf: meaning if leaf == expression.number(value) else leaf
    )
    links = {one: _moved(link) for one, link in operand_links.stored(problem).items() if one != value}
    links |= {part: f"body.0.{at}" for at, part in enumerate(operand_links.operand_values(meaning))}
    meta = {
        **{
            key: text
            for key, text in made.meta
            if key not in ("derivation", "program", "solution", steps.KEY)
        },
        "operands": operand_links.to_note(links),
    }
    return made.replace(
        body=body,
        equation=equation.infix(),
        evidence=tuple(map(_moved, problem.evidence)),
        meta=tuple(sorted(meta.items())),
    )


_WORDS = {"*": "times", "+": "plus", "-": "minus"}
_MAX_CELL = 10**9
_DECIMAL = frozenset((1, 2, 4, 5, 10, 20, 25, 50, 100))


def _moved(link: str) -> str:
    """Return a link to a paragraph that has one more paragraph before it.

    >>> _moved("body.0.3"), _moved("table.1.2")
    ('body.1.3', 'table.1.2')
    """
    field, *places = link.split(".")
    return ".".join((field, str(int(places[0]) + 1), *places[1:])) if field == "body" else link
