"""Pronouns of a text that moves before its context: replaced by names, or rejected if unclear."""

from __future__ import annotations

import re

from dnc_datasets.english.lexicon import GROUPS, MONTHS_DAYS_HOLIDAYS, PRONOUNS, is_verb
from dnc_datasets.english.reading.people import antecedent, people, possessive, role_of

_PRONOUN = re.compile(r"\b(?:" + "|".join(PRONOUNS) + r")\b", re.IGNORECASE)
# "it costs", "it takes": an expletive pronoun without an antecedent.
_EMPTY_IT = re.compile(r"\bit (?=(?:costs?|takes?|took|end up costing)\b)")
_UNCLEAR = re.compile(
    r"\b(?:it|its|this(?! (?:time|year|week|month|summer|morning|afternoon))|these|those|ones|one|"
    r"there(?! (?:be|is|are|was|were|in|on|at|left|now|total|altogether))|such|"
    r"that many|that(?= (?:altogether|in all|in total|total)\b)|the other|the others|another|the rest|the two|the three|both|the left|the same)\b",
    re.IGNORECASE,
)
_EXISTENTIAL = re.compile(
    r"\b(?:is|are|was|were|be|been|will|would) there\b|\bover there\b|\bthere (?:is|are|was|were|be|will)\b"
)


def named(text: str, context: str) -> tuple[str, dict[str, str]] | None:
    """Return the text with the first pronoun of each person replaced by its antecedent in the context.

    Also return a mapping from gender to the antecedent of each replaced pronoun. Return None where a pronoun
    or another word depends on the context and its antecedent is not certain.

    >>> named("How many pens does she have?", "Amy bought 3 pens.")
    ('How many pens does Amy have?', {'f': 'Amy'})
    """
    if _UNCLEAR.search(_EXISTENTIAL.sub("", _EMPTY_IT.sub("", text))):
        return None
    meant: dict[str, str] = {}
    parts: list[str] = []
    at = 0
    for match in _PRONOUN.finditer(text):
        gender = PRONOUNS[match[0].lower()][0]
        if gender in meant or names_gender(text[: match.start()], gender):
            continue
        if gender != "p" and _names_somebody(text[: match.start()]):
            return None  # "How much did Yola weigh if she": "she" may be Yola or a person of the context
        phrase = antecedent(gender, context)
        if phrase is None or phrase in text or phrase.split()[0] in PRONOUNS:
            return None
        if _OWNED.search(phrase) or text[match.end() : match.end() + 1] in ("'", "’"):
            return None  # "Ellen's doctor": "she" may be Ellen. A name cannot replace the "he" of "he'll".
        if gender == "p" and _leaves_out(phrase, context):
            return None
        if _spoken_of_before(gender, phrase, context):
            return None  # "He needs 9 eggs. His friend Andrew gave him 4.": he is not Andrew
        role = role_of(match[0].lower(), text[match.end() :])
        if gender == "p" and role == "possessive" and " and " not in phrase:
            return None  # "their" of a company may be anybody's
        meant[gender] = phrase
        before, end = text[at : match.start()], match.end()
        if role == "subject" and gender == "p" and _SINGULAR.fullmatch(phrase):
            before, end = _agreed(before, text, end)
        parts += (before, possessive(phrase) if role == "possessive" else phrase, text[match.end() : end])
        at = end
        if role == "subject" and end > match.end():
            parts[-1] = _ONE_DOES[parts[-1]]
    return "".join([*parts, text[at:]]), meant


_OWNED = re.compile(r"\b[A-Z][a-z]+['’]s? [a-z]")
_NAME_INSIDE = re.compile(r"(?<=[a-z] )[A-Z][a-z]+\b")


def _names_somebody(text: str) -> bool:
    """Return whether a capitalised word inside the text may be a name of unknown gender."""
    inside = _NAME_INSIDE.findall(text)
    return any(word not in MONTHS_DAYS_HOLIDAYS for word in inside)


# "they" of a shop: "do they have" becomes "does the shop have", "they have" "the shop has".
_SINGULAR = re.compile(rf"(?:a|an|the|his|her|their)(?: [a-z]+)* (?:{'|'.join(sorted(GROUPS))})")
_ONE_DOES = {" have": " has", " are": " is", " were": " was", " do": " does"}
_AUXILIARY = re.compile(
    r"\b(?:do|are|were|have|did|will|would|can|could|should|must|might)(?: (?:still|also|now))? $"
)


def _agreed(before: str, text: str, end: int) -> tuple[str, int]:
    """Return the text before "they" with a singular auxiliary, and the end of the verb that must agree."""
    aux = _AUXILIARY.search(before)
    if aux is None:
        verb = re.match(" (?:have|are|were|do)\\b", text[end:])
        return before, end + verb.end() if verb else end
    word = f" {aux[0].split()[0]}"
    return before[: aux.start()] + aux[0].replace(word[1:], _ONE_DOES.get(word, word)[1:], 1), end


# Any name inside a sentence, with the word after it.
_ACTING = re.compile(r"(?<=[a-z,] )([A-Z][a-z]+) ([a-z]+)")


def _leaves_out(pair: str, context: str) -> bool:
    """Return whether the context names other people: "Amy and Ben have 3 pens. Eve has 5"."""
    if " and " not in pair:
        return False
    acting = [match[1] for match in _ACTING.finditer(context) if is_verb(match[2])]
    named = [person.phrase for person in people(context) if person.kind in ("name", "titled")]
    return any(one not in pair for one in (*acting, *named))


_OPENING = re.compile(r"(?:While|After|Before|For|On|In|At|As|To) [^.?!]*")


def _spoken_of_before(gender: str, phrase: str, context: str) -> bool:
    """Return whether a pronoun of this gender precedes the first mention of the phrase."""
    at = context.lower().find(phrase.lower())
    earlier = context[:at] if at > 0 else ""
    if _OPENING.fullmatch(earlier):
        return False  # "While sorting her files, Bianca ..."
    return any(PRONOUNS[match[0].lower()][0] == gender for match in _PRONOUN.finditer(earlier))


def names_gender(text: str, gender: str) -> bool:
    """Return whether the text itself contains the antecedent of a later pronoun of this gender."""
    return antecedent(gender, text) is not None


def made_definite(clause: str, noun: str) -> str:
    """Return the clause with its first "a red hen" as "the red hen": the hen is already known."""
    return re.sub(rf"\b[Aa]n? (?=(?:[A-Za-z-]+ ){{0,2}}{re.escape(noun)}\b)", "the ", clause, count=1)
