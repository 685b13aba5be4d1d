"""How a perturbation enters the splits: attack, defense or augment."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from dnc_datasets.certificate import certify
from dnc_datasets.draws import Draw
from dnc_datasets.errors import UnknownNameError
from dnc_datasets.perturbations import Perturbation
from dnc_datasets.perturbations.statements.neighbours import Neighbours
from dnc_datasets.problem import Problem

# Setting -> splits that are perturbed in place; `augment` also keeps the clean rows of the others.
_PERTURBED_SPLITS = {
    "attack": ("test",),
    "defense": ("train", "validation", "test"),
    "augment": ("train", "validation", "test"),
}
SETTINGS = tuple(_PERTURBED_SPLITS)


@dataclass(frozen=True, slots=True)
class Row:
    """A problem as a dataset shows it: with its original and its certificate where it was perturbed."""

    problem: Problem
    original: Problem | None = None
    certificate: tuple[str, ...] = ()


def perturb(
    problem: Problem,
    steps: Sequence[Perturbation],
    *,
    dataset: str,
    seed: int = 0,
    neighbours: Neighbours | None = None,
    parameters: Mapping[str, Any] | None = None,
) -> Row:
    """The row that these steps make of a problem; the problem itself where one of them does not fit.

    Each step is certified against the problem it was given. `parameters` go to every step that has
    them, e.g. {"scope": ("body",), "mu": 500}.
    """
    current = problem
    checks: list[str] = []
    given = parameters or {}
    for step in steps:
        draw = Draw(seed, dataset, problem.id, step.name)
        own = {key: value for key, value in given.items() if key in step.parameters}
        changed = step.apply(current, draw, neighbours, **own)
        if changed is None or changed == current:
            return Row(problem)
        held = certify(current, changed, step)
        checks += held if len(steps) == 1 else [f"{step.name}:{name}" for name in held]
        current = changed
    return Row(current, problem, tuple(checks))


def apply_setting(
    splits: Mapping[str, Sequence[Problem]],
    setting: str,
    steps: Sequence[Perturbation],
    *,
    dataset: str,
    seed: int = 0,
    parameters: Mapping[str, Any] | None = None,
) -> dict[str, list[Row]]:
    """The splits of a variant: rows keep their order, and attack and defense keep the split sizes.

    `augment` puts each perturbed row of train and validation behind all clean ones.
    """
    if setting not in _PERTURBED_SPLITS:
        raise UnknownNameError("setting", setting, SETTINGS)
    made: dict[str, list[Row]] = {}
    for split, problems in splits.items():
        if split not in _PERTURBED_SPLITS[setting]:
            made[split] = [Row(problem) for problem in problems]
            continue
        neighbours = Neighbours(problems)
        rows = [
            perturb(problem, steps, dataset=dataset, seed=seed, neighbours=neighbours, parameters=parameters)
            for problem in problems
        ]
        if setting == "augment" and split != "test":
            rows = [Row(problem) for problem in problems] + [row for row in rows if row.original is not None]
        made[split] = rows
    return made
