"""Replace arith over tables: the question asks for another operation on the same operands."""

from __future__ import annotations

from dnc_datasets.draws import Draw
from dnc_datasets.perturbations import Capability, perturbation
from dnc_datasets.perturbations.table_logic import change_operation
from dnc_datasets.problem import Problem


@perturbation(
    "replace_arith",
    capability=Capability.OPERATION_REASONING,
    changes_target=True,
    promises=("only_question_changed", "linked_operands_kept", "operation_changed", "equation_gives_answer"),
    shapes=("table",),
    languages=("en",),
    needs_equations=True,
    qualifies="a question about a change, a sum, an average or a ratio of linked operands",
)
def ask_for_another_operation(problem: Problem, draw: Draw) -> Problem | None:
    """What was the change in sales from 2018 to 2019? -> What was the average of sales in 2018 and 2019?"""
    return change_operation(problem, draw)
