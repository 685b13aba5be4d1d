"""Relations of several steps: the first step, or two steps compared."""

from __future__ import annotations

import re
from fractions import Fraction

from dnc_datasets import numerals
from dnc_datasets.english.lexicon import (
    GAIN_VERBS,
    GIVING_VERBS,
    LOSS_VERBS,
    STARTING_VERBS,
    is_plural,
    is_unit,
    is_verb,
    plain,
)
from dnc_datasets.english.reading.facts import Fact, Listed, person
from dnc_datasets.english.reading.sentences import sentences
from dnc_datasets.english.relations.events import HAVE, same_things
from dnc_datasets.english.relations.relation import (
    RELATIONS,
    Case,
    Slots,
    did,
    facts_of,
    name_of,
    numbers_of,
    operands,
    relation,
)
from dnc_datasets.expression import Binary, Expr


@relation("removed first")
def _removed_first(case: Case, slots: Slots) -> dict[str, str] | None:
    """Match (9 - 2) of something with one more step, and ask for the rest before that step."""
    tree = case.equation
    if not isinstance(tree, Binary) or not isinstance(tree.left, Binary):
        return None
    chosen = facts_of(case, operands(tree.left, "-"))
    if chosen is None or tree.op not in "*/":
        return None
    start, event = chosen
    owner, noun = name_of(start.who, case), same_things(start, event)
    if (
        start.value <= event.value
        or event.plain not in LOSS_VERBS
        or not owner
        or owner == "there"
        or noun is None
    ):
        return None
    if name_of(event.who, case) != owner or (start.verb not in HAVE and start.plain not in STARTING_VERBS):
        return None
    return {
        "How": "How much" if noun == "money" else "How many", "noun": noun, "a": start.number, "b": event.number,
        "who": owner, "aux": "did" if event.past else "does", "unit": "dollars" if noun == "money" else noun,
    }  # fmt: skip


@relation("two events")
def _two_events(case: Case, slots: Slots) -> dict[str, str] | None:
    """Match "She had 9 pens. She lost 2 pens. She bought 5 pens." and compare the gain with the loss."""
    stated = _start_and_events(case)
    if stated is None:
        return None
    starts, events = stated
    names = [name_of(fact.who, case) for fact in events]
    noun = same_things(starts[0], events[0]) if starts else same_things(*events)
    if not all(names) or names[0] != names[1] or noun is None or not _stated_once(case, events):
        return None
    if all(fact.noun for fact in events):
        if same_things(*events) is None:
            return None
    elif not starts:
        return None
    small, big = sorted(events, key=lambda fact: fact.value)
    spoken = [fact.who for fact in events if fact.who in ("he", "she", "they")]
    pronoun = spoken[0] if spoken else person(names[0], case.body)[1] or names[0]
    return {
        "How": "How much" if noun == "money" else "How many", "noun": noun, "a": big.number, "b": small.number,
        "event_did": did(big, names[0]) + big.tail, "event": f"{pronoun} {small.verb}{small.particle}{small.tail}",
    }  # fmt: skip


def _start_and_events(case: Case) -> tuple[list[Fact], list[Fact]] | None:
    """Return the initial number (if it is stated) and two events of gain or loss."""
    leaves = numbers_of(case.equation)
    if len(leaves) != 3 or set(case.equation.operators) - {"+", "-"}:
        return None
    stated = [fact for fact in case.facts if fact.value in leaves]
    events = [fact for fact in stated if fact.verb not in HAVE and fact.who not in ("there", "")]
    starts = [fact for fact in stated if fact not in events]
    if len(events) == 3 and events[0].value == leaves[0] and events[0].plain in STARTING_VERBS:
        # "She won 9 tickets" states the initial number.
        starts, events = events[:1], events[1:]
    if starts and starts[0].plain in {fact.plain for fact in events}:
        return None  # won at first and won later: "how many did she win" would be both
    if len(events) != 2 or len(starts) > 1 or events[0].value == events[1].value:
        return None
    return starts, events


def _stated_once(case: Case, events: list[Fact]) -> bool:
    """Return whether the verb alone identifies each event."""
    if events[0].plain == events[1].plain and not (events[0].tail.strip() and events[1].tail.strip()):
        return False
    if not all(fact.plain in LOSS_VERBS | GAIN_VERBS | GIVING_VERBS for fact in events):
        return False
    stated = sentences(case.body)
    elsewhere = " ".join(
        stated[at] for at in range(len(stated)) if at not in {fact.sentence for fact in events}
    )
    if any(re.search(rf"\b{fact.verb}\b", elsewhere) for fact in events):
        return False
    return not any({"new", "old"} & set(fact.noun.split()) for fact in events)


@relation("list first")
def _list_first(case: Case, slots: Slots) -> dict[str, str] | None:
    """Match (3 red + 5 blue) of something with one more step, and ask for the number before that step."""
    tree = case.equation
    if not isinstance(tree, Binary):
        return None
    inner = tree.left if isinstance(tree.left, Binary) else tree.right
    if not isinstance(inner, Binary) or inner.op != "+":
        return None
    values = sorted(numbers_of(inner))
    if tree.op == "+":
        # "5 at lunch and 6 at dinner. They sold 3 more yesterday.": in all, they sold 14.
        listed = {
            listed.plain for listed in case.lists if sorted(item.value for item in listed.items) == values
        }
        others = [fact for fact in case.facts if fact.value not in values]
        if not others or any(fact.plain in listed for fact in others):
            return None
    has = any(
        (listed.verb in HAVE or listed.who == "there")
        and sorted(item.value for item in listed.items) == values
        for listed in case.lists
    )
    if tree.op == "-" and inner is tree.left and has:
        return None  # "She deleted 10 of the files. How many did she have in all?": it is ambiguous
    return _list_total(case, values, losses=tree.op == "-" and inner is tree.right)


@relation("removals")
def _removals(case: Case, slots: Slots) -> dict[str, str] | None:
    """Match "She had 20 pens. She lost 3 red pens and 5 blue pens. How many are left?"."""
    numbers = operands(case.equation, "--")
    if numbers is None:
        return None
    return _list_total(case, sorted(numbers[1:]), losses=True)


def _list_total(case: Case, values: list[Fraction], *, losses: bool) -> dict[str, str] | None:
    """Return the phrases for the total of the list.

    Where the list is taken from something, its members must be gone.
    """
    for listed in case.lists:
        if len(listed.items) != 2 or sorted(item.value for item in listed.items) != values:
            continue
        if not listed.who:
            return _acting_total(listed) if not losses and not listed.verb else None
        one, two = listed.items
        who = name_of(listed.who, case)
        if not who or listed.verb in ("started", "was", "is") or len(set(values)) != 2:
            return None
        if listed.who == "there" and one.noun == two.noun:
            return None  # "how many are there in all" would repeat the old question
        if losses and (listed.plain not in LOSS_VERBS or re.search(r"\btotal\b", case.body)):
            return None
        if losses and _done_elsewhere(case, listed):
            return None  # "in all" would include that
        common = f"{one.noun} and {two.noun}"
        if one.head == two.head and one.head:
            common = one.noun if one.noun == two.noun else one.head
        if one.money or one.head in ("dollars", "dollar"):
            common = "money"
        elif not is_plural(common.split(" of ")[0].split()[-1]):
            return None
        asks = did(listed, who) if listed.who != "there" else f"{listed.verb} there"
        asks += " away" if listed.plain == "give" and not listed.particle else ""
        shared = re.sub(r"\b(in|on|at) an? ", r"\1 the ", listed.tail.rstrip())
        if re.search(r"\b(?:total|altogether)\b", shared):
            return None
        return {
            "How": "How much" if common == "money" else "How many",
            "common": common, "a": one.number, "b": two.number, "list_did": asks + shared,
            "unit": "dollars" if common == "money" else common,
        }  # fmt: skip
    return None


def _done_elsewhere(case: Case, listed: Listed) -> bool:
    """Return whether the action also occurs outside the list ("He spent the rest on books")."""
    stated = sentences(case.body)
    others = " ".join([*stated[: listed.sentence], *stated[listed.sentence + 1 :], case.question])
    return any(plain(word) == listed.plain for word in re.findall(r"[a-z]+", others))


_DOES = re.compile(r"(?P<verb>[a-z]+)(?P<tail>(?: (?!each|every|per)[a-z]+)*)$")


def _acting_total(listed: Listed) -> dict[str, str] | None:
    """Read the total number of actors: "49 students and 6 teachers travel to the lake"."""
    one, two = listed.items
    does = _DOES.match(listed.tail.strip())
    if does is None or not is_verb(does["verb"]) or does["verb"] in ("is", "are", "was", "were"):
        return None
    if one.head == two.head or one.tail or two.tail or one.money:
        return None
    return {
        "How": "How many", "common": f"{one.noun} and {two.noun}", "a": one.number, "b": two.number,
        "list_did": does[0], "unit": "",
    }  # fmt: skip


_COMPARED = re.compile(
    r"(?P<who>[A-Z][a-z]+|he|she|He|She) (?P<verb>[a-z]+) (?P<by>\w+) (?P<how>more|fewer|less)(?: [a-z]+){0,3}? "
    r"than (?P<other>[A-Z][a-z]+|he|she)\b"
)


@relation("compared first", "compared first less")
def _compared_first(case: Case, slots: Slots) -> dict[str, str] | None:
    """Match "Amy caught 9 fish. Ben caught 3 fewer. How many did they catch?" and ask for Ben's number."""
    found = _COMPARED.search(case.body)
    if found is None or len(case.facts) != 1 or numerals.find(case.body)[2:]:
        return None
    known, by = case.facts[0], numerals.parse(found["by"])
    less = found["how"] != "more"
    if by is None or known.money or (slots["relation"] == "compared first less") != less:
        return None
    other = known.value - by if less else known.value + by
    who, knows = (
        name_of(found["who"].lower() if found["who"] in ("He", "She") else found["who"], case),
        known.who,
    )
    if (
        case.equation.value() != known.value + other
        or found["other"] != name_of(knows, case)
        or not known.noun
    ):
        return None
    if not who or who == found["other"] or known.plain != plain(found["verb"]) or known.value <= by:
        return None
    return {"noun": known.noun, "who_did": did(known, who), "a": known.number, "b": found["by"]}


@relation("product first", "holding first", "with first")
def _product_first(case: Case, slots: Slots) -> dict[str, str] | None:
    """Match 6 boxes of 5 pens with one more step, and ask for the number of pens in the boxes."""
    inner = _product_of(case.equation)
    if inner is None:
        return None
    kind = {"product first": "each done", "holding first": "each holds", "with first": "each with"}
    found = RELATIONS[kind[slots["relation"]]](case._replace(equation=inner), slots)
    if (
        found is None
        or is_unit(container := found.get("container", "").split(" ")[-1])
        or container == "dozen"
    ):
        return None
    if slots["relation"] != "product first" and _is_taken_from(case.equation, inner):
        return None  # "He gave away 6. How many are in the boxes?": before or after is unclear
    return {**found, "inner": inner.infix(), "unit": found.get("noun", "") or "dollars"}


# Units of measure are no boxes: nothing is in a gallon.


def _is_taken_from(tree: Expr, inner: Expr) -> bool:
    return isinstance(tree, Binary) and tree.op == "-" and tree.left == inner


def _product_of(tree: Expr) -> Expr | None:
    """Return the only product of two numbers in an equation of two steps."""
    if not isinstance(tree, Binary):
        return None
    inner = [side for side in (tree.left, tree.right) if isinstance(side, Binary)]
    return inner[0] if len(inner) == 1 and inner[0].op == "*" else None
