"""Pairs of numbers that a text names: two prices, two kinds of one list, or two days of one person."""

from __future__ import annotations

import re
from collections.abc import Iterator
from fractions import Fraction
from typing import NamedTuple

from dnc_datasets import expression, numerals
from dnc_datasets.english.lexicon import (
    COUNTED_NOUNS,
    MONTHS,
    NOT_A_THING,
    NOUNS_IN_IE,
    NOUNS_OF_NO_KIND,
    NOUNS_WITHOUT_SINGULAR,
    PRONOUNS,
    VERBS_NOT_COMPARED,
    WEEKDAYS,
    any_of,
    is_past,
    is_plural,
    is_unit,
    plain,
)
from dnc_datasets.english.reading.named_amounts import EVENT_VERBS, is_name
from dnc_datasets.english.reading.people import antecedent, people
from dnc_datasets.english.reading.quantities import Counted, counted
from dnc_datasets.english.reading.sentences import sentences
from dnc_datasets.expression import Binary, Expr

_WORD = re.compile(r"[A-Za-z]+")


class Pair(NamedTuple):
    """Two amounts of a text, the larger first, with questions for their difference and sum."""

    question: str
    larger: Expr
    smaller: Expr
    unit: str
    in_all: str = ""  # the question for the sum, where its wording is certain


_ARTICLE = r"(?:an?|each|every|one|the|An?|Each|Every|One|The)"
_NAMED_THING = r"(?:[a-z][a-z-]* ){0,2}?[a-z][a-z-]*(?: of (?:[a-z][a-z-]* )?[a-z][a-z-]*)?"
_MONEY = r"(?P<money>\$\d[\d,]*(?:\.\d+)?|\d+ (?:dollars|cents))"
_CLOSED = rf"(?=[.;?!](?:\s|\Z)|, (?:and |while |but )?(?:{_ARTICLE} |[A-Z][a-z]+ )| and {_ARTICLE} | while {_ARTICLE} |,\Z|\Z)"
_OPENED = r"(?:\A|(?<=[.!?;] )|(?<=, )|(?<= and )|(?<= while )|(?<= but )|(?<=If )|(?<=if ))"
_PRICE_OF_ONE = re.compile(
    rf"{_OPENED}(?P<article>{_ARTICLE}) (?P<what>{_NAMED_THING}) (?P<verb>costs?|sells for|is|was) {_MONEY}{_CLOSED}"
)
_PRICE_OF_EACH = re.compile(
    rf"{_OPENED}(?:The |the )?(?P<what>(?:[A-Za-z][a-z-]* )?[A-Za-z][a-z-]*s) (?P<verb>costs?|sell for|are|were) {_MONEY} "
    r"(?:each|apiece)\b"
)
_PRICE_AFTER = re.compile(
    rf",? (?:for|at|that costs?|which costs?|worth|costing|each costing|priced at) {_MONEY} (?:each|apiece)\b"
)
# A price that changes, or a thing that has two prices.
_OTHER_PRICE = re.compile(
    r"%|\b(?:percent|discount\w*|on sale|tax\w*|tips?|coupons?|off|refund\w*|half|twice|double\w*|tripled?|times|"
    r"increas\w+|decreas\w+|rais\w+|reduc\w+|cheaper|expensive|free|deals?|additional|extra|rent|deposit|"
    r"old|new|now|used|would|instead|profit|salary|wages?|resell\w*|resold|fee|shipping|delivery)\b",
    re.IGNORECASE,
)
_TRADES = frozenset("buy sell purchase order cost".split())
_BOUGHT = frozenset("buy purchase order".split())


class _Priced(NamedTuple):
    what: str  # "one book"
    money: Fraction
    coin: str
    past: bool


def priced_pairs(body: str) -> Iterator[Pair]:
    """Yield pairs of things of which the text states one price each.

    >>> [pair.question for pair in priced_pairs("A pen costs $2 and a book costs $7. Ann buys 3 of each.")]
    ['How much more does a book cost than a pen?']
    """
    if _OTHER_PRICE.search(body):
        return
    found = list(_priced(body))
    kinds = {one.what.partition(" ")[2] for one in found}
    if len(found) < 2 or len(kinds) != len(found) or any(NOT_A_THING & set(kind.split()) for kind in kinds):
        return
    if any(_is_part(one, two) for one in kinds for two in kinds) or len({one.past for one in found}) > 1:
        return
    for one in found:
        for two in found:
            if one.coin == two.coin and one.money > two.money:
                how = "How many more cents" if one.coin == "cents" else "How much more"
                does = "did" if one.past else "does"
                yield Pair(
                    f"{how} {does} {one.what} cost than {two.what}?",
                    expression.number(one.money),
                    expression.number(two.money),
                    "cents" if one.coin == "cents" else "",
                    f"How much {'did' if one.past else 'do'} {one.what} and {two.what} cost together?",
                )


def _priced(body: str) -> Iterator[_Priced]:
    """Yield the things of a text with the price of a single one."""
    for match in _PRICE_OF_ONE.finditer(body):
        article, what = match["article"].lower(), match["what"]
        if is_plural(what.split(" of ")[0]):
            continue
        article = "one" if article in ("each", "every") else article
        yield _Priced(f"{article} {what}", *_money(match["money"]), match["verb"] in ("cost", "was"))
    for match in _PRICE_OF_EACH.finditer(body):
        if one := _singular(match["what"].lower()):
            yield _Priced(f"one {one}", *_money(match["money"]), match["verb"] == "were")
    traded = [one for one in sentences(body) if _TRADES & {plain(word) for word in _WORD.findall(one)}]
    for sentence, item in ((one, item) for one in traded for item in counted(one)):
        after = _PRICE_AFTER.match(sentence, item.noun_end)
        if after and item.noun.islower() and (one := _singular(item.noun)):
            yield _Priced(f"one {one}", *_money(after["money"]), False)


def _is_part(one: str, two: str) -> bool:
    """Return whether one name is the end or the start of another: "pen", "blue pen"."""
    return one != two and (two.endswith(f" {one}") or two.startswith(f"{one} "))


def _money(text: str) -> tuple[Fraction, str]:
    number = numerals.parse(re.sub(r"[$,]| (?:dollars|cents)", "", text))
    return number or Fraction(0), "cents" if text.endswith("cents") else "$"


_IRREGULAR = re.compile(
    r"(?:ves|ies|oes|[aeiou]xes|ses|zes|mice|geese|people|ren|men|feet|teeth|news|ss|us|is)\Z"
)


def _singular(nouns: str) -> str:
    """Return the singular of a noun phrase whose plural is regular, or an empty string."""
    head, of, rest = nouns.partition(" of ")
    noun = head.split()[-1]
    if not is_plural(noun) or noun in NOUNS_WITHOUT_SINGULAR or "different" in nouns:
        return ""
    if noun.endswith("ies") and noun in COUNTED_NOUNS and len(noun) > 5 and not noun.endswith(NOUNS_IN_IE):
        return f"{head[:-3]}y{of}{rest}"
    if noun.endswith(("ches", "shes", "xes", "toes", "sses")):
        return f"{head[:-2]}{of}{rest}"
    known = noun.endswith(NOUNS_IN_IE) or not _IRREGULAR.search(noun)
    return f"{head[:-1]}{of}{rest}" if known else ""


_WHO = r"(?P<who>[A-Z][a-z]+|(?:The|A|An) (?:[a-z]+ ){0,2}[a-z]+|(?:Mr|Mrs|Ms|Dr)\. [A-Z][a-z]+)"
_LISTED = re.compile(
    rf"\A(?:If |(?:On|In|At|During|Yesterday|Today|Last|This)\b[a-zA-Z ]{{0,40}}, )?{_WHO} (?:also |then )?(?:(?:went|goes|go) to (?:the|a) [a-z ]{{1,30}} and )?(?P<verb>[a-z]+) "
    r"(?=\d|[a-z-]+ [a-z])"
)
_BETWEEN = re.compile(
    r"(?P<price>,? (?:for|at|worth|that costs?|which costs?|costing) \$\d[\d.,]*\d?(?: (?:each|apiece))?)?"
    r"(?P<each> with \d+ [a-z]+ (?:each|in each(?: [a-z]+)?))?(?P<next>,? and |, and |, )?"
)
_AFTER_LIST = re.compile(
    r"(?:[.,;]|\Z| (?:in|at|on|from|for|to|inside|with|around|near) (?!\$|\d|each|every))"
)
_PLACE_AFTER = re.compile(r"(?P<where> (?:in|at|on|inside) (?:the|a|his|her|their) [a-z]+(?: [a-z]+)?)?[.,;]")
_HELD = frozenset("have own be".split())
_MAYBE = re.compile(
    r"\b(?:would|could|should|might|may|either|or|about|around|between|at least|at most|up to|than|as (?:many|much)|twice|"
    r"half|times|rest|each other|not|never|n't|except|only|every|per|another|additional|extra|more|fewer|less|"
    r"(?<!for )(?<!of )(?:a|an) (?:second|minute|hour|day|night|week|month|year))\b"
)
_AGAIN = re.compile(
    r"\b(?:more|fewer|less|another|additional|extra|other|half|some|most|rest|times|twice|third|quarter)\b"
)


def listed_pairs(body: str) -> Iterator[Pair]:
    """Yield pairs of kinds of things that one sentence counts.

    >>> [pair.question for pair in listed_pairs("Ann bought 9 figs and 4 pears. She ate 2 of them.")]
    ['How many more figs than pears did Ann buy?']
    """
    for sentence in sentences(body):
        start = _LISTED.match(sentence)
        verb = plain(start["verb"]) if start else None
        if start is None or verb is None or verb in VERBS_NOT_COMPARED or _MAYBE.search(sentence):
            continue
        who = _actor(start["who"], body, sentence)
        items = _list_of(sentence, start.end())
        if not who or (verb == "be") != (who == "There") or not _are_kinds([item for item, _ in items]):
            continue
        if not _is_only_there(body, sentence, verb, [item for item, _ in items]):
            continue
        past = is_past(start["verb"])
        if verb == "be":
            place = _PLACE_AFTER.match(sentence, items[-1][0].noun_end)
            if place is None:
                continue
            where = re.sub(r"\ba\b", "the", place["where"] or "")
            did = f"{'were' if past else 'are'} there{where}"
        else:
            did = f"{'did' if past else 'does'} {who} {verb}"
        for one, price in items:
            for two, other in items:
                if one.value > two.value:
                    yield Pair(
                        f"How many more {one.noun} than {two.noun} {did}?",
                        expression.number(one.value),
                        expression.number(two.value),
                        one.noun,
                        f"How many {one.noun} and {two.noun} {did} in all?" if len(items) == 2 else "",
                    )
                if price and other and verb in _BOUGHT and not _OTHER_PRICE.search(body):
                    sums = ((one.value, price), (two.value, other))
                    cost, less = (Binary("*", *map(expression.number, both)) for both in sums)
                    if cost.value() > less.value():
                        spent = f"{'did' if past else 'does'} {who} spend on"
                        yield Pair(f"How much more {spent} {one.noun} than on {two.noun}?", cost, less, "")


def _list_of(sentence: str, start: int) -> list[tuple[Counted, Fraction | None]]:
    """Return the counted things of a list with their unit prices, if stated.

    Return an empty list where it is not certain.
    """
    at, found = start, list[tuple[Counted, Fraction | None]]()
    for item in counted(sentence):
        if item.start < at:
            continue  # a price, or "with 8 legs each"
        if item.start != at or not item.noun or item.value.denominator > 1:
            break
        after = _BETWEEN.match(sentence, item.noun_end)
        assert after is not None
        price = None
        if after["price"] and after["price"].endswith(("each", "apiece")):
            price = numerals.parse(re.sub(r"[^\d.]", "", after["price"]))
        elif after["price"]:
            return []
        found.append((item, price))
        at = after.end()
        if not after["next"]:
            return found if _AFTER_LIST.match(sentence, at) else []
    rest = sentence[at:]
    return found if re.match(r"(?:an? |the |some )", rest) else []


def _are_kinds(items: list[Counted]) -> bool:
    """Return whether a list names two or more kinds of things, each once."""
    heads = [item.noun.split(" of ")[0].split()[-1] for item in items]
    nouns = [item.noun for item in items]
    if len(items) < 2 or len(set(nouns)) < len(nouns) or not all(map(is_plural, heads)):
        return False
    if any(is_unit(head) or head in NOUNS_OF_NO_KIND for head in heads):
        return False
    if any(_is_part(one, two) for one in nouns for two in nouns):
        return False
    return all(re.fullmatch(r"[a-z -]+", noun) for noun in nouns)


def _is_only_there(body: str, sentence: str, verb: str, items: list[Counted]) -> bool:
    """Return whether the text says nothing else of these things that the question could refer to."""
    heads = {item.noun.split(" of ")[0].split()[-1] for item in items if item.noun}
    others = body.replace(sentence, "", 1)
    verbs = [plain(word) or word for word in _WORD.findall(others) if word.islower()]
    if verb in verbs and verb not in _HELD:
        return False
    if verb in _HELD and any(word in EVENT_VERBS for word in verbs):
        return False
    for one in sentences(others):
        words = set(_WORD.findall(one))
        again = any(item.noun and item.noun.split(" of ")[0].split()[-1] in heads for item in counted(one))
        if again or (words & heads and _AGAIN.search(one)):
            return False
    return True


def _actor(who: str, body: str, sentence: str) -> str:
    """Return the subject of a sentence, with a pronoun replaced by its only antecedent.

    Return "" where it is not certain.
    """
    if who == "There":
        return who
    if who in ("He", "She", "They", "It", "I", "We", "You"):
        if who not in ("He", "She"):
            return ""
        named = people(body)
        before = body[: body.find(sentence)]
        one = named[0].phrase if len(named) == 1 else antecedent(PRONOUNS[who.lower()][0], before)
        return one if one and one[0].isupper() else ""
    first, _, rest = who.partition(" ")
    if first in ("The", "A", "An"):
        return f"the {rest}"
    return who if first in ("Mr.", "Mrs.", "Ms.", "Dr.") or is_name(who, body) else ""


_WHEN = (
    rf"(?:on (?:{any_of(WEEKDAYS)})|in (?:{any_of(MONTHS)})|yesterday|today|in the (?:morning|afternoon|evening)|"
    r"(?:on|in|during) the (?:first|second|third|fourth) (?:day|week|month|hour|year|game)|last (?:week|month|year)|"
    r"this (?:week|month|year))"
)
_BY = r"(?P<who>[A-Z][a-z]+|he|she|(?:[Aa]n?|[Tt]he) [a-z]+(?: [a-z]+)?)"
_MANY = r"(?:for )?(?P<number>\$?(?:\d[\d,]*(?:\.\d+)?|[a-z]+(?:-[a-z]+)?))(?P<noun>(?: [a-z]+){0,3}?)"
_ENDED = r"(?=[.,;]| and | but | while |\Z)"
_DATED = re.compile(
    rf"(?:\A|(?<= and )|(?<=, )|(?<= then )){_BY} (?P<verb>[a-z]+) {_MANY} (?P<when>{_WHEN}){_ENDED}"
)
_DATED_FIRST = re.compile(
    rf"(?:\A|(?<= and )|(?<=, )|(?<= while ))(?P<when>(?i:{_WHEN})),? {_BY} (?P<verb>[a-z]+) {_MANY}"
    r"(?=[.;]|,|,? and (?:on|in|he|she|they|the)\b| while |\Z)"
)
_DATED_MORE = re.compile(rf"(?:,? and|,) {_MANY} (?P<when>{_WHEN}){_ENDED}")
_DATED_NEXT = re.compile(rf"(?:,? and|,) (?P<when>{_WHEN}),? {_MANY}(?=[.;,]| and |\Z)")


class _Dated(NamedTuple):
    who: str
    verb: str
    noun: str
    number: Fraction
    when: str


def dated_pairs(body: str) -> Iterator[Pair]:
    """Yield pairs of amounts of one person on two days.

    >>> [pair.question for pair in dated_pairs("Ann read 9 pages on Monday and 4 pages on Tuesday.")]
    ['How many more pages did Ann read on Monday than on Tuesday?']
    """
    found = list(_dated(body))
    verbs = {one.verb for one in found}
    nouns = {one.noun for one in found if one.noun}
    who = {one.who for one in found}
    times = [one.when for one in found]
    if len(found) < 2 or len(verbs) != 1 or len(who) != 1 or len(nouns) != 1 or len(set(times)) < len(times):
        return
    verb, actor, noun = verbs.pop(), who.pop(), nouns.pop()
    bare = plain(verb)
    if not actor or bare is None or bare in _HELD | {"want", "plan", "need", "put", "start"}:
        return
    said = [plain(word) or word for word in _WORD.findall(body) if word.islower()]
    if any(len(re.findall(rf"\b{one}\b", body, re.IGNORECASE)) != 1 for one in times):
        return
    if said.count(bare) > len(found) or len(re.findall(rf"\b(?:{_WHEN})", body, re.IGNORECASE)) != len(found):
        return  # a day of which something else is said
    helper = "did" if is_past(verb) else "does"
    money = noun == "$"
    what = "How much more money" if money else f"How many more {noun}"
    for one in found:
        for two in found:
            if one.number > two.number:
                yield Pair(
                    f"{what} {helper} {actor} {bare} {one.when} than {two.when}?",
                    expression.number(one.number),
                    expression.number(two.number),
                    "" if money else noun,
                )


def _dated(body: str) -> Iterator[_Dated]:
    """Yield the statements of a text that give an action, its day and its number."""
    for sentence in sentences(body):
        if _UNDATED.search(sentence):
            continue
        last: _Dated | None = None
        spans: list[tuple[int, int]] = []
        forms = (_DATED, _DATED_FIRST, _DATED_MORE, _DATED_NEXT)
        matches = [match for form in forms for match in form.finditer(sentence)]
        for match in sorted(matches, key=lambda one: (one.start(), -one.end())):
            if any(start < match.end() and match.start() < end for start, end in spans):
                continue
            parts = match.groupdict()
            number = numerals.parse(match["number"].lstrip("$").replace(",", ""))
            noun = match["noun"].strip()
            if match["number"].startswith("$"):
                if noun:
                    continue  # "$2 away"
                noun = "$"
            if number is None or (noun not in ("", "$") and not is_plural(noun.split(" of ")[0])):
                continue
            when = match["when"][0].lower() + match["when"][1:]
            if "who" in parts:
                who = match["who"]
                actor = _actor(who[0].upper() + who[1:], body, sentence)
                last = _Dated(actor, match["verb"], noun, number, when)
            elif last is None:
                continue
            else:
                last = last._replace(noun=noun or last.noun, number=number, when=when)
            spans.append(match.span())
            yield last


_UNDATED = re.compile(
    r"\b(?:each|every|per|than|twice|half|times|as (?:many|much)|would|will|could|if|only|from|of (?:them|the)|more|fewer|"
    r"less|another|rest|not)\b",
    re.IGNORECASE,
)
