"""Question reordering: the question precedes the body."""

from __future__ import annotations

import re
from collections.abc import Sequence

from dnc_datasets.certificate.wording import given_after_asked, question_first
from dnc_datasets.draws import Draw
from dnc_datasets.english.lexicon import (
    GROUPS,
    MEASURED_PROPERTIES,
    PLURAL_PEOPLE,
    PRONOUNS,
    RATE_NOUNS,
    REORDERING_STOPS,
    TIME_UNIT,
    is_past,
    is_verb,
)
from dnc_datasets.english.reading.quantities import counted, same_values
from dnc_datasets.english.reading.sentences import (
    capitalised,
    ends_inside,
    is_too_long,
    sentences,
    uncapitalised,
)
from dnc_datasets.english.rewording.named_pronouns import made_definite, named
from dnc_datasets.english.rewording.statements import is_event
from dnc_datasets.perturbations import Capability, perturbation
from dnc_datasets.problem import Problem

_ASKS = re.compile(r"(?:how|what|which|who|about how|at what|in how)\b", re.IGNORECASE)
_IF = re.compile(r"\A(?:if|suppose that|suppose|given that|assuming that|assuming) ", re.IGNORECASE)
# Openers that only join a sentence to the one before it. The sentences keep their order.
_JOINERS = re.compile(
    r"\A(?:but|and|so(?! far)|however,|finally,|lastly,|additionally,|meanwhile,|also,) ", re.IGNORECASE
)
_IMPERATIVE = re.compile(
    r"(?:divide|find|let|use|write|draw|look|suppose|imagine|consider|think|take|count|estimate|put|place)\b",
    re.IGNORECASE,
)
_ELLIPSIS = re.compile(
    r"(how many(?: more)?) (?=(?:did|do|does|were|was|are|is|will|would|should|can|could|has|have|had)\b)",
    re.IGNORECASE,
)
# A question is one sentence: "How many does he need? (A dozen is 12.)" and "How many. He" are more.
_STOPS = re.compile(r"[?;]")
_NEW_SENTENCE = re.compile(r"[.!?] (?:Then|Now|Later|He|She|They|It|The|If)\b")
_COUNTLESS = re.compile(r"how many(?: more)? (?P<verb>[a-z]+)\b", re.IGNORECASE)
_SPLICED = re.compile(
    r"(?:(?:Mr|Mrs|Ms)\. )?[A-Z][a-z]+ (?:has|had|found|picked|bought|grew|made)\b[^,]*, (?:he|she|they) "
)
_THAT = re.compile(
    r"\bthat (?=(?:school|class|club|team|store|shop|town|city|village|farm|zoo|park|museum|library|house|room"
    r"|bus|train|game|party|book|box|basket)\b)"
)
_POINTS = re.compile(
    r"\b(?:on|in|at|for|of|to|from|with|by) that [a-z]+\b|\bthe (?:day|week|month|year) (?:before|after)\b|"
    r"\b(?:did|does|do|will|would|can|could|should) each (?:get|receive|have|pay|eat|need|make|take|earn|spend)\b|"
    rf"\bthe \d+ (?!(?:{TIME_UNIT})s)[a-z]+"
)
_THAT_WAS = re.compile(r"\AThat(?= (?:is|was)\b)")
_IS_THAT = re.compile(r"\bis that(?= (?:altogether|in all|in total|total)\b)")
# Before the body, "it" has no antecedent.
_STORY_NEEDED = re.compile(r"how (?:long|many [a-z]+) (?:will|does|did|would) it take", re.IGNORECASE)
# "How many points would she have earned": the condition would follow as a fact.
_COUNTERFACTUAL = re.compile(r"\bwould [^?]{1,60} have [a-z]+ed\b|\bwould have\b")
_DANGLING = re.compile(r" then$")
_KNOWN = re.compile(r"\bthe (?!first|second|third|other|next|last)(?=((?:[a-z]+ )?)([a-z]+)\b)")
_WORD = re.compile(r"[A-Za-z']+")
_HELPS = re.compile(r"\b(?:do|does|did|will|would|can|could|should|must|has|have|had|was|is) $")


_FRAME_MARKS = (
    ("facts", "? Here is what is known: "),
    ("known", "? It is known that "),
    ("statements", "? "),
    ("given", ", given that "),
    ("if", " if "),
)


def _frame_of(original: Problem, changed: Problem, draw: Draw) -> dict[str, str]:
    """Return the frame in which the statements follow the question."""
    return {"frame": next((name for name, mark in _FRAME_MARKS if mark in changed.question), "")}


@perturbation(
    "question_reordering",
    capability=Capability.OPERATION_REASONING,
    promises=("target_kept", "values_permuted", "question_first", "given_after_asked", "words_stay_together"),
    shapes=("word_problem",),
    measure=_frame_of,
    qualifies="every statement must make sense after the question",
)
def put_question_first(problem: Problem, draw: Draw, *, frame: str = "") -> Problem | None:
    """Amy has 3 pens. How many does she ...? -> How many does Amy ..., given that Amy has 3 pens?

    `frame` names one of the frames of `frames`; without it, one of those that fit is drawn.
    """
    clauses = _clauses(problem) if not is_too_long(problem.text) else None
    if clauses is None:
        return None
    given, question = clauses
    asked = _DANGLING.sub(" in the end", question.rstrip(" ?.").rstrip())
    asked = _THAT.sub("the ", _IS_THAT.sub("are there", asked))
    if _STORY_NEEDED.fullmatch(asked) or _COUNTERFACTUAL.search(asked):
        return None
    countless = _COUNTLESS.match(asked)
    if countless and is_past(countless["verb"]) and not _ELLIPSIS.match(asked):
        return None  # "How many more came": compared with a statement that comes later
    if (full := _ELLIPSIS.match(asked)) and full.end() < len(asked):
        things = _things(problem)
        if not things:
            return None
        asked = f"{full[1]} {things} {asked[full.end() :]}"
    resolved = named(asked, problem.body)
    if resolved is None:
        return None
    asked, meant = resolved
    # A noun that the question now introduces ("would a farmer") is definite after it: "the farmer".
    for phrase in meant.values():
        if phrase.startswith(("a ", "an ")):
            given = _made_known(given, phrase.split()[-1])
    before = _statements_before(given) if _IN_THE_END.search(asked) else given
    if before is None and not re.search(r"\bnow\b", asked):
        before = given
    if before is None or _brings_in(asked, before):
        return None
    if any(_is_kin(problem.body, who) for who in meant.values()):
        return None
    given = before
    fitting = frames(asked, given)
    if not frame and "if" in fitting and problem.body.lower().startswith("if ") and len(given) == 1:
        frame = "if"
    if frame:
        fitting = {name: text for name, text in fitting.items() if name == frame}
    # "One day" and "one day" may be read differently. Then the numbers are not certain.
    made = [
        problem.replace(body="", question=text)
        for text in fitting.values()
        if same_values(text, problem.text)
    ]
    certain = [new for new in made if question_first(problem, new) and given_after_asked(problem, new)]
    return draw.choice(certain) if certain else None


_OPEN_IF = re.compile(r"(if [^,?]+), (?=how|what)", re.IGNORECASE)
_THE_FIRST = re.compile(r"\bthe (?:first|second|third|former|latter)\b(?! [a-z])")
_CONCLUDES = re.compile(r",|\b(?:will|would|can|could|gets?)\b")
_THEN = re.compile(r"\AThen,? ")
_THEN_SOMEBODY = re.compile(r"\AThen,? (he|she|they|it|[A-Z][a-z]+) (?!is|are|was|were|has|have)(?=[a-z])")


def _clauses(problem: Problem) -> tuple[list[str], str] | None:
    """Return the body as clauses that fit after "given that", and the question; None if one does not fit."""
    question = problem.question.strip()
    parts = sentences(problem.body)
    if opened := _OPEN_IF.match(question):
        parts.append(opened[1] + ",")
        question = question[opened.end() :]
    if not parts or not _ASKS.match(question) or _more_than_one(question.rstrip("? ")):
        return None
    if _THE_FIRST.search(question):
        return None  # the first compared with a statement that comes later
    if _POINTS.search(_THAT.sub("", question)):
        return None  # "on that plane"
    given: list[str] = []
    for part in parts:
        clause = _clause(part, problem.text, last=part is parts[-1])
        if clause is None:
            return None
        given.append(clause)
    return given, question


def _more_than_one(question: str) -> bool:
    return _STOPS.search(question) is not None or ends_inside(question)


def _clause(sentence: str, context: str, *, last: bool) -> str | None:
    """Return a sentence as a lower-case clause without end mark and opener; None if it is no statement."""
    end = sentence[-1:]
    if end not in (".", ",") or (end == "," and not last):
        return None
    if end == "." and _IF.match(sentence) and _CONCLUDES.search(sentence):
        return None  # a complete conditional sentence, not an open clause
    text = _IF.sub("", _JOINERS.sub("", sentence.rstrip(" .,"), count=1), count=1)
    text = _JOINERS.sub("", text, count=1)
    # "and that then she": the word moves to the verb or is removed, because the order is unchanged.
    if text.startswith("Then"):
        text = _THEN.sub("", _THEN_SOMEBODY.sub(r"\1 then ", text))
    if ends_inside(text) or _NEW_SENTENCE.search(text) or _SPLICED.match(sentence):
        return None  # two sentences, which the splitter or the source took for one
    if _IMPERATIVE.match(text) or _IF.match(text) or text.lower().startswith(("but ", "only if")):
        return None
    words = _WORD.findall(text)
    if words and is_past(words[0].lower()) and words[0][0].islower():
        return None  # "Then made 7 more": the subject is left out
    # "According to the report," and similar phrases are no statements.
    if not any(is_verb(word) for word in words) or (end == "," and not _states(sentence)):
        return None
    # "and that that was 8 more" is hard to read.
    return uncapitalised(_THAT_WAS.sub("This", text), context)


def _not_noun(word: str, after_help: bool) -> bool:
    """Return whether the word cannot be part of a noun phrase after "the".

    A word such as "store" is a verb only after an auxiliary ("does the").
    """
    if word in PRONOUNS or word in REORDERING_STOPS or is_past(word) or word.endswith("ing"):
        return True
    return after_help and is_verb(word) and not word.endswith("s") and word not in GROUPS


_IN_THE_END = re.compile(r"\bnow\b|\bare (?:there|in|on|left)\b")
_PRESENT = re.compile(
    r"(?P<who>there) (?P<verb>are|is)\b|(?P<one>he|she|(?:(?:Mr|Mrs|Ms)\. )?[A-Z][a-z]+) (?P<has>has) (?=[\w$,-]+)"
)
_WAS = {"are": "were", "is": "was", "has": "had"}


def _statements_before(given: list[str]) -> list[str] | None:
    """Return the clauses, with each state before an event in the past tense.

    Otherwise the state before the event would not differ from the one after it. Return None if an event is
    not in the past tense.
    """
    made = list(given)
    for at, clause in enumerate(given):
        state = _PRESENT.match(clause)
        events = [later for later in given[at + 1 :] if is_event(capitalised(later))]
        if state is None or not events or re.search(r"\b(?:now|will)\b", clause):
            continue
        if state["has"] and not any(item.start == state.end() for item in counted(clause.replace("$", " "))):
            continue  # "has decided"
        if not all(any(is_past(word) for word in _WORD.findall(event)) for event in events):
            return None
        verb = "has" if state["has"] else "verb"
        made[at] = f"{clause[: state.start(verb)]}{_WAS[state[verb]]}{clause[state.end(verb) :]}"
    return made


def _brings_in(asked: str, given: list[str]) -> bool:
    """Return whether the question mentions "the pond" that the body introduces as "a pond"."""
    for known in _KNOWN.finditer(asked):
        adjective, noun = known[1], known[2]
        # "the pie he", "does the pet store": no noun follows the first word. "the music store": a noun follows it.
        verb = _HELPS.search(asked, 0, known.start()) is not None
        head = adjective.strip() if adjective and _not_noun(noun, verb) else noun
        if head in MEASURED_PROPERTIES or head in RATE_NOUNS:
            continue
        stated = " ".join(given)
        # Compiling a separate pattern takes longer than all other patterns together.
        first = head in stated and re.search(
            rf"\b(?:(?P<article>[Aa]n?) (?:[A-Za-z-]+ ){{0,2}}?|[Tt]he (?:[a-z-]+ ){{0,2}}?)?{head}\b", stated
        )
        if not first and head in PLURAL_PEOPLE:
            return True  # "the children", who are mentioned in other words
        if first and first["article"]:
            return True
    return False


def _is_kin(body: str, who: str) -> bool:
    """Return whether "he" may refer to a relation of the named person: "James's favorite player got paid"."""
    if f"{who}'" not in body and f"{who}’" not in body:
        return False
    return re.search(rf"\b{re.escape(who)}['’]s? (?:[a-z]+ ){{0,3}}(?:{_KIN})\b", body) is not None


def _made_known(given: list[str], noun: str) -> list[str]:
    """Return the clauses with a definite article at the first mention of the noun."""
    mention = rf"\b{re.escape(noun)}\b"
    at = next((k for k, clause in enumerate(given) if noun in clause and re.search(mention, clause)), None)
    if at is None or noun in MEASURED_PROPERTIES or noun in RATE_NOUNS:
        return given
    return [*given[:at], made_definite(given[at], noun), *given[at + 1 :]]


_KIN = (
    "player|friend|brother|sister|mother|father|mom|dad|son|daughter|uncle|aunt|cousin|teacher|boss|husband|wife|"
    "neighbor|coach|grandmother|grandfather|classmate"
)


def _states(open_clause: str) -> bool:
    return bool(
        _IF.match(open_clause)
        or re.match(
            r"(?:there|he|she|they|it|we|[A-Z][a-z]+) (?:is|are|was|were|has|had|[a-z]+ed)\b",
            open_clause,
            re.I,
        )
        or re.match(r"(?:He|She|They|It|We|You) [a-z]+ ", open_clause)
    )


def _things(problem: Problem) -> str:
    """Return the unit of the answer if it is a noun of the body that can follow "how many", otherwise ""."""
    unit = problem.unit
    if not unit or not unit.endswith("s") or unit not in problem.body:
        return ""
    if not re.search(rf"\b{re.escape(unit)}\b", problem.body):
        return ""
    # "short sleeve shirts": the unit "sleeve shirts" is only a part of the phrase.
    unit = unit.removeprefix("new ").removeprefix("extra ").removeprefix("more ")
    piece = " " in unit and re.search(rf"\b(?:short|long|old|new) {re.escape(unit)}\b", problem.body)
    return unit.split()[-1] if piece else unit


_LONGEST_IF = 24  # words
_LONGEST_LIST = 3  # clauses after "given that"
_NOT_IN_IF = re.compile(r",|\b(?:if|when|so|because|and)\b", re.IGNORECASE)


def frames(asked: str, clauses: Sequence[str]) -> dict[str, str]:
    """Return the complete problem in each frame that fits, by the name of the frame.

    >>> for text in frames("How many pens has Amy", ["Amy has 3 red pens", "she has 5 blue pens"]).values():
    ...     print(text)
    How many pens has Amy, given that Amy has 3 red pens and that she has 5 blue pens?
    How many pens has Amy? It is known that Amy has 3 red pens and that she has 5 blue pens.
    How many pens has Amy? Amy has 3 red pens. She has 5 blue pens.
    How many pens has Amy? Here is what is known: Amy has 3 red pens. She has 5 blue pens.
    How many pens has Amy if Amy has 3 red pens and she has 5 blue pens?
    """
    question, listed = capitalised(asked), _listed(clauses)
    stated = " ".join(f"{capitalised(clause)}." for clause in clauses)
    made = {
        "given": f"{question}, given that {listed}?",
        "known": f"{question}? It is known that {listed}.",
        "statements": f"{question}? {stated}",
        "facts": f"{question}? Here is what is known: {stated}",
    }
    if len(clauses) > _LONGEST_LIST:
        del made["given"], made["known"]
    condition = " and ".join(clauses)
    short = len(f"{asked} {condition}".split()) <= _LONGEST_IF
    if len(clauses) <= 2 and short and not any(map(_NOT_IN_IF.search, (asked, *clauses))):
        made["if"] = f"{question} if {condition}?"
    return made


def _listed(clauses: Sequence[str]) -> str:
    """Return the clauses after a first "that": "A, that B, and that C"."""
    if len(clauses) == 1:
        return clauses[0]
    comma = any("," in clause for clause in clauses)
    if len(clauses) == 2:
        return f"{clauses[0]}{',' if comma else ''} and that {clauses[1]}"
    mark = "; that " if comma else ", that "
    return mark.join(clauses[:-1]) + f"{mark[0]} and that {clauses[-1]}"
