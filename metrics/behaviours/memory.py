"""Behaviours that answer a problem other than the one asked, or no specific problem."""

from __future__ import annotations

from collections.abc import Iterator

from dnc_metrics._mistakes import ORIGINAL, Ratio, evaluate, written
from dnc_metrics.behaviours.case import Case
from dnc_metrics.behaviours.registry import Behaviour, behaviour

MEMORISED = "answers_the_original"


@behaviour("answers the original problem instead of the changed one", ORIGINAL)
def answers_the_original(case: Case) -> Iterator[Ratio]:
    if case.original is not None and case.original.answer is not None:
        yield case.original.answer


@behaviour("ignores the changed question and answers the original one", "ignored the question")
def ignores_the_changed_question(case: Case) -> Iterator[Ratio]:
    before = case.original
    if before is None or before.tree is None:
        return
    if (before.tree, before.operands) == (case.tree, case.operands):
        return  # the same question about the same numbers
    operands = before.operands
    if len(before.numbers) == len(case.numbers) or not set(operands) <= set(case.numbers):
        # The original calculation with the current numbers; a new question may add further ones.
        moved = dict(zip(before.numbers, case.numbers, strict=False))
        operands = tuple(moved.get(value, value) for value in operands)
    if set(operands) <= set(case.numbers):
        value = evaluate(before.tree, operands)
        if value is not None:
            yield value


def gives_one_answer(answer: Ratio) -> Behaviour:
    """Return the behaviour of a system that gives this answer to many problems; it is not known in advance."""
    return Behaviour(
        "gives_one_answer",
        f"gives the same answer, {written(answer)}, to different problems",
        "gave one answer to all",
        lambda case: (answer,),
    )
