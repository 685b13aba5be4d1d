"""Which numbers of a problem a perturbation may rewrite, and what follows for equation and answer."""

from __future__ import annotations

from collections.abc import Sequence
from fractions import Fraction
from functools import lru_cache

from dnc_datasets import expression, numerals
from dnc_datasets.errors import ExpressionError
from dnc_datasets.expression import Expr, Name, Number
from dnc_datasets.numerals import Quantity
from dnc_datasets.problem import Edit, Problem, splice

# Sign -> what one and what several are called.
CURRENCIES = {
    "$": ("dollar", "dollars"),
    "€": ("euro", "euros"),
    "£": ("pound", "pounds"),
    "¥": ("yen", "yen"),
}
_AMOUNTS = frozenset(("cardinal", "decimal", "money", "percent"))
_JOINED_ON = frozenset(("-", "–", "/", ":"))
_MAX_CACHED_TEXTS = 4096


def amounts(problem: Problem, scope: Sequence[str], *, words: bool = False) -> list[Quantity]:
    """The numbers in digits (and, if asked, in words) that stand alone for a count or an amount.

    Years, ordinals, times, ranges and compounds ("2-year") are left out: "2.0-year" and
    "16 (not 93)th" are not English. So are "one" and "half", which are often no numbers.
    """
    found: list[Quantity] = []
    for path, text in problem.texts(scope):
        found += amounts_in(text, path, words=words)
    return found


# Many questions share a passage, so what was found in a text is kept.
@lru_cache(maxsize=_MAX_CACHED_TEXTS)
def amounts_in(text: str, path: str, *, words: bool = False) -> tuple[Quantity, ...]:
    """The amounts of one text, which stands at `path`; `amounts` says which numbers are."""
    found = []
    for surface, value, start, end, kind, _ in numerals.find(text):
        after = text[end : end + 1]
        if after in _JOINED_ON or (after == ")" and is_label(text, start, end)):
            continue
        in_words = words and kind == "word" and value.denominator == 1 and value > 1
        if in_words or (kind in _AMOUNTS and surface[-1].isdigit() and not is_heading(path, surface)):
            found.append(Quantity(surface, value, start, end, kind, path))
    return tuple(found)


@lru_cache(maxsize=_MAX_CACHED_TEXTS)
def whole_numbers(text: str) -> frozenset[int]:
    """The whole numbers that a text holds; ints, because they hash faster than Fractions."""
    return frozenset(quantity.value.numerator for quantity in numerals.find(text) if quantity.is_integer)


def is_label(text: str, start: int, end: int) -> bool:
    """Whether the number in brackets marks a note, "Leases (1)"; alone in a cell, "(1)" is minus one."""
    bracketed = text[start - 1 : start] == "(" and text[end : end + 1] == ")"
    return bracketed and text.strip(" $€£¥%()") != text[start:end]


def is_heading(path: str, surface: str) -> bool:
    """Whether the number is a year that heads a row or a column of a table."""
    return path.startswith("table.") and len(surface) == 4 and surface[:2] in ("19", "20")


def currency_before(text: str, start: int) -> str:
    """The currency sign that the number at `start` belongs to, with nothing or one space between."""
    before = text[max(0, start - 2) : start].rstrip(" ")
    return before[-1] if before and before[-1] in CURRENCIES else ""


def operands(problem: Problem, scope: Sequence[str]) -> tuple[Quantity, ...] | None:
    """Where each operand of the equation stands in the text, in its order; None unless all qualify.

    They qualify when each is a whole number in digits, in the scope, and occurs once in body and
    question (suitability, visibility, unambiguity). Problems whose answer is rounded do not qualify:
    how the changed problem would be rounded is not known.
    """
    if not problem.equation or problem.note("rounding"):
        return None
    return _operands_in(problem.body, problem.question, problem.equation, tuple(scope))


# One build asks for the operands of the same problem several times.
@lru_cache(maxsize=_MAX_CACHED_TEXTS)
def _operands_in(
    body: str, question: str, equation: str, scope: tuple[str, ...]
) -> tuple[Quantity, ...] | None:
    try:
        leaves = expression.parse(equation).leaves()
    except ExpressionError:
        return None
    # Keys are ints: hashing a Fraction costs more than all the rest of this function.
    places: dict[int, Quantity | None] = {}
    for name, text in (("body", body), ("question", question)):
        for surface, value, start, end, kind, _ in numerals.find(text):
            number, parts = value.as_integer_ratio()
            if parts == 1:
                fits = number not in places and name in scope and kind in _AMOUNTS and surface[-1].isdigit()
                alone = fits and text[end : end + 1] not in _JOINED_ON
                places[number] = Quantity(surface, value, start, end, kind, name) if alone else None
    found = []
    for leaf in leaves:
        if isinstance(leaf, Name):
            return None
        number, parts = leaf.number.as_integer_ratio()
        place = places.pop(number, None) if parts == 1 else None  # popped: a second use is no match
        if place is None:
            return None
        found.append(place)
    return tuple(found)


def moved(equation: Expr, new: Sequence[Fraction]) -> Expr:
    """The equation with its operands at new values, given in its own order."""
    values = iter(new)

    def change(leaf: Number | Name) -> Expr:
        return expression.number(next(values))

    return equation.replace(change)


def with_operands(problem: Problem, places: Sequence[Quantity], new: Sequence[Fraction]) -> Problem | None:
    """The problem with its operands at new values in text and equation, and the answer recomputed.

    `places` are those of `operands`, `new` has one value for each. None where the changed equation has
    no value, or a new number equals another number of the text: nobody could then tell which one the
    equation means.
    """
    values = {value.as_integer_ratio() for value in new}
    found = _ratios(problem.body) | _ratios(problem.question)
    if len(values) < len(new) or values & (found - {place.value.as_integer_ratio() for place in places}):
        return None
    equation = moved(expression.parse(problem.equation), new)
    try:
        answer = expression.canonical(equation.value())
    except ExpressionError:
        return None
    edits: dict[str, list[Edit]] = {}
    for (text, _, start, end, _, name), value in sorted(zip(places, new, strict=True), key=_start):
        surface = expression.canonical(value) if text.isdigit() else numerals.digits(value, text)
        edits.setdefault(name, []).append(Edit(start, end, surface))
    texts = {name: splice(getattr(problem, name), some) for name, some in edits.items()}
    return problem.replace(**texts, equation=equation.infix(), answer=answer)


@lru_cache(maxsize=_MAX_CACHED_TEXTS)
def _ratios(text: str) -> frozenset[tuple[int, int]]:
    """The numbers of a text as pairs of ints, which hash faster than Fractions."""
    return frozenset(quantity.value.as_integer_ratio() for quantity in numerals.find(text))


def _start(pair: tuple[Quantity, Fraction]) -> int:
    return pair[0].start
