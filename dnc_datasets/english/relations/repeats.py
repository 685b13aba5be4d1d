"""Relations of repeated actions: at two times, at two places, at first and later."""

from __future__ import annotations

import re

from dnc_datasets.english.lexicon import is_plural
from dnc_datasets.english.reading.facts import person
from dnc_datasets.english.reading.quantities import counted
from dnc_datasets.english.reading.sentences import sentences
from dnc_datasets.english.relations.events import HAVE, same_things
from dnc_datasets.english.relations.relation import (
    Case,
    Slots,
    did,
    facts_of,
    name_of,
    numbers_of,
    operands,
    relation,
)

_TIME = re.compile(
    r" (on|in|at|for|from|last|this|during|before|after|to|with|around|online|yesterday|today|about|by)\b"
)


@relation("times")
def _times(case: Case, slots: Slots) -> dict[str, str] | None:
    """Match one action at two times or places: "3 miles on Monday and 5 miles on Sunday"."""
    for listed in case.lists:
        if listed.who == "there":
            continue
        numbers = operands(case.equation, "+" * (len(listed.items) - 1))
        if numbers is None or sorted(numbers) != sorted(item.value for item in listed.items):
            continue
        small, *_, big = sorted(listed.items, key=lambda item: item.value)
        money = big.money or big.noun in ("dollars", "dollar")
        if not _at_times([item.tail for item in listed.items]):
            return None
        if money != slots.get("question", "").lower().startswith("how much") or big.head != small.head:
            return None
        who = name_of(listed.who, case)
        if not who or not (money or is_plural(big.head)):
            return None
        return {
            "noun": big.noun if big.noun == small.noun else big.head, "a": big.number, "b": small.number,
            "list_did": did(listed, who).removesuffix(" for").removesuffix(f" {big.tail.split()[0]}"),
            "big_tail": big.tail.strip(), "small_tail": small.tail.strip(),
        }  # fmt: skip
    return None


def _at_times(tails: list[str]) -> bool:
    """Return whether each tail states a time or place, or all state a purpose ("drawing at home")."""
    if all(_TIME.match(tail) for tail in tails):
        return True
    openers = {tail.split()[0] if tail.split() else "" for tail in tails}
    return len(openers) == 1 and next(iter(openers)).endswith("ing")


@relation("twice")
def _twice(case: Case, slots: Slots) -> dict[str, str] | None:
    """Match two equal actions of one person: "She ran 3 miles on Monday. She ran 5 miles on Sunday."."""
    chosen = facts_of(case, operands(case.equation, "+"))
    if chosen is None:
        return None
    names = [name_of(fact.who, case) for fact in chosen]
    one, two = chosen
    if not names[0] or names[0] != names[1] or one.verb != two.verb or one.particle != two.particle:
        return None
    if one.money or two.money or one.who == "there" or (one.noun and two.noun and one.head != two.head):
        return None
    if one.more:
        return None
    ends = [fact.tail.strip() or fact.when for fact in chosen]
    openers = [end.split(" ")[0] for end in ends]
    if (
        not all(ends)
        or openers[0] != openers[1]
        or not _TIME.match(f" {ends[0]}")
        or not (one.noun or two.noun)
    ):
        return None
    small, big = sorted(chosen, key=lambda fact: fact.value)
    by = dict(zip(chosen, ends, strict=True))
    noun = one.noun if not two.noun or one.noun == two.noun else one.head
    return {
        "noun": noun or two.noun, "a": big.number, "b": small.number, "big_tail": by[big],
        "small_tail": by[small], "list_did": did(big, names[0]),
    }  # fmt: skip


@relation("at first and later")
def _again(case: Case, slots: Slots) -> dict[str, str] | None:
    """Match "Amy bought 8 pens. Later she bought 6 more pens."."""
    chosen = facts_of(case, operands(case.equation, "+"))
    if chosen is None:
        return None
    one, two = chosen
    if (
        one.plain != two.plain
        or not (one.past and two.past)
        or one.verb in HAVE
        or one.particle != two.particle
    ):
        return None
    names = [name_of(fact.who, case) for fact in chosen]
    noun = same_things(one, two)
    if not names[0] or names[0] != names[1] or noun in (None, "money") or one.tail != two.tail or one.more:
        return None
    stated = sentences(case.body)
    if two.sentence != one.sentence + 1 or not re.match(r"(?:Then|Later)\b", stated[two.sentence]):
        return None
    first_more = one.value > two.value
    small, big = sorted(chosen, key=lambda fact: fact.value)
    return {
        "noun": noun or "", "a": big.number, "b": small.number,
        "list_did": did(one, names[0]) + one.tail,
        "big_tail": "at first" if first_more else "later", "small_tail": "later" if first_more else "at first",
    }  # fmt: skip


@relation("two own acts")
def _own_acts(case: Case, slots: Slots) -> dict[str, str] | None:
    """Match "She took 6 pens to school. She left 4 pens at home."."""
    chosen = facts_of(case, operands(case.equation, "+"))
    if chosen is None:
        return None
    one, two = chosen
    names = [name_of(fact.who, case) for fact in chosen]
    if not names[0] or names[0] != names[1] or one.who == "there" or one.plain == two.plain:
        return None
    if not (one.past and two.past) or {one.verb, two.verb} & {*HAVE, "was", "were"} or one.more or two.more:
        return None
    if one.money or two.money or not one.noun or not two.noun or one.head != two.head:
        return None
    small, big = sorted(chosen, key=lambda fact: fact.value)
    noun = one.noun if one.noun == two.noun else one.head
    pronoun = person(names[0], case.body)[1] or names[0]
    return {
        "noun": noun, "a": big.number, "b": small.number, "event_did": did(big, names[0]) + big.tail,
        "event": f"{pronoun} {small.verb}{small.particle}{small.tail}",
    }  # fmt: skip


_SPOT = re.compile(
    r"\b(?:in the (?:morning|afternoon|evening)|on [A-Z][a-z]+day|at the [a-z]+|in the [a-z]+|on the [a-z]+|yesterday|today)$"
)


@relation("counted twice")
def _counted_twice(case: Case, slots: Slots) -> dict[str, str] | None:
    """Match "9 boys swam in the morning. 5 boys swam in the afternoon."."""
    chosen = facts_of(case, operands(case.equation, "+"))
    if chosen is None or any(fact.who or fact.more for fact in chosen) or chosen[0].verb != chosen[1].verb:
        return None
    small, big = sorted(chosen, key=lambda fact: fact.value)
    spots = [_SPOT.search(fact.tail) for fact in (big, small)]
    if big.noun != small.noun or not all(spots) or spots[0][0] == spots[1][0]:  # type: ignore[index]
        return None
    return {
        "noun": big.noun, "a": big.number, "b": small.number, "event": f"{big.verb}{big.tail}",
        "small_tail": spots[1][0],  # type: ignore[index]
    }  # fmt: skip


_COMPARED_TIMES = re.compile(
    r"how many (?:more|fewer) (?P<what>[a-z -]{1,60}?) (?P<did>(?:do|did|does|are|were|is|was) [\w. ]{0,60}?)"
    r"(?P<at>in|on|at|during) (?P<one>[\w ]{1,60}?) than (?P=at) (?P<two>[\w ]{1,60})$",
    re.IGNORECASE,
)


@relation("times compared")
def _times_compared(case: Case, slots: Slots) -> dict[str, str] | None:
    """Match "How many more pens did Amy sell in May than in April?", where the body states both numbers."""
    numbers, asked = numbers_of(case.equation), _COMPARED_TIMES.match(slots["question"])
    if asked is None:
        return None
    at, places = asked["at"], (asked["one"], asked["two"])
    stated = []
    for item in counted(case.body):
        place = next((p for p in places if case.body[item.noun_end :].startswith(f" {at} {p}")), None)
        if item.value in numbers and place and item.noun.endswith(asked["what"].split()[-1]):
            stated.append((item.value, place))
    if (
        len(stated) != 2
        or {value for value, _ in stated} != set(numbers)
        or {p for _, p in stated} != set(places)
    ):
        return None
    return {
        "noun": asked["what"], "asked_did": asked["did"].strip(), "at": at, "one": stated[0][1], "two": stated[1][1],
        "a": str(numbers[0]), "b": str(numbers[1]),
    }  # fmt: skip
