"""How a perturbation enters the splits: attack, defense, augment or contrast."""

from __future__ import annotations

import json
import os
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any

from dnc_datasets import published
from dnc_datasets.certificate import certify
from dnc_datasets.draws import Draw
from dnc_datasets.errors import BuildError, ExpressionError, SourceError, UnknownNameError
from dnc_datasets.perturbations import Perturbation
from dnc_datasets.perturbations.statements.neighbours import Neighbours
from dnc_datasets.problem import CONSTRAINT, Problem
from dnc_datasets.serving.reasons import failure, unreadable, why_unchanged

# Setting -> splits that are perturbed in place; `augment` also keeps the clean rows of the others.
_PERTURBED_SPLITS = {
    "attack": ("test",),
    "defense": ("train", "validation", "test"),
    "augment": ("train", "validation", "test"),
    "contrast": ("train", "validation", "test"),
}
SETTINGS = tuple(_PERTURBED_SPLITS)
CONTRAST = "contrast"
# Between the id of an original and the perturbation, in the id of a member of its contrast set.
MEMBER = "#"
# In the environment: an error at a row ends the run.
STRICT = "DNC_STRICT"
# A plug-in's parameter may be anything; it is told as text.
_ENCODE = json.JSONEncoder(ensure_ascii=False, sort_keys=True, default=str).encode
# What the next row would meet too: a package or a file that is missing, a name that is wrong, no memory.
_NOT_OF_A_ROW = (ImportError, OSError, MemoryError, UnknownNameError, SourceError, BuildError)


@dataclass(frozen=True, slots=True)
class Row:
    """A problem as a dataset shows it: with its original and its certificate where it was perturbed.

    A perturbed one says with which `seed`, and with which `parameters` of each step (a JSON object of objects).
    Where it was not, `reason` says why. A row that `failed` raised an error or broke a promise; it stands
    as it was. Neither is part of what a dataset holds.
    """

    problem: Problem
    original: Problem | None = None
    certificate: tuple[str, ...] = ()
    seed: int | None = None
    parameters: str | None = None
    reason: str = field(default="", compare=False)
    failed: bool = field(default=False, compare=False)


def perturb(
    problem: Problem,
    steps: Sequence[Perturbation],
    *,
    dataset: str,
    seed: int = 0,
    neighbours: Neighbours | None = None,
    parameters: Mapping[str, Any] | None = None,
) -> Row:
    """The row that these steps make of a problem; the problem itself where one of them does not fit or fails.

    Each step is certified against the problem it was given. `parameters` go to every step that has
    them, e.g. {"scope": ("body",), "mu": 500}. With DNC_STRICT set, as in our tests, a failure is raised.
    """
    current = problem
    checks: list[str] = []
    given = parameters or {}
    used: dict[str, dict[str, Any]] = {}
    for step in steps:
        draw = Draw(seed, dataset, problem.id, step.name)
        own = {key: value for key, value in given.items() if key in step.parameters}
        try:
            changed = step.apply(current, draw, neighbours, **own)
            if changed is None or changed == current:
                return Row(problem, reason=why_unchanged(current, step, neighbours))
            held = certify(current, changed, step)
        except _NOT_OF_A_ROW:
            raise
        except Exception as error:  # one bad row must not end a run over a million
            if isinstance(error, ExpressionError) and (unread := unreadable(current, step)):
                return Row(problem, reason=unread)
            if os.environ.get(STRICT):
                raise
            return Row(problem, reason=failure(error, step), failed=True)
        checks += held if len(steps) == 1 else [f"{step.name}:{name}" for name in held]
        current = changed
        used[step.name] = {**step.parameters, **step.fixed, **own}
    return Row(current, problem, tuple(checks), seed, _ENCODE(used))


def failures(made: Mapping[str, Sequence[Row]], where: str) -> list[tuple[str, str]]:
    """The rows that failed: where, with split and id, and why."""
    return [
        (f"{where} {split} {row.problem.id}", row.reason)
        for split, rows in made.items()
        for row in rows
        if row.failed
    ]


def stream(
    split: str,
    problems: Sequence[Problem],
    setting: str,
    steps: Sequence[Perturbation],
    *,
    dataset: str,
    seed: int = 0,
    parameters: Mapping[str, Any] | None = None,
) -> Iterator[Row]:
    """The rows of one split of a variant, one at a time: attack and defense keep order and number.

    `augment` puts each perturbed row of train and validation behind all clean ones. `contrast` takes the steps one
    by one and holds what each makes of an original, under an id of its own (`ORIGINAL#step`); the originals are
    those of the dataset itself.
    """
    if setting not in _PERTURBED_SPLITS:
        raise UnknownNameError("setting", setting, SETTINGS)
    perturbed = split in _PERTURBED_SPLITS[setting]
    added = perturbed and setting == "augment" and split != "test"
    if added or not perturbed:
        yield from map(Row, problems)
    if not perturbed:
        return
    given: dict[str, Any] = {
        "dataset": dataset,
        "seed": seed,
        "neighbours": Neighbours(problems, seed=seed, dataset=dataset),
        "parameters": parameters,
    }
    for problem in problems:
        if setting == CONTRAST:
            members = ((step, perturb(problem, (step,), **given)) for step in steps)
            yield from (_member(row, step) for step, row in members if row.original is not None)
            continue
        row = perturb(problem, steps, **given)
        if not added or row.original is not None:
            yield row


def _member(row: Row, step: Perturbation) -> Row:
    """The row as a member of its original's contrast set; where only a constraint is known, of a kind of its own."""
    kind = f"{step.name}_constraint" if row.problem.answer_type == CONSTRAINT else step.name
    return replace(row, problem=row.problem.replace(id=f"{row.problem.id}{MEMBER}{kind}"))


def as_published(problems: Sequence[Problem]) -> Iterator[Row]:
    """The members that a source itself gives with its originals, as rows of a contrast set."""
    for problem in problems:
        for kind, member in published.members(problem):
            yield Row(member.replace(id=f"{problem.id}{MEMBER}{kind}"), problem)
