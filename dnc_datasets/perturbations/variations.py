"""SVAMP's nine variations of question sensitivity, reasoning ability and structural invariance.

Each keeps the id of the seed problem and records the code and category of the variation, so that rows of one
seed can be grouped. Uncertain variations are omitted.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence

from dnc_datasets import expression
from dnc_datasets.certificate.wording import attachments_kept, introductions_kept
from dnc_datasets.draws import Draw
from dnc_datasets.english.lexicon import (
    NUMBER_TO_TWELVE,
    OBJECTS_IN_HUNDREDS,
    OBJECTS_NEVER_INTRODUCED,
    TRADE_FORMS,
    VERBS_FOR_ANY_OBJECT,
    is_past,
    is_plural,
    plain,
)
from dnc_datasets.english.reading.quantities import values_of
from dnc_datasets.english.reading.sentences import capitalised, is_too_long
from dnc_datasets.english.relations.events import (
    asked_in_the_end,
    equation_numbers,
)
from dnc_datasets.english.rewording.clauses import start_moved
from dnc_datasets.english.rewording.conditions import exchanged_with_if
from dnc_datasets.english.rewording.exchanges import all_reordered
from dnc_datasets.english.rewording.statements import swapped
from dnc_datasets.errors import ExpressionError
from dnc_datasets.perturbations import Capability, perturbation
from dnc_datasets.perturbations.logic import ask_otherwise
from dnc_datasets.perturbations.noop import PROMISES as NOOP_PROMISES
from dnc_datasets.perturbations.noop import add_remark
from dnc_datasets.perturbations.relation import PROMISES as RELATION_PROMISES
from dnc_datasets.perturbations.relation import change_relation
from dnc_datasets.perturbations.reverse import PROMISES as REVERSE_PROMISES
from dnc_datasets.perturbations.reverse import reverse
from dnc_datasets.problem import Problem

_SENSITIVITY, _REASONING, _INVARIANCE = "question sensitivity", "reasoning ability", "structural invariance"
_PEOPLE = re.compile(
    r"\b(?:friends|people|students|kids|children|siblings|brothers|sisters|cousins|customers|boys|girls|men|women)\b"
)
_STALE = ("formula", "solution_type", "rounding")
_NOT_GOT = re.compile(
    r"\b(?:gardens|rooms|groups|tables|rows|teams|classes|houses|stores|schools|pages|piles|stacks|sets|hours|minutes|days|"
    r"weeks|years|miles|feet|problems|times|trips|parts|seats|floors|trees|points|inches|pounds|dollars|cents)\b"
)
_MAX_DRAWS = 40
Vary = Callable[[Problem, Draw], Problem | None]


def _variation(
    name: str, code: str, category: str, promises: tuple[str, ...], *, changes: bool, draw_key: str = ""
) -> Callable[[Vary], Vary]:
    """Register a variation, whose results carry its code and category."""

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
            draw_key=draw_key,
            capability=Capability.OPERATION_REASONING,
            promises=promises,
            changes_target=changes,
            shapes=("word_problem",),
            needs_equations=changes,
            qualifies="a rule must be certain of the varied problem",
        )(vary)
        return function

    return register


_NEW_ORDER = (
    "target_kept", "values_permuted", "order_changed", "attachments_kept", "introductions_kept", "words_stay_together"
)  # fmt: skip
_NEW_TARGET = (
    "equation_gives_answer",
    "answer_plausible",
    "operands_stated",
    "text_changed",
    "asked_as_computed",
)


@_variation(
    "same_object_different_structure", "11", _SENSITIVITY, _NEW_TARGET, changes=True, draw_key="logic"
)
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
    """Return a generated problem about other things."""
    from dnc_datasets.corpus.variations import refill

    return refill(problem, draw)


def _template_variation(problem: Problem, kind: str, draw: Draw) -> Problem | None:
    """Return the variation that the embedded corpus contains for the template of the problem."""
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
    if not set(equation_numbers(problem)) <= set(problem.values()):
        return None  # a number of the equation is not stated in figures: "twice", "a week"
    number = _fresh(problem, draw, 2, 9)
    what = asked["what"].strip()
    if what.split()[0] in ("more", "fewer") or not is_plural(what.split(" of ")[0]):
        return None
    opener = draw.choice([word for word in ("Then", "Later") if word not in problem.body] or ["After that,"])
    if _PEOPLE.search(what) or _NOT_GOT.search(what):
        return None  # "5 more friends" and "6 more gardens" are implausible
    if not set(expression.parse(problem.equation).operators) <= {"+", "-"}:
        return None  # "She made 11 chains of 28 beads each": these beads are used
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
    """Return the question without its question mark."""
    return question.rstrip().removesuffix("?").rstrip()


@_variation("change_information", "22", _REASONING, RELATION_PROMISES, changes=True)
def change_information(problem: Problem, draw: Draw) -> Problem | None:
    """One relation is another one (`relation`): 5 more pens than Tom -> 5 fewer pens than Tom."""
    return change_relation(problem, draw)


@_variation("invert_operation", "23", _REASONING, REVERSE_PROMISES, changes=True)
def invert_operation(problem: Problem, draw: Draw) -> Problem | None:
    """The answer is given, and one of the numbers is asked for (`reverse`)."""
    return reverse(problem, draw)


@_variation(
    "change_order_of_objects",
    "31",
    _INVARIANCE,
    _NEW_ORDER,
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
    _NEW_ORDER,
    changes=False,
)
def change_order_of_phrases(problem: Problem, draw: Draw) -> Problem | None:
    """Statements change places, or one moves after "if"."""
    moved = swapped(problem.body, problem.question)
    if moved is not None and _only_order(problem, made := problem.replace(body=moved)):
        return made
    for move in (exchanged_with_if, start_moved):
        pair = move(problem.body, problem.question)
        if pair is not None and _only_order(problem, made := problem.replace(body=pair[0], question=pair[1])):
            return made
    return None


@_variation("add_irrelevant_information", "33", _INVARIANCE, NOOP_PROMISES, changes=False)
def add_irrelevant_information(problem: Problem, draw: Draw) -> Problem | None:
    """One more statement that the question does not need (`noop`): Three of the pens were a bit shinier."""
    return add_remark(problem, draw)


def _fresh(problem: Problem, draw: Draw, low: int, high: int) -> int:
    """Return a number that occurs neither in the problem nor as its answer."""
    taken = {*values_of(problem.text), *values_of(problem.answer)}
    for _ in range(_MAX_DRAWS):
        if (number := draw.integer(low, high)) not in taken:
            return number
    return int(max(taken)) + 1


def _solved(problem: Problem, equation: str, *, body: str, question: str) -> Problem | None:
    """Return the problem with another text and equation, and the new answer; None if it is implausible."""
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


# one, many: things that can be had, given, found, bought or lost in place of each other.
THINGS = (
    ("marble", "marbles"), ("sticker", "stickers"), ("pencil", "pencils"), ("crayon", "crayons"),
    ("button", "buttons"), ("shell", "shells"), ("seashell", "seashells"), ("stamp", "stamps"), ("coin", "coins"),
    ("bead", "beads"), ("pen", "pens"), ("eraser", "erasers"), ("ribbon", "ribbons"), ("bracelet", "bracelets"),
    ("balloon", "balloons"), ("card", "cards"), ("baseball card", "baseball cards"), ("book", "books"),
    ("comic book", "comic books"), ("block", "blocks"), ("peach", "peaches"), ("plum", "plums"),
    ("apple", "apples"), ("pear", "pears"), ("orange", "oranges"), ("toy car", "toy cars"), ("badge", "badges"),
    ("penny", "pennies"), ("quarter", "quarters"), ("nickel", "nickels"), ("skittle", "skittles"),
)  # fmt: skip
_FRUIT = frozenset(("peach", "plum", "apple", "pear", "orange"))
_ACTS = re.compile(
    r"\b(?:ate|eat|eating|peel|bake|pie|juice|tree|picked|pick|read|reading|pages|wear|play\w*|blew|pop|spend|spent|cost|"
    r"costs|dollars|\$|write|draw|buy a|bowl|basket|tower|build|binder|shelf|library|quarters? of|bank|about|"
    r"bookshel\w+|shelves|village|houses?|mail|used?|uses|chart|classroom|test|toys|pies|change|pounds|bucket|"
    r"M&M|candy|machine|harvest\w*|stack\w*|pyramid|notebooks?|colou?rs?|clear|broke|broken|party|\w+seller|albums?|"
    r"beach\w*|seashore|shore|ocean|sea|sand|misplac\w*|sharpen\w*|game|librarian|check\w*|walk\w*|streets?|novels?|"
    r"balls?|jars?|pops?|popped|author|copies|versions?|decks?|poker|scrapbooks?|sheets?|gloves?|gear|sews?|"
    r"necklaces?|shirts?|comic(?! books?\b)|baseball(?! cards?\b))\b"
)
# A coin that is counted as money cannot be exchanged.
_AS_MONEY = re.compile(r"\$|\b(?:cents?|dimes?|dollars?|money|worth|pays?|paid|value)\b")
_MONEY = frozenset(("coins", "pennies", "quarters", "nickels"))
_HUNDREDS = 150
_WORD = re.compile(r"[a-z]+")


def exchanged(texts: Sequence[str], draw: Draw) -> tuple[list[str], str, str] | None:
    """Return the texts about another thing, and both things (plural); None if no exchange is certain.

    >>> exchanged(["Amy has 3 marbles."], Draw(0, "", "", ""))[0][0].startswith("Amy has 3 ")
    True
    """
    whole = " ".join(texts)
    if _ACTS.search(whole):
        return None
    if any(verb not in VERBS_FOR_ANY_OBJECT for word in _WORD.findall(whole) if (verb := _done(word))):
        return None
    present = [
        pair
        for pair in THINGS
        if re.search(rf"(?<![a-z-] )?\b{pair[1]}\b", whole) and not _inside_other(pair[1], whole)
    ]
    if len(present) != 1:
        return None
    one, many = present[0]
    if (many in _MONEY and _AS_MONEY.search(whole)) or _part_of_more(one, many, whole):
        return None
    if re.search(
        rf"\b(?!\d)[a-z]+(?<!of)(?<!the)(?<!more)(?<!some)(?<!many)(?<!fewer)(?<!his)(?<!her) {many}\b",
        _small(whole),
    ):
        return None  # "red marbles": the adjective may not fit another thing
    words = set(_WORD.findall(whole.lower()))
    # "toy cars" that are "cars" later on.
    if " " in many and re.search(rf"(?<!{many.split()[0]} ){many.split()[-1]}\b", whole):
        return None
    many_of_them = any(value > _HUNDREDS for value in values_of(whole))
    others = [
        pair
        for pair in THINGS
        if (pair[0] in _FRUIT) == (one in _FRUIT)
        and pair[1].split()[-1] not in words
        and not (pair[1] in _MONEY and (words & TRADE_FORMS or _AS_MONEY.search(whole)))
        and pair[1] not in OBJECTS_NEVER_INTRODUCED
        and (pair[1] in OBJECTS_IN_HUNDREDS or not many_of_them)
    ]
    new_one, new_many = draw.choice(others)
    made = [
        re.sub(rf"\ban? {one}\b", _article(new_one), re.sub(rf"\b{many}\b", new_many, text)) for text in texts
    ]
    if any(re.search(rf"\b{one}\b", text) for text in made):
        return None
    return made, many, new_many


def _done(word: str) -> str | None:
    """Return the verb that the word may be; None for a noun such as "stamp"."""
    return None if any(word in pair for pair in THINGS) else plain(word)


def _small(text: str) -> str:
    # Number words are no adjectives.
    return re.sub(
        rf"\b(?:[a-z]+ty-[a-z]+|[a-z]+teen|[a-z]+ty|{NUMBER_TO_TWELVE})\b",
        "9",
        text.lower(),
    )


def _part_of_more(one: str, many: str, text: str) -> bool:
    """Return whether the noun is part of another word or name: "a block of wood", "a card game"."""
    return bool(
        re.search(rf"\b(?:{one}|{many}) of [a-z]|\b{one} (?:club|shop|store|set|show|box|pack|sale)\b", text)
        or re.search(rf"\b(?!{many}\b){one}[a-z]+|[a-z]{one}s?\b", text, re.IGNORECASE)
    )


def _inside_other(many: str, text: str) -> bool:
    """Return whether "books" occurs only in "comic books"."""
    longer = [pair[1] for pair in THINGS if pair[1].endswith(f" {many}")]
    return any(re.search(rf"\b{name}\b", text) for name in longer)


def _article(noun: str) -> str:
    return f"{'an' if noun[0] in 'aeiou' else 'a'} {noun}"
