"""Questions for an amount: "How many yards longer was X than Y?" -> "Was X {} longer than Y?"."""

from __future__ import annotations

import re

from dnc_datasets.english.reading.verbs import is_past
from dnc_datasets.english.rewording.gaps import GAP
from dnc_datasets.english.rewording.passage_words import BE, DO, ENDS, TIME, starts_subject
from dnc_datasets.english.rewording.yes_no import Asked

_MEASURES = frozenset("yards feet inches miles points meters kilometers percent".split())
_LONGER = frozenset(
    "longer shorter larger smaller higher lower greater bigger taller older younger farther".split()
)
_AHEAD = frozenset("ahead behind up down".split())
_THAN = re.compile(
    r" (?:than|compared to|compared with|versus) | over (?=his\b|her\b|their\b|its\b|the\b|[A-Z])"
)


def _longer(before: str, words: list[str]) -> Asked | None:
    """ "yards longer was X than Y" -> "was X {} longer than Y"."""
    if (
        before
        or len(words) < 6
        or words[0] not in _MEASURES | TIME
        or words[1] not in _LONGER
        or words[2] not in BE
    ):
        return None
    rest = " ".join(words[3:])
    split = list(_THAN.finditer(rest))
    if len(split) != 1:
        return None
    one, two = rest[: split[0].start()], rest[split[0].end() :]
    if not one or not two or set(f"{one} {two}".split()) & (DO | BE):
        return None
    return Asked(f"{words[2]} {one} {GAP} {words[1]} than {two}?", words[0], "many")


def _more_yards(before: str, words: list[str]) -> Asked | None:
    """ "more yards was X than Y" -> "was X {} longer than Y"."""
    if before or words[:2] != ["more", "yards"] or words[2:3] not in (["was"], ["is"]):
        return None
    return _longer("", ["yards", "longer", *words[2:]])


def _measured(before: str, words: list[str]) -> Asked | None:
    """ "yards was the longest play" -> "was the longest play {}"."""
    if before or len(words) < 4 or words[0] not in _MEASURES - {"points"} or words[1] not in ("was", "is"):
        return None
    rest = words[2:]
    if (
        set(rest) & (DO | BE | {"to", "that", "and", "or", "when"})
        or rest[-1] in ENDS | {"for"}
        or is_past(rest[0])
    ):
        return None
    if not (rest[0] in ("the", "his", "her", "their") or rest[0][:1].isupper()):
        return None
    return Asked(f"{words[1]} {' '.join(rest)} {GAP}?", words[0], "many")


def _ahead(before: str, words: list[str]) -> Asked | None:
    """ "points were the Jets ahead by at the half" -> "were the Jets {} ahead at the half"."""
    if before or words[0] != "points" or len(words) < 5:
        return None
    rest, first = words[1:], ""
    if rest[0] in _AHEAD:
        first, rest = rest[0], rest[1:]
    if (
        rest[0] not in ("were", "was", "are")
        or not starts_subject(rest[1:])
        or set(rest) & {"than", "and", "if"}
    ):
        return None
    at = next((at for at, word in enumerate(rest) if word in _AHEAD), None)
    if first:
        at = next(
            (at for at, word in enumerate(rest) if at > 1 and word in ("at", "after", "late", "in", "by")),
            len(rest),
        )
    if at is None or not 2 <= at <= 6 or (first and _AHEAD & set(rest)):
        return None
    tail = (
        rest[at:] if first else [word for place, word in enumerate(rest[at + 1 :]) if place or word != "by"]
    )
    return Asked(" ".join([*rest[:at], GAP, first or rest[at], *tail]) + "?", "points", "many")


def _is_difference(before: str, words: list[str]) -> Asked | None:
    """ "is the difference in the yards of X and of Y" -> "is the difference in the yards of X and of Y {}"."""
    if (
        before
        or words[0] not in ("is", "was")
        or words[1:4] != ["the", "difference", "in"]
        or "yards" not in words
    ):
        return None
    return None if set(words[1:]) & (DO | BE) else Asked(f"{' '.join(words)} {GAP}?", "yards", "many")


def _stranded(before: str, words: list[str]) -> Asked | None:
    """ "countries were they thought to be fleeing to" -> "were they thought to be fleeing to {}"."""
    at = next((at for at, word in enumerate(words) if word in DO | BE), None)
    if before or not at or at > 4 or len(words) < at + 4 or words[-1] not in ENDS or words[at + 1] == "there":
        return None
    rest = words[at + 1 :]
    if not starts_subject(rest) or set(rest) & (
        DO | BE | {"if", "when", "that", "who", "than", "difference"}
    ):
        return None
    if (words[0] in TIME and words[-1] != "for") or set(rest[:-1]) & {"to", *ENDS} - {"to", "of"}:
        return None  # two places would fit
    return Asked(f"{words[at]} {' '.join(rest)} {GAP}?", " ".join(words[:at]), "many")


FRAMES = (_longer, _more_yards, _measured, _ahead, _is_difference, _stranded)
