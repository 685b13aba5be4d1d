"""Attachments: what each number of a text is tied to, read from the words around it alone."""

from __future__ import annotations

import re
from fractions import Fraction
from typing import NamedTuple

from dnc_datasets import numerals
from dnc_datasets.english.reading.quantities import noun_end

# What ends the reach of a number: "5 pens with caps | and 3 cups | , ..."
_BOUNDARY = re.compile(r"[,;:.!?](?!\d)|\b(?:and|but|while|then|if|so|or|because)\b", re.IGNORECASE)
_WORD = re.compile(r"[A-Za-z']+")
# Words behind a number that say for what it holds, or what it is compared with.
_TIES = frozenset(
    """each every per apiece times twice with which who that than as percent dozen half third quarter
    whose where""".split()
)
# Words before a number by which it belongs to what stands before them: "tables with 4 legs".
_TIED_BEFORE = frozenset("with for at per every each than by of within times cost costs".split())
# "for $3", "for 5 minutes", "for each friend"; but "8 pens and 3 cups for her sister" are both for her.
_FOR = re.compile(r"\bfor (?=\$|\d|each\b|every\b|a total\b|the price\b)")
_COUNTS = frozenset(("money", "percent"))


class Attachment(NamedTuple):
    """A number with what it is tied to: its noun, the numbers of its own phrase, the words that bind it."""

    value: Fraction
    noun: str  # the head of what it counts; empty where the text leaves it out
    companions: tuple[Fraction, ...]
    ties: tuple[str, ...]
    before: str


def attachments(text: str) -> list[Attachment]:
    """The attachments of all numbers of a text, smallest value first.

    >>> [(one.noun, one.ties, one.before) for one in attachments("Two tables with 4 legs and 9 chairs.")]
    [('tables', ('with',), ''), ('legs', (), 'with'), ('chairs', (), '')]
    """
    quantities = numerals.find(text)
    inside = [(quantity.start, quantity.end) for quantity in quantities]
    cuts = [
        match.end()
        for match in _BOUNDARY.finditer(text)
        if not any(start <= match.start() < end for start, end in inside)
    ]
    found: list[Attachment] = []
    first_before, last_end = "", -1
    for at, quantity in enumerate(quantities):
        start = max((cut for cut in cuts if cut <= quantity.start), default=0)
        end = min((cut for cut in cuts if cut >= quantity.end), default=len(text))
        own = [other for other in quantities if start <= other.start and other.end <= end]
        stop = quantities[at + 1].start if quantity is not own[-1] else end
        behind = [word.lower() for word in _WORD.findall(text[quantity.end : stop])]
        head = text[quantity.end : noun_end(text, quantity.end)].split(" of ")[0].split()
        leading = _WORD.findall(text[start : quantity.start])
        before = leading[-1].lower() if leading and leading[-1].lower() in _TIED_BEFORE else ""
        if quantity is own[0]:
            # "among 4 boys and 3 girls": what opens a list holds for all of it.
            joined = not leading and last_end >= 0 and not text[last_end:start].strip(" ,and")
            first_before = first_before if joined else before
            before, last_end = first_before, end
        ties = [word for word in behind if word in _TIES]
        ties += ["for"] * len(_FOR.findall(text[quantity.end : end]))
        if (quantity.value.denominator != 1 or quantity.kind in _COUNTS) and behind[:1] == ["of"]:
            ties.append("of")
        companions = tuple(sorted(other.value for other in own if other is not quantity))
        found.append(Attachment(quantity.value, head[-1] if head else "", companions, tuple(ties), before))
    return sorted(found)


def same_attachments(before: str, after: str, *, nouns: bool = True) -> bool:
    """Is every number tied to the same in both texts? A noun may be left out in one of them.

    Without `nouns`, what is counted may be another thing.
    """
    old, new = attachments(before), attachments(after)
    if len(old) != len(new):
        return False
    return all(
        one.value == two.value
        and one[2:] == two[2:]
        and (not nouns or one.noun == two.noun or not one.noun or not two.noun)
        for one, two in zip(_paired(old), _paired(new), strict=True)
    )


def _paired(found: list[Attachment]) -> list[Attachment]:
    """In an order that does not depend on nouns, which may be left out."""
    return sorted(found, key=lambda one: (one.value, one.companions, one.ties, one.before, one.noun))
