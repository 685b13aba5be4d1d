"""Yes-or-no questions over passages: "How many years after X did Y?" -> "Did Y {} after X?", with a gap.

Questions over passages have forms of their own, with subjects and verbs that no list contains. A form is used
only if the position of the gap does not depend on the meaning of the words.
"""

from __future__ import annotations

import re

from dnc_datasets.english.lexicon import (
    ORDER_WORDS,
    PASSAGE_VERBS,
    PLURAL_UNITS,
    TIME_UNITS,
    is_past,
    is_plural,
)
from dnc_datasets.english.rewording import passage_amounts, passage_counts, passage_times
from dnc_datasets.english.rewording.gaps import GAP
from dnc_datasets.english.rewording.yes_no import Asked, with_gap

_MAX_QUESTION = 300
_MANY = re.compile(r"\b[Hh]ow many ")
# Words that exclude a form: another question, a choice, or an existing comparison.
_BAD = re.compile(
    r"[\"“”();:]|\b(?:what|which|who|whose|about|approximately|roughly|at least|at most|exactly|"
    r"less than|fewer than|more than|and how)\b|[?!].",
    re.IGNORECASE,
)
_PERCENT = re.compile(
    r"(?P<open>[A-Z][^?]{2,60}, h|H)ow many (?:in )?percent(?: (?P<of>(?:of|from|in|among|for) [^?,]{2,80}?))? "
    r"(?P<verb>are|were|was|is|do|did|does|had|have)(?P<no> not|n't)? (?P<what>[^?]{2,120})\?"
)
_PERCENT_DO = re.compile(
    r"How many percent (?P<of>of [^?,]{2,60}?s|of [^?,]{0,60}?people[^?,]{0,30}?) (?P<verb>[a-z]+) (?P<what>(?:in|at|on|with) [^?]{2,80})\?"
)
_TORN = re.compile(r"\b([a-z]+) \1\b")  # a word that is twice
_MEANWHILE = re.compile(
    r"\bthere [{][}] (?!(?:between|from|in|of|until|till|before|after|since|for|during|to|at|on|when|where|that|within)\b)\w"
)
_AND = re.compile(r"\band ([a-z]+)")
_HEAD = re.compile(r",? (?:of|longer|shorter|or|and|over|under|in|for|than|from|to|with|on|at|by)\b")
_BARE_PERCENT = re.compile(r"\bpercent\b")


def passage_gap(question: str) -> Asked | None:
    """Return the question with a gap for the number that it asks for; None where its form is not known.

    >>> passage_gap("How many years after the fall of Pegu did the king die?").question
    'Did the king die {} after the fall of Pegu?'
    """
    made = _read(question)
    if made is None or _TORN.search(question):
        return None
    if made.question.startswith("Did {}") and any(
        word.endswith("ed") or is_past(word) for word in _AND.findall(question)
    ):
        return None  # "How many worked on and published it": both verbs would have to change
    if made.noun in TIME_UNITS and _MEANWHILE.search(made.question):
        return None  # "How many years were there border clashes": "there were" refers to the clashes, not the years
    if made.word == "many" and not _is_plural(made.noun):
        return None  # "How many field longer than 30 yards": a word is missing
    return made


def _is_plural(noun: str) -> bool:
    """Return whether the counted noun is plural and occurs once."""
    head = _HEAD.split(noun, maxsplit=1)[0].split()
    return bool(head) and head[0] != "many" and (is_plural(head[-1].lower()) or head[-1].lower() == "percent")


def _read(question: str) -> Asked | None:
    text = " ".join(question.replace("’", "'").split())
    if not text.endswith("?") or len(text) > _MAX_QUESTION:
        return None
    if found := _PERCENT.fullmatch(text):
        return _percent(found)
    if (found := _PERCENT_DO.fullmatch(text)) and found["verb"] in PASSAGE_VERBS:
        return Asked(f"Do {GAP} {found['verb']} {found['what']}?", f"percent {found['of']}", "many")
    asked = _MANY.search(text)
    if asked is None or _BAD.search(text[asked.end() :]):
        return _general(text)
    before, words = text[: asked.start()], text[asked.end() : -1].split()
    for frame in _FRAMES:
        if made := frame(before, words):
            opened = (
                made.question
                if made.question[:1].isupper()
                else made.question[:1].upper() + made.question[1:]
            )
            return made._replace(question=opened)
    return _general(text)


def _general(text: str) -> Asked | None:
    """Return the gap of a word problem, if no ambiguous words follow the noun."""
    made = with_gap(text)
    if made is None or ORDER_WORDS & set(made.noun.split()):
        return None
    if re.match(r"Did [{][}] (?:have|had)\b", made.question) or re.match(
        r"Did [{][}] [a-z ]{1,30} have\b", made.question
    ):
        return None
    if _BARE_PERCENT.search(made.noun) and not made.noun.startswith("percent"):
        return None
    longer = (
        made.noun.split()[:1] in (["more"], ["fewer"])
        and made.noun.split()[1:2]
        and made.noun.split()[1] in PLURAL_UNITS - TIME_UNITS
    )
    if longer or " over " in made.question:
        return None
    return made._replace(question=made.question[:1].upper() + made.question[1:])


def _percent(found: re.Match[str]) -> Asked:
    """Rewrite "How many percent of X were Y" as "Were {} Y".

    "don't speak Y" becomes "Do {} not speak Y".
    """
    noun = f"percent {found['of'] or ''}".strip()
    negated = " not" if found["no"] else ""
    opened = found["open"][:-1]
    verb = found["verb"] if opened else found["verb"].capitalize()
    if found["verb"] in ("had", "have"):  # "Did more than 5 percent have ..."
        verb = "did" if found["verb"] == "had" else "do"
        return Asked(
            f"{opened}{verb if opened else verb.capitalize()} {GAP}{negated} have {found['what']}?",
            noun,
            "many",
        )
    return Asked(f"{opened}{verb} {GAP}{negated} {found['what']}?", noun, "many")


_FRAMES = (*passage_times.FRAMES, *passage_amounts.FRAMES, *passage_counts.FRAMES)
