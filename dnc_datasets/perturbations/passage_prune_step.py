"""Prune step over passages: how many more becomes how many, where only two numbers can give the difference."""

from __future__ import annotations

from dnc_datasets import expression, numerals
from dnc_datasets.certificate.passages import operands_behind_answer
from dnc_datasets.draws import Draw
from dnc_datasets.english.rewording.passage_differences import difference
from dnc_datasets.perturbations import Capability, perturbation
from dnc_datasets.perturbations.reasoning.rows import calculated, decomposition
from dnc_datasets.problem import Problem
from dnc_datasets.qdmr import transform
from dnc_datasets.qdmr.steps import Operator


@perturbation(
    "prune_step",
    capability=Capability.OPERATION_REASONING,
    changes_target=True,
    promises=("only_question_changed", "operands_behind_answer"),
    shapes=("passage",),
    languages=("en",),
)
def ask_for_one_side(problem: Problem, draw: Draw) -> Problem | None:
    """How many more whites are there than Asians? -> How many whites are there?"""
    asked = difference(problem.question)
    answer = numerals.parse(problem.answer)
    steps = decomposition(problem)
    if asked is None or not asked.first or answer is None or steps is None:
        return None
    last = steps[-1]
    if last.operator is not Operator.ARITHMETIC or "difference" not in last.text or len(last.references) != 2:
        return None
    pair = transform.operands_of(
        answer, [quantity.value for quantity in numerals.find(problem.body)], "difference"
    )
    if pair is None:
        return None
    value = pair[0] if asked.more else pair[1]
    kept = transform.needed(steps[: last.references[0]])
    made = calculated(problem, asked.first, expression.number(value), "", kept)
    return made if operands_behind_answer(problem, made) else None
