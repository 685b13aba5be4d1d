"""Position of the number in the clause of a yes-or-no question: after its verb, before any phrase."""

from __future__ import annotations

import re
from collections.abc import Iterator

from dnc_datasets.english.lexicon import (
    DETERMINERS,
    DITRANSITIVE_VERBS,
    PARTICLES,
    PERIODS,
    PHRASE_STARTERS,
    QUESTION_ADVERBS,
    QUESTION_VERBS,
    STRANDED_PREPOSITIONS,
    SUBJECT_PRONOUNS,
    VERBS_WITH_INFINITIVE,
)

GAP = "{}"
DO = frozenset("do does did".split())
BE = frozenset("is are was were".split())
HAVE = frozenset("has have had".split())
_OBJECT = re.compile(
    r"(?:him|her|them|me|us|you|it|[A-Z][a-z]{1,20}|(?:his|her|their|the|each|every) [a-z]{1,20})(?= |\Z)"
)


def acted(words: list[str]) -> str | None:
    """Return the words with a gap after the main verb.

    If the gap cannot follow the first possible verb ("the toy train costs"), the next word is tried.
    """
    last = None
    for at in _verbs(words):
        if last is not None and at != last + 1:
            return None
        if (made := inserted(words, at)) is not None:
            return made
        last = at
    return None


def _verbs(words: list[str]) -> Iterator[int]:
    """Yield the places where the main verb may follow its subject."""
    for place, word in enumerate(words):
        if not place:
            continue
        before = words[place - 1]
        if word in QUESTION_ADVERBS and before.lower() not in DETERMINERS:
            continue
        one_word = place == 1 and (before.lower() in SUBJECT_PRONOUNS or before[:1].isupper())
        if (
            one_word
            and word.isalpha()
            and word.islower()
            and word not in ("and", "or", "of", "in")
            and not word.endswith(("ing", "ed", "s"))
        ):
            yield place
            continue
        the = before.lower() if place == 1 else before
        if word not in QUESTION_VERBS or the in DETERMINERS or before.endswith(("'s", "s'", "’s")):
            continue
        subject = words[:place]
        while subject and subject[-1] in QUESTION_ADVERBS:
            subject = subject[:-1]
        if subject and is_subject(subject):
            yield place


def is_subject(words: list[str]) -> bool:
    """Return whether the words are a subject: he; Amy; Amy and her friends; the two boys; Amy's brother."""
    if (
        not words
        or len(words) > 8
        or any(word.endswith(",") for word in words)
        or {"to", "if", "when"} & set(words)
    ):
        return False
    first = words[0]
    if first.lower() in SUBJECT_PRONOUNS:
        return words[1:] in ([], ["all"], ["each"], ["both"]) or (words[1] == "and" and is_subject(words[2:]))
    if words in (["this"], ["that"]):
        return True
    if first.lower() in DETERMINERS or first.isdigit():
        return 1 < len(words) <= 6 and not set(words) & (BE | HAVE | DO)
    return first[:1].isupper() and not set(words) & (BE | HAVE | DO)


def inserted(words: list[str], at: int) -> str | None:
    """Return the words with a gap after the verb at this place, or after its complement.

    Return None where something other than a phrase follows.
    """
    made = _behind(words, at)
    if made is None and words[at] == "need" and words[at + 1 : at + 2] == ["to"]:
        return " ".join([*words[: at + 1], GAP, *words[at + 1 :]])  # "need {} to wash them all"
    return made


def _is_done(words: list[str]) -> bool:
    """Return whether a verb of action follows "need to". "have to begin with" is an exception."""
    return bool(words) and words[0] in QUESTION_VERBS and words[0] not in ("begin", "start")


def _behind(words: list[str], at: int) -> str | None:
    """Return the words with a gap after the verb at this place; None unless exactly one gap fits."""
    at = _infinitive(words, at)
    if words[at] == "be" or (
        words[at] in VERBS_WITH_INFINITIVE - {"get", "have"} and words[at + 1 : at + 2] == ["to"]
    ):
        return None
    after = words[at + 1 :]
    if after[:2] == ["in", "together"]:
        return None  # "bring in together": the number would separate verb and particle
    if (
        after
        and after[-1] in STRANDED_PREPOSITIONS
        and after[-2:] not in (["begin", "with"], ["start", "with"])
    ):
        middle = after[:-1]
        if middle and (middle[0] in PHRASE_STARTERS or set(middle) & {"to", "if", "than"}):
            return None  # two gaps would fit
        return " ".join([*words, GAP])
    return _gap_before_phrase(words, _complement(words, at))


def _infinitive(words: list[str], at: int) -> int:
    """Return the place of the infinitive that carries the meaning: "wash" of "need to wash"."""
    while (
        words[at] in VERBS_WITH_INFINITIVE
        and words[at + 1 : at + 2] == ["to"]
        and _is_done(words[at + 2 : at + 3])
    ):
        at += 2
    if words[at].endswith("ing") and words[at + 1 : at + 2] == ["to"] and _is_done(words[at + 2 : at + 3]):
        at += 2
    return at


def _complement(words: list[str], at: int) -> int:
    """Return the place of the last word of the verb phrase: its particle or its indirect object."""
    after = words[at + 1 :]
    if after and after[0] in PARTICLES:
        return at + 1
    if words[at] == "end" and after[:2] == ["up", "with"]:
        return at + 2
    found = _OBJECT.match(" ".join(after)) if after and words[at] in DITRANSITIVE_VERBS else None
    if found is None:
        return at
    taken = len(found[0].split())
    owner = taken == 1 and after[0] == "her" and len(after) > 1 and after[1] not in PHRASE_STARTERS | {"to"}
    return at if owner else at + taken


def _gap_before_phrase(words: list[str], at: int) -> str | None:
    """Return the words with a gap after this place, if a phrase or nothing follows, otherwise None."""
    after = words[at + 1 :]
    if (
        len(after) > 1
        and after[0] in ("to", "for", "with", "by", "on")
        and after[1] in PHRASE_STARTERS - {"a", "each", "every", "using"}
    ):
        return " ".join([*words[: at + 2], GAP, *after[1:]])  # "listen to {} in two days"
    made = " ".join([*words[: at + 1], GAP, *after])
    # "have to begin with", "give to Tom", "take to finish"; "spend fixing it"
    if not after or after[0] == "to" or (words[at] in ("spend", "earn", "make") and after[0].endswith("ing")):
        return made
    period = bool(set(after[1:2]) & PERIODS)
    if after[0] not in PHRASE_STARTERS and not (after[0] == "that" and period):
        return None
    return None if after[0] == "a" and not period else made
