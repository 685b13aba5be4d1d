"""Questions with a choice: "What happened first, X or Y?", "Which team scored more touchdowns, X or Y?"."""

from __future__ import annotations

import re

from dnc_datasets.english.lexicon import (
    EVENT_WORDS,
    FINITE_AUXILIARIES,
    PLURAL_UNITS,
    PREPOSITIONS,
    QUANTIFIERS,
)
from dnc_datasets.qdmr.questions.words import COMPARED, noun_phrase

_FIRST = re.compile(r"\b(first|last|second|later|earlier|earliest|latest)\b", re.IGNORECASE)
_ORDER = re.compile(
    r"\b(?:happen|occur|came|take place|took place|end|begin|began|start|sign|written|was|were)",
    re.IGNORECASE,
)


def which(text: str) -> list[str] | None:
    """Match "What happened first, X or Y" and "Which team scored more touchdowns, X or Y"."""
    parted = _choice(text)
    if parted is None:
        return None
    head, one, two = parted
    how = _FIRST.search(head)
    compared = COMPARED.search(head)
    if how and not compared:
        end = f"which is {_time(how[1])} of #1 , #2"
        done = _done(head, how)
        return [f"when {done.format(one)}", f"when {done.format(two)}", end] if done else None
    if not compared:
        return None
    word = compared[1].lower()
    before, after = head[: compared.start()].split(), head[compared.end() :].split()
    end = f"which is {word} of"
    tail = _tail(before)
    if word in QUANTIFIERS:
        noun, rest = noun_phrase(after)
        if "percent" in head or "percentage" in head:
            where = " ".join(word for word in (*tail, *rest) if word not in ("percent", "percentage"))
            return [f"percent of {one} {where}", f"percent of {two} {where}", f"{end} #1 , #2"]
        where = " ".join((*tail, *rest))
        what = f"{' '.join(noun)} of " if noun and noun[0] not in ("there", "people") else ""
        if noun and noun[0] in PLURAL_UNITS:
            return [f"{what}{one} {where}", f"{what}{two} {where}", f"{end} #1 , #2"]
        return [
            f"{what}{one} {where}",
            f"{what}{two} {where}",
            "number of #1",
            "number of #2",
            f"{end} #3 , #4",
        ]
    noun, rest = noun_phrase(after)
    if "percent" in head or "percentage" in head:
        where = " ".join(
            one
            for one in (*tail, *rest)
            if one not in ("in", "percent", "percentage") or (one == "in" and "percent" not in tail)
        )
        return [f"percent of {one} {where}", f"percent of {two} {where}", f"{end} #1 , #2"]
    where = " ".join((*tail, *rest))
    if noun:
        return [f"{' '.join(noun)} of {one} {where}", f"{' '.join(noun)} of {two} {where}", f"{end} #1 , #2"]
    if word in ("larger", "smaller", "largest", "smallest", "bigger"):
        return [f"size of the {one} group {where}", f"size of the {two} group {where}", f"{end} #1 , #2"]
    return [f"{one} {where}", f"{two} {where}", f"{end} #1 , #2"]


def _done(head: str, how: re.Match[str]) -> str | None:
    """Return the event of a choice with a gap for each candidate: "was {}", "did {} die"."""
    words = [word.strip(",:") for word in f"{head[: how.start()]} {head[how.end() :]}".split()]
    if set(map(str.lower, words)) & EVENT_WORDS or len(words) < 2:
        return "was {}"
    at = 1 if words[0].lower() == "who" else 2
    if words[0].lower() not in ("who", "which", "what", "where", "did") or len(words) < at:
        return "was {}" if _ORDER.search(head) else None
    if words[0].lower() == "did":
        return "{} " + " ".join(words[1:])
    return "{} " + " ".join(words[at:]) if words[at:] and words[at] not in FINITE_AUXILIARIES else "was {}"


def _choice(text: str) -> tuple[str, str, str] | None:
    """Return the question and the two candidates."""
    left, found, two = text.rpartition(" or ")
    if not found or not two:
        return None
    left = left.rstrip(", ")
    at = max(left.rfind(": "), left.rfind(", "), left.rfind("- "))
    if at > 0 and left[at + 2 :].strip():
        return left[:at].strip(), left[at + 2 :].strip(), two.strip()
    words = left.split()
    # "Did Egypt or Israel use napalm first", "Were there more men or women"
    if words and words[0].lower() in FINITE_AUXILIARIES:
        return _auxiliary_choice(words, two.split())
    for break_at in ("first ", "last ", "more ", "later ", "second "):
        head, found, one = left.partition(break_at)
        if found and one and len(one.split()) < 12:
            return f"{head}{found}".strip(), one.strip(), two.strip()
    return None


def _auxiliary_choice(left: list[str], right: list[str]) -> tuple[str, str, str] | None:
    found = next((at for at, word in enumerate(left) if COMPARED.fullmatch(word)), None)
    if found is not None and found + 1 < len(left):
        return " ".join(left[: found + 1]), " ".join(left[found + 1 :]), " ".join(right)
    at = next(
        (at for at, word in enumerate(right) if at and word.islower() and word not in PREPOSITIONS), None
    )
    if at is None:
        return None
    return f"{left[0]} {' '.join(right[at:])}", " ".join(left[1:]), " ".join(right[:at])


def _tail(before: list[str]) -> list[str]:
    """Return the words after the noun: "from the census" in "which group from the census is"."""
    at = next((place for place, word in enumerate(before) if place and word in PREPOSITIONS), None)
    if at is None:
        return []
    end = next(
        (place for place in range(len(before) - 1, at, -1) if before[place] in FINITE_AUXILIARIES),
        len(before),
    )
    return before[at:end]


def _time(word: str) -> str:
    return {"later": "highest", "latest": "highest", "earlier": "lowest", "earliest": "lowest"}.get(
        word.lower(), word.lower()
    )
