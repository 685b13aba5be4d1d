"""People: the persons of a text, and the unambiguous antecedents of "he", "she" and "they"."""

from __future__ import annotations

import re
from typing import NamedTuple

from dnc_datasets.english.lexicon import (
    AFTER_OBJECT_HER,
    FEMALE_KIN,
    FEMALE_NAMES,
    GROUPS,
    MALE_KIN,
    MALE_NAMES,
    MONTHS_DAYS_HOLIDAYS,
    PRONOUNS,
    ROLES,
    SENTENCE_OPENERS,
    TITLES,
    UNISEX_NAMES,
    is_first_name,
    is_verb,
)
from dnc_datasets.english.reading.sentences import sentences
from dnc_datasets.memoization import memoized

SUBJECT_PRONOUN = {"m": "he", "f": "she", "p": "they"}
_TITLE = "|".join(re.escape(title) for title in sorted(TITLES, key=len, reverse=True))
KIN = "|".join(sorted(FEMALE_KIN | MALE_KIN | ROLES, key=len, reverse=True))
_GROUP = "|".join(sorted(GROUPS, key=len, reverse=True))
_CAPITAL = r"[A-Z][a-z]+(?:-[A-Z][a-z]+)?"
_PERSON = re.compile(
    rf"\b(?P<titled>(?:{_TITLE}) {_CAPITAL})"
    rf"|\b(?P<owned>(?:(?:{_CAPITAL})['’]s?|[Hh]is|[Hh]er|[Tt]heir|[Mm]y|[Oo]ur|[Yy]our)(?: [a-z]+)? "
    rf"(?:{KIN})\b)"
    rf"|\b(?P<role>(?:[Aa]n?|[Tt]he)(?: [a-z]+){{0,2}} (?:{KIN})\b)"
    rf"|\b(?P<name>{_CAPITAL}|J\.T\.)"
)
_GROUP_PHRASE = re.compile(
    r"(?:^|[.,;] |\b(?:[Ii]f|when|and|but) )"
    rf"(?P<group>(?:[Aa]n?|[Tt]he|[Hh]is|[Hh]er|[Tt]heir)(?: [a-z]+){{0,3}} (?:{_GROUP}))\b(?!')"
)
_PAIR = re.compile(
    rf"\b(?P<first>(?:(?:{_TITLE}) )?{_CAPITAL})(?P<more>(?:, {_CAPITAL}){{0,9}}),? and "
    rf"(?P<second>(?:his|her) (?:[a-z]+ )?(?:{KIN})s?|(?:(?:{_TITLE}) )?{_CAPITAL})\b(?!')"
)
# "8 friends were": others that "they" may mean.
_PLURAL = re.compile(
    r"\b(friends|people|students|kids|children|boys|girls|workers|members|players|teams|classes|families|"
    r"parents|brothers|sisters|cousins|passengers|customers|guests|teachers|men|women|soldiers|groups|"
    r"neighbors) ([a-z]+)"
)
_ADVERB = re.compile(
    r"\s+(?:also|then|already|just|only|still|now|usually|always|both|each|all|never|finally)\b"
)
_NEXT_WORD = re.compile(r"\s+([a-z']+)")


class Person(NamedTuple):
    """A possible antecedent: its first mention, its gender ("" if unknown), and whether it is a subject."""

    phrase: str
    gender: str
    subject: bool
    kind: str


@memoized
def people(text: str) -> list[Person]:
    """Return the single persons that a text names, in order of first mention."""
    found: dict[str, Person] = {}
    for sentence in sentences(text):
        for match in _PERSON.finditer(sentence):
            kind = match.lastgroup or ""
            phrase = match[0]
            gender = _gender(kind, phrase, sentence, match)
            if gender is None:
                continue
            subject = _is_subject(sentence, match.end())
            key = phrase if kind in ("titled", "name") else phrase.split()[-1]
            if key in found:
                known = found[key]
                found[key] = known._replace(subject=known.subject or subject, gender=known.gender or gender)
            else:
                found[key] = Person(phrase, gender, subject, kind)
    return list(found.values())


def _gender(kind: str, phrase: str, sentence: str, match: re.Match[str]) -> str | None:
    """Return m or f, "" where it can be either, or None where the match is no person."""
    if kind == "titled":
        return TITLES[phrase.split()[0]]
    if kind in ("owned", "role"):
        noun = phrase.split()[-1]
        return "f" if noun in FEMALE_KIN else "m" if noun in MALE_KIN else ""
    if phrase in MONTHS_DAYS_HOLIDAYS:
        return None
    if phrase in FEMALE_NAMES:
        return "f" if phrase not in MALE_NAMES else ""
    if phrase in MALE_NAMES:
        return "m"
    if phrase in UNISEX_NAMES or phrase == "J.T.":
        return ""
    if match.start() == 0 and phrase.lower() not in SENTENCE_OPENERS and _is_subject(sentence, match.end()):
        return ""
    return None


def _is_subject(sentence: str, end: int) -> bool:
    """Return whether a verb follows, as after a subject."""
    rest = sentence[end:]
    if skipped := _ADVERB.match(rest):
        rest = rest[skipped.end() :]
    following = _NEXT_WORD.match(rest)
    return following is not None and is_verb(following[1])


@memoized
def groups(text: str) -> list[str]:
    """Return the possible antecedents of "they" in order: pairs of people, and shops, teams and classes."""
    found: dict[str, None] = {}
    for match in _PLURAL.finditer(text):
        if is_verb(match[2]):
            found[f"the {match[1]}"] = None
    for match in _PAIR.finditer(text):
        if _known(match["first"]) and (_known(match["second"])):
            found[match[0]] = None
    for match in _GROUP_PHRASE.finditer(text):
        if _is_subject(text, match.end()):
            found[match["group"]] = None
    return list(found)


def _known(phrase: str) -> bool:
    name = phrase.split()[-1]
    return " " in phrase or is_first_name(name)


@memoized
def antecedent(gender: str, text: str) -> str | None:
    """Return the only antecedent in the text of a pronoun of a gender (m or f) or of "they" (p).

    The phrase is as in the text, with a lower-case article. The antecedent is the only candidate, or the only
    candidate that is a subject. Return None where there is no such candidate.

    >>> antecedent("f", "Amy gave 3 pens to Tom."), antecedent("m", "Tom ran. Ben ran.")
    ('Amy', None)
    """
    if gender == "p":
        choices = groups(text) or _two_people(text)
        return _inside(choices[0]) if len(choices) == 1 else None
    fitting = [person for person in people(text) if person.gender in (gender, "")]
    subjects = [person for person in fitting if person.subject]
    for chosen in (fitting, subjects):
        if len(chosen) == 1:
            return _inside(chosen[0].phrase)
    return None


def _two_people(text: str) -> list[str]:
    """Return "Amy and Tom" or "Amy and her brother" where exactly two people act and nobody else is named."""
    named = people(text)
    if (
        len(named) != 2
        or not all(person.subject for person in named)
        or named[0].kind not in ("name", "titled")
    ):
        return []
    second = _inside(named[1].phrase)
    if named[1].kind in ("name", "titled") or second.startswith(("his ", "her ")):
        return [f"{named[0].phrase} and {second}"]
    return []


def _inside(phrase: str) -> str:
    # "A clown" -> "a clown", but "Grandma" is a name.
    first = phrase.split()[0]
    small = first.lower() in SENTENCE_OPENERS and first != phrase
    return phrase[0].lower() + phrase[1:] if small else phrase


def role_of(pronoun: str, following: str) -> str:
    """Return the role of a pronoun: subject, object or possessive.

    `following` is the text after the pronoun.
    """
    role = PRONOUNS[pronoun][1]
    if role != "her":
        return role
    word = re.match(r"\s+([a-z-]+)", following)
    return "object" if word is None or word[1] in AFTER_OBJECT_HER else "possessive"


def possessive(phrase: str) -> str:
    """Return the possessive: "Amy" -> "Amy's", "the boys" -> "the boys'"."""
    plural = phrase.endswith("s") and phrase.split()[0] in ("the", "some")
    return phrase + ("'" if plural else "'s")
