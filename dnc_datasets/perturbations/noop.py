"""Noop: an irrelevant statement with a number about a place, a person or the things of the problem."""

from __future__ import annotations

import re
from collections.abc import Iterator
from fractions import Fraction

from dnc_datasets import numerals
from dnc_datasets.draws import Draw
from dnc_datasets.english.lexicon import (
    COUNTED_NOUN_CLASS,
    DROPPED_KINDS,
    LEARNED_BY_VERB,
    MONTHS,
    NAMES_THAT_ARE_WORDS,
    NOT_MEASURED,
    NOT_REMARKED_ON,
    PAST_FORMS,
    PLAIN_KINDS,
    PREPOSITIONS,
    PRESENT_AUXILIARIES,
    QUALITIES_BY_CLASS,
    QUALITIES_OF_HOLDERS,
    REMARKS_FOR_NOUN,
    REMARKS_ON_ONE,
    TRADING_VERBS,
    any_of,
    is_first_name,
    is_past,
    is_verb,
    plain,
)
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
# The statement is about size, weight, age and looks. The problem must not be.
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
# Words without an antecedent: "will it take", "in one day", "this week", "given that".
_LOOKS_NOWHERE = re.compile(
    r"\bit (?:takes?|took|costs?)\b|\bone [a-z]+\b|\bthis (?:time|day|morning|week|month|season|year)\b|"
    r"\b(?:given|assuming|so|knowing) that\b",
    re.IGNORECASE,
)
# "How many did they pick?" asks about people, even if things were mentioned last.
_PEOPLE_ACT = re.compile(
    r"\b(?:do|did|will|would|have|had|can|could|should) they (?:all |each |both |now )?[a-z]+|\btheir\b",
    re.IGNORECASE,
)
# The question names its unit: a noun, a measure, or money that somebody pays or earns.
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
# Repeated or possible events do not count existing things.
_RATE = re.compile(
    r"\b(?:each|every|per|apiece|can|usually|always|often|daily|weekly|monthly|times|once|twice|"
    r"an? (?:second|minute|hour|day|night|week|month|year|time))\b",
    re.IGNORECASE,
)
# "If Kelly sells the eggs." is a clause that the question completes.
_FRAGMENT = re.compile(
    r"(?:If|When|While|Since|Because|After|Before|Given|Assuming|Suppose|Supposing)\b[^,]*"
)
_NOUN_AFTER = re.compile(r" (?:more )?([a-z]+)\b(?!-)")
_LARGEST = 12
_MOST = 120


@perturbation(
    "noop",
    capability=Capability.OPERAND_SELECTION,
    promises=PROMISES,
    shapes=("word_problem",),
    languages=("en",),
    qualifies="one place or thing of the story, an act that one learns, or counted things of one kind",
)
def add_remark(problem: Problem, draw: Draw) -> Problem | None:
    """Amy has 12 apples. -> Amy has 12 apples. Three of the apples are a bit smaller than the others."""
    statements, condition = _cut(problem.body)
    if is_too_long(problem.text) or not statements or problem.body.islower():
        return None
    body = _on_thing(problem, draw) or _on_act(problem, draw)
    if not body:
        added = _on_some(statements, condition, problem, draw)
        body = f"{statements} {added} {condition}".rstrip() if added else ""
    return problem.replace(body=body) if body else None


_ASKS_TIME = re.compile(
    r"\bhow (?:long|(?:many|much) (?:more )?(?:time|hours|minutes|days|seconds))\b", re.IGNORECASE
)
# One thing of the story: "a grocery store", "his car"; not "each store", "the second store", "the store owner".
_ONE_THING = re.compile(
    r"\b(?P<article>[Aa]n?|[Tt]he|[Hh]is|[Hh]er|[Tt]heir|[Mm]y|[Oo]ur)(?P<kind>(?: [a-z]+)?) "
    rf"(?P<noun>{any_of(REMARKS_FOR_NOUN)})"
    rf"(?=[.,;!?]| (?:{any_of(PREPOSITIONS - {'of'})}|and|but|so|that|which|where|because|when)\b)"
)
_SPEAKS_BACK = re.compile(
    r"\b(?:it|its|this|that|these|those|them|ones?|others?|same|then|there|here|which|another|the rest)\b|"
    r"\ASo\b|\A\S+ (?:are|were|is|was|have|had|got)\b",  # "31 are sold"
    re.IGNORECASE,
)
_NO_SCENE = re.compile(
    r"\b(?:if|would|could|should|suppose|imagine|wants?|wanted|plans?|planning|hopes?|wish\w*|no|not|never|dream\w*|"
    r"each|every|any|either|buys?|bought|buying|sells?|sold|selling|rents?|rented|order\w*|considering|will|might|may|"
    r"new|build\w*|built)\b",
    re.IGNORECASE,
)
_OWNED = frozenset("aged pet built starts founded".split())


def _on_thing(problem: Problem, draw: Draw) -> str:
    """Return the body with a remark about a place or thing after the sentence with its mention, or ""."""
    found = []
    for at, match in _mentions(problem, _ONE_THING):
        noun, kind = match["noun"], match["kind"].strip()
        if kind in DROPPED_KINDS:
            kind = ""
        if (kind and kind not in PLAIN_KINDS) or not _is_the_only_one(noun, problem.text):
            continue
        if match["article"].lower() not in ("a", "an", "the") and not _OWNED & set(REMARKS_FOR_NOUN[noun]):
            continue  # "her bank" may be a piggy bank
        scene = match.string
        shown = (
            scene
            if "aged" in REMARKS_FOR_NOUN[noun]
            else re.sub(rf"\b(?:{any_of(TRADING_VERBS)})\b", "", scene)
        )
        if _NO_SCENE.search(shown):
            continue
        subject = f"The {kind} {noun}" if kind else f"The {noun}"
        found += [
            (at, subject, name)
            for name in REMARKS_FOR_NOUN[noun]
            if _is_free(REMARKS_ON_ONE[name][3], problem)
        ]
    if not found:
        return ""
    at, subject, name = draw.choice(found)
    (present, past), low, high, _ = REMARKS_ON_ONE[name]
    parts = sentences(problem.body)
    tense = _tense(parts[at])
    number = _new_number(problem, low, high, draw)
    said = present if present == past else "" if tense is None else past if tense else present
    if number is None or not said:
        return ""
    return " ".join([*parts[: at + 1], f"{subject} {said.format(number)}.", *parts[at + 1 :]])


def _on_act(problem: Problem, draw: Draw) -> str:
    """Return the body with a remark about the time when somebody learned of the events, otherwise ""."""
    acts = re.compile(rf"\A(?P<who>[A-Z][a-z]+) (?P<verb>{any_of(_ACTS)})\b(?! (?:out|off|away|up))")
    found = [
        (at, match)
        for at, match in _mentions(problem, acts)
        if is_first_name(match["who"]) and match["who"] not in NAMES_THAT_ARE_WORDS
    ]
    if not found or not _is_free(f"{REMARKS_ON_ONE['opened'][3]} learn\\w* birthdays?", problem):
        return ""
    at, match = draw.choice(found)
    learned, low, high = LEARNED_BY_VERB[_ACTS[match["verb"]]]
    number = _new_number(problem, low, high, draw)
    if number is None:
        return ""
    parts = sentences(problem.body)
    remark = f"{match['who']} learned {learned} at the age of {number}."
    return " ".join([*parts[: at + 1], remark, *parts[at + 1 :]])


_ACTS = {
    form: verb
    for verb in LEARNED_BY_VERB
    for form in (f"{verb}s", PAST_FORMS.get(verb, f"{verb}d" if verb.endswith("e") else f"{verb}ed"))
    if form not in ("knited", "skied")
} | {"knitted": "knit", "skied": "ski"}


def _mentions(problem: Problem, pattern: re.Pattern[str]) -> Iterator[tuple[int, re.Match[str]]]:
    """Yield the sentences of a body, by place, after which a remark on a match of the pattern is possible."""
    parts = sentences(problem.body)
    if " ".join(parts) != problem.body:
        return
    for at, sentence in enumerate(parts):
        following = parts[at + 1] if at + 1 < len(parts) else problem.question
        last = at + 1 == len(parts) or (at + 2 == len(parts) and parts[-1].endswith(","))
        if sentence[-1:] != "." or _FRAGMENT.fullmatch(sentence) or _SPEAKS_BACK.search(following):
            continue
        if last and (
            _REFERS.search(_LOOKS_NOWHERE.sub("", problem.question))
            or not _ASKS_OWN_NOUN.search(problem.question)
        ):
            continue
        if match := pattern.search(sentence):
            yield at, match


def _is_the_only_one(noun: str, text: str) -> bool:
    """Return whether a story has only one thing of this name: no "two stores", "another store"."""
    if re.search(rf"\b{noun}(?:s|es)\b", text, re.IGNORECASE):
        return False
    if len(re.findall(rf"\b(?:an?|his|her|their) (?:[a-z]+ )?{noun}\b", text, re.IGNORECASE)) > 1:
        return False  # "a book" of hers, and "a book" of his
    return not re.search(
        rf"\b(?:another|other|each|every|second|first|third|next|one|per|different|which|any|both)"
        rf" (?:[a-z]+ )?{noun}\b",
        text,
        re.IGNORECASE,
    )


def _is_free(words: str, problem: Problem) -> bool:
    """Return whether a problem has none of the words that make the number of a remark relevant."""
    return not re.search(rf"\b(?:{'|'.join(words.split())})\b", problem.text, re.IGNORECASE)


def _new_number(problem: Problem, low: int, high: int, draw: Draw) -> int | None:
    """Return a number in this range that differs from the numbers and the answer of the problem."""
    taken = {*problem.values(), numerals.parse(problem.answer)}
    numbers = [number for number in range(low, high + 1) if number not in taken]
    return draw.choice(numbers) if numbers else None


def _on_some(statements: str, condition: str, problem: Problem, draw: Draw) -> str:
    """Return a remark about some of the counted things, or "" if it could be relevant."""
    asked = _LOOKS_NOWHERE.sub("", f"{condition} {problem.question}")
    people_act = _REFERS.search(asked) is not None
    past = _tense(statements)
    if (
        past is None
        or not _ASKS_OWN_NOUN.search(problem.question)
        or _REFERS.search(_PEOPLE_ACT.sub("", asked))
    ):
        return ""
    nouns = _counted(statements, problem)
    if people_act:  # "they" must not refer to the things of the remark
        nouns = {
            noun: count
            for noun, count in nouns.items()
            if COUNTED_NOUN_CLASS[noun] not in ("person", "animal")
        }
    if not nouns or _HYPOTHETICAL.search(statements) or _DESCRIBED.search(problem.text):
        return ""
    if _ASKS_TIME.search(problem.question):  # larger windows take longer to wash
        return ""
    noun, smallest = draw.choice(sorted(nouns.items()))
    taken = {*problem.values(), numerals.parse(problem.answer)}
    numbers = [number for number in range(2, min(_LARGEST, int(smallest / 2)) + 1) if number not in taken]
    if not numbers:
        return ""
    return remark(COUNTED_NOUN_CLASS[noun], noun, draw.choice(numbers), past, draw)


def _cut(body: str) -> tuple[str, str]:
    """Return the statements of a body, and the open condition before its question.

    Return no statements if the bounds are unclear.
    """
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
    """Return the nouns of one kind that the statements count, each with the smallest count of the problem."""
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
            counts = _counts(noun, problem.text)
            if max(counts) <= _MOST:  # a person would not look at each of a thousand
                found[noun] = min(counts)
    return found


def _stated_numbers(statements: str) -> Iterator[tuple[str, Quantity]]:
    """Yield each number with the sentence that states it."""
    for statement in sentences(statements):
        yield from ((statement, quantity) for quantity in numerals.find(statement))


def _counts(noun: str, text: str) -> list[Fraction]:
    """Return the counts of the noun, including those of "22 fewer plums" or "5 of the plums"."""
    near = re.compile(rf" (?:[a-z]+ ){{0,2}}{noun}\b")
    return [quantity.value for quantity in numerals.find(text) if near.match(text, quantity.end)]


def _is_one_kind(noun: str, text: str) -> bool:
    """Return whether no modifier distinguishes some of the things: "12 marbles", not "12 glass marbles"."""
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
    """Return True for a text in the past tense, False for the present tense, and None for both."""
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
# Predicates for some people, in the past and in the present tense.
_OF_PEOPLE = (
    ("had curly hair", "have curly hair"),
    ("were left-handed", "are left-handed"),
    ("wore glasses", "wear glasses"),
    ("wore a wristwatch", "wear a wristwatch"),
    ("played the piano", "play the piano"),
    ("had a pet at home", "have a pet at home"),
)


def remark(kind: str, noun: str, number: int, past: bool, draw: Draw) -> str:
    """Return a sentence about this number of the things or people.

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
