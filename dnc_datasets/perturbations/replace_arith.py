"""Replace arith: the last operation becomes another one, in word problems, passages and tables."""

from __future__ import annotations

import re
from fractions import Fraction

from dnc_datasets import expression, numerals
from dnc_datasets.certificate.reasoning import last_operation_replaced, only_question_changed
from dnc_datasets.certificate.table_operations import operation_asked
from dnc_datasets.draws import Draw
from dnc_datasets.english.rewording.passage_differences import difference
from dnc_datasets.errors import ExpressionError
from dnc_datasets.expression import Binary, Expr
from dnc_datasets.perturbations import Capability, perturbation
from dnc_datasets.perturbations.logic import ask_otherwise, compare_two
from dnc_datasets.perturbations.reasoning.rows import (
    are_stated_together,
    calculated,
    constrained,
    decomposition,
)
from dnc_datasets.perturbations.reasoning.table_gates import is_change, is_fit, states_changes
from dnc_datasets.perturbations.reasoning.table_operations import operations
from dnc_datasets.perturbations.table_logic import change_operation
from dnc_datasets.problem import Problem
from dnc_datasets.qdmr import equations, transform

# Rates and averages have no total.
_NO_TOTAL = re.compile(r"\b(?:rates?|average|points higher|points lower|percentage points)\b", re.IGNORECASE)
# Groups that are also counted in other groups.
_OVERLAP = re.compile(
    r"\bof any race\b|\bhispanics? or latin[oa]s?\b|\bincluding\b|\bof wh(?:om|ich)\b", re.IGNORECASE
)
_CLAUSE_END = re.compile(r"[,;]|\.\s")
_ONE_OF = re.compile(r"[Hh]ow many (?:more |fewer )?(?:acre|mile|pound|foot|inch|yard|cup|liter|gallon)\b")


@perturbation(
    "replace_arith",
    capability=Capability.OPERATION_REASONING,
    changes_target=True,
    promises=(
        "only_question_changed",
        "equation_gives_answer",
        "asked_as_computed",
        "answer_plausible",
        "last_operation_replaced",
    ),
    shapes=("word_problem",),
    needs_equations=True,
    qualifies="a sum or difference of two numbers whose counterpart a template can ask for, or two amounts that a text "
    "in several steps names",
)
def replace_last_operation(problem: Problem, draw: Draw) -> Problem | None:
    """How many pens do Amy and Ben have? -> How many more pens does Amy have than Ben?"""
    try:
        equation = expression.parse(problem.equation) if problem.equation else None
    except ExpressionError:
        return None
    if equation is None or not equation.operators:
        return None
    if len(equation.operators) > 1:
        return _compared_instead(problem, draw)
    steps = equations.decompose(equation)
    replaced = transform.replace_arith(steps.steps) if steps else None
    made = ask_otherwise(problem, draw) if replaced else None
    if made is None or made.body != problem.body:
        return None
    new = expression.parse(made.equation)
    if sorted(leaf.infix() for leaf in new.leaves()) != sorted(leaf.infix() for leaf in equation.leaves()):
        return None
    if {equation.operators, new.operators} != {("+",), ("-",)}:
        return None
    if _ONE_OF.match(made.question) or " some " in made.question:
        return None  # "0.4 acre" is no unit of a sum; "some toys" would now be definite
    return calculated(problem, definite(made.question), new, made.unit)


def _compared_instead(problem: Problem, draw: Draw) -> Problem | None:
    """Return a question for the difference of two amounts of the text, for a problem with several steps."""
    made = compare_two(problem, draw)
    if made is None or _ONE_OF.match(made.question) or " some " in made.question or " ones" in made.question:
        return None
    new = expression.parse(made.equation)
    if _is_said_of_the_smaller(problem.body, made.question, new):
        return None
    row = calculated(problem.replace(body=made.body), made.question, new, made.unit)
    holds = last_operation_replaced(problem, row) and only_question_changed(problem, row)
    return row if holds else None


_OF_DAYS = re.compile(
    r"\b(?:did|does) (?:the )?(?P<who>[A-Za-z. ]{2,40}?) [a-z]+ (?P<one>(?:on|in|during|this|last) "
    r"[A-Za-z ]{3,20}) than (?P<two>[A-Za-z ]{3,30})\?"
)


def _is_said_of_the_smaller(body: str, question: str, equation: Expr) -> bool:
    """Return whether the body states the smaller of two days' numbers first.

    An unclear order, or a comma between a day and its number, also gives True.
    """
    found = _OF_DAYS.search(question)
    if found is None or not isinstance(equation, Binary):
        return False
    if any(f"{found[side]},".lower() in body.lower() for side in ("one", "two")):
        return True  # a comma separates the day from its number
    places = [
        [one.start for one in numerals.find(body) if one.value == side.value()]
        for side in (equation.left, equation.right)
    ]
    if any(len(some) != 1 for some in places):
        return True
    (larger,), (smaller,) = places
    return smaller < larger


def definite(text: str) -> str:
    """Return the text with definite articles for the places that the body introduced: " at the fair"."""
    return _INDEFINITE.sub(r"\1 the ", text)


_INDEFINITE = re.compile(
    r"\b(on|for|at|in|from|into|to) an? "
    r"(?!(?:day|week|month|year|hour|minute|time|while|friend|pound|dozen|total|row)\b)"
)


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
    if (
        pair is None
        or not are_stated_together(problem, pair)
        or _NO_TOTAL.search(problem.question)
        or _may_overlap(problem, pair)
    ):
        if not constraints:
            return None
        bound = f"{changed.constraint} {expression.canonical(answer)}"
        return constrained(problem, asked.total, bound, changed.steps)
    total = Binary("+", *map(expression.number, pair))
    return calculated(problem, asked.total, total, "", changed.steps)


def _may_overlap(problem: Problem, pair: tuple[Fraction, Fraction]) -> bool:
    """Return whether one group may be part of the other: "400 men, of whom 90"."""
    before = 0
    for quantity in numerals.find(problem.body):
        if quantity.value in pair:
            after = _CLAUSE_END.split(problem.body[quantity.end :], maxsplit=1)[0]
            if _OVERLAP.search(f"{problem.body[before : quantity.start]} {after}"):
                return True
        before = quantity.end
    return False


@perturbation(
    "replace_arith",
    capability=Capability.OPERATION_REASONING,
    changes_target=True,
    promises=(
        "only_question_changed",
        "operands_and_years_kept",
        "operation_changed",
        "operation_asked",
        "equation_gives_answer",
    ),
    shapes=("table",),
    languages=("en",),
    needs_equations=True,
    qualifies="a question about a change, a sum, an average or a ratio of linked operands",
)
def ask_for_another_operation(problem: Problem, draw: Draw) -> Problem | None:
    """What was the change in sales from 2018 to 2019? -> What was the average of sales in 2018 and 2019?"""
    if not is_fit(problem):
        return None
    changed = change_operation(problem, draw)
    stated = states_changes(problem)
    if changed is not None and not (stated and is_change(changed)):
        return changed if operation_asked(problem, changed) else None
    choices = [
        made
        for made in operations(problem)
        if operation_asked(problem, made) and not (stated and is_change(made))
    ]
    return draw.choice(choices) if choices else None
