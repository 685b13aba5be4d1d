"""Frames for a question that comes first: the ways in which the statements of a problem can follow it."""

from __future__ import annotations

import re
from collections.abc import Sequence

from dnc_datasets.english.reading.sentences import capitalised

_LONGEST_IF = 24  # words
_LONGEST_LIST = 3  # clauses after "given that"
_NOT_IN_IF = re.compile(r",|\b(?:if|when|so|because|and)\b", re.IGNORECASE)


def frames(asked: str, clauses: Sequence[str]) -> dict[str, str]:
    """The whole problem in each frame that fits, by the frame's name.

    >>> for text in frames("How many pens has Amy", ["Amy has 3 red pens", "she has 5 blue pens"]).values():
    ...     print(text)
    How many pens has Amy, given that Amy has 3 red pens and that she has 5 blue pens?
    How many pens has Amy? It is known that Amy has 3 red pens and that she has 5 blue pens.
    How many pens has Amy? Amy has 3 red pens. She has 5 blue pens.
    How many pens has Amy? Here is what is known: Amy has 3 red pens. She has 5 blue pens.
    How many pens has Amy if Amy has 3 red pens and she has 5 blue pens?
    """
    question, listed = capitalised(asked), _listed(clauses)
    stated = " ".join(f"{capitalised(clause)}." for clause in clauses)
    made = {
        "given": f"{question}, given that {listed}?",
        "known": f"{question}? It is known that {listed}.",
        "statements": f"{question}? {stated}",
        "facts": f"{question}? Here is what is known: {stated}",
    }
    if len(clauses) > _LONGEST_LIST:
        del made["given"], made["known"]
    condition = " and ".join(clauses)
    short = len(f"{asked} {condition}".split()) <= _LONGEST_IF
    if len(clauses) <= 2 and short and not any(map(_NOT_IN_IF.search, (asked, *clauses))):
        made["if"] = f"{question} if {condition}?"
    return made


def _listed(clauses: Sequence[str]) -> str:
    """The clauses after a first "that": "A, that B, and that C"."""
    if len(clauses) == 1:
        return clauses[0]
    comma = any("," in clause for clause in clauses)
    if len(clauses) == 2:
        return f"{clauses[0]}{',' if comma else ''} and that {clauses[1]}"
    mark = "; that " if comma else ", that "
    return mark.join(clauses[:-1]) + f"{mark[0]} and that {clauses[-1]}"
