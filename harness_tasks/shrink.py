"""Shrinking: find a minimal set of a perturbation's changes that still makes a model fail."""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from difflib import SequenceMatcher

from dnc_datasets import perturbations
from dnc_datasets.perturbations.statements.neighbours import Neighbours
from dnc_datasets.problem import Problem
from dnc_datasets.serving.catalogue import Variant
from dnc_datasets.serving.settings import perturb
from dnc_harness.errors import HarnessError

# Words with the preceding space, so that they can be joined to the text.
_WORDS = re.compile(r"(?<!\s)\s*\S+")
Fails = Callable[[Problem], bool]


@dataclass(frozen=True)
class Change:
    """One difference of a perturbed text: the field, the text before and the text after."""

    field: str
    start: int
    before: str
    after: str


@dataclass(frozen=True)
class Shrunk:
    """The smallest failing form: its problem, its remaining steps and changes, and the number of queries."""

    problem: Problem
    steps: tuple[str, ...]
    changes: tuple[Change, ...]
    of: int  # number of changes before shrinking
    queries: int


def shrink(
    problem: Problem, variant: Variant, fails: Fails, neighbours: Neighbours, *, seed: int = 0
) -> Shrunk:
    """Find the smallest change that still fails: remove steps of the recipe first, then single changes.

    Single changes are removed only if they keep the answer; a step that re-computes the answer is never
    divided. `fails` is called with the perturbed problem first, and one that does not fail is an error.
    """
    steps = [step.name for step in variant.steps]
    queries = 0

    def failing(candidate: Problem | None) -> bool:
        nonlocal queries
        if candidate is None:
            return False
        queries += 1
        return fails(candidate)

    def made(names: Sequence[str]) -> Problem | None:
        row = perturb(
            problem,
            perturbations.recipe("+".join(names), variant.source.shape),
            dataset=variant.dataset,
            seed=seed,
            neighbours=neighbours,
            parameters={"scope": variant.source.scope},
        )
        return row.problem if row.original is not None else None

    current = made(steps)
    if current is None:
        raise HarnessError(f"{variant.recipe} does not change row {problem.id}; choose a row that it changes")
    if not failing(current):
        raise HarnessError(
            f"the model is right on row {problem.id} under {variant.recipe}; choose a row on which it fails"
        )
    steps, current = _fewer_steps(steps, current, made, failing)
    changes = differences(problem, current)
    of = len(changes)
    if not any(step.changes_target for step in perturbations.recipe("+".join(steps), variant.source.shape)):
        current, changes = _fewer_changes(problem, current, changes, failing)
    return Shrunk(current, tuple(steps), tuple(changes), of, queries)


def _fewer_steps(
    steps: list[str],
    current: Problem,
    made: Callable[[Sequence[str]], Problem | None],
    failing: Callable[[Problem | None], bool],
) -> tuple[list[str], Problem]:
    at = 0
    while len(steps) > 1 and at < len(steps):
        fewer = [*steps[:at], *steps[at + 1 :]]
        candidate = made(fewer)
        if candidate is not None and failing(candidate):
            steps, current, at = fewer, candidate, 0
        else:
            at += 1
    return steps, current


def _fewer_changes(
    problem: Problem, current: Problem, changes: list[Change], failing: Callable[[Problem | None], bool]
) -> tuple[Problem, list[Change]]:
    """Remove one change at a time, restarting at the first after each successful removal."""
    at = 0
    while len(changes) > 1 and at < len(changes):
        fewer = [*changes[:at], *changes[at + 1 :]]
        candidate = apply(problem, current, fewer)
        if failing(candidate):
            changes, current, at = fewer, candidate, 0
        else:
            at += 1
    return current, changes


def differences(before: Problem, after: Problem) -> list[Change]:
    """Return the differences of body and question, by words."""
    found = []
    for field in ("body", "question"):
        old, new = (_WORDS.findall(getattr(one, field)) for one in (before, after))
        for tag, a, b, c, d in SequenceMatcher(None, old, new, autojunk=False).get_opcodes():
            if tag != "equal":
                start = sum(map(len, old[:a]))
                found.append(Change(field, start, "".join(old[a:b]), "".join(new[c:d])))
    return found


def apply(before: Problem, after: Problem, changes: Sequence[Change]) -> Problem:
    """Return the problem with only these changes; all else, such as the answer, is the perturbed one's."""
    texts = {}
    for field in ("body", "question"):
        text = getattr(before, field)
        for change in sorted((one for one in changes if one.field == field), key=lambda one: -one.start):
            text = text[: change.start] + change.after + text[change.start + len(change.before) :]
        texts[field] = text
    return after.replace(**texts)
