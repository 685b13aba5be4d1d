"""Which sentences of a word problem can be told in another one: whole, short, of somebody or something new."""

from __future__ import annotations

import re

from dnc_datasets.english.reading.people import people
from dnc_datasets.english.reading.quantities import counted
from dnc_datasets.english.reading.verbs import is_verb

_MOST_WORDS = 16
# "Each period", "20 bottles per case", "candy bars which costs", "twice as old": they need what was told before
# them, or are harder to read than to leave.
_NEEDS_MORE = re.compile(
    r"[,;:()\"%]|\b(?:each|every|per|apiece|which|who|whose|where|that|than|as|twice|times|half|double|different|except|"
    r"percent|average|sale|discount|off|between|because|while|when|until|without|except|equally|evenly|both|all|"
    r"more|less|fewer|most|some|any|only|just|already|away|up|there(?= )|once|goal|worth|dozens?|calories|"
    r"points|semesters)\b|(?<=\w )[A-Z]\b(?!\.)",
)
_OPENS_WITH_THING = re.compile(r"(?:An?|One) (?:[a-z-]+ ){1,3}")
_THERE_ARE = re.compile(r"There (?:are|were|is|was) \S+ .*\b(?:in|on|at) (?:an?|the) [a-z]+")
_VERB_SOON = 3


def can_be_told_anywhere(text: str) -> bool:
    """Is the sentence short, complete, and about somebody or something that it brings in itself?

    >>> can_be_told_anywhere("A stall sells 44 melons."), can_be_told_anywhere("Each period lasts 12 minutes.")
    (True, False)
    """
    if len(text.split()) > _MOST_WORDS or _NEEDS_MORE.search(text.removeprefix("There ")):
        return False
    if any(not item.noun and text[item.start - 1 : item.start] != "$" for item in counted(text)):
        return False  # "Amy gave 5 to Ben": five of what?
    if _THERE_ARE.match(text):
        return True
    if thing := _OPENS_WITH_THING.match(text):
        behind = text[thing.start() :].split()[2 : 2 + _VERB_SOON]
        return any(is_verb(word) for word in behind)
    named = people(text)
    return bool(named) and named[0].subject and text.startswith(named[0].phrase)
