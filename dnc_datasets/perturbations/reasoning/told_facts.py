"""Numbers that one clause of a text tells, and the questions that they answer: "How many pens did Amy give to Tom?"."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from fractions import Fraction

from dnc_datasets import numerals
from dnc_datasets.english.reading.facts import Fact, facts, lists
from dnc_datasets.english.reading.sentences import sentences
from dnc_datasets.english.reading.verbs import PLAIN, plain
from dnc_datasets.problem import Problem

_NOBODY = frozenset("there Team Over By With Since From Before Thereafter Afterwards Once Until".split())
_HAVE = ("had", "has", "have", "owned", "owns")
_PRONOUNS = frozenset(("he", "she", "they", "it", "we", "you", "i"))
_OTHER_SUBJECT = re.compile(r"\b(?:he|she|they|as)\b")
_SMALL = frozenset("He She They The His Her Their We You".split())
_WORDS = re.compile(r"[a-z]+")
_ONE = re.compile(r"\A[Aa]n? ")
_WHEN = re.compile(r"(?:on|in|during|at) (?:the )?[A-Za-z]+(?: [a-z]+){0,2}")
_PAYING = frozenset("spend pay donate give".split())
_WANTING = frozenset(("need", "want"))
_MODALS = frozenset("can could will would must should may might know think figure notice realize".split())
_MANY = frozenset(("they", "we", "you", "i"))
_TIMES = frozenset("minutes hours days weeks months years".split())
_ODD = re.compile(
    r"\b(?:equally|next|to have|high|tall|long|deep|wide|there|certain|(?:away|up|down|out|off) them)\b"
)
_TAIL = re.compile(
    r" (?:to|on|in|at|for|from|with|by|during|into|onto|back|away|out|off|up|down|last|this|that|the|a|an|as|near|"
    r"around|online|over|before|after|under|along|through|across|home|between|among|yesterday|today|inside|outside|"
    r"together|per|[a-z]+ing)\b"
)
# "She skipped the 16 pages": what stands before the number belongs to it.
_OPEN = re.compile(r"\b(?:the|an?|his|their|its|these|those|all|remaining|other|first|last)\Z")
_GIVING = frozenset("give hand send lend bring buy offer teach pay".split())
_FOR_EACH = re.compile(r"\b(?:every|each|whenever)\b", re.IGNORECASE)
# What somebody had may be had no more.
_LATER = re.compile(r"\b(?:he|she|they|it|left|after|then|now|gave|gives?|all of|remaining)\b", re.IGNORECASE)
_INDEFINITE = re.compile(
    r"\b(on|for|at|in|from|into|to) an? "
    r"(?!(?:day|week|month|year|hour|minute|time|while|friend|pound|dozen|total|row)\b)"
)
_COMPARED = re.compile(r"\b(?:more|fewer|less|difference)\b")
_PLURALS = ("s", "people", "children", "fish", "men", "geese", "mice", "sheep", "deer")
_NOW = re.compile(
    r"\bNow,? (?P<who>he|she|they|we|you|I|[A-Z][a-z]{1,20}) (?:only )?(?:has|have) (?P<number>[\w,-]{1,30}) "
    r"(?P<noun>[a-z]{2,20}(?: of [a-z]{2,20}| [a-z]{2,20}s)?)(?:\.|\Z)"
)


def asked_of(problem: Problem) -> Iterator[tuple[str, Fraction]]:
    """The questions that a clause or a member of a list answers, each with the number that it tells."""
    told, listed = facts(problem.body), lists(problem.body)
    static = all(fact.verb in _HAVE for fact in told)
    for fact in told:
        others = [other for other in told if other is not fact]
        if _is_clear(fact, others, static, problem) and (question := _question(fact)):
            yield question, fact.value
    for one in listed:
        nouns = [item.noun for item in one.items]
        for item in one.items:
            others = [*told, *(other for list_ in listed if list_ is not one for other in list_.items)]
            apart = len(set(nouns)) == len(nouns) and not any(other.tail for other in one.items)
            if not one.who or not apart or _are_kinds(nouns):
                continue
            if _is_clear(item, others, False, problem) and (
                question := _question(item._replace(tail=one.tail))
            ):
                yield question, item.value
    yield from _of_now(problem)


def _are_kinds(nouns: Sequence[str]) -> bool:
    """Is one thing of a list a kind of another: "pens" and "red pens"?"""
    return any(
        one is not other and set(one.split()) <= set(other.split()) for one in nouns for other in nouns
    )


def _of_now(problem: Problem) -> Iterator[tuple[str, Fraction]]:
    """ "Now she has 16 cards" tells how many she has now."""
    found = _NOW.search(problem.body)
    value = numerals.parse(found["number"]) if found else None
    if found is None or value is None or not found["noun"].split(" of ")[0].endswith(_PLURALS):
        return
    ends = problem.body[found.end() :].strip()
    if not ends and _is_once(value, problem.body) and "now" not in problem.question.lower():
        do = "do" if found["who"].lower() in _MANY else "does"
        yield f"How many {found['noun']} {do} {found['who']} have now?", value


def _is_clear(fact: Fact, others: Sequence[Fact], static: bool, problem: Problem) -> bool:
    """Does the clause say all that the question needs, and no other clause the same?"""
    if (
        fact.who.split(" ")[0] in _NOBODY
        or fact.particle.endswith("ing")
        or (fact.when and not _WHEN.fullmatch(fact.when))
    ):
        return False
    if _has_double(fact, others, problem.body) or _is_cut(fact, problem.body):
        return False
    if not _is_once(fact.value, problem.body):
        return False
    if not fact.noun or fact.money:
        return _is_spent(fact)
    around = f"{fact.particle} {fact.tail}"
    sentence = sentences(problem.body)[fact.sentence]
    if _FOR_EACH.search(sentence) or _asks_the_same(problem.question, fact):
        return False
    read = f"{fact.noun}{'' if fact.who else f' {fact.verb}'}{fact.tail}"
    if read not in problem.body or (fact.tail and not _TAIL.match(fact.tail)):
        return False  # "5 pieces of her favourite bread": there is more between them than we read
    if (
        _OPEN.search(fact.particle)
        or _ODD.search(f"{fact.who} {around} {fact.when}")
        or (fact.particle.endswith(" for") and fact.noun not in _TIMES)
    ):
        return False
    if (
        {fact.plain, *fact.particle.split()} & _MODALS
        or fact.plain == "be"
        or (fact.plain == "sell" and fact.noun == "dollars")
        or fact.plain == "weigh"  # each, or all of them?
        or fact.noun == "lbs"
        or fact.noun.endswith("ones")
        or fact.verb == "left"  # went, or remained?
        or around.lstrip().startswith("of ")
        or (fact.plain in _WANTING and not fact.more)  # in all, or still?
        or (_ONE.match(fact.who) and re.search(rf"\b{re.escape(fact.who.split()[-1])}e?s\b", problem.text))
    ):
        return False
    if (
        fact.noun.split()[0] in ("times", "percent", "more", "fewer", "less")
        or "." in around
        or _OTHER_SUBJECT.search(around)
    ):
        return False
    apart = static and others and not _LATER.search(problem.body)
    if fact.verb in _HAVE and (not apart or fact.particle):
        return False  # how many there were at first is no longer so in the end
    return not (fact.who.lower() in _PRONOUNS and fact.verb in _HAVE)


def _asks_the_same(question: str, fact: Fact) -> bool:
    """Does the old question ask how many of the same the same one has done? The new one would seem to be it."""
    words = question.lower().split()
    return (
        not fact.when
        and not _COMPARED.search(question)
        and not re.search(rf"\b{re.escape(fact.who)} and\b|\band {re.escape(fact.who)}\b", question)
        and f" {fact.noun.split(' of ')[0]} " in question
        and fact.plain in [plain(word.strip("?,")) for word in words]
        and (fact.who.lower() in question.lower() or bool({"he", "she"} & set(words)))
    )


def _is_once(value: Fraction, body: str) -> bool:
    return [quantity.value for quantity in numerals.find(body)].count(value) == 1


def _has_double(fact: Fact, others: Sequence[Fact], body: str) -> bool:
    """May another clause say that the same one does the same, at no other time?"""
    same = [one for one in others if one.plain == fact.plain]
    apart = [
        one
        for one in same
        if (one.who.lower() != fact.who.lower() and _is_named(one.who) and _is_named(fact.who))
        or (fact.when and one.when and one.when != fact.when)
    ]
    done = [word for word in _WORDS.findall(body) if plain(word) == fact.plain]
    return len(apart) < len(same) or len(done) > 1 + len({(one.sentence, one.who) for one in apart})


def _is_named(who: str) -> bool:
    """Is it clear who that is, so that another name is somebody else?"""
    return bool(who) and who.lower() not in _PRONOUNS and not who.lower().startswith("our ")


def _is_spent(fact: Fact) -> bool:
    """ "She spent $6 on rides": can one ask how much that was?"""
    paid = fact.money and not fact.noun and fact.who and fact.plain in _PAYING
    return bool(paid and not fact.particle and re.match(r" (?:on|for|to) [a-z]", fact.tail))


def _is_cut(fact: Fact, body: str) -> bool:
    """Does the text go on where the fact ends: "for herself" and her friends?"""
    behind = body.partition(f"{fact.tail} and ")[2] if fact.tail else ""
    return behind.split(" ", 1)[0] in ("his", "her", "their", "my", "our")


def definite(text: str) -> str:
    """What has been told of once is known: " at a fair" -> " at the fair"."""
    return _INDEFINITE.sub(r"\1 the ", text)


def _question(fact: Fact) -> str | None:
    fact = fact._replace(tail=definite(fact.tail))
    when = f" {fact.when}" if fact.when else ""
    if fact.money:
        who = fact.who[0].lower() + fact.who[1:] if fact.who.split()[0] in _SMALL else fact.who
        return f"How much did {who} {fact.plain}{fact.tail}{when}?" if fact.past else None
    plural = fact.noun.split(" of ")[0].endswith(_PLURALS)
    if not plural or fact.tail.endswith(",") or (not fact.past and fact.plain not in PLAIN):
        return None
    if not fact.who:  # "28 geese flew away"
        return f"How many {fact.noun} {fact.verb}{fact.tail}{when}?"
    helper = "did" if fact.past else ("do" if fact.who.lower() in _MANY or " and " in fact.who else "does")
    who = fact.who[0].lower() + fact.who[1:] if fact.who.split()[0] in _SMALL else _ONE.sub("the ", fact.who)
    more = "more " if fact.plain in _WANTING else ""
    return f"How many {more}{fact.noun} {helper} {who} {fact.plain}{fact.particle}{fact.tail}{when}?"
