"""Reverse: a number of the text is hidden, the answer is given, and the question asks for the number."""

from __future__ import annotations

import re
from collections.abc import Iterator
from fractions import Fraction

from dnc_datasets import expression, numerals, operand_links
from dnc_datasets.certificate.links import hidden_cell_is_no_part
from dnc_datasets.draws import Draw
from dnc_datasets.english.lexicon import ABBREVIATED_UNITS, COUNTED_NOUNS, UNITS_OF_MEASURE
from dnc_datasets.english.reading.sentences import is_too_long
from dnc_datasets.errors import ExpressionError
from dnc_datasets.expression import Binary, Expr, Number
from dnc_datasets.graph import Graph, Leaf, Path, graph_of, invert, node_at, nodes, partial_graphs, roots
from dnc_datasets.numerals import Quantity
from dnc_datasets.perturbations import Capability, perturbation
from dnc_datasets.perturbations.numbers.variables import is_implied, nameable, recalculated, with_variable
from dnc_datasets.perturbations.reasoning.phrases import in_unit
from dnc_datasets.perturbations.tables.periods import operands_in_named_years, runs_forward
from dnc_datasets.perturbations.tables.variable_cells import in_cell, is_read_off, nameable_cells
from dnc_datasets.problem import Problem, splice
from dnc_datasets.tables.relations import Cell
from dnc_datasets.tables.typed import AMOUNT, typed

PROMISES = ("one_number_hidden", "hidden_value_follows", "equation_gives_answer")
_UNKNOWN_NUMBER = 30  # percent of the rows in which it can be written so
_COUNTED = re.compile(r" (?P<noun>[a-z]+)\b(?! (?:more|fewer|less|times|old|of)\b)")
_NOT_BEFORE = re.compile(
    r"\b(?:the|his|her|their|its|my|our|your|these|those|all|each|every|another|other|first|last|next|only|about|"
    r"exactly|just|than|least|most|a|an|of|additional|extra|\w+-) \Z",
    re.IGNORECASE,
)
_MONEY_ENDS = re.compile(r"[.,;?]| (?:for|on|in|to|from|and|each|per|when|as|if|but)\b")


@perturbation(
    "reverse",
    capability=Capability.OPERATION_REASONING,
    changes_target=True,
    promises=PROMISES,
    shapes=("word_problem",),
    languages=("en",),
    needs_equations=True,
    qualifies="a number stated once, used once, whose value the answer determines",
)
def reverse(problem: Problem, draw: Draw) -> Problem | None:
    """Tom has 30 pens ... -> Tom has x pens ... If the answer is 74, what is x?"""
    if is_too_long(problem.text) or is_limited(problem) or problem.question.rstrip()[-1:] not in (".", "?"):
        return None
    choices = list(_choices(problem))
    if not choices:
        return None
    graph, leaf = draw.choice(choices)
    assert leaf.quantity is not None
    answer = expression.canonical(graph.tree.value())
    hidden, what = with_variable(problem, leaf.quantity), "x"
    if draw.integer(1, 100) <= _UNKNOWN_NUMBER and (other := _unknown_number(problem, leaf.quantity)):
        hidden, what = other, "the unknown number"
    question = f"{hidden.question.rstrip()} If the answer is {answer}, what is {what}?"
    equation = invert(graph.tree, leaf.path, graph.answer)
    return recalculated(hidden.replace(question=question), equation)


def _choices(problem: Problem) -> Iterator[tuple[Graph, Leaf]]:
    """Yield the leaves that can be hidden, each with the graph of its problem."""
    places = {(quantity.field, quantity.start) for quantity in nameable(problem)}
    graph = graph_of(problem)
    candidates = [(graph, leaf) for leaf in graph.linked] if graph else list(partial_graphs(problem))
    for made, leaf in candidates:
        assert leaf.quantity is not None
        if (leaf.quantity.field, leaf.quantity.start) in places and _is_determined(problem, made, leaf):
            yield made, leaf


def _is_determined(problem: Problem, graph: Graph, leaf: Leaf) -> bool:
    """Return whether only this number gives the answer, and no word of the text reveals it."""
    try:
        answer = graph.tree.value()
        if answer <= 0 or "/" in expression.canonical(answer) or leaf.value == answer or not leaf.path:
            return False
        if invert(graph.tree, leaf.path, graph.answer).value() != leaf.value:
            return False
        others = {root for root in roots(graph.tree, leaf.path, answer) if root > 0} - {leaf.value}
    except ExpressionError:
        return False
    whole = {root for root in others if root.denominator == 1 or leaf.value.denominator > 1}
    if whole and not is_directed(problem.question):
        return False
    return not is_implied(problem, leaf.value) and not may_be_packing(problem.text, graph, leaf)


def _unknown_number(problem: Problem, quantity: Quantity) -> Problem | None:
    """Rewrite "9 cats" as "an unknown number of cats"; None where that is uncertain.

    "$9" becomes "an unknown number of dollars".
    """
    text = problem.text_at(quantity.field)
    if not quantity.is_integer or "unknown" in problem.text:
        return None
    start, before = quantity.start, text[: quantity.start]
    if before.endswith("$"):
        start, before = start - 1, before[:-1]
        if not _MONEY_ENDS.match(text, quantity.end):
            return None
        new = "an unknown number of dollars"
    else:
        noun = _COUNTED.match(text, quantity.end)
        if noun is None or noun["noun"] not in COUNTED_NOUNS:
            return None
        new = "an unknown number of"
    if _NOT_BEFORE.search(before):
        return None
    return problem.with_texts({quantity.field: splice(text, [(start, quantity.end, new)])})


# The answer is not the value of the calculation, or a limit determines the calculation.
_LIMITED = re.compile(
    r"\b(?:maximum|minimum|at least|at most|nearest|rounded|rounding|round (?:up|down|to|off|your|the)|"
    r"approximately|approx|roughly|estimated?|almost|nearly|fewest|least|greatest|highest|lowest|largest|smallest|"
    r"up to|no more than|limit(?:ed)?|whole number|exceed(?:s|ed)?|overtime|only buy|"
    r"can (?:he|she|they|you|we) (?:buy|make|afford|fit|fill)|can be (?:made|bought|filled)|for every|every \d+|"
    r"each additional|every additional|after the first|whichever|cheapest|best deal|"
    r"(?:over|more than|less than|under|fewer than) \$?\d+)\b",
    re.IGNORECASE,
)
# The answer is a distance without a direction: either side may be the larger one.
_UNDIRECTED = re.compile(
    r"\b(?:difference|differ|differs|apart|between|away|far|farther|further|distance|compared?|change in|"
    r"the [a-z]{2,12}er (?:one|of the two)|(?:does|did|is|was) the [a-z]{2,12}er)\b",
    re.IGNORECASE,
)
_SHARED = re.compile(r"\b(?:equally|evenly|equal|split|average|divided|divides?)\b", re.IGNORECASE)
_CONTINUOUS = UNITS_OF_MEASURE | ABBREVIATED_UNITS | {"$", "%", "cup", "cups", "kg", "lbs"}


def is_limited(problem: Problem) -> bool:
    """Return whether the answer depends on a limit, a rounding or a condition on an amount."""
    return _LIMITED.search(problem.text) is not None


def is_directed(question: str) -> bool:
    """Return whether the answer is an amount, or a difference with a direction ("how many more")."""
    return _UNDIRECTED.search(question) is None


def may_be_packing(text: str, graph: Graph, leaf: Leaf) -> bool:
    """Return whether a quotient above a leaf may be rounded to packs, so that several numbers give it.

    >>> from dnc_datasets.graph import graph_of
    >>> pens = Problem("1", "60 pens fill boxes of 12.", "How many boxes?", equation="60 / 12", answer="5")
    >>> made = graph_of(pens)
    >>> may_be_packing(pens.text, made, made.linked[0])
    True
    """
    if _SHARED.search(text):
        return False
    stated = {quantity.value for quantity in numerals.find(text)}
    for length in range(len(leaf.path)):
        node = node_at(graph.tree, leaf.path[:length])
        if not (isinstance(node, Binary) and node.op == "/"):
            continue
        if node.value().denominator > 1:
            continue
        if isinstance(node.right, Number) and node.right.number not in stated:
            continue  # divided by a constant: half of it, per cent, minutes of an hour
        over, under = (_units(graph, (*leaf.path[:length], side)) for side in (0, 1))
        if not over & _CONTINUOUS or over & under:
            return True
    return False


def _units(graph: Graph, path: tuple[int, ...]) -> set[str]:
    """Return the known units of the numbers below a node."""
    below = {(*path, *rest) for rest, _ in nodes(node_at(graph.tree, path))}
    return {leaf.unit for leaf in graph.leaves if leaf.path in below and leaf.unit}


# The number depends on the others: the highest, the range.
_CHOSEN = re.compile(
    r"\b(?:range|median|mode|most|best|worst|top|longest|shortest|biggest|earliest|latest|at what|which|when)\b",
    re.IGNORECASE,
)
_CHOSEN_BY_PROGRAM = re.compile(r"table_(?:max|min)|greater")
# Counts are not given in thousands.
_COUNTS = re.compile(r"\b(?:number of|how many)\b", re.IGNORECASE)
# The answer is new less old, and its sign shows the larger one.
_CHANGE = re.compile(r"\b(?:changes?|increases?|decreases?|growth|declines?|variance)\b", re.IGNORECASE)
_DIFFERENCE = re.compile(r"\b(?:difference|differ|apart|compared?)\b", re.IGNORECASE)


@perturbation(
    "reverse",
    capability=Capability.OPERATION_REASONING,
    changes_target=True,
    promises=("one_cell_hidden", "hidden_cell_follows", "hidden_cell_is_no_part", "equation_gives_answer"),
    shapes=("table",),
    languages=("en",),
    needs_equations=True,
    qualifies="an operand in one cell that an exact answer determines and nothing else in the document gives",
)
def hide_a_cell(problem: Problem, draw: Draw) -> Problem | None:
    """What was the change in sales? -> ... If the answer is 74 million, what is x in the table?"""
    question = problem.question.rstrip()
    if not problem.equation or problem.answer_type != "number" or question[-1:] not in (".", "?"):
        return None
    if _chooses(problem) or (problem.unit in _SCALES and _COUNTS.search(question)):
        return None
    choices = list(_cells(problem))
    if not choices:
        return None
    cell, quantity, tree, path = draw.choice(choices)
    given = in_unit(tree.value(), problem)
    if given is None:
        return None
    opening = "If" if question[:1].isupper() else "if"
    hidden = in_cell(problem, cell, quantity)
    hidden = hidden.replace(question=f"{question} {opening} the answer is {given}, what is x in the table?")
    scaled = typed(problem.table).kinds[cell] == AMOUNT and problem.note("table_scale") in _SCALES
    made = recalculated(
        hidden,
        invert(tree, path, expression.number(tree.value())),
        problem.note("table_scale") if scaled else "",
    )
    stored = operand_links.stored(problem)
    links = {
        value: stored.get(value, operand_links.CONSTANT)
        for value in operand_links.operand_values(expression.parse(made.equation))
    }
    meta = {**dict(made.meta), "operands": operand_links.to_note(links)}
    made = made.replace(meta=tuple(sorted(meta.items())))
    return made if hidden_cell_is_no_part(problem, made) else None


_SCALES = ("thousand", "million", "billion")


def _chooses(problem: Problem) -> bool:
    """Return whether the question requires a search or a comparison before the calculation."""
    return bool(
        _LIMITED.search(problem.question)
        or _CHOSEN.search(problem.question)
        or _CHOSEN_BY_PROGRAM.search(problem.note("program"))
    )


def _cells(problem: Problem) -> Iterator[tuple[Cell, Quantity, Expr, Path]]:
    """Yield the cells that can be hidden, each with the calculation and the place of its number in it."""
    try:
        tree = expression.parse(problem.equation)
        exact = tree.value() == expression.parse(problem.answer).value()
    except ExpressionError:
        return
    if not exact or "/" in expression.canonical(tree.value()):
        return  # the stated answer is rounded
    if not operands_in_named_years(problem, operand_links.stored(problem).values()):
        return
    leaves = [(path, node.number) for path, node in nodes(tree) if isinstance(node, Number)]
    for cell, quantity in nameable_cells(problem):
        paths = [path for path, number in leaves if number == quantity.value]
        if (
            len(paths) == 1
            and paths[0]
            and _leaves_one_value(problem, tree, paths[0], quantity.value)
            and not is_read_off(problem, cell)
        ):
            yield cell, quantity, tree, paths[0]


def _leaves_one_value(problem: Problem, tree: Expr, path: Path, value: Fraction) -> bool:
    """Return whether the answer, with either sign, determines this number of the table."""
    answer = tree.value()
    try:
        if (
            not answer
            or abs(answer) == value
            or invert(tree, path, expression.number(answer)).value() != value
        ):
            return False
        others = {root for root in roots(tree, path, answer) if root > 0} - {value}
    except ExpressionError:
        return False
    if answer > 0 and not others:
        return True
    if _DIFFERENCE.search(problem.question):
        return False
    if _CHANGE.search(problem.question):
        return _runs_forward(problem, tree)
    return answer > 0 and is_directed(problem.question)


def _runs_forward(problem: Problem, tree: Expr) -> bool:
    """Return whether the equation subtracts the earlier number of a change from the later one."""
    pair = tree if isinstance(tree, Binary) and tree.op == "-" else None
    terms = [operand_links.operand_values(side) for side in (pair.left, pair.right)] if pair else []
    stored = operand_links.stored(problem)
    if [len(values) for values in terms] != [1, 1]:
        return False
    return runs_forward(problem, *(stored.get(values[0], "") for values in terms))
