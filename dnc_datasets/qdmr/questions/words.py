"""Words of questions: the counted noun, the subject, and the question as a statement."""

from __future__ import annotations

import re

from dnc_datasets.english.lexicon import BE_FORMS, DETERMINERS_OF_NOUN, FINITE_AUXILIARIES, PREPOSITIONS

MANY = re.compile(r"\bhow many (?:in )?", re.IGNORECASE)
COMPARED = re.compile(
    r"\b(more|most|fewer|fewest|less|least|larger|largest|smaller|smallest|higher|highest|lower|lowest|longer|longest|"
    r"shorter|shortest|older|younger|greater|bigger|farther|better)\b",
    re.IGNORECASE,
)


def noun_phrase(words: list[str]) -> tuple[list[str], list[str]]:
    """Return the noun phrase at the start, and the words after it."""
    at = next(
        (place for place, word in enumerate(words) if word in PREPOSITIONS | FINITE_AUXILIARIES), len(words)
    )
    return words[:at], words[at:]


def noun_asked(words: list[str]) -> tuple[list[str], list[str]]:
    """Return the words before the first auxiliary, and the words from it on."""
    at = next((place for place, word in enumerate(words) if place and word in FINITE_AUXILIARIES), len(words))
    return words[:at], words[at:]


def relative(noun: list[str], after: list[str]) -> list[str]:
    """Return a noun with a relative clause: "clubs entered the Cup" -> "clubs that entered the Cup"."""
    if after[:2] in (["are", "there"], ["were", "there"], ["was", "there"], ["is", "there"]):
        return [*noun, *after[2:]]
    if after and after[0] in ("did", "do", "does"):
        return [*noun, "that", *that(after).split()]
    if after and after[0] in BE_FORMS | {"had", "has", "have"}:
        return [*noun, "that", *after]
    return [*noun, *after]


def that(words: list[str]) -> str:
    """Move an auxiliary after the subject: "did the Bills have" -> "the Bills did have"."""
    auxiliary, rest = words[0], words[1:]
    at = subject_end(rest)
    return " ".join((*rest[:at], auxiliary, *rest[at:]))


def statement(words: list[str]) -> str:
    """Return a question as a statement: "did Barrios die" -> "Barrios die"."""
    auxiliary, rest = words[0], words[1:]
    at = subject_end(rest)
    kept = "" if auxiliary in ("did", "do", "does") else auxiliary
    return " ".join(part for part in (*rest[:at], kept, *rest[at:]) if part)


def subject_end(words: list[str]) -> int:
    """Return the number of words of the subject: names, or a determiner and its noun phrase."""
    at = 0
    if words and words[0].lower() in ("he", "she", "they", "it"):
        return 1
    if words and words[0].lower() in DETERMINERS_OF_NOUN:
        at = 2
    while at < len(words) and (
        words[at][:1].isupper()
        or words[at] in ("and", "of", "the", "'s")
        or words[at - 1 : at] in (["of"], ["and"], ["the"])
        or words[at].endswith("'s")
    ):
        at += 1
    return min(max(at, 1), len(words))
