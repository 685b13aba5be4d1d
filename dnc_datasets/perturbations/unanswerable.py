"""Unanswerable: a necessary number is removed, and the correct reply says that it is missing."""

from __future__ import annotations

import re
from fractions import Fraction

from dnc_datasets import expression, numerals
from dnc_datasets.draws import Draw
from dnc_datasets.english.lexicon import COUNTED_NOUN_CLASS
from dnc_datasets.english.reading.sentences import is_too_long
from dnc_datasets.errors import ExpressionError
from dnc_datasets.expression import Expr, Number
from dnc_datasets.numerals import Quantity
from dnc_datasets.perturbations import Capability, perturbation
from dnc_datasets.perturbations.numbers.variables import without_solution
from dnc_datasets.problem import Problem

# The counted noun follows directly, or after one word: "12 pens", "12 red pens".
_COUNTED = re.compile(r" ([a-z]+)\b(?!-)(?: ([a-z]+)\b(?!-))?")
# Words before a number that "some" cannot follow.
_NOT_BEFORE = re.compile(
    r"(?:\b(?:a|an|the|his|her|its|their|my|our|your|these|those|all|only|every|each|other|another|of|than|exactly|about|least|most|first|last|next|"
    r"into|by|times|some|per|number|page|room|grade|age)|[-$/.,\d])\s?\Z",
    re.IGNORECASE,
)
_CONDITION = re.compile(r"\b(?:if|suppose|assuming|when|since)\b[^.!?]{0,200}\Z", re.IGNORECASE)
_SOME = re.compile(r"\bsome\b", re.IGNORECASE)
_NOT_AFTER = re.compile(r" (?:more|times|fewer|less|of|percent|or|to)\b|[-/%:]")


@perturbation(
    "unanswerable",
    capability=Capability.OPERAND_SELECTION,
    changes_target=True,
    promises=("needed_number_removed",),
    shapes=("word_problem",),
    languages=("en",),
    needs_equations=True,
    qualifies="a count of things that occurs once, on which the answer depends, and no number beside the operands",
)
def remove_needed_number(problem: Problem, draw: Draw) -> Problem | None:
    """Tom has 12 pens and buys 3 more. -> Tom has some pens and buys 3 more. The answer is "unknown"."""
    if is_too_long(problem.text) or problem.answer_type != "number" or not problem.equation:
        return None
    if _SOME.search(problem.text):  # an amount that the text leaves open already
        return None
    try:
        equation = expression.parse(problem.equation)
    except ExpressionError:
        return None
    numbers = numerals.find(problem.body)
    operands = [leaf.number for leaf in equation.leaves() if isinstance(leaf, Number)]
    shown = problem.values()
    # A number beside the operands might let a reader derive the missing one.
    if sorted(shown) != sorted(operands) or numerals.implied(problem.text):
        return None
    found = [one for one in numbers if _can_go(one, problem.body, operands) and _matters(equation, one.value)]
    if not found:
        return None
    gone = draw.choice(found)
    before = problem.body[: gone.start]
    # "If there are some boxes" would state nothing.
    word = "a certain number of" if _CONDITION.search(before) else "some"
    if not before or before.endswith((". ", "! ")):
        word = word.capitalize()
    body = f"{before}{word}{problem.body[gone.end :]}"
    return without_solution(problem).replace(
        body=body, equation="", answer="unknown", answers=(), unit="", answer_type="unanswerable"
    )


def _can_go(quantity: Quantity, body: str, operands: list[Fraction]) -> bool:
    """Return whether the number counts a known plural noun, so that "some" can replace it."""
    following = _COUNTED.match(body, quantity.end)
    return (
        quantity.kind == "cardinal"
        and quantity.is_integer
        and quantity.value > 1
        and operands.count(quantity.value) == 1
        and following is not None
        and any(word in COUNTED_NOUN_CLASS for word in following.groups())
        and _NOT_BEFORE.search(body[: quantity.start]) is None
        and _NOT_AFTER.match(body, quantity.end) is None
    )


def _matters(equation: Expr, value: Fraction) -> bool:
    """Return whether another number in this place changes the answer."""

    def moved(leaf: Expr) -> Expr:
        return expression.number(value + 1) if isinstance(leaf, Number) and leaf.number == value else leaf

    try:
        return equation.replace(moved).value() != equation.value()
    except ExpressionError:
        return False
