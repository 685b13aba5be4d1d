"""Replace bool: a question whether something holds of both asks whether it holds of neither."""

from __future__ import annotations

import re

from dnc_datasets.draws import Draw
from dnc_datasets.perturbations import Capability, perturbation
from dnc_datasets.perturbations.reasoning.rows import decomposition, yes_or_no
from dnc_datasets.problem import Problem
from dnc_datasets.qdmr import transform

_NAME = r"(?:the )?[A-Z][\w.'-]*(?: (?:of |the )?[A-Z][\w.'-]*){0,4}"
_BOTH = re.compile(
    r"(?P<verb>Are|Were|Did|Do|Have|Had|Can|Could|Will) (?:both )?"
    rf"(?P<one>{_NAME}) and (?P<two>{_NAME})(?: both)? (?P<rest>(?!both\b)[A-Za-z][^?]{{2,150}})\?"
)


@perturbation(
    "replace_bool",
    capability=Capability.OPERATION_REASONING,
    changes_target=True,
    promises=("only_question_changed", "neither_of_both"),
    shapes=("passage",),
    languages=("en",),
    asks_yes_no=True,
    needs_spans=True,
    qualifies="a question whether something holds of both of two named things, with yes as answer",
)
def ask_for_neither(problem: Problem, draw: Draw) -> Problem | None:
    """Were both Ann and Ben born in Rome? (yes) -> Were neither Ann nor Ben born in Rome? (no)"""
    question = neither(problem.question)
    if question is None or problem.answer.lower() != "yes":
        return None
    steps = decomposition(problem)
    changed = transform.replace_bool(steps) if steps else None
    return yes_or_no(problem, question, False, changed.steps if changed else None)


def neither(question: str) -> str | None:
    """The question whether something holds of neither; None where nothing is asked of both of two named things.

    >>> neither("Are both Lima and Quito capitals?")
    'Are neither Lima nor Quito capitals?'
    >>> neither("Were Heart and Days of Wine both filmed in Rome?") is None  # where a name ends is not certain
    True
    """
    found = _BOTH.fullmatch(" ".join(question.split()))
    if found is None or re.search(r"^and\b|\b(?:both|same|each other|or|not)\b", found["rest"]):
        return None
    return f"{found['verb']} neither {found['one']} nor {found['two']} {found['rest']}?"
