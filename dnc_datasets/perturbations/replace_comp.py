"""Replace comp: a choice of the larger of two things becomes one of the smaller, with the other answer."""

from __future__ import annotations

from dnc_datasets.certificate.passages import opposite_choice
from dnc_datasets.draws import Draw
from dnc_datasets.english.rewording.choices import choice
from dnc_datasets.perturbations import Capability, perturbation
from dnc_datasets.perturbations.reasoning.rows import answered, decomposition
from dnc_datasets.problem import Problem
from dnc_datasets.qdmr import transform
from dnc_datasets.qdmr.steps import Operator, Step


@perturbation(
    "replace_comp",
    capability=Capability.OPERATION_REASONING,
    changes_target=True,
    promises=("only_question_changed", "opposite_choice"),
    shapes=("passage",),
    languages=("en",),
    needs_spans=True,
    qualifies="a choice between two by one comparison, with one of them as answer",
)
def ask_for_the_other(problem: Problem, draw: Draw) -> Problem | None:
    """Which is longer, the Nile or the Rhine? -> Which is shorter, the Nile or the Rhine?"""
    asked = choice(problem.question)
    answer = transform.other_choice((asked.one, asked.two), problem.answer) if asked else None
    steps = decomposition(problem) if answer else None
    question = asked.opposite() if asked else None
    if asked is None or question is None or answer is None or steps is None:
        return None
    last = steps[-1]
    if last.operator is not Operator.COMPARISON or len(set(last.references)) != 2:
        return None
    changed = transform.replace_comp(steps)
    # The rule for steps does not apply to orders ("second", "later").
    listed = " , ".join(f"#{reference}" for reference in last.references)
    new = changed.steps if changed else (*steps[:-1], Step(f"which is {asked.opposed} of {listed}"))
    made = answered(problem, question, answer, new)
    return made if opposite_choice(problem, made) else None
