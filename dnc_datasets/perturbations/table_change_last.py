"""Change last over tables: "the change in sales from 2018 to 2019" -> "Were sales higher in 2019 than in 2018?"."""

from __future__ import annotations

import re
from fractions import Fraction

from dnc_datasets import expression, operand_links
from dnc_datasets.draws import Draw
from dnc_datasets.english.reading.sentences import is_too_long
from dnc_datasets.errors import ExpressionError
from dnc_datasets.perturbations import Capability, perturbation
from dnc_datasets.perturbations.reasoning.rows import yes_or_no
from dnc_datasets.perturbations.tables.periods import year_at
from dnc_datasets.problem import Problem
from dnc_datasets.tables.relations import signed

_CHANGE = re.compile(
    r"What (?:is|was) the (?:percentage )?(?:change|increase|decrease|increase ?/ ?\(decrease\)|difference) (?:in|of) "
    r"(?P<what>[A-Za-z][^?]{2,120}?) (?:from|between) (?P<first>(?:19|20)\d\d) (?:to|and) (?P<second>(?:19|20)\d\d) ?\?"
)


@perturbation(
    "change_last",
    capability=Capability.OPERATION_REASONING,
    changes_target=True,
    promises=("only_question_changed", "table_comparison_holds"),
    shapes=("table",),
    languages=("en",),
    asks_yes_no=True,
    needs_equations=True,
)
def ask_which_year(problem: Problem, draw: Draw) -> Problem | None:
    """What was the change in sales from 2018 to 2019? -> Was the figure for sales higher in 2019 than in 2018?"""
    truth = bool(draw.integer(0, 1))  # first, and never again
    word = draw.choice(("higher", "lower"))
    asked = None if is_too_long(problem.question) else _CHANGE.fullmatch(problem.question)
    if asked is None or not problem.equation or problem.note("defect"):
        return None
    values = figures(problem)
    first, second = values.get(int(asked["first"])), values.get(int(asked["second"]))
    if first is None or second is None or len(values) != 2 or first == second:
        return None
    high, low = (asked["first"], asked["second"]) if first > second else (asked["second"], asked["first"])
    one, other = (high, low) if truth == (word == "higher") else (low, high)
    return yes_or_no(
        problem, f"Was the figure for {asked['what']} {word} in {one} than in {other}?", truth, None
    )


def figures(problem: Problem) -> dict[int, Fraction]:
    """The figure of each year, with its sign, from the cells that the operands stand in; all of one row."""
    try:
        wanted = set(operand_links.operand_values(expression.parse(problem.equation)))
    except ExpressionError:
        return {}
    stored = {value: link for value, link in operand_links.stored(problem).items() if value in wanted}
    cells = [link for link in stored.values() if link.startswith("table.")]
    if (
        operand_links.AMBIGUOUS in stored.values()
        or len(cells) != 2
        or len({link.split(".")[1] for link in cells}) != 1
    ):
        return {}
    found: dict[int, Fraction] = {}
    for link in cells:
        _, row, column = link.split(".")
        year = year_at(problem, link)
        value = signed(problem.table[int(row)][int(column)])
        if year is None or value is None or value < 0:  # a larger loss may be called higher or lower
            return {}
        found[year] = value
    return found
