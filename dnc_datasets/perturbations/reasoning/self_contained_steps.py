"""Tests whether a question for a step is self-contained without the problem's own question."""

from __future__ import annotations

import re
from fractions import Fraction
from itertools import pairwise

from dnc_datasets import numerals
from dnc_datasets.english.lexicon import (
    PLAIN_VERBS,
    PLURAL_UNIT,
    QUESTION_WORDS,
    STEP_QUESTION_WORDS,
    TIME_UNIT,
    is_past,
    plain,
)
from dnc_datasets.english.reading.sentences import sentences
from dnc_datasets.expression import Binary, Expr, Number
from dnc_datasets.problem import Problem

_WORD = re.compile(r"[a-z]+")
_NAME = re.compile(r"(?<= )[A-Z][a-z]+")
# "in cents": a unit of the old question must also be in the new one.
_IN_UNIT = re.compile(
    r"\bin (?:cents|dollars|inches|feet|yards|meters|centimeters|minutes|seconds|hours|days|weeks|pounds|ounces|"
    r"grams)\b"
)
_AWKWARD = re.compile(
    r"\b(?:do|does|did) (?:this|that|it|which)\b(?! take)|\bby [a-z]+ing\b|"
    r"\bnumber of [a-z ]{2,40} from the\b|"
    r"\b(?:for|of) the (?:liter|gallon|pound|kilogram|bottle|box|bag|pack|ticket) of\b"
)
_WHAT = re.compile(r"What (?:is|was) (?:the )?(?P<what>[a-z][a-z' -]{2,60})\?")
# Comparisons and shares do not state an amount directly.
_RELATIVE = re.compile(
    r"\b(?:more|fewer|less|than|times|twice|half|as|each|every|third|quarter|of (?:the|\d+))\b"
)
# The old question doubles a distance and the body does not.
_BACK = re.compile(r"\b(?:round[- ]trip|both ways|each way|and back|return)\b")
_FEWEST = 2
_HUNDRED = Fraction(100)
_HOW_MANY = re.compile(r"how many (?P<noun>[a-z]+(?: of [a-z]+| [a-z]+s)?)\b")
_ORDINALS = frozenset((Fraction(1), Fraction(2), Fraction(3)))  # "the first day"
_CARDINAL = re.compile(r"\b(?:two|three|2|3)\b")
_FOR_EACH = re.compile(r"\b(?:each|every|per|apiece)\b")
_ONE_OF = frozenset("one each every per".split())
# "What is the total for the two years?" is a title, not a natural question.
_TITLE = re.compile(
    r"\bthe total (?:for|in|on|is|was|from|after)\b|\btotal\b[^?]{0,80}\beach\b|\bratio\b|\bthe total\?|"
    r"\bthe difference in [a-z]+\?|\bthe (?:first|second|third|last)\?|\b[a-z]+s (?:earn|get)\b|"
    r"\btotal [a-z]+ of [a-z]+\?(?<!s\?)|\bthe [a-z]+s cost\?|\btotal money\b|\bamount of [a-z]+s\b|"
    # The value of a step seldom identifies one of several things, or the period.
    rf"\bper (?:{TIME_UNIT})\b|\bevery [a-z]+day\b|"
    rf"\Ahow many (?:{PLURAL_UNIT}) (?:do|does|did) (?:he|she|they) [a-z]+\?"
)
_PRONOUN = re.compile(r"\b(?:he|she|his|her|him|you|your|we|our)\b")
_SEVERAL = re.compile(r"\b(?:it|its|they|them|their|this|these|those)\b")
# With a discount or surcharge, there are two possible amounts.
_OFF = re.compile(
    r"\b(?:discount(?:ed)?|on sale|coupon|tax|tip|refund|rebate|interest|markup|inflation)s?\b|% off\b"
)
_PAID = re.compile(
    r"\b(?:cost|price|pay|paid|spend|spent|bill|discount|tax|tip|amount|worth|charge|earn|make|made)\b"
)
_OFF_OR_ON = re.compile(r"\b(?:before|after|without|with|original|regular|discounted|including|excluding)\b")
_DAY = r"(?:the |that |his |her )?(?:\w+day|first|second|third|last|weekend|weekdays|his|her)\b"
_TOTALS = (
    "number|cost|amount|time|distance|weight|length|profit|money|area|score|height|income|revenue|population"
)
_HELPER = r"\b(?:do|does|did|will|can|would)"
_UNSAID = re.compile(
    rf"\bprice\b|\btotal (?!{_TOTALS})|\bspend for\b|"
    rf"\b(?:earn|make|pay|cost|get|receive|give|collect)\b[a-z ]{{0,40}} on (?!{_DAY})|"
    rf"{_HELPER} each (?:of them )?[a-z]+(?: [a-z]+)?\?|{_HELPER} [a-z]+(?: [a-z]+){{0,3}} of [A-Za-z]+\?"
)
_PERIOD = re.compile(rf"\b(?:{TIME_UNIT}|morning|evening|night|\w+day|total|all|altogether)s?\b(?! do)")
_RATE = re.compile(r"\b(?:a|an|per|each|every) (?:hour|day|week|month|year)\b")
_JOINED = re.compile(r"\b(?:and|than|more|less|fewer|difference|together)\b")
_PASSING = re.compile(r"\b(?:left|remain(?:s|ing)?|now|still|already|so far)\b")
_AWAY = re.compile(r"\b(?:eat|take|use|lose|give|sell|spend|drink|remove|donate)\b")
_THERE = re.compile(r"\b(?:are|is) there\b")
_PAIR = re.compile(r"\bpairs?\b")
_HABIT = re.compile(r"\Ahow (?:many|much)\b[a-z ]{0,80} (?:do|does) ")
_PLACE = re.compile(r"\b(?P<at>in|on|at) (?P<what>(?:a|an|the|his|her|each|every) [a-z]+)\b")
_PRESENT = frozenset("is are has have".split())
# A condition of the old question must also be in the new one.
_SUPPOSED = re.compile(r"\b(?:if|assum|suppos|given that|provided)", re.IGNORECASE)


def is_self_contained(problem: Problem, question: str, part: Expr) -> bool:
    """Return whether the question asks for this step of the body and has no other possible answer."""
    stated = {quantity.value for quantity in numerals.find(problem.body)}
    asked = {quantity.value for quantity in numerals.find(question)}
    before = {quantity.value for quantity in numerals.find(problem.question)}
    if not asked <= stated | before | _ORDINALS or (
        _BACK.search(problem.question) and not _BACK.search(question)
    ):
        return False  # the value of another step, or a value that is no longer stated
    if any(numerals.parse(found[0]) not in stated | before for found in _CARDINAL.finditer(question)):
        return False
    if _SUPPOSED.search(problem.question) or len(_FOR_EACH.findall(question)) > 1:
        return False
    if not isinstance(part, Number) and not (
        _is_of_the_text(problem, question)
        and _is_one_thing(problem, question, part)
        and _is_english(problem, question)
    ):
        return False
    if _IN_UNIT.search(problem.question) and not _IN_UNIT.search(question):
        return False
    leaves = {leaf.number for leaf in part.leaves() if isinstance(leaf, Number)}
    if leaves & before - stated - asked:
        return False  # a number that only the old question gave
    if _AWKWARD.search(question.lower()):
        return False
    return not _is_stated(problem, question, part, leaves) and not _has_another_value(problem, question, part)


def _is_of_the_text(problem: Problem, question: str) -> bool:
    """Return whether the words of the question are words of the text, with nouns in the same number.

    A noun that only a solution uses ("the food", "the new carpet") may cover more or less than the nouns of
    the text.
    """
    text = problem.text.lower()
    said = set(_WORD.findall(text))
    verbs = {plain(word) for word in said} - {None}
    for before, word in pairwise(["", *_WORD.findall(question.lower())]):
        known = word in said or word in STEP_QUESTION_WORDS or plain(word) in verbs
        if not known and not (before in _ONE_OF and {f"{word}s", f"{word}es"} & said):
            return False
    return True


def _is_one_thing(problem: Problem, question: str, part: Expr) -> bool:
    """Return whether the question asks for one thing of the text, and for no other."""
    body, asks = problem.body.lower(), question.lower()
    if _SEVERAL.search(asks) and not all(
        found[0] in problem.question.lower() for found in _SEVERAL.finditer(asks)
    ):
        return False
    if any(not re.search(rf"\b{found[0]}\b", problem.text.lower()) for found in _PRONOUN.finditer(asks)):
        return False
    if _OFF.search(body) and _PAID.search(asks) and not _OFF_OR_ON.search(asks):
        return False
    if isinstance(part, Binary) and part.op == "-" and _AWAY.search(asks):
        return False  # the part taken or the rest
    if _RATE.search(body) and _HABIT.match(asks) and not _PERIOD.search(asks):
        return False  # the time per day or per week
    percent = any(isinstance(leaf, Number) and leaf.number == _HUNDRED for leaf in part.leaves())
    if percent and _FOR_EACH.search(asks):
        return False  # a rate before and after it changed
    if _PASSING.search(asks) or (_PASSING.search(problem.question.lower()) and _THERE.search(asks)):
        return False  # the value depends on the time
    return not _repeats_question(problem, question) and not _is_stated_of_others(problem, question, part)


def _repeats_question(problem: Problem, question: str) -> bool:
    """Return whether the question is the old one without its distinguishing words."""
    new, old = _contents(question), _contents(problem.question)
    if _PRONOUN.search(problem.question):
        new -= {
            _form(name.lower()) for name in re.findall(rf"{_HELPER} ([A-Z][a-z]+)", question)
        }  # he is Tom
    return new <= old and not _JOINED.search(problem.question)


def _is_stated_of_others(problem: Problem, question: str, part: Expr) -> bool:
    """Return whether a sentence states another number of the same things: "5 muffins", "How many muffins ...?"."""
    body, asks = problem.body.lower(), question.lower()
    counted = _HOW_MANY.match(asks)
    if counted is None:
        return False
    words = {
        _form(word)
        for word in _WORD.findall(asks)
        if word not in QUESTION_WORDS and not _PRONOUN.fullmatch(word)
    }
    known = {_form(word) for word in _WORD.findall(body)}
    for sentence in sentences(body):
        said = {_form(word) for word in _WORD.findall(sentence)}
        mentioned = re.findall(
            rf"(?<!of )(?<![\w,])[\w,]{{1,40}}(?= {re.escape(counted['noun'])}\b(?! (?:more|less|fewer)))",
            sentence,
        )
        others = {numerals.parse(one) for one in mentioned} - {None, part.value()}
        if others and not _FOR_EACH.search(sentence) and not (words - said) & known:
            return True
    return False


def _is_english(problem: Problem, question: str) -> bool:
    """Return whether the question agrees with the text in places and tense, and is a natural question."""
    text, asks = problem.text.lower(), question.lower()
    if _TITLE.search(asks) or _UNSAID.search(question) or not _is_paired(problem, question):
        return False
    if not set(_NAME.findall(question)) <= set(_NAME.findall(f" {problem.text}")):
        return False  # a word that was at the start of its sentence
    if _PAIR.search(text) and _HOW_MANY.match(asks) and not _PAIR.search(asks):
        return False  # pairs or single shoes
    for one in re.findall(r"\b(?:for|from) the (?:[a-z]+ ){0,2}([a-z]+)\?", asks):
        if f" {one}s" in text:
            return False  # the statement is about several, the question about one
    for place in _PLACE.finditer(asks):
        noun = place["what"].split()[-1]
        ways = set(re.findall(rf"\b(in|on|at) (?:[a-z']+ )?{re.escape(noun)}\b", text))
        if ways and place["at"] not in ways:
            return False
    words = _WORD.findall(problem.body.lower())
    helper = re.search(_HELPER, asks)
    if helper and any(verb in PLAIN_VERBS for verb in re.findall(r"\b([a-z]+) of\b", asks[helper.end() :])):
        return False  # "How many cows did he sell of the herd?"
    if re.search(r"\b(?:did|was|were)\b", asks):
        return any(is_past(word) and word not in PLAIN_VERBS for word in words)
    present = any(
        word in _PRESENT or (word.endswith("s") and plain(word) not in (None, word)) for word in words
    )
    return (
        present
        or not re.search(r"\b(?:do|does|is|are)\b", asks)
        or bool(re.search(r"\b(?:can|will)\b", text))
    )


def _is_paired(problem: Problem, question: str) -> bool:
    """Return whether adjacent words are adjacent in the text: no "square sail" of a rectangular one."""
    words = re.findall(r"[A-Za-z]+", question)
    text = " ".join(_WORD.findall(problem.text.lower()))
    verbs = question.lower().startswith("how")
    return all(
        f"{one} {other.lower()}" in text
        for one, other in pairwise(words[1:])
        if one.islower()
        and one not in STEP_QUESTION_WORDS
        and other.lower() not in STEP_QUESTION_WORDS
        and not (verbs and plain(other))
    )


def _is_stated(problem: Problem, question: str, part: Expr, leaves: set[Fraction]) -> bool:
    """Return whether the text states the answer: "The tax is 5%" answers "What is the tax?"."""
    body = problem.body.lower()
    if found := _WHAT.fullmatch(question):
        what = re.escape(found["what"])
        if re.search(rf"\b{what} (?:is|was|of|are|were|at) \$?\d", body):
            return True
    if isinstance(part, Number):
        return False
    verbs = [word for word in _WORD.findall(question.lower()) if word.endswith("ed") and is_past(word)]
    return any(
        re.search(rf"\b{verb} \$?{re.escape(quantity.text.lower())}", body)
        for verb in verbs
        for quantity in numerals.find(problem.body)
        if quantity.value in leaves
    )


def _has_another_value(problem: Problem, question: str, part: Expr) -> bool:
    """Return whether a clause contains all words of the question, with another number."""
    words = [_form(word) for word in _WORD.findall(question.lower()) if word not in QUESTION_WORDS]
    wanted = set(words)
    if len(wanted) < _FEWEST:
        return True  # "What was the cost?" is ambiguous
    for sentence in sentences(problem.body):
        for clause in re.split(r"[,;]| and | but | if ", sentence):
            said = {_form(word) for word in _WORD.findall(clause.lower())}
            values = [quantity.value for quantity in numerals.find(clause)]
            if _RELATIVE.search(clause):
                continue
            elided = set(words[1:])  # "and burns 2300 a day"
            same = wanted <= said or (len(elided) >= _FEWEST and elided <= said)
            if same and values and part.value() not in values:
                return True
    return False


def _contents(question: str) -> set[str]:
    words = _WORD.findall(question.lower())
    return {_form(word) for word in words if word not in QUESTION_WORDS and not _PRONOUN.fullmatch(word)}


def _form(word: str) -> str:
    known = plain(word) or word
    return known[:-1] if known.endswith("s") and len(known) > 3 else known
