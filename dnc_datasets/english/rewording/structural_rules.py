"""Paraphrase rules that change the structure of a sentence: voice, fronted clauses, there-is and has, splitting."""

from __future__ import annotations

import re
from collections.abc import Callable
from typing import NamedTuple

from dnc_datasets.english.lexicon import (
    COUNTED_NOUN_CLASS,
    PRONOUNS,
    TIME_UNIT,
    is_plural,
    participle,
    past,
    plain,
    third_person,
)
from dnc_datasets.english.reading.people import people
from dnc_datasets.english.reading.quantities import counted
from dnc_datasets.english.reading.sentences import capitalised

Replacement = str | Callable[[re.Match[str]], str | None]


class Rewrite(NamedTuple):
    """One rule: its name, where it applies, and what it says instead."""

    name: str
    pattern: re.Pattern[str]
    new: Replacement


NAME = r"(?!(?:He|She|They|It|We|You|I|There|The|A|An|Each|Every|If|Last|Next|This|Today|Yesterday)\b)(?:(?:Mr|Mrs|Ms|Dr)\. )?[A-Z][a-z]+"
NUMBER = r"\$?[\w.,-]*\w"
_MONEY = r"\$\d[\d,]{0,9}(?:\.\d\d)?"
_WHO = rf"(?:he|she|they|{NAME})"
# What somebody makes or does on purpose: "3 cups were broken by Omar" would say so of an accident.
_ON_PURPOSE = "baked|made|picked|planted|painted|wrote|collected|built|washed|delivered|cooked|drew|sewed|sold|bought|ordered"
_PLACES = (
    "class|classroom|school|library|zoo|park|farm|garden|store|shop|team|club|choir|band|village|town|city|building|museum|"
    "restaurant|hotel|garage|pond|lake|bakery|theater|orchard|forest|field|company|neighborhood|camp|aquarium"
)
_KIN = "brother|sister|mother|father|mom|dad|friend|cousin|neighbor|classmate|uncle|aunt"


def _is_one_count(sentence: str, things: str) -> bool:
    """Is this the sentence's only number, with the plural noun that it counts?"""
    items = counted(sentence)
    if len(items) != 1 or items[0].value == 1 or not items[0].noun:
        return False
    return things == sentence[items[0].start : items[0].noun_end] and is_plural(
        items[0].noun.split(" of ")[0]
    )


def _passive(match: re.Match[str]) -> str | None:
    """Amy baked 24 muffins for the fair. -> 24 muffins were baked by Amy for the fair."""
    verb = plain(match["verb"])
    if verb is None or not _is_one_count(match.string, match["things"]):
        return None
    return f"{capitalised(match['things'])} were {participle(verb)} by {match['who']}{match['tail']}."


def _has_things(match: re.Match[str]) -> str | None:
    """There are 30 desks in Amy's classroom. -> Amy's classroom has 30 desks."""
    if not _is_one_count(match.string, match["things"]):
        return None
    return f"{capitalised(match['place'])} {'had' if match['be'] == 'were' else 'has'} {match['things']}."


def _there_are_things(match: re.Match[str]) -> str | None:
    """The library has 300 novels. -> There are 300 novels in the library."""
    if not _is_one_count(match.string, match["things"]):
        return None
    place = match["place"]
    inside = (
        place[0].lower() + place[1:]
        if place.startswith(("The ", "A ", "An ", "His ", "Her ", "Their "))
        else place
    )
    return f"There {'were' if match['verb'] == 'had' else 'are'} {match['things']} in {inside}."


def _multiple(match: re.Match[str]) -> str | None:
    """Amy has twice as many pens as Ben. -> Amy has double the number of pens that Ben has."""
    verb, times = match["verb"], match["times"]
    many = "number" if match["many"] == "many" else "amount"
    if many == "number" and not is_plural(match["what"]):
        return None
    return f"{verb} {'double' if times == 'twice' else times} the {many} of {match['what']} that {match['other']} {verb}"


def _same_person(name: str, pronoun: str, sentence: str) -> bool:
    """Does the pronoun mean the one person that the sentence names?"""
    named = people(sentence)
    if len({person.phrase for person in named}) != 1 or named[0].phrase != name:
        return False
    return named[0].gender in ("", PRONOUNS[pronoun][0])


def _clause_first(match: re.Match[str]) -> str | None:
    """Amy lost 3 pens when she went home. -> When Amy went home, she lost 3 pens."""
    if not _same_person(match["name"], match["who"], match.string):
        return None
    return f"{capitalised(match['when'])} {match['name']} {match['clause']}, {match['who']} {match['main']}."


def _clause_last(match: re.Match[str]) -> str | None:
    """When Amy went home, she lost 3 pens. -> Amy lost 3 pens when she went home."""
    if not _same_person(match["name"], match["who"], match.string):
        return None
    when = match["when"][0].lower() + match["when"][1:]
    return f"{match['name']} {match['main']} {when} {match['who']} {match['clause']}."


def _also(match: re.Match[str]) -> str | None:
    """Amy has 3 pens and 5 cups. -> Amy has 3 pens. Amy also has 5 cups."""
    items = counted(match.string)
    pieces = [match.string[item.start : item.noun_end] for item in items]
    if pieces != [match["one"], match["two"]] or not all(
        is_plural(item.noun.split(" of ")[0]) for item in items
    ):
        return None
    if re.search(r"\b(?:more|less|fewer|other|another|extra|additional)\b", match.string):
        return None
    return (
        f"{match['who']} {match['verb']} {match['one']}. {match['who']} also {match['verb']} {match['two']}."
    )


def _amount_asked(match: re.Match[str]) -> str | None:
    """How much did Amy spend in total? -> What is the total amount of money that Amy spent?"""
    aux, verb, rest = match["aux"], match["verb"], match["rest"]
    if re.search(r"\b(?:and how|more|less|than|if)\b", rest) or rest.endswith(
        (" by", " for", " with", " of", " on")
    ):
        return None
    done = {"does": third_person(verb), "do": verb, "did": past(verb)}.get(aux, f"{aux} {verb}")
    total = re.search(r" (?:in total|altogether|in all|total)(?=$| )", rest)
    if total and total.end() < len(rest):
        return None
    rest = rest[: total.start()] if total else rest
    return f"What is the {'total ' if total else ''}amount of money that {match['who']} {done}{rest}?"


def _number_that(match: re.Match[str]) -> str | None:
    """How many seats are empty? -> What is the number of seats that are empty?"""
    if match["be"] in ("have", "had") and match["rest"].split()[0] in ("he", "she", "they", "been", "to"):
        return None
    head = match["what"].split(" of ")[0].split()[-1]
    that = "who" if COUNTED_NOUN_CLASS.get(head) == "person" else "that"
    return f"What is the number of {match['what']} {that} {match['be']} {match['rest']}?"


def _cost_asked(match: re.Match[str]) -> str | None:
    """How much do 5 pens cost in total? -> What is the total cost of 5 pens?"""
    if re.search(r"\b(?:and how|if|that|who|which|it|to|each|he|she|they)\b", match["what"]):
        return None
    is_, total = ("was" if match["aux"] == "did" else "is"), ("total " if match["total"] else "")
    return f"What {is_} the {total}cost of {match['what']}?"


STRUCTURAL = (
    # the question
    Rewrite("how much money: total amount",
            re.compile(rf"^How much (?P<money>money )?(?P<aux>did|does|do|will|would) (?P<who>{_WHO}) "
                       r"(?P<verb>spend|pay|earn|owe|raise|save|make|get|have|need|receive|collect)(?P<rest>[^?,]{0,120})\?$"),
            lambda m: _amount_asked(m) if m["money"] or m["verb"] in ("spend", "pay", "earn", "owe", "raise") else None),
    Rewrite("how much cost: what is the cost",
            re.compile(r"^How much (?P<aux>did|does|do|will|would) (?P<what>(?:the|an?|one|all|his|her|their|\d+) [a-z0-9 ]{1,60}?) cost"
                       r"(?P<total> in total| altogether| in all)?\?$"), _cost_asked),
    Rewrite("how many in total: total number",
            re.compile(r"^How many (?P<what>(?!more |fewer |total )(?:[a-z-]{1,30} ){0,2}?[a-z]{1,30}s) (?P<be>are|were) there (?:in total|altogether|in all)"
                       r"(?P<rest>(?: (?:in|on|at) (?:the|a|each|every) [^?]{1,60})?)\?$"),
            lambda m: f"What {'is' if m['be'] == 'are' else 'was'} the total number of {m['what']}{m['rest']}?"),
    Rewrite("how many are: the number that are",
            re.compile(r"^How many (?P<what>(?!more |fewer |total |times |of )(?:[a-z-]{1,30} ){0,2}?[a-z]{1,30}(?:s|children|people|men|women)(?: of [a-z]{1,30})?) "
                       r"(?P<be>are|were|have|had) (?P<rest>(?!there\b|left\b|in\b|on\b|at\b|to\b|needed\b|[a-z]+s\b)[^?,]{1,80})\?$"),
            _number_that),
    Rewrite("question if: given that",
            re.compile(r"(?<=[a-z0-9]) if (?=(?:he|she|they|it|the|each|every|there|[A-Z][a-z]+) [^?,]{3,200}\?$)"), " given that "),
    Rewrite("in total first: in total last",
            re.compile(r"^In total, (?P<asked>how (?:many|much) (?![^?]{0,200}\b(?:total|altogether|if|left)\b)[^?,]{3,200})\?$"),
            lambda m: f"{capitalised(m['asked'])} altogether?"),
    Rewrite("he then: after that",
            re.compile(r"^(?P<who>He|She|They) then (?=[a-z]{3,20} )"), lambda m: f"After that, {m['who'].lower()} "),
    # voice
    Rewrite("active: passive",
            re.compile(rf"^(?P<who>{NAME}) (?P<verb>{_ON_PURPOSE}) (?P<things>{NUMBER} (?:[a-z]{{1,20}} ){{0,3}}?[a-z]{{2,20}})"
                       rf"(?P<tail>(?: for (?:{_MONEY} each|the [a-z ]{{2,30}})| during the [a-z ]{{2,30}})?)\.$"), _passive),
    # there is, has
    Rewrite("there are in: the place has",
            re.compile(rf"^There (?P<be>are|were) (?P<things>{NUMBER} (?:[a-z]{{1,20}} ){{0,3}}?[a-z]{{2,20}}) in "
                       rf"(?P<place>(?:the|his|her|their|{NAME}'s) (?:[a-z]{{1,20}} )?(?:{_PLACES}))\.$"), _has_things),
    Rewrite("the place has: there are in",
            re.compile(rf"^(?P<place>(?:The|His|Her|Their|A|An|{NAME}'s) (?:[a-z]{{1,20}} )?(?:{_PLACES})) (?P<verb>has|had) "
                       rf"(?P<things>{NUMBER} (?:[a-z]{{1,20}} ){{0,3}}?[a-z]{{2,20}})\.$"), _there_are_things),
    # comparisons
    Rewrite("times as many as: times the number",
            re.compile(rf"\b(?P<verb>has|had) (?P<times>twice|half|{NUMBER} times) as (?P<many>many|much) (?P<what>(?:[a-z]{{1,20}} )?[a-z]{{2,20}}) as (?P<other>{NAME}|(?:his|her) (?:{_KIN}))(?=\.$|, and | and (?:he|she|they)\b)"),
            _multiple),
    # clauses
    Rewrite("clause last: clause first",
            re.compile(rf"^(?P<name>{NAME}) (?P<main>[a-z]{{2,15}} [^,.]{{0,80}}?) (?P<when>when|after|before|while) (?P<who>he|she) (?P<clause>(?!(?:had|was|is)\b)[a-z]{{2,15}}(?: [^,.]{{1,80}})?)\.$"),
            _clause_first),
    Rewrite("clause first: clause last",
            re.compile(rf"^(?P<when>When|After|While) (?P<name>{NAME}) (?P<clause>[a-z]{{2,15}}(?: [^,.]{{1,80}})?), (?P<who>he|she) (?P<main>[a-z]{{2,15}} [^,.]{{0,80}})\.$"),
            _clause_last),
    Rewrite("and: also",
            re.compile(rf"^(?P<who>He|She|They|{NAME}) (?P<verb>has|had|have|owns|bought|sold|baked|picked|found|collected|planted) "
                       rf"(?P<one>{NUMBER} (?:[a-z]{{1,20}} ){{0,2}}?[a-z]{{2,20}}) and (?P<two>{NUMBER} (?:[a-z]{{1,20}} ){{0,2}}?[a-z]{{2,20}})\.$"), _also),
    # measures and money
    Rewrite("weighs: has a weight of",
            re.compile(rf"\b(?P<verb>weighs|weighed) (?=(?:{NUMBER}) (?:pounds|kilograms|ounces|grams|tons|kg)\b)"),
            lambda m: f"{'has' if m['verb'] == 'weighs' else 'had'} a weight of "),
    Rewrite("earns: is paid",
            re.compile(rf"\b(?:earns|makes) (?={_MONEY} (?:an?|per|each|every|for each|for every) (?:{TIME_UNIT})\b)"), "is paid "),
    Rewrite("spends on: pays for",
            re.compile(rf"\b(?P<verb>spends|spent) (?P<n>{_MONEY}) on (?=(?:the |an? |his |her |their |some )?(?!average|each|it|them|every|that|this)[a-z]{{3,}})"),
            lambda m: f"{'pays' if m['verb'] == 'spends' else 'paid'} {m['n']} for "),
    Rewrite("for: for a period of",
            re.compile(rf"(?<=[a-z] )for (?={NUMBER} (?:days|weeks|months|years)(?:\.$|,| and ))"), "for a period of "),
)  # fmt: skip
