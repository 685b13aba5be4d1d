"""The promise that the question asks for the result of the equation: its operation, direction and operands.

The words of the question announce an operation ("altogether", "left", "more ... than"). The clause that
states a number determines its side of a comparison. A question that announces nothing passes.
"""

from __future__ import annotations

import re
from collections.abc import Callable
from fractions import Fraction
from functools import lru_cache
from typing import NamedTuple

from dnc_datasets import expression, numerals
from dnc_datasets.certificate.counted_values import counted_noun
from dnc_datasets.certificate.moved_words import words_of
from dnc_datasets.english.lexicon import EMPTY_WORDS, FREE_WORDS, PRONOUN_FORMS
from dnc_datasets.errors import ExpressionError
from dnc_datasets.expression import Binary, Expr, Number
from dnc_datasets.problem import Problem

_THAN = re.compile(
    r"\bhow (?:many|much) (?P<word>more|fewer|less|longer|farther|older|taller|heavier|younger|shorter|lighter)\b"
    r"(?P<first>.{1,300}?) than (?P<second>.{1,300}?)\?",
    re.IGNORECASE | re.DOTALL,
)
_HOW_MANY = re.compile(
    r"\bhow many (?:more |fewer )?(?P<things>[a-z -]{1,60}?)"
    r"(?: (?:do|does|did|is|are|was|were|will|would|can|could|has|have|had|than|in|on|at|of|for)\b|\?)",
    re.IGNORECASE,
)
_OPEN = re.compile(r"\bhow (?:many|much) (?:more|fewer|less)\b", re.IGNORECASE)
_SMALLER = frozenset(("fewer", "less", "younger", "shorter", "lighter"))
_TIMES = re.compile(r"\bhow many times (?:as|more)\b", re.IGNORECASE)
_DIFFERENCE = re.compile(r"\bwhat(?: is|'s) the difference\b", re.IGNORECASE)
_TOTAL = re.compile(
    r"\b(?:altogether|in all|in total|all together|combined|total number|the sum)\b", re.IGNORECASE
)
# With one of these words, a question for a total may also ask for the remainder or a part of it.
_PART = re.compile(
    r"\b(?:left|remain\w*|still|more|fewer|less|need\w*|each|every|per|average|change|than|if|before|begin\w*|start\w*|"
    r"first|original\w*|initial\w*|other|rest|not|without|difference|save\w*|profit)\b|n't\b",
    re.IGNORECASE,
)
_LEFT = re.compile(r"\b(?:left(?! (?:hand|side|foot))|remain|remaining|remains)\b", re.IGNORECASE)
_REST = re.compile(r"\b(?:left|remain\w*|still|now|keep|kept|end)\b", re.IGNORECASE)
_WHOLE = re.compile(r"\b(?:all|both|together|altogether|total)\b", re.IGNORECASE)
_START = re.compile(r"\b(?:first|start\w*|begin\w*|original\w*|initial\w*|before)\b", re.IGNORECASE)
_REMAINS = frozenset(("left", "now"))
_ONE = re.compile(r"\b(?:one|each|an?)\b", re.IGNORECASE)
# Words between the thing asked for and the clause with its subject and verb.
_ASKED = re.compile(
    r"\b(?:do|does|did|is|are|was|were|will|would|can|could|should|has|have|had)\b", re.IGNORECASE
)
_CUT = re.compile(
    r"[.!?;,](?!\d)|\b(?:and|but|while|whereas|then|if|so|because|when|after|before)\b", re.IGNORECASE
)
_EMPTY = (EMPTY_WORDS | FREE_WORDS | PRONOUN_FORMS) - {"now"}


def asked_as_computed(original: Problem, perturbed: Problem) -> bool:
    """operation, direction and operands that the words of the question announce are those of the equation"""
    if not perturbed.equation or fits(perturbed):
        return True
    # The source alone is responsible for such a question.
    return original.question == perturbed.question and bool(original.equation) and not fits(original)


def fits(problem: Problem) -> bool:
    """Return whether the question of a problem may ask for what its equation computes."""
    try:
        tree = expression.parse(problem.equation)
    except ExpressionError:
        return False
    question = (
        f"{problem.body.rpartition('. ')[2]} {problem.question}"
        if problem.body.endswith(",")
        else problem.question
    )
    if _asks_for_spare(problem, tree, question):
        return False
    root = tree.op if isinstance(tree, Binary) else ""
    if compared := _THAN.search(question):
        return isinstance(tree, Binary) and root == "-" and _sides_fit(problem, tree, compared)
    if _TIMES.search(question):
        return root == "/"
    if _DIFFERENCE.search(question):
        return root == "-"
    if _TOTAL.search(question) and not _PART.search(question):
        return root not in ("-", "/") or len(tree.leaves()) > 2
    if _LEFT.search(question) and not _OPEN.search(question):
        return "-" in tree.operators
    return True


def _sides_fit(problem: Problem, tree: Binary, compared: re.Match[str]) -> bool:
    """Return whether each side of "than" has the words of its own operand, not of the other one."""
    sides = [compared["first"], compared["second"]]
    if not _ASKED.search(sides[0]):  # "more red than blue mugs did he buy": the rest applies to both sides
        sides[1] = _ASKED.split(sides[1], maxsplit=1)[0]
    nodes = [tree.left, tree.right]
    if compared["word"].lower() in _SMALLER:
        nodes.reverse()
    values = [_values(node) for node in nodes]
    if values[0] == values[1]:
        return True  # 5 * 5 - 5
    stated = _stated(problem)
    scores = [[_score(side, node, other, stated) for node, other in (nodes, nodes[::-1])] for side in sides]
    if scores[0][0] + scores[1][1] < scores[0][1] + scores[1][0]:
        return False
    used = _values(tree)
    places = {stated[value].place for value in used & stated.keys()}
    unused = frozenset().union(*(clause.words for clause in stated.values() if clause.place not in places))
    spare = unused - _words_of(tree, stated)
    # Reject a side that shares words with an unused number and none with its operand.
    distinct = [content(side) - content(other) for side, other in (sides, sides[::-1])]
    return not any(
        words & spare and not words & (_words_of(node, stated) - unused)
        for words, node in zip(distinct, nodes, strict=True)
        if _values(node) <= stated.keys()
    )


def _words_of(node: Expr, stated: dict[Fraction, Clause]) -> frozenset[str]:
    """Return the words of the clauses that state the numbers of an operand."""
    return frozenset().union(*(stated[value].words for value in _values(node) & stated.keys()))


def _asks_for_spare(problem: Problem, tree: Expr, question: str) -> bool:
    """Return whether "how many" asks for things that only numbers outside the equation count."""
    asked = _HOW_MANY.search(question)
    if asked is None:
        return False
    used = _values(tree)
    counted: dict[bool, set[str]] = {True: set(), False: set()}
    for quantity in numerals.find(problem.body):
        if noun := counted_noun(problem.body, quantity.end):
            counted[quantity.value in used] |= content(noun)
    words = content(asked["things"])
    return bool(words & (counted[False] - counted[True])) and bool(counted[True])


class Clause(NamedTuple):
    """The clause that states a number: its position, its words, and whether a noun follows the number."""

    place: int
    words: frozenset[str]
    names: frozenset[str]
    counts: bool  # whether a noun follows the number


def _score(side: str, node: Expr, other: Expr, stated: dict[Fraction, Clause]) -> int:
    """Return the similarity of a side of a comparison to an operand, relative to the other operand."""
    values, others = _values(node), _values(other)
    own = values - others if isinstance(node, Binary) else values
    score = 2 * sum(quantity.value in own for quantity in numerals.find(side))
    words = content(side)
    for value in own & stated.keys():
        clause = stated[value]
        rivals = [stated[rival] for rival in others & stated.keys()]
        distinct_words = clause.words - frozenset().union(*(rival.words for rival in rivals))
        if rivals and not all(rival.counts for rival in rivals):
            distinct_words -= content(
                _ASKED.split(side, maxsplit=1)[0]
            )  # the noun is left out in the other clause
        if rivals and not all(rival.names for rival in rivals):
            distinct_words -= clause.names  # and so is the name
        score += len(words & distinct_words)
        early = (
            isinstance(node, Number)
            and isinstance(other, Number)
            and all(clause.place < rival.place for rival in rivals)
        )
        score += early and _START.search(side) is not None
    if isinstance(node, Binary):
        # A remainder is computed, unless the text states it.
        known = any(stated[value].words & _REMAINS for value in (values | others) & stated.keys())
        if not ("-" in node.operators and known):
            score += (_REST if "-" in node.operators else _WHOLE).search(side) is not None
    elif isinstance(other, Binary):
        score += _ONE.search(side) is not None
    return score


def _values(node: Expr) -> set[Fraction]:
    return {leaf.number for leaf in node.leaves() if isinstance(leaf, Number)}


@lru_cache(maxsize=512)
def content(text: str) -> frozenset[str]:
    """Return the kinds of the words of a text that name a person, a thing or an action."""
    return frozenset(
        word.kind.removesuffix("s") for word in words_of(text) if word.text.lower() not in _EMPTY
    )


def _stated(problem: Problem) -> dict[Fraction, Clause]:
    """Return the clause that states each number. A number that the text states twice is left out."""
    text = problem.body
    cuts = [0, *(match.end() for match in _CUT.finditer(text)), len(text)]
    found: dict[Fraction, list[Clause]] = {}
    for quantity in numerals.find(text):
        start = max(cut for cut in cuts if cut <= quantity.start)
        end = min(cut for cut in cuts if cut >= quantity.end)
        clause = text[start:end]
        named = (word for word in words_of(clause) if word.text.istitle() and word.text.lower() not in _EMPTY)
        names = frozenset(word.kind.removesuffix("s") for word in named)
        counts = counted_noun(text, quantity.end) not in ("", "more", "left")
        found.setdefault(quantity.value, []).append(Clause(start, content(clause), names, counts))
    return {value: clauses[0] for value, clauses in found.items() if len(clauses) == 1}


CHECKS: tuple[Callable[[Problem, Problem], bool], ...] = (asked_as_computed,)
