"""Replace bool: a question about both things asks about neither; a choice becomes a yes-or-no question."""

from __future__ import annotations

import re

from dnc_datasets.certificate.passages import choice_as_comparison
from dnc_datasets.draws import Draw
from dnc_datasets.english.rewording.choices import Compared, comparison
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
    promises=("only_question_changed", "neither_or_compared"),
    shapes=("passage",),
    languages=("en",),
    asks_yes_no=True,
    needs_spans=True,
    qualifies="a question whether something holds of both of two named things, with yes as answer, or which of two "
    "years or named things has more",
)
def ask_for_neither(problem: Problem, draw: Draw) -> Problem | None:
    """Were both Ann and Ben born in Rome? (yes) -> Were neither Ann nor Ben born in Rome? (no)

    A choice becomes a comparison: "Which year had more rain, 2001 or 2002?" -> "Was there more rain in 2001 than in
    2002?"
    """
    truth = bool(draw.integer(0, 1))  # drawn first and only once
    if asked := comparison(problem.question):
        return _compared(problem, asked, truth)
    question = neither(problem.question)
    if question is None or problem.answer.lower() != "yes":
        return None
    steps = decomposition(problem)
    changed = transform.replace_bool(steps) if steps else None
    return yes_or_no(problem, question, False, changed.steps if changed else None)


def neither(question: str) -> str | None:
    """Return the question for neither of two named things; None if the question is not for both of two.

    >>> neither("Are both Lima and Quito capitals?")
    'Are neither Lima nor Quito capitals?'
    >>> neither("Are both Lima and Quito in the same country?") is None
    True
    """
    found = _BOTH.fullmatch(" ".join(question.split()))
    if found is None or re.search(r"^and\b|\b(?:both|same|each other|or|not)\b", found["rest"]):
        return None
    return f"{found['verb']} neither {found['one']} nor {found['two']} {found['rest']}?"


def _compared(problem: Problem, asked: Compared, truth: bool) -> Problem | None:
    """Return the comparison of the two things with the given truth value."""
    other = transform.other_choice((asked.one, asked.two), problem.answer)
    if other is None:
        return None
    word = asked.word if truth == (other == asked.two) else asked.opposite
    made = yes_or_no(problem, asked.question.format(word), truth, None)
    return made if choice_as_comparison(problem, made) else None
