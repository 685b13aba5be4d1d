"""Prune step: the question asks for a step on the way to the answer, and no longer for the last one."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator
from fractions import Fraction

from dnc_datasets import expression, numerals
from dnc_datasets import steps as solution
from dnc_datasets.draws import Draw
from dnc_datasets.english.reading.sentences import is_too_long
from dnc_datasets.english.rewording.conditions import bears_on, open_condition, stated
from dnc_datasets.english.rewording.told_steps import asked
from dnc_datasets.errors import ExpressionError
from dnc_datasets.expression import Binary, Expr, Number
from dnc_datasets.perturbations import Capability, perturbation
from dnc_datasets.perturbations.reasoning.asked_steps import stands_alone
from dnc_datasets.perturbations.reasoning.rows import calculated
from dnc_datasets.perturbations.reasoning.told_facts import asked_of
from dnc_datasets.problem import Problem

# In meta: what a person asked for each step of the solution, a JSON list of objects (`question`, `value`).
STEP_QUESTIONS = "step_questions"
_GROUPED = re.compile(
    r"\b(?P<size>\d{1,5}) (?:[a-z]+ ){0,3}(?:in|into|on) (?:each|every|a) "
    r"(?P<noun>bag|box|basket|crate|pack|packet|tray|jar|row|bunch|carton|case|page|plate|tank|van|bus|bottle|bucket)\b"
)
# "If he had 4 pens" without a comma or a full stop: no statement can be made of it.
_HANGING = re.compile(r"(?:\A|[.!?] )[Ii]f [^.!?]*[^.!?,]\Z")


@perturbation(
    "prune_step",
    capability=Capability.OPERATION_REASONING,
    changes_target=True,
    promises=("only_question_changed", "equation_gives_answer", "equation_is_a_step"),
    shapes=("word_problem",),
    languages=("en",),
    needs_equations=True,
    qualifies="a step before the last that can be asked for: told in the solution, or stated in one clause",
)
def ask_for_a_step(problem: Problem, draw: Draw) -> Problem | None:
    """How many pens are left? -> How many pens did Amy give to Tom?"""
    if is_too_long(problem.text) or not problem.body:
        return None
    for made in (list(_of_solution(problem)), list(_of_facts(problem)), list(_of_groups(problem))):
        new = [
            (body, question, part)
            for question, part in made
            if question.lower() != problem.question.lower()
            and stands_alone(problem, question, part)
            and (body := _body(problem.body, part)) is not None
        ]
        if new:
            body, question, part = draw.choice(new)
            return calculated(problem.replace(body=body), question, part, "")
    return None


def _body(body: str, part: Expr) -> str | None:
    """The body, with a condition told as a statement where the step does not need it, or is what it supposes."""
    if _HANGING.search(body) or (body.endswith(",") and not open_condition(body)):
        return None
    if bears_on(body, part) and not (isinstance(part, Number) and _supposes(body, part)):
        return body
    told = stated(body, "")
    return told[0] if told else None


def _supposes(body: str, part: Number) -> bool:
    """Would the question ask for what the condition says: "If he had 4 pens, how many pens did he have?"."""
    return part.number in [quantity.value for quantity in numerals.find(open_condition(body))]


def _of_solution(problem: Problem) -> Iterator[tuple[str, Expr]]:
    """A question for each step of a solution but the last: as a person asked it, or as its sentence tells."""
    steps = solution.stored(problem)
    parts = solution.composed(steps)
    values = [step.value for step in steps]
    told = _questions(problem)
    for at, (part, value) in enumerate(zip(parts[:-1], values, strict=False)):
        if values.count(value) > 1 or value <= 0 or isinstance(part, Number):
            continue  # which of two steps with one value is meant cannot be told
        named = [question for question, said in told if said == value]
        if len(named) == 1 and sum(question == named[0] for question, _ in told) == 1 and at < len(steps) - 1:
            yield named[0], part


def _questions(problem: Problem) -> list[tuple[str, Fraction | None]]:
    if own := problem.note(STEP_QUESTIONS):
        return [(one["question"], numerals.parse(one["value"])) for one in json.loads(own)]
    found = [asked(line) for line in problem.note("solution").splitlines()]
    return [(one.question, numerals.parse(one.value)) for one in found if one]


def _of_facts(problem: Problem) -> Iterator[tuple[str, Expr]]:
    """A question for each number of the equation that one clause of the text tells."""
    try:
        leaves = expression.parse(problem.equation).leaves() if problem.equation else ()
    except ExpressionError:
        return
    if len(leaves) < 2:
        return
    numbers = [leaf for leaf in leaves if isinstance(leaf, Number)]
    for question, value in asked_of(problem):
        leaf = [number for number in numbers if number.number == value]
        if len(leaf) == 1 and value > 1:
            yield question, leaf[0]


def _of_groups(problem: Problem) -> Iterator[tuple[str, Expr]]:
    """A question for how many groups there are, where so many go into each: "12 rolls in each bag"."""
    try:
        equation = expression.parse(problem.equation) if problem.equation else None
    except ExpressionError:
        return
    for found in _GROUPED.finditer(problem.body):
        noun, size = found["noun"], numerals.parse(found["size"])
        parts = [part for part in _quotients(equation) if part is not equation and part.right.value() == size]
        plural = f"{noun}es" if noun.endswith(("x", "s", "ch", "sh")) else f"{noun}s"
        if len(parts) == 1 and parts[0].value().denominator == 1 and plural not in problem.body:
            yield f"How many {plural} are there?", parts[0]


def _quotients(tree: Expr | None) -> Iterator[Binary]:
    if isinstance(tree, Binary):
        if tree.op == "/" and isinstance(tree.left, Number) and isinstance(tree.right, Number):
            yield tree
        yield from _quotients(tree.left)
        yield from _quotients(tree.right)
