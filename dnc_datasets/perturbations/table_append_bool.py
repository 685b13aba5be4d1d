"""Append bool over tables: "What was the change in sales?" -> "Was the change in sales more than 12 million?"."""

from __future__ import annotations

import re

from dnc_datasets.draws import Draw
from dnc_datasets.english.reading.sentences import is_too_long
from dnc_datasets.perturbations import Capability, perturbation
from dnc_datasets.perturbations.reasoning import phrases, thresholds
from dnc_datasets.perturbations.reasoning.rows import answer_of, steps_of, yes_or_no
from dnc_datasets.perturbations.reasoning.thresholds import RELATIONS
from dnc_datasets.problem import Problem
from dnc_datasets.qdmr import transform

_ASKED = re.compile(r"(?:\A|, )(?:[Ww]hat|How much) (?P<verb>is|was) (?=the )")
_COMPARED = re.compile(r"\b(?:more than|less than|fewer than|greater than|at least|at most|exactly|or)\b")
_WORDS = ("more than", "less than", "at least", "at most")
_SIGNED = ("greater than", "less than")
_OUT = re.compile(
    r"\b(?:used|paid|spent|loss(?:es)?|expenses?|outflows?|decrease|deficit|amorti[sz]ation|depreciation|costs?)\b",
    re.IGNORECASE,
)
_MOVED = re.compile(r"\b(?:change|difference|increase|growth|decrease|variance)\b", re.IGNORECASE)
_UNITS = {"percent": "%", "": ""}


@perturbation(
    "append_bool",
    capability=Capability.OPERATION_REASONING,
    changes_target=True,
    promises=("only_question_changed", "answer_from_equation", "question_words_kept"),
    shapes=("table",),
    languages=("en",),
    asks_yes_no=True,
    needs_equations=True,
)
def ask_whether_it_is_more(problem: Problem, draw: Draw) -> Problem | None:
    """What was the change in sales? -> Was the change in sales more than 12 million?"""
    truth = bool(draw.integer(0, 1))  # first, and never again
    known = answer_of(problem)
    asked = None if is_too_long(problem.question) else _ASKED.search(problem.question)
    if known is None or asked is None or _COMPARED.search(problem.question) or not known[1]:
        return None
    if not problem.question.endswith("?") or problem.question.count("?") > 1:
        return None
    exact, stated = known
    if stated < 0 and (_OUT.search(problem.question) or not _MOVED.search(problem.question)):
        return None  # is less than -5 used, or more? Only a change is said to be negative
    words = _WORDS if stated > 0 else _SIGNED
    made = thresholds.draw(stated, truth, words, draw, least=1, stated=exact)
    if made is None:
        return None
    steps = steps_of(problem)
    if steps is not None:
        relation = RELATIONS.get(made.words)
        steps = transform.append_bool(steps, relation, made.value).steps if relation else None
    unit = _UNITS.get(problem.unit, f" {problem.unit}")
    number = f"{made.words} {phrases.written(made.value, problem)}{unit}"
    before, what = problem.question[: asked.start()], problem.question[asked.end() :].rstrip("? ")
    verb = f", {asked['verb']}" if before else asked["verb"].capitalize()
    return yes_or_no(problem, f"{before}{verb} {what} {number}?", truth, steps)
