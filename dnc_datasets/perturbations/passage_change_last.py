"""Change last over passages: instead of how many more, the question asks whether there are more."""

from __future__ import annotations

import re

from dnc_datasets import numerals
from dnc_datasets.certificate.passages import comparison_from_difference
from dnc_datasets.draws import Draw
from dnc_datasets.english.rewording.passage_differences import difference
from dnc_datasets.perturbations import Capability, perturbation
from dnc_datasets.perturbations.reasoning.rows import QDMR, constrained, decomposition, yes_or_no
from dnc_datasets.problem import Problem
from dnc_datasets.qdmr import transform
from dnc_datasets.qdmr.steps import Operator, Step

_MAX_TEXT = 100
_MEASURED = re.compile(
    r"(?:percent|percentage|number|size|population|year|date|average|median) of [A-Za-z0-9]"
)
# What people write in steps, and a question cannot say: "the size of German group", "the number of 25 years old", "the
# number of people lived in Rome", "the population As of 2000", "the percent of the average size", "the percent of oil
# that Peru sell".
_NOT_ENGLISH = re.compile(
    r"of (?:(?!the |in |people )\S+ ){0,4}group\b|\A\w+ of \d|people [a-z]+ed\b| As |percent(?:age)? of the average\b"
    r"|that [A-Z]\w+ (?!did\b|had\b)[a-z]+(?<!s)(?<!ed)\Z"
)
# "Were there fewer percent of jobs ...", "... fewer men than both women and children", each or together?
_UNSURE = re.compile(r"\bpercent\b|\bboth\b")
_UP = frozenset("more longer higher larger".split())


@perturbation(
    "change_last",
    capability=Capability.OPERATION_REASONING,
    changes_target=True,
    promises=("only_question_changed", "compared_or_constrained"),
    shapes=("passage",),
    languages=("en",),
    asks_yes_no=True,
)
def ask_which_way(problem: Problem, draw: Draw, *, constraints: bool = False) -> Problem | None:
    """How many more whites are there than Asians? -> Are there more Asians than whites?

    With `constraints`, also a comparison becomes a difference, and a difference a question for equality, whose answer
    is not known but for its kind.
    """
    return _compared(problem, draw) or (_constrained(problem) if constraints else None)


def _compared(problem: Problem, draw: Draw) -> Problem | None:
    truth = bool(draw.integer(0, 1))  # first, and never again
    at = draw.integer(0, 1)
    asked = difference(problem.question)
    answer = numerals.parse(problem.answer)
    steps = decomposition(problem)
    if asked is None or not asked.swapped or answer is None or answer <= 0 or steps is None:
        return None
    if _UNSURE.search(asked.swapped):
        return None
    last = steps[-1]
    if last.operator is not Operator.ARITHMETIC or "difference" not in last.text or len(last.references) != 2:
        return None
    word = asked.words[at]
    swapped = (word == asked.word) != truth
    high, low = last.references if asked.more else last.references[::-1]
    first, second = (high, low) if truth == (word in _UP) else (low, high)
    how = "higher" if word in _UP else "lower"
    made = yes_or_no(
        problem,
        asked.comparison(word, swapped),
        truth,
        (*steps[:-1], Step(f"if #{first} is {how} than #{second}")),
    )
    return made if comparison_from_difference(problem, made) else None


def _constrained(problem: Problem) -> Problem | None:
    """ "the percent of Germans", "the percent of Irish", as the steps tell: their difference, or are they the same?"""
    steps = decomposition(problem)
    last = steps[-1] if steps else None
    if steps is None or last is None or len(last.references) != 2 or len(steps) != 3:
        return None
    one, two = (steps[reference - 1].text.removeprefix("the ") for reference in last.references)
    if not all(_MEASURED.match(text) and len(text) < _MAX_TEXT for text in (one, two)) or one == two:
        return None
    # What a rule has read is seldom a phrase ("the percent of of voters were white"), but where the question has it.
    if not problem.note(QDMR) and not all(text in problem.question for text in (one, two)):
        return None
    if _NOT_ENGLISH.search(one) or _NOT_ENGLISH.search(two):
        return None
    if last.operator is Operator.COMPARISON and (made := transform.change_last(steps, "difference")):
        question = f"What is the difference between the {one} and the {two}?"
    elif last.operator is Operator.ARITHMETIC and (made := transform.change_last(steps, "same")):
        question = f"Is the {one} the same as the {two}?"
    else:
        return None
    return constrained(problem, " ".join(question.split()), made.constraint, made.steps)
