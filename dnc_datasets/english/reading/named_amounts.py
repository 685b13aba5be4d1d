"""Amounts that a text names by their owners: "Ann has 12 pens. Ben has twice as many pens as Ann."."""

from __future__ import annotations

import re
from collections.abc import Iterator
from fractions import Fraction
from typing import NamedTuple

from dnc_datasets import expression, numerals
from dnc_datasets.english.lexicon import (
    GAIN_VERBS,
    GIVING_VERBS,
    LOSS_VERBS,
    SINGULAR_AUXILIARIES,
    is_first_name,
    is_past,
    is_plural,
    plain,
)
from dnc_datasets.english.reading.sentences import sentences
from dnc_datasets.errors import ExpressionError
from dnc_datasets.expression import Binary, Expr


class Amount(NamedTuple):
    """The amount of one owner, as a calculation from numbers of the text."""

    who: str
    value: Expr


class Amounts(NamedTuple):
    """Amounts of one noun, by owner. `noun` is "$" for money and "years old" for ages."""

    verb: str  # as in the text
    noun: str
    owners: tuple[Amount, ...]

    @property
    def past(self) -> bool:
        """Return whether the verb is in the past tense."""
        return is_past(self.verb)

    @property
    def plain(self) -> str:
        """The plain form of the verb, as it follows "did" in a question."""
        return plain(self.verb) or self.verb


_NUMBER = r"(?P<number>\$?\d[\d,]*(?:\.\d+)?|[a-z]+(?:-[a-z]+)?)"
_NOUN = r"(?P<noun>(?: (?!than\b|as\b|and\b|more\b|fewer\b|less\b|of\b|times\b|years\b)[a-z]+){1,3})"
_OTHER = r"(?P<other>[A-Z][a-z]+)(?: (?P<again>[a-z]+))?"
_END = r"(?=[.,;]| and [A-Z]| while [A-Z]|\Z)"
_START = r"(?:\A|(?<=[.!?;] )|(?<=, and )|(?<= and )|(?<=, )|(?<= while )|(?<=If ))"
_ACTS = rf"{_START}(?P<who>[A-Z][a-z]+) (?P<verb>[a-z]+)"
_FACTOR = r"(?P<factor>twice|half|(?P<times>\d+|[a-z]+) times|(?P<part>\d/\d|one[- ](?:third|fourth|quarter|fifth)))"
_FORMS = (
    re.compile(rf"{_ACTS} {_NUMBER}{_NOUN}{_END}"),
    re.compile(rf"{_ACTS} (?P<number>\$\d[\d,]*(?:\.\d+)?){_END}"),
    re.compile(rf"{_ACTS} {_NUMBER} (?P<more>more|fewer|less)(?:{_NOUN})? than {_OTHER}{_END}"),
    re.compile(rf"{_ACTS} {_NUMBER}{_NOUN} (?P<more>more|fewer|less) than {_OTHER}{_END}"),
    re.compile(rf"{_ACTS} {_FACTOR} as (?:many|much)(?:{_NOUN})? as {_OTHER}{_END}"),
    re.compile(rf"{_START}(?P<who>[A-Z][a-z]+) (?P<verb>is) (?P<number>\w+)(?P<age> years old){_END}"),
    re.compile(
        rf"{_START}(?P<who>[A-Z][a-z]+) (?P<verb>is) (?P<number>\w+)(?P<age> years) (?P<more>older|younger) than "
        rf"{_OTHER}{_END}"
    ),
    re.compile(rf"{_START}(?P<who>[A-Z][a-z]+) (?P<verb>is) {_FACTOR} as (?P<age>old) as {_OTHER}{_END}"),
)
_AGES = "years old"
_FACTORS = {"twice": Fraction(2), "half": Fraction(1, 2)}
_SMALLER = frozenset(("fewer", "less", "younger"))
_HAVE = frozenset(("have", "own", "be"))
EVENT_VERBS = GAIN_VERBS | LOSS_VERBS | GIVING_VERBS
_WORD = re.compile(r"[A-Za-z]+")
# The amounts of a text are at one time, and all of them are facts.
_UNSURE = re.compile(
    r"\b(?:would|could|should|will|wants?|wanted|plans?|planned|ago|later|before|after|then|already|originally|"
    r"initially|first|now|total|together|combined|average|each|every|per)\b",
    re.IGNORECASE,
)


class _Statement(NamedTuple):
    who: str
    verb: str
    noun: str
    number: Fraction | None
    sign: str  # of the number where it is compared: "+" or "-"
    factor: Fraction | None
    other: str


def named_amounts(body: str) -> Amounts | None:
    """Return the amounts of one noun that a body states by owner, or None where one of them is not certain.

    >>> found = named_amounts("Ann has 12 pens. Ben has 5 more pens than Ann. Eve has twice as many pens as Ben.")
    >>> [(amount.who, amount.value.infix()) for amount in found.owners]
    [('Ann', '12'), ('Ben', '12 + 5'), ('Eve', '(12 + 5) * 2')]
    """
    statements = list(_statements(body))
    if len(statements) < 2:
        return None
    if _UNSURE.search(body if plain(statements[0].verb) in _HAVE | {None} else _stating(body, statements)):
        return None
    verbs = {plain(one.verb) or one.verb for one in statements}
    nouns = {one.noun for one in statements if one.noun}
    if len(nouns) == 2 and {noun.split()[-1] for noun in nouns} == {min(nouns, key=len)}:
        nouns = {max(nouns, key=len)}  # "20 baseball cards", "6 fewer cards"
    owners = [one.who for one in statements]
    if len(verbs) != 1 or len(nouns) != 1 or len(set(owners)) != len(owners):
        return None
    verb, noun = verbs.pop(), nouns.pop()
    if _is_said_elsewhere(body, verb, len(statements)):
        return None
    return Amounts(statements[0].verb, noun, tuple(_resolved(statements)))


def _stating(body: str, statements: list[_Statement]) -> str:
    """Return the sentences of a body that name an owner. The other sentences do not change their amounts."""
    owners = {one.who for one in statements}
    return " ".join(one for one in sentences(body) if owners & set(_WORD.findall(one)))


def _statements(body: str) -> Iterator[_Statement]:
    for form in _FORMS:
        for match in form.finditer(body):
            found = match.groupdict()
            verb = plain(match["verb"]) or match["verb"]
            again = found.get("again") or "does"
            if not is_name(match["who"], body) or not (plain(match["verb"]) or verb == "is"):
                continue
            if again not in SINGULAR_AUXILIARIES and plain(again) != verb:
                continue
            number = numerals.parse(found["number"].lstrip("$")) if found.get("number") else None
            factor = _factor(found)
            noun = (found.get("noun") or "").strip()
            if (number is None and factor is None) or (noun and not is_plural(noun)):
                continue
            if found.get("age"):
                noun = _AGES
            elif (found.get("number") or "").startswith("$"):
                noun = "$"
            sign = "" if not found.get("more") else "-" if found["more"] in _SMALLER else "+"
            yield _Statement(
                match["who"], match["verb"], noun, number, sign, factor, found.get("other") or ""
            )


def _factor(found: dict[str, str]) -> Fraction | None:
    if not found.get("factor"):
        return None
    return _FACTORS.get(found["factor"]) or numerals.parse(found["times"] or found["part"].replace("-", " "))


def is_name(word: str, body: str) -> bool:
    """Return whether a capitalised word is a first name, or keeps its capital inside a sentence."""
    return is_first_name(word) or re.search(rf"(?<=[a-z,] ){word}\b", body) is not None


def _is_said_elsewhere(body: str, verb: str, number: int) -> bool:
    """Return whether the body uses the verb in other clauses, or states that an owner's amount changes."""
    verbs = [plain(word) or word for word in _WORD.findall(body) if word.islower()]
    if verb == "is" or verb in _HAVE:
        return any(word in EVENT_VERBS and word not in _HAVE for word in verbs)
    return verbs.count(verb) != number


def _resolved(statements: list[_Statement]) -> Iterator[Amount]:
    """Yield the statements whose numbers are known or follow from another statement."""
    known: dict[str, Expr] = {}
    left = list(statements)
    while left:
        ready = [one for one in left if not one.other or one.other in known]
        if not ready:
            return
        for one in ready:
            known[one.who] = _calculation(one, known)
            yield Amount(one.who, known[one.who])
        left = [one for one in left if one not in ready]


def _calculation(one: _Statement, known: dict[str, Expr]) -> Expr:
    if one.factor is not None:
        if one.factor == Fraction(1, 2):
            return Binary("/", known[one.other], expression.number(Fraction(2)))
        return Binary("*", known[one.other], expression.number(one.factor))
    if one.number is None:
        raise ExpressionError("the statement has no number")
    number = expression.number(one.number)
    return Binary(one.sign, known[one.other], number) if one.sign else number
