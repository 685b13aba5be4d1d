"""Questions for solution steps: the sentence of a step, rewritten as the question that it answers."""

from __future__ import annotations

import re
from typing import NamedTuple

from dnc_datasets.english.lexicon import (
    ADJUNCT_STARTERS,
    MONEY_VERBS,
    PLAIN_VERBS,
    SENTENCE_SUBJECTS,
    VERBS_OF_NO_STEP,
    is_past,
    is_plural,
    plain,
)
from dnc_datasets.english.reading.quantities import noun_end

_MAX_LINE = 300
_MARK = re.compile(r"<<[^<>]{1,200}=(?P<value>[^<>=]{1,40})>>")
# "48/2 = " before the mark; currency signs precede each number.
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
# A count at one time may differ at another time.
_PASSING = re.compile(
    r"\b(?:left|remaining|remain|remains|now|still|already|more|less|fewer|than|so|because|which|that|but)\b"
)


class StepQuestion(NamedTuple):
    """A question, and the value of the marked step that answers it."""

    question: str
    value: str


def step_question(line: str) -> StepQuestion | None:
    """Return the question that a line of a solution answers; None where the line cannot be parsed.

    >>> step_question("Natalia sold 48/2 = <<48/2=24>>24 clips in May.").question
    'How many clips did Natalia sell in May?'
    """
    marks = list(_MARK.finditer(line))
    if len(marks) != 1 or len(line) > _MAX_LINE:
        return None
    mark = marks[0]
    value = mark["value"].strip()
    before, after = line[: mark.start()], line[mark.end() :]
    if not after.startswith(value) or "." in after[len(value) :].rstrip(". "):
        return None
    after = after[len(value) :].rstrip(" .")
    if after[:1] not in ("", " "):
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
    question = _what(lead, after) or _there(lead, after) or _acted(lead, after, money)
    return StepQuestion(question, value) if question else None


def _what(lead: str, after: str) -> str | None:
    """Rewrite "The cost of the pens is 3*4 = 12 dollars" as "What is the cost of the pens?"."""
    if found := _FIND.fullmatch(lead):
        return None if _PASSING.search(found["what"]) else f"What is {found['what']}?"
    stated = _IS.fullmatch(lead)
    if (
        stated is None
        or not _QUANTITY.search(stated["what"])
        or len(after.split()) > 2
        or _PASSING.search(stated["what"])
        or _NOBODY.search(stated["what"])
    ):
        return None
    what = f"the{stated['what'][3:]}"
    head = re.split(r" (?:of|for|that|in|on|to|from|he|she|they|per) ", what)[0].split()[-1]
    if is_plural(head):
        return None
    be = {"equals": "is"}.get(stated["be"], stated["be"])
    if " " in be:
        return f"What {be.split()[0]} {what} be?"
    return f"What {be} {what}?"


def _there(lead: str, after: str) -> str | None:
    """Rewrite "There are 3*4 = 12 chairs in the room" as "How many chairs are there in the room?"."""
    stated = _THERE.fullmatch(lead)
    if stated is None or (split := _noun(after)) is None:
        return None
    noun, tail = split
    if tail and tail.split()[0] not in ADJUNCT_STARTERS:
        return None
    be = stated["be"]
    return f"How many {noun} {be} there{tail}?" if " " not in be else f"How many {noun} will there be{tail}?"


def _noun(after: str) -> tuple[str, str] | None:
    """Return the noun phrase after a number and the words after it; None where either is unclear."""
    end = noun_end(after, 0)
    noun, tail = after[:end].strip(), after[end:]
    if not noun or not is_plural(noun.split(" of ")[0]):
        return None
    return None if not _TAIL.fullmatch(tail) or _PASSING.search(f"{noun} {tail}") else (noun, tail)


def _acted(lead: str, after: str, money: bool) -> str | None:
    """Rewrite "Amy sold 48/2 = 24 clips in May" as "How many clips did Amy sell in May?"."""
    stated = _LEAD.fullmatch(lead)
    if (
        stated is None
        or stated["verb"] in VERBS_OF_NO_STEP
        or not _WHO.match(stated["who"])
        or _NOBODY.search(stated["who"])
    ):
        return None
    verb = plain(stated["verb"])
    if verb is None:
        return None
    who = (
        stated["who"]
        if stated["who"][0].isupper() and stated["who"].split()[0] not in SENTENCE_SUBJECTS
        else None
    )
    who = who or stated["who"][0].lower() + stated["who"][1:]
    if stated["helper"]:
        helper = stated["helper"].strip()
        if stated["verb"] not in PLAIN_VERBS:
            return None
    elif is_past(stated["verb"]) and not (stated["verb"] in PLAIN_VERBS and stated["verb"] != "cost"):
        helper = "did"
    elif stated["verb"] in PLAIN_VERBS:
        if not _SEVERAL.search(stated["who"]):
            return None
        helper = "do"
    else:
        helper = "does"
    if money:
        plainly = (
            verb in MONEY_VERBS
            and after.split()[:1] in ([], *([one] for one in ADJUNCT_STARTERS))
            and _TAIL.fullmatch(after)
            and not _PASSING.search(after)
        )
        return f"How much {helper} {who} {verb}{after}?" if plainly else None
    split = _noun(after)
    if split is None or split[1].startswith(" and "):
        return None
    return f"How many {split[0]} {helper} {who} {verb}{split[1]}?"
