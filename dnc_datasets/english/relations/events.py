"""Events: what counts as a gain or a loss, and the words for an event in a new question."""

from __future__ import annotations

from dnc_datasets.english.reading.facts import Fact, person
from dnc_datasets.english.reading.people import PRONOUNS
from dnc_datasets.english.reading.verbs import is_past, plain
from dnc_datasets.english.relations.relation import Case, Slots, did, name_of

HAVE = ("had", "has", "have", "owned")
GAINS = frozenset(
    "buy get find receive win earn collect pick make bake save add borrow gather catch score".split()
)
GIVES = frozenset("give send hand bring buy lend".split())
STARTS = GAINS | frozenset("store put grow prepare memorize order own stock stack plant".split())
LOSSES = frozenset(
    """steal forget cut take give lose use eat sell spend donate drop break throw return drink burn share send hand pay lend trade
    delete remove crush bury post mail read finish""".split()
)


def asked_about(case: Case, slots: Slots) -> tuple[str, str] | None:
    """Who is asked about, by name and by pronoun; None where that is not sure."""
    who = slots.get("who", "")
    small = who.lower() if who.lower() in PRONOUNS else who
    name, pronoun = person(small, case.body)
    if not pronoun and who[:1].islower():
        # "danny" of a careless question is the Danny of the body.
        name, pronoun = person(who[:1].upper() + who[1:], case.body)
    if who.lower() in ("he", "she", "they", "you", "i", "we"):
        return name or who, who.lower()
    return (name, pronoun or name) if name else None


def retold(fact: Fact, case: Case, slots: Slots) -> tuple[str, str] | None:
    """A fact without its number, as "she gave to Tom" and as "did she give to Tom"."""
    asked = asked_about(case, slots)
    actor = name_of(fact.who, case)
    if asked is None or not actor or fact.tail.strip().startswith(("left", "now")):
        return None
    name, pronoun = asked
    if actor == name or fact.who == pronoun:
        return f"{pronoun} {fact.verb}{fact.particle}{fact.tail}", did(fact, slots["who"]) + fact.tail
    return f"{actor} {fact.verb}{fact.particle}{fact.tail}", did(fact, actor) + fact.tail


def done(fact: Fact) -> str:
    """What is done, as a plain verb: "use" for "uses", "has used" and "has already used"."""
    words = fact.particle.removeprefix(" already").split()
    if fact.verb in ("has", "have", "had") and len(words) == 1 and is_past(words[0]):
        return plain(words[0]) or ""
    return fact.plain


def same_things(one: Fact, two: Fact) -> str | None:
    """What both facts count, "money" for money, None where they count different things."""
    if one.money != two.money:
        return None
    if one.money or one.head in ("dollars", "dollar"):
        return "money" if not two.noun or two.head in ("dollars", "dollar") else None
    if one.noun and two.noun and one.head != two.head and one.noun.split()[-1] != two.noun.split()[-1]:
        return None
    return (one.noun if len(one.noun) >= len(two.noun) else two.noun) or None


def asked_noun(noun: str, case: Case) -> str | None:
    """What the new question counts: money is asked for by "how much", or as "how many dollars"."""
    if case.question.lower().startswith("how much"):
        return noun if noun == "money" else None
    if noun == "money":
        return "dollars" if case.question.lower().startswith("how many dollars") else None
    return noun


def have_form(aux: str, pronoun: str) -> str:
    """ "had", "have" or "has", as the auxiliary of the old question and the new subject want it."""
    if aux == "did":
        return "had"
    return "have" if pronoun in ("they", "you", "i", "we", "I") or aux == "do" else "has"
