"""Change last: instead of how many more, the question asks whether there are more."""

from __future__ import annotations

import re

from dnc_datasets import expression
from dnc_datasets.certificate.reasoning import comparison_holds
from dnc_datasets.draws import Draw
from dnc_datasets.english.reading.sentences import is_too_long
from dnc_datasets.english.rewording.passage_differences import difference
from dnc_datasets.errors import ExpressionError
from dnc_datasets.expression import Binary, Number
from dnc_datasets.perturbations import Capability, perturbation
from dnc_datasets.perturbations.logic import ask_otherwise
from dnc_datasets.perturbations.reasoning.rows import yes_or_no
from dnc_datasets.problem import Problem
from dnc_datasets.qdmr import equations
from dnc_datasets.qdmr.steps import Step

_RELATIVE = re.compile(r"\b(?:more|fewer|less|times as|twice|half as)\b[^.?!]{0,80}\b(?:than|as)\b")
_NAME = r"(?:(?:Mr|Mrs|Ms)\. )?[A-Z][a-z]{1,15}(?: [A-Z][a-z]{1,15})?"
_DIFFERENCE = re.compile(
    rf"[Hh]ow many (?P<word>more|fewer|less) (?P<noun>[a-z][a-z '-]{{1,40}}) (?P<helper>do|does|did) (?P<one>{_NAME}) "
    rf"(?P<verb>[a-z]{{2,12}}) than (?P<other>{_NAME})(?: (?:do|does|did))? ?\?"
)


@perturbation(
    "change_last",
    capability=Capability.OPERATION_REASONING,
    changes_target=True,
    promises=("only_question_changed", "comparison_holds"),
    shapes=("word_problem",),
    languages=("en",),
    asks_yes_no=True,
    needs_equations=True,
    qualifies="a difference or a sum of what two named people have or do, or a difference of two kinds or places",
)
def ask_which_way(problem: Problem, draw: Draw) -> Problem | None:
    """How many more pens does Amy have than Ben? -> Does Ben have more pens than Amy?"""
    truth = bool(draw.integer(0, 1))  # first, and never again
    word = draw.choice(("more", "fewer"))
    if is_too_long(problem.text) or not problem.equation:
        return None
    if _RELATIVE.search(problem.body):
        return None  # "39 more than Zoe": the numbers are not what each of them has
    asked = _difference(problem, problem)
    if asked is None:
        # A sum of what two people have: whose is larger is what its difference says.
        other = ask_otherwise(problem, draw)
        asked = _difference(other, problem) if other is not None and other.body == problem.body else None
    if asked is None:
        return _of_things(problem, truth, word)
    found, equation = asked
    if equation.left.value() == equation.right.value():
        return None
    # The original says that `one` has more (or fewer); so `more` is true of the one who has more.
    high, low = (found["one"], found["other"]) if found["word"] == "more" else (found["other"], found["one"])
    first, second = (high, low) if truth == (word == "more") else (low, high)
    helper = found["helper"].capitalize()
    question = f"{helper} {first} {found['verb']} {word} {found['noun']} than {second}?"
    made = equations.decompose(equation)
    how = "higher" if word == "more" else "lower"
    sides = ("#1", "#2") if first == high else ("#2", "#1")
    steps = (*made.steps[:-1], Step(f"if {sides[0]} is {how} than {sides[1]}")) if made else None
    changed = yes_or_no(problem, question, truth, steps)
    return changed if comparison_holds(problem, changed) else None


def _of_things(problem: Problem, truth: bool, drawn: str) -> Problem | None:
    """How many more girls than boys are there? -> Are there more boys than girls?"""
    asked = difference(problem.question)
    try:
        equation = expression.parse(problem.equation)
        positive = equation.value() > 0
    except ExpressionError:
        return None
    if (
        asked is None
        or not asked.swapped
        or not positive
        or not isinstance(equation, Binary)
        or equation.op != "-"
    ):
        return None
    word = asked.words[(drawn == "more") != (asked.words[0] == "more")]
    question = asked.comparison(word, swapped=(word == asked.word) != truth)
    made = equations.decompose(equation)
    # The larger of the two is the first side of the difference.
    sides = made.steps[-1].references if made else ()
    high = truth == (word in ("more", "longer", "higher", "larger"))
    first, second = sides if high else sides[::-1] if sides else ("", "")
    how = "higher" if word in ("more", "longer", "higher", "larger") else "lower"
    steps = (*made.steps[:-1], Step(f"if #{first} is {how} than #{second}")) if made and sides else None
    changed = yes_or_no(problem, question, truth, steps)
    return changed if comparison_holds(problem, changed) else None


def _difference(asked: Problem, original: Problem) -> tuple[re.Match[str], Binary] | None:
    """The question for a difference between two named people, and its equation, the larger number first."""
    found = _DIFFERENCE.fullmatch(asked.question)
    try:
        equation = expression.parse(asked.equation)
    except ExpressionError:
        return None
    if (
        found is None
        or not isinstance(equation, Binary)
        or equation.op != "-"
        or found["one"] == found["other"]
    ):
        return None
    stated = set(original.values())
    leaves = (equation.left, equation.right)
    if not all(isinstance(leaf, Number) and leaf.number in stated for leaf in leaves):
        return None
    return (found, equation) if equation.value() > 0 else None
