"""Facts: subject, verb, number and counted noun of the clauses of a body."""

from __future__ import annotations

import re
from fractions import Fraction
from typing import NamedTuple

from dnc_datasets.english.lexicon import GROUPS, PRONOUNS, SUBJECT_OPENERS, VERBS_BEFORE_TO, is_past, plain
from dnc_datasets.english.reading.lists import TIED_BUT_TIMES, members
from dnc_datasets.english.reading.people import KIN, antecedent, possessive
from dnc_datasets.english.reading.quantities import Counted, counted
from dnc_datasets.english.reading.sentences import sentences
from dnc_datasets.memoization import memoized


class Fact(NamedTuple):
    """One clause with one number: "Then he gave 5 red pens to Tom" -> he, gave, 5, red pens, to Tom."""

    who: str  # as in the text, or "there"
    verb: str  # as in the text
    particle: str  # " away", " him": the words between the verb and the number
    value: Fraction
    number: str
    noun: str  # empty where the clause leaves it out
    money: bool
    more: bool  # "5 more pens", "another 5 pens"
    tail: str
    sentence: int
    when: str = ""  # the phrase before the subject: "on Monday", "in the first half"

    @property
    def past(self) -> bool:
        """Return whether the verb is in the past tense."""
        return is_past(self.verb)

    @property
    def plain(self) -> str:
        """The plain form of the verb, as it follows "did" in a question."""
        return plain(self.verb) or self.verb

    @property
    def head(self) -> str:
        """The head noun of the phrase: "pieces" of "pieces of candy"."""
        return self.noun.split(" of ")[0].split()[-1] if self.noun else ""


_GROUP = "|".join(sorted(GROUPS))
_MANY = (
    "parents|teachers|students|boys|girls|children|kids|workers|players|members|scouts|farmers|women|men|neighbors|"
    "(?:first|second|third|fourth|fifth) graders"
)
_NO_NAME = (
    r"(?!(?:The|An?|His|Her|Their|My|Our|Your|This|That|These|Each|Every|Some|All|If|In|On|At|For|After|Then|Later|"
    r"Now|One|When|While|During|Both|Another)\b)"
)
_WHO = (
    rf"(?:(?i:he|she|they|we|i|you|there)|{_NO_NAME}(?:(?:Mr|Mrs|Ms|Dr)\. )?[A-Z][a-z]+(?:'s (?:[a-z]+ )?(?:{KIN}|{_GROUP}))?|[Tt]he [A-Z][a-z]+s|[Tt]he (?:{_MANY})|"
    rf"(?i:his|her|their|the|a|an|my|our) (?:[a-z]+ ){{0,2}}(?:{KIN}|{_GROUP})|"
    r"(?i:the|a|an) [a-z]+(?: [a-z]+)?(?: of [A-Z][a-z]+)?(?= (?:has|had|contains|contained|holds|held|sold|bought|ordered) ))"
)
_CLAUSE = re.compile(
    r"(?P<pre>(?:(?i:then|later|now|also|if|for|on|at|in|during|after|by|while|when|yesterday|today|last|this|next|"
    r"one|the next|the first|the second|that day)\b[^,]*?,? |[A-Z][^,]*, )?)"
    rf"(?P<who>{_WHO}) (?P<adverb>(?:also|then|already|only|just|now|still) )?(?P<verb>(?!(?:he|she|they|we|you|it)\b)[a-z]+)"
    r"(?P<particle>(?: [A-Za-z]+){0,3}?)(?: a total of)? $"
)
_BAD_TAIL = re.compile(
    r"[,;:(\"]|\b(?:and|but|so|if|because|which|that|who|while|when|until|than|each|every|per|them|rest|then|left over)\b"
)
_BAD_PARTICLE = re.compile(
    r"\b(?:to(?! the\b)|and|that|if|not|but|a|an|with|of|from|than|total|between|every|each)\b"
)


@memoized
def facts(body: str) -> list[Fact]:
    """Return the facts of a body in order. A number whose clause cannot be read gives no fact.

    >>> [(fact.who, fact.verb, fact.number, fact.noun, fact.tail) for fact in facts("Amy gave 5 pens to Tom.")]
    [('Amy', 'gave', '5', 'pens', ' to Tom')]
    """
    found = []
    for at, sentence in enumerate(sentences(body)):
        for clause in _clauses(sentence):
            fact = _fact(clause, at)
            if fact is not None:
                found.append(fact)
    return found


def _clauses(sentence: str) -> list[str]:
    """Return the self-contained parts of a sentence that hold one number each."""
    text = sentence.rstrip(" .,")
    parts = [part for piece in _AND_SUBJECT.split(text) for part in _shared_subject(piece)]
    return parts if all(len(counted(part)) == 1 for part in parts) else [text]


_AND_SUBJECT = re.compile(
    r",? (?:and then|and|but|while) (?=(?:he|she|they|you|we|his|her|[A-Z][a-z]+|the) )"
)
_AND_VERB = re.compile(r",? (?:and then|but then|and|but)(?: later)? (?=(?P<verb>[a-z]+) )")


def _shared_subject(clause: str) -> list[str]:
    """Split "She sold 5 pens and then bought 3 cups" into two clauses, each with its subject."""
    for joint in _AND_VERB.finditer(clause):
        opened = re.match(rf"(?:If |Then )?(?P<who>{_WHO}) ", clause)
        if (
            opened
            and is_past(joint["verb"])
            and counted(clause[: joint.start()])
            and counted(clause[joint.end() :])
        ):
            return [clause[: joint.start()], f"{opened['who']} {clause[joint.end() :]}"]
    return [clause]


_TO_DO = re.compile(r" to [a-z]+$")


def _readable(match: re.Match[str]) -> bool:
    """Return whether the verb of the clause is known and no other word changes its meaning."""
    verb = plain(match["verb"])
    if match["who"] == "It" or verb is None:
        return False
    # "had won" is one verb. "the school bake sale Maria made" is a misread clause.
    if match["verb"] not in ("had", "has", "have") and any(
        is_past(word) for word in match["particle"].split()
    ):
        return False
    return not _BAD_PARTICLE.search(match["particle"]) or (
        verb in VERBS_BEFORE_TO and bool(_TO_DO.match(match["particle"]))
    )


_AFTER_NUMBER = re.compile(
    r"$| (?:to|on|in|at|for|from|left|during|by|with|away|out|back|up|last|this|yesterday|today|buying|at|now|online|"
    r"after|before|off|into)\b"
)
_WHEN = re.compile(
    r"(?:On|In|At|During|Last|This|Yesterday|Today|The (?:first|second|next) (?:day|week|month|year))\b"
)
# "She gave some of her cards to Tom and now has 9": the clause about now is self-contained.
_NOW_HAS = re.compile(
    r"(?P<who>[A-Z][a-z]{1,30}) [a-z]{1,30} [^,\d]{0,200}? (?:and|but) (?P<has>(?:now|only|still) (?:has|had|have) )$|"
    r"[A-Z][^,\d]{0,200} (?:and|but) (?=now (?:he|she|they) (?:has|had|have) $)"
)
_COUNTED_FIRST = re.compile(r"(?:If |(?:At|In|On|During|After) [^,]*, |(?:Then|Later) )?$")
_PLACE_FIRST = re.compile(r"(?:At|In|On|During|After) (?:the|a) [a-z]+(?: [a-z]+)? $")


def _fact(clause: str, at: int) -> Fact | None:
    items = counted(clause)
    if len(items) != 1:
        return None
    item = items[0]
    if _COUNTED_FIRST.match(clause[: item.start]):
        return _about_the_counted(clause, item, at)
    money = clause[item.start - 1 : item.start] == "$"
    start = item.start - money
    another = clause[:start].endswith("another ")
    before = clause[: start - len("another ")] if another else clause[:start]
    match = _CLAUSE.match(before) or _CLAUSE.match(_NOW_HAS.sub(_now_has, before))
    if match is None and _PLACE_FIRST.match(before):
        return _about_the_counted(clause, item, at)
    if match is None or not _readable(match):
        return None
    noun, end = item.noun, item.noun_end
    more = another or noun.startswith("more ")
    noun = noun.removeprefix("more ")
    if not noun and clause[end:].startswith(" more"):
        more, end = True, end + len(" more")
    if of := _OF_THEM.match(clause[end:]):
        end += of.end()
    tail = clause[end:]
    if not noun and not money and not _AFTER_NUMBER.match(tail):
        return None  # "20 M&M's": there is a noun, but no rule reads it
    if _BAD_TAIL.search(tail) or len(tail.split()) > 9:
        return None
    return Fact(
        _small(match["who"]),
        match["verb"],
        match["particle"],
        item.value,
        item.text,
        noun,
        money,
        more,
        tail,
        at,
        _when(match["pre"]),
    )


def _now_has(match: re.Match[str]) -> str:
    return f"{match['who']} {match['has']}" if match["who"] else ""


# "13 of his video games to a friend", "13 of them"
_OF_THEM = re.compile(
    r" of (?:them|(?:his|her|the|their) [a-z]+(?: [a-z]+s(?=$| (?:to|for|at|in|on|from|away)\b))?)\b"
)


def _when(opening: str) -> str:
    """Return an opening phrase as the end of a clause: "On Monday, " -> "on Monday"."""
    text = opening.strip(" ,")
    if not _WHEN.match(text):
        return ""
    text = re.sub(r" an? ", " the ", text[0].lower() + text[1:])
    return f"in {text}" if text.startswith("the ") else text


def _about_the_counted(clause: str, item: Counted, at: int) -> Fact | None:
    """Read "3 birds flew away": the counted things are the subject, so `who` is empty."""
    noun, end = item.noun, item.noun_end
    if not noun and (of := re.match(r" of (?:them|(?:the|his|her) (?P<noun>[a-z]+))(?= )", clause[end:])):
        noun, end = of["noun"] or "", end + of.end()
        if not noun:
            return None
    did = re.match(r" (?P<verb>[a-z]+)(?P<tail>.*)$", clause[end:])
    if noun and did is None and (words := noun.split())[-1:] and is_past(words[-1]):
        return None
    if did is None or not is_past(did["verb"]) or _BAD_TAIL.search(did["tail"]) or not noun:
        return None
    more = noun.startswith("more ")
    noun = noun.removeprefix("more ")
    if did["verb"] in ("was", "were", "had") or re.search(r"\b(?:it|him|her|them)\b", did["tail"]):
        return None
    return Fact("", did["verb"], "", item.value, item.text, noun, False, more, did["tail"], at)


class Listed(NamedTuple):
    """A list of counted things in one clause: "She bought 3 cups and 2 pots at the fair"."""

    who: str  # empty where the list itself is the subject
    verb: str
    particle: str
    items: tuple[Fact, ...]  # `tail` applies to one member only: "on Monday"
    tail: str  # the phrase that applies to the entire list
    sentence: int

    @property
    def plain(self) -> str:
        """The plain form of the verb, as it follows "did" in a question."""
        return plain(self.verb) or self.verb


# "5 pens on Monday and 3 more on Tuesday" is a list of pens.
_MORE = re.compile(
    r"\band (?:another (?P<a>[\w-]+)|(?P<b>[\w-]+) more)(?: [a-z]+)??(?= (?:on|in|at|during|before|after|last|this|yesterday)\b)"
)


# "... 8 books about stars and 4 about ships": the 4 are books, too.
_SAME_AGAIN = re.compile(
    r"(?P<first> (?P<at>in|on|at|for|about|from|during|with)\b[^,]*?) and (?P<number>[\w-]+)"
    r"(?P<second> (?P<at2>in|on|at|for|about|from|during|with)\b[^,]*)$"
)
_LIST_FIRST = re.compile(r"(?:If |(?:For|In|On|At|During) [^,]*, )?$")
# "Amy went out and bought 3 cups and 2 pots": the list is the object of "bought".
_ACTED = re.compile(r"(?P<verb>[a-z]{1,30}) $")


@memoized
def lists(body: str) -> list[Listed]:
    """Return the lists of counted things in a body, at most one for each sentence."""
    found = []
    for at, sentence in enumerate(sentences(body)):
        made = _listed(sentence.rstrip(" .,"), at)
        if made is not None:
            found.append(made)
    return found


def _listed(text: str, at: int) -> Listed | None:
    items = counted(text)
    if len(items) == 2 and items[0].noun:
        text = _MORE.sub(lambda found: f"and {found['a'] or found['b']} {items[0].noun}", text)
        again = _SAME_AGAIN.match(text, items[0].noun_end)
        if again and again["number"] == items[1].text and not items[1].noun and _matching(again):
            text = f"{text[: again.end('number')]} {items[0].noun}{again['second']}"
        items = counted(text)
    chunks = members(text, items, TIED_BUT_TIMES)
    if chunks is None:
        return None
    before, after = text[: chunks[0][0]], text[chunks[-1][1] :]
    match = _CLAUSE.match(before) if before.strip() else None
    acted = _ACTED.search(before) if match is None else None
    if match is None and not _LIST_FIRST.match(before) and (acted is None or not is_past(acted["verb"])):
        return None
    if _BAD_TAIL.search(after) or (match and not _readable(match)):
        return None
    who, verb, particle = (_small(match["who"]), match["verb"], match["particle"]) if match else ("", "", "")
    if acted and not _LIST_FIRST.match(before):
        verb = acted["verb"]
    things = []
    for item, (start, end) in zip(items, chunks, strict=True):
        tail = text[item.noun_end : end]
        money = text[start] == "$"
        if _BAD_TAIL.search(tail) or item.noun.startswith("more ") or not (item.noun or money):
            return None
        things.append(Fact(who, verb, particle, item.value, item.text, item.noun, money, False, tail, at))
    return Listed(who, verb, particle, tuple(things), after, at)


def _matching(again: re.Match[str]) -> bool:
    """Return whether both phrases are of the same kind: two places, two uses or two times."""
    return again["at"] == again["at2"] or {again["at"], again["at2"]} <= {"in", "at", "on"}


def _small(who: str) -> str:
    return who[0].lower() + who[1:] if who.split()[0].lower() in SUBJECT_OPENERS else who


def person(who: str, body: str) -> tuple[str, str]:
    """Return the name and the pronoun of the subject: ("Amy", "she").

    Return ("", "") where they are not certain.
    """
    if who in ("i", "we", "you"):
        return ("I" if who == "i" else who), ("I" if who == "i" else who)
    if who in ("he", "she", "they"):
        name = antecedent(PRONOUNS[who][0], body)
        if name is None or name.split()[0] in PRONOUNS:
            return "", ""
        return _definite(name), who
    fitting = [
        pronoun
        for gender, pronoun in (("m", "he"), ("f", "she"), ("p", "they"))
        if antecedent(gender, body) in (who, who.replace("the ", "a ", 1))
    ]
    # "the florist" may be he or she, so the text must use exactly one of these pronouns.
    used = [pronoun for pronoun in fitting if _USES[pronoun].search(body)]
    chosen = used if len(used) == 1 else fitting if len(fitting) == 1 else []
    return _definite(who), chosen[0] if chosen else ""


_USES = {
    "he": re.compile(r"\b(?:he|his|him)\b", re.IGNORECASE),
    "she": re.compile(r"\b(?:she|her)\b", re.IGNORECASE),
    "they": re.compile(r"\b(?:they|their|them)\b", re.IGNORECASE),
}


def _definite(phrase: str) -> str:
    return re.sub(r"^an? ", "the ", phrase)


def owned_by(phrase: str, name: str) -> str:
    """Replace the possessive pronoun by a name: "her mother" -> "Amy's mother"."""
    return re.sub(r"^(?:his|her) ", f"{possessive(name)} ", phrase)
