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
from dnc_datasets.english.rewording.conditions import bears_on, open_condition, stated
from dnc_datasets.english.rewording.told_steps import asked
from dnc_datasets.errors import ExpressionError
from dnc_datasets.expression import Binary, Expr, Number
from dnc_datasets.perturbations import Capability, perturbation
from dnc_datasets.perturbations.reasoning.asked_steps import stands_alone
from dnc_datasets.perturbations.reasoning.rows import calculated
from dnc_datasets.problem import Problem

# In meta: what a person asked for each step of the solution, a JSON list of objects (`question`, `value`).
STEP_QUESTIONS = "step_questions"
_HAVE = ("had", "has", "have", "owned", "owns")
_PRONOUNS = frozenset(("he", "she", "they", "it", "we", "you", "i"))
_OTHER_SUBJECT = re.compile(r"\b(?:he|she|they|as)\b")
_SMALL = frozenset("He She They The His Her Their We You".split())
_ONE = re.compile(r"\A[Aa]n? ")
_GROUPED = re.compile(
    r"\b(?P<size>\d{1,5}) (?:[a-z]+ ){0,3}(?:in|into|on) (?:each|every|a) "
    r"(?P<noun>bag|box|basket|crate|pack|packet|tray|jar|row|bunch|carton|case|page|plate|tank|van|bus|bottle|bucket)\b"
)
_WHEN = re.compile(r"(?:on|in|during|at) (?:the )?[A-Za-z]+(?: [a-z]+){0,2}")
_PAYING = frozenset("spend pay donate give".split())
_MODALS = frozenset("can could will would must should may might".split())
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
    """The body, with a condition that the step does not need told as a statement."""
    if bears_on(body, part):
        return body
    told = stated(body, "")
    return told[0] if told else None


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


def _is_clear(fact: Fact, others: list[Fact], static: bool, problem: Problem) -> bool:
    """Does the clause say all that the question needs, and no other clause the same?"""
    if fact.who in ("", "there", "Team") or (fact.when and not _WHEN.fullmatch(fact.when)):
        return False
    if not fact.noun or fact.money:
        return _is_spent(fact, others, problem)
    around = f"{fact.particle} {fact.tail}"
    if (
        fact.verb in _MODALS
        or fact.plain == "be"
        or around.lstrip().startswith("of ")
        or _is_cut(fact, problem.body)
    ):
        return False
    if re.search(rf"(?<![\w.]){re.escape(fact.number)}(?![\w.])", open_condition(problem.body)):
        return False  # "If he had 4 pens, how many pens did he have?"
    if fact.noun.split()[0] in ("times", "percent") or "." in around or _OTHER_SUBJECT.search(around):
        return False
    apart = static and others and not any(other.who.lower() in _PRONOUNS for other in others)
    if fact.verb in _HAVE and (not apart or fact.particle):
        return False  # how many there were at first is no longer so in the end
    if _has_double(fact, others) or (fact.who.lower() in _PRONOUNS and fact.verb in _HAVE):
        return False
    return [quantity.value for quantity in numerals.find(problem.body)].count(fact.value) == 1


def _has_double(fact: Fact, others: list[Fact]) -> bool:
    """Does another clause say that the same one does the same, at no other time?"""
    return any(
        one.plain == fact.plain
        and one.who.lower() == fact.who.lower()
        and (not fact.when or not one.when or one.when == fact.when)
        for one in others
    )


def _is_spent(fact: Fact, others: list[Fact], problem: Problem) -> bool:
    """ "She spent $6 on rides": can one ask how much that was?"""
    paid = (
        fact.money
        and not fact.noun
        and fact.plain in _PAYING
        and re.match(r" (?:on|for|to) [a-z]", fact.tail)
    )
    if not paid or fact.particle or _has_double(fact, others) or _is_cut(fact, problem.body):
        return False
    once = [quantity.value for quantity in numerals.find(problem.body)].count(fact.value) == 1
    return once and fact.number not in open_condition(problem.body)


def _is_cut(fact: Fact, body: str) -> bool:
    """Does the text go on where the fact ends: "for herself" and her friends?"""
    behind = body.partition(f"{fact.tail} and ")[2] if fact.tail else ""
    return behind.split(" ", 1)[0] in ("his", "her", "their", "my", "our")


def _question(fact: Fact) -> str | None:
    when = f" {fact.when}" if fact.when else ""
    if fact.money:
        who = fact.who[0].lower() + fact.who[1:] if fact.who.split()[0] in _SMALL else fact.who
        return f"How much did {who} {fact.plain}{fact.tail}{when}?" if fact.past else None
    plural = fact.noun.split(" of ")[0].endswith(("s", "people", "children", "fish", "men"))
    if not plural or fact.tail.endswith(",") or (not fact.past and fact.plain not in PLAIN):
        return None
    helper = "did" if fact.past else ("do" if fact.who.lower() in _MANY or " and " in fact.who else "does")
    who = fact.who[0].lower() + fact.who[1:] if fact.who.split()[0] in _SMALL else _ONE.sub("the ", fact.who)
    more = "more " if fact.more and not fact.noun.startswith("more ") else ""
    return f"How many {more}{fact.noun} {helper} {who} {fact.plain}{fact.particle}{fact.tail}{when}?"
