"""Noop: a statement about the things of the problem, with a number, that changes nothing."""

from __future__ import annotations

import re
from collections.abc import Iterator
from fractions import Fraction

from dnc_datasets import numerals
from dnc_datasets.draws import Draw
from dnc_datasets.english.lexicon import (
    COUNTED_NOUN_CLASS,
    MONTHS,
    NAMES_THAT_ARE_WORDS,
    NOT_MEASURED,
    NOT_REMARKED_ON,
    PRESENT_AUXILIARIES,
    QUALITIES_BY_CLASS,
    QUALITIES_OF_HOLDERS,
    is_first_name,
    is_past,
    is_verb,
    plain,
)
from dnc_datasets.english.reading.people import people
from dnc_datasets.english.reading.sentences import capitalised, is_too_long, sentences
from dnc_datasets.numerals import Quantity
from dnc_datasets.perturbations import Capability, perturbation
from dnc_datasets.problem import Problem

PROMISES = ("target_kept", "statement_added", "remark_changes_nothing")
_HYPOTHETICAL = re.compile(
    r"\b(?:if|would|could|should|suppose|supposing|assum\w+|imagine|will|might|may|plans?|planning|wants?|wanted|wish\w*|"
    r"hopes?|expects?|going to|needs? to|tomorrow|next)\b",
    re.IGNORECASE,
)
# The statement speaks of size, weight, age and looks; the problem must not.
_DESCRIBED = re.compile(
    r"\b(?:red|blue|green|yellow|white|black|brown|purple|pink|gr[ae]y|golden|silver|colou?r\w*|big\w*|small\w*|large\w*|"
    r"tiny|huge|giant|tall\w*|short|shorter|heav\w+|light|lighter|weigh\w*|pounds?|ounces?|kg|kilograms?|grams?|size[sd]?|"
    r"inch|inches|years? old|older|younger|age[sd]?|ripe|rotten|broken|damaged|defective|spoiled|birthdays?|"
    r"kinds?|types?|different|dozens?|holds?|capacity|lit(?:er|re)s?|gallons?|quarters?|dimes?|nickels?|penn(?:y|ies))\b",
    re.IGNORECASE,
)
_GENDERED = re.compile(r"\b(?:boys?|girls?|men|women)\b", re.IGNORECASE)
_REFERS = re.compile(
    r"\b(?:they|them|their|those|these|it|its|this|that|ones?|others?|each other|then|continuing|same)\b",
    re.IGNORECASE,
)
# Words that look back at nothing: "will it take", "in one day", "this week", "given that".
_LOOKS_NOWHERE = re.compile(
    r"\bit (?:takes?|took|costs?)\b|\bone [a-z]+\b|\bthis (?:time|day|morning|week|month|season|year)\b|"
    r"\b(?:given|assuming|so|knowing) that\b",
    re.IGNORECASE,
)
# "How many did they pick?" asks about people, whatever things were mentioned last.
_PEOPLE_ACT = re.compile(
    r"\b(?:do|did|will|would|have|had|can|could|should) they (?:all |each |both |now )?[a-z]+|\btheir\b",
    re.IGNORECASE,
)
# The question names what it asks for: a noun, a measure, or money that somebody pays or makes.
_ASKS_OWN_NOUN = re.compile(
    r"\b(?:how (?:many|much) (?:more |total )?(?!(?:more|of|are|is|was|were|did|does|do|will|would|should|has|have|had|"
    r"can|left|in|less|fewer|each|total|than)\b)[a-z]+"
    r"|how much (?:more )?(?:did|does|do|will|would|has|have|had) [^.?]{0,80}\b"
    r"(?:costs?|pay|paid|spend|spent|earn|earned|make|made|charge|save|saved|owe)\b"
    r"|how (?:long|far|old) (?:is|was|will|would|does|did|do)\b"
    r"|(?:what (?:is|was|are|were)|what's|calculate|find) the (?:total |average |combined )?"
    r"(?:number|cost|amount|price|value|profit|income|bill) of\b)",
    re.IGNORECASE,
)
_MODIFIED_BY = re.compile(
    r"(?:\A|\s)(?:the|his|her|their|its|my|our|all|of|many|more|fewer|number|\d[\d,]*|[a-z]+teen|twenty|thirty|forty|fifty|"
    r"sixty|seventy|eighty|ninety|two|three|four|five|six|seven|eight|nine|ten|eleven|twelve|bought|sold|picked|"
    r"found|made|baked|ate|and|with|for|collect|collects|sells|buys|has|had|these|those) \Z",
    re.IGNORECASE,
)
# What happens each time, or what can be, counts no things that lie before the reader.
_RATE = re.compile(
    r"\b(?:each|every|per|apiece|can|usually|always|often|daily|weekly|monthly|times|once|twice|"
    r"an? (?:second|minute|hour|day|night|week|month|year|time))\b",
    re.IGNORECASE,
)
# "If Kelly sells the eggs." is half of a sentence that the question completes.
_FRAGMENT = re.compile(
    r"(?:If|When|While|Since|Because|After|Before|Given|Assuming|Suppose|Supposing)\b[^,]*"
)
_NOUN_AFTER = re.compile(r" (?:more )?([a-z]+)\b(?!-)")
_LARGEST = 12


@perturbation(
    "noop",
    capability=Capability.OPERAND_SELECTION,
    promises=PROMISES,
    shapes=("word_problem",),
    languages=("en",),
    qualifies="counted things of one kind, or one named person, and a question that names its noun",
)
def add_remark(problem: Problem, draw: Draw) -> Problem | None:
    """Amy has 12 apples. -> Amy has 12 apples. Three of the apples are a bit smaller than the others."""
    statements, condition = _cut(problem.body)
    if is_too_long(problem.text) or not statements or problem.body.islower():
        return None
    asked = _LOOKS_NOWHERE.sub("", f"{condition} {problem.question}")
    past = _tense(statements)
    if _ASKS_OWN_NOUN.search(problem.question) is None or past is None:
        return None
    added = ""
    if not _REFERS.search(_PEOPLE_ACT.sub("", asked)):
        added = _on_some(statements, problem, past, bool(_REFERS.search(asked)), draw)
    if not added and not _REFERS.search(asked):
        added = _on_one(statements, problem, past, draw)
    return problem.replace(body=f"{statements} {added} {condition}".rstrip()) if added else None


def _on_one(statements: str, problem: Problem, past: bool, draw: Draw) -> str:
    """A remark about the one person whom the problem names; empty where there is none, or where it could matter."""
    named = {person.phrase for person in people(problem.text)}
    if len(named) != 1 or not named <= {one.phrase for one in people(statements)}:
        return ""
    if REMARKED_OF_ONE.search(problem.text):
        return ""
    name = named.pop()
    if not is_first_name(name) or name in NAMES_THAT_ARE_WORDS:
        return ""
    taken = {*problem.values(), numerals.parse(problem.answer)}
    numbers = [number for number in range(3, _LARGEST + 1) if number not in taken]
    return remark_on_one(name, draw.choice(numbers), past, draw) if numbers else ""


def _on_some(statements: str, problem: Problem, past: bool, people_act: bool, draw: Draw) -> str:
    """A remark about some of the things that the statements count; empty where it could matter."""
    nouns = _counted(statements, problem)
    if people_act:  # "they" must not be taken for those of the remark
        nouns = {
            noun: count
            for noun, count in nouns.items()
            if COUNTED_NOUN_CLASS[noun] not in ("person", "animal")
        }
    if not nouns or _HYPOTHETICAL.search(statements) or _DESCRIBED.search(problem.text):
        return ""
    noun, smallest = draw.choice(sorted(nouns.items()))
    taken = {*problem.values(), numerals.parse(problem.answer)}
    numbers = [number for number in range(2, min(_LARGEST, int(smallest / 2)) + 1) if number not in taken]
    if not numbers:
        return ""
    return remark(COUNTED_NOUN_CLASS[noun], noun, draw.choice(numbers), past, draw)


def _cut(body: str) -> tuple[str, str]:
    """The statements of a body, and the open condition that leads to its question; no statements where unsure."""
    parts = sentences(body)
    condition = parts.pop() if parts and body[-1:] == "," else ""
    if parts and _FRAGMENT.fullmatch(parts[-1]):
        return "", ""
    statements = " ".join(parts)
    return (
        (statements, condition)
        if statements[-1:] in (".", "!") and f"{statements} {condition}".rstrip() == body
        else ("", "")
    )


def _counted(statements: str, problem: Problem) -> dict[str, Fraction]:
    """The nouns of one kind that the statements count, each with the smallest count of the problem."""
    found: dict[str, Fraction] = {}
    for statement, quantity in _stated_numbers(statements):
        following = _NOUN_AFTER.match(statement, quantity.end)
        noun = following[1] if following else ""
        countable = quantity.is_integer and quantity.kind not in ("money", "percent", "ordinal")
        if (
            noun in COUNTED_NOUN_CLASS
            and noun not in NOT_REMARKED_ON
            and countable
            and not _RATE.search(statement)
            and _is_one_kind(noun, problem.text)
        ):
            found[noun] = _smallest_count(noun, problem.text)
    return found


def _stated_numbers(statements: str) -> Iterator[tuple[str, Quantity]]:
    """Each number with the sentence that states it."""
    for statement in sentences(statements):
        yield from ((statement, quantity) for quantity in numerals.find(statement))


def _smallest_count(noun: str, text: str) -> Fraction:
    """The smallest number that counts the noun, also as in "22 fewer plums" or "5 of the plums"."""
    near = re.compile(rf" (?:[a-z]+ ){{0,2}}{noun}\b")
    return min(quantity.value for quantity in numerals.find(text) if near.match(text, quantity.end))


def _is_one_kind(noun: str, text: str) -> bool:
    """Whether no word tells some of the things from others: "12 marbles", never "12 glass marbles"."""
    if COUNTED_NOUN_CLASS[noun] == "person" and _GENDERED.search(text.replace(noun, "")):
        return False
    for match in re.finditer(rf"\b{noun}\b", text, re.IGNORECASE):
        before, after = text[: match.start()], text[match.end() :]
        word = re.search(r"\b([a-z]{1,20}) \Z", before)
        plain_use = _MODIFIED_BY.search(before) or (word is not None and is_verb(word[1]))
        if not plain_use or re.match(r"'|-| of\b| (?:that|who|which)\b", after):
            return False
    return True


def _tense(body: str) -> bool | None:
    """True for a text in the past, False for one in the present, None for a mixed one."""
    past = present = False
    for sentence in sentences(body):
        for word in re.findall(r"[a-z']+", sentence):
            if word in ("was", "were", "had", "did") or is_past(word):
                past = True
            elif word in PRESENT_AUXILIARIES or (
                word.endswith("s") and word not in COUNTED_NOUN_CLASS and plain(word)
            ):
                present = True
    return None if past == present else past


_DEGREES = ("a bit", "a little", "slightly", "somewhat", "just a bit", "a tiny bit")
_THAN = ("than the others", "than the rest", "than all the others")
# What may be said of some people, in the past and in the present.
_OF_PEOPLE = (
    ("had curly hair", "have curly hair"),
    ("had straight hair", "have straight hair"),
    ("were left-handed", "are left-handed"),
    ("wore glasses", "wear glasses"),
    ("wore a wristwatch", "wear a wristwatch"),
    ("had freckles", "have freckles"),
    ("had dimples", "have dimples"),
    ("could whistle well", "can whistle well"),
    ("liked jazz", "like jazz"),
    ("played the piano", "play the piano"),
    ("lived near a park", "live near a park"),
    ("lived close to a river", "live close to a river"),
    ("spoke some French", "speak some French"),
    ("had an older cousin", "have an older cousin"),
    ("had a pet at home", "have a pet at home"),
)

# What may be said of one person, in the past and in the present.
_OF_ONE = (
    ("could name {} kinds of birds", "can name {} kinds of birds"),
    ("has lived on the same street for {} years", "has lived on the same street for {} years"),
    ("has gone to the same dentist for {} years", "has gone to the same dentist for {} years"),
    ("knew {} good jokes", "knows {} good jokes"),
    ("knew {} songs by heart", "knows {} songs by heart"),
)
# A problem with one of these words may need what the remark says.
REMARKED_OF_ONE = re.compile(
    r"\b(?:years?|old|older|younger|age[sd]?|birds?|famil(?:y|ies)|streets?|dentists?|jokes?|songs?|"
    r"lives?|lived|house|home|relatives?)\b",
    re.IGNORECASE,
)


def remark_on_one(name: str, number: int, past: bool, draw: Draw) -> str:
    """A sentence about a person that holds this number.

    >>> remark_on_one("Ann", 7, False, Draw(0, "", "", ""))
    'Ann knows 7 songs by heart.'
    """
    return f"{name} {draw.choice(_OF_ONE)[0 if past else 1].format(number)}."


def remark(kind: str, noun: str, number: int, past: bool, draw: Draw) -> str:
    """A sentence about this number of the things or people.

    >>> remark("thing", "pens", 3, True, Draw(0, "", "", "")).startswith("Three of the pens were ")
    True
    """
    subject = f"{capitalised(numerals.spell(number))} of the {noun}"
    if kind == "person":
        if draw.integer(0, 2) == 0:
            return f"{subject} {'had' if past else 'have'} a birthday in {draw.choice(MONTHS)}."
        return f"{subject} {draw.choice(_OF_PEOPLE)[0 if past else 1]}."
    qualities = QUALITIES_OF_HOLDERS if noun in NOT_MEASURED else QUALITIES_BY_CLASS[kind]
    quality = f"{draw.choice(_DEGREES)} {draw.choice(qualities)} {draw.choice(_THAN)}"
    return f"{subject} {'were' if past else 'are'} {quality}."
