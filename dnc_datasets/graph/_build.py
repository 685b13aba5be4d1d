"""Building the graph of a problem from its equation or its annotated steps, and linking leaves to the text."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass
from fractions import Fraction

from dnc_datasets import expression, numerals, steps
from dnc_datasets.errors import ExpressionError
from dnc_datasets.expression import Expr, Name, Number
from dnc_datasets.graph._tree import Path, node_at, nodes, with_node
from dnc_datasets.numerals import Quantity
from dnc_datasets.problem import TEXT_FIELDS, Problem
from dnc_datasets.steps import DISAGREES, Step

_ASKS_PERCENT = re.compile(r"\bwhat (?:is the )?percent|\bpercentage of\b", re.IGNORECASE)
_HUNDRED = (Fraction(100), Fraction(1, 100))
_UNIT = re.compile(r" (?:more |fewer |less |extra |additional )?([a-z]+)")


@dataclass(frozen=True, slots=True)
class Leaf:
    """A number of the solution. `quantity` is its place in the text, or None where that is not unique."""

    path: Path
    value: Fraction
    quantity: Quantity | None = None
    unit: str = ""  # "$", "%", or the word that follows the number; empty where unknown


@dataclass(frozen=True, slots=True)
class Graph:
    """The calculation of a problem's answer as a tree whose leaves are linked to the text."""

    tree: Expr
    leaves: tuple[Leaf, ...]
    # The first of the leaves whose number is stated once and used in several copies of one step.
    repeated: tuple[Leaf, ...] = ()

    @property
    def answer(self) -> Expr:
        """The value of the root, as an expression."""
        return expression.number(self.tree.value())

    @property
    def linked(self) -> tuple[Leaf, ...]:
        """The leaves whose number occurs exactly once in the text and exactly once in the tree."""
        return tuple(leaf for leaf in self.leaves if leaf.quantity is not None)

    def parent(self, leaf: Leaf) -> Expr | None:
        """Return the operation directly above a leaf, or None for a tree that is a single number."""
        return node_at(self.tree, leaf.path[:-1]) if leaf.path else None

    def values_on_path(self, leaf: Leaf) -> list[Fraction]:
        """Return the value of every operation from the root down to the one above a leaf."""
        return [node_at(self.tree, leaf.path[:length]).value() for length in range(len(leaf.path))]


def reason_for_no_graph(problem: Problem) -> str:
    """Return the reason why a problem has no graph, or an empty string where it has one."""
    if problem.answer_type != "number":
        return "the answer is not a number"
    if problem.note("no_equation") == DISAGREES:
        return DISAGREES
    if problem.note("rounding"):
        return "the answer is rounded"
    if not problem.equation:
        return problem.note("no_equation") or "the source gives no equation"
    try:
        tree = expression.parse(problem.equation)
        if tree.value() != expression.parse(problem.answer).value():
            return "the equation does not give the answer"
        hundred = any(isinstance(leaf, Number) and leaf.number in _HUNDRED for leaf in tree.leaves())
        if _ASKS_PERCENT.search(problem.question) and not hundred:
            return "the question asks for a percentage, and the equation computes none"
    except ExpressionError as error:
        return str(error)
    return ""


def graph_of(problem: Problem) -> Graph | None:
    """Return the graph of a problem's equation, or None where `reason_for_no_graph` gives a reason."""
    if reason_for_no_graph(problem):
        return None
    return _linked(problem, expression.parse(problem.equation))


def _linked(problem: Problem, tree: Expr) -> Graph:
    """Link each number of the tree to the text where it occurs once in both."""
    quantities = problem.quantities(TEXT_FIELDS)
    stated = Counter(abs(quantity.value) for quantity in quantities)
    places = [(path, node) for path, node in nodes(tree) if isinstance(node, Number)]
    used = Counter(node.number for _, node in places)
    leaves = []
    repeated = {}
    for path, node in places:
        value = node.number
        if stated[value] == used[value] == 1:
            quantity = next(one for one in quantities if abs(one.value) == value)
            unit = _unit(problem.text_at(quantity.field), quantity)
            leaves.append(Leaf(path, value, quantity, unit))
            continue
        leaves.append(Leaf(path, value))
        if stated[value] == 1 < used[value] and value not in repeated:
            steps = {
                (node_at(tree, other[:-1]), other[-1:]) for other, leaf in places if leaf.number == value
            }
            quantity = next(one for one in quantities if abs(one.value) == value)
            if len(steps) == 1:
                repeated[value] = Leaf(
                    path, value, quantity, _unit(problem.text_at(quantity.field), quantity)
                )
    return Graph(tree, tuple(leaves), tuple(repeated.values()))


def _unit(text: str, quantity: Quantity) -> str:
    if quantity.kind == "money" or text[max(0, quantity.start - 1) : quantity.start] == "$":
        return "$"
    if quantity.kind == "percent":
        return "%"
    following = _UNIT.match(text, quantity.end)
    return following[1] if following else ""


def partial_graphs(problem: Problem) -> Iterator[tuple[Graph, Leaf]]:
    """Yield a graph for each number of the text with a certain path to the answer.

    The steps of the path are written out. All other numbers remain as the solution states them.
    """
    if problem.note("no_equation") in ("", DISAGREES) or problem.answer_type != "number":
        return
    stored = [Step(_numbers_only(step, steps.stored(problem)), step.value) for step in steps.stored(problem)]
    try:
        answer = expression.parse(problem.answer).value()
        if any(step.equation.value() != step.value for step in stored):
            return
    except ExpressionError:
        return
    stated = Counter(abs(value) for value in problem.values())
    for quantity in problem.quantities(TEXT_FIELDS):
        value = abs(quantity.value)
        if stated[value] == 1 and (chain := _chain(value, stored, answer, problem)) is not None:
            leaf = next(leaf for leaf in _linked(problem, chain).leaves if leaf.value == value)
            if leaf.quantity is not None:
                yield _linked(problem, chain), leaf


def _numbers_only(step: Step, earlier: list[Step]) -> Expr:
    """Return the calculation of a step, with references to earlier steps replaced by their values."""
    values = steps.values(earlier)
    return step.equation.replace(
        lambda leaf: expression.number(values[leaf.name]) if isinstance(leaf, Name) else leaf
    )


def _chain(value: Fraction, stored: list[Step], answer: Fraction, problem: Problem) -> Expr | None:
    """Return the calculation from one number to the answer, or None if it is not certain."""
    uses = Counter(
        leaf.number for step in stored for leaf in step.equation.leaves() if isinstance(leaf, Number)
    )
    gives = Counter(step.value for step in stored)
    stated = {abs(number) for number in problem.values()} | numerals.implied(problem.text)
    if gives[value] or value == answer:
        return None
    tree, current = None, value
    beside: set[Fraction] = set()
    while current != answer:
        if uses[current] != 1 or (tree is not None and (current in stated or gives[current] != 1)):
            return None
        step = next(step for step in stored if expression.number(current) in step.equation.leaves())
        at = next(path for path, node in nodes(step.equation) if node == expression.number(current))
        beside |= {
            leaf.number
            for leaf in step.equation.leaves()
            if isinstance(leaf, Number) and leaf.number != current
        }
        tree = step.equation if tree is None else with_node(step.equation, at, tree)
        current = step.value
    if tree is None or gives[answer] != 1 or uses[answer]:
        return None
    unknown = beside - stated - set(gives)
    known = stated | set(gives) | {Fraction(1), Fraction(2), Fraction(100)}
    return None if any(_derives(other, value, known) for other in unknown) else tree


def _derives(other: Fraction, value: Fraction, known: set[Fraction]) -> bool:
    """Return whether a number that the text does not state could have been computed from this one."""
    return any(
        other in (value + one, value - one, one - value, value * one, value / one if one else value)
        or (value and other == one / value)
        for one in known
    )
