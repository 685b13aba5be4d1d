"""Exchanges of two neighbouring sentences of a body."""

from __future__ import annotations

import re

from dnc_datasets import numerals
from dnc_datasets.english.lexicon import (
    FINITE_PRESENT,
    PRONOUNS,
    SENTENCE_OPENERS,
    STATIVE_VERBS,
    is_past,
    plain,
)
from dnc_datasets.english.reading.dependence import connected, elliptical, has_pronoun, refers_to
from dnc_datasets.english.reading.people import SUBJECT_PRONOUN, antecedent, people
from dnc_datasets.english.reading.quantities import counted
from dnc_datasets.english.reading.sentences import sentences

_GENERIC = re.compile(r"(?:each|every) ", re.IGNORECASE)
_STATIVE = re.compile(
    r"\b(?:is|are|has|have|needs?|wants?|costs?|can|holds?|contains?|will|weighs?|equals?|earns|"
    r"charges|lasts|serves|requires|fits|plans)\b"
)
# "Amy takes 3 pens" is an event; "Amy takes 3 pills a day" is a state.
_DOES = re.compile(r"\b(?:takes|uses|makes|sells|gives|carries|reads|eats|drinks|walks)\b")
_REGULARLY = re.compile(r"\b(?:a|each|every|per|to school)\b")
_OUTSIDE = re.compile(
    r"\b(?:it|its|this|that|these|those|first|second|latter|former|respectively)\b", re.IGNORECASE
)


def _is_stative(sentence: str) -> bool:
    """Return whether the sentence describes a state and not an event."""
    does = _DOES.search(sentence)
    return bool(_STATIVE.search(sentence) or (does and _REGULARLY.search(sentence, does.end())))


def swapped(body: str, question: str) -> str | None:
    """Exchange two neighbouring sentences that are independent of each other.

    >>> swapped("Amy has 3 pens. Ben has 5 pens.", "How many pens do they have?")
    'Ben has 5 pens. Amy has 3 pens.'
    """
    parts = sentences(body)
    for at in range(len(parts) - 1):
        first, second = parts[at], parts[at + 1]
        if not (numerals.find(first) and first.endswith(".") and second.endswith(".")):
            continue
        rest = parts[at + 2 :]
        if any(has_pronoun(part) or connected(part) for part in rest):
            continue
        if _follows(first, second) or (at == 0 and _FRAME.match(first) and not _FRAME.match(second)):
            continue
        if _BARE_SHARE.search(second) or (_OFFERS.match(first) and people(second)):
            continue
        second = _completed(first, second)
        pair = _renamed(first, second) or _done_twice(first, second) or _now_first(first, second, at == 0)
        if pair is not None:
            first, second = pair
        elif not _independent(first, second):
            continue
        changed = " ".join([*parts[:at], second, first, *rest])
        if _OUTSIDE.search(question) or not _same_people(question, body, changed):
            continue
        return changed
    return None


# "Every girl gets a 90%.": the sentence before it gives the base.
_BARE_SHARE = re.compile(r"\d%[.,]")
# "A shop sells pens for $2. Ann buys 3 pens.": the second sentence implies "there".
_OFFERS = re.compile(r"An? [a-z]+(?: [a-z]+)? (?:sells?|sold|charges?|charged|offers?|offered) ")
# "In a game, Ann has 8 points.": the opening phrase applies to all sentences.
_FRAME = re.compile(r"(?:In|At|On|During|For) [^,]{1,80}, ")
_EACH_ONE = re.compile(r"\b(?:[Ee]ach|[Ee]very) ([a-z]+)")
# "A test has 45 questions. 17 questions are hard."; "Gabe has three songs. 'Now' is 3 minutes long."
_COUNTED_FIRST = re.compile(
    r"(?:\w+|\w+-\w+) (?:[a-z-]+ )?(?P<noun>[a-z]+) (?:are|were|is|was|have|has|had|come|came)\b"
)
# "Ann has 25 guests. Each table holds 4 guests.": true of any table.
_HOLDS = re.compile(r"(?:Each|Every) [a-z]+ (?:can |will )?(?:holds?|seats?|fits?|costs?)\b")
_QUOTED = re.compile(r"[\"'“‘]")


def _follows(first: str, second: str) -> bool:
    """Return whether the second sentence refers to something that the first introduces.

    It mentions "the ticket", or each of the things: "An opera house has 150 rows. The ticket costs $10."
    """
    if second.startswith("The ") and not first.startswith("The "):
        return True
    if _GENERIC.match(second) and not _GENERIC.match(first) and not (_HOLDS.match(second) and people(first)):
        return True  # "A box holds 18 cups. Each serving is 2 cups."
    if _QUOTED.match(second) and not _QUOTED.match(first):
        return True
    spoken_of = [each[1] for each in _EACH_ONE.finditer(second)]
    if (counts := _counted_first(second)) and not _counted_first(first):
        spoken_of.append(counts)
    return any(re.search(rf"\b{noun.removesuffix('s')}(?:e?s)?\b", first) for noun in spoken_of)


def _counted_first(sentence: str) -> str:
    """Return the noun that the sentence counts at its start ("17 questions are"), otherwise ""."""
    counts = _COUNTED_FIRST.match(sentence)
    return counts["noun"] if counts and numerals.find(sentence[: counts.start("noun")]) else ""


def _completed(first: str, second: str) -> str:
    """Rewrite "Ben has 5" after "Amy has 9 pens" as "Ben has 5 pens"."""
    one, other = counted(first), counted(second)
    bare = re.match(r"(?:(?:Mr|Mrs|Ms)\. )?[A-Z][a-z]+ [a-z]+ [^$\s]+\.$", second)
    if bare and len(one) == len(other) == 1 and one[0].noun and second[other[0].end :] == ".":
        return f"{second[:-1]} {one[0].noun}."
    return second


_STATES = r"(?:already )?(?:has|have|needs|wants|can|is|owes|weighs|plans|knows)\b"
_NAMED = re.compile(rf"(?P<who>(?:(?:Mr|Mrs|Ms|Dr)\. )?[A-Z][a-z]+) (?=(?:{_STATES}|had |saved ))")
_SAID_AGAIN = re.compile(
    rf"(?P<who>He|She) (?=(?:also )?{_STATES}|(?:has|had|saved) [\w$.,-]+ (?:more|fewer|less)\b)"
)
_BOUND = re.compile(
    r"\b(?:it|its|them|they|then|later|now|another|others?|rest|left|remaining|these|those|this|still|again|of|some|"
    r"also|one|total|so|but|each|every)\b"
)


_WHEN = re.compile(
    r" (?:on (?:[A-Z][a-z]+day|the [a-z]+ day)|in the (?:morning|afternoon|evening)|yesterday|today|"
    r"last [a-z]+|this [a-z]+|at (?:the [a-z]+|lunch|dinner)|for (?:her|his|the) [a-z ]+|in [A-Z][a-z]+)\b"
)
_DID = re.compile(r"(?P<who>(?:(?:Mr|Mrs|Ms|Dr)\. )?[A-Z][a-z]+) (?P<verb>[a-z]+) ")
_DID_AGAIN = re.compile(r"(?P<who>He|She) (?P<verb>[a-z]+) ")


def _done_twice(first: str, second: str) -> tuple[str, str] | None:
    """Exchange "Amy ran 3 miles on Monday" and "She ran 5 miles on Sunday"."""
    did, again = _DID.match(first), _DID_AGAIN.match(second)
    if did is None or again is None or did["verb"] != again["verb"] or not is_past(did["verb"]):
        return None
    if antecedent("m" if again["who"] == "He" else "f", first) != did["who"]:
        return None
    if (
        elliptical(first)
        or elliptical(second)
        or _BOUND.search(first.replace(" of ", " ") + second.replace(" of ", " "))
    ):
        return None
    if re.search(r"\bmore\b", second) or not (_WHEN.search(first) and _WHEN.search(second)):
        return None
    if len(_WHEN.findall(f"{first} {second}")) > 2:
        return None  # a chronological series: May, then June and July
    return again["who"] + first[did.end("who") :], did["who"] + second[again.end("who") :]


def _now_first(first: str, second: str, opening: bool) -> tuple[str, str] | None:
    """Rewrite "Amy lost 3 pens. Now she has 9." as "Amy has 9 pens now. Earlier, she lost 3 pens"."""
    now = re.match(
        r"Now,? (?P<who>he|she|(?:(?:Mr|Mrs|Ms)\. )?[A-Z][a-z]+) (?P<only>only )?has (?P<rest>.*)\.$", second
    )
    if now is None or re.search(
        r"\b(?:now|then|later|some|after|before|more|total|all)\b", first + now["rest"], re.I
    ):
        return None
    one, other = counted(first), counted(now["rest"])
    if len(one) != 1 or len(other) != 1:
        return None
    did = re.match(
        r"(?P<where>(?:At|For|During|In) [^,A-Z]*,? )?"
        r"(?P<who>(?:An?|The) [a-z]+|(?:(?:Mr|Mrs|Ms|Dr)\. )?[A-Z][a-z]+) (?P<verb>[a-z]+) ",
        first,
    )
    if did is None or not is_past(did["verb"]) or did["where"]:
        return None
    gender = {"he": "m", "she": "f"}.get(now["who"]) or next(
        (g for g in "mf" if antecedent(g, first) == now["who"]), ""
    )
    pronoun = SUBJECT_PRONOUN.get(gender, "")
    if did["who"] in ("He", "She"):
        if opening:
            return None
        pronoun = did["who"].lower()
        who = now["who"]
        if who in ("he", "she") and who != pronoun:
            return None
    else:
        who = did["who"]
        if not pronoun or (now["who"] not in ("he", "she") and now["who"] != who):
            return None
        if (
            now["who"] in ("he", "she")
            and antecedent(gender, first) != who[0].lower() + who[1:]
            and antecedent(gender, first) != who
        ):
            return None
    rest = now["rest"]
    if not other[0].noun and rest[other[0].start - 1 : other[0].start] != "$":
        if not one[0].noun:
            return None
        rest = f"{rest[: other[0].end]} {one[0].noun}{rest[other[0].end :]}"
    then = first[did.end("who") :]
    return f"Earlier, {pronoun}{then}", f"{who[0].upper() + who[1:]} {now['only'] or ''}has {rest} now."


def _renamed(first: str, second: str) -> tuple[str, str] | None:
    """Exchange "Amy has 9 pens" and "She needs 5", with the name in the new first sentence."""
    before, again = _SAID_AGAIN.match(first), _SAID_AGAIN.match(second)
    if (
        before
        and again
        and before["who"] == again["who"]
        and not _BOUND.search(second.replace("pieces of ", ""))
    ):
        plain_facts = not re.search(r"\b(?:more|fewer|less|than|had|saved)\b", second + first)
        return (
            (first, second)
            if plain_facts and not elliptical(second) and not refers_to(second, first)
            else None
        )
    named = _NAMED.match(first)
    if named is None or again is None or named["who"].lower() in SENTENCE_OPENERS:
        return None
    gender = "m" if again["who"] == "He" else "f"
    if antecedent(gender, first) != named["who"] or _BOUND.search(
        second[again.end() :].replace("pieces of ", "")
    ):
        return None
    if has_pronoun(first) and not _only_inside(first):
        return None
    comparison = re.search(r" (?:more|fewer|less) (?:[a-z]{1,30} ){0,9}than ([A-Z][a-z]{1,30})\.$", second)
    things, others = counted(first), counted(second)
    if len(things) != 1 or len(others) != 1:
        return None
    if comparison is None:
        if re.search(r"\b(?:more|fewer|less|than|had|saved)\b", second + first) or elliptical(second):
            return None
        if refers_to(second, first):
            return None
        return again["who"] + first[named.end() - 1 :], named["who"] + second[again.end() - 1 :]
    if others[0].noun in ("", "more", "fewer") and second[others[0].start - 1] != "$":
        if not things[0].noun:
            return None
        second = re.sub(r" (more|fewer|less) than ", rf" \1 {things[0].noun} than ", second)
    return first, named["who"] + second[again.end() - 1 :]


def _independent(first: str, second: str) -> bool:
    """Return whether the second sentence can precede the first."""
    if _GENERIC.match(second):
        second = re.sub(r" (?:in|on|inside) it\.$", ".", second)
    if has_pronoun(second) or connected(second) or elliptical(second) or refers_to(second, first):
        return False
    if (has_pronoun(first) and (people(second) or not _only_inside(first))) or connected(first):
        return False
    if elliptical(first):
        return False
    if _GENERIC.match(second) or re.search(r"\b(?:each|every)\b", second):
        # "Each bag holds 5" is true of any bag; "each bag held 5" refers to bags that were mentioned.
        stated = any(is_past(word) for word in second.split()[2:4])
        return not is_event(first) or (bool(_GENERIC.match(second)) and not stated)
    ones, others = people(first), people(second)
    if is_event(first) or is_event(second):
        # Two events are independent only if different people do the same thing.
        doers = [person.phrase for person in ones if person.subject], [p.phrase for p in others if p.subject]
        same = main_verb(first) == main_verb(second) is not None
        if same and not ones and not others:
            return bool(_WHEN.search(first) and _WHEN.search(second))
        return same and all(doers) and not set(doers[0]) & set(doers[1])
    return True


def _only_inside(sentence: str) -> bool:
    """Return whether every pronoun has its antecedent earlier in the same sentence."""
    for match in re.finditer(r"\b(?:" + "|".join(PRONOUNS) + r")\b", sentence, re.IGNORECASE):
        if antecedent(PRONOUNS[match[0].lower()][0], sentence[: match.start()] + " had") is None:
            return False
    return not re.search(r"\b(?:it|its)\b", sentence, re.IGNORECASE)


def is_event(sentence: str) -> bool:
    """Return whether the sentence describes an event, not a state."""
    verb = main_verb(sentence)
    if re.search(
        r"\b(?:are|is|were|was|be) (?:(?!red\b)[a-z]+ed|sold|eaten|given|taken|cut|broken|put|lost)\b",
        sentence,
    ):
        return True
    return verb is None or (verb not in STATIVE_VERBS and not _is_stative(sentence))


def main_verb(sentence: str) -> str | None:
    """Return the base form of the first verb; None where no verb is known."""
    for word in re.findall(r"(?<![-\w])[a-z']+", sentence):
        if word in FINITE_PRESENT or plain(word):
            return plain(word) or word
    return None


def _same_people(question: str, before: str, after: str) -> bool:
    """Return whether every pronoun of the question keeps its antecedent."""
    for match in re.finditer(r"\b(?:" + "|".join(PRONOUNS) + r")\b", question, re.IGNORECASE):
        gender = PRONOUNS[match[0].lower()][0]
        meant = antecedent(gender, before)
        if gender != "p" and (meant is None or meant != antecedent(gender, after)):
            return False
    return True
