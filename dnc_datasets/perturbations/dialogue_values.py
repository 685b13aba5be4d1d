"""Noise and Distribution over conversations: a number changes wherever it occurs, and answers follow."""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Callable
from fractions import Fraction
from typing import Any

from dnc_datasets import expression, numerals, operand_links
from dnc_datasets.draws import Draw
from dnc_datasets.errors import ExpressionError
from dnc_datasets.expression import Expr, Name, Number
from dnc_datasets.numerals import Quantity
from dnc_datasets.perturbations import Capability, perturbation
from dnc_datasets.perturbations.numbers.amounts import amounts
from dnc_datasets.perturbations.numbers.plausible_values import (
    DISTRIBUTION,
    NOISE,
    Strength,
    plausible_values,
)
from dnc_datasets.problem import ALL_FIELDS, Problem
from dnc_datasets.reasoning_graph import leaves, segment_number

_PROMISES = ("spoken_operands_moved", "history_follows", "equation_gives_answer", "text_elsewhere_kept")
# The fields that state the operands of an equation first. The history repeats them.
_STATED_IN = ("segments", "question")
_MAX_DRAWS = 40
# Answers that would need a new judgement if a number below them changed.
_JUDGED = frozenset(("yes/no", "comparison", "counterfactual", "unsure", "unknown"))
# Constants of formulas. One that occurs twice in an equation may be an operand and a constant.
_IN_FORMULAS = frozenset((2, 3, 4, 6, 10, 60, 100, 1000))

Move = Callable[[Fraction], Fraction]
_PLAUSIBLE = ("signs_kept", "wholeness_kept", "divisions_exact", "comparisons_kept", "bounds_kept")
_QUALIFIES = "every operand must occur exactly once, and other numbers must make as much sense"


@perturbation(
    "noise",
    capability=Capability.VALUE_UNDERSTANDING,
    changes_target=True,
    promises=_PROMISES,
    shapes=("dialogue",),
    needs_equations=True,
)
def add_decimal_digit(problem: Problem, draw: Draw) -> Problem | None:
    """12 pens -> 12.7 pens, in passage, history and question: n + d/10, d from 1 to 9, for each operand."""
    return _moved(problem, lambda value: value + Fraction(draw.integer(1, 9), 10))


@perturbation(
    "distribution",
    capability=Capability.VALUE_UNDERSTANDING,
    changes_target=True,
    promises=_PROMISES,
    shapes=("dialogue",),
    needs_equations=True,
)
def shift_operands(problem: Problem, draw: Draw, *, mu: float = 1000, sigma: float = 300) -> Problem | None:
    """12 pens -> 1036 pens, in passage, history and question: n + floor(X), X ~ N(mu, sigma^2)."""

    def shifted(value: Fraction) -> Fraction:
        for _ in range(_MAX_DRAWS):
            if (new := value + draw.normal(mu, sigma)) >= 1:
                return new
        return value

    return _moved(problem, shifted)


@perturbation(
    "noise_plausible",
    capability=Capability.VALUE_UNDERSTANDING,
    changes_target=True,
    promises=(*_PROMISES, *_PLAUSIBLE, "moved_within_half"),
    shapes=("dialogue",),
    languages=("en",),
    needs_equations=True,
    qualifies=_QUALIFIES,
)
def move_a_little(problem: Problem, draw: Draw) -> Problem | None:
    """12 pens -> 15 pens, in passage, history and question: within half; signs, wholeness, comparisons stay."""
    return _moved_plausibly(problem, draw, NOISE._replace(decimals=False))


@perturbation(
    "distribution_plausible",
    capability=Capability.VALUE_UNDERSTANDING,
    changes_target=True,
    promises=(*_PROMISES, *_PLAUSIBLE, "magnitude_changed"),
    shapes=("dialogue",),
    languages=("en",),
    needs_equations=True,
    qualifies=_QUALIFIES,
)
def move_far(problem: Problem, draw: Draw) -> Problem | None:
    """12 pens -> 140 pens, in passage, history and question, where that still makes sense; the rest stays true."""
    return _moved_plausibly(problem, draw, DISTRIBUTION)


def _moved_plausibly(problem: Problem, draw: Draw, strength: Strength) -> Problem | None:
    places = _operands(problem)
    if not places:
        return None
    turns: list[dict[str, Any]] = json.loads(problem.note("turns") or "[]")
    equations = [text for text in (problem.equation, *(turn["equation"] for turn in turns)) if text]
    try:
        calculations = [expression.parse(text) for text in equations]
    except ExpressionError:
        return None
    others = {quantity.value for quantity in problem.quantities(ALL_FIELDS)} - places.keys()
    seen = [(text, path) for path, text in problem.texts(_STATED_IN)]
    operands = list(places.values())
    new = plausible_values(calculations, operands, seen, frozenset(others), draw, strength)
    return _moved(problem, lambda value: new[value]) if new is not None else None


def _moved(problem: Problem, move: Move) -> Problem | None:
    places = _operands(problem)
    if not places:
        return None
    turns: list[dict[str, Any]] = json.loads(problem.note("turns") or "[]")
    if len(turns) != len(problem.history):
        return None  # the evidence of the earlier answers is not known
    if _needs_judgement(turns, places) or not _plain_answers(problem, turns):
        return None
    if _meet_constants(problem, turns, places):
        return None
    new = {value: move(value) for value in places}
    unmoved = {quantity.value for quantity in problem.quantities(_STATED_IN)} - new.keys()
    if len(set(new.values())) < len(new) or not unmoved.isdisjoint(new.values()):
        return None  # the equation would be ambiguous
    try:
        equation = _with(expression.parse(problem.equation), new)
        answers = {at: _follow(turn["equation"], new) for at, turn in enumerate(turns) if turn["equation"]}
        answer = expression.canonical(equation.value())
    except ExpressionError:
        return None
    changed_answers = {
        at: result for at, result in answers.items() if result[1] != problem.history[at].answer
    }
    if _quoted(problem, changed_answers) or _rests_on_answers(problem, turns, changed_answers, new):
        return None
    said = [
        quantity
        for quantity in problem.quantities(("segments", "history", "question"))
        if quantity.value in new
    ]
    recomputed = {f"history.{at}.answer" for at in answers}
    said = [quantity for quantity in said if quantity.field not in recomputed]
    if not all(_is_amount(problem, quantity) for quantity in said):
        return None
    rewritten = problem.rewrite(said, lambda q: numerals.digits(new[q.value], like=q.text))
    rewritten = rewritten.with_texts(
        {f"history.{at}.answer": result[1] for at, result in changed_answers.items()}
    )
    for at, result in answers.items():
        turns[at]["equation"] = result[0]
    meta = {**dict(problem.meta), "turns": json.dumps(turns)}
    meta.pop("equation_by_turns", None)
    return rewritten.replace(equation=equation.infix(), answer=answer, meta=tuple(sorted(meta.items())))


def _operands(problem: Problem) -> dict[Fraction, Quantity] | None:
    """Return the place of each operand; None unless each is an integer at one place or at none."""
    if not problem.equation or problem.note("defect"):
        return None
    often = Counter(quantity.value for quantity in problem.quantities(_STATED_IN))
    places = {quantity.value: quantity for quantity in amounts(problem, _STATED_IN)}
    found = {}
    for value in operand_links.operand_values(expression.parse(problem.equation)):
        if often[value] > 1 or (often[value] and (value not in places or value.denominator > 1)):
            return None
        if often[value]:
            found[value] = places[value]
    return found


def _needs_judgement(turns: list[dict[str, Any]], places: dict[Fraction, Quantity]) -> bool:
    """Return whether an earlier answer without an equation depends on a segment that changes."""
    changed = {place.field for place in places.values()}
    return any(
        not turn["equation"]
        and turn["type"] in _JUDGED
        and any(f"segments.{segment_number(node)}" in changed for node in turn["segments"])
        for turn in turns
    )


def _meet_constants(problem: Problem, turns: list[dict[str, Any]], places: dict[Fraction, Quantity]) -> bool:
    """Return whether an equation may contain a constant that equals an operand: the 2 of 2 * (a + b)."""
    now = {"equation": problem.equation, "segments": leaves(json.loads(problem.note("graph") or "[]"))}
    for turn in (*turns, now):
        if not turn["equation"]:
            continue
        used = Counter(
            leaf.number
            for leaf in expression.parse(turn["equation"]).leaves()
            if isinstance(leaf, Number) and leaf.number in places
        )
        if any(often > 1 and value in _IN_FORMULAS for value, often in used.items()):
            return True
        known = {f"segments.{segment_number(node)}" for node in turn["segments"]}
        if turn is now:
            known.add("question")
        # The evidence of an equation contains its operands. Without evidence, the case is unclear.
        if turn["segments"] and any(places[value].field not in known for value in used):
            return True
        if turn is not now and any(places[value].field == "question" for value in used):
            return True
    return False


def _plain_answers(problem: Problem, turns: list[dict[str, Any]]) -> bool:
    """Return whether every computed answer of the history is a bare number, not "30 (not 87)"."""
    return all(
        numerals.parse(original_turn.answer) is not None
        for turn, original_turn in zip(turns, problem.history, strict=True)
        if turn["equation"]
    )


def _follow(text: str, new: dict[Fraction, Fraction]) -> tuple[str, str]:
    """Return an earlier equation with the new operands, and its answer."""
    equation = _with(expression.parse(text), new)
    return equation.infix(), numerals.said(equation.value())


def _with(equation: Expr, new: dict[Fraction, Fraction]) -> Expr:
    def leaf(old: Number | Name) -> Expr:
        return expression.number(new.get(old.number, old.number)) if isinstance(old, Number) else old

    return equation.replace(leaf)


def _quoted(problem: Problem, changed: dict[int, tuple[str, str]]) -> bool:
    """Return whether a question repeats an earlier answer that changes: "and the other 54?"."""
    old = {numerals.parse(problem.history[at].answer) for at in changed}
    asked = [problem.question, *(turn.question for turn in problem.history)]
    return any(quantity.value in old for text in asked for quantity in numerals.find(text))


def _rests_on_answers(
    problem: Problem,
    turns: list[dict[str, Any]],
    changed: dict[int, tuple[str, str]],
    new: dict[Fraction, Fraction],
) -> bool:
    """Return whether an equation contains an earlier answer that changes.

    A number that may be such an answer or an operand also counts.
    """
    answers = [numerals.parse(turn.answer) for turn in problem.history]
    for at, text in enumerate((*(turn["equation"] for turn in turns), problem.equation)):
        if not text:
            continue
        earlier = {answers[k] for k in range(at) if turns[k]["equation"]}
        moved = {answers[k] for k in changed if k < at}
        for leaf in expression.parse(text).leaves():
            if isinstance(leaf, Number) and (
                leaf.number in moved or (leaf.number in new and leaf.number in earlier)
            ):
                return True
    return False


def _is_amount(problem: Problem, quantity: Quantity) -> bool:
    return quantity in amounts(problem, (quantity.field.split(".")[0],))
