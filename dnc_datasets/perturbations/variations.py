"""SVAMP's nine variations: question sensitivity, reasoning ability and structural invariance, as generators.

Each keeps the seed problem's id and notes the variation's code and category, so that rows of one seed
can be put together. What cannot be varied with certainty is left alone.
"""

from __future__ import annotations

import re
from collections.abc import Callable

from dnc_datasets import expression
from dnc_datasets.certificate.wording import attachments_kept, introductions_kept
from dnc_datasets.draws import Draw
from dnc_datasets.english.reading.facts import Fact, facts
from dnc_datasets.english.reading.objects import exchanged, unmentioned
from dnc_datasets.english.reading.people import PRONOUNS, antecedent
from dnc_datasets.english.reading.quantities import values_of
from dnc_datasets.english.reading.sentences import capitalised, is_name, is_too_long, sentences
from dnc_datasets.english.reading.start_and_event import (
    asked_in_the_end,
    name_differs,
    operands,
    start_and_event,
)
from dnc_datasets.english.reading.verbs import is_past
from dnc_datasets.english.reading.words import OPENERS
from dnc_datasets.english.rewording.clauses import start_moved
from dnc_datasets.english.rewording.conditions import exchanged_with_if
from dnc_datasets.english.rewording.exchanges import all_reordered
from dnc_datasets.english.rewording.statements import swapped
from dnc_datasets.errors import ExpressionError
from dnc_datasets.perturbations import Capability, perturbation
from dnc_datasets.perturbations.logic import ask_otherwise
from dnc_datasets.problem import Problem

_SENSITIVITY, _REASONING, _INVARIANCE = "question sensitivity", "reasoning ability", "structural invariance"
_LOSSES = frozenset("give lose sell eat use donate drop break".split())
_GAINS = frozenset("buy get find receive win collect".split())
_POSSESSING = frozenset("have own buy get find receive collect keep save make bake win pick purchase".split())
_PEOPLE = re.compile(
    r"\b(?:friends|people|students|kids|children|siblings|brothers|sisters|cousins|customers|boys|girls|men|women)\b"
)
# "How many does she have left?", "How many things": one more thing would be one of those.
_ASKS_OPENLY = frozenset(
    """things items objects toys does did do are were is was will would can could should has have had more fewer of in
    total presents gifts prizes calories fruit fruits food foods""".split()
)
_POINTS = re.compile(r"\b(?:it|its|this|that|these|those)\b")
_HE_OR_SHE = re.compile(r"\b(?:he|she|his|her|him)\b", re.IGNORECASE)
_ANIMALS = re.compile(
    r"\b(?:dogs?|pupp(?:y|ies)|cats?|kittens?|bones?|pets?|owner|city|town|county|school|team)\b"
)
_NO_THING = re.compile(
    r"\b(?:ounces?|pounds?|grams?|cups?|liters?|gallons?|inches|feet|miles|hours|minutes|days|years|pages|"
    r"dollars|cents|points|meals?|problems|chapters|breakfast|lunch|dinner|snack)\b"
    r"| to (?:read|do|finish|complete|write)\b"
)
_STALE = ("formula", "solution_type", "rounding")
_NOT_GOT = re.compile(
    r"\b(?:gardens|rooms|groups|tables|rows|teams|classes|houses|stores|schools|pages|piles|stacks|sets|hours|minutes|days|"
    r"weeks|years|miles|feet|problems|times|trips|parts|seats|floors|trees|points|inches|pounds|dollars|cents)\b"
)
_MAX_DRAWS = 40
Vary = Callable[[Problem, Draw], Problem | None]


def _variation(
    name: str, code: str, category: str, promises: tuple[str, ...], *, changes: bool
) -> Callable[[Vary], Vary]:
    """Register a variation; what it makes carries its code and category."""

    def register(function: Vary) -> Vary:
        def vary(problem: Problem, draw: Draw) -> Problem | None:
            made = function(problem, draw) if not is_too_long(problem.text) else None
            if made is None or made == problem:
                return None
            kept = tuple(pair for pair in made.meta if pair[0] not in _STALE) if changes else made.meta
            notes = dict(kept)
            # A variation of a variation carries both codes.
            before = notes.get("variation"), notes.get("variation_category")
            notes |= {
                "seed": problem.id,
                "variation": f"{before[0]}+{code}" if before[0] else code,
                "variation_category": f"{before[1]}+{category}" if before[1] else category,
            }
            return made.replace(meta=tuple(sorted(notes.items())))

        vary.__doc__ = function.__doc__
        perturbation(
            f"vary-{name}",
            capability=Capability.OPERATION_REASONING,
            promises=promises,
            changes_target=changes,
            shapes=("word_problem",),
            needs_equations=changes,
            qualifies="what cannot be varied with certainty is left alone",
        )(vary)
        return function

    return register


_NEW_TARGET = ("equation_gives_answer", "answer_plausible", "operands_stated", "text_changed")


@_variation("same_object_different_structure", "11", _SENSITIVITY, _NEW_TARGET, changes=True)
def same_object_different_structure(problem: Problem, draw: Draw) -> Problem | None:
    """The same things, asked about in another way: how many in all -> how many more."""
    return ask_otherwise(problem, draw)


@_variation(
    "different_object_same_structure",
    "12",
    _SENSITIVITY,
    ("same_numbers", "text_changed", "ties_kept"),
    changes=False,
)
def different_object_same_structure(problem: Problem, draw: Draw) -> Problem | None:
    """Other things, the same question: marbles -> stickers."""
    if problem.note("fillings"):
        return _refilled(problem, draw)
    made = exchanged((problem.body, problem.question, problem.unit), draw)
    if made is None:
        return None
    body, question, unit = made[0]
    changed = problem.replace(body=body, question=question, unit=unit)
    if changed.text == problem.text:
        return None  # only the unit had a word to exchange
    return changed if values_of(changed.text) == values_of(problem.text) else None


def _refilled(problem: Problem, draw: Draw) -> Problem | None:
    """A generated problem about other things."""
    from dnc_datasets.corpus.variations import refill

    return refill(problem, draw)


def _template_variation(problem: Problem, kind: str, draw: Draw) -> Problem | None:
    """What the embedded corpus itself says for this variation of the problem's template."""
    from dnc_datasets.corpus.variations import vary

    return vary(problem, kind, draw)


@_variation("different_object_different_structure", "13", _SENSITIVITY, _NEW_TARGET, changes=True)
def different_object_different_structure(problem: Problem, draw: Draw) -> Problem | None:
    """Other things, asked about in another way."""
    other = different_object_same_structure(problem, draw)
    return ask_otherwise(other, draw) if other is not None else None


@_variation("add_relevant_information", "21", _REASONING, _NEW_TARGET, changes=True)
def add_relevant_information(problem: Problem, draw: Draw) -> Problem | None:
    """One more change before the question: Then Amy got 4 more pens."""
    if problem.note("fillings"):
        return _template_variation(problem, "add_relevant_information", draw)
    asked, who = asked_in_the_end(problem)
    if asked is None or not re.fullmatch(r"(?:(?:Mr|Mrs|Ms)\. )?[A-Z][a-z]+", who[0]):
        return None
    if not set(operands(problem)) <= set(problem.values()):
        return None  # a number of the equation is not told in figures: "twice", "a week"
    number = _fresh(problem, draw, 2, 9)
    what = asked["what"].strip()
    if what.split()[0] in ("more", "fewer") or not what.split(" of ")[0].endswith(("s", "fish", "people")):
        return None
    opener = draw.choice([word for word in ("Then", "Later") if word not in problem.body] or ["After that,"])
    if _PEOPLE.search(what) or _NOT_GOT.search(what):
        return None  # nobody gets 5 more friends, or 6 more gardens
    if not set(expression.parse(problem.equation).operators) <= {"+", "-"}:
        return None  # "She made 11 chains of 28 beads each": she does not have these beads any more
    got = "got" if any(is_past(word) for word in re.findall(r"[a-z]+", problem.body)) else "gets"
    added = f"{opener} {who[0]} {got} {number} more {what}."
    end = " in the end" if asked["aux"] == "did" else " now"
    question = re.sub(r" left(?=\s*\?$)", end, problem.question)
    if asked["end"] is None:
        question = f"{_unasked(question)}{end}?"
    return _solved(
        problem, f"({problem.equation}) + {number}", body=f"{problem.body} {added}", question=question
    )


def _unasked(question: str) -> str:
    """The question without its mark."""
    return question.rstrip().removesuffix("?").rstrip()


@_variation("change_information", "22", _REASONING, _NEW_TARGET, changes=True)
def change_information(problem: Problem, draw: Draw) -> Problem | None:
    """What was given away is now received, and the other way round: gave 5 to Tom -> got 5 from Tom."""
    if problem.note("fillings"):
        return _template_variation(problem, "change_information", draw)
    asked, who = asked_in_the_end(problem)
    pair = start_and_event(problem)
    if (
        asked is None
        or not who
        or pair is None
        or asked["end"] not in (" left", " now", " in all", " total", " altogether", " in total", None)
    ):
        return None
    start, event = pair
    parts = sentences(problem.body)
    old = parts[event.sentence]
    if event.plain in _LOSSES and list(expression.parse(problem.equation).operators) == ["-"]:
        new = _received(old, event)
        sign = "+"
    elif event.plain in _GAINS and list(expression.parse(problem.equation).operators) == ["+"]:
        new = _lost(old, event)
        sign = "-"
    else:
        return None
    if new is None or new == old:
        return None
    end = " in the end" if asked["aux"] == "did" else " now"
    stem = _unasked(problem.question)
    question = f"{stem.removesuffix(asked['end'] or '')}{end}?"
    if start.particle or re.match(r"For ", old) or re.search(r"(?<!,) but | of (?:her|his|their|the) ", new):
        return None  # "9 pens but found 2 more"; "got 136 of her cards" would be cards that she had
    new = new.replace(", but ", ", and ")
    body = " ".join([*parts[: event.sentence], new, *parts[event.sentence + 1 :]])
    return _solved(problem, f"{_digits(start)} {sign} {_digits(event)}", body=body, question=question)


def _received(sentence: str, event: Fact) -> str | None:
    """He gave 5 pens to Tom. -> He got 5 pens from Tom."""
    if event.plain == "give" and re.match(r" to [A-Z][a-z]+$", event.tail) and not event.particle:
        return sentence.replace(" gave ", " got ", 1).replace(
            f"{event.tail}.", f"{event.tail.replace(' to ', ' from ', 1)}."
        )
    if event.plain in ("lose", "sell") and not event.tail and not event.particle:
        return re.sub(
            rf"\b{event.verb}\b", "bought" if event.plain == "sell" else "found", sentence, count=1
        ).replace(" of them", " more")
    return None


def _lost(sentence: str, event: Fact) -> str | None:
    """He bought 4 more pens. -> He lost 4 pens."""
    if event.tail or event.particle:
        return None
    cut = re.sub(rf"\b{event.verb}\b", "sold" if event.plain == "buy" else "lost", sentence, count=1)
    return re.sub(r"\banother (?=\w)", "", re.sub(r" more\b", "" if event.noun else " of them", cut, count=1))


@_variation("invert_operation", "23", _REASONING, _NEW_TARGET, changes=True)
def invert_operation(problem: Problem, draw: Draw) -> Problem | None:
    """The answer is told, and one of the numbers is asked for."""
    if problem.note("fillings"):
        return _template_variation(problem, "invert_operation", draw)
    asked, who = asked_in_the_end(problem)
    pair = start_and_event(problem)
    if asked is None or not who or pair is None or "," in problem.body[-1:]:
        return None
    start, event = pair
    operators = list(expression.parse(problem.equation).operators)
    name, pronoun = who
    if name_differs(event, who, problem) or event.particle:
        return None
    noun = event.noun or start.noun
    parts = sentences(problem.body)
    gap = (
        re.escape(event.number) + r"(?: more)?(?: of them| " + re.escape(event.noun) + r")?"
        if event.noun
        else re.escape(event.number) + r"(?: more)?(?: of them)?"
    )
    some = "some more" if operators == ["+"] else "some"
    old = parts[event.sentence]
    told, count = re.subn(
        rf"\b{re.escape(event.number)}(?= of (?:them|her|his|their|the)\b)", "some", old, count=1
    )
    if not count:
        told, count = re.subn(rf"(?:another )?\b{gap}", f"{some} {noun}", old, count=1)
    if (
        not count
        or (operators == ["-"] and event.plain not in _LOSSES)
        or (operators == ["+"] and event.plain not in _GAINS)
    ):
        return None
    parts[event.sentence] = told
    if start.verb == "has":  # "has 9 pens but lost some. Now she has 7": that was before
        parts[start.sentence] = parts[start.sentence].replace(" has ", " had ", 1)
    left = " left" if operators == ["-"] else ""
    now = f"Now {pronoun or name} has {problem.answer} {noun}{left}."
    tail = re.sub(r" an? ", " the ", event.tail)
    question = f"How many {noun} did {pronoun or name} {event.plain}{tail}?"
    equation = (
        f"{_digits(start)} - {problem.answer}"
        if operators == ["-"]
        else f"{problem.answer} - {_digits(start)}"
    )
    return _solved(problem, equation, body=" ".join([*parts, now]), question=question)


@_variation(
    "change_order_of_objects",
    "31",
    _INVARIANCE,
    ("target_kept", "values_permuted", "order_changed", "attachments_kept", "introductions_kept"),
    changes=False,
)
def change_order_of_objects(problem: Problem, draw: Draw) -> Problem | None:
    """3 pens and 5 cups -> 5 cups and 3 pens."""
    for body in all_reordered(problem.body):
        if _only_order(problem, made := problem.replace(body=body)):
            return made
    return None


@_variation(
    "change_order_of_phrases",
    "32",
    _INVARIANCE,
    ("target_kept", "values_permuted", "order_changed", "attachments_kept", "introductions_kept"),
    changes=False,
)
def change_order_of_phrases(problem: Problem, draw: Draw) -> Problem | None:
    """Statements change places, or one moves behind "if"."""
    moved = swapped(problem.body, problem.question)
    if moved is not None and _only_order(problem, made := problem.replace(body=moved)):
        return made
    for move in (exchanged_with_if, start_moved):
        pair = move(problem.body, problem.question)
        if pair is not None and _only_order(problem, made := problem.replace(body=pair[0], question=pair[1])):
            return made
    return None


@_variation(
    "add_irrelevant_information", "33", _INVARIANCE, ("target_kept", "statement_added"), changes=False
)
def add_irrelevant_information(problem: Problem, draw: Draw) -> Problem | None:
    """One more fact that the question does not need: Amy also has 7 ribbons."""
    told = [fact for fact in facts(problem.body) if _is_somebody(fact, problem.text)]
    what = re.match(r"how many (?P<what>[a-z -]+)", problem.question, re.IGNORECASE)
    if (
        not told
        or what is None
        or what["what"].split()[0] in _ASKS_OPENLY
        or _POINTS.search(problem.question)
    ):
        return None
    who = told[0].who
    spoken_of = {PRONOUNS[word.lower()][0] for word in _HE_OR_SHE.findall(problem.question)}
    if any(antecedent(gender, problem.body) != who for gender in spoken_of):
        return None  # "Steve had 4 beads. How many fish does he have?", where he is Todd
    if any(re.match(r"If [^,]*\.$", part) for part in sentences(problem.body)):
        return None
    number = _fresh(problem, draw, 2, 30)
    verb = "had" if told[0].past else "has"
    # "Rocky boxed 190 fights. Rocky also had 2 plums.": nothing was had before.
    own = [fact for fact in told if fact.who == who and fact.plain in _POSSESSING]
    had = bool(own)
    if any(_NO_THING.search(f"{fact.noun}{fact.tail}") for fact in own):
        return None  # "had 8 ounces of plums" for lunch, "has 30 pages to read"
    added = f"{who}{' also' if had else ''} {verb} {number} {unmentioned(problem.text, draw)}."
    parts = sentences(problem.body)
    return problem.replace(body=" ".join([*parts, added])) if parts[-1][-1:] in ".!?" else None


def _is_somebody(fact: Fact, text: str) -> bool:
    """Is the one of whom a fact tells a person? "Boston" may be a town, and "Rex" a dog."""
    if is_name(fact.who) or re.match(r"(?:Mr|Mrs|Ms)\. [A-Z]", fact.who):
        return True
    has = re.fullmatch(r"[A-Z][a-z]+", fact.who) is not None and fact.plain in ("have", "own", "buy")
    return has and fact.who.lower() not in OPENERS and _ANIMALS.search(text) is None


def _digits(fact: Fact) -> str:
    return expression.canonical(fact.value)


def _fresh(problem: Problem, draw: Draw, low: int, high: int) -> int:
    """A number that occurs neither in the problem nor as its answer."""
    taken = {*values_of(problem.text), *values_of(problem.answer)}
    for _ in range(_MAX_DRAWS):
        if (number := draw.integer(low, high)) not in taken:
            return number
    return int(max(taken)) + 1


def _solved(problem: Problem, equation: str, *, body: str, question: str) -> Problem | None:
    """The problem with another text and equation, and the answer that follows; None where it makes no sense."""
    try:
        tree = expression.parse(equation)
        value = tree.value()
    except ExpressionError:
        return None
    if value <= 0 or value.denominator != 1:
        return None
    return problem.replace(
        body=body, question=capitalised(question), equation=tree.infix(), answer=expression.canonical(value)
    )


def _only_order(original: Problem, made: Problem) -> bool:
    same = values_of(original.text) == values_of(made.text) and original.values() != made.values()
    return same and attachments_kept(original, made) and introductions_kept(original, made)
