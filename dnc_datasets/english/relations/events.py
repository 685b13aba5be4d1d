"""Events: the facts that count as a gain or a loss, and the phrases for an event in a new question."""

from __future__ import annotations

import re

from dnc_datasets import expression
from dnc_datasets.english.lexicon import PRONOUNS, SUBJECT_PRONOUNS, is_past, plain
from dnc_datasets.english.reading.facts import Fact, person
from dnc_datasets.english.relations.relation import Case, Slots, did, name_of
from dnc_datasets.errors import ExpressionError
from dnc_datasets.expression import Expr, Number
from dnc_datasets.problem import Problem

HAVE = ("had", "has", "have", "owned")


def asked_about(case: Case, slots: Slots) -> tuple[str, str] | None:
    """Return name and pronoun of the person in the question, or None where they are not certain."""
    who = slots.get("who", "")
    small = who.lower() if who.lower() in PRONOUNS else who
    name, pronoun = person(small, case.body)
    if not pronoun and who[:1].islower():
        # A lower-case "danny" in the question is the Danny of the body.
        name, pronoun = person(who[:1].upper() + who[1:], case.body)
    if who.lower() in SUBJECT_PRONOUNS - {"it"}:
        return name or who, who.lower()
    return (name, pronoun or name) if name else None


def retold(fact: Fact, case: Case, slots: Slots) -> tuple[str, str] | None:
    """Return a fact without its number, as "she gave to Tom" and as "did she give to Tom"."""
    asked = asked_about(case, slots)
    actor = name_of(fact.who, case)
    if asked is None or not actor or fact.tail.strip().startswith(("left", "now")):
        return None
    name, pronoun = asked
    if actor == name or fact.who == pronoun:
        return f"{pronoun} {fact.verb}{fact.particle}{fact.tail}", did(fact, slots["who"]) + fact.tail
    return f"{actor} {fact.verb}{fact.particle}{fact.tail}", did(fact, actor) + fact.tail


def done(fact: Fact) -> str:
    """Return the plain form of the main verb: "use" for "uses", "has used" and "has already used"."""
    words = fact.particle.removeprefix(" already").split()
    if fact.verb in ("has", "have", "had") and len(words) == 1 and is_past(words[0]):
        return plain(words[0]) or ""
    return fact.plain


def same_things(one: Fact, two: Fact) -> str | None:
    """Return the noun that both facts count, "money" for money, or None where the nouns differ."""
    if one.money != two.money:
        return None
    if one.money or one.head in ("dollars", "dollar"):
        return "money" if not two.noun or two.head in ("dollars", "dollar") else None
    if one.noun and two.noun and one.head != two.head and one.noun.split()[-1] != two.noun.split()[-1]:
        return None
    return (one.noun if len(one.noun) >= len(two.noun) else two.noun) or None


def asked_noun(noun: str, case: Case) -> str | None:
    """Return the counted noun of the new question. Money requires "how much" or "how many dollars"."""
    if case.question.lower().startswith("how much"):
        return noun if noun == "money" else None
    if noun == "money":
        return "dollars" if case.question.lower().startswith("how many dollars") else None
    return noun


def have_form(aux: str, pronoun: str) -> str:
    """Return "had", "have" or "has", by the old question's auxiliary and the new subject."""
    if aux == "did":
        return "had"
    return "have" if pronoun in ("they", "you", "i", "we", "I") or aux == "do" else "has"


_END = re.compile(
    r"how many (?P<what>[a-z -]{1,80}?) (?P<aux>does|did|do) (?P<who>[\w. ]{1,80}?) have"
    r"(?P<end> left| now| in all| altogether| in total| total)?\s{0,9}\?$",
    re.IGNORECASE,
)


def asked_in_the_end(problem: Problem) -> tuple[re.Match[str] | None, tuple[str, str]]:
    """Return the match of a question for a person's final number, with the person's name and pronoun."""
    asked = _END.match(problem.question)
    if asked is None or not problem.body.endswith(".") or not problem.equation:
        return None, ("", "")
    small = asked["who"].lower() if asked["who"].lower() in ("he", "she", "they") else asked["who"]
    name, pronoun = person(small, problem.body)
    if not name or " and " in name or name.split()[0] in ("his", "her", "they"):
        return None, ("", "")
    return asked, (name, pronoun)


def equation_numbers(problem: Problem) -> list[object]:
    """Return the numbers of the equation, or none where it cannot be read."""
    try:
        tree: Expr = expression.parse(problem.equation)
    except ExpressionError:
        return []
    return [leaf.number for leaf in tree.leaves() if isinstance(leaf, Number)]
