"""Lists: counted things inside a sentence ("8 marbles and 3 stones"), and the same in reverse order."""

from __future__ import annotations

import re
from collections.abc import Sequence

from dnc_datasets.english.lexicon import (
    AUXILIARIES,
    COUNTED_NOUN_CLASS,
    IRREGULAR_VERBS,
    MONEY_UNITS,
    NOT_BEFORE_LISTED_NUMBER,
    PLAIN_VERBS,
    is_plural,
    is_unit,
    is_verb,
)
from dnc_datasets.english.reading.quantities import Counted, counted
from dnc_datasets.english.reading.sentences import capitalised, uncapitalised

_SEPARATOR = re.compile(r"(?:, and | and |, )$")
_LAST_SEPARATOR = re.compile(r",? and $")
_DONE = re.compile(
    r"(?:adopt|choose|prefer|like|want|play|buy|eat|drink|take|bring|read|own|wear|ride|walk)\b"
)
# Words that tie a member of a list to the one before it.
_TIED_WORDS = (
    r"more|another|additional|extra|others?|then|later|rest|remaining|too|also|left|only|it|its|he|she|they|"
    r"them|respectively|each|same|total|which|that|who|where|if|but|because|so|until|than|"
    r"fewer|less|times|as|ones"
)
TIED = re.compile(rf"\b(?:{_TIED_WORDS}|after|before|per|every)\b")
# For readers that keep the order: "3 plums before lunch and 2 plums after lunch" is a list.
TIED_BUT_TIMES = re.compile(rf"\b(?:{_TIED_WORDS})\b")
_ENDS = re.compile(
    r"[.,;?!]|$| (?:in|on|at|for|from|during|to|with|into|inside|last|this|yesterday|today|when|while|as|"
    r"by|if|"
    r"are|were|is|was|than|trying|playing)\b"
)
_VERBS = frozenset(IRREGULAR_VERBS) | AUXILIARIES
_TAIL = re.compile(
    r" (?:long|wide|tall|deep|high)\b| (?:in|on|at|for|from|during|to|with|last|this|inside|into|"
    r"yesterday|today|before|after|about|[a-z]+ing)\b[^,.;?!]*"
)


def with_list_reversed(sentence: str) -> str | None:
    """Return the sentence with the first list of coordinate members in reverse order.

    >>> with_list_reversed("Amy has 8 marbles and 3 stones.")
    'Amy has 3 stones and 8 marbles.'
    """
    items = counted(sentence)
    at = 0
    while at < len(items) - 1:
        last = at
        while last + 1 < len(items) and _SEPARATOR.search(
            sentence[items[last].end : items[last + 1].start].removesuffix("$")
        ):
            last += 1
        if last > at:
            made = _reversed(sentence, items[at : last + 1])
            if made is not None:
                return made
        at = max(last, at + 1)
    return None


def members(
    sentence: str, run: Sequence[Counted], tied: re.Pattern[str] = TIED
) -> list[tuple[int, int]] | None:
    """Return the start and end of each member of a list, or None where the numbers form no list of equals.

    `tied` matches the words that bind a member to another one.
    """
    if len(run) < 2:
        return None
    starts = [item.start - (sentence[item.start - 1 : item.start] == "$") for item in run]
    if not _LAST_SEPARATOR.search(sentence[run[-2].end : starts[-1]]):
        return None
    ends = []
    for item, start in zip(run, starts[1:], strict=False):
        separator = _SEPARATOR.search(sentence[item.end : start])
        if separator is None:
            return None
        ends.append(item.end + separator.start())
    ends.append(_last_end(sentence, run, ends[0]))
    chunks = [sentence[start:end] for start, end in zip(starts, ends, strict=True)]
    return list(zip(starts, ends, strict=True)) if _equals(run, chunks, sentence, starts, tied) else None


def _reversed(sentence: str, run: Sequence[Counted]) -> str | None:
    """Reverse a run of counted things. Return None where it is not certain that they are equals."""
    starts = [item.start - (sentence[item.start - 1 : item.start] == "$") for item in run]
    before = sentence[: starts[0]]
    if before.split() and before.split()[-1].lower() in NOT_BEFORE_LISTED_NUMBER:
        return None
    spans = members(sentence, run)
    if spans is None:
        return None
    ends = [end for _, end in spans]
    chunks = [sentence[start:end] for start, end in spans]
    after = sentence[ends[-1] :]
    if any(_HALF_SAID.search(chunk) for chunk in chunks) or _introduces(chunks):
        return None
    if sum(bool(_IN_TURN.search(chunk)) for chunk in chunks) > 1:
        return None  # "in the first box, ... in the second box": one after the other
    if len({_RATE.search(chunk) is None for chunk in chunks}) > 1:
        return None
    if len({_SECOND_PLACE.search(chunk) is None for chunk in (chunks[0], chunks[-1])}) > 1:
        return None
    # "3 plums, a fig, and 4 pears": a member without a number; "9 pages of a book at home and 4 at work"
    if any(", " in chunk for chunk in chunks) or len({" of a " in chunk for chunk in chunks}) > 1:
        return None
    if _ON_THE_WAY.search(before) and all(" to " in chunk for chunk in chunks):
        return None  # "walks 6 blocks to the mill and 9 blocks to the inn": one leg after the other
    if re.match(r"First\b|Then\b", sentence) and any(" from " in chunk for chunk in chunks):
        return None  # a route that is stated step by step
    following = re.match(r" ([a-z']+)", after)
    if following and is_verb(following[1]) and before not in ("", "If "):
        return None
    if not _ENDS.match(after) or re.search(r"\b(?:each|every|per)\b", after):
        return None
    separators = [sentence[end:start] for end, start in zip(ends, starts[1:], strict=False)]
    chunks.reverse()
    if not before:
        small = uncapitalised(chunks[-1])
        if small is None:
            return None
        chunks[-1] = small
        chunks[0] = capitalised(chunks[0])
    parts = [chunk + separator for chunk, separator in zip(chunks, [*separators, ""], strict=True)]
    return before + "".join(parts) + after


# "... and $250 to the third": the noun is only in the member before it.
_HALF_SAID = re.compile(
    r"\bthe (?:first|second|third|fourth|last|other)$|\b(?:Mr|Mrs|Ms|Dr)$|\b(?:in|on|at|for) [A-Z]$"
)
_ON_THE_WAY = re.compile(
    r"\b(?:walk|drive|run|travel|ride|cycle|hike|sail|swim|bike|go|fly|drove|ran|rode|went|flew|swam)(?:s|ed|ing|es)?\b"
)
_IN_TURN = re.compile(r"\b(?:first|second|third|fourth|fifth|last|next)\b")
# "$6 an hour for mowing, $9 for weeding": "an hour" applies to both amounts.
_RATE = re.compile(r"\ban? (?:minute|hour|day|night|week|month|year|piece|pound|dozen)\b")
# "10 hours on Monday and 8 hours on Tuesday on his job": "on his job" applies to both days.
_SECOND_PLACE = re.compile(r" (?:in|on|at|for|from|with|to) .{1,80} (?:in|on|at|for|from|with) ")


def _introduces(chunks: Sequence[str]) -> bool:
    """Return whether a member introduces "a shop" that a later member calls "the shop"."""
    for at, chunk in enumerate(chunks):
        for phrase in re.findall(r"\ban? ((?:[\w-]+ )?[a-z]+)", chunk):
            if any(f"the {phrase}" in later for later in chunks[at + 1 :]):
                return True
    return False


def _last_end(sentence: str, run: Sequence[Counted], first_end: int) -> int:
    """Return the end of the last member.

    It includes a phrase such as "on Monday" if the first member has one, too.
    """
    last = run[-1]
    if first_end > run[0].noun_end and (tail := _TAIL.match(sentence, last.noun_end)):
        return tail.end()
    return last.noun_end


def _kind(head: str) -> str:
    """Classify a noun as money, a measure, a person or animal, or a thing.

    The members of a list share one kind.
    """
    if head == "$" or head in MONEY_UNITS:
        return "money"
    if is_unit(head) and head not in COUNTED_NOUN_CLASS:
        return "measure"
    noun_class = COUNTED_NOUN_CLASS.get(head, "thing")
    return noun_class if noun_class in ("person", "animal") else "thing"


def _equals(
    run: Sequence[Counted], chunks: Sequence[str], sentence: str, starts: Sequence[int], tied: re.Pattern[str]
) -> bool:
    """Return whether the members are of one kind and each is complete."""
    if len({item.value for item in run}) == 1:
        return False
    heads = []
    for item, chunk, start in zip(run, chunks, starts, strict=True):
        money = sentence[start] == "$"
        words = chunk[item.end - start :].split()
        if tied.search(chunk) or _VERBS & set(words) or re.search(r"[;:]", chunk):
            return False
        if words and _DONE.match(words[0]):
            return False  # "eight families adopt dogs and three adopt cats": "three" has no noun
        if not item.noun and not (money and words):
            return False
        heads.append(item.noun.split(" of ")[0].split()[-1] if item.noun else "$")
        # "24 minutes to mix it and 16 minutes to bake": the order of the actions is fixed.
        if any(verb in PLAIN_VERBS for verb in re.findall(r" to ([a-z]+)", chunk)):
            return False
        has_tail = len(chunk) > item.noun_end - start
        if has_tail != (len(chunks[0]) > run[0].noun_end - starts[0]):
            return False
    if len({_kind(head) for head in heads}) > 1 or (len(set(heads)) > 1 and all(map(is_unit, heads))):
        return False
    # "23 chairs and 170 low chairs for babies": it is unclear which of them are for babies
    if len(set(heads)) == 1 and heads[0] != "$" and len({item.noun == heads[0] for item in run}) > 1:
        return False
    of = [" of " in item.noun for item in run]
    # "52 rows and 15 columns of plants": the plants belong to both.
    if len(set(of)) > 1 and (len(set(heads)) == 1 or of[-1]):
        return False
    # "86 yellow and 20 green marbles": the noun of the first number is after the last one.
    return len(set(heads)) == 1 or all(head == "$" or is_plural(head) for head in heads)
