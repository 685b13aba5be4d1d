"""Names: the people of a problem get other first names; a control for memorised text."""

from __future__ import annotations

import re

from dnc_datasets.draws import Draw
from dnc_datasets.english.lexicon import (
    FEMALE_NAMES,
    MALE_NAMES,
    MONTHS_DAYS_HOLIDAYS,
    NAMES_THAT_ARE_WORDS,
    TITLES,
    UNISEX_NAMES,
)
from dnc_datasets.english.reading.sentences import is_too_long
from dnc_datasets.perturbations import Capability, perturbation
from dnc_datasets.problem import Problem

_CAPITAL = re.compile(r"\b[A-Z][A-Za-z]+\b")
_FEMALE_PRONOUN = re.compile(r"\b(?:she|her|hers|herself)\b", re.IGNORECASE)
_MALE_PRONOUN = re.compile(r"\b(?:he|his|him|himself)\b", re.IGNORECASE)
_TITLE = "|".join(re.escape(title) for title in TITLES)
_BEFORE = re.compile(
    rf"(?:\b(?:{_TITLE}|Dr|St|Sir|King|Queen|Lake|Mount|San|Port|Fort|Mom|Dad|the|The|a|an|An|A|named|called|Sister|"
    r"Brother|Captain|President|Lady|Saint|New|City of)\.? |\b[A-Z][A-Za-z]{0,20} |[\"“-])\Z"
)
_AFTER = re.compile(
    r"(?: [A-Z][A-Za-z]|-|'(?!s\b)|’(?!s\b)|\"| (?:County|Street|Avenue|Park|School|Lake|River|Island|Company|Inc|"
    r"brand|team|store|shop|Road|the)\b|'s [A-Z])"
)
# The answer depends on the spelling of a name.
_SPELLED = re.compile(
    r"\b(?:letters?|names?|initials?|spell\w{0,6}|alphabet\w{0,8}|vowels?|consonants?|syllables?)\b",
    re.IGNORECASE,
)
_STORED_TEXTS = ("solution", "step_questions")
_MIN_STEM = 3
# Names are exchanged in the text, in the unit, and in the notes that quote the text.
_FIELDS = ("body", "question", "unit")


@perturbation(
    "names",
    capability=Capability.OPERATION_REASONING,
    promises=("names_exchanged", "values_kept"),
    shapes=("word_problem",),
    languages=("en",),
    qualifies="a first name of known gender that is no word, place or title",
)
def exchange_names(problem: Problem, draw: Draw) -> Problem | None:
    """Amy gives Tom 3 pens. -> Claudia gives Peter 3 pens."""
    text = problem.text
    if is_too_long(text) or _SPELLED.search(text):
        return None
    present = dict.fromkeys(_CAPITAL.findall(text))
    old = [name for name in present if _is_certain(name, text, list(present))]
    if not old:
        return None
    new: dict[str, str] = {}
    for name in old:
        gender = FEMALE_NAMES if name in FEMALE_NAMES else MALE_NAMES
        new[name] = draw.choice(_choices(gender, text, set(new.values())))
    pattern = re.compile(rf"\b(?:{'|'.join(map(re.escape, new))})\b")

    def renamed(given: str) -> str:
        return pattern.sub(lambda match: new[match[0]], given)

    changes = {field: renamed(getattr(problem, field)) for field in _FIELDS}
    meta = tuple((key, renamed(value) if key in _STORED_TEXTS else value) for key, value in problem.meta)
    return problem.replace(**changes, meta=meta)


def _is_certain(name: str, text: str, present: list[str]) -> bool:
    """Return whether every occurrence of a name is a person of its gender."""
    if (name in FEMALE_NAMES) == (name in MALE_NAMES) or name in UNISEX_NAMES or name in NAMES_THAT_ARE_WORDS:
        return False
    if name in MONTHS_DAYS_HOLIDAYS or re.search(rf"\b{name.lower()}", text):
        return False
    if any(other != name and _shares_stem(other, name) for other in present):
        return False  # "Samuel", later "Sam"
    for match in re.finditer(rf"\b{name}\b", text):
        if _BEFORE.search(text[max(0, match.start() - 20) : match.start()]) or _AFTER.match(
            text, match.end()
        ):
            return False
    return _agrees(name, text)


def _shares_stem(one: str, other: str) -> bool:
    return one[:_MIN_STEM].lower() == other[:_MIN_STEM].lower()


def _agrees(name: str, text: str) -> bool:
    """Return whether the text has a pronoun of the name's gender, or none of the other gender."""
    own, other = _FEMALE_PRONOUN, _MALE_PRONOUN
    if name in MALE_NAMES:
        own, other = other, own
    return own.search(text) is not None or other.search(text) is None


def _choices(gender: frozenset[str], text: str, taken: set[str]) -> list[str]:
    """Return the names of this gender that neither the text nor an earlier choice resembles."""
    known = {*_CAPITAL.findall(text), *taken}
    other = MALE_NAMES if gender is FEMALE_NAMES else FEMALE_NAMES
    return sorted(
        name
        for name in gender - other - UNISEX_NAMES - NAMES_THAT_ARE_WORDS - MONTHS_DAYS_HOLIDAYS
        if not name.endswith("s")
        and name.lower() not in text.lower()
        and not any(_shares_stem(name, one) for one in known)
    )
