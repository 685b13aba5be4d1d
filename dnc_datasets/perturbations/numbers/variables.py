"""Numbers of a text that a variable can replace, and the problem with such a variable."""

from __future__ import annotations

import re
from fractions import Fraction

from dnc_datasets import expression, numerals
from dnc_datasets.expression import Expr
from dnc_datasets.numerals import Quantity
from dnc_datasets.perturbations.numbers.amounts import amounts
from dnc_datasets.problem import TEXT_FIELDS, Problem, splice

NAME = "x"
LONE_X = re.compile(r"(?<![A-Za-z])[xX](?![A-Za-z])")
_DIGITS = re.compile(r"\d[\d,]*(?:\.\d+)?")
_WORD = re.compile(r"[A-Za-z]+")
# The number is part of a longer one, a time, a range, a ratio or a measure with two parts.
_AFTER = re.compile(
    r"\s?(?:dozen|hundred|thousand|million|billion|half|halves|and (?:a|one)[- ]half|and a quarter|[ap]\.?m\b|"
    r"o'clock|to \$?\d|or \$?\d|and \d+/\d|\d|[-–—:/°º'\"’”*+=x×]|out of\b|in \d|by \d|st\b|nd\b|rd\b|th\b|percentage)"
    r"|\s(?:and|or) (?:half|one-half|1/2)\b",
    re.IGNORECASE,
)
_BEFORE = re.compile(
    r"(?:\d\s?|\d[a-z%]* (?:to|or)|\b(?:between|between \$?\d+ and|ages?|aged|grades?|numbers?|sizes?|no\.)|"
    r"[#*+=/x×:'’-])\s?\$?\Z",
    re.IGNORECASE,
)
# "15 minutes 3 days a week": a unit with its own number is directly before.
_AFTER_A_UNIT = re.compile(r"\b\d{1,12}(?:\.\d{1,6})?%? [A-Za-z-]{1,20} \$?\Z")
_AT_A_TIME = re.compile(r"\b(?:at|until|till|by|around|since|before|after) \Z", re.IGNORECASE)
_COUNTS = re.compile(r" [a-z]|%|\$")
_IN_THE = re.compile(r" (?:in the (?:morning|afternoon|evening)|at night|tonight|sharp)\b")
# "the two of them", "all four walls"
_POINTED_AT = re.compile(
    r"\b(?:the|these|those|all|any|other|both|which|of|his|her|their|last|first|next) \Z", re.IGNORECASE
)
_ARTICLE = re.compile(r"\b([Aa]) \Z")
_SENTENCE_START = re.compile(r"(?:\A|[.!?:;\n][\"')]?\s{0,4})[\"'“(]?\$?\Z")


def nameable(problem: Problem) -> list[Quantity]:
    """Return the numbers that are stated once and that a variable can replace.

    Return no numbers if the text already has a variable.
    """
    if LONE_X.search(problem.text) or not problem.text.isascii():
        return []
    values = [abs(value) for value in problem.values()]
    found = []
    for quantity in amounts(problem, TEXT_FIELDS, words=True):
        text = problem.text_at(quantity.field)
        if values.count(quantity.value) == 1 and quantity.value > 1 and _stands_alone(text, quantity):
            found.append(quantity)
    return found


def _stands_alone(text: str, quantity: Quantity) -> bool:
    before, surface = text[: quantity.start], quantity.text
    if not (_DIGITS.fullmatch(surface) or _WORD.fullmatch(surface)):
        return False
    if text[quantity.end : quantity.end + 1].isalpha() or _AFTER.match(text, quantity.end):
        return False
    if _BEFORE.search(before) or _AFTER_A_UNIT.search(before):
        return False
    if quantity.kind == "word" and _POINTED_AT.search(before):
        return False
    if _IN_THE.match(text, quantity.end) or _SENTENCE_START.search(before):
        return False
    return not (_AT_A_TIME.search(before) and not _COUNTS.match(text, quantity.end))


def with_variable(problem: Problem, quantity: Quantity) -> Problem:
    """Return the problem with x in place of a number. "a 20% discount" becomes "an x% discount"."""
    text = problem.text_at(quantity.field)
    edits = [(quantity.start, quantity.end, NAME)]
    article = _ARTICLE.search(text[: quantity.start])
    if article:
        edits.insert(0, (article.start(1), article.end(1), f"{article[1]}n"))
    return problem.with_texts({quantity.field: splice(text, edits)})


def is_implied(problem: Problem, value: Fraction) -> bool:
    """Return whether a word of the text implies this number: the 7 of "week"."""
    return value in numerals.implied(problem.text)


# Notes that describe only the original calculation.
_STALE = frozenset(
    "formula solution_type rounding derivation solution solution_steps step_questions no_equation type qdmr "
    "program".split()
)


def without_solution(problem: Problem) -> Problem:
    """Return the problem without notes that describe only the original calculation."""
    return problem.replace(meta=tuple(pair for pair in problem.meta if pair[0] not in _STALE))


def recalculated(problem: Problem, equation: Expr, unit: str = "") -> Problem:
    """Return the problem with another equation and the answer that it gives."""
    return without_solution(problem).replace(
        equation=equation.infix(),
        answer=expression.canonical(equation.value()),
        answers=(),
        unit=unit,
    )
