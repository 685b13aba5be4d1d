"""Questions for a count or an amount, and for the subject of an action."""

from __future__ import annotations

import re

from dnc_datasets.english.lexicon import APPROXIMATORS, BE_FORMS, PLURAL_UNITS
from dnc_datasets.qdmr.questions.words import COMPARED, MANY, noun_asked, relative

_NOT_PERCENT = re.compile(
    r"how many (?:in )?percent(?: (?P<of>(?:of|from|in|among) [^?]{2,120}?))? "
    r"(?P<be>are|were|was|is|did|do|does|have|had)(?: not|n't) ",
    re.IGNORECASE,
)
_SCORED = re.compile(
    r"(?P<who>(?:[Ww]hich|[Ww]hat) [a-z]+|[Ww]ho) "
    r"(?P<verb>scored|caught|threw|kicked|made|had|got|completed|ran|granted|recorded|returned) (?P<what>[^?]{3,200})"
)
_EXTREME = re.compile(r"\b(longest|shortest)\b")


def not_percent(text: str) -> list[str] | None:
    """Match "How many in percent weren't German"."""
    found = _NOT_PERCENT.search(text)
    if found is None:
        return None
    rest, of = text[found.end() :], found["of"] or "of the population"
    be = "that did" if found["be"] in ("did", "do", "does") else f"that {found['be']}"
    return [f"percent {of} {be} {rest} {text[: found.start()].strip(' ,')}", "difference of 100 and #1"]


def how_many(text: str) -> list[str] | None:
    found = MANY.search(text)
    if found is None:
        return None
    before = text[: found.start()].strip(" ,").removesuffix(" for")
    before = "" if before.lower() in APPROXIMATORS else before
    words = re.sub(r"^(?:total|combined) ", "", text[found.end() :]).split()
    noun, after = noun_asked(words)
    if not noun:
        return None
    if noun[0] in PLURAL_UNITS:
        return _measured(noun, after, before)
    thing = " ".join(relative(noun, after) if after else _acting(noun))
    return [f"{thing} {before}", "number of #1"]


def _acting(words: list[str]) -> list[str]:
    """Add a relative pronoun: "players scored touchdowns" -> "players that scored touchdowns"."""
    for place, word in enumerate(words):
        if place and word.endswith("ed") and words[place - 1] not in ("the", "a"):
            return [*words[:place], "that", *words[place:]]
    return words


def _measured(noun: list[str], after: list[str], before: str) -> list[str] | None:
    unit = noun[0]
    if unit == "yards" and after[:1] == ["were"] and after[2:3] == ["on"]:
        return [f"yards of {' '.join(after[3:])} {before}", "sum of #1"]
    if after and after[0] in BE_FORMS and unit in ("yards", "yard"):
        what = " ".join(after[1:])
        if found := _EXTREME.search(what):
            rest = " ".join((what[: found.start()] + what[found.end() :]).split())
            return [f"yards of {rest.removeprefix('the ')} {before}", f"{found[1]} of #1"]
        return [f"yards of {what} {before}"]
    if unit == "percent":
        return [f"{' '.join(relative(noun, after))} {before}"]
    if unit in ("yards", "yard", "points") and after[:1] in (["did"], ["do"], ["does"]):
        return [f"{' '.join(relative(noun, after))} {before}", "sum of #1"]
    return [f"{' '.join(relative(noun, after))} {before}", "number of #1"]


def scored(text: str) -> list[str] | None:
    """Match "Which player kicked the last field goal"."""
    found = _SCORED.fullmatch(text)
    if found is None or " or " in text or COMPARED.match(found["what"]):
        return None
    words = found["who"].split()
    who = f"{words[1]} that" if len(words) > 1 else "who"
    return [found["what"].removeprefix("a ").removeprefix("an "), f"{who} {found['verb']} #1"]
