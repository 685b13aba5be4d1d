"""Constraints: what every adversarial problem must keep of the one it was made from."""

from __future__ import annotations

from collections.abc import Callable

from dnc_datasets.english.heads import heads
from dnc_datasets.english.quantities import values_of
from dnc_datasets.problem import Problem

Constraint = Callable[[Problem, Problem], bool]


def keeps_target(original: Problem, candidate: Problem) -> bool:
    """equation and answer are the original's"""
    return (original.equation, original.answer) == (candidate.equation, candidate.answer)


def keeps_values(original: Problem, candidate: Problem) -> bool:
    """no number is lost, changed or added"""
    return values_of(original.text) == values_of(candidate.text)


def keeps_heads(original: Problem, candidate: Problem) -> bool:
    """every number still counts the same things"""
    return [head[:2] for head in heads(original.text)] == [head[:2] for head in heads(candidate.text)]


PARAPHRASE = (keeps_target, keeps_values, keeps_heads)


def holds(original: Problem, candidate: Problem, constraints: tuple[Constraint, ...]) -> bool:
    """Do all of them hold?"""
    return all(constraint(original, candidate) for constraint in constraints)
