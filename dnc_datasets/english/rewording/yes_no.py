"""Yes-or-no forms of questions: "How many pens did Tom buy?" -> "Did Tom buy {} pens?", with a gap.

Parsing starts at the auxiliary. An uncertain question gives None.
"""

from __future__ import annotations

import re
from typing import NamedTuple

from dnc_datasets.english.lexicon import (
    COMPARATIVES,
    DETERMINERS,
    MEASURE_ADJECTIVES,
    MODALS,
    NOT_IN_ASKED_NOUN,
    NOUNS_LIKE_VERBS,
    PARTICIPLE_ADJECTIVES,
    PARTICLES,
    PASSIVE_PARTICIPLES,
    PHRASE_STARTERS,
    PLACE_PREPOSITIONS,
    PLURAL_UNIT,
    PREDICATES,
    QUESTION_VERBS,
    STATE_ADJECTIVES,
    STRANDED_PREPOSITIONS,
    SUBJECT_PRONOUNS,
    TIME_UNITS,
    is_past,
    is_plural,
    plain,
)
from dnc_datasets.english.rewording.gaps import BE, DO, GAP, HAVE, acted, inserted, is_subject

_MAX_QUESTION = 400
_ASKED = re.compile(r"\b[Hh]ow (?P<much>[Mm]uch|many|much|long|far|tall|old|deep|high|wide|heavy)\b")
_PERCENT = re.compile(
    r"How many (?:in )?percent (?:(?P<of>of [a-z][A-Za-z' ]{1,50}) )?(?P<be>are|were)(?: not|n't) (?P<what>[A-Za-z0-9][^?,;]{1,80})\?"
)
_WHAT = re.compile(
    r"\b[Ww]hat(?P<be> is| was|'s|’s| will| would) (?P<rest>(?:the|his|her|their|its|[A-Z][a-z]{1,20}'s) )"
)
_COMPARED = re.compile(
    rf"[Hh]ow many (?P<noun>(?:{PLURAL_UNIT}) "
    r"(?:older|younger|taller|shorter|longer|heavier|lighter|higher|deeper|farther)) (?P<be>is|was) "
    r"(?P<one>[A-Z][a-z]{1,20}(?:'s [a-z]{2,15})?|(?:the|his|her) [a-z]{2,15}(?: [a-z]{2,15})?) than "
    r"(?P<two>[A-Za-z][A-Za-z' ]{1,40})"
)
_FIND = re.compile(r"\A(?:[Cc]alculate|[Ff]ind|[Dd]etermine|[Cc]ompute) (?P<rest>the )")
_AUXILIARY = DO | MODALS | BE | HAVE
_LONG = (["yards"], ["miles"], ["feet"], ["meters"], ["kilometers"], ["inches"], ["acres"], ["pounds"])
_HOW_WRITTEN = re.compile(r",? (?:in total|in all|on average), ")
_BAD = re.compile(
    r"[\"“”();]|\b(?:about|approximately|estimate|fraction|percent|percentage|or|not|whose|"
    r"at least|at most|exactly|less than|fewer than|more than)\b|[?!].|(?<!\bMr)(?<!\bMrs)(?<!\bMs)(?<!\bDr)\.."
)
# "in dollars", "to the nearest tenth": the format of the answer.
_IN_UNIT = re.compile(
    rf"(?:,? \(in (?P<bracketed>{PLURAL_UNIT})\)|,? in (?P<unit>{PLURAL_UNIT}))(?:,|(?=[ ?])|\Z)"
)
_PER_UNIT = re.compile(rf"\bin (?:{PLURAL_UNIT}) (?:per|a|an) ")
_FORM = re.compile(r"\bnearest\b|\bround|\bin (?:cents|square|cubic|terms)\b|\bexpress|\bworth of\b")


class Asked(NamedTuple):
    """A yes-or-no question with a gap, its counted noun ("red pens", "money"), and its question word."""

    question: str
    noun: str
    word: str  # many, much, long, far, ..., what
    unit: str = ""  # where the question says in which unit: "how long, in hours,"


def with_gap(question: str) -> Asked | None:
    """Return the question with a gap for the number that it asks for; None where it cannot be parsed.

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
    """Return whether these words can open a yes-or-no question: "", "Then ", "After a week, "."""
    return (
        not before
        or before.endswith(", ")
        or before.lower() in ("in total ", "in all ", "then ", "now ", "so ")
    )


def _whole(rest: str, verb: str) -> Asked | None:
    """Rewrite "the total weight of the boxes" as "is the total weight of the boxes {}"."""
    tail = ""
    if " which " in rest:
        return None  # "the time after which": the gap would part them
    for joint in (", if ", " if ", " after ", " when ", " assuming "):
        head, found, after = rest.partition(joint)
        if found and "between" in head:
            return None
        if found:
            rest, tail = head.rstrip(","), f"{joint.lstrip(',')}{after}"
            break
    words = rest.split()
    if verb in ("will", "would"):
        if words[-1] != "be":
            return None
        return Asked(f"{verb} {' '.join(words)} {GAP}{tail}?", " ".join(words[:-1]), "what")
    several = len(words) > 1 and is_plural(words[1])
    if len(words) < 2 or several or words[-1].lower() in STRANDED_PREPOSITIONS:
        return None
    if any(word in BE for word in words):
        return None
    return Asked(f"{verb} {rest} {GAP}{tail}?", rest, "what")


def _counted(rest: str, word: str) -> Asked | None:
    words = rest.split()
    at = next((place for place, one in enumerate(words) if one in _AUXILIARY), None)
    if at is None:
        return _counted_subject(words, word) if word in ("many", "much") else None
    noun = " ".join(words[:at])
    if not _is_noun(noun) or (word not in ("many", "much") and at):
        return None
    auxiliary, after = words[at], words[at + 1 :]
    if not after or ({"after", "before", "since", "until"} & set(words[:at]) and _AUXILIARY & set(after)):
        return None  # "how many years after it was built did ...": the auxiliary of the question is ambiguous
    if MEASURE_ADJECTIVES.get(word) or word == "far":
        return _sized(auxiliary, after, word)
    if auxiliary in BE:
        price = word == "much" and not noun and auxiliary in ("is", "was") and after[-1] != "worth"
        whole = price and is_subject(after)
        made = " ".join([auxiliary, *after, GAP]) if whole else _be(auxiliary, after, noun)
    elif auxiliary in HAVE:
        made = _have(auxiliary, after)
    elif noun == "times":
        made = _times(auxiliary, after)
    else:
        made = _acting(auxiliary, after, noun)
    return None if made is None else Asked(f"{made}?", noun, word)


def _is_noun(noun: str) -> bool:
    """Return whether the words between "how many" and the auxiliary are one noun phrase."""
    words = noun.split()
    if len(words) > 6 or "," in noun or noun[:1].isdigit() or set(words) & NOT_IN_ASKED_NOUN:
        return False
    if "times" in words and len(words) > 1:
        return False
    if words and words[0] != "more" and words[0].endswith("er") and words[0] in COMPARATIVES:
        return False
    return not any(is_past(one) and one not in PARTICIPLE_ADJECTIVES for one in words[1:])


def _with_there(auxiliary: str, after: list[str]) -> str:
    """Rewrite "are {} in the box" as "are there {} in the box"."""
    return " ".join([auxiliary, "there", GAP, *after])


def _times(auxiliary: str, after: list[str]) -> str | None:
    """Rewrite "times did he fold it" as "did he fold it {}", if nothing follows the verb and its object."""
    short = (2 <= len(after) <= 5 and after[0].lower() in SUBJECT_PRONOUNS) or after[0][:1].isupper()
    if (
        not short
        or len(after) > 5
        or after[1] not in QUESTION_VERBS
        or set(after[2:]) & (PHRASE_STARTERS | STRANDED_PREPOSITIONS | {"to"})
    ):
        return None
    return " ".join([auxiliary, *after, GAP])


def _be(auxiliary: str, after: list[str], noun: str) -> str | None:
    first = after[0].lower()
    if first in ("there", "that", "it"):
        return " ".join([auxiliary, after[0], GAP, *after[1:]])
    going = next((place for place, one in enumerate(after) if one.endswith("ing") and len(one) > 4), None)
    if is_subject(after[:going]) and going is not None:
        made = inserted(after, going)
        return None if made is None else f"{auxiliary} {made}"
    if noun and (first in PLACE_PREPOSITIONS or first == "left"):
        return _with_there(auxiliary, after)
    measured = noun.split(" of ")[0].split()[-1:] in _LONG and auxiliary in ("is", "was")
    if (
        measured
        and is_subject(after[:2])
        and not _AUXILIARY & set(after)
        and after[-1] not in STRANDED_PREPOSITIONS
    ):
        return " ".join([auxiliary, *after, GAP])
    starts = first in PHRASE_STARTERS or first in STRANDED_PREPOSITIONS or first in PREDICATES
    stated = len(after) == 1 or after[1] in PHRASE_STARTERS
    if (
        noun
        and stated
        and (
            first in STATE_ADJECTIVES
            or first in PASSIVE_PARTICIPLES
            or (first.endswith("ed") and len(first) > 4)
        )
    ):
        return " ".join([auxiliary, GAP, *after])  # "were {} eaten", "are {} absent that day"
    if noun and (starts or (is_past(first) and first not in DETERMINERS)):
        return " ".join([auxiliary, GAP, *after])
    return " ".join([auxiliary, GAP, *after]) if first == "left" else None


def _have(auxiliary: str, after: list[str]) -> str | None:
    if after[0] == "been" or (after[0] == "not"):
        return " ".join([auxiliary, GAP, *after])
    at = next(
        (place for place, one in enumerate(after) if place and (is_past(one) or one.endswith("en"))), None
    )
    if at is None or not is_subject(after[:at]):
        return None
    made = inserted(after, at)
    return None if made is None else f"{auxiliary} {made}"


def _acting(auxiliary: str, after: list[str], noun: str) -> str | None:
    """Return a question with "do", "will" or "can", with a gap after its plain verb."""
    if noun.split()[-1:] and noun.split()[-1] in TIME_UNITS | {"time"} and "have to" in " ".join(after):
        return None  # does he have 3 days, or does he have to?
    if (
        after[0] in QUESTION_VERBS | {"be"} and after[0] not in NOUNS_LIKE_VERBS
    ):  # the counted noun is the subject
        if not noun or auxiliary in DO:
            return None
        if after[0] == "be" and (after[1:2] == ["left"] or set(after[1:2]) & PLACE_PREPOSITIONS):
            return " ".join([auxiliary, "there be", GAP, *after[1:]])
        return " ".join([auxiliary, GAP, *after])
    made = acted(after)
    return None if made is None else f"{auxiliary} {made}"


def _counted_subject(words: list[str], word: str) -> Asked | None:
    """Rewrite "How many children went home" as "did {} go home"."""
    for place, one in enumerate(words):
        if place and one in QUESTION_VERBS and one not in NOUNS_LIKE_VERBS and is_plural(words[place - 1]):
            noun = " ".join(words[:place])
            fits = _is_noun(noun) and (
                place + 1 == len(words) or words[place + 1] in PHRASE_STARTERS | PARTICLES | {"to"}
            )
            return (
                Asked(f"{' '.join(['do', GAP, *words[place:]])}?", noun, word)
                if fits and word == "many"
                else None
            )
    at = next(
        (
            place
            for place, one in enumerate(words)
            if place and is_past(one) and one not in PARTICIPLE_ADJECTIVES
        ),
        None,
    )
    if at is None or not _is_noun(" ".join(words[:at])) or words[at] in ("cut", "read", "cost"):
        return None
    verb = plain(words[at])
    after = words[at + 1 :]
    if verb is None or verb == "be" or (after and after[0] == "by"):
        return None
    return Asked(f"{' '.join(['did', GAP, verb, *after])}?", " ".join(words[:at]), word)


def _sized(auxiliary: str, after: list[str], word: str) -> Asked | None:
    """Rewrite "How tall is the tree now" as "is the tree {} tall now"."""
    tail: list[str] = []
    while after and after[-1] in ("now", "today"):
        tail = [after[-1], *tail]
        after = after[:-1]
    kind = MEASURE_ADJECTIVES[word]
    if word == "far":
        place = next((at for at, one in enumerate(after) if one in ("from",)), None)
        if auxiliary in BE and place and is_subject(after[:place]):
            return Asked(" ".join([auxiliary, *after[:place], GAP, *after[place:], *tail]) + "?", "", word)
        if auxiliary in DO | MODALS and (made := acted(after)):
            return Asked(" ".join([auxiliary, made, *tail]) + "?", "", word)
        return None
    if auxiliary in MODALS and "be" in after[1:] and (be := after.index("be")) and is_subject(after[:be]):
        return Asked(
            " ".join([auxiliary, *after[: be + 1], GAP, kind, *after[be + 1 :], *tail]) + "?", "", word
        )
    if auxiliary not in BE or not is_subject(after):
        return None
    return Asked(" ".join([auxiliary, *after, GAP, kind, *tail]) + "?", "", word)
