"""Relations of change: what there was, what came or went, and what there is now."""

from __future__ import annotations

import re

from dnc_datasets.english.events import (
    GAINS,
    GIVES,
    HAVE,
    LOSSES,
    STARTS,
    asked_about,
    asked_noun,
    have_form,
    retold,
    same_things,
)
from dnc_datasets.english.facts import person
from dnc_datasets.english.relations import Case, Slots, facts_of, name_of, operands, relation
from dnc_datasets.english.verbs import past


@relation("removed there less", "removed there more")
def _removed_there(case: Case, slots: Slots) -> dict[str, str] | None:
    """As `removed`, where the question names nobody: "How many pens are left?" """
    chosen = facts_of(case, operands(case.equation, "-"))
    who = name_of(chosen[0].who, case) if chosen else ""
    if not who or who == "there":
        return None
    return _removed(
        case, {**slots, "who": who, "aux": "did", "relation": slots["relation"].replace(" there", "")}
    )


@relation("start less", "start more")
def _start(case: Case, slots: Slots) -> dict[str, str] | None:
    """ "Tom gave Amy 2 pens. Now she has 9 pens. How many had she at first?" """
    if not re.search(
        r"\b(?:first|start|begin|beginning|originally|before|initially)\b", slots.get("rest", "")
    ):
        return None
    chosen = facts_of(case, operands(case.equation, "-"))
    asked = asked_about(case, slots)
    if chosen is None or asked is None:
        return None
    event, now = chosen
    own = name_of(event.who, case) == asked[0] or event.who == asked[1]
    if now.verb not in ("has", "had", "have") or event.plain not in (GAINS if own else GIVES):
        return None
    noun, told = same_things(event, now), retold(event, case, slots)
    had = now.value - event.value
    if noun is None or told is None or noun == "money" or had <= 0 or had == event.value:
        return None
    if (had > event.value) != (slots["relation"] == "start more"):
        return None
    return {"noun": noun, "b": event.number, "event": told[0], "event_did": told[1], "pronoun": asked[1]}


@relation("removed less", "removed more")
def _removed(case: Case, slots: Slots) -> dict[str, str] | None:
    """ "Amy had 9 pens. She gave 2 pens to Tom. How many has she left?" """
    chosen = facts_of(case, operands(case.equation, "-"))
    if chosen is None:
        return None
    start, event = chosen
    left = start.value - event.value
    if start.value < event.value or left in (event.value, 0) or event.plain not in LOSSES or event.more:
        return None
    if start.verb not in HAVE and start.plain not in STARTS:
        return None
    noun = same_things(start, event)
    told = retold(event, case, slots)
    asked = asked_about(case, slots)
    if noun is None or told is None or asked is None or (noun := asked_noun(noun, case)) is None:
        return None
    if name_of(event.who, case) != asked[0] and event.who != asked[1]:
        return None
    if (left > event.value) != (slots["relation"] == "removed less"):
        return None
    have = have_form(slots.get("aux", "did"), asked[1])
    return {
        "noun": noun, "b": event.number, "event": told[0], "event_did": told[1],
        "pronoun": asked[1], "have": have,
    }  # fmt: skip


@relation("gone less", "gone more")
def _gone(case: Case, slots: Slots) -> dict[str, str] | None:
    """ "There were 9 birds in a tree. 2 birds flew away. How many are left?" """
    chosen = facts_of(case, operands(case.equation, "-"))
    if chosen is None:
        return None
    start, event = chosen
    left = start.value - event.value
    if event.who or start.who != "there" or left in (event.value, 0) or left < 0 or event.more:
        return None
    noun = same_things(start, event)
    if noun is None or (left > event.value) != (slots["relation"] == "gone less"):
        return None
    return {"noun": noun, "b": event.number, "event": f"{event.verb}{event.tail}"}


@relation("left less", "left more")
def _left(case: Case, slots: Slots) -> dict[str, str] | None:
    """ "Amy had 9 pens. Now she has 4 left. How many did she give away?" """
    chosen = facts_of(case, operands(case.equation, "-"))
    if chosen is None:
        return None
    start, end = chosen
    if (start.verb not in HAVE and start.plain not in STARTS) or end.verb not in ("had", "has", "have"):
        return None
    gone = start.value - end.value
    if start.value < end.value or gone in (end.value, 0) or slots.get("verb", "") not in LOSSES:
        return None
    if "left" not in end.tail and not re.search(r"\b(?:[Nn]ow|some)\b", case.body):
        return None
    noun, asked = same_things(start, end), asked_about(case, slots)
    verb_past = past(slots["verb"])
    if noun is None or asked is None or verb_past is None or (noun := asked_noun(noun, case)) is None:
        return None
    if (gone > end.value) != (slots["relation"] == "left less"):
        return None
    has = end.verb == "has"
    owner = name_of(start.who, case)
    if not owner:
        return None
    if owner != asked[0]:
        # Somebody else took them: "than Amy has left", "than Tom stole".
        pronouns = {"left less": owner, "left more": asked[0]}
        asked = (owner, pronouns[slots["relation"]])
        first = owner
    else:
        first = slots["who"]
    return {
        "noun": noun, "b": end.number, "pronoun": asked[1], "verb_past": verb_past,
        "left": f"{end.verb} left",
        "left_did": f"{'does' if has else 'did'} {first} have left",
    }  # fmt: skip


@relation("initial more", "initial less")
def _initial(case: Case, slots: Slots) -> dict[str, str] | None:
    """ "Amy gave 2 pens to Tom. Now she has 7. How many had she at first?" """
    if not re.search(
        r"\b(?:first|start|begin|beginning|originally|before|initially)\b", slots.get("rest", "")
    ):
        return None
    chosen = facts_of(case, operands(case.equation, "+"))
    if chosen is None:
        return None
    event, now = chosen
    if now.verb not in ("has", "had", "have") or event.plain not in LOSSES or event.verb in HAVE:
        return None
    noun, told, asked = same_things(event, now), retold(event, case, slots), asked_about(case, slots)
    if noun is None or told is None or asked is None or noun == "money":
        return None
    if (now.value > event.value) != (slots["relation"] == "initial more"):
        return None
    word = "left" if now.verb == "had" or "left" in now.tail else "now"
    aux = {"has": "does", "had": "did", "have": "do"}[now.verb]
    return {
        "noun": noun, "a": now.number, "b": event.number, "event": told[0], "event_did": told[1],
        "now_did": f"{aux} {slots['who']} have {word}", "pronoun": asked[1], "now": f"{now.verb} {word}",
    }  # fmt: skip


@relation("gained less", "gained more")
def _gained(case: Case, slots: Slots) -> dict[str, str] | None:
    """ "Amy had 9 pens. She bought 4 more. How many has she now?" """
    chosen = facts_of(case, operands(case.equation, "+"))
    if chosen is None:
        return None
    start, event = chosen
    if start.verb not in HAVE or event.verb in HAVE or start.value == event.value:
        return None
    if not event.past and slots["relation"] == "gained less":
        return None
    asked = asked_about(case, slots)
    if asked is None or name_of(start.who, case) != asked[0]:
        return None
    own = name_of(event.who, case) == asked[0] or event.who == asked[1]
    if event.plain not in (GAINS if own else GIVES):
        return None
    noun, told = same_things(start, event), retold(event, case, slots)
    if noun is None or told is None or (noun := asked_noun(noun, case)) is None:
        return None
    if (start.value > event.value) != (slots["relation"] == "gained less"):
        return None
    return {
        "noun": noun, "a": start.number, "b": event.number, "event": told[0], "event_did": told[1],
        "pronoun": asked[1],
    }  # fmt: skip


@relation("come less", "come more")
def _come(case: Case, slots: Slots) -> dict[str, str] | None:
    """ "Amy had 9 pens. Tom gave her some. Now she has 15. How many did he give her?" """
    chosen = facts_of(case, operands(case.equation, "-"))
    if chosen is None:
        return None
    start, end = chosen
    if start.verb not in HAVE or end.verb not in ("had", "has", "have") or start.value >= end.value:
        return None
    verb, verb_past = slots.get("verb", ""), past(slots.get("verb", ""))
    owner = name_of(start.who, case)
    asked = asked_about(case, slots)
    noun = same_things(start, end)
    if asked is None or noun is None or verb_past is None or not owner or noun == "money":
        return None
    if verb not in (GAINS if asked[0] == owner else GIVES) or name_of(end.who, case) != owner:
        return None
    come = end.value - start.value
    if come == start.value or (come > start.value) != (slots["relation"] == "come more"):
        return None
    pronoun = person(owner, case.body)[1] or owner
    tail = f" {slots['tail']}" if slots.get("tail") else ""
    again = pronoun if asked[0] == owner else owner
    return {
        "noun": noun, "a": start.number, "owner": owner, "owner_again": again,
        "came": f"{again if asked[0] == owner else asked[0]} {verb_past}{tail}",
    }  # fmt: skip


@relation("needed less", "needed more")
def _needed(case: Case, slots: Slots) -> dict[str, str] | None:
    """ "Amy needs 9 pens. She has 2 pens. How many more does she need?" """
    numbers, asked = operands(case.equation, "-"), asked_about(case, slots)
    if numbers is None or asked is None or re.search(r"\b(?:if|so that|to have)\b", slots.get("tail", "")):
        return None
    owned = [fact for fact in case.facts if fact.value == numbers[1] and fact.verb in ("has", "have", "had")]
    if len(owned) != 1 or name_of(owned[0].who, case) != asked[0] or numbers[0] <= numbers[1]:
        return None
    has, needs = owned[0], numbers[0] - numbers[1]
    if has.particle or needs == has.value or (needs > has.value) != (slots["relation"] == "needed more"):
        return None
    if has.money != (slots.get("what", "money") == "money") or (
        has.noun and slots.get("what", "").split(" of ")[0].split()[-1:] != [has.head]
    ):
        return None
    if slots.get("aux") == "do":
        needs_now, have = "need", "have"
    else:
        needs_now, have = "needs", "has"
    return {
        "b": has.number,
        "pronoun": asked[1],
        "needs": needs_now,
        "have": have,
        "noun": slots.get("what", "money"),
    }
