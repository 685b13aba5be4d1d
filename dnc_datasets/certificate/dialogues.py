"""Promises about conversations: what a certificate checks where answers rest on each other."""

from __future__ import annotations

import json
from collections.abc import Callable
from fractions import Fraction

from dnc_datasets import expression, numerals
from dnc_datasets.expression import Number
from dnc_datasets.problem import Problem


def spoken_operands_moved(original: Problem, perturbed: Problem) -> bool:
    """the numbers that changed in passage and question are operands, each at the new equation's value"""
    moves = _moves(original, perturbed)
    if not moves or not _follows(original.equation, perturbed.equation, moves):
        return False
    used = {leaf.number for leaf in expression.parse(original.equation).leaves() if isinstance(leaf, Number)}
    return moves.keys() <= used


def history_follows(original: Problem, perturbed: Problem) -> bool:
    """every earlier equation uses the changed numbers and gives the answer that the history shows"""
    moves = _moves(original, perturbed)
    before, after = _equations(original), _equations(perturbed)
    if moves is None or len(before) != len(after) or len(after) != len(perturbed.history):
        return False
    if not _answers_carried(original, perturbed, after):
        return False
    for old, new, turn in zip(before, after, perturbed.history, strict=True):
        if bool(old) != bool(new):
            return False
        if new and not _follows(old, new, moves):
            return False
        if new and numerals.said(expression.parse(new).value()) != turn.answer:
            return False
    return True


def _answers_carried(original: Problem, perturbed: Problem, equations: list[str]) -> bool:
    """Whether no equation still holds an earlier answer that is another one now, and is stated nowhere else."""
    stated = {quantity.value for quantity in perturbed.quantities(("segments", "question"))}
    for at, text in enumerate((*equations, perturbed.equation)):
        turns = zip(original.history[:at], perturbed.history[:at], strict=True)
        gone = {numerals.parse(was.answer) for was, now in turns if was.answer != now.answer} - stated
        gone -= {numerals.parse(turn.answer) for turn in perturbed.history[:at]}
        leaves = expression.parse(text).leaves() if text else []
        if any(isinstance(leaf, Number) and leaf.number in gone for leaf in leaves):
            return False
    return True


def passage_removed(original: Problem, perturbed: Problem) -> bool:
    """the passage was there and is gone, and all else is the original's"""
    had = bool(original.body or original.segments)
    return had and perturbed == original.replace(body="", segments=())


def history_removed(original: Problem, perturbed: Problem) -> bool:
    """earlier turns were there and are gone, and all else is the original's"""
    return bool(original.history) and perturbed == original.replace(history=())


CHECKS: tuple[Callable[[Problem, Problem], bool], ...] = (
    spoken_operands_moved,
    history_follows,
    passage_removed,
    history_removed,
)


def _moves(original: Problem, perturbed: Problem) -> dict[Fraction, Fraction] | None:
    """Old value to new of the numbers that changed in passage and question; None if they do not pair up."""
    before = [quantity.value for quantity in original.quantities(("segments", "question"))]
    after = [quantity.value for quantity in perturbed.quantities(("segments", "question"))]
    if len(before) != len(after):
        return None
    return {old: new for old, new in zip(before, after, strict=True) if old != new}


def _follows(old: str, new: str, moves: dict[Fraction, Fraction]) -> bool:
    """Whether one equation is the other with the moved numbers in it."""
    before, after = expression.parse(old), expression.parse(new)
    was, now = before.leaves(), after.leaves()
    return (
        before.operators == after.operators
        and len(was) == len(now)
        and all(
            isinstance(a, Number) and isinstance(b, Number) and moves.get(a.number, a.number) == b.number
            for a, b in zip(was, now, strict=True)
        )
    )


def _equations(problem: Problem) -> list[str]:
    return [turn["equation"] for turn in json.loads(problem.note("turns") or "[]")]
