"""Promises about questions over passages with changed reasoning, checked against the texts."""

from __future__ import annotations

import re
from difflib import SequenceMatcher
from fractions import Fraction
from itertools import combinations

from dnc_datasets import expression, numerals
from dnc_datasets.english.lexicon import CHOICE_FORMS, COMPARISON_QUESTION_WORDS, OPPOSITES, plain
from dnc_datasets.errors import ExpressionError
from dnc_datasets.expression import Binary, Number
from dnc_datasets.problem import CONSTRAINT, Problem

_WORD = re.compile(r"[\w'-]+")
_UP = frozenset("more longer higher larger".split())
_DOWN = frozenset("fewer less shorter lower smaller".split())
_TOTAL = re.compile(r"\b(?:in total|combined)\b")
_THAN = re.compile(r" (?:than|compared to|compared with|versus|over) ")
_ASKED = re.compile(
    r"(?P<kind>What is the difference between|Is) the (?P<one>[^?]{3,120}?) (?:and|the same as) "
    r"the (?P<two>[^?]{3,120})\?"
)
_NEITHER = re.compile(r"\A[A-Z][a-z]+ neither .{2,200} nor .{2,200}\?\Z")
_SMALLEST = 10  # below it, a pair of numbers may give an answer by chance
_ALIKE = 0.6


def opposite_choice(original: Problem, perturbed: Problem) -> bool:
    """one word of the question became its opposite, and the answer is the one of the two that the original's is not"""
    old, new = _WORD.findall(original.question), _WORD.findall(perturbed.question)
    changed = [(one, two) for one, two in zip(old, new, strict=False) if one != two]
    if len(old) != len(new) or len(changed) != 1 or not _are_opposite(*changed[0]):
        return False
    left, found, right = perturbed.question.rstrip("? .").partition(" or ")
    if not found or perturbed.answer not in perturbed.question:
        return False
    inside = perturbed.answer in right
    kept = _words(left if inside else right)
    said = _words(original.answer)
    shared = SequenceMatcher(None, " ".join(kept), " ".join(said)).find_longest_match().size
    near = bool(said) and (
        set(said) <= set(kept) or shared >= _ALIKE * min(map(len, (" ".join(kept), " ".join(said))))
    )
    return (inside or perturbed.answer in left) and near and said != _words(perturbed.answer)


def _words(text: str) -> list[str]:
    return [word for word in _WORD.findall(text.lower()) if word not in ("the", "a", "an")]


def _are_opposite(old: str, new: str) -> bool:
    one, two = old.lower(), new.lower()
    if two == "greatest":
        return one in ("least", "fewest")
    return OPPOSITES.get(one) == two or OPPOSITES.get(two) == one


def operands_behind_answer(original: Problem, perturbed: Problem) -> bool:
    """the numbers of the equation are the only two of the text that the original's answer is the difference of"""
    pair = _pair(original)
    try:
        equation = expression.parse(perturbed.equation)
    except ExpressionError:
        return False
    if pair is None:
        return False
    if isinstance(equation, Number):
        word = _compared(original.question)
        wanted = pair[0] if word in _UP else pair[1]
        return word != "" and equation.number == wanted and not _TOTAL.search(perturbed.question)
    if not isinstance(equation, Binary) or equation.op != "+" or not _TOTAL.search(perturbed.question):
        return False
    return {leaf.number for leaf in equation.leaves() if isinstance(leaf, Number)} == set(pair)


def _pair(problem: Problem) -> tuple[Fraction, Fraction] | None:
    """Return the only two numbers of the text with the answer as their difference, the larger first."""
    answer = numerals.parse(problem.answer)
    if answer is None or answer < _SMALLEST:
        return None
    values = sorted({quantity.value for quantity in numerals.find(problem.body)}, reverse=True)
    found = [(one, two) for one, two in combinations(values, 2) if one - two == answer]
    return found[0] if len(found) == 1 else None


def _compared(question: str) -> str:
    """Return the first comparing word of a question. "more" counts only after "how many"."""
    return next((word for word in question.lower().split() if word in _UP | _DOWN), "")


def comparison_from_difference(original: Problem, perturbed: Problem) -> bool:
    """that one thing is more than the other is what the original says; the comparison of the question is as true"""
    answer = numerals.parse(original.answer)
    old, new = _compared(original.question), _compared(perturbed.question)
    sides, others = _sides(original.question), _sides(perturbed.question)
    if answer is None or answer <= 0 or not old or not new or sides is None or others is None:
        return False
    moved = sides[1] - others[1]
    if moved and not (moved <= others[0] and others[1] - sides[1] <= sides[0]):
        return False  # the two things differ from the original's
    truth = ((old in _UP) == (new in _UP)) == (not moved)
    return perturbed.answer == ("yes" if truth else "no") and not perturbed.equation


def _sides(question: str) -> tuple[set[str], set[str]] | None:
    """Return the words before and after "than" that carry meaning."""
    parts = _THAN.split(question.rstrip("?"))
    if len(parts) != 2:
        return None
    one, two = (set(_WORD.findall(part.lower())) - COMPARISON_QUESTION_WORDS for part in parts)
    return one, two


def constraint_follows(original: Problem, perturbed: Problem) -> bool:
    """the sum of two things that the question asks for cannot be below their difference, which the original asks for"""
    if perturbed.answer_type != CONSTRAINT:
        return True
    answer = numerals.parse(original.answer)
    compares = _compared(original.question) != "" and _THAN.search(original.question) is not None
    return (
        answer is not None
        and answer >= 0
        and compares
        and _TOTAL.search(perturbed.question) is not None
        and perturbed.answer == f">= {expression.canonical(answer)}"
    )


def compared_or_constrained(original: Problem, perturbed: Problem) -> bool:
    """a comparison is as true as the original says; a question for a difference or for equality has a kind of answer"""
    if perturbed.answer_type != CONSTRAINT:
        return comparison_from_difference(original, perturbed)
    asked = _ASKED.fullmatch(perturbed.question)
    if asked is None or asked["one"] == asked["two"]:
        return False
    return perturbed.answer == ("numeric" if asked["kind"].startswith("What") else "boolean")


def exact_or_constrained(original: Problem, perturbed: Problem) -> bool:
    """where an answer is given its numbers give the original's answer; where none is, it is a constraint"""
    return perturbed.answer_type == CONSTRAINT or operands_behind_answer(original, perturbed)


def neither_of_both(original: Problem, perturbed: Problem) -> bool:
    """what holds of both does not hold of neither: "and" became "neither ... nor", and yes became no"""
    if not _NEITHER.match(perturbed.question) or (original.answer.lower(), perturbed.answer) != ("yes", "no"):
        return False
    if "both" in _WORD.findall(perturbed.question.lower()):
        return False  # "neither Ann nor Ben both" is ungrammatical
    spare = {"neither", "nor", "both", "and"}
    old, new = (set(_WORD.findall(one.question.lower())) - spare for one in (original, perturbed))
    return old == new


_COMPARING = frozenset((*OPPOSITES, *OPPOSITES.values())) - {"first", "second", "last"}
_SKIPPED = frozenset("in the a an more fewer less".split())


def choice_as_comparison(original: Problem, perturbed: Problem) -> bool:
    """a choice between two became the comparison of the first with the second, and its truth follows from the answer"""
    left, joined, right = original.question.partition(" or ")
    first, compared, second = perturbed.question.partition(" than ")
    if not (joined and compared) or " or " in right or " than " in second or perturbed.equation:
        return False
    options = [[word for word in _words(side) if word not in _SKIPPED] for side in (left, right)]
    after = [word for word in _words(second) if word not in _SKIPPED]
    if not all(options) or not after or after[0] != options[1][0] or options[0][-1] not in _words(first):
        return False
    old, new = (
        [word for word in _words(one.question) if word in _COMPARING] for one in (original, perturbed)
    )
    if len(old) != 1 or len(new) != 1 or not (old == new or _are_opposite(old[0], new[0])):
        return False
    verbs = {form for word in _words(original.question) if (form := plain(word))}
    added = set(_words(perturbed.question)) - set(_words(original.question)) - set(new) - CHOICE_FORMS - verbs
    said = set(_words(original.answer))
    chosen = [bool(said) and said <= set(_words(side)) for side in (left, right)]
    truth = {"yes": True, "no": False}.get(perturbed.answer)
    return (
        not added and chosen.count(True) == 1 and truth is not None and (chosen[0] == (old == new)) == truth
    )


def neither_or_compared(original: Problem, perturbed: Problem) -> bool:
    """what holds of both does not hold of neither, or a choice became a comparison that the answer decides"""
    return neither_of_both(original, perturbed) or choice_as_comparison(original, perturbed)


CHECKS = (
    choice_as_comparison,
    neither_or_compared,
    opposite_choice,
    operands_behind_answer,
    comparison_from_difference,
    constraint_follows,
    exact_or_constrained,
    compared_or_constrained,
    neither_of_both,
)
