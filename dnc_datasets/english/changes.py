"""Relations of change: what there was, what came or went, and what there is now."""

from __future__ import annotations

import re
from fractions import Fraction

from dnc_datasets.english.facts import Fact, person
from dnc_datasets.english.people import PRONOUNS
from dnc_datasets.english.relations import Case, Slots, did, facts_of, name_of, operands, relation
from dnc_datasets.english.sentences import sentences
from dnc_datasets.english.verbs import past
from dnc_datasets.expression import Binary, Number

_HAVE = ("had", "has", "have", "owned")
_GAINS = frozenset(
    "buy get find receive win earn collect pick make bake save add borrow gather catch score".split()
)
_GIVES = frozenset("give send hand bring buy lend".split())
_STARTS = _GAINS | frozenset("store put grow prepare memorize order own stock stack plant".split())
_LOSSES = frozenset(
    """steal forget cut take give lose use eat sell spend donate drop break throw return drink burn share send hand pay lend trade
    delete remove crush bury post mail read finish""".split()
)


def _second(case: Case, slots: Slots) -> tuple[str, str] | None:
    """Who is asked about, by name and by pronoun; None where that is not sure."""
    who = slots.get("who", "")
    small = who.lower() if who.lower() in PRONOUNS else who
    name, pronoun = person(small, case.body)
    if who.lower() in ("he", "she", "they", "you", "i", "we"):
        return name or who, who.lower()
    return (name, pronoun or name) if name else None


def _event(fact: Fact, case: Case, slots: Slots) -> tuple[str, str] | None:
    """A fact without its number, as "she gave to Tom" and as "did she give to Tom"."""
    asked = _second(case, slots)
    actor = name_of(fact.who, case)
    if asked is None or not actor or fact.tail.strip().startswith(("left", "now")):
        return None
    name, pronoun = asked
    if actor == name or fact.who == pronoun:
        return f"{pronoun} {fact.verb}{fact.particle}{fact.tail}", did(fact, slots["who"]) + fact.tail
    return f"{actor} {fact.verb}{fact.particle}{fact.tail}", did(fact, actor) + fact.tail


def _same_things(one: Fact, two: Fact) -> str | None:
    """What both facts count, "money" for money, None where they count different things."""
    if one.money != two.money:
        return None
    if one.money or one.head in ("dollars", "dollar"):
        return "money" if not two.noun or two.head in ("dollars", "dollar") else None
    if one.noun and two.noun and one.head != two.head and one.noun.split()[-1] != two.noun.split()[-1]:
        return None
    return (one.noun if len(one.noun) >= len(two.noun) else two.noun) or None


def _asked_noun(noun: str, case: Case) -> str | None:
    """What the new question counts: money is asked for by "how much", or as "how many dollars"."""
    if case.question.lower().startswith("how much"):
        return noun if noun == "money" else None
    if noun == "money":
        return "dollars" if case.question.lower().startswith("how many dollars") else None
    return noun


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
    asked = _second(case, slots)
    if chosen is None or asked is None:
        return None
    event, now = chosen
    own = name_of(event.who, case) == asked[0] or event.who == asked[1]
    if now.verb not in ("has", "had", "have") or event.plain not in (_GAINS if own else _GIVES):
        return None
    noun, told = _same_things(event, now), _event(event, case, slots)
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
    if start.value < event.value or left in (event.value, 0) or event.plain not in _LOSSES or event.more:
        return None
    if start.verb not in _HAVE and start.plain not in _STARTS:
        return None
    noun = _same_things(start, event)
    told = _event(event, case, slots)
    asked = _second(case, slots)
    if noun is None or told is None or asked is None or (noun := _asked_noun(noun, case)) is None:
        return None
    if name_of(event.who, case) != asked[0] and event.who != asked[1]:
        return None
    if (left > event.value) != (slots["relation"] == "removed less"):
        return None
    have = _have(slots.get("aux", "did"), asked[1])
    return {
        "noun": noun, "b": event.number, "event": told[0], "event_did": told[1],
        "pronoun": asked[1], "have": have,
    }  # fmt: skip


def _have(aux: str, pronoun: str) -> str:
    if aux == "did":
        return "had"
    return "have" if pronoun in ("they", "you", "i", "we", "I") or aux == "do" else "has"


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
    noun = _same_things(start, event)
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
    if (start.verb not in _HAVE and start.plain not in _STARTS) or end.verb not in ("had", "has", "have"):
        return None
    gone = start.value - end.value
    if start.value < end.value or gone in (end.value, 0) or slots.get("verb", "") not in _LOSSES:
        return None
    if "left" not in end.tail and not re.search(r"\b(?:[Nn]ow|some)\b", case.body):
        return None
    noun, asked = _same_things(start, end), _second(case, slots)
    verb_past = past(slots["verb"])
    if noun is None or asked is None or verb_past is None or (noun := _asked_noun(noun, case)) is None:
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
    if now.verb not in ("has", "had", "have") or event.plain not in _LOSSES or event.verb in _HAVE:
        return None
    noun, told, asked = _same_things(event, now), _event(event, case, slots), _second(case, slots)
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
    if start.verb not in _HAVE or event.verb in _HAVE or start.value == event.value:
        return None
    if not event.past and slots["relation"] == "gained less":
        return None
    asked = _second(case, slots)
    if asked is None or name_of(start.who, case) != asked[0]:
        return None
    own = name_of(event.who, case) == asked[0] or event.who == asked[1]
    if event.plain not in (_GAINS if own else _GIVES):
        return None
    noun, told = _same_things(start, event), _event(event, case, slots)
    if noun is None or told is None or (noun := _asked_noun(noun, case)) is None:
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
    if start.verb not in _HAVE or end.verb not in ("had", "has", "have") or start.value >= end.value:
        return None
    verb, verb_past = slots.get("verb", ""), past(slots.get("verb", ""))
    owner = name_of(start.who, case)
    asked = _second(case, slots)
    noun = _same_things(start, end)
    if asked is None or noun is None or verb_past is None or not owner or noun == "money":
        return None
    if verb not in (_GAINS if asked[0] == owner else _GIVES) or name_of(end.who, case) != owner:
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
    numbers, asked = operands(case.equation, "-"), _second(case, slots)
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


@relation("removed first")
def _removed_first(case: Case, slots: Slots) -> dict[str, str] | None:
    """(9 - 2) of something, and then one more step: how many are left before that step?"""
    tree = case.equation
    if not isinstance(tree, Binary) or len(tree.operators) != 2 or not isinstance(tree.left, Binary):
        return None
    chosen = facts_of(case, operands(tree.left, "-"))
    if chosen is None or tree.op not in "*/":
        return None
    start, event = chosen
    owner, noun = name_of(start.who, case), _same_things(start, event)
    if (
        start.value <= event.value
        or event.plain not in _LOSSES
        or not owner
        or owner == "there"
        or noun is None
    ):
        return None
    if name_of(event.who, case) != owner or (start.verb not in _HAVE and start.plain not in _STARTS):
        return None
    return {
        "How": "How much" if noun == "money" else "How many", "noun": noun, "a": start.number, "b": event.number,
        "who": owner, "unit": "dollars" if noun == "money" else noun,
    }  # fmt: skip


@relation("two events")
def _two_events(case: Case, slots: Slots) -> dict[str, str] | None:
    """ "She had 9 pens. She lost 2 pens. She bought 5 pens.": what came and what went, compared."""
    leaves = [leaf.number for leaf in case.equation.leaves() if isinstance(leaf, Number)]
    if len(leaves) != 3 or set(case.equation.operators) - {"+", "-"}:
        return None
    events = [
        fact
        for fact in case.facts
        if fact.value in leaves and fact.verb not in _HAVE and fact.who not in ("there", "")
    ]
    starts = [fact for fact in case.facts if fact.value in leaves and fact not in events]
    if len(events) == 3 and events[0].value == leaves[0] and events[0].plain in _STARTS:
        # "She won 9 tickets" is what there was at first.
        starts, events = events[:1], events[1:]
    if starts and starts[0].plain in {fact.plain for fact in events}:
        return None  # won at first and won later: "how many did she win" would be both
    if len(events) != 2 or len(starts) > 1 or events[0].value == events[1].value:
        return None
    if events[0].plain == events[1].plain and not (events[0].tail.strip() and events[1].tail.strip()):
        return None
    if not all(fact.plain in _LOSSES | _GAINS | _GIVES for fact in events):
        return None
    names = [name_of(fact.who, case) for fact in events]
    noun = _same_things(starts[0], events[0]) if starts else _same_things(*events)
    if (
        not all(names)
        or names[0] != names[1]
        or noun is None
        or (_same_things(events[0], events[1]) is None and events[0].noun and events[1].noun)
    ):
        return None
    if not starts and not (events[0].noun and events[1].noun):
        return None
    told = sentences(case.body)
    elsewhere = " ".join(told[at] for at in range(len(told)) if at not in {fact.sentence for fact in events})
    if any(re.search(rf"\b{fact.verb}\b", elsewhere) for fact in events):
        return None
    small, big = sorted(events, key=lambda fact: fact.value)
    if any("new" in fact.noun.split() or "old" in fact.noun.split() for fact in events):
        return None
    spoken = [fact.who for fact in events if fact.who in ("he", "she", "they")]
    pronoun = spoken[0] if spoken else person(names[0], case.body)[1] or names[0]
    return {
        "How": "How much" if noun == "money" else "How many", "noun": noun, "a": big.number, "b": small.number,
        "event_did": did(big, names[0]) + big.tail, "event": f"{pronoun} {small.verb}{small.particle}{small.tail}",
    }  # fmt: skip


@relation("list first")
def _list_first(case: Case, slots: Slots) -> dict[str, str] | None:
    """(3 red + 5 blue) of something, and then one more step: how many are there before that step?"""
    tree = case.equation
    if not isinstance(tree, Binary) or len(tree.operators) != 2:
        return None
    inner = tree.left if isinstance(tree.left, Binary) else tree.right
    if not isinstance(inner, Binary) or inner.op != "+":
        return None
    values = sorted(leaf.number for leaf in inner.leaves() if isinstance(leaf, Number))
    return _list_total(case, values, losses=tree.op == "-" and inner is tree.right)


@relation("removals")
def _removals(case: Case, slots: Slots) -> dict[str, str] | None:
    """ "She had 20 pens. She lost 3 red pens and 5 blue pens. How many are left?" """
    numbers = operands(case.equation, "--")
    if numbers is None:
        return None
    return _list_total(case, sorted(numbers[1:]), losses=True)


def _list_total(case: Case, values: list[Fraction], *, losses: bool) -> dict[str, str] | None:
    """How many of the list in all; where they are taken from something, only if they are gone."""
    for listed in case.lists:
        if len(listed.items) != 2 or sorted(item.value for item in listed.items) != values or not listed.who:
            continue
        one, two = listed.items
        who = name_of(listed.who, case)
        if not who or listed.verb in ("started", "was", "is") or len(set(values)) != 2:
            return None
        if listed.who == "there" and one.noun == two.noun:
            return None  # "how many are there in all" would be the old question again
        if losses and (listed.plain not in _LOSSES or re.search(r"\btotal\b", case.body)):
            return None
        common = f"{one.noun} and {two.noun}"
        if one.head == two.head and one.head:
            common = one.noun if one.noun == two.noun else one.head
        if one.money or one.head in ("dollars", "dollar"):
            common = "money"
        asks = did(listed, who) if listed.who != "there" else f"{listed.verb} there"
        asks += " away" if listed.plain == "give" and not listed.particle else ""
        shared = listed.tail.rstrip()
        if re.search(r"\b(?:total|altogether)\b", shared):
            return None
        return {
            "How": "How much" if common == "money" else "How many",
            "common": common, "a": one.number, "b": two.number, "list_did": asks + shared,
            "unit": "dollars" if common == "money" else common,
        }  # fmt: skip
    return None
