"""Open conditions, "If ...,", before a question: exchanged with a statement, or rewritten as one."""

from __future__ import annotations

import re

from dnc_datasets import numerals
from dnc_datasets.english.lexicon import PRONOUNS, TIME_UNIT
from dnc_datasets.english.reading.dependence import elliptical, refers_to
from dnc_datasets.english.reading.people import (
    SUBJECT_PRONOUN,
    antecedent,
    groups,
    people,
    possessive,
)
from dnc_datasets.english.reading.quantities import counted
from dnc_datasets.english.reading.sentences import capitalised, sentences, uncapitalised
from dnc_datasets.english.rewording.clauses import NOT_ALONE
from dnc_datasets.english.rewording.statements import main_verb
from dnc_datasets.expression import Expr, Number

_PLURAL = {"has": "have", "is": "are", "was": "were"}
_PER = re.compile(
    rf"\b(?:each|every|per|apiece|a (?:{TIME_UNIT}))\b"
    r"|^an? (?:[a-z-]+ ){1,3}(?:can|could|holds?|contains?|seats?|fits?) ",
    re.IGNORECASE,
)

_CONDITION = re.compile(r"(?:\A|(?<=[.!?] ))(?:(?:But|And|So),? )?if (?:[^.!?]|[.](?=\d))*\Z", re.IGNORECASE)
_HAS = re.compile(r"(?:he|she|they|we|i|[A-Z][a-z]+) (?:has|have)\b", re.IGNORECASE)
_LEFT = re.compile(r"\b(?:left|remain|remains|remaining|still|now)\b")
_SUPPOSED = re.compile(r"\b(?:would|were to|should|had been|could|instead|only if|can)\b")


def open_condition(body: str) -> str:
    """Return the open condition at the end of the body: "If he had 4 pens,".

    Some sources write "But, if", lower case, or no comma.
    """
    found = _CONDITION.search(body)
    return found[0] if found else ""


def bears_on(body: str, equation: Expr) -> bool:
    """Return whether the open condition, if there is one, contains a number of the equation.

    >>> from dnc_datasets.expression import parse
    >>> bears_on("Amy had 8 nuts. If she ate 5 of them,", parse("8 * 2"))
    False
    """
    condition = open_condition(body)
    needed = {leaf.number for leaf in equation.leaves() if isinstance(leaf, Number)}
    return not condition or any(quantity.value in needed for quantity in numerals.find(condition))


def stated(body: str, question: str) -> tuple[str, str] | None:
    """Return the open condition as a statement, for a question that does not depend on it.

    >>> stated("Amy had 8 nuts. If she ate 5 of them,", "how many nuts did she have before?")
    ('Amy had 8 nuts. She ate 5 of them.', 'How many nuts did she have before?')
    """
    condition = open_condition(body)
    clause = condition[3:].rstrip(", ")
    if not (condition.startswith("If ") and condition.endswith(",")) or _SUPPOSED.search(condition):
        return None
    if main_verb(capitalised(clause)) is None:
        return None
    statement = body.removesuffix(condition) + capitalised(clause) + "."
    return statement, capitalised(question)


def exchanged_with_if(body: str, question: str) -> tuple[str, str] | None:
    """Exchange the last statement and the open condition before the question.

    >>> exchanged_with_if("Amy bought 8 bags. If each bag holds 5 nuts,", "how many nuts did she buy?")
    ('Each bag holds 5 nuts. If Amy bought 8 bags,', 'how many nuts did she buy?')
    """
    parts = sentences(body)
    if len(parts) < 2 or not parts[-1].endswith(",") or not re.match(r"If ", parts[-1]):
        return None
    given, clause = parts[-2], parts[-1][3:].rstrip(", ")
    if not given.endswith(".") or not 1 <= len(numerals.find(given)) <= 2 or len(numerals.find(clause)) != 1:
        return None
    if len(numerals.find(given)) == 2 and not re.match(r"each |every ", clause):
        return None
    sold = re.search(r"(?<=[a-z] )(?:each|every) ([a-z]{3})", clause)
    if sold and sold[1] in given and sold[1] not in " ".join(parts[:-2]):
        return None  # "He sells each puppy for $30. If his dog had 6 puppies"
    clause = _known_things(clause, given)
    if not _exchangeable(clause, given):
        return None
    pair = _with_names(clause, given, alone=len(parts) == 2)
    if pair is None:
        return None
    statement, condition = pair
    inside = uncapitalised(condition, " ".join(parts))
    if inside and _HAS.match(inside) and _LEFT.search(question):
        return None  # "Amy gives 3 to each. If she has 37, how many are left?": the time is unclear
    if (
        inside is None
        or main_verb(statement) is None
        or re.match(r"(?:after|while|when|because) |[^,]*, |[^,]*\bthen\b", inside)
    ):
        return None
    return " ".join([*parts[:-2], capitalised(statement) + ".", f"If {inside},"]), question


def _known_things(clause: str, given: str) -> str:
    """Return the clause with the nouns that the statement introduces in place of pronouns.

    "he put them into bags" becomes "he put pens ...".
    """
    things = counted(given)
    if not things or not things[0].noun:
        return clause
    noun = things[0].noun
    return clause.replace("put them into", f"put {noun.removeprefix('extra ')} into")


def _exchangeable(clause: str, given: str) -> bool:
    """Return whether the clause can precede the statement: one of the two is a rate for each thing."""
    groups_of = re.search(r"\b(?:into|in) [\w,]+ (?:equal )?groups$", clause)
    if not groups_of and (len([text for text in (given, clause) if _PER.search(text)]) != 1):
        return False
    if (
        NOT_ALONE.search(clause)
        or re.search(r"\b(?:left|more|(?:twice|half|times) as)\b", clause)
        or NOT_ALONE.search(given)
    ):
        return False
    each = re.match(r"(?:each|every) ([a-z]+)", clause)
    if each and not re.search(rf"\b{each[1]}(?:e?s)?\b", given):
        return False  # "Each player had 3 lives. If there were 2 friends playing": no antecedent of "player"
    per_each = re.search(r"\b(?:each|every) ([a-z]+)", given)
    tied = per_each is not None and re.search(rf"\b{per_each[1]}\b", clause) is not None
    if re.match(r"An? ", given) and not _PER.match(given) and not tied:
        return False  # "There were 4 people. If an airline lets each passenger ...": no antecedent of "passenger"
    if elliptical(given) or (elliptical(clause) and " in each " not in clause):
        return False
    return (bool(groups_of) or not refers_to(clause, given)) and not re.search(r"\bso\b", given)


def _with_names(clause: str, given: str, *, alone: bool) -> tuple[str, str] | None:
    """Return the clause as a statement and the statement as a condition, with the required names or pronouns.

    `alone` means that no statement precedes the two.
    """
    condition = given.rstrip(".")
    opened = re.match(r"(?:he|she|they)\b", clause)
    if opened and (people(given) or groups(given)):
        who = antecedent(PRONOUNS[opened[0]][0], given)
        if who is None or not condition.lower().startswith(f"{who.lower()} "):
            return None
        condition = opened[0] + condition[len(who) :]
        if opened[0] == "they":
            condition = re.sub(r"^they (has|is|was)\b", lambda m: f"they {_PLURAL[m[1]]}", condition)
        return who + clause[opened.end() :], condition
    if opened:
        return None if alone else (clause, condition)
    if re.match(r"(?:They|It)\b", condition):
        return None  # the topic of the clause would be between the pronoun and its antecedent
    owns = re.search(r"\b(?:he|she|they|his|her|their|him)\b", clause)
    if owns and not people(clause):
        gender = PRONOUNS[owns[0]][0]
        who = antecedent(gender, given)
        if owns[0] not in ("his", "her") or who is None or not condition.startswith(f"{who} "):
            return None
        owned = clause[: owns.start()] + possessive(who) + clause[owns.end() :]
        return owned, SUBJECT_PRONOUN[gender] + condition[len(who) :]
    return clause, condition
