"""Comparison of two readings of a text."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator

from dnc_datasets.english.lexicon import CONVERSE_VERBS, FREE_WORDS
from dnc_datasets.second_reader.frames import Frame, Read

_FREE = FREE_WORDS | {"have", "need", "be", "do"}
_CONVERSE = frozenset(verb for pair in CONVERSE_VERBS for verb in pair)


def objection(before: Read, after: Read, *, words: bool, question: bool) -> str:
    """Return the first relevant difference between two readings, or an empty string where there is none.

    With `words`, every statement must keep its meaning, and a number may not count anything else. Otherwise a
    difference counts only if a word moved from one number to another. A parser error seldom causes such a
    pair of differences.
    """
    pairs = list(_pairs(before.frames, after.frames))
    for at, (old, new) in enumerate(pairs):
        others = [*pairs[:at], *pairs[at + 1 :]]
        for differs in (_noun, _modifiers, _verb, _who):
            if found := differs(old, new, others, words):
                return f"{old.value} {found}"
        if words and old.denied != new.denied and old.verb == new.verb:
            return f"{old.value}: {old.verb} is denied in one of the texts"
    return _question(before, after) if question else ""


def _pairs(old: tuple[Frame, ...], new: tuple[Frame, ...]) -> Iterator[tuple[Frame, Frame]]:
    """Pair the numbers that both texts have once. Where all values differ, pair them by position."""
    before, after = (Counter(frame.value for frame in frames) for frames in (old, new))
    if len(old) == len(new) and not before & after:
        yield from zip(old, new, strict=True)
        return
    placed = {frame.value: frame for frame in new}
    for frame in old:
        if before[frame.value] == after[frame.value] == 1:
            yield frame, placed[frame.value]


Pair = tuple[Frame, Frame]


def _noun(old: Frame, new: Frame, others: list[Pair], words: bool) -> str:
    if not old.noun or not new.noun or old.noun == new.noun:
        return ""
    if new.noun in old.modifiers or old.noun in new.modifiers or "time" in (old.noun, new.noun):
        return ""  # "toy cars", "3 times as many cars": the same phrase, parsed in two ways
    if words or any(one.noun == new.noun != other.noun for one, other in others):
        return f"counts {old.noun} in the original and {new.noun} in the row"
    return ""


def _modifiers(old: Frame, new: Frame, others: list[Pair], words: bool) -> str:
    if not old.noun or old.noun != new.noun:
        return ""
    gained = new.modifiers - old.modifiers - _FREE
    crossed = [
        word for word in gained if any(word in one.modifiers - other.modifiers for one, other in others)
    ]
    return f"has the word {sorted(crossed)[0]!r} of another number" if crossed else ""


def _verb(old: Frame, new: Frame, others: list[Pair], words: bool) -> str:
    if not old.verb or not new.verb or old.verb == new.verb or {old.verb, new.verb} & _FREE:
        return ""
    if {old.verb, new.verb} <= _CONVERSE and old.who != new.who:
        return ""
    if any(one.verb == new.verb != other.verb for one, other in others):
        return f"has the verb {new.verb!r} of another number"
    return ""


def _who(old: Frame, new: Frame, others: list[Pair], words: bool) -> str:
    if not old.who.istitle() or not new.who.istitle() or old.who == new.who or old.verb != new.verb:
        return ""
    if any(one.who == new.who != other.who for one, other in others):
        return f"belongs to {old.who} in the original and to {new.who} in the row"
    return ""


def _question(before: Read, after: Read) -> str:
    (noun, more, who), (new_noun, new_more, new_who) = before.asked, after.asked
    if more != new_more:
        return ""  # "How many more does Ann have than Ben", "How many fewer does Ben have than Ann"
    if noun and new_noun and noun != new_noun and any(frame.noun == new_noun for frame in before.frames):
        return f"the question asks for {new_noun} and not for {noun}"
    names = {frame.who for frame in before.frames}
    if who.istitle() and new_who.istitle() and who != new_who and new_who in names:
        return f"the question asks about {new_who} and not about {who}"
    return ""
