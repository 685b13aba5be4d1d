"""Extend: the question adds one calculation with the answer; a control that tests only composition."""

from __future__ import annotations

from dnc_datasets import expression
from dnc_datasets.draws import Draw
from dnc_datasets.english.reading.sentences import is_too_long
from dnc_datasets.expression import Binary
from dnc_datasets.graph import graph_of
from dnc_datasets.perturbations import Capability, perturbation
from dnc_datasets.perturbations.numbers.variables import recalculated
from dnc_datasets.problem import Problem


@perturbation(
    "extend",
    capability=Capability.OPERATION_REASONING,
    changes_target=True,
    promises=("question_extended", "equation_gives_answer"),
    shapes=("word_problem",),
    languages=("en",),
    needs_equations=True,
    qualifies="one question whose answer is a positive number",
)
def extend(problem: Problem, draw: Draw) -> Problem | None:
    """How many pens has she? -> How many pens has she? And how much is 7 times that number?"""
    graph = graph_of(problem)
    if graph is None or is_too_long(problem.text) or not problem.question.rstrip().endswith("?"):
        return None
    if graph.tree.value() <= 0 or problem.text.count("?") != 1:
        return None
    factor = draw.integer(3, 9)
    question = f"{problem.question.rstrip()} And how much is {factor} times that number?"
    return recalculated(
        problem.replace(question=question), Binary("*", graph.tree, expression.literal(str(factor)))
    )
