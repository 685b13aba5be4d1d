"""Told steps: the sentence in which a solution tells a step, turned into the question that the step answers."""

from __future__ import annotations

import re
from typing import NamedTuple

from dnc_datasets.english.reading.quantities import noun_end
from dnc_datasets.english.reading.verbs import PLAIN, is_past, plain

_MAX_LINE = 300
_MARK = re.compile(r"<<[^<>]{1,200}=(?P<value>[^<>=]{1,40})>>")
# "48/2 = " before the mark; the signs of money stand before each number.
_CALCULATION = re.compile(r"(?:\A|(?<= ))\$?\(?[\d.][\d.,$()+*/x×% =a-z-]{0,100}\Z")
_NO_CALCULATION = re.compile(
    r"\b(?:because|so|if|when|and|for|from|that|which|is|are|was|were|then|than|at|in|on|to|but|as)\b"
)
_FIND = re.compile(
    r"(?:[A-Z][a-z]{2,8},? )?(?:[Ff]ind|[Cc]alculate|[Ff]igure out|[Dd]etermine) (?P<what>the (?:total |combined |new )?"
    r"(?:number|cost|price|amount|weight|distance|length|area|profit|time|sum|value)\b[A-Za-z' -]{0,80}): \Z"
)
_QUANTITY = re.compile(
    r"\b(?:number|cost|price|amount|weight|distance|length|width|height|area|volume|profit|time|sum|value|total|discount|"
    r"age|speed|perimeter|salary|income|revenue|score|difference|average|tax|fee|bill|rate|payment|balance|tip)\b"
)
_BESIDE = frozenset("in on at for from by each every per during after before to with a altogether".split())
_NOBODY = re.compile(r"\b(?:he|she|they|also|then|who|that)\Z|\b(?:is|are|was|were)\b|\bnumber (?!of\b)")
_SINCE = re.compile(r"\A(?:Since|Because|As) ")
_THERE = re.compile(r"There (?P<be>are|were|will be) (?:a total of )?\Z")
_OPENER = re.compile(
    r"\A(?:So|Then|Thus|Therefore|Hence|Next|First|Now|Second|Finally|Also|That means|This means|Meanwhile|And),? (?:that )?"
)
_LEAD = re.compile(
    r"(?P<who>[A-Za-z][A-Za-z'. ]{0,40}?) (?P<helper>(?:will|can|could) )?(?P<verb>[a-z]{2,14})(?: a total of| in total)? \Z"
)
_IS = re.compile(
    r"(?P<what>[Tt]he [A-Za-z'$ -]{3,90}?) (?P<be>is|was|will be|would be|equals)(?: equal to)? \Z"
)
_WHO = re.compile(
    r"(?:He|She|They|It|[A-Z][a-z]{1,15}(?:'s [a-z]{2,15})?|(?:The|His|Her|Their|Each|Every) [a-z]{2,15}(?: [a-z]{2,15})?)\Z"
)
_SEVERAL = re.compile(r"\A(?:They|We|You)\Z|(?<!s)s\Z")
_TAIL = re.compile(r"[A-Za-z' -]{0,60}\Z")
# What there is at one time may be another number at another time.
_PASSING = re.compile(
    r"\b(?:left|remaining|remain|remains|now|still|already|more|less|fewer|than|so|because|which|that|but)\b"
)
_NO_VERB = frozenset(
    "have had has is are was were be need needs needed be been do does did can would".split()
)


# What one does with an amount of money: "buy on gold" is said by nobody.
_MONEY = frozenset(
    """spend pay earn make save owe raise receive donate collect charge cost lose give invest deposit withdraw lend borrow
    bring get gain contribute win""".split()
)


class Told(NamedTuple):
    """A question, and the value that the marked step gives as its answer."""

    question: str
    value: str


def asked(line: str) -> Told | None:
    """The question that a line of a solution answers; None where the line cannot be read.

    >>> asked("Natalia sold 48/2 = <<48/2=24>>24 clips in May.").question
    'How many clips did Natalia sell in May?'
    """
    marks = list(_MARK.finditer(line))
    if len(marks) != 1 or len(line) > _MAX_LINE:
        return None
    mark = marks[0]
    value = mark["value"].strip()
    before, behind = line[: mark.start()], line[mark.end() :]
    if not behind.startswith(value) or "." in behind[len(value) :].rstrip(". "):
        return None
    behind = behind[len(value) :].rstrip(" .")
    if behind[:1] not in ("", " "):
        return None
    found = _CALCULATION.search(before)
    if found is None or "=" not in found[0] or _NO_CALCULATION.search(found[0]):
        return None
    lead = before[: found.start()]
    if _SINCE.match(lead):
        lead = lead.rpartition(", ")[2]
    lead = _OPENER.sub("", lead)
    lead = lead[:1].upper() + lead[1:]
    money = "$" in found[0]
    question = _what(lead, behind) or _there(lead, behind) or _acted(lead, behind, money)
    return Told(question, value) if question else None


def _what(lead: str, behind: str) -> str | None:
    """ "The cost of the pens is 3*4 = 12 dollars" -> "What is the cost of the pens?"."""
    if found := _FIND.fullmatch(lead):
        return None if _PASSING.search(found["what"]) else f"What is {found['what']}?"
    told = _IS.fullmatch(lead)
    if (
        told is None
        or not _QUANTITY.search(told["what"])
        or len(behind.split()) > 2
        or _PASSING.search(told["what"])
        or _NOBODY.search(told["what"])
    ):
        return None
    what = f"the{told['what'][3:]}"
    head = re.split(r" (?:of|for|that|in|on|to|from|he|she|they|per) ", what)[0].split()[-1]
    if head.endswith("s") and not head.endswith("ss"):
        return None
    be = {"equals": "is"}.get(told["be"], told["be"])
    if " " in be:
        return f"What {be.split()[0]} {what} be?"
    return f"What {be} {what}?"


def _there(lead: str, behind: str) -> str | None:
    """ "There are 3*4 = 12 chairs in the room" -> "How many chairs are there in the room?"."""
    told = _THERE.fullmatch(lead)
    if told is None or (split := _noun(behind)) is None:
        return None
    noun, tail = split
    if tail and tail.split()[0] not in _BESIDE:
        return None
    be = told["be"]
    return f"How many {noun} {be} there{tail}?" if " " not in be else f"How many {noun} will there be{tail}?"


def _noun(behind: str) -> tuple[str, str] | None:
    """The noun phrase behind a number and what follows it; None where either is not plain."""
    end = noun_end(behind, 0)
    noun, tail = behind[:end].strip(), behind[end:]
    if not noun or not noun.split(" of ")[0].endswith(("s", "people", "children", "men", "feet")):
        return None
    return None if not _TAIL.fullmatch(tail) or _PASSING.search(f"{noun} {tail}") else (noun, tail)


def _acted(lead: str, behind: str, money: bool) -> str | None:
    """ "Amy sold 48/2 = 24 clips in May" -> "How many clips did Amy sell in May?"."""
    told = _LEAD.fullmatch(lead)
    if told is None or told["verb"] in _NO_VERB or not _WHO.match(told["who"]) or _NOBODY.search(told["who"]):
        return None
    verb = plain(told["verb"])
    if verb is None:
        return None
    who = told["who"] if told["who"][0].isupper() and told["who"].split()[0] not in _SMALL else None
    who = who or told["who"][0].lower() + told["who"][1:]
    if told["helper"]:
        helper = told["helper"].strip()
        if told["verb"] not in PLAIN:
            return None
    elif is_past(told["verb"]) and not (told["verb"] in PLAIN and told["verb"] != "cost"):
        helper = "did"
    elif told["verb"] in PLAIN:
        if not _SEVERAL.search(told["who"]):
            return None
        helper = "do"
    else:
        helper = "does"
    if money:
        plainly = (
            verb in _MONEY
            and behind.split()[:1] in ([], *([one] for one in _BESIDE))
            and _TAIL.fullmatch(behind)
            and not _PASSING.search(behind)
        )
        return f"How much {helper} {who} {verb}{behind}?" if plainly else None
    split = _noun(behind)
    if split is None or split[1].startswith(" and "):
        return None
    return f"How many {split[0]} {helper} {who} {verb}{split[1]}?"


_SMALL = frozenset("He She They It The His Her Their Each Every You We".split())
