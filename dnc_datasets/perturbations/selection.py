"""Which numbers of a problem a perturbation may rewrite, and what follows for equation and answer."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from fractions import Fraction

from dnc_datasets import expression, numerals
from dnc_datasets.errors import ExpressionError
from dnc_datasets.expression import Expr, Name, Number
from dnc_datasets.numerals import Quantity
from dnc_datasets.problem import TEXT_FIELDS, Problem

# Sign -> what one and what several are called.
CURRENCIES = {
    "$": ("dollar", "dollars"),
    "€": ("euro", "euros"),
    "£": ("pound", "pounds"),
    "¥": ("yen", "yen"),
}
_AMOUNTS = frozenset(("cardinal", "decimal", "money", "percent"))
_JOINED_ON = frozenset(("-", "–", "/", ":"))


def amounts(problem: Problem, scope: Sequence[str], *, words: bool = False) -> list[Quantity]:
    """The numbers in digits (and, if asked, in words) that stand alone for a count or an amount.

    Years, ordinals, times, ranges and compounds ("2-year") are left out: "2.0-year" and
    "16 (not 93)th" are not English. So are "one" and "half", which are often no numbers.
    """
    found = []
    for name in scope:
        text = getattr(problem, name)
        for surface, value, start, end, kind, _ in numerals.find(text):
            if text[end : end + 1] in _JOINED_ON:
                continue
            in_words = words and kind == "word" and value.denominator == 1 and value > 1
            if in_words or (kind in _AMOUNTS and surface[-1].isdigit()):
                found.append(Quantity(surface, value, start, end, kind, name))
    return found


def currency_before(text: str, start: int) -> str:
    """The currency sign that the number at `start` belongs to, with nothing or one space between."""
    before = text[max(0, start - 2) : start].rstrip(" ")
    return before[-1] if before and before[-1] in CURRENCIES else ""


def operands(problem: Problem, scope: Sequence[str]) -> dict[Fraction, Quantity] | None:
    """The equation's operands by value, each with its one place in the text; None unless all qualify.

    They qualify when each is a whole number in digits, in the scope, and occurs once in body and
    question (suitability, visibility, unambiguity). Problems whose answer is rounded do not qualify:
    how the changed problem would be rounded is not known.
    """
    if not problem.equation or problem.note("rounding"):
        return None
    try:
        leaves = expression.parse(problem.equation).leaves()
    except ExpressionError:
        return None
    seen = Counter(
        quantity.value for name in TEXT_FIELDS for quantity in numerals.find(getattr(problem, name))
    )
    places = {quantity.value: quantity for quantity in amounts(problem, scope) if quantity.is_integer}
    found: dict[Fraction, Quantity] = {}
    for leaf in leaves:
        if isinstance(leaf, Name) or leaf.number in found:
            return None
        if seen[leaf.number] != 1 or leaf.number not in places:
            return None
        found[leaf.number] = places[leaf.number]
    return dict(sorted(found.items(), key=lambda item: (scope.index(item[1].field), item[1].start)))


def moved(equation: Expr, new: Mapping[Fraction, Fraction]) -> Expr:
    """The equation with each operand at its new value."""

    def change(leaf: Number | Name) -> Expr:
        if isinstance(leaf, Name) or leaf.number not in new:
            return leaf
        return expression.number(new[leaf.number])

    return equation.replace(change)


def with_operands(
    problem: Problem, places: Mapping[Fraction, Quantity], new: Mapping[Fraction, Fraction]
) -> Problem | None:
    """The problem with its operands at new values in text and equation, and the answer recomputed.

    None where the changed equation has no value, or a new number equals another number of the text:
    nobody could then tell which one the equation means.
    """
    others = {q.value for name in TEXT_FIELDS for q in numerals.find(getattr(problem, name))} - places.keys()
    if len(set(new.values()) | others) < len(new) + len(others):
        return None
    equation = moved(expression.parse(problem.equation), new)
    try:
        answer = expression.canonical(equation.value())
    except ExpressionError:
        return None
    rewritten = problem.rewrite(places.values(), lambda q: numerals.digits(new[q.value], like=q.text))
    return rewritten.replace(equation=equation.infix(), answer=answer)
