"""Yes-or-no forms of questions for an amount: "How many yards longer was X?" -> "Was X {} longer?"."""

from __future__ import annotations

import re

from dnc_datasets.english.lexicon import (
    BE_FORMS,
    COMPARATIVES,
    DO_FORMS,
    PLURAL_UNITS,
    STRANDED_PREPOSITIONS,
    SUBORDINATORS,
    TIME_UNITS,
    is_past,
)
from dnc_datasets.english.rewording.gaps import GAP
from dnc_datasets.english.rewording.passage_counts import starts_subject
from dnc_datasets.english.rewording.yes_no import Asked

_THAN = re.compile(
    r" (?:than|compared to|compared with|versus) | over (?=his\b|her\b|their\b|its\b|the\b|[A-Z])"
)


def _longer(before: str, words: list[str]) -> Asked | None:
    """Rewrite "yards longer was X than Y" as "was X {} longer than Y"."""
    if (
        before
        or len(words) < 6
        or words[0] not in PLURAL_UNITS
        or words[1] not in COMPARATIVES
        or words[2] not in BE_FORMS
    ):
        return None
    rest = " ".join(words[3:])
    split = list(_THAN.finditer(rest))
    if len(split) != 1:
        return None
    one, two = rest[: split[0].start()], rest[split[0].end() :]
    if not one or not two or set(f"{one} {two}".split()) & (DO_FORMS | BE_FORMS):
        return None
    return Asked(f"{words[2]} {one} {GAP} {words[1]} than {two}?", words[0], "many")


def _more_yards(before: str, words: list[str]) -> Asked | None:
    """Rewrite "more yards was X than Y" as "was X {} longer than Y"."""
    if before or words[:2] != ["more", "yards"] or words[2:3] not in (["was"], ["is"]):
        return None
    return _longer("", ["yards", "longer", *words[2:]])


def _measured(before: str, words: list[str]) -> Asked | None:
    """Rewrite "yards was the longest play" as "was the longest play {}"."""
    if (
        before
        or len(words) < 4
        or words[0] not in PLURAL_UNITS - TIME_UNITS - {"points"}
        or words[1] not in ("was", "is")
    ):
        return None
    rest = words[2:]
    if (
        set(rest) & (DO_FORMS | BE_FORMS | {"to", "that", "and", "or", "when"})
        or rest[-1] in STRANDED_PREPOSITIONS | {"for"}
        or is_past(rest[0])
    ):
        return None
    if not (rest[0] in ("the", "his", "her", "their") or rest[0][:1].isupper()):
        return None
    return Asked(f"{words[1]} {' '.join(rest)} {GAP}?", words[0], "many")


def _stranded(before: str, words: list[str]) -> Asked | None:
    """Rewrite "countries were they thought to be fleeing to" as "were they thought to be fleeing to {}"."""
    at = next((at for at, word in enumerate(words) if word in DO_FORMS | BE_FORMS), None)
    if (
        before
        or not at
        or at > 4
        or len(words) < at + 4
        or words[-1] not in STRANDED_PREPOSITIONS
        or words[at + 1] == "there"
    ):
        return None
    rest = words[at + 1 :]
    if not starts_subject(rest) or set(rest) & (
        DO_FORMS | BE_FORMS | SUBORDINATORS | {"who", "than", "difference"}
    ):
        return None
    if (words[0] in TIME_UNITS and words[-1] != "for") or set(rest[:-1]) & {"to", *STRANDED_PREPOSITIONS} - {
        "to",
        "of",
    }:
        return None  # two places would fit
    return Asked(f"{words[at]} {' '.join(rest)} {GAP}?", " ".join(words[:at]), "many")


FRAMES = (_longer, _more_yards, _measured, _stranded)
