"""Gaps: where a number has its place in the clause of a yes-or-no question, behind which verb and before what."""

from __future__ import annotations

import re
from collections.abc import Iterator

from dnc_datasets.english.reading.verbs import IRREGULAR, PLAIN

GAP = "{}"
DO = frozenset("do does did".split())
BE = frozenset("is are was were".split())
HAVE = frozenset("has have had".split())
PRONOUNS = frozenset("he she they it we you i".split())
DETERMINERS = frozenset(
    "one two three four five six seven eight nine ten twelve the a an his her their each every my your our its this that these those both all".split()
)
_ADVERBS = frozenset(
    "initially still actually now currently originally also each all both originally already only".split()
)
# What may stand behind the verb where its object has been asked for; anything else may be an object of its own.
BEHIND = frozenset(
    """in on at for from by each every per during after before altogether together total left now then if when while
    until since over today tomorrow yesterday last this next initially originally more daily weekly monthly with without
    using at so because overall combined as than inside into onto across between during through within throughout
    there here a""".split()
)
ENDS = frozenset("in on at to with from for by into of".split())
PARTICLES = frozenset("up out away off back down".split())
_TO_DO = frozenset("need have want get able going expect plan try manage hope".split())
# "gave his brother ...": an indirect object stands before the gap.
_TWO_OBJECTS = frozenset("give take cost pay send lend show owe hand charge bring".split())
_OBJECT = re.compile(
    r"(?:him|her|them|me|us|you|it|[A-Z][a-z]{1,20}|(?:his|her|their|the|each|every) [a-z]{1,20})(?= |\Z)"
)
_DAYS = frozenset("day week month year night morning afternoon evening weekend summer winter time".split())
VERBS = (
    frozenset("end examine average apply weigh consume calculate require save print launch".split())
    | PLAIN
    | frozenset(IRREGULAR.values()) - {"be"}
)


def acted(words: list[str]) -> str | None:
    """The gap behind the main verb; where what looks like a verb is none ("the toy train costs"), the next word is."""
    last = None
    for at in _verbs(words):
        if last is not None and at != last + 1:
            return None
        if (made := inserted(words, at)) is not None:
            return made
        last = at
    return None


def _verbs(words: list[str]) -> Iterator[int]:
    """Where the main verb may stand behind its subject."""
    for place, word in enumerate(words):
        if not place:
            continue
        before = words[place - 1]
        if word in _ADVERBS and before.lower() not in DETERMINERS:
            continue
        one_word = place == 1 and (before.lower() in PRONOUNS or before[:1].isupper())
        if (
            one_word
            and word.isalpha()
            and word.islower()
            and word not in ("and", "or", "of", "in")
            and not word.endswith(("ing", "ed", "s"))
        ):
            yield place
            continue
        the = before.lower() if place == 1 else before
        if word not in VERBS or the in DETERMINERS or before.endswith(("'s", "s'", "’s")):
            continue
        subject = words[:place]
        while subject and subject[-1] in _ADVERBS:
            subject = subject[:-1]
        if subject and is_subject(subject):
            yield place


def is_subject(words: list[str]) -> bool:
    """he; Amy; Amy and her friends; the two boys; Amy's brother."""
    if (
        not words
        or len(words) > 8
        or any(word.endswith(",") for word in words)
        or {"to", "if", "when"} & set(words)
    ):
        return False
    first = words[0]
    if first.lower() in PRONOUNS:
        return words[1:] in ([], ["all"], ["each"], ["both"]) or (words[1] == "and" and is_subject(words[2:]))
    if words in (["this"], ["that"]):
        return True
    if first.lower() in DETERMINERS or first.isdigit():
        return 1 < len(words) <= 6 and not set(words) & (BE | HAVE | DO)
    return first[:1].isupper() and not set(words) & (BE | HAVE | DO)


def inserted(words: list[str], at: int) -> str | None:
    """The gap behind the verb at this place, or behind what belongs to it; None where something else follows."""
    made = _behind(words, at)
    if made is None and words[at] == "need" and words[at + 1 : at + 2] == ["to"]:
        return " ".join([*words[: at + 1], GAP, *words[at + 1 :]])  # "need {} to wash them all"
    return made


def _is_done(words: list[str]) -> bool:
    """Is this a verb behind "need to"? Not in "have to begin with"."""
    return bool(words) and words[0] in VERBS and words[0] not in ("begin", "start")


def _behind(words: list[str], at: int) -> str | None:
    while words[at] in _TO_DO and words[at + 1 : at + 2] == ["to"] and _is_done(words[at + 2 : at + 3]):
        at += 2
    if words[at].endswith("ing") and words[at + 1 : at + 2] == ["to"] and _is_done(words[at + 2 : at + 3]):
        at += 2
    if words[at] == "be" or (words[at] in _TO_DO - {"get", "have"} and words[at + 1 : at + 2] == ["to"]):
        return None
    behind = words[at + 1 :]
    if behind[:2] == ["in", "together"]:
        return None  # "bring in together": the number would part verb and particle
    if behind and behind[-1] in ENDS and behind[-2:] not in (["begin", "with"], ["start", "with"]):
        middle = behind[:-1]
        if middle and (middle[0] in BEHIND or set(middle) & {"to", "if", "than"}):
            return None  # two gaps would fit
        return " ".join([*words, GAP])
    if behind and behind[0] in PARTICLES:
        at += 1
        behind = behind[1:]
    elif words[at] == "end" and behind[:2] == ["up", "with"]:
        at += 2
        behind = behind[2:]
    elif behind and words[at] in _TWO_OBJECTS and (found := _OBJECT.match(" ".join(behind))):
        taken = len(found[0].split())
        if not (behind[0] == "her" and taken == 1 and len(behind) > 1 and behind[1] not in BEHIND | {"to"}):
            at += taken
            behind = behind[taken:]
    if (
        len(behind) > 1
        and behind[0] in ("to", "for", "with", "by", "on")
        and behind[1] in BEHIND - {"a", "each", "every", "using"}
    ):
        return " ".join([*words[: at + 2], GAP, *behind[1:]])  # "listen to {} in two days"
    if behind and behind[0] == "to":
        # "have to begin with", "give to Tom", "take to finish"
        return " ".join([*words[: at + 1], GAP, *behind])
    if behind and words[at] in ("spend", "earn", "make") and behind[0].endswith("ing"):
        return " ".join([*words[: at + 1], GAP, *behind])
    if behind and behind[0] not in BEHIND and not (behind[0] == "that" and set(behind[1:2]) & _DAYS):
        return None
    if behind and behind[0] == "a" and not set(behind[1:2]) & _DAYS:
        return None
    return " ".join([*words[: at + 1], GAP, *behind])
