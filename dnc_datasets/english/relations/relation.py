"""Relations between the numbers of a problem, and the phrases that a new question needs."""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping
from fractions import Fraction
from typing import NamedTuple

from dnc_datasets import numerals
from dnc_datasets.english.lexicon import GROUPS, PRONOUNS, is_past, is_plural, is_unit, plain
from dnc_datasets.english.reading.facts import Fact, Listed, facts, lists, owned_by, person
from dnc_datasets.expression import Expr, Number


class Case(NamedTuple):
    """A problem in the form that the relations read."""

    body: str
    question: str
    equation: Expr
    facts: list[Fact]
    lists: list[Listed]
    total: bool  # whether the question ended in "in all"


Slots = Mapping[str, str]
Relation = Callable[[Case, Slots], dict[str, str] | None]
RELATIONS: dict[str, Relation] = {}


def relation(*names: str) -> Callable[[Relation], Relation]:
    """Register a relation under these names."""

    def register(function: Relation) -> Relation:
        for name in names:
            RELATIONS[name] = function
        return function

    return register


def read(body: str, question: str, equation: Expr, total: bool) -> Case:
    """Read a problem into a case."""
    return Case(body, question, equation, facts(body), lists(body), total)


def numbers_of(equation: Expr) -> list[Fraction]:
    """Return the numbers of an equation, from left to right."""
    return [leaf.number for leaf in equation.leaves() if isinstance(leaf, Number)]


def operands(equation: Expr, operators: str) -> list[Fraction] | None:
    """Return the operands where the equation applies exactly these operators, from left to right."""
    return numbers_of(equation) if list(equation.operators) == list(operators) else None


def did(fact: Fact | Listed, who: str) -> str:
    """Return the verb of a fact in the form of a question: "did Amy give"."""
    if fact.verb in ("was", "were", "is", "are"):
        return f"{fact.verb} {who}"
    if fact.verb in ("can", "could", "will", "would") or _perfect(fact):
        return f"{fact.verb} {who}{fact.particle}"
    if (isinstance(fact, Fact) and fact.past) or (isinstance(fact, Listed) and fact.items[0].past):
        return f"did {who} {fact.plain}{fact.particle}"
    return f"{'do' if _plural(who) else 'does'} {who} {fact.plain}{fact.particle}"


def in_past(body: str) -> bool:
    """Return whether the body is in the past tense, with no verb in the present tense."""
    if re.search(
        r"\b(?:are|is|has|have|wants|needs?|can|will|gives|hands|puts|packs|arranges|shares)\b", body
    ):
        return bool(re.search(r"\b(?:were|was|had)\b", body)) and not re.search(
            r"\b(?:are|is|has|have|can|will)\b", body
        )
    return any(is_past(word) for word in re.findall(r"[a-z]+", body))


def _perfect(fact: Fact | Listed) -> bool:
    """Return whether the verb is an auxiliary: "has used", "has already learned"."""
    words = fact.particle.removeprefix(" already").split()
    return fact.verb in ("has", "have") and len(words) == 1 and is_past(words[0])


def _plural(who: str) -> bool:
    return (
        who in ("they", "we", "you", "I", "i")
        or " and " in who
        or (who.startswith("the ") and is_plural(who) and who.split()[-1] not in GROUPS)
    )


def name_of(who: str, case: Case) -> str:
    """Return the subject in the form of its first mention in the new question."""
    if who == "there":
        return "there"
    name = person(who, case.body)[0]
    if name.split(" ")[0] in ("his", "her", "their"):
        # The possessive of "her sister" needs an antecedent before it.
        stated = case.body.split(name if name in case.body else name[0].upper() + name[1:])[0]
        pronoun = "she" if name.startswith("her") else "he"
        owner = person(pronoun, case.body)[0] or person(pronoun, stated)[0]
        return owned_by(name, owner) if owner else name
    return name or (who if who in ("he", "she", "they") else "")


@relation("list", "list difference")
def _list(case: Case, slots: Slots) -> dict[str, str] | None:
    """Match an equation over the members of one list: "3 red pens and 5 blue pens"."""
    for listed in case.lists:
        if any(item.tail.strip() for item in listed.items) or len({item.noun for item in listed.items}) < 2:
            continue
        if _makes(listed, case.equation):
            return _list_words(case, slots, listed)
    return None


def _makes(listed: Listed, equation: Expr) -> bool:
    """Return whether the equation is the sum, the difference or the product of all numbers of the list."""
    if sorted(numbers_of(equation)) != sorted(item.value for item in listed.items):
        return False
    operators = list(equation.operators)
    if operators == ["*"]:
        return bool(listed.who) and not is_unit(listed.items[0].head)
    return operators == ["-"] or set(operators) == {"+"}


def _list_words(case: Case, slots: Slots, listed: Listed) -> dict[str, str] | None:
    """Return the phrases for the greatest and the smallest member, or None where they do not fit."""
    small, *_, big = sorted(listed.items, key=lambda item: item.value)
    if big.money or not (is_plural(big.head) and is_plural(small.head)):
        return None
    if slots.get("verb") in ("left", "spend") and listed.verb and listed.verb not in _BE:
        return None
    asked = f"{slots.get('who', '')} {slots.get('verb', '')}" if slots.get("aux") in _DO else ""
    if any(is_past(word) and plain(word) != word for word in asked.split()):
        return None  # "did he gave"
    if not listed.who and listed.verb and slots.get("verb") != listed.plain:
        return None  # only the question names the subject, so it must have the same verb
    who = name_of(listed.who, case) if listed.who else ""
    first, second = (item for item in listed.items if item in (big, small))
    tail = f" {listed.tail.strip()}" if listed.tail.strip() and not slots.get("tail") else ""
    asks = did(listed, who) if who and listed.who != "there" else f"{listed.verb or 'are'} there"
    return {
        "big": big.noun, "small": small.noun, "first": first.noun, "second": second.noun,
        "a": big.number, "b": small.number, "list_did": asks + tail,
    }  # fmt: skip


_DO = ("do", "does", "did")
_BE = ("is", "are", "was", "were")


@relation("two sum", "two difference")
def _two(case: Case, slots: Slots) -> dict[str, str] | None:
    """Match the same action of two people or groups: "Amy has 3 pens. Ben has 5 pens."."""
    numbers = operands(case.equation, "+") or operands(case.equation, "-")
    three = operands(case.equation, "++")
    if three is not None and len({fact.who for fact in case.facts if fact.value in three}) == 3:
        numbers = [min(three), max(three)]
    chosen = facts_of(case, numbers)
    if chosen is None or not _did_the_same(*chosen):
        return None
    one, two = chosen
    names = [name_of(fact.who, case) for fact in chosen]
    if not all(names) or names[0] == names[1] or any(name in ("he", "she", "they", "we") for name in names):
        return None
    small, big = sorted(chosen, key=lambda fact: fact.value)
    noun = (one.noun or two.noun).removeprefix("different ")
    if not noun and not big.money:
        return None
    if noun.split(" of ")[0].split()[-1:] in (["dollars"], ["dollar"]):
        return None
    tail = one.tail if one.tail == two.tail else ""
    by = dict(zip(chosen, names, strict=True))
    return {
        "How": "How much" if big.money else "How many", "noun": "money" if big.money else noun,
        "a": big.number, "b": small.number, "big_did": did(big, by[big]) + tail,
        "small_who": f"{by[small]} do" if by[small] in ("I", "you", "we") else by[small],
        "both_did": f"{'did' if one.past else 'do'} {_both(names[0], names[1], case)} {one.plain}{one.particle}{tail}",
    }  # fmt: skip


def _did_the_same(one: Fact, two: Fact) -> bool:
    """Return whether both facts state the same action with the same kind of things, by different people."""
    if one.plain != two.plain or one.particle != two.particle or one.more or two.more:
        return False
    if "there" in (one.who, two.who) or one.verb in _BE or one.money != two.money:
        return False
    if two.noun and one.noun and one.head != two.head:
        return False
    return one.tail == two.tail or _harmless(one, two)


def _both(first: str, second: str, case: Case) -> str:
    """Join two subjects: "Amy and Ben", "Amy and her sister"."""
    if second.startswith(f"{first}'s "):
        second = re.sub(rf"^{re.escape(first)}'s ", _own(first, case), second)
    return f"{first} and {second}"


@relation("two acts")
def _two_acts(case: Case, slots: Slots) -> dict[str, str] | None:
    """Match different actions with the same things: "Amy counted 3 pens. Ben bought 5 pens."."""
    chosen = facts_of(case, operands(case.equation, "+"))
    if chosen is None:
        return None
    one, two = chosen
    names = [name_of(fact.who, case) for fact in chosen]
    if not all(names) or names[0] == names[1] or one.plain == two.plain or not (one.past and two.past):
        return None
    if one.money or two.money or not one.noun or (two.noun and one.head != two.head) or "there" in names:
        return None
    if {one.verb, two.verb} & {"had", "has", "was", "were"} or re.search(
        r"\b(?:him|her|them|it|same)\b", one.particle + two.particle + one.tail + two.tail
    ):
        return None
    small, big = sorted(chosen, key=lambda fact: fact.value)
    by = dict(zip(chosen, names, strict=True))
    return {
        "noun": one.noun, "a": big.number, "b": small.number, "event_did": did(big, by[big]) + big.tail,
        "event": f"{by[small]} {small.verb}{small.particle}{small.tail}",
    }  # fmt: skip


def _own(name: str, case: Case) -> str:
    pronoun = person(name, case.body)[1]
    return {"he": "his ", "she": "her "}.get(pronoun, f"{name}'s ")


def _harmless(one: Fact, two: Fact) -> bool:
    """Return whether both tails may be left out: only one fact has a place or a time."""
    return not (one.tail and two.tail) and not re.search(
        r"\b(?:in|on) (?:the )?(?:first|second)", one.tail + two.tail
    )


def facts_of(case: Case, numbers: list[Fraction] | None) -> tuple[Fact, Fact] | None:
    """Return the two facts that hold these two numbers, if each number occurs once in the text."""
    if numbers is None or len(set(numbers)) != 2:
        return None
    seen = [quantity.value for quantity in numerals.find(f"{case.body} {case.question}")]
    if any(seen.count(number) != 1 for number in numbers):
        return None
    chosen = [fact for fact in case.facts if fact.value in numbers]
    return (chosen[0], chosen[1]) if len(chosen) == 2 else None


@relation("difference")
def _difference(case: Case, slots: Slots) -> dict[str, str] | None:
    """Match "the difference of A and B", where A and B are the nouns of the two numbers."""
    numbers = numbers_of(case.equation)
    rest = slots.get("rest", "")
    if re.search(
        r"\b(?:before|after|left|now|still|when|than|over(?! there)|off|of the|the left|the pounds|on|had|has|gave|picked|got|collected|earned|lost|put)\b",
        rest,
    ):
        return None
    if " and " not in rest or rest.startswith(("the number", "of ", "the weight", "the cost", "the height")):
        return None
    return {"a": _text(numbers[0]), "b": _text(numbers[1])}


def _text(value: Fraction) -> str:
    return str(value) if value.denominator == 1 else f"{value.numerator} / {value.denominator}"


_COMPARED = re.compile(
    r"(?P<who>(?:(?:Mr|Mrs|Ms)\. )?[A-Z][a-z]+|He|She) (?P<verb>[a-z]+) (?P<by>\S+) (?:more|fewer|less)(?P<noun>(?: [a-z]+){0,4}?) than "
    r"(?P<other>(?:(?:Mr|Mrs|Ms)\. )?[A-Z][a-z]+)\b"
)


@relation("comparison")
def _comparison(case: Case, slots: Slots) -> dict[str, str] | None:
    """Match "Amy has 3 more pens than Ben. Ben has 5 pens." with a question about one of the two."""
    numbers = operands(case.equation, "+") or operands(case.equation, "-")
    if numbers is None:
        return None
    made = (_compared(case, slots, numbers, found) for found in _COMPARED.finditer(case.body))
    return next((words for words in made if words is not None), None)


def _compared(
    case: Case, slots: Slots, numbers: list[Fraction], found: re.Match[str]
) -> dict[str, str] | None:
    stated = [fact for fact in case.facts if fact.value in numbers]
    if (
        len(stated) != 1
        or numerals.parse(found["by"]) not in numbers
        or numerals.parse(found["by"]) == stated[0].value
    ):
        return None
    known = stated[0]
    who = name_of(found["who"].lower() if found["who"] in ("He", "She") else found["who"], case)
    other = found["other"]
    asked = name_of(
        slots.get("who", "").lower() if slots.get("who", "").lower() in PRONOUNS else slots.get("who", ""),
        case,
    )
    knows = name_of(known.who, case)
    if {asked, knows} != {who, other} or known.plain != (slots.get("verb") or known.plain):
        return None
    noun = found["noun"].strip() or known.noun
    if not noun or known.money or known.head != noun.split(" of ")[0].split()[-1]:
        return None
    aux = "did" if known.past else "do"
    return {
        "noun": known.noun,
        "known": known.number,
        "both_did": f"{aux} {who} and {other} {known.plain}{known.particle}",
    }
