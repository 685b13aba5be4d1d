"""Questions for a sum or a difference: "How many more X than Y?", "How many years after X did Y?"."""

from __future__ import annotations

import re

from dnc_datasets.english.lexicon import (
    BE_FORMS,
    CALENDAR_UNITS,
    ELAPSING_WORDS,
    FINITE_AUXILIARIES,
    PLURAL_UNITS,
    PREPOSITIONS,
    QUANTITY_COMPARATIVES,
)
from dnc_datasets.qdmr.questions.words import MANY, noun_asked, noun_phrase, relative, statement, that

_THAN = re.compile(r",? (?:than|as compared to|compared to|compared with|in comparison to|versus|vs\.?) ")
_OVER = re.compile(r" over ")
_YEAR_AT_END = re.compile(r"\b(?:1[0-9]|20)\d\d\b")


def after(text: str) -> list[str] | None:
    """Match "How many years after X did Y" and "How many days before X was Y"."""
    found = MANY.search(text)
    words = text[found.end() :].split() if found else []
    if (
        len(words) < 4
        or words[0] not in CALENDAR_UNITS
        or words[1] not in ("after", "before", "since", "prior", "later")
    ):
        return None
    start = 3 if words[2] == "to" else 2
    at = next(
        (
            place
            for place in range(start + 1, len(words) - 1)
            if words[place] in FINITE_AUXILIARIES - {"are", "had", "has", "have"}
        ),
        None,
    )
    if at is None:
        return None
    one, two = " ".join(words[start:at]), statement(words[at:])
    unit = CALENDAR_UNITS[words[0]]
    order = "#1 and #2" if words[1] in ("before", "prior") else "#2 and #1"
    return [f"{unit} when {one}", f"{unit} when {two}", f"the difference of {order}"]


def between(text: str) -> list[str] | None:
    """Match "How many years were there between X and Y" and "How many years passed from X to Y"."""
    found = MANY.search(text)
    words = text[found.end() :].split() if found else []
    if len(words) < 4 or words[0] not in CALENDAR_UNITS:
        return None
    rest, unit = " ".join(words[1:]), CALENDAR_UNITS[words[0]]
    for opening, joint in (
        ("between ", " and "),
        ("from ", " to "),
        ("from ", " until "),
        ("since ", " to "),
        ("from ", " and "),
    ):
        before, found_at, following = rest.partition(opening)
        one, joined, two = following.partition(joint)
        verb = set(before.split()) & ELAPSING_WORDS
        if found_at and joined and one and two and verb and len(before.split()) < 7:
            one, two = one.removeprefix("when "), two.removeprefix("when ")
            return [f"{unit} when {one}", f"{unit} when {two}", "the difference of #2 and #1"]
    return None


def longer(text: str) -> list[str] | None:
    """Match "How many yards longer was X than Y" and "How many more points did X score than Y"."""
    found = MANY.search(text)
    if found is None:
        return None
    rest = text[found.end() :]
    words = rest.split()
    before = text[: found.start()].strip(" ,")
    more = words[0].lower() in ("more", "fewer", "less") if words else False
    longer = len(words) > 2 and words[0] in PLURAL_UNITS and words[1] in QUANTITY_COMPARATIVES
    if not more and not longer and not (words and "difference" in words[:4]):
        return None
    split = _THAN.search(rest) or (longer and _OVER.search(rest)) or None
    if "difference" in words[:4]:
        return _difference(rest)
    if not split:
        return None
    one, two = rest[: split.start()].split(), rest[split.end() :].split()
    if longer or (more and len(one) > 2 and one[1] in PLURAL_UNITS):
        unit, first = (words[0], one[2:]) if longer else (one[1], one[2:])
        if first and first[0] in BE_FORMS:
            first = first[1:]
        elif first and first[0] in FINITE_AUXILIARIES:
            first = ["that", *statement(first).split()]
            return [
                f"{unit} {' '.join(first)} {before}",
                f"{unit} {' '.join(_second(first, two))}",
                "the difference of #1 and #2",
            ]
        return [
            f"{unit} of {' '.join(first)} {before}",
            f"{unit} of {' '.join(_second(first, two))}",
            "the difference of #1 and #2",
        ]
    first = one[1:]
    noun, following = noun_phrase(first)
    asked, tail = noun_asked(two)
    if not following and tail:  # "how many more losses than wins did the Bills have"
        said = f"that {that(tail)}"
        return _counted(f"{' '.join(noun)} {said} {before}", f"{' '.join(asked)} {said} {before}")
    return _counted(
        f"{' '.join(relative(noun, following))} {before}",
        " ".join(relative(*noun_asked(_second(first, two)))),
    )


def _second(first: list[str], two: list[str]) -> list[str]:
    """Return the second thing, with a phrase that only the first one has: "... in 1525" and "1553"."""
    years = [place for place, word in enumerate(first) if _YEAR_AT_END.fullmatch(word)]
    if len(two) == 1 and _YEAR_AT_END.fullmatch(two[0]) and years:
        return [*first[: years[-1]], two[0], *first[years[-1] + 1 :]]
    if (
        two
        and two[0] in ("in", "at", "on")
        and (place := next((at for at, word in enumerate(first) if word in ("in", "at", "on")), None))
    ):
        return [*first[:place], *two]
    return two


def _difference(rest: str) -> list[str] | None:
    """Match "is the difference between X and Y"."""
    before, _, following = rest.partition("difference")
    following = following.strip()
    for opening in ("between ", "in ", "of ", ""):
        if following.startswith(opening):
            following = following.removeprefix(opening)
            break
    split = re.search(r" (?:and|compared to|versus|than) ", following)
    if not split:
        return None
    unit = before.split()[0] if before.split() and before.split()[0] in PLURAL_UNITS else ""
    of = f"{unit} of " if unit and unit not in following else ""
    return [
        f"{of}{following[: split.start()]}",
        f"{of}{following[split.end() :]}",
        "the difference of #1 and #2",
    ]


def asked_difference(text: str) -> list[str] | None:
    """Match "What is the difference between X and Y"."""
    low = text.lower()
    if (
        "difference" not in low
        or MANY.search(text)
        or not low.startswith(("what", "give", "find", "how much"))
    ):
        return None
    return _difference(text[low.index("difference") :])


def combined(text: str) -> list[str] | None:
    """Match "How many X and Y combined"."""
    found = MANY.search(text)
    if (
        found is None
        or not re.search(r"\b(?:combined|altogether|in total|total)\b", text)
        or " and " not in text[found.end() :]
    ):
        return None
    rest = re.sub(r",? ?\b(?:combined|altogether|in total|total)\b", "", text[found.end() :])
    noun, following = noun_asked(rest.split())
    joined = " ".join(noun)
    if " and " in joined:
        one, _, two = joined.partition(" and ")
        said = " ".join(relative([], following))
        return _counted(f"{one} {said}", f"{two} {said}", "sum")
    if following[:1] in (["did"], ["do"], ["does"]) and " and " in " ".join(following):
        one, _, two = " ".join(following[1:]).partition(" and ")
        at = next(
            (
                place
                for place, word in enumerate(two.split())
                if place and word.islower() and word not in PREPOSITIONS
            ),
            None,
        )
        if at:
            verb = " ".join(two.split()[at:])
            second = " ".join(two.split()[:at])
            if noun and noun[0] in PLURAL_UNITS:
                return [
                    f"{joined} that {one} did {verb}",
                    f"{joined} that {second} did {verb}",
                    "the sum of #1 and #2",
                ]
            return _counted(f"{joined} that {one} did {verb}", f"{joined} that {second} did {verb}", "sum")
    return None


def _counted(one: str, two: str, word: str = "difference") -> list[str]:
    return [one, two, "number of #1", "number of #2", f"the {word} of #3 and #4"]
