"""Prune step: the question asks for a step on the way to the answer, and no longer for the last one."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator
from fractions import Fraction

from dnc_datasets import expression, numerals
from dnc_datasets import steps as solution
from dnc_datasets.draws import Draw
from dnc_datasets.english.reading.facts import Fact, facts
from dnc_datasets.english.reading.sentences import is_too_long
from dnc_datasets.english.reading.verbs import PLAIN
from dnc_datasets.english.rewording.told_steps import asked
from dnc_datasets.errors import ExpressionError
from dnc_datasets.expression import Expr, Number
from dnc_datasets.perturbations import Capability, perturbation
from dnc_datasets.perturbations.reasoning.rows import calculated
from dnc_datasets.problem import Problem

# In meta: what a person asked for each step of the solution, a JSON list of objects (`question`, `value`).
STEP_QUESTIONS = "step_questions"
_HAVE = ("had", "has", "have", "owned", "owns")
_PRONOUNS = frozenset(("he", "she", "they", "it", "we", "you", "i"))
_OTHER_SUBJECT = re.compile(r"\b(?:he|she|they|as)\b")
_SMALL = frozenset("He She They The His Her Their We You".split())
_ONE = re.compile(r"\A[Aa]n? ")
_MANY = frozenset(("they", "we", "you", "i"))


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
    for made in (list(_of_solution(problem)), list(_of_facts(problem))):
        new = [(question, part) for question, part in made if question.lower() != problem.question.lower()]
        if new:
            question, part = draw.choice(new)
            return calculated(problem, question, part, "")
    return None


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
    if len(leaves) < 2 or problem.note("solution"):
        return
    told = facts(problem.body)
    numbers = [leaf for leaf in leaves if isinstance(leaf, Number)]
    static = all(fact.verb in _HAVE for fact in told)
    for fact in told:
        leaf = [number for number in numbers if number.number == fact.value]
        others = [other for other in told if other is not fact]
        if len(leaf) != 1 or fact.value <= 1 or not _is_clear(fact, others, static, problem):
            continue
        if question := _question(fact):
            yield question, leaf[0]


def _is_clear(fact: Fact, others: list[Fact], static: bool, problem: Problem) -> bool:
    """Does the clause say all that the question needs, and no other clause the same?"""
    if not fact.noun or fact.money or fact.when or fact.who in ("", "there", "Team"):
        return False
    around = f"{fact.particle} {fact.tail}"
    if fact.noun.split()[0] in ("times", "percent") or "." in around or _OTHER_SUBJECT.search(around):
        return False
    apart = static and others and not any(other.who.lower() in _PRONOUNS for other in others)
    if fact.verb in _HAVE and (not apart or fact.particle):
        return False  # how many there were at first is no longer so in the end
    same = [one for one in others if one.plain == fact.plain and one.who.lower() == fact.who.lower()]
    if same or (fact.who.lower() in _PRONOUNS and fact.verb in _HAVE):
        return False
    return [quantity.value for quantity in numerals.find(problem.body)].count(fact.value) == 1


def _question(fact: Fact) -> str | None:
    plural = fact.noun.split(" of ")[0].endswith(("s", "people", "children", "fish", "men"))
    if not plural or fact.tail.endswith(",") or (not fact.past and fact.plain not in PLAIN):
        return None
    helper = "did" if fact.past else ("do" if fact.who.lower() in _MANY or " and " in fact.who else "does")
    who = fact.who[0].lower() + fact.who[1:] if fact.who.split()[0] in _SMALL else _ONE.sub("the ", fact.who)
    more = "more " if fact.more and not fact.noun.startswith("more ") else ""
    return f"How many {more}{fact.noun} {helper} {who} {fact.plain}{fact.particle}{fact.tail}?"
