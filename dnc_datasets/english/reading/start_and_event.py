"""A word problem as a story of one person: what there was, what happened, and what there is in the end."""

from __future__ import annotations

import re

from dnc_datasets import expression
from dnc_datasets.english.reading.facts import Fact, facts, person
from dnc_datasets.errors import ExpressionError
from dnc_datasets.expression import Expr, Number
from dnc_datasets.problem import Problem

HAVE = ("had", "has", "owned")
_END = re.compile(
    r"how many (?P<what>[a-z -]{1,80}?) (?P<aux>does|did|do) (?P<who>[\w. ]{1,80}?) have"
    r"(?P<end> left| now| in all| altogether| in total| total)?\s{0,9}\?$",
    re.IGNORECASE,
)


def asked_in_the_end(problem: Problem) -> tuple[re.Match[str] | None, tuple[str, str]]:
    """The question for how many somebody has in the end, with their name and pronoun."""
    asked = _END.match(problem.question)
    if asked is None or not problem.body.endswith(".") or not problem.equation:
        return None, ("", "")
    small = asked["who"].lower() if asked["who"].lower() in ("he", "she", "they") else asked["who"]
    name, pronoun = person(small, problem.body)
    if not name or " and " in name or name.split()[0] in ("his", "her", "they"):
        return None, ("", "")
    return asked, (name, pronoun)


def start_and_event(problem: Problem) -> tuple[Fact, Fact] | None:
    """What there was and what happened, where these two make the equation."""
    leaves = operands(problem)
    told = [fact for fact in facts(problem.body) if fact.value in leaves]
    if len(told) != 2 or len(set(leaves)) != 2 or len(facts(problem.body)) != 2:
        return None
    start, event = told
    if (
        start.verb not in HAVE
        or start.particle
        or event.verb in HAVE
        or start.money
        or event.money
        or not event.past
    ):
        return None
    return start, event


def name_differs(event: Fact, who: tuple[str, str], problem: Problem) -> bool:
    """Does somebody else act than the one who is asked about?"""
    return person(event.who, problem.body)[0] != who[0]


def operands(problem: Problem) -> list[object]:
    """The numbers of the equation; none where it cannot be read."""
    try:
        tree: Expr = expression.parse(problem.equation)
    except ExpressionError:
        return []
    return [leaf.number for leaf in tree.leaves() if isinstance(leaf, Number)]
