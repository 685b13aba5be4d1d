"""Exchanges of amounts in one sentence: in a list, in two clauses, at two times or prices."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence

from dnc_datasets.english.lexicon import MONTH, OCCASIONS, PERIODS, any_of, is_verb, plain
from dnc_datasets.english.reading.dependence import connected, has_pronoun
from dnc_datasets.english.reading.lists import TIED, with_list_reversed
from dnc_datasets.english.reading.people import KIN as _KIN
from dnc_datasets.english.reading.people import people, possessive
from dnc_datasets.english.reading.quantities import Counted, counted
from dnc_datasets.english.reading.sentences import capitalised, sentences, uncapitalised


def reordered(sentence: str) -> str | None:
    """Return the sentence with the members of its first list in reverse order, or two of its parts exchanged.

    >>> reordered("Amy has 8 marbles and 3 stones.")
    'Amy has 3 stones and 8 marbles.'
    """
    for exchange in (with_list_reversed, _clauses_exchanged, _more_exchanged, _again_exchanged, _kinds_exchanged,
                     _prices_exchanged):  # fmt: skip
        if (made := exchange(sentence)) is not None:
            return made
    return None


_TIME = re.compile(
    rf"\b(?:[A-Z][a-z]+day|(?:mon|tues|wednes|thurs|fri|satur|sun)day|{MONTH}|"
    r"morning|afternoon|evening|night|breakfast|lunch|dinner|yesterday|today|tomorrow|week|month|year|quarter|half)\b"
)
_GOES_ON = re.compile(r"(?:Then|Next|Later|Finally|After|Now|The (?:next|following))\b")
_RUN = 3


def all_reordered(text: str) -> Iterator[str]:
    """Yield the text with one sentence reordered, for each possible sentence. Chronological order is kept.

    >>> list(all_reordered("Amy has 8 marbles and 3 stones. Ben ran."))
    ['Amy has 3 stones and 8 marbles. Ben ran.']
    """
    parts = sentences(text)
    for at, sentence in enumerate(parts):
        moved = reordered(sentence)
        if moved is not None and not _in_a_run(parts, at):
            yield " ".join([*parts[:at], moved, *parts[at + 1 :]])


def _in_a_run(parts: Sequence[str], at: int) -> bool:
    """Return whether the sentence is part of a chronological series.

    Example: "$2 in May. $3 in June and $4 in July. Then ...".
    """
    times = len(_TIME.findall(parts[at]))
    if times < 2:
        return False
    before, after = parts[at - 1] if at else "", parts[at + 1] if at + 1 < len(parts) else ""
    return times >= _RUN or bool(_TIME.search(before) or _TIME.search(after) or _GOES_ON.match(after))


_WHEN = r"(?:on|in|at|during|before|after|last|this|yesterday|today|for)"
_AND_MORE = re.compile(
    rf",? and (?:another (?P<a>[\w-]+)|(?P<b>[\w-]+) more)(?P<noun>(?: [a-z]+){{0,2}}?)"
    rf"(?P<when> {_WHEN}\b[^.,;?]*)(?=[.,?]?$)"
)


def _more_exchanged(sentence: str) -> str | None:
    """Exchange the times of "She ate 5 plums on Monday and 3 more on Tuesday"."""
    joint, items = _AND_MORE.search(sentence), counted(sentence)
    if joint is None or len(items) != 2 or not items[0].noun:
        return None
    first, count = items[0], joint["a"] or joint["b"]
    if items[1].text != count or joint["noun"].strip() not in ("", first.noun, first.noun.split()[0]):
        return None
    between = sentence[first.noun_end : joint.start()]
    tail = re.match(rf" {_WHEN}\b[^,.;]*$", between)
    if re.search(r"\b(?:first|second|third|next|extra|new)\b", sentence):
        return None
    if tail is None or TIED.search(tail[0][4:] + joint["when"][4:]):
        return None
    if _TIME.search(tail[0]) and _TIME.search(joint["when"]):
        return None  # "38 in the afternoon and 59 more in the morning" would reverse the chronology
    return (
        f"{sentence[: first.start]}{count} {first.noun}{joint['when']} "
        f"and {first.text} more{tail[0]}{sentence[joint.end() :]}"
    )


_AND_AGAIN = re.compile(
    r"(?P<first> (?P<at>in|on|at|for|about|from|during)\b[^,.]*?)(?P<and>,? and )(?P<count>[\w-]+)"
    r"(?P<second> (?P<at2>in|on|at|for|about|from|during)\b[^,.]*)(?=[.,]$)"
)
_ON_DAYS = re.compile(
    r"(?P<one>(?:[Oo]n|[Ii]n(?: the)?) [A-Za-z]+) (?P<who>he|she|they|[A-Z][a-z]+) (?P<verb>[a-z]+) (?P<n>[\w-]+) "
    r"(?P<noun>[a-z]+(?: of [a-z]+)?)(?P<and>,? and )(?P<two>(?:on|in(?: the)?) [A-Za-z]+) (?P<who2>he|she|they) "
    r"(?P=verb) (?P<m>[\w-]+)(?P<noun2> (?P=noun))?(?=[.,]$)"
)


_ORDINAL = re.compile(r"\b(?:first|second|third|last|next|other)\b")


def _again_exchanged(sentence: str) -> str | None:
    """Rewrite "She ate 5 plums at home and 3 at school" as "She ate 3 plums at school and 5 at home"."""
    items = counted(sentence)
    if len(items) != 2:
        return None
    first, second = items
    if (days := _ON_DAYS.match(sentence)) and (days["n"], days["m"]) == (first.text, second.text):
        head = days["noun"] + (days["noun2"] or "")
        return capitalised(
            f"{days['two']} {days['who']} {days['verb']} {days['m']} {days['noun']}{days['and']}"
            f"{days['one'][0].lower()}{days['one'][1:]} {days['who2']} {days['verb']} {days['n']}"
            f"{head[len(days['noun']) :]}{sentence[days.end() :]}"
        )
    again = _AND_AGAIN.match(sentence, first.noun_end)
    if again is None or not first.noun or second.noun or again["count"] != second.text:
        return None
    if (" to " in again["first"]) != (" to " in again["second"]) or _ORDINAL.search(again["second"]):
        return None
    places = {again["at"], again["at2"]}
    if (len(places) > 1 and not places <= {"in", "on", "at"}) or TIED.search(
        again["first"] + again["second"]
    ):
        return None
    return (
        f"{sentence[: first.start]}{second.text} {first.noun}{again['second']}{again['and']}"
        f"{first.text}{again['first']}{sentence[again.end() :]}"
    )


_KINDS = re.compile(
    r"(?<![\w-])(?P<n>[\w-]+)(?P<of> of (?:them|the [a-z]+)) (?P<be>are|were) (?P<one>[a-z]+(?: [a-z]+)?)(?P<and>,| and| and that) "
    r"(?P<m>[\w-]+)(?P<of2>(?P=of))? (?P=be) (?P<two>[a-z]+(?: [a-z]+)?)(?=[.,]|,? and the rest\b)"
)


def _kinds_exchanged(sentence: str) -> str | None:
    """Rewrite "5 of them are red and 3 are blue" as "3 of them are blue and 5 are red"."""
    found, items = _KINDS.search(sentence), counted(sentence)
    if found is None or [item.text for item in items] != [found["n"], found["m"]]:
        return None
    if sentence[: found.start()].strip() not in ("", "If"):
        return None
    of2 = found["of2"] or ""
    small = found["n"] if found.start() else uncapitalised(found["n"])
    if small is None or re.search(r"\b(?:and|but|not|left)\b", found["one"] + found["two"]):
        return None
    count = found["m"] if found.start() else capitalised(found["m"])
    return (
        f"{sentence[: found.start()]}{count}{found['of']} {found['be']} {found['two']}{found['and']} "
        f"{small}{of2} {found['be']} {found['one']}{sentence[found.end() :]}"
    )


_PRICED = re.compile(
    r"\b(?P<one>an? [a-z][a-z ]{0,60}? for \$?\w{1,30}(?:\.\d{1,30})?(?: cents| dollars)?)(?P<and>,? and )"
    r"(?P<two>an? [a-z][a-z ]{0,60}? for \$?\w{1,30}(?:\.\d{1,30})?(?: cents| dollars)?)(?=[.,?]?$)"
)


def _prices_exchanged(sentence: str) -> str | None:
    """Rewrite "a cup for $3 and a pan for $9" as "a pan for $9 and a cup for $3"."""
    found = _PRICED.search(sentence)
    if found is None or len(counted(sentence)) != 2 or TIED.search(found[0]):
        return None
    return sentence[: found.start()] + found["two"] + found["and"] + found["one"] + sentence[found.end() :]


_CLAUSE_JOINT = re.compile(
    r"(?:,? and |,? while |, )(?=[A-Z][a-z.]+ |[Ee]ach |[Ee]very |the [a-z]+ |(?:his|her) [a-z]+ |"
    r"(?:he|she|they|there|you|we) )"
)
_ASKS_OR_ENDS = re.compile(r"[a-z]{2}[.!?] |\bhow (?:many|much|long|far|old)\b|\bwhat\b")
_IF = re.compile(r"\bif\b")
_GENERIC = re.compile(r"\b(?:each|every|per)\b", re.IGNORECASE)


def _clauses_exchanged(sentence: str) -> str | None:
    """Rewrite "Amy has 8 marbles and Ben has 3" as "Ben has 3 marbles and Amy has 8"."""
    if _ASKS_OR_ENDS.search(sentence):
        return None  # a text in lower case has no known sentence bounds; a question keeps its place
    opening = "If " if sentence.startswith("If ") else ""
    end = len(sentence.rstrip(".,?!"))
    joints = list(_CLAUSE_JOINT.finditer(sentence, len(opening), end))
    starts = [len(opening), *(joint.end() for joint in joints)]
    ends = [*(joint.start() for joint in joints), end]
    clauses = [sentence[start:stop] for start, stop in zip(starts, ends, strict=True)]
    amounts = [counted(clause) for clause in clauses]
    if _IF.search(sentence[len(opening) :].lower()):
        return None  # a conditional statement stays with its condition
    if any(len(found) != 1 for found in amounts) or len({found[0].value for found in amounts}) == 1:
        return None
    if any(joint[0] == ", " for joint in joints) and any(map(_GENERIC.search, clauses)):
        return None  # "There are 46 children, each student gets 4 pens": two sentences in one
    ready = _ready_to_exchange(clauses, opening)
    if not ready:
        return None
    ready.reverse()
    if opening:
        inside = [uncapitalised(clause, sentence) for clause in ready]
        ready = [clause for clause in inside if clause is not None]
        if len(ready) != len(inside):
            return None
    else:
        small = uncapitalised(ready[-1], sentence)
        if small is None:
            return None
        ready = [capitalised(ready[0]), *ready[1:-1], small]
    parts = [clause + joint[0] for clause, joint in zip(ready, joints, strict=False)]
    return opening + "".join(parts) + ready[-1] + sentence[end:]


def _ready_to_exchange(clauses: list[str], opening: str) -> list[str]:
    """Return the clauses, each complete and independent, or no clauses where one must keep its place."""
    generic = [bool(_GENERIC.search(clause)) for clause in clauses]
    if any(generic):
        if len(clauses) != 2 or all(generic) or not _each_exchangeable(clauses, generic, opening):
            return []
    else:
        named = people(clauses[0])
        clauses = [_owned(clause, named[0].phrase) if named else clause for clause in clauses]
        if not all(_alone(clause) for clause in clauses):
            return []
    return _nouns_moved(clauses, [counted(clause)[0] for clause in clauses])


def _owned(clause: str, owner: str) -> str:
    """Replace a possessive pronoun by its owner's name: "her sister had 5" -> "Amy's sister had 5".

    The clause will precede the name.
    """
    return re.sub(rf"^(?:his|her) (?=(?:[a-z]+ )?(?:{_KIN})\b)", f"{possessive(owner)} ", clause)


def _alone(clause: str) -> bool:
    """Return whether a clause is independent: its subject is a name, and it has no pronoun."""
    named = people(clause)
    starts = len(named) == 1 and named[0].subject and clause.startswith(named[0].phrase)
    owner = re.match(
        r"(?:(?:(?:Mr|Mrs|Ms)\. )?[A-Z][a-z]+(?:[A-Z][a-z]+)?'s [a-z]+|Team [A-Z]|"
        r"[A-Z][a-z]+ the [A-Z][a-z]+) ([a-z]+)",
        clause,
    )
    if not starts and not (owner and is_verb(owner[1])):
        return False
    return not (has_pronoun(clause) or connected(clause))


_SUBJECT = re.compile(r"(?:there|he|she|they|we|i|you|the|his|her|each|every|[A-Z][a-z]+) ", re.IGNORECASE)


_SHARED_END = re.compile(rf" (?:each|every|per) (?:{any_of(PERIODS | OCCASIONS)})\Z")


def _verbs(clause: str) -> set[str]:
    """Return the verbs of a clause in their base form, without auxiliaries."""
    found = {plain(word) or "" for word in clause.split() if is_verb(word)}
    return found - {"", "can", "will", "be", "have"}


def _each_exchangeable(clauses: Sequence[str], generic: Sequence[bool], opening: str) -> bool:
    """Return whether a rate for each and a count in the other clause can change places."""
    rate, other = clauses[generic.index(True)], clauses[generic.index(False)]
    if re.search(
        r"(?i)\b(?:it|them|more|then|left|some|only|but|than|so|that|after|before|rest|remaining|other|each one)\b",
        f"{other} {rate}",
    ) or re.match(r"\w+ (?:\w+(?:ing|ed)|with|worth|for|of)\b", rate):
        return False
    if re.match(r"(?:he|she|they|his|her)\b", clauses[1]) and people(clauses[0]):
        return False
    if re.match(r"(?:they|it)\b", clauses[1]):
        return False  # "He has 10 machines and they take 30 bearings each": they are the machines
    # "Alan has 8 trees and each tree bears 20 plums": "each tree" would have no antecedent.
    stated = re.match(r"(?:each|every) ([a-z]+)", clauses[1], re.IGNORECASE)
    if stated and (is_verb(stated[1]) or (not opening and re.search(rf"\b{stated[1]}", clauses[0]))):
        return False  # "20 men came and each bought 15 pies": each of those who came
    # "On each day Amy ran 8 miles and Ben ran 6": the opening phrase applies to both clauses.
    if re.match(r"(?:on|in|at|for|during|by|after|before) ", clauses[0], re.IGNORECASE):
        return False
    if _SHARED_END.search(clauses[1]) and _verbs(clauses[0]) & _verbs(clauses[1]):
        return False  # "Amy adds 7 cups and Ben adds 8 cups each trip": "each trip" applies to both
    for clause in clauses:
        words = clause.split()
        if not _SUBJECT.match(clause) or not any(is_verb(word) for word in words[1:6]):
            return False
    return counted(other)[0].noun != ""


def _nouns_moved(clauses: list[str], amounts: Sequence[Counted]) -> list[str]:
    """Return the clauses with a noun for the amount of the last, copied from the first if necessary."""
    money = [
        clause[item.start - 1 : item.start] == "$" for clause, item in zip(clauses, amounts, strict=True)
    ]
    if not amounts[0].noun and not money[0]:
        return []
    if amounts[-1].noun or money[-1]:
        return clauses if len({bool(item.noun) for item in amounts}) == 1 else []
    if clauses[-1][amounts[-1].end :].strip() or 1 in (amounts[0].value, amounts[-1].value):
        return []  # "1 eye and 3": the noun would not agree
    tail = clauses[0][amounts[0].end :]
    return [clauses[0][: amounts[0].end], *clauses[1:-1], clauses[-1] + tail]
