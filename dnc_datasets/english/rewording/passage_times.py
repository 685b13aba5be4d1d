"""Yes-or-no forms of questions for a time: "How many years after X did Y?" -> "Did Y {} after X?"."""

from __future__ import annotations

from dnc_datasets.english.lexicon import (
    BE_FORMS,
    CLAUSE_LINKS,
    DO_FORMS,
    PERIOD_LIMITS,
    PREPOSITIONS_BEFORE_PERIOD,
    STATE_VERBS,
    STRANDED_PREPOSITIONS,
    SUBORDINATORS,
    THIRD_PERSON_PRONOUNS,
    TIME_UNITS,
)
from dnc_datasets.english.rewording.gaps import GAP
from dnc_datasets.english.rewording.passage_counts import starts_subject
from dnc_datasets.english.rewording.yes_no import Asked

_PERSONS = frozenset(("he", "she", "they"))


def _after(before: str, words: list[str]) -> Asked | None:
    """Rewrite "years after X did Y" as "did Y {} after X"."""
    if before or len(words) < 5 or words[0] not in TIME_UNITS or words[1] not in ("after", "before"):
        return None
    did = [at for at, word in enumerate(words) if word == "did"]
    be = [at for at, word in enumerate(words) if word in ("was", "were")]
    if len(did) == 1:
        at = did[0]
    elif not did and len(be) == 1:
        at = be[0]
    else:
        return None  # the auxiliary of the question is ambiguous
    one, two = words[1:at], words[at + 1 :]
    if len(one) < 2 or len(two) < 2 or not (starts_subject(two)):
        return None
    if {"after", "before", "until", "when"} & set(two) or two[-1] in STRANDED_PREPOSITIONS:
        return None
    if {"them", "him", "it", "those"} & set(two[1:]):
        return None
    if two[0].lower() in THIRD_PERSON_PRONOUNS and any(word[:1].isupper() for word in one):
        # "Did they march 3 months after Henry and Charles met?": the pronoun would precede its antecedent.
        if words[1] != "after" or two[0].lower() not in _PERSONS:
            return None
        return Asked(f"After {' '.join(one[1:])}, {words[at]} {' '.join(two)} {GAP} later?", words[0], "many")
    return Asked(f"{words[at]} {' '.join(two)} {GAP} {' '.join(one)}?", words[0], "many")


def _trailing(before: str, words: list[str]) -> Asked | None:
    """Rewrite "For how many years did X own Y" as "did X own Y for {}"."""
    opening = before.strip().lower()
    if opening not in PREPOSITIONS_BEFORE_PERIOD:
        return None
    at = next((at for at, word in enumerate(words) if word in DO_FORMS | BE_FORMS), None)
    if (
        not at
        or at > 4
        or len(words) < at + 3
        or words[-1] in STRANDED_PREPOSITIONS
        or not starts_subject(words[at + 1 :])
    ):
        return None
    if {"if", "when", "after", "before", "until"} & set(words):
        return None
    return Asked(f"{words[at]} {' '.join(words[at + 1 :])} {opening} {GAP}?", " ".join(words[:at]), "many")


def _times(before: str, words: list[str]) -> Asked | None:
    """Rewrite "times was Korea attacked" as "was Korea attacked {}"."""
    if (
        before
        or words[0] != "times"
        or len(words) < 4
        or words[1] not in DO_FORMS | BE_FORMS
        or words[-1] in STRANDED_PREPOSITIONS
    ):
        return None
    rest = words[2:]
    if not starts_subject(rest) or set(rest) & CLAUSE_LINKS:
        return None
    return Asked(f"{words[1]} {' '.join(rest)} {GAP}?", "times", "many")


def _take(before: str, words: list[str]) -> Asked | None:
    """Rewrite "days did it take X to do Y" as "did it take X {} to do Y"."""
    if before or words[0] not in TIME_UNITS or words[1:4] != ["did", "it", "take"]:
        return None
    rest = words[4:]
    at = next((at for at, word in enumerate(rest) if word in ("to", "for", "after")), None)
    if at is None or rest[at] != "to" or set(rest[:at]) & {"of", "and"}:
        return None
    return Asked(" ".join(["did it take", *rest[:at], GAP, *rest[at:]]) + "?", words[0], "many")


def _passed(before: str, words: list[str]) -> Asked | None:
    """Rewrite "years passed since X to when Y" as "did {} pass since X to when Y"."""
    if before or words[0] not in TIME_UNITS or len(words) < 5:
        return None
    if words[1] in ("have", "had", "has") and words[2] in ("passed", "elapsed"):
        return Asked(f"{words[1]} {GAP} {' '.join(words[2:])}?", words[0], "many")
    if words[1] not in ("passed", "elapsed"):
        return None
    if words[2] not in PERIOD_LIMITS:
        return None
    verb = "pass" if words[1] == "passed" else "elapse"
    return Asked(f"did {GAP} {verb} {' '.join(words[2:])}?", words[0], "many")


def _old(before: str, words: list[str]) -> Asked | None:
    """Rewrite "years old was Louis when he died" as "was Louis {} old when he died"."""
    if before or words[:2] != ["years", "old"] or words[2:3] not in (["was"], ["is"]):
        return None
    at = next(
        (at for at, word in enumerate(words) if at > 3 and word in ("when", "at", "in", "by")), len(words)
    )
    if at > 8 or not (words[3][:1].isupper() or words[3] in ("the", "he", "she")):
        return None
    return Asked(" ".join([words[2], *words[3:at], GAP, "old", *words[at:]]) + "?", "years", "many")


def _used(before: str, words: list[str]) -> Asked | None:
    """Rewrite "years was the castle used as collateral" as "was the castle used as collateral for {}"."""
    if (
        before
        or words[0] not in TIME_UNITS
        or len(words) < 5
        or words[1] not in ("was", "were")
        or words[-1] in STRANDED_PREPOSITIONS
    ):
        return None
    rest = words[2:]
    done = [at for at, word in enumerate(rest) if word.endswith("ed") and word not in ("United", "Allied")]
    apart = SUBORDINATORS | PERIOD_LIMITS | {"by", "there", "for", "counting"}
    if len(done) != 1 or not done[0] or not starts_subject(rest) or set(rest) & apart:
        return None
    return Asked(f"{words[1]} {' '.join(rest)} for {GAP}?", words[0], "many")


def _lasting(before: str, words: list[str]) -> Asked | None:
    """Rewrite "years did Edward stay in Sicily" as "did Edward stay in Sicily for {}"."""
    if (
        before
        or words[0] not in TIME_UNITS
        or len(words) < 4
        or words[1] not in DO_FORMS
        or words[-1] in STRANDED_PREPOSITIONS
    ):
        return None
    rest = words[2:]
    verbs = [word for word in rest[1:] if word in STATE_VERBS]
    if len(verbs) != 1 or not starts_subject(rest) or set(rest) & (SUBORDINATORS | {"for"}):
        return None
    return Asked(f"{words[1]} {' '.join(rest)} for {GAP}?", words[0], "many")


FRAMES = (_after, _trailing, _times, _take, _passed, _old, _used, _lasting)
