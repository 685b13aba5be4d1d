"""Paraphrase rules for sentence structure: voice, fronted clauses, "there is" and "has", splitting."""

from __future__ import annotations

import re
from collections.abc import Callable
from typing import NamedTuple

from dnc_datasets import numerals
from dnc_datasets.english.lexicon import (
    COUNTED_NOUN_CLASS,
    GETTING_VERBS,
    HAVING_HOLDERS,
    MODAL_VERBS,
    NOT_A_VERB,
    NOT_ONE_THING,
    PASSIVE_PARTICIPLES,
    PAST_FORMS,
    PLAIN_VERBS,
    PRONOUNS,
    TIME_UNIT,
    VERBS_OF_NO_NEXT_STEP,
    is_past,
    is_plural,
    is_unit,
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
    """A paraphrase rule: its name, its pattern and its replacement.

    `words`, separated by bars, is for patterns without a literal word that every match contains. A match must
    contain one of these words.
    """

    name: str
    pattern: re.Pattern[str]
    new: Replacement
    words: str = ""


NAME = r"(?!(?:He|She|They|It|We|You|I|There|The|A|An|Each|Every|If|Last|Next|This|Today|Yesterday)\b)(?:(?:Mr|Mrs|Ms|Dr)\. )?[A-Z][a-z]+"
NUMBER = r"\$?[\w.,-]*\w"
_MONEY = r"\$\d[\d,]{0,9}(?:\.\d\d)?"
_WHO = rf"(?:he|she|they|{NAME})"
# Deliberate actions. "3 cups were broken by Omar" would turn an accident into one.
_ON_PURPOSE = "baked|made|picked|planted|painted|wrote|collected|built|washed|delivered|cooked|drew|sewed|sold|bought|ordered"
_PLACES = (
    "class|classroom|school|library|zoo|park|farm|garden|store|shop|team|club|choir|band|village|town|city|building|museum|"
    "restaurant|hotel|garage|pond|lake|bakery|theater|orchard|forest|field|barn|kitchen|cafeteria|gym|office|stadium|auditorium|company|neighborhood|camp|aquarium"
)
_KIN = "brother|sister|mother|father|mom|dad|friend|cousin|neighbor|classmate|uncle|aunt"


_HOLDERS = (
    "box|bag|package|pack|basket|jar|bucket|carton|crate|shelf|page|vase|pot|tray|drawer|fishbowl|case|can|bowl|tank|cupboard|"
    "bin|bottle|folder|album|binder|envelope|packet|class|room|classroom|team|group|bouquet|bundle|stack|pile|row|cage|nest"
)
_PARTY = rf"{NAME}|(?:the|his|her) [a-z]{{2,20}}"
# The noun phrase after "how many" or "how much".
_ASKED_THING = (
    r"(?!more |fewer |of |total |less )(?:[a-z-]{1,30} ){0,3}?(?:[a-z-]{1,30}s|children|people|men|women|fish|deer|sheep|feet)"
    r"(?: of [a-z]{1,30}(?: [a-z]{1,30})?)?(?: (?:per|each|every|an?) (?:day|week|month|year|hour|minute))?"
)
_MASS = (
    "money|water|milk|juice|food|flour|sugar|rice|paint|fabric|tea|coffee|lemonade|soda|gas|fuel|space|time|weight|change|profit|"
    "interest|homework|dirt|sand|chocolate|candy|cheese|bread|meat|wood|rope|ribbon|wire|string|butter|oil|soil|corn|wheat|hay|gum|paper|carpet|tape|"
    "lumber|clay|yarn|salt|honey|syrup|cream|dough|cereal|popcorn|fruit|medicine|trash|garbage|energy|cash|income|tax|work|land"
)


def _is_one_count(sentence: str, things: str) -> bool:
    """Return whether this is the only number of the sentence, followed by its plural noun."""
    items = counted(sentence)
    if len(items) != 1 or items[0].value == 1 or not items[0].noun:
        return False
    return things == sentence[items[0].start : items[0].noun_end] and is_plural(
        items[0].noun.split(" of ")[0]
    )


def _passive(match: re.Match[str]) -> str | None:
    """Rewrite "Amy baked twenty muffins for the fair" as "Twenty muffins were baked by Amy for the fair"."""
    verb = plain(match["verb"])
    if verb is None or not _is_one_count(match.string, match["things"]) or match["things"][0].isdigit():
        return None
    return f"{capitalised(match['things'])} were {participle(verb)} by {match['who']}{match['tail']}."


def _has_things(match: re.Match[str]) -> str | None:
    """Rewrite "There are 30 desks in Amy's classroom" as "Amy's classroom has 30 desks"."""
    if not _is_one_count(match.string, match["things"]):
        return None
    return f"{capitalised(match['place'])} {'had' if match['be'] == 'were' else 'has'} {match['things']}."


def _there_are_things(match: re.Match[str]) -> str | None:
    """Rewrite "The library has 300 novels" as "There are 300 novels in the library"."""
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
    """Rewrite "Amy has twice as many pens as Ben" as "Amy has double the number of pens that Ben has"."""
    verb, times = match["verb"], match["times"]
    many = "number" if match["many"] == "many" else "amount"
    if many == "number" and not is_plural(match["what"]):
        return None
    if verb not in ("has", "had") and not is_past(verb):
        return None
    return f"{verb} {'double' if times == 'twice' else times} the {many} of {match['what']} that {match['other']} {verb}"


_LONG = re.compile(r"\b(?:long|tall|high|wide|deep|across|thick|times|more|taller|longer)\b")
_DIMENSIONS = {"long": "length", "tall": "height", "high": "height", "wide": "width", "deep": "depth"}


def _measured(match: re.Match[str]) -> str | None:
    """Rewrite "The rope is 20 feet long" as "The rope has a length of 20 feet"."""
    if len(_LONG.findall(match.string)) > 1:
        return None  # "20 feet long and 8 feet wide"
    return f"{'has' if match['be'] == 'is' else 'had'} a {_DIMENSIONS[match['long']]} of {match['n']}"


def _price_is(match: re.Match[str]) -> str | None:
    """Rewrite "A red pen costs $3" as "The price of a red pen is $3"."""
    what = match["what"]
    if re.search(r"\b(?:to|that|which|who|it|trip|ride|each|per|and|or|of)\b", what.split(" ", 1)[1]):
        return None
    inside = what[0].lower() + what[1:] if what.split()[0] in ("A", "An", "The", "One", "Each") else what
    return f"The price of {inside} is {match['n']}."


def _paid_for(match: re.Match[str]) -> str | None:
    """Rewrite "Amy bought a red pen for $3" as "Amy paid $3 for a red pen"."""
    verb = "paid" if match["verb"] in ("bought", "purchased") else "pays"
    if re.search(r"\b(?:and|for|at|from|that|to|her|his|their|more|each)\b", match["what"]):
        return None
    if match["each"] and not is_plural(match["what"].split(" of ")[0]):
        return None
    return f"{match['who']} {verb} {match['n']}{match['each']} for {match['what']}."


def _given_by(match: re.Match[str]) -> str | None:
    """Rewrite "Amy gave Ben 3 pens" as "Ben was given 3 pens by Amy"."""
    if match["who"] == match["to"] or not _is_one_count(match.string, match["things"]):
        return None
    return f"{match['to']} was given {match['things']} by {match['who']}."


def _given_by_kin(match: re.Match[str]) -> str | None:
    """Rewrite "Her sister gave her 3 pens" as "She was given 3 pens by her sister"."""
    her, to = match["her"].lower(), match["to"]
    if {"her": "her", "his": "him", "their": "them"}[her] != to:
        return None
    items = counted(match.string)
    if len(items) != 1 or not match["things"].startswith(items[0].text):
        return None
    who = {"her": "She was", "him": "He was", "them": "They were"}[to]
    return f"{who} given {match['things']} by {her} {match['kin']}."


def _needs_hours(match: re.Match[str]) -> str | None:
    """Rewrite "Amy takes 3 hours to paint a wall" as "Amy needs 3 hours to paint a wall"."""
    if match["to"] not in PLAIN_VERBS:
        return None
    needs = {"takes": "needs", "took": "needed", "take": "need"}[match["verb"]]
    return f"{match['who']} {needs} {match['n']} to {match['to']}"


def _for_each(match: re.Match[str]) -> str | None:
    """Replace "3 eggs per cake" by "3 eggs for each cake", unless the noun is a unit of measure."""
    noun = match["noun"]
    if is_unit(noun) or noun in NOT_ONE_THING or noun.endswith("s"):
        return None
    return f" for each {noun}"


def _there_are_in_each(match: re.Match[str]) -> str | None:
    """Rewrite "Each box holds 6 brown eggs" as "There are 6 brown eggs in each box"."""
    if not _is_one_count(match.string, match["things"]):
        return None
    return f"There are {match['things']} in {match['each'].lower()} {match['one']}."


def _each_has(match: re.Match[str]) -> str | None:
    """Rewrite "There are 6 brown eggs in each box" as "Each box holds 6 brown eggs"."""
    if not _is_one_count(match.string, match["things"]):
        return None
    holds = "has" if match["one"] in HAVING_HOLDERS else "holds"
    return f"{capitalised(match['each'])} {match['one']} {holds} {match['things']}."


def _is_going_to(match: re.Match[str]) -> str | None:
    """Rewrite "Amy will buy 3 pens" as "Amy is going to buy 3 pens"."""
    if match["verb"] not in PLAIN_VERBS or match["verb"] in ("be", "need", "have", "cost", "take"):
        return None
    be = "are" if match["who"] == "They" else "is"
    return f"{match['who']} {be} going to {match['verb']}"


def _the_rest(match: re.Match[str]) -> str | None:
    """Replace "the remaining eggs" by "the rest of the eggs" after a verb such as "sold"."""
    return f"{match['the']} rest of the {match['what']}" if is_plural(match["what"]) else None


def _three_things(match: re.Match[str]) -> str | None:
    """Rewrite "Amy has 3 pens, 4 cups, and 5 jars" as "Amy has 3 pens and 4 cups. Amy also has 5 jars"."""
    items = counted(match.string)
    things = [match["one"], match["two"], match["three"]]
    if [match.string[item.start : item.noun_end] for item in items] != things:
        return None
    if not all(is_plural(item.noun.split(" of ")[0]) for item in items) or _ADDED.search(match.string):
        return None
    who, verb = match["who"], match["verb"]
    return f"{who} {verb} {things[0]} and {things[1]}. {who} also {verb} {things[2]}."


_ADDED = re.compile(r"\b(?:more|less|fewer|other|another|extra|additional)\b")


def _two_actions(match: re.Match[str]) -> str | None:
    """Rewrite "Amy baked 24 rolls and sold 9 of them" as "Amy baked 24 rolls. Amy then sold 9 of them"."""
    first, second = match["one"].split()[0], match["two"].split()[0]
    if not (is_past(first) and is_past(second)) or first == second or second in VERBS_OF_NO_NEXT_STEP:
        return None
    if _TIED.search(match.string) or len(match["one"].split()) < 3 or len(match["two"].split()) < 3:
        return None
    return f"{match['who']} {match['one']}. {match['who']} then {match['two']}."


_TIED = re.compile(
    r"\b(?:when|after|before|while|that|who|which|because|if|each|both|between|than|then|also|to|until|as|so|together|where|what)\b"
)


def _difference_asked(match: re.Match[str]) -> str | None:
    """Rewrite "How many more pens does Amy have than Ben?" with "What is the difference between ..."."""
    verb = _stated(match["aux"], match["verb"])
    if verb is None or match["one"] == match["two"] or not is_plural(match["what"]):
        return None
    return (
        f"What is the difference between the number of {match['what']} that {match['one']} {verb} "
        f"and the number that {match['two']} {verb}?"
    )


def _has_room(match: re.Match[str]) -> str:
    """Rewrite "A vase can hold 5 flowers" as "A vase has room for 5 flowers"."""
    return f"{match['what']} has room for "


def _things_are(match: re.Match[str]) -> str | None:
    """Rewrite "There were twelve cups on the shelf" as "Twelve cups were on the shelf"."""
    if not _is_one_count(match.string, match["things"]) or match["things"][0].isdigit():
        return None
    return f"{capitalised(match['things'])} {match['be']} {match['where']}."


_ADDING = re.compile(
    r"\b(?:buys?|bought|gives?|gave|gets?|got|finds?|found|picks?|picked|ma(?:kes?|de)|bakes?|baked|receive[sd]?|adds?|added|"
    r"puts?|won|collect(?:s|ed)?|earn(?:s|ed)?|plant(?:s|ed)?|orders?|ordered|sold|sells?|ate|eats?|wants?|wanted)\b"
)


def _additional(match: re.Match[str]) -> str | None:
    """Replace "gave her 4 more pens" by "gave her 4 additional pens".

    "4 more pens than Ben" remains unchanged.
    """
    if re.search(r"\b(?:than|as)\b", match.string[match.end() :]) or not numerals.find(match["n"]):
        return None
    if not _ADDING.search(match.string[: match.start()]):
        return None  # "a bread that requires 2 more cups": than another one does
    return f"{match['n']} additional "


def _put_in(match: re.Match[str]) -> str | None:
    """Rewrite "She put 5 pens in the box" as "She placed 5 pens in the box"."""
    return f"{match['who']} placed "


def _remain(match: re.Match[str]) -> str | None:
    """Rewrite "There are 5 eggs left" as "5 eggs remain"."""
    if not _is_one_count(match.string, match["things"]):
        return None
    return f"{capitalised(match['things'])} {'remain' if match['be'] == 'are' else 'remained'}."


def _same_person(name: str, pronoun: str, sentence: str) -> bool:
    """Return whether the antecedent of the pronoun is the only person that the sentence names."""
    named = people(sentence)
    if len({person.phrase for person in named}) != 1 or named[0].phrase != name:
        return False
    return named[0].gender in ("", PRONOUNS[pronoun][0])


def _clause_first(match: re.Match[str]) -> str | None:
    """Rewrite "Amy lost 3 pens when she went home" as "When Amy went home, she lost 3 pens"."""
    if not _same_person(match["name"], match["who"], match.string):
        return None
    return f"{capitalised(match['when'])} {match['name']} {match['clause']}, {match['who']} {match['main']}."


def _clause_last(match: re.Match[str]) -> str | None:
    """Rewrite "When Amy went home, she lost 3 pens" as "Amy lost 3 pens when she went home"."""
    if not _same_person(match["name"], match["who"], match.string):
        return None
    when = match["when"][0].lower() + match["when"][1:]
    return f"{match['name']} {match['main']} {when} {match['who']} {match['clause']}."


def _also(match: re.Match[str]) -> str | None:
    """Rewrite "Amy has 3 pens and 5 cups" as "Amy has 3 pens. Amy also has 5 cups"."""
    items = counted(match.string)
    pieces = [match.string[item.start : item.noun_end] for item in items]
    if pieces != [match["one"], match["two"]] or not all(
        is_plural(item.noun.split(" of ")[0]) for item in items
    ):
        return None
    if _ADDED.search(match.string):
        return None
    return (
        f"{match['who']} {match['verb']} {match['one']}. {match['who']} also {match['verb']} {match['two']}."
    )


# "to the store", "his pet": the word after one of these belongs to the subject, even if it may be a verb.
_NOT_BEFORE_VERB = frozenset(
    "the a an each every his her their its our my your all both and of other".split()
)
_SUBJECT_STARTS = frozenset("the each every his her their all both he she they you i we it".split())
_ENDS_OPEN = (" by", " for", " with", " of", " on", " in", " from", " to")


class _Asked(NamedTuple):
    """The clause of a question after its auxiliary: "did | the pet store | sell | last week"."""

    who: str
    verb: str
    rest: str


def _asked(clause: str) -> _Asked | None:
    """Return the subject, the plain verb and the rest of a question; None where the subject is unclear."""
    words = clause.split(" ")
    if words[0].lower() not in _SUBJECT_STARTS and not words[0][0].isupper():
        return None
    for at in range(1, min(len(words), 6)):
        verb, following = words[at], words[at + 1 : at + 2]
        if words[at - 1].lower() in _NOT_BEFORE_VERB or words[at - 1].endswith(("'s", "s'", ".")):
            continue
        if not verb.isalpha() or verb in NOT_A_VERB:
            return None
        pronoun = at == 1 and words[0] in ("he", "she", "they", "you", "I", "we", "it")
        if verb not in PLAIN_VERBS and verb not in PAST_FORMS:
            if pronoun:
                return None
            continue
        if not pronoun and following and (following[0] in PLAIN_VERBS or following[0] in PAST_FORMS):
            continue  # "the pet store have"
        rest = "".join(f" {word}" for word in words[at + 1 :])
        if " and how " in rest or rest.endswith(_ENDS_OPEN):
            return None
        return _Asked(" ".join(words[:at]), verb, rest)
    return None


def _stated(aux: str, verb: str) -> str | None:
    """Return the verb of a statement for an auxiliary and a plain verb: "did" and "sell" give "sold"."""
    if aux in MODAL_VERBS:
        return f"{aux} {verb}"
    return {"does": third_person(verb), "do": verb, "did": past(verb)}.get(aux)


_TOTAL = re.compile(r"(?: in total| altogether| in all|(?<! in)(?<! the)(?<! a) total(?:ed)?)$")
_COMPARED = frozenset("more fewer less total of".split())
_AS_MANY_TIMES = re.compile(r"\b(?:as|more|than|larger|bigger)\b")


def _number_asked(match: re.Match[str]) -> str | None:
    """Rewrite "How many pens does Amy have?" as "What is the number of pens that Amy has?"."""
    asked = _asked(match["clause"])
    what = match["what"]
    if asked is None or _COMPARED & set(what.split(" of ")[0].split()):
        return None
    if what.endswith("times") and _AS_MANY_TIMES.search(asked.rest):
        return None
    verb = _stated(match["aux"], asked.verb)
    total = _TOTAL.search(asked.rest)
    if verb is None or (match["total"] and total):
        return None
    rest = asked.rest[: total.start()] if total else asked.rest
    many = "number" if match["of"] == "many" else "amount"
    if total or match["total"]:
        many = f"total {many}"
    return f"What is the {many} of {what} that {asked.who} {verb}{rest}?"


def _number_to_have(match: re.Match[str]) -> str | None:
    """Rewrite "How many pens has Amy sold?" as "What is the number of pens that Amy has sold?"."""
    form, rest = match["form"], match["rest"]
    if (
        _COMPARED & set(match["what"].split(" of ")[0].split())
        or " and how " in rest
        or rest.endswith(_ENDS_OPEN)
    ):
        return None
    if match["aux"] in ("is", "are", "was", "were"):
        known = form == "able" or (form.endswith("ing") and form != "going")
    else:
        known = (
            is_past(form)
            or form in PASSIVE_PARTICIPLES
            or (form == "been" and rest[1:].split(" ")[0].endswith("ing"))
        )
    if not known or not (
        match["who"] in ("he", "she", "they") or match["who"][0].isupper() or " " in match["who"]
    ):
        return None
    return f"What is the number of {match['what']} that {match['who']} {match['aux']} {form}{rest}?"


def _number_who(match: re.Match[str]) -> str | None:
    """Rewrite "How many pupils went to the zoo?" as "What is the number of pupils who went to the zoo?"."""
    what, verb = match["what"], match["verb"]
    if not is_plural(what.split(" of ")[0]) or _COMPARED & set(what.split(" of ")[0].split()):
        return None
    if verb in ("left", "total", "did", "do", "does") or not (
        is_past(verb) or verb in PLAIN_VERBS or verb in MODAL_VERBS
    ):
        return None
    rest = match["rest"]
    if verb in MODAL_VERBS and rest.split()[0] not in PLAIN_VERBS and rest.split()[0] != "be":
        return None
    if re.search(r"\b(?:did|does|do|total|how)\b", rest) or rest.endswith(_ENDS_OPEN):
        return None
    return f"What is the number of {what} {_relative(what)} {verb} {rest}?"


def _relative(what: str) -> str:
    """Return the relative pronoun of a noun phrase: "who" for people."""
    head = what.split(" of ")[0].split()[-1]
    return "who" if COUNTED_NOUN_CLASS.get(head) == "person" else "that"


_PAYING = frozenset("spend pay earn owe raise".split())


def _amount_asked(match: re.Match[str]) -> str | None:
    """Rewrite "How much did Amy spend in total?" as "What is the total amount of money that Amy spent?"."""
    asked = _asked(match["clause"])
    if asked is None or asked.verb not in ((_PAYING | GETTING_VERBS) if match["money"] else _PAYING):
        return None
    if re.search(r"\b(?:more|less|than|if)\b", asked.rest):
        return None
    verb = _stated(match["aux"], asked.verb)
    total = re.search(r" (?:in total|altogether|in all|total)(?=$| )", asked.rest)
    if verb is None or (total and total.end() < len(asked.rest)):
        return None
    rest = asked.rest[: total.start()] if total else asked.rest
    return f"What is the {'total ' if total else ''}amount of money that {asked.who} {verb}{rest}?"


def _time_asked(match: re.Match[str]) -> str:
    """Rewrite "How long will it take to paint the wall?" with "What is the amount of time that ..."."""
    return f"What is the amount of time that it {_stated(match['aux'], 'take')}{match['rest']}?"


def _number_that(match: re.Match[str]) -> str | None:
    """Rewrite "How many seats are empty?" as "What is the number of seats that are empty?"."""
    rest = match["rest"].split()
    if match["be"] in ("have", "had") and rest[0] in ("been", "to"):
        return None
    return f"What is the number of {match['what']} {_relative(match['what'])} {match['be']} {match['rest']}?"


def _cost_asked(match: re.Match[str]) -> str | None:
    """Rewrite "How much do 5 pens cost in total?" as "What is the total cost of 5 pens?"."""
    if re.search(r"\b(?:and how|if|that|who|which|it|to|each|he|she|they)\b", match["what"]):
        return None
    is_, total = ("was" if match["aux"] == "did" else "is"), ("total " if match["total"] else "")
    return f"What {is_} the {total}cost of {match['what']}?"


STRUCTURAL = (
    # the question
    Rewrite("how many: what is the number",
            re.compile(rf"^How (?P<of>many) (?P<total>total )?(?P<what>{_ASKED_THING}) (?P<aux>does|do|did|will|would|can|could|should|must) (?P<clause>[^?]{{3,300}})\?$"),
            lambda m: _number_asked(m)),
    Rewrite("how much of: what is the amount",
            re.compile(rf"^How (?P<of>much) (?P<total>total )?(?P<what>{_MASS}) (?P<aux>does|do|did|will|would|can|could|should|must) (?P<clause>[^?]{{3,300}})\?$"),
            lambda m: _number_asked(m)),
    Rewrite("how many has: what is the number",
            re.compile(rf"^How many (?P<what>{_ASKED_THING}) (?P<aux>has|have|had|is|are|was|were) (?P<who>he|she|they|{NAME}|(?:the|his|her|their) [a-z]{{2,20}}) (?P<form>[a-z]{{2,20}})(?P<rest>(?: [^?]{{2,200}})?)\?$"),
            _number_to_have),
    Rewrite("how many did: the number who did",
            re.compile(rf"^How many (?P<what>{_ASKED_THING}) (?P<verb>(?!is\b|are\b|was\b|were\b|has\b|have\b|had\b)[a-z]{{2,20}}) (?P<rest>[^?,]{{2,150}})\?$"),
            _number_who),
    Rewrite("how many are left: the number that remains",
            re.compile(rf"^How many (?P<what>{_ASKED_THING}) (?P<be>are|were) left(?: over)?(?P<rest>(?: (?:in|on|at|for) (?:the|his|her|their|a|each) [^?,]{{2,80}})?)\?$"),
            lambda m: f"What is the number of {m['what']} that {'remain' if m['be'] == 'are' else 'remained'}{m['rest']}?"),
    Rewrite("how many are in: the number in",
            re.compile(rf"^How many (?P<what>{_ASKED_THING}) (?P<be>are|were) (?P<rest>(?:in|on|at) (?:the|a|her|his|their|each|all|every|both|one|\d+) [^?,]{{2,80}})\?$"),
            lambda m: f"What {'is' if m['be'] == 'are' else 'was'} the number of {m['what']} {m['rest']}?"),
    Rewrite("how many are needed: the number needed",
            re.compile(rf"^How many (?P<what>{_ASKED_THING}) (?P<be>are|were) needed(?P<rest>(?: [^?,]{{2,120}})?)\?$"),
            lambda m: f"What {'is' if m['be'] == 'are' else 'was'} the number of {m['what']} needed{m['rest']}?"),
    Rewrite("how much is left: the amount that is left",
            re.compile(rf"^How much (?P<what>{_MASS}) (?P<be>is|was) (?P<rest>(?:left|needed|used)(?: [^?,]{{2,100}})?)\?$"),
            r"What \g<be> the amount of \g<what> that \g<be> \g<rest>?"),
    Rewrite("how many more than: the difference",
            re.compile(rf"^How many more (?P<what>(?:[a-z-]{{1,20}} ){{0,2}}[a-z]{{1,20}}s) (?P<aux>does|did) (?P<one>{_PARTY}) (?P<verb>[a-z]{{2,15}}) than (?P<two>{_PARTY})\?$"),
            _difference_asked),
    Rewrite("how long take: what is the amount of time",
            re.compile(r"^How long (?P<aux>will|would|did|does) it take(?P<rest>(?: [^?]{2,200})?)\?$"), _time_asked),
    Rewrite("calculate the total: what is the total",
            re.compile(r"^(?:Calculate|Find|Determine) the (?P<rest>(?:total|number|amount|cost|price|average|overall) [^?.]{3,200})\.$"), r"What is the \g<rest>?",
            "Calculate|Find|Determine"),
    Rewrite("how old: what is the age",
            re.compile(r"^How old (?P<be>is|was) (?P<who>(?:his|her|their) [a-z]{2,20})\?$"), r"What \g<be> the age of \g<who>?"),
    Rewrite("how old will: what will the age be",
            re.compile(rf"^How old will (?P<who>{NAME}) be (?P<rest>in [^?,]{{2,60}})\?$"), r"What will \g<who>'s age be \g<rest>?"),
    Rewrite("how wide: what is the width",
            re.compile(r"^How (?P<long>long|high|wide|deep) (?P<be>is|was) (?P<what>(?:the|each) [a-z]{2,20}(?: [a-z]{2,20})?)\?$"),
            lambda m: f"What {m['be']} the {_DIMENSIONS[m['long']]} of {m['what']}?"),
    Rewrite("how many more: how many additional",
            re.compile(r"^How (?P<many>many|much) more (?=(?:[a-z]{1,20} ){1,4}(?:does|do|did|will|would) (?![^?]{0,200}\bthan\b)[\w.' ]{1,40}? need\b)"),
            r"How \g<many> additional "),
    Rewrite("how many more should: how many additional",
            re.compile(r"^How many more (?=(?:[a-z]{1,20} ){1,4}(?:should|must) (?![^?]{0,200}\bthan\b)[\w.' ]{1,40}? [a-z]{2,20})"), "How many additional "),
    Rewrite("how big: what is the size",
            re.compile(r"^How (?:big|large) (?P<be>is|was|will) (?P<what>(?:the|each) [a-z]{2,20})(?P<rest>(?: be)?)\?$"),
            lambda m: f"What {m['be']} the size of {m['what']}{m['rest']}?"),
    Rewrite("need to: have to",
            re.compile(rf"\b(?P<aux>does|do|did|will|would) (?P<who>{_WHO}|(?:the|his|her|each) [a-z]{{2,20}}) need to (?!have\b)(?=[a-z]{{2,20}})"),
            r"\g<aux> \g<who> have to "),
    Rewrite("how much money: total amount",
            re.compile(r"^How much (?P<money>money )?(?P<aux>did|does|do|will|would) (?P<clause>[^?,]{3,160})\?$"), _amount_asked),
    Rewrite("how much cost: what is the cost",
            re.compile(r"^How much (?P<aux>did|does|do|will|would) (?P<what>(?:the|an?|one|all|his|her|their|\d+) [a-z0-9 ]{1,60}?) cost"
                       r"(?P<total> in total| altogether| in all)?\?$"), _cost_asked),
    Rewrite("how many in total: total number",
            re.compile(r"^How many (?P<what>(?!more |fewer |total )(?:[a-z-]{1,30} ){0,2}?[a-z]{1,30}s) (?P<be>are|were) there (?:in total|altogether|in all)"
                       r"(?P<rest>(?: (?:in|on|at) (?:the|a|each|every) [^?]{1,60})?)\?$"),
            lambda m: f"What {'is' if m['be'] == 'are' else 'was'} the total number of {m['what']}{m['rest']}?"),
    Rewrite("how many are: the number that are",
            re.compile(r"^How many (?P<what>(?!more |fewer |total |times |of )(?:[a-z-]{1,30} ){0,2}?[a-z]{1,30}(?:s|children|people|men|women)(?: of [a-z]{1,30})?) "
                       r"(?P<be>are|were|have|had) (?P<rest>(?!there\b|left\b|in\b|on\b|at\b|to\b|needed\b|[a-z]+s\b|the\b|their\b|her\b|you\b|we\b|he\b|she\b|they\b|it\b|[A-Z])[^?,]{1,80})\?$"),
            _number_that),
    Rewrite("in total first: in total last",
            re.compile(r"^In total, (?P<asked>how (?:many|much) (?![^?]{0,200}\b(?:total|altogether|if|left)\b)[^?,]{3,200})\?$"),
            lambda m: f"{capitalised(m['asked'])} altogether?"),
    Rewrite("he then: after that",
            re.compile(r"^(?P<who>He|She|They) then (?=[a-z]{3,20} )"), lambda m: f"After that, {m['who'].lower()} "),
    # voice
    Rewrite("active: passive",
            re.compile(rf"^(?P<who>{NAME}) (?P<verb>{_ON_PURPOSE}) (?P<things>{NUMBER} (?:[a-z]{{1,20}} ){{0,3}}?[a-z]{{2,20}})"
                       rf"(?P<tail>(?: for (?:{_MONEY} each|the [a-z ]{{2,30}})| during the [a-z ]{{2,30}})?)\.$"), _passive, _ON_PURPOSE),
    Rewrite("gave: was given by",
            re.compile(rf"^(?P<who>{NAME}) gave (?P<to>{NAME}) (?P<things>{NUMBER} (?:[a-z]{{1,20}} ){{0,2}}?[a-z]{{2,20}})\.$"), _given_by),
    Rewrite("her sister gave her: she was given",
            re.compile(rf"^(?P<her>Her|His|Their) (?P<kin>(?:{_KIN})) gave (?P<to>her|him|them) (?P<things>{NUMBER} (?:[a-z]{{1,20}} ){{0,3}}?[a-z]{{2,20}})\.$"),
            _given_by_kin),
    # there is, has
    Rewrite("there are in: the place has",
            re.compile(rf"^There (?P<be>are|were) (?P<things>{NUMBER} (?:[a-z]{{1,20}} ){{0,3}}?[a-z]{{2,20}}) in "
                       rf"(?P<place>(?:the|his|her|their|{NAME}'s) (?:[a-z]{{1,20}} )?(?:{_PLACES}))\.$"), _has_things),
    Rewrite("the place has: there are in",
            re.compile(rf"^(?P<place>(?:The|His|Her|Their|A|An|{NAME}'s) (?:[a-z]{{1,20}} )?(?:{_PLACES})) (?P<verb>has|had) "
                       rf"(?P<things>{NUMBER} (?:[a-z]{{1,20}} ){{0,3}}?[a-z]{{2,20}})\.$"), _there_are_things, "has|had"),
    Rewrite("each holds: there are in each",
            re.compile(rf"^(?P<each>Each|Every) (?P<one>{_HOLDERS}) (?:has|contains|holds) (?P<things>{NUMBER} (?:[a-z]{{1,20}} ){{0,2}}?[a-z]{{2,20}})\.$"),
            _there_are_in_each, "Each|Every"),
    Rewrite("there are in each: each holds",
            re.compile(rf"^There are (?P<things>{NUMBER} (?:[a-z]{{1,20}} ){{0,2}}?[a-z]{{2,20}}) in (?P<each>each|every) (?P<one>{_HOLDERS})\.$"), _each_has),
    Rewrite("there are left: remain",
            re.compile(rf"^There (?P<be>are|were) (?P<things>{NUMBER} (?:[a-z]{{1,20}} ){{0,2}}?[a-z]{{2,20}}) left\.$"), _remain),
    # comparisons
    Rewrite("times as many as: times the number",
            re.compile(rf"\b(?P<verb>has|had|[a-z]{{3,12}}) (?P<times>twice|half|{NUMBER} times) as (?P<many>many|much) (?P<what>(?:[a-z]{{1,20}} )?[a-z]{{2,20}}) as (?P<other>{NAME}|(?:his|her) (?:{_KIN}))(?=\.$|, and | and (?:he|she|they)\b)"),
            _multiple),
    # clauses
    Rewrite("clause last: clause first",
            re.compile(rf"^(?P<name>{NAME}) (?P<main>[a-z]{{2,15}} [^,.]{{0,80}}?) (?P<when>when|after|before|while) (?P<who>he|she) (?P<clause>(?!(?:had|was|is)\b)[a-z]{{2,15}}(?: [^,.]{{1,80}})?)\.$"),
            _clause_first, "when|after|before|while"),
    Rewrite("clause first: clause last",
            re.compile(rf"^(?P<when>When|After|While) (?P<name>{NAME}) (?P<clause>[a-z]{{2,15}}(?: [^,.]{{1,80}})?), (?P<who>he|she) (?P<main>[a-z]{{2,15}} [^,.]{{0,80}})\.$"),
            _clause_last, "When|After|While"),
    Rewrite("and: also",
            re.compile(rf"^(?P<who>He|She|They|{NAME}) (?P<verb>has|had|have|owns|bought|sold|baked|picked|found|collected|planted) "
                       rf"(?P<one>{NUMBER} (?:[a-z]{{1,20}} ){{0,2}}?[a-z]{{2,20}}) and (?P<two>{NUMBER} (?:[a-z]{{1,20}} ){{0,2}}?[a-z]{{2,20}})\.$"), _also),
    Rewrite("list: also",
            re.compile(rf"^(?P<who>He|She|They|{NAME}) (?P<verb>has|had|have|owns|bought|sold|baked|picked|found|collected|planted) "
                       rf"(?P<one>{NUMBER} (?:[a-z]{{1,20}} ){{0,2}}?[a-z]{{2,20}}), (?P<two>{NUMBER} (?:[a-z]{{1,20}} ){{0,2}}?[a-z]{{2,20}}),? and "
                       rf"(?P<three>{NUMBER} (?:[a-z]{{1,20}} ){{0,2}}?[a-z]{{2,20}})\.$"), _three_things),
    Rewrite("and: then",
            re.compile(rf"^(?P<who>He|She|They|{NAME}) (?P<one>[a-z]{{2,15}} [^,.]{{3,80}}?) and (?P<two>[a-z]{{2,15}} [^,.]{{3,80}})\.$"), _two_actions),
    Rewrite("there are: things are",
            re.compile(rf"^There (?P<be>are|were) (?P<things>{NUMBER} (?:[a-z]{{1,20}} ){{0,3}}?[a-z]{{2,20}}) (?P<where>(?:in|on|at) (?:the|his|her|their|{NAME}'s) [a-z]{{2,20}}(?: [a-z]{{2,20}})?)\.$"),
            _things_are),
    Rewrite("can hold: has room for", re.compile(rf"^(?P<what>(?:An?|Each|Every|One|The) [a-z]{{2,20}}(?: [a-z]{{2,20}})?) can hold (?={NUMBER} [a-z]{{2,20}})"), _has_room),
    Rewrite("more: additional",
            re.compile(r"(?P<n>(?<![\w$.])[\w-]{1,20}) more (?=(?:[a-z]{2,20} ){0,2}?[a-z]{2,20}(?:s|children|people|fish)\b)"), _additional),
    Rewrite("put: placed",
            re.compile(rf"(?P<who>^(?:He|She|{NAME})) put (?=(?:[\w$]{{1,20}} ){{1,5}}(?:in|on|into|onto) (?:the|an?|his|her|each|every)\b)"), _put_in),
    # plans and duties
    Rewrite("will: is going to", re.compile(rf"^(?P<who>He|She|They|{NAME}) will (?P<verb>[a-z]{{2,15}})\b(?=[^?]{{3,300}}\.$)"), _is_going_to),
    # measures and money
    Rewrite("takes: needs",
            re.compile(rf"(?P<who>\b(?:He|She|They|he|she|they)|^{NAME}) (?P<verb>takes|took|take) (?P<n>{NUMBER} (?:minutes|hours|days|weeks|months)) to (?P<to>[a-z]{{2,15}})\b"),
            _needs_hours, "takes|took|take"),
    Rewrite("is long: has a length of",
            re.compile(r"\b(?P<be>is|was) (?P<n>\d[\d.,]{0,9} (?:feet|inches|meters|centimeters|yards|miles|kilometers|cm|ft)) (?P<long>long|tall|high|wide|deep)(?=[.,]| and )"),
            _measured, "long|tall|high|wide|deep"),
    Rewrite("costs: the price of",
            re.compile(rf"^(?P<what>(?:The|An?|One|Each|His|Her) [a-z]{{2,20}}(?: [a-z]{{2,20}}){{0,2}}) costs (?P<n>{_MONEY})\.$"), _price_is),
    Rewrite("are each: cost apiece",
            re.compile(rf"\b(?P<be>is|are) (?P<n>{_MONEY}) (?:each|apiece)(?=[.,]| and )"),
            lambda m: f"{'costs' if m['be'] == 'is' else 'cost'} {m['n']} apiece", "each|apiece"),
    Rewrite("bought for: paid for",
            re.compile(rf"^(?P<who>He|She|They|{NAME}) (?P<verb>bought|buys|purchased|purchases) (?P<what>(?:an?|the|{NUMBER}) (?:[a-z]{{1,20}} ){{0,3}}?[a-z]{{2,20}}) "
                       rf"for (?P<n>{_MONEY})(?P<each>(?: each)?)\.$"), lambda m: None if m["who"] == "They" and m["verb"].endswith("s") else _paid_for(m),
            "bought|buys|purchased|purchases"),
    Rewrite("total cost: cost in total",
            re.compile(rf"^The total cost of (?P<what>the (?:\d{{1,4}} )?(?:[a-z]{{2,20}} )?[a-z]{{2,20}}s) (?:is|was) (?P<n>{_MONEY})\.$"),
            lambda m: f"{capitalised(m['what'])} cost {m['n']} in total."),
    Rewrite("takes minutes: requires minutes",
            re.compile(rf"\btakes (?={NUMBER} (?:minutes|hours|days|weeks|seconds)\b(?! (?:off|longer|more|less|to)\b))"),
            lambda m: None if re.search(r"\b(?:[Ii]t|[Hh]e|[Ss]he|who) $", m.string[: m.start()]) else "requires "),
    Rewrite("that costs: priced at", re.compile(r"(?<=[a-z] )(?:that|which) costs? (?=\$\d)"), "priced at ", "that|which"),
    Rewrite("also first: in addition", re.compile(r"^(?P<who>He|She|They) also (?=[a-z]{2,15} )"), lambda m: f"In addition, {m['who'].lower()} "),
    Rewrite("an additional: another", re.compile(r"\ban additional (?=\d[\d,]{0,6} (?:[a-z]{2,20} )?[a-z]{2,20}s\b)"), "another "),
    Rewrite("each of: every one of", re.compile(r"^Each of (?=(?:the|his|her|their) )"), "Every one of "),
    Rewrite("paid for: spent on",
            re.compile(rf"\b(?P<verb>pays|paid) (?P<n>{_MONEY}) for (?=(?:the |an? |his |her |their |some )(?!average|each|it|them|every|that|this)[a-z]{{3,20}}(?: [a-z]{{3,20}})?[.,])"),
            lambda m: f"{'spends' if m['verb'] == 'pays' else 'spent'} {m['n']} on ", "pays|paid"),
    Rewrite("per: for each", re.compile(r"(?<=[\da-z]) per (?P<noun>[a-z]{3,20})\b"), _for_each),
    Rewrite("the remaining: the rest of the",
            re.compile(r"(?<!of )\b(?P<the>the) remaining (?P<what>[a-z]{3,20}s)\b(?=[.,]| (?:to|for|in|at|on|and|were|are)\b)"), _the_rest),
    Rewrite("weighs: has a weight of",
            re.compile(rf"\b(?P<verb>weighs|weighed) (?=(?:{NUMBER}) (?:pounds|kilograms|ounces|grams|tons|kg)\b)"),
            lambda m: f"{'has' if m['verb'] == 'weighs' else 'had'} a weight of ", "weighs|weighed"),
    Rewrite("earns: is paid",
            re.compile(rf"\b(?:earns|makes) (?={_MONEY} (?:an?|per|each|every|for each|for every) (?:{TIME_UNIT})\b(?! [a-z]+ing\b))"), "is paid ", "earns|makes"),
    Rewrite("spends on: pays for",
            re.compile(rf"\b(?P<verb>spends|spent) (?P<n>{_MONEY}) on (?=(?:the |an? |his |her |their |some )?(?!average|each|it|them|every|that|this)[a-z]{{3,}})"),
            lambda m: f"{'pays' if m['verb'] == 'spends' else 'paid'} {m['n']} for "),
    Rewrite("for: for a period of",
            re.compile(rf"(?<=[a-z] )for (?={NUMBER} (?:days|weeks|months|years)(?:\.$|,| and ))"), "for a period of "),
)  # fmt: skip
