"""Replace arith over passages: how many more becomes how many in total, where only two numbers can give it."""

from __future__ import annotations

from dnc_datasets import expression, numerals
from dnc_datasets.draws import Draw
from dnc_datasets.english.rewording.passage_differences import difference
from dnc_datasets.expression import Binary
from dnc_datasets.perturbations import Capability, perturbation
from dnc_datasets.perturbations.reasoning.rows import calculated, constrained, decomposition
from dnc_datasets.problem import Problem
from dnc_datasets.qdmr import transform


@perturbation(
    "replace_arith",
    capability=Capability.OPERATION_REASONING,
    changes_target=True,
    promises=("only_question_changed", "exact_or_constrained", "constraint_follows"),
    shapes=("passage",),
    languages=("en",),
)
def ask_for_the_total(problem: Problem, draw: Draw, *, constraints: bool = False) -> Problem | None:
    """How many more whites are there than Asians? -> How many whites and Asians are there in total?

    With `constraints`, also where the two numbers are not known: their sum is not below their difference.
    """
    asked = difference(problem.question)
    answer = numerals.parse(problem.answer)
    steps = decomposition(problem)
    changed = transform.replace_arith(steps) if steps and asked and asked.total else None
    if (
        asked is None
        or answer is None
        or answer < 0
        or changed is None
        or changed.constraint != transform.AT_LEAST
    ):
        return None
    values = [quantity.value for quantity in numerals.find(problem.body)]
    pair = transform.operands_of(answer, values, "difference")
    if pair is None:
        if not constraints:
            return None
        bound = f"{changed.constraint} {expression.canonical(answer)}"
        return constrained(problem, asked.total, bound, changed.steps)
    total = Binary("+", *map(expression.number, pair))
    return calculated(problem, asked.total, total, "", changed.steps)
