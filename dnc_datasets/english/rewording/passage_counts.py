"""Yes-or-no forms of questions for a count: "How many countries resettled?" -> "Did {} resettle?"."""

from __future__ import annotations

from dnc_datasets.english.lexicon import (
    BE_FORMS,
    DO_FORMS,
    INTENTION_VERBS,
    PASSAGE_PHRASE_STARTERS,
    PASSAGE_VERBS,
    STEMS_WITH_E,
    STEMS_WITHOUT_E,
    STRANDED_PREPOSITIONS,
    SUBJECT_STARTERS,
    TIME_UNITS,
    is_past,
    is_plural,
    plain,
)
from dnc_datasets.english.rewording.gaps import GAP
from dnc_datasets.english.rewording.yes_no import Asked

_NO_VERBS = frozenset("not and have combined".split())


def _named(before: str, words: list[str]) -> Asked | None:
    """Rewrite "losses did Moscow Brief estimate in May" as "did Moscow Brief estimate {} in May"."""
    at = next((at for at, word in enumerate(words) if word in DO_FORMS), None)
    if (
        (before and not before.endswith(", "))
        or not at
        or at > 4
        or words[0] in TIME_UNITS
        or not plural(words[:at])
    ):
        return None
    rest = words[at + 1 :]
    verb = _verb_after_name(rest)
    if verb is None:
        return None
    said, tail = rest[verb], rest[verb + 1 :]
    if (
        said in INTENTION_VERBS
        or said.endswith(("ed", "ing", "ly", "s"))
        or said in _NO_VERBS
        or (tail and tail[0] not in PASSAGE_PHRASE_STARTERS)
    ):
        return None
    if len(tail) > 1 and tail[1] in STRANDED_PREPOSITIONS | {"during"}:
        return None  # "score on in the third quarter"
    asked = " ".join([f"{before}{words[at]}", *rest[: verb + 1], GAP, *tail])
    return Asked(f"{asked}?", " ".join(words[:at]), "many")


def _verb_after_name(words: list[str]) -> int | None:
    """Return the place of the verb after a name.

    It is the first lower-case word after capitalised words, or otherwise a known verb.
    """
    if not words:
        return None
    if words[0] in ("the", "both"):
        at = next(
            (place for place in (2, 3, 4) if place < len(words) and words[place] in PASSAGE_VERBS), None
        )
        named = at is not None and (at == 2 or all(word[:1].isupper() for word in words[1:at]))
        return at if named else None
    capitals = (at for at, word in enumerate(words) if not word[:1].isupper() and word not in ("de", "of"))
    at = next(capitals, None)
    if at:
        return at if words[at].isalpha() and words[at].islower() else None
    known = at == 0 and len(words) > 1 and words[0] not in SUBJECT_STARTERS and words[1] in PASSAGE_VERBS
    return 1 if known else None


def _being(before: str, words: list[str]) -> Asked | None:
    """Rewrite "touchdowns were 30 yards or longer" as "were {} 30 yards or longer"."""
    if before and not before.endswith(", "):
        return None
    at = next((at for at, word in enumerate(words) if word in ("was", "were", "are", *DO_FORMS)), None)
    if not at or at > 7 or words[at] not in ("were", "are") or len(words) < at + 2:
        return None
    noun, rest = words[:at], words[at + 1 :]
    if (
        rest[0].lower() in SUBJECT_STARTERS - {"a", "an"}
        or rest[0][:1].isupper()
        or rest[-1] in STRANDED_PREPOSITIONS
        or rest[0] == "there"
    ):
        return None
    if (
        not plural(noun)
        or set(noun) & {"who", "that", "difference", "was", "than"}
        or set(rest) & (DO_FORMS | BE_FORMS)
    ):
        return None
    placed = rest[0] in ("in", "on", "at", "during", "between") and noun[0] != "of"
    said = f"{words[at]} there {GAP} {' '.join(rest)}?" if placed else f"{words[at]} {GAP} {' '.join(rest)}?"
    return Asked(f"{before}{said}", " ".join(noun), "many")


def _doing(before: str, words: list[str]) -> Asked | None:
    """Rewrite "countries resettled on these lands" as "did {} resettle on these lands"."""
    if (before and not before.endswith(", ")) or set(words) & (DO_FORMS | BE_FORMS):
        return None
    at = next((at for at, word in enumerate(words) if at and (is_past(word) or word.endswith("ed"))), 0)
    if {"have", "has", "had"} & set(words[:at]) or words[at : at + 1] in (["had"], ["have"], ["has"]):
        return None  # a main verb or an auxiliary
    if not at or at > 6 or len(words) < at + 2 or words[at + 1] == "by" or not plural(words[:at]):
        return None
    more = bool(set(words[:at]) & {"more", "fewer"}) and "than" not in words[:at]
    if (
        more
        or set(words[:at]) & {"who", "that"}
        or any(word.endswith("ed") for word in words[at + 1 : at + 3])
    ):
        return None
    verb = plain(words[at]) or _undone(words[at])
    if verb is None or verb == "be":
        return None
    return Asked(f"{before}did {GAP} {verb} {' '.join(words[at + 1 :])}?", " ".join(words[:at]), "many")


def _undone(verb: str) -> str | None:
    """Return the base form of an unlisted regular past form, if its ending is unambiguous."""
    stem = verb.removesuffix("ed")
    if not verb.endswith("ed") or len(stem) < 3:
        return None
    if stem[-1] == stem[-2] and stem[-1] in "rtnpgmdb":
        return stem[:-1]
    if stem.endswith(STEMS_WITH_E):
        return f"{stem}e"
    return stem if stem.endswith(STEMS_WITHOUT_E) else None


FRAMES = (_named, _being, _doing)


def starts_subject(words: list[str]) -> bool:
    first = words[0]
    return first.lower() in SUBJECT_STARTERS or first[:1].isupper() or first.endswith("s")


def plural(noun: list[str]) -> bool:
    """Return whether the counted noun is plural: "men of the army", "of the personnel"."""
    if noun[0] == "of":
        return len(noun) > 1
    head = noun[: noun.index("of")] if "of" in noun else noun
    cut = next((at for at, word in enumerate(head) if word in STRANDED_PREPOSITIONS), len(head))
    return bool(head[:cut]) and is_plural(head[:cut][-1])
