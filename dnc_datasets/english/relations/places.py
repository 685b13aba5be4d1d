"""Relations of places: the number of things at a place, arrivals and departures."""

from __future__ import annotations

import re
from fractions import Fraction
from typing import NamedTuple

from dnc_datasets import numerals
from dnc_datasets.english.lexicon import ARRIVAL_VERBS, LOSS_VERBS, is_past, is_plural, past, plain
from dnc_datasets.english.reading.quantities import counted
from dnc_datasets.english.reading.sentences import sentences
from dnc_datasets.english.relations.events import asked_about, done
from dnc_datasets.english.relations.relation import Case, Slots, did, name_of, numbers_of, relation

_PLACE = r" (?:(?:sitting|swimming|playing|standing|waiting|riding|living|flying) )?(?:on|in|at|near|under|inside) [^.,]+$"
_THERE = re.compile(r"(?:If )?[Tt]here (?P<be>are|were)(?: originally| currently)? $")
_THERE_NOW = re.compile(
    r"(?:[Tt]here (?:are|were) now |Now,? there (?:are|were) |Then there (?:are|were) |"
    r"When [^,\d]{0,200}there will be )$"
)
_THEMSELVES = re.compile(rf" (?P<be>are|were)(?P<place>{_PLACE}| (?:barking|singing|sleeping)$)")
_LOOSE = re.compile(r"\b(?:and|but|each|every|who|that|which|when|while|if|not|than|left)\b")


class _Standing(NamedTuple):
    """A number of things at a place: "There are 9 birds on the fence"."""

    value: Fraction
    number: str
    noun: str
    place: str


def _standing(sentence: str, opening: re.Pattern[str] = _THERE) -> _Standing | None:
    items = counted(sentence)
    if len(items) != 1 or not items[0].noun:
        return None
    item, before = items[0], sentence[: items[0].start]
    noun, after = item.noun.removeprefix("more "), sentence[item.noun_end :].rstrip(" .,")
    if opening.match(before):
        place = after if not after or re.match(_PLACE, after) else None
    else:
        found = _THEMSELVES.match(after) if not before else None
        place = found["place"] if found else None
    if place is None or _LOOSE.search(place) or item.noun != noun:
        return None
    return _Standing(item.value, item.text, noun, re.sub(r"\b(in|on|at|near|under) an? ", r"\1 the ", place))


_COMING = re.compile(r"(?:(?:Then|Later),? |(?:At|After|On) the [a-z]+(?: [a-z]+)?,? |If )?$")


def _coming(sentence: str) -> tuple[Fraction, str, str] | None:
    """Read "8 more birds land on the fence": the number, the number as written, and "land on the fence"."""
    items = counted(sentence)
    if len(items) != 1 or not _COMING.match(sentence[: items[0].start]):
        return None
    item = items[0]
    end = item.noun_end
    if not item.noun.startswith("more ") and not sentence[item.end :].startswith(" more"):
        return None
    if not item.noun:
        end = item.end + len(" more")
    event = sentence[end:].strip(" .,")
    words = item.noun.split() + event.split()
    # "more birds land on": the noun phrase may include the verb.
    at = next((k for k, word in enumerate(words) if plain(word) in ARRIVAL_VERBS), None)
    if at is None or (item.noun and at < 2) or _LOOSE.search(event):
        return None
    return item.value, item.text, " ".join(words[at:])


@relation("joined less", "joined more")
def _joined(case: Case, slots: Slots) -> dict[str, str] | None:
    """Match "2 birds are on the fence. 4 more birds come to join them."."""
    numbers = numbers_of(case.equation)
    stated = [part for part in sentences(case.body) if numerals.find(part)]
    if len(stated) != 2 or len(set(numbers)) != 2:
        return None
    first, more = _standing(stated[0]), _coming(stated[1])
    if (
        first is None
        or more is None
        or more[0] == 1
        or not first.place
        or sorted(numbers) != sorted((first.value, more[0]))
    ):
        return None
    if not is_plural(first.noun.split()[-1]):
        return None
    be = "were" if is_past(more[2].split()[0]) else "are"
    return {"noun": first.noun, "be": be, "place": first.place.strip(), "event": more[2],
            "a": first.number, "b": more[1]}  # fmt: skip


def _there_then_now(case: Case) -> _Standing | None:
    """Return the first number of "There were 6 cups on the shelf. ... There are now 9 cups on the shelf."."""
    numbers = numbers_of(case.equation)
    stated = [part for part in sentences(case.body) if numerals.find(part)]
    if len(stated) != 2 or "more" not in case.body:
        return None
    first, now = _standing(stated[0]), _standing(stated[1], _THERE_NOW)
    if first is None or now is None or [now.value, first.value] != numbers or not first.place:
        return None
    if first.noun.split()[-1] != now.noun.split()[-1] or numbers[0] - numbers[1] in (0, numbers[1]):
        return None
    return first


@relation("added there more")
def _added_there(case: Case, slots: Slots) -> dict[str, str] | None:
    """Match "There were 6 cups on the shelf. Amy put some more there. ... How many did she put there?"."""
    first, asked = _there_then_now(case), asked_about(case, slots)
    verb = past(slots.get("verb", ""))
    if first is None or asked is None or verb is None:
        return None
    return {"noun": first.noun, "place": first.place.strip(), "a": first.number, "pronoun": asked[1],
            "verb_past": verb}  # fmt: skip


@relation("came there less")
def _came_there(case: Case, slots: Slots) -> dict[str, str] | None:
    """Match "There were 6 birds in the tree. Some more came. Now there are 9. How many birds came?"."""
    first, verb = _there_then_now(case), slots.get("verb", "")
    if first is None or not is_past(verb):
        return None
    tail = f" {slots['tail']}" if slots.get("tail") else ""
    return {"noun": first.noun, "place": first.place.strip(), "a": first.number, "event": f"{verb}{tail}"}


@relation("gone less", "gone more")
def _gone(case: Case, slots: Slots) -> dict[str, str] | None:
    """Match "There were 9 birds in a tree. 2 birds flew away. How many are left?"."""
    numbers = numbers_of(case.equation)
    seen = [quantity.value for quantity in numerals.find(case.body)]
    if any(seen.count(number) != 1 for number in numbers):
        return None
    events = [fact for fact in case.facts if fact.value == numbers[1]]
    starts = [item for item in counted(case.body) if item.value == numbers[0]]
    if len(events) != 1 or len(starts) != 1:
        return None
    event, left = events[0], numbers[0] - numbers[1]
    if event.who or left in (event.value, 0) or left < 0 or event.more:
        return None
    start_noun = starts[0].noun
    if starts[0].noun.split()[-1:] != event.noun.split()[-1:]:
        return None
    noun = start_noun if len(start_noun) >= len(event.noun) else event.noun
    return {"noun": noun, "b": event.number, "event": f"{event.verb}{event.tail}"}


_KEEPS = frozenset("contain hold have".split())


@relation("kept less")
def _kept(case: Case, slots: Slots) -> dict[str, str] | None:
    """Match "A box held 9 pens. Amy has used 2 of them. How many pens are still in the box?"."""
    numbers = numbers_of(case.equation)
    if len(case.facts) != 2 or [fact.value for fact in case.facts] != numbers:
        return None
    keeper, event = case.facts
    if keeper.plain not in _KEEPS or not keeper.who.startswith(("a ", "an ", "the ")) or event.money:
        return None
    what = slots.get("what", "").split(" of ")[0].split()[-1:]
    if what != [keeper.head] or event.head not in ("", keeper.head) or done(event) not in LOSS_VERBS:
        return None
    who, left = name_of(event.who, case), numbers[0] - numbers[1]
    if not who or left in (0, numbers[1]):
        return None
    return {
        "b": event.number, "event": f"{who} {event.verb}{event.particle}{event.tail}",
        "event_did": did(event, who) + event.tail,
    }  # fmt: skip


_SO = re.compile(
    r"(?<![\w,-])(?P<number>[\w,-]+) of (?:them|the [a-z]+) (?P<be>are|were) (?P<so>[a-z]+(?: [a-z]+)?)(?=[.,]|$)"
)


@relation("so less")
def _so(case: Case, slots: Slots) -> dict[str, str] | None:
    """Match "There are 9 cars, and 2 of them are red. How many of the cars are not red?"."""
    numbers, found = numbers_of(case.equation), _SO.search(case.body)
    if found is None or numerals.parse(found["number"]) != numbers[1]:
        return None
    rest = numbers[0] - numbers[1]
    if found["so"] != slots.get("so") or rest in (0, numbers[1]):
        return None
    return {"b": found["number"]}
