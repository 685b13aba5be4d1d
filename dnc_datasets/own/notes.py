"""Checks the notes of a user's own row that perturbations read: where operands stand, what answers rest on."""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Mapping
from fractions import Fraction
from typing import Any

from dnc_datasets import expression, links, steps
from dnc_datasets.errors import ProblemError
from dnc_datasets.problem import Problem

_LINK = re.compile(r"(?:table|body)\.[0-9]{1,6}\.[0-9]{1,6}|constant|ambiguous")
_NODE = re.compile(r"<q[0-9]{0,4}>|<p[0-9]{1,4}>")
_SEGMENT = re.compile(r"<p[0-9]{1,4}>")


def check(problem: Problem, notes: Mapping[str, str]) -> None:
    """An error that names the note which is not as our own files have it."""
    for key, is_whole in _CHECKS.items():
        if key not in notes:
            continue
        try:
            whole = is_whole(json.loads(notes[key]), problem)
        except (ValueError, KeyError, TypeError, AttributeError, ZeroDivisionError, RecursionError):
            whole = False
        if not whole:
            raise ProblemError(
                f"row {problem.id[:60]!r}: meta.{key} is damaged; leave it out, and what can be told without it is"
            )


def _operands(found: Any, problem: Problem) -> bool:
    return all(
        Fraction(value) >= 0
        and _LINK.fullmatch(link)
        and ("." not in link or links.locate(problem, link) is not None)
        for value, link in found.items()
    )


def _turns(found: Any, problem: Problem) -> bool:
    for turn in found:
        if turn["equation"]:
            expression.parse(turn["equation"]).value()
        if not isinstance(turn["type"], str) or not all(map(_SEGMENT.fullmatch, turn["segments"])):
            return False
    return len(found) == len(problem.history)


def _graph(found: Any, problem: Problem) -> bool:
    return all(_NODE.fullmatch(one) and _NODE.fullmatch(other) for one, other in found)


def _steps(found: Any, problem: Problem) -> bool:
    for step in found:
        expression.parse(step["equation"], names=True)
        Fraction(step["value"])
    return isinstance(found, list)


_CHECKS: dict[str, Callable[[Any, Problem], bool]] = {
    "operands": _operands,
    "turns": _turns,
    "graph": _graph,
    steps.KEY: _steps,
}
