"""Moves of a statement to a conditional clause at the end, directly before or after the question."""

from __future__ import annotations

import re

from dnc_datasets import numerals
from dnc_datasets.english.lexicon import CHANGE_VERBS, GROUPS, PRONOUNS, is_past
from dnc_datasets.english.reading.dependence import has_pronoun, refers_to
from dnc_datasets.english.reading.people import (
    KIN,
    SUBJECT_PRONOUN,
    Person,
    people,
    possessive,
)
from dnc_datasets.english.reading.quantities import counted
from dnc_datasets.english.reading.sentences import capitalised, sentences, uncapitalised
from dnc_datasets.english.rewording.named_pronouns import named
from dnc_datasets.english.rewording.statements import is_event, main_verb

NOT_ALONE = re.compile(
    r"\b(?:(?<!then )later|another|others?|rest|remaining|same|these|those|both|again|it|its|them|"
    r"finally|instead|however|also|additional|extra|new|that|this|(?<!in )all|ones|one|than|altogether)\b",
    re.IGNORECASE,
)
# "He got 5 more": compared with the initial amount, so "more" is removed when that amount comes last.
_ADDED = re.compile(r"(?<=\w) more\b(?! than)")
_START = re.compile(
    r"(?P<where>At the [a-z]+(?: [a-z]+)?,? )?"
    r"(?P<who>(?:(?:Mr|Mrs|Ms|Dr)\. )?[A-Z][a-z]+|(?:A|An|The) [a-z]+(?: [a-z]+)?) "
    r"(?P<verb>had|has|owned|saved|made|baked|bought|collected|picked|won|earned|received) "
)
_THERE = re.compile(r"There (?P<verb>were|are|was|is) ")
_AT_FIRST = re.compile(r"\b(?:first|start|begin|beginning|original|originally|initially|before)\b")
_BARE = re.compile(
    r"how (?:many|much) (?:do|does|did|will|would|can|could|is|are|was|were|has|have|more|money)\b", re.I
)
_MORE_THAN_ONE = re.compile(r"\b(?:but|and|some|when|each|every|per|than|who|which|total|left|it)\b")


def start_moved(body: str, question: str) -> tuple[str, str] | None:
    """Move the initial amount after the events, as "If he had 9 pens at first, ...".

    >>> start_moved("Tom had 9 pens. He lost 2 pens.", "How many pens does Tom have left?")
    ('Tom lost 2 pens. If he had 9 pens at first,', 'how many pens does Tom have left?')
    """
    opening = _start_and_rest(body, question)
    if opening is None:
        return None
    first, rest = opening
    start, things = _START.match(first), counted(first)
    adapted = _rest_adapted(rest, first, things[0].noun, start)
    if adapted is None:
        return None
    clause = _start_clause(first, start, [*rest, question], adapted) if start else "t" + first[1:]
    opener = start or _THERE.match(first)
    if clause is None or opener is None:
        return None
    condition = _at_first(clause, first, opener["verb"], rest)
    told_in_present = not any(is_past(word) for part in adapted for word in re.findall(r"[a-z]+", part))
    has = "at first" not in condition and re.search(r"\b(?:has|have)\b", condition)
    if told_in_present and has and re.search(r"\bleft\b", question):
        return None  # "Amy gives 3 to each. If she has 37, how many are left?": the time is unclear
    if re.search(r"\bmore\b[^?]{0,200}\bneeds?\b", question):
        return None  # "If he had $50, how much more does he need"
    if start and re.search(r" (?:on|in) [A-Z]", first):
        return None  # "He saved $30 in June. If he saved $20 in May": not an initial amount
    if _PURPOSE.search(clause) and condition != clause:
        return None  # "$50 to go to the store at first"
    if (
        start
        and re.search(r" (?:at|in|on) (?:his|her|their) ", first)
        and re.search(r"\b[Tt]here\b", " ".join(rest))
    ):
        return None  # "There are now 86. If he had 34 at his stand": the place is unclear
    if not start and re.search(r" (?:in|on|at|inside|near) an? ", first):
        return None  # "Ben takes 4 figs. If there are 9 figs in a box": the source is unclear
    if not start and condition != clause and re.search(r"\b(?:are|is)\b", condition):
        return None  # "If there are 9 figs at first"
    if opener["verb"] in ("are", "is") and condition == clause and _PASSIVE.search(" ".join(rest)):
        return None  # "124 books are taken out. If there are 336 books": the time is unclear
    return f"{' '.join(adapted)} If {condition},", question[0].lower() + question[1:]


def _start_and_rest(body: str, question: str) -> tuple[str, list[str]] | None:
    """Return the statement of the initial amount and the sentences after it; None for any other body."""
    parts = sentences(body)
    if not parts or not parts[0].endswith(".") or _AT_FIRST.search(question) or question.startswith("Now "):
        return None
    if halves := re.match(r"([A-Z][^,]*), but (he|she|they) ([^,]*\.)$", parts[0]):
        parts[:1] = [f"{halves[1]}.", f"{capitalised(halves[2])} {halves[3]}"]
    if parts[-1].startswith("If ") and parts[-1].endswith(","):
        parts[-1] = capitalised(parts[-1][3:].rstrip(" ,")) + "."
    first, rest = parts[0].rstrip("."), parts[1:]
    things = counted(first)
    if not rest or not all(part.endswith(".") for part in rest) or len(things) != 1 or "," in first:
        return None
    if not (_START.match(first) or _THERE.match(first)) or _MORE_THAN_ONE.search(first):
        return None
    if not things[0].noun:
        return (first, rest) if first[things[0].start - 1] == "$" else None
    # The question must be about the moved thing: "a photo album with 50 pages" may be irrelevant to it.
    head = things[0].noun.split(" of ")[0].split()[-1]
    if not re.search(rf"\b{head}\b", question) and not _BARE.match(question):
        return None
    return first, rest


def _rest_adapted(rest: list[str], first: str, noun: str, start: re.Match[str] | None) -> list[str] | None:
    """Return the later sentences, changed so that they can precede the initial amount; None if impossible."""
    if _OF_THE_START.search(" ".join(rest)):
        return None
    adapted = _adapted(
        rest, first, noun.removeprefix("new ").removeprefix("more "), start["who"] if start else ""
    )
    if adapted is None or not any(numerals.find(part) for part in adapted):
        return None
    if start is None:
        if has_pronoun(adapted[0]):
            return None
    elif start["where"]:
        if not adapted[0].startswith(start["who"]):
            return None
        adapted[0] = start["where"] + adapted[0]
    # "She picked 8 plums. Later she picked 6 more." is no change of an initial amount.
    if start and start["verb"] not in ("had", "has", "owned") and _AGAIN.search(" ".join(rest)):
        return None
    # "3 cards more", "Amy then lost 3": these refer to a statement that comes later
    return None if re.search(r"\d [a-z]+ more\b|\bthen\b|\bthe (?:next|following)\b", adapted[0]) else adapted


_PASSIVE = re.compile(r"\b(?:are|is|were|was) (?:[a-z]+ed|sold|eaten|given|taken|brought|put|lost)\b")
_PURPOSE = re.compile(r"\d (?:[a-z]+ )?(?:to|for) ")
# A share or a multiple of the initial amount, which would not be stated yet.
_OF_THE_START = re.compile(
    r"\b(?:half|third|fourth|quarter|twice|double[sd]?|triple[sd]?|times|percent|as (?:many|much)|fewer|less)\b|%|\d/\d|"
    r"\bIn each\b"
)
_AGAIN = re.compile(r"\b(?:more|another|[Ll]ater)\b")


def _start_clause(first: str, start: re.Match[str], after: list[str], adapted: list[str]) -> str | None:
    """Return the statement of the initial amount as a clause.

    Its subject is a pronoun where the antecedent is clear after the moved sentences.
    """
    persons = people(first)
    gender = _gender(persons[0] if len(persons) == 1 else None, after, start["who"])
    if not gender:
        return None
    clear = not any(
        person.gender in ("", gender) and person.phrase.lower() != start["who"].lower()
        for person in people(" ".join(adapted))
    )
    who = SUBJECT_PRONOUN[gender] if clear else uncapitalised(start["who"]) or start["who"]
    return who + first[start.end("who") :] if who.split()[0] not in ("a", "an") else None


def _at_first(clause: str, first: str, verb: str, rest: list[str]) -> str:
    """Return the clause in the tense of the events, with "at first" where that makes it clearer."""
    past = {"has": "had", "are": "were", "is": "was"}.get(verb)
    if past and any(_is_past_tense(part) for part in rest):
        clause = re.sub(rf"\b{verb}\b", past, clause, count=1)
    elif clause.startswith("they has "):
        clause = "they have " + clause[9:]
    if past and not re.search(rf"\b{verb}\b", clause):
        happens = any(is_event(part) for part in rest)
    elif verb == "are":
        happens = any(main_verb(part) in CHANGE_VERBS for part in rest)
    else:
        happens = verb == "has" and _acts(rest)
    said = re.search(r"\bha[sd] to\b|\b(?:originally|initially)\b", first)
    had = verb in ("had", "owned") or (verb in ("were", "was") and any(is_event(part) for part in rest))
    each = re.search(r"\b(?:each|every)\b", " ".join(rest), re.IGNORECASE)
    return f"{clause} at first" if (had or happens) and not said and not each else clause


def _acts(rest: list[str]) -> bool:
    """Return whether somebody gives, uses or gets something in the present tense."""
    return any(
        main_verb(part) not in (None, "have", "be", "need", "want", "can", "will", "cost") for part in rest
    )


def _is_past_tense(sentence: str) -> bool:
    words = re.findall(r"\b[a-z]+\b", sentence)
    return any(is_past(word) or (len(word) > 4 and word.endswith("ed")) for word in words)


def _gender(person: Person | None, after: list[str], who: str) -> str:
    """Return the gender of the pronouns that refer to the only person; "" if it is not certain."""
    text = " ".join(after)
    used = {
        PRONOUNS[word.lower()][0] for word in re.findall(r"\b(?:" + "|".join(PRONOUNS) + r")\b", text, re.I)
    }
    if person is None and used == {"p"}:
        return "p" if who.split()[-1] in GROUPS else ""
    used &= {"m", "f"}
    if person and person.gender:
        return person.gender if used <= {person.gender} else ""
    return used.pop() if len(used) == 1 else ""


def _adapted(rest: list[str], first: str, noun: str, who: str) -> list[str] | None:
    """Return the sentences independent of the initial amount: names for pronouns, and omitted nouns added."""
    made: list[str] = []
    for part in rest:
        text = re.sub(r"^(?:Later|Then),? (?=[a-z])", "", part) if not made else part
        text = re.sub(r"\banother (?=[\w$]+\b)", "", text) if not made and len(counted(text)) == 1 else text
        text = re.sub(r"\bsome more\b", "some" if not made else "some more", text)
        text = (
            re.sub(
                r"\bsome( more)?(?=[,.]| there | he | she | they | and | to | when | while | at | on )",
                rf"some\1 {noun}",
                text,
            )
            if noun
            else text
        )
        whole = _whole_nouns(text, noun, keep_more=bool(made))
        if whole is None:
            return None
        text = whole
        if NOT_ALONE.search(text) or refers_to(text, first):
            return None
        if not made and re.search(r"\b(?:now|left)\b", text) and not re.match(r"After |Now ", text):
            return None
        made.append(capitalised(text))
    if who and not made[0].startswith(who):
        opening = _named_opening(made[0], who)
        if opening is None:
            return None
        made[0] = opening
    return made


def _named_opening(sentence: str, who: str) -> str | None:
    """Return the new first sentence with the name in place of the first pronoun that refers to it."""
    name = who if who.split()[0] not in ("A", "An", "The") else who[0].lower() + who[1:]
    opened = _OPENED.match(sentence)
    if opened and opened["who"].lower() == "they" and who.split()[-1] not in GROUPS:
        return None  # "Frank bought lunch for his family. They ate ..."
    if opened:
        return opened["before"] + (name if opened["before"] else capitalised(name)) + sentence[opened.end() :]
    if name != who:
        return None
    if owned := re.match(rf"(?:His|Her) (?=(?:[a-z]+ )?(?:{KIN})\b)", sentence):
        return f"{possessive(who)} {sentence[owned.end() :]}"
    if given := re.match(
        r"(?P<giver>(?:(?:Mr|Mrs|Ms)\. )?[A-Z][a-z]+ (?:gave|gives|sent|handed|lent|bought)) "
        r"(?:him|her) (?=[\w$])",
        sentence,
    ):
        return f"{given['giver']} {who} {sentence[given.end() :]}"
    return None


_OPENED = re.compile(
    r"(?P<before>(?:(?:On|At|In|For|During|After|By) (?:(?:the|a|some|his|her|their) )?[a-z]+"
    r"(?: [a-z]+){0,3}?,? )?)"
    r"(?P<who>[Hh]e|[Ss]he|[Tt]hey)\b"
)


def _whole_nouns(text: str, noun: str, *, keep_more: bool) -> str | None:
    """Return the text with a noun after every number, and without "more" at the first number.

    Return None where a noun is missing and not known.
    """
    items = counted(text)
    for at in reversed(range(len(items))):
        item = items[at]
        if text[item.start - 1 : item.start] == "$":
            continue
        counts = item.noun
        more = (
            at == 0
            and not keep_more
            and (counts.startswith("more ") or not counts)
            and _ADDED.match(text, item.end)
        )
        end = item.noun_end if counts else item.end
        if more and not counts:
            end = more.end()
        if of_them := re.match(r" of (?:them|the [a-z]+)\b", text[end:]):
            if re.match(r" [a-z]+s\b", text[end + of_them.end() :]):
                return None  # "9 of the remaining cups"
            end += of_them.end()
        counts = counts.removeprefix("more ") if more else counts
        if not counts and (at == 0 or not _ADDED.match(text, item.end)):
            if not noun or re.match(r" (?:of|more)\b", text[end:]):
                return None
            counts = noun
        elif at == 0 and noun.startswith(f"{counts} of "):
            counts = noun
        if counts:
            text = f"{text[: item.end]} {counts}{text[end:]}"
    return text


_LONG = 20


def behind_question(body: str, question: str) -> tuple[str, str] | None:
    """Move a body of one statement to an if-clause after a question that contains a number.

    >>> behind_question("Amy has 3 pens.", "How many pens must she buy to have 9 pens?")
    ('', 'How many pens must Amy buy to have 9 pens if she has 3 pens?')
    """
    parts = sentences(body)
    if len(parts) != 1 or not numerals.find(question) or re.search(r"\bif\b", question, re.IGNORECASE):
        return None
    if len(question.split()) > _LONG or len(body.split()) > _LONG:
        return None  # one sentence of both would be hard to read
    if re.match(r"If [^,]*,$", parts[0]):
        parts[0] = capitalised(parts[0][3:-1]) + "."
    if not parts[0].endswith(".") or re.match(r"(?:if|divide|find|to) ", parts[0], re.IGNORECASE):
        return None
    if re.search(r"\bthe (?:first|second|other)\b|,(?!\d)", question):
        return None  # the first part is not stated yet; ", in cups" ends the sentence
    resolved = named(question.rstrip(" ?"), body)
    clause = uncapitalised(parts[0].rstrip("."), question)
    if resolved is None or clause is None or main_verb(clause) is None:
        return None
    asked, meant = resolved
    if any(re.search(rf"[a-z] {name}\b", clause) for name in re.findall(r"(?<= )[A-Z][a-z]+", question)):
        return None  # "Susie's pet lizard Moe": Moe must be introduced first
    for gender, phrase in meant.items():
        if clause.startswith(phrase + " ") and gender in SUBJECT_PRONOUN:
            verb = clause[len(phrase) :]
            clause = SUBJECT_PRONOUN[gender] + (verb.replace(" has ", " have ", 1) if gender == "p" else verb)
    return "", f"{capitalised(asked)} if {clause}?"
