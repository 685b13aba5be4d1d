"""Yes-or-no questions: "How many pens did Tom buy?" -> "Did Tom buy {} pens?", with a gap for what is compared.

A question is read from its auxiliary on; what is not read with certainty gives None.
"""

from __future__ import annotations

import re
from typing import NamedTuple

from dnc_datasets.english.reading.verbs import PARTICIPLES, is_past, plain
from dnc_datasets.english.rewording.gaps import (
    BE,
    BEHIND,
    DETERMINERS,
    DO,
    ENDS,
    GAP,
    HAVE,
    PARTICLES,
    PRONOUNS,
    VERBS,
    acted,
    inserted,
    is_subject,
)

_MAX_QUESTION = 400
_ASKED = re.compile(r"\b[Hh]ow (?P<much>[Mm]uch|many|much|long|far|tall|old|deep|high|wide|heavy)\b")
_PERCENT = re.compile(
    r"How many (?:in )?percent (?:(?P<of>of [a-z][A-Za-z' ]{1,50}) )?(?P<be>are|were)(?: not|n't) (?P<what>[A-Za-z0-9][^?,;]{1,80})\?"
)
_WHAT = re.compile(
    r"\b[Ww]hat(?P<be> is| was|'s|’s| will| would) (?P<rest>(?:the|his|her|their|its|[A-Z][a-z]{1,20}'s) )"
)
_COMPARED = re.compile(
    r"[Hh]ow many (?P<noun>(?:years|months|days|hours|minutes|inches|feet|miles|pounds|centimeters|meters) "
    r"(?:older|younger|taller|shorter|longer|heavier|lighter|higher|deeper|farther)) (?P<be>is|was) "
    r"(?P<one>[A-Z][a-z]{1,20}(?:'s [a-z]{2,15})?|(?:the|his|her) [a-z]{2,15}(?: [a-z]{2,15})?) than "
    r"(?P<two>[A-Za-z][A-Za-z' ]{1,40})"
)
_STATES = frozenset(
    "absent present clear female male pink red blue green yellow white black purple brown broken left-handed full "
    "broke alive dead sick married".split()
)
_DONE = frozenset(PARTICIPLES.values()) | frozenset(
    "bought sold caught made left lost paid spent taught won".split()
)
_FIND = re.compile(r"\A(?:[Cc]alculate|[Ff]ind|[Dd]etermine|[Cc]ompute) (?P<rest>the )")
_MODAL = frozenset("will would can could should must".split())
_AUXILIARY = DO | _MODAL | BE | HAVE
_NO_NOUN = frozenset("that who which does if and to as per".split())
_COMPARATIVES = frozenset(
    "farther further longer taller higher deeper wider heavier older younger larger bigger faster shorter cheaper closer "
    "smaller slower lighter warmer colder greater".split()
)
_ADJECTIVES = frozenset("left set put cut baked painted colored stuffed used frozen broken".split())
_PLACES = frozenset("in on at inside between under behind".split())
_LONG = (["yards"], ["miles"], ["feet"], ["meters"], ["kilometers"], ["inches"], ["acres"], ["pounds"])
_HOURS = frozenset("days hours minutes weeks months years time".split())
_NOT_VERBS = frozenset(
    "store shop park train class team boat box bag can record present water paint play fish cook board pet".split()
)
_HOW_WRITTEN = re.compile(r",? (?:in total|in all|on average), ")
_AGE = {
    "long": "",
    "far": "",
    "tall": "tall",
    "old": "old",
    "deep": "deep",
    "high": "high",
    "wide": "wide",
    "heavy": "",
}
_BAD = re.compile(
    r"[\"“”();]|\b(?:about|approximately|estimate|fraction|percent|percentage|or|not|whose|"
    r"at least|at most|exactly|less than|fewer than|more than)\b|[?!].|(?<!\bMr)(?<!\bMrs)(?<!\bMs)(?<!\bDr)\.."
)
# "in dollars", "to the nearest tenth": says how the answer is to be written.
_UNITS = (
    "dollars|minutes|hours|inches|feet|meters|days|seconds|pounds|yards|miles|kilograms|grams|ounces|centimeters|years|"
    "months|weeks|liters|gallons|kilometers"
)
_IN_UNIT = re.compile(rf"(?:,? \(in (?P<bracketed>{_UNITS})\)|,? in (?P<unit>{_UNITS}))(?:,|(?=[ ?])|\Z)")
_PER_UNIT = re.compile(rf"\bin (?:{_UNITS}) (?:per|a|an) ")
_FORM = re.compile(r"\bnearest\b|\bround|\bin (?:cents|square|cubic|terms)\b|\bexpress|\bworth of\b")


class Asked(NamedTuple):
    """A yes-or-no question with a gap, what is counted in it ("red pens", "money"), and by which word it is asked."""

    question: str
    noun: str
    word: str  # many, much, long, far, ..., what
    unit: str = ""  # where the question says in which unit: "how long, in hours,"


def with_gap(question: str) -> Asked | None:
    """The question with a gap in the place of what it asks for; None where it cannot be read.

    >>> with_gap("How many red pens did Amy buy in all?").question
    'Did Amy buy {} in all?'
    >>> with_gap("How much money is left?").question
    'Is there {} left?'
    """
    text = " ".join(question.split()).replace("’", "'")
    if found := _PERCENT.fullmatch(text):
        noun = f"percent {found['of'] or ''}".strip()
        return Asked(f"{found['be'].capitalize()} {GAP} not {found['what'].strip()}?", noun, "many")
    if _PER_UNIT.search(text):
        return None
    units = {found["unit"] or found["bracketed"] for found in _IN_UNIT.finditer(text)}
    text = _IN_UNIT.sub("", text)
    if len(units) > 1:
        return None
    if len(text) > _MAX_QUESTION or _BAD.search(text) or _FORM.search(text) or not text.endswith(("?", ".")):
        return None
    text = _HOW_WRITTEN.sub(" ", text.rstrip("?. "))
    if found := _COMPARED.fullmatch(text):
        before = found["be"] if text[:1].islower() else found["be"].capitalize()
        return Asked(f"{before} {found['one']} {GAP} than {found['two']}?", found["noun"], "many")
    if found := _FIND.match(text):
        made = _whole(text[found.start("rest") :], "Is")
        return made and made._replace(unit="".join(units))
    asked, what = _ASKED.search(text), _WHAT.search(text)
    if asked and (not what or asked.start() < what.start()):
        if not _opens(text[: asked.start()]):
            return None
        made = _counted(text[asked.end() :].strip(), asked["much"].lower())
    elif what and _opens(text[: what.start()]):
        asked = what
        verb = {"'s": "is", "’s": "is"}.get(what["be"], what["be"].strip())
        made = _whole(text[what.start("rest") :], verb)
    else:
        return None
    if made is None:
        return None
    before = text[: asked.start()]
    start = made.question if before or text[:1].islower() else made.question[:1].upper() + made.question[1:]
    return made._replace(question=before + start, unit="".join(units))


def _opens(before: str) -> bool:
    """Is this an opener that stays as it is: nothing, "Then ", "After a week, "?"""
    return (
        not before
        or before.endswith(", ")
        or before.lower() in ("in total ", "in all ", "then ", "now ", "so ")
    )


def _whole(rest: str, verb: str) -> Asked | None:
    """ "the total weight of the boxes" -> "is the total weight of the boxes {}"."""
    tail = ""
    if " which " in rest:
        return None  # "the time after which": the gap would part them
    for joint in (", if ", " if ", " after ", " when ", " assuming "):
        head, found, behind = rest.partition(joint)
        if found and "between" in head:
            return None
        if found:
            rest, tail = head.rstrip(","), f"{joint.lstrip(',')}{behind}"
            break
    words = rest.split()
    if verb in ("will", "would"):
        if words[-1] != "be":
            return None
        return Asked(f"{verb} {' '.join(words)} {GAP}{tail}?", " ".join(words[:-1]), "what")
    several = len(words) > 1 and words[1].endswith("s") and not words[1].endswith("ss")
    if len(words) < 2 or several or words[-1].lower() in ENDS:
        return None
    if any(word in BE for word in words):
        return None
    return Asked(f"{verb} {rest} {GAP}{tail}?", rest, "what")


def _counted(rest: str, word: str) -> Asked | None:
    words = rest.split()
    at = next((place for place, one in enumerate(words) if one in _AUXILIARY), None)
    if at is None:
        return _told(words, word) if word in ("many", "much") else None
    noun = " ".join(words[:at])
    if not _is_noun(noun) or (word not in ("many", "much") and at):
        return None
    auxiliary, behind = words[at], words[at + 1 :]
    if not behind or ({"after", "before", "since", "until"} & set(words[:at]) and _AUXILIARY & set(behind)):
        return None  # "how many years after it was built did ...": which of the two belongs to the question?
    if _AGE.get(word) or word == "far":
        return _sized(auxiliary, behind, word)
    if auxiliary in BE:
        price = word == "much" and not noun and auxiliary in ("is", "was") and behind[-1] != "worth"
        whole = price and is_subject(behind)
        made = " ".join([auxiliary, *behind, GAP]) if whole else _be(auxiliary, behind, noun)
    elif auxiliary in HAVE:
        made = _have(auxiliary, behind)
    elif noun == "times":
        made = _times(auxiliary, behind)
    else:
        made = _acting(auxiliary, behind, noun)
    return None if made is None else Asked(f"{made}?", noun, word)


def _is_noun(noun: str) -> bool:
    """Is what stands between "how many" and the auxiliary one noun phrase?"""
    words = noun.split()
    if len(words) > 6 or "," in noun or noun[:1].isdigit() or set(words) & _NO_NOUN:
        return False
    if "times" in words and len(words) > 1:
        return False
    if words and words[0] != "more" and words[0].endswith("er") and words[0] in _COMPARATIVES:
        return False
    return not any(is_past(one) and one not in _ADJECTIVES for one in words[1:])


def _with_there(auxiliary: str, behind: list[str]) -> str:
    """ "are {} in the box" -> "are there {} in the box"."""
    return " ".join([auxiliary, "there", GAP, *behind])


def _times(auxiliary: str, behind: list[str]) -> str | None:
    """ "times did he fold it" -> "did he fold it {}": where nothing else stands behind the verb and its object."""
    short = (2 <= len(behind) <= 5 and behind[0].lower() in PRONOUNS) or behind[0][:1].isupper()
    if not short or len(behind) > 5 or behind[1] not in VERBS or set(behind[2:]) & (BEHIND | ENDS | {"to"}):
        return None
    return " ".join([auxiliary, *behind, GAP])


def _be(auxiliary: str, behind: list[str], noun: str) -> str | None:
    first = behind[0].lower()
    if first in ("there", "that", "it"):
        return " ".join([auxiliary, behind[0], GAP, *behind[1:]])
    going = next((place for place, one in enumerate(behind) if one.endswith("ing") and len(one) > 4), None)
    if is_subject(behind[:going]) and going is not None:
        made = inserted(behind, going)
        return None if made is None else f"{auxiliary} {made}"
    if noun and (first in _PLACES or first == "left"):
        return _with_there(auxiliary, behind)
    measured = noun.split(" of ")[0].split()[-1:] in _LONG and auxiliary in ("is", "was")
    if measured and is_subject(behind[:2]) and not _AUXILIARY & set(behind) and behind[-1] not in ENDS:
        return " ".join([auxiliary, *behind, GAP])
    starts = (
        first in BEHIND
        or first in ENDS
        or first
        in (
            "left",
            "needed",
            "remaining",
            "available",
            "required",
            "not",
            "still",
            "sold",
            "empty",
            "missing",
            "present",
        )
    )
    told = len(behind) == 1 or behind[1] in BEHIND
    if noun and told and (first in _STATES or first in _DONE or (first.endswith("ed") and len(first) > 4)):
        return " ".join([auxiliary, GAP, *behind])  # "were {} eaten", "are {} absent that day"
    if noun and (starts or (is_past(first) and first not in DETERMINERS)):
        return " ".join([auxiliary, GAP, *behind])
    return " ".join([auxiliary, GAP, *behind]) if first == "left" else None


def _have(auxiliary: str, behind: list[str]) -> str | None:
    if behind[0] == "been" or (behind[0] == "not"):
        return " ".join([auxiliary, GAP, *behind])
    at = next(
        (place for place, one in enumerate(behind) if place and (is_past(one) or one.endswith("en"))), None
    )
    if at is None or not is_subject(behind[:at]):
        return None
    made = inserted(behind, at)
    return None if made is None else f"{auxiliary} {made}"


def _acting(auxiliary: str, behind: list[str], noun: str) -> str | None:
    """do, will, can: the subject, a verb in its plain form, and what follows."""
    if noun.split()[-1:] and noun.split()[-1] in _HOURS and "have to" in " ".join(behind):
        return None  # does he have 3 days, or does he have to?
    if behind[0] in VERBS | {"be"} and behind[0] not in _NOT_VERBS:  # what is counted acts itself
        if not noun or auxiliary in DO:
            return None
        if behind[0] == "be" and (behind[1:2] == ["left"] or set(behind[1:2]) & _PLACES):
            return " ".join([auxiliary, "there be", GAP, *behind[1:]])
        return " ".join([auxiliary, GAP, *behind])
    made = acted(behind)
    return None if made is None else f"{auxiliary} {made}"


def _told(words: list[str], word: str) -> Asked | None:
    """ "How many children went home" -> "did {} go home"."""
    for place, one in enumerate(words):
        if (
            place
            and one in VERBS
            and one not in _NOT_VERBS
            and words[place - 1].endswith(("s", "people", "children"))
        ):
            noun = " ".join(words[:place])
            fits = _is_noun(noun) and (
                place + 1 == len(words) or words[place + 1] in BEHIND | PARTICLES | {"to"}
            )
            return (
                Asked(f"{' '.join(['do', GAP, *words[place:]])}?", noun, word)
                if fits and word == "many"
                else None
            )
    at = next(
        (place for place, one in enumerate(words) if place and is_past(one) and one not in _ADJECTIVES), None
    )
    if at is None or not _is_noun(" ".join(words[:at])) or words[at] in ("cut", "read", "cost"):
        return None
    verb = plain(words[at])
    behind = words[at + 1 :]
    if verb is None or verb == "be" or (behind and behind[0] == "by"):
        return None
    return Asked(f"{' '.join(['did', GAP, verb, *behind])}?", " ".join(words[:at]), word)


def _sized(auxiliary: str, behind: list[str], word: str) -> Asked | None:
    """ "How tall is the tree now" -> "is the tree {} tall now"."""
    tail: list[str] = []
    while behind and behind[-1] in ("now", "today"):
        tail = [behind[-1], *tail]
        behind = behind[:-1]
    kind = _AGE[word]
    if word == "far":
        place = next((at for at, one in enumerate(behind) if one in ("from",)), None)
        if auxiliary in BE and place and is_subject(behind[:place]):
            return Asked(" ".join([auxiliary, *behind[:place], GAP, *behind[place:], *tail]) + "?", "", word)
        if auxiliary in DO | _MODAL and (made := acted(behind)):
            return Asked(" ".join([auxiliary, made, *tail]) + "?", "", word)
        return None
    if auxiliary in _MODAL and "be" in behind[1:] and (be := behind.index("be")) and is_subject(behind[:be]):
        return Asked(
            " ".join([auxiliary, *behind[: be + 1], GAP, kind, *behind[be + 1 :], *tail]) + "?", "", word
        )
    if auxiliary not in BE or not is_subject(behind):
        return None
    return Asked(" ".join([auxiliary, *behind, GAP, kind, *tail]) + "?", "", word)
