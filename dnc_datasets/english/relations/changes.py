"""Relations of change: an initial number, a gain or a loss, and the current number."""

from __future__ import annotations

import re

from dnc_datasets.english.lexicon import GAIN_VERBS, GIVING_VERBS, LOSS_VERBS, STARTING_VERBS, past
from dnc_datasets.english.reading.facts import person
from dnc_datasets.english.reading.sentences import sentences
from dnc_datasets.english.relations.events import (
    HAVE,
    asked_about,
    asked_noun,
    done,
    have_form,
    retold,
    same_things,
)
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


@relation("removed there less", "removed there more")
def _removed_there(case: Case, slots: Slots) -> dict[str, str] | None:
    """Match as `removed` where the question has no person: "How many pens are left?"."""
    chosen = facts_of(case, operands(case.equation, "-"))
    who = name_of(chosen[0].who, case) if chosen else ""
    if not who or who == "there":
        return None
    return _removed(
        case, {**slots, "who": who, "aux": "did", "relation": slots["relation"].replace(" there", "")}
    )


@relation("start less", "start more")
def _start(case: Case, slots: Slots) -> dict[str, str] | None:
    """Match "Tom gave Amy 2 pens. Now she has 9 pens. How many had she at first?"."""
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
    if now.verb not in ("has", "had", "have") or event.plain not in (GAIN_VERBS if own else GIVING_VERBS):
        return None
    noun, stated = same_things(event, now), retold(event, case, slots)
    had = now.value - event.value
    if noun is None or stated is None or noun == "money" or had <= 0:
        return None
    return {"noun": noun, "b": event.number, "event": stated[0], "event_did": stated[1], "pronoun": asked[1]}


@relation("removed less", "removed more")
def _removed(case: Case, slots: Slots) -> dict[str, str] | None:
    """Match "Amy had 9 pens. She gave 2 pens to Tom. How many has she left?"."""
    chosen = facts_of(case, operands(case.equation, "-"))
    if chosen is None:
        return None
    start, event = chosen
    left = start.value - event.value
    if start.value < event.value or left in (event.value, 0) or done(event) not in LOSS_VERBS or event.more:
        return None
    if start.verb not in HAVE and start.plain not in STARTING_VERBS:
        return None
    noun = same_things(start, event)
    stated = retold(event, case, slots)
    asked = asked_about(case, slots)
    if noun is None or stated is None or asked is None or (noun := asked_noun(noun, case)) is None:
        return None
    if name_of(event.who, case) != asked[0] and event.who != asked[1]:
        return None
    if (left > event.value) != (slots["relation"] == "removed less"):
        return None
    have = have_form(slots.get("aux", "did"), asked[1])
    return {
        "noun": noun, "b": event.number, "event": stated[0], "event_did": stated[1],
        "pronoun": asked[1], "have": have,
    }  # fmt: skip


@relation("left less", "left more")
def _left(case: Case, slots: Slots) -> dict[str, str] | None:
    """Match "Amy had 9 pens. Now she has 4 left. How many did she give away?"."""
    chosen = facts_of(case, operands(case.equation, "-"))
    if chosen is None:
        return None
    start, end = chosen
    if (start.verb not in HAVE and start.plain not in STARTING_VERBS) or end.verb not in (
        "had",
        "has",
        "have",
    ):
        return None
    gone = start.value - end.value
    verb = slots.get("verb", "")
    if start.value < end.value or gone in (end.value, 0):
        return None
    if verb not in LOSS_VERBS and not re.search(rf"\bAfter {re.escape(verb)}n?ing some\b", case.body):
        return None
    if "left" not in end.tail and not re.search(r"\b(?:[Nn]ow|some|only|After)\b", case.body):
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
    """Match "Amy gave 2 pens to Tom. Now she has 7. How many had she at first?"."""
    if not re.search(
        r"\b(?:first|start|begin|beginning|originally|before|initially)\b", slots.get("rest", "")
    ):
        return None
    chosen = facts_of(case, operands(case.equation, "+"))
    if chosen is None:
        return None
    event, now = chosen
    if now.verb not in ("has", "had", "have") or event.plain not in LOSS_VERBS or event.verb in HAVE:
        return None
    noun, stated, asked = same_things(event, now), retold(event, case, slots), asked_about(case, slots)
    if noun is None and not event.noun and not now.noun and not event.money:
        noun = slots.get("what") or None  # "He used 3 of them. Now he has 9 left."
    if noun is None or stated is None or asked is None or (noun := asked_noun(noun, case)) is None:
        return None
    word = "left" if now.verb == "had" or "left" in now.tail else "now"
    aux = {"has": "does", "had": "did", "have": "do"}[now.verb]
    return {
        "noun": noun, "a": now.number, "b": event.number, "event": stated[0], "event_did": stated[1],
        "now_did": f"{aux} {slots['who']} have {word}", "pronoun": asked[1], "now": f"{now.verb} {word}",
    }  # fmt: skip


@relation("gained less", "gained more")
def _gained(case: Case, slots: Slots) -> dict[str, str] | None:
    """Match "Amy had 9 pens. She bought 4 more. How many has she now?"."""
    chosen = facts_of(case, operands(case.equation, "+"))
    if chosen is None:
        return None
    start, event = chosen
    if event.verb in HAVE and re.search(r"\balready had\b", case.body):
        start, event = event, start  # "She bought 7 pens, but she already had 3."
    if start.verb not in HAVE or event.verb in HAVE:
        return None
    if not event.past and slots["relation"] == "gained less":
        return None
    asked = asked_about(case, slots)
    if asked is None or name_of(start.who, case) != asked[0]:
        return None
    own = name_of(event.who, case) == asked[0] or event.who == asked[1]
    if event.plain not in (GAIN_VERBS if own else GIVING_VERBS):
        return None
    noun, stated = same_things(start, event), retold(event, case, slots)
    if noun is None or stated is None or (noun := asked_noun(noun, case)) is None:
        return None
    return {
        "noun": noun.removeprefix("new "), "a": start.number, "b": event.number, "event": stated[0],
        "event_did": stated[1], "pronoun": asked[1],
    }  # fmt: skip


@relation("come less", "come more")
def _come(case: Case, slots: Slots) -> dict[str, str] | None:
    """Match "Amy had 9 pens. Tom gave her some. Now she has 15. How many did he give her?"."""
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
    if verb not in (GAIN_VERBS if asked[0] == owner else GIVING_VERBS) or name_of(end.who, case) != owner:
        return None
    come = end.value - start.value
    if (come > start.value) != (slots["relation"] == "come more"):
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
    """Match "Amy needs 9 pens. She has 2 pens. How many more does she need?"."""
    numbers, asked = numbers_of(case.equation), asked_about(case, slots)
    if asked is None or re.search(r"\b(?:if|so that|to have)\b", slots.get("tail", "")):
        return None
    owned = [fact for fact in case.facts if fact.value == numbers[1] and fact.verb in ("has", "have", "had")]
    if len(owned) != 1 or name_of(owned[0].who, case) != asked[0] or numbers[0] <= numbers[1]:
        return None
    has = owned[0]
    if has.particle:
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


@relation("to do less", "to do more")
def _to_do(case: Case, slots: Slots) -> dict[str, str] | None:
    """Match "The recipe calls for 7 cups. She already put in 3 cups. How many more does she need to add?"."""
    numbers, asked = numbers_of(case.equation), asked_about(case, slots)
    if asked is None or numbers[0] <= numbers[1] or not slots.get("verb"):
        return None
    ready = [fact for fact in case.facts if fact.value == numbers[1]]
    if len(ready) != 1 or name_of(ready[0].who, case) != asked[0] or ready[0].money:
        return None
    fact = ready[0]
    stated = sentences(case.body)[fact.sentence]
    if not re.search(r"\balready\b", stated) or fact.verb == "had":
        return None
    if fact.verb in ("has", "have") and done(fact) == "have":
        return None
    head = slots.get("what", "").split(" of ")[0].split()[-1:]
    if fact.noun and head != [fact.head]:
        return None
    verb = (
        f"{fact.verb}{fact.particle}" if "already" in fact.particle else f"already {fact.verb}{fact.particle}"
    )
    again = (
        did(fact, f"{slots['who']} already") if "already" not in fact.particle else did(fact, slots["who"])
    )
    return {
        "b": fact.number, "pronoun": asked[1], "ready": f"{verb}{fact.tail}", "ready_did": f"{again}{fact.tail}",
        "needs": "need" if slots.get("aux") == "do" else "needs",
    }  # fmt: skip


@relation("difference at first")
def _difference_at_first(case: Case, slots: Slots) -> dict[str, str] | None:
    """Match "Tom lost 9 pens. Now he has 2." with a question for the difference.

    The step is the initial number.
    """
    chosen = facts_of(case, operands(case.equation, "-"))
    if chosen is None:
        return None
    event, now = chosen
    if now.verb not in ("has", "had", "have") or done(event) not in LOSS_VERBS or event.verb in HAVE:
        return None
    owner, noun = name_of(now.who, case), same_things(event, now)
    if not owner or owner != name_of(event.who, case) or owner == "there" or noun in (None, "money"):
        return None
    if "left" not in now.tail and not re.search(r"\bNow\b", case.body):
        return None
    return {"who": owner, "noun": noun or "", "a": event.number, "b": now.number}


@relation("difference at first less", "difference at first more")
def _start_and_loss(case: Case, slots: Slots) -> dict[str, str] | None:
    """Match "Tom had 9 pens. He lost 2." with a question for the difference.

    Compare the rest with the loss.
    """
    chosen = facts_of(case, operands(case.equation, "-"))
    who = name_of(chosen[0].who, case) if chosen else ""
    if not who or who == "there":
        return None
    kind = "removed less" if slots["relation"] == "difference at first less" else "removed more"
    how_many = case._replace(question="How many")
    found = _removed(how_many, {**slots, "who": who, "aux": "did", "relation": kind})
    return {**found, "who": who} if found else None
