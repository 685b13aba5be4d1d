"""TagOp's programs: operators over tagged numbers, executed exactly, and the program of a gold equation."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from fractions import Fraction
from itertools import permutations

from dnc_datasets import expression, operand_links
from dnc_datasets.errors import ExpressionError
from dnc_datasets.expression import Expr
from dnc_datasets.problem import Problem
from dnc_trainers.readers.replies import Reply, calculated

SPANS = ("span_text", "span_table", "spans", "count")  # over tagged words and cells
CALCULATIONS = ("sum", "difference", "average", "ratio", "product", "change_ratio")
OPERATORS = (*SPANS, *CALCULATIONS)
ORDERED = ("difference", "ratio", "change_ratio")  # of two operands, whose order matters
SCALES = ("", "thousand", "million", "billion", "percent")
_MAX_OPERANDS = 8


@dataclass(frozen=True)
class Program:
    """An operator and the links of its operands, in order."""

    operator: str
    places: tuple[str, ...]
    scale: str = ""


def execute(operator: str, values: Sequence[Fraction], scale: str = "") -> Reply:
    """Return the equation of an operator over numbers with its exact value; an empty reply if it has none.

    A ratio or a change ratio in percent is multiplied by 100.

    >>> execute("change_ratio", [Fraction(12), Fraction(8)], "percent").equation
    '(12 - 8) / 8 * 100'
    """
    numbers = [_number_text(value) for value in values]
    if not numbers or (operator in ORDERED and len(numbers) != 2):
        return Reply()
    if operator == "difference":
        text = f"{numbers[0]} - {numbers[1]}"
    elif operator == "ratio":
        text = f"{numbers[0]} / {numbers[1]}"
    elif operator == "change_ratio":
        text = f"({numbers[0]} - {numbers[1]}) / {numbers[1]}"
    elif operator == "product":
        text = " * ".join(numbers)
    else:
        text = " + ".join(numbers)
        if operator == "average":
            text = f"({text}) / {len(numbers)}"
    if scale == "percent" and operator in ("ratio", "change_ratio"):
        text = f"({text}) * 100"
    return calculated(text)


def signed(terms: Sequence[tuple[int, Fraction]]) -> str:
    """Return signed numbers as an equation.

    >>> signed([(-1, Fraction(3)), (1, Fraction(8))])
    '8 - 3'
    """
    ordered = sorted(terms, key=lambda term: term[0] < 0)
    parts = [f"{'-' if sign < 0 else '+'} {_number_text(value)}" for sign, value in ordered]
    text = " ".join(parts)
    return text.removeprefix("+ ") if text.startswith("+") else f"0 {text}"


def _number_text(value: Fraction) -> str:
    text = expression.number(abs(value)).infix()
    text = f"({text})" if "/" in text else text
    return f"(0 - {text})" if value < 0 else text


def program(problem: Problem, values: Mapping[str, Fraction]) -> Program | None:
    """Return the program that gives the problem's exact value, or None if no program does.

    `values` maps links to numbers. The source's facts determine the links of operands. If a value occurs in
    several places and the source cites none or too many of them, there is no program.
    """
    gold = problem.exact_value()
    if gold is None or not problem.equation:
        return None
    try:
        tree = expression.parse(problem.equation)
    except ExpressionError:
        return None
    places = _operand_links(problem, tree)
    if not 1 <= len(places) <= _MAX_OPERANDS or any(place not in values for place in places):
        return None
    scale = problem.unit if problem.unit in SCALES else ""
    for operator in _candidate_operators(tree):
        orders = permutations(places) if operator in ORDERED and len(places) == 2 else (tuple(places),)
        for order in orders:
            if execute(operator, [values[place] for place in order], scale).value == gold:
                return Program(operator, order, scale)
    return None


def _operand_links(problem: Problem, tree: Expr) -> list[str]:
    """Return the links of the operands in the equation's order; empty if a link is ambiguous."""
    stored = operand_links.stored(problem)
    leaves = [leaf.number for leaf in tree.leaves() if hasattr(leaf, "number")]
    links: list[str] = []
    for value in operand_links.operand_values(tree):
        link = stored.get(value, operand_links.CONSTANT)
        if link == operand_links.CONSTANT:
            continue  # the 2 of an average; with any other constant, the program does not reach the value
        cited = [
            place for place in operand_links.places_of(problem, value) if _is_cited(place, problem.evidence)
        ]
        twice = len(cited) == 2 and leaves.count(value) == 2 and len(set(leaves)) == 1
        if twice:
            links += cited
        elif link != operand_links.AMBIGUOUS:
            links.append(link)
        elif len(cited) == 1:
            links += cited
        else:
            return []
    return links


def _is_cited(place: str, evidence: Sequence[str]) -> bool:
    return place in evidence or place.rpartition(".")[0] in evidence


def _candidate_operators(tree: Expr) -> list[str]:
    """Return the operators that an equation may be, in the order of their likelihood by its form."""
    operators = set(tree.operators)
    first: tuple[str, ...]
    if "/" in operators:
        first = ("change_ratio", "average", "ratio") if operators & {"+", "-"} else ("ratio", "average")
    elif "*" in operators:
        first = ("product",)
    else:
        first = ("difference", "sum") if "-" in operators else ("sum", "difference")
    return list(dict.fromkeys((*first, *CALCULATIONS)))
