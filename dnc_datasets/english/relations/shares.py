"""Relations of shares: a total, the number of shares, and the size of a share."""

from __future__ import annotations

import re

from dnc_datasets import numerals
from dnc_datasets.english.lexicon import GROUPING_NOUNS, LOSS_VERBS, OCCASIONS, is_plural, is_unit
from dnc_datasets.english.reading.quantities import Counted, counted
from dnc_datasets.english.relations.rates import each_clause, one_does, single
from dnc_datasets.english.relations.relation import (
    Case,
    Slots,
    did,
    in_past,
    name_of,
    numbers_of,
    relation,
)

_CENTS = ("dollars", "cents", "dollar", "cent")


@relation("each of a total")
def _each_of_total(case: Case, slots: Slots) -> dict[str, str] | None:
    """Match "Amy has 40 nuts. Each bag holds 5 nuts." and compare the total with one bag."""
    numbers, each = numbers_of(case.equation), each_clause(case)
    if each is None or each[1] != numbers[1] or numbers[0] <= numbers[1]:
        return None
    found, value = each
    noun = found["noun"].strip()
    totals = [
        fact for fact in case.facts if fact.value == numbers[0] and not fact.more and fact.value != value
    ]
    if len(totals) != 1 or not noun or totals[0].head != noun.split()[-1] or noun.split()[-1] in _CENTS:
        return None
    total = totals[0]
    who = name_of(total.who, case) if total.who else ""
    if not who:
        return None
    asks = f"{total.verb} there" if total.who == "there" else did(total, who)
    tail = total.tail if len(total.tail.split()) <= 5 else ""
    return {
        "noun": total.noun, "a": total.number, "b": found["number"], "list_did": asks + tail,
        "one_does": one_does(found), "unit": total.noun,
    }  # fmt: skip


_IN_EACH = re.compile(
    r"(?<![\w,-])(?P<number>\w[\w,-]*)(?: (?P<noun>[a-z]+(?: [a-z]+)?))? (?P<at>in|on|into) (?:each|every) (?P<one>[a-z]+(?: [a-z]+)?)"
    r"(?=[.,]|$| and )"
)
_IN_SETS = re.compile(
    r"\b(?:into|in) (?P<many>[a-z]+s) of (?P<number>\w[\w,-]*)(?: (?P<noun>[a-z]+))?(?=[.,]|$| and )"
)


@relation("in each of a total")
def _in_each(case: Case, slots: Slots) -> dict[str, str] | None:
    """Match "Amy has 40 nuts. She puts 5 nuts in each bag." and ask for the total and for one bag."""
    numbers = numbers_of(case.equation)
    found = _IN_EACH.search(case.body) or _IN_SETS.search(case.body)
    if found is None or numerals.parse(found["number"]) != numbers[1]:
        return None
    wholes = [item for item in counted(case.body) if item.value == numbers[0] and item.noun]
    seen = [quantity.value for quantity in numerals.find(case.body)]
    if len(wholes) != 1 or seen.count(numbers[0]) != 1 or numbers[0] <= numbers[1] or numbers[1] < 2:
        return None
    if any(fact.value == numbers[0] and fact.plain in LOSS_VERBS for fact in case.facts):
        return None  # "He ate 20 nuts": the initial number is not stated
    noun = wholes[0].noun.removeprefix("extra ").removeprefix("new ")
    head = _head(wholes[0])
    if not is_plural(head) or head in _CENTS or _verbal(wholes[0].noun) or "$" in case.body:
        return None
    if found["noun"] and found["noun"].split()[-1] != head:
        return None
    loose = "many" in found.re.groupindex
    one = single(found["many"]) if loose else found["one"]
    if one.split()[-1] in OCCASIONS:
        return None  # "9 laps in every session" are not there together
    at = "on" if not loose and found["at"] == "on" else "in"
    return {
        "noun": noun, "a": wholes[0].text, "b": found["number"], "be": "were" if in_past(case.body) else "are",
        "at": at, "one": one, "unit": noun,
    }  # fmt: skip


_COSTS = re.compile(
    r"\b(?:[Ee]ach|[Oo]ne|[Ee]very|[Aa]n?) (?P<one>[a-z-]+(?: of [a-z]+| [a-z]+)?) costs? "
    r"(?P<number>\$?[\w.]*\w)(?P<unit>(?: cents| dollars)?)(?=[.,]|$)"
)
_TAKES = re.compile(
    r"\bIt takes (?P<number>[\w,-]+) (?P<noun>[a-z]+(?: of [a-z]+)?) to make (?:an?|one|each) (?P<one>[a-z -]+?)(?=[.,]|$)|"
    r"\b(?:[Ee]ach|[Oo]ne|[Aa]n?) (?P<one2>[a-z]+(?: [a-z]+)?) (?:takes|needs|requires|uses) (?P<number2>[\w,-]+) "
    r"(?P<noun2>[a-z]+)(?=[.,]|$)"
)
_DOING = {"buy": "buying", "make": "making", "bake": "baking"}


@relation("left after one")
def _left_after_one(case: Case, slots: Slots) -> dict[str, str] | None:
    """Match "Amy has 80 cents. Each nut costs 4 cents." and ask for the rest after one nut."""
    numbers, doing = numbers_of(case.equation), _DOING.get(slots.get("verb", ""))
    if doing is None or numbers[0] <= numbers[1]:
        return None
    price = _COSTS.search(case.body) if doing == "buying" else None
    needs = _TAKES.search(case.body) if doing != "buying" else None
    if price:
        number, one = price["number"].removeprefix("$"), price["one"]
        unit = price["unit"].strip() or ("$" if "$" in price["number"] else "")
        noun = "money" if unit in ("$", "dollars") else "cents"
    elif needs:
        number, one = needs["number"] or needs["number2"], needs["one"] or needs["one2"]
        unit = noun = needs["noun"] or needs["noun2"]
    else:
        return None
    if numerals.parse(number) != numbers[1] or not unit:
        return None
    wholes = [item for item in counted(case.body) if item.value == numbers[0]]
    if len(wholes) != 1 or sum(q.value == numbers[0] for q in numerals.find(case.body)) != 1:
        return None
    whole = wholes[0]
    dollars = case.body[whole.start - 1 : whole.start] == "$"
    if (unit == "$") != dollars or (not dollars and _head(whole) != unit.split(" of ")[0].split()[-1]):
        return None
    owned = [fact for fact in case.facts if fact.value == numbers[0]]
    if not owned and not re.search(
        r"\b(?:has|had|have|bought)\b", case.body[: whole.start].rpartition(".")[2]
    ):
        return None
    future = {"can": "will", "will": "will", "could": "would", "would": "would"}[slots.get("aux", "can")]
    how = "How much" if noun == "money" else "How many"
    return {
        "How": how, "noun": noun, "future": future, "doing": doing, "one": one, "a": whole.text, "b": number,
        "unit": "dollars" if noun == "money" else noun,
    }  # fmt: skip


@relation("two things")
def _two_things(case: Case, slots: Slots) -> dict[str, str] | None:
    """Match "40 nuts are shared among 8 friends", where there are more nuts than friends."""
    numbers = numbers_of(case.equation)
    if numbers[0] <= numbers[1] or any(number.denominator != 1 for number in numbers):
        return None
    things = [item for item in counted(case.body) if item.value in numbers]
    seen = [quantity.value for quantity in numerals.find(case.body)]
    if len(things) != 2 or len(set(seen)) != len(seen) or len(seen) > 3 or numbers[1] < 2:
        return None
    by = {
        item.value: item.noun.removeprefix("more ").removeprefix("equal ").removeprefix("different ")
        for item in things
    }
    big, small = by[numbers[0]], by[numbers[1]]
    heads = [noun.split(" of ")[0].split()[-1] if noun else "" for noun in (big, small)]
    if heads[0] == heads[1] or any(
        not is_plural(head) or is_unit(head) or head in GROUPING_NOUNS for head in heads
    ):
        return None
    if any(_verbal(item.noun) or _bound(case.body, item) for item in things):
        return None
    return {"big": big, "small": small, "a": things[0].text if things[0].value == numbers[0] else things[1].text,
            "b": things[1].text if things[1].value == numbers[1] else things[0].text,
            "be": "were" if in_past(case.body) else "are"}  # fmt: skip


# "10 seats on each bus", "a bus can carry 48 people": not the number of all seats or people.
_CAPACITY = re.compile(
    r"\b(?:each(?! of the \d)|every|per|costs?|for \$|a day|capacity|holds?|contains?|"
    r"can [a-z]+|could [a-z]+|needs? to contain)\b",
    re.IGNORECASE,
)
_EQUAL = re.compile(r"\b(?:same|equal|equally|evenly)\b")
# Things that are only drawn, or not made yet.
_NOT_YET = re.compile(r"\b(?:drew|painted|make|making|wanted to have|wants to have) $")


def _bound(body: str, item: Counted) -> bool:
    """Return whether the number is one of each, or of things that are not present."""
    start = max(body.rfind(mark, 0, item.start) for mark in ".,;") + 1
    clause = body[start : item.start] + re.split(r"[.,;](?!\d)", body[item.start :], maxsplit=1)[0]
    capacity = _CAPACITY.search(clause) and not _EQUAL.search(clause)
    return bool(capacity or _NOT_YET.search(body[: item.start]))


def _verbal(noun: str) -> bool:
    """Return whether the noun phrase includes a verb ("students receives")."""
    words = noun.split()
    return (
        len(words) > 1
        and words[-2].endswith("s")
        and not words[-2].endswith("ss")
        and words[-1].endswith("s")
    )


def _head(item: Counted) -> str:
    return item.noun.split(" of ")[0].split()[-1] if item.noun else ""
