"""Severity: the same rows at increasing strengths of a perturbation, for a curve of accuracy."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any

from dnc_datasets.serving import catalogue
from dnc_harness import listing, row_sets
from dnc_harness.errors import HarnessError
from dnc_harness.row_sets import RowSet
from dnc_metrics.record import Curve, Line, Record
from dnc_metrics.record import Strength as At

# Means of the drawn numbers; the standard deviation is proportional.
MEANS = (10, 100, 1_000, 10_000, 100_000)
TIMES = (1, 2, 3, 4, 5)


@dataclass(frozen=True)
class Strength:
    """One strength: its name, and the recipe of its rows."""

    name: str
    recipe: str
    parameters: Mapping[str, Any] = field(default_factory=dict)
    times: int = 1


def strengths(recipe: str, dataset: str, over: tuple[str, Sequence[float]] | None = None) -> list[Strength]:
    """Return the strengths of a recipe, the mildest first.

    `a,b,c` are stacked: a, a+b, a+b+c. A perturbation that draws numbers around a mean has five means,
    `extra` has one to five sentences. `over` names another parameter and its values.

    >>> [one.name for one in strengths("type,verbosity", "tiny")]
    ['type', 'type+verbosity']
    """
    parts = [part.strip() for part in recipe.split(",") if part.strip()]
    if len(parts) > 1:
        if over:
            raise HarnessError("several perturbations are stacked; --over is for one")
        stacked = ["+".join(parts[: at + 1]) for at in range(len(parts))]
        return [Strength(name, name) for name in stacked]
    steps = catalogue.find(f"{dataset}-{recipe}-attack").steps
    known = {name: value for step in steps for name, value in step.parameters.items()}
    if over is None and "mu" in known:
        over = ("mu", MEANS)
    if over is not None:
        name, values = over
        if name not in known:
            takes = ", ".join(sorted(known)) or "no parameters"
            raise HarnessError(f"--over {name}: {recipe} takes {takes}")
        made = []
        for value in values:
            given = {name: value}
            if name == "mu" and "sigma" in known:
                given["sigma"] = value * known["sigma"] / known["mu"]
            made.append(Strength(f"{recipe} {name} {value:g}", recipe, given))
        return made
    if any(step.needs_neighbours for step in steps):
        return [Strength(f"{recipe} x{times}", recipe, times=times) for times in TIMES]
    raise HarnessError(
        f"{recipe} has no strength to vary; name a perturbation with a mean (distribution, verbosity), extra, or "
        "several to stack: --with type,verbosity,extra"
    )


def sets(
    dataset: str, wanted: Sequence[Strength], built: Path, prompt: str = listing.DIRECT, seed: int = 0
) -> list[RowSet]:
    """Return the original and every strength, restricted to rows that all strengths change."""
    made = []
    for one in wanted:
        variant = catalogue.find(f"{dataset}-{one.recipe}-attack")
        made.append(
            row_sets.of_variant(
                variant, built, prompt, seed=seed, parameters=one.parameters, times=one.times, label=one.name,
                capability=wanted[-1].recipe,
            )
        )  # fmt: skip
    changed = set.intersection(*({row["id"] for row in one.rows if row["perturbed"]} for one in made))
    if not changed:
        raise HarnessError(f"no row of {dataset} is changed at every strength; choose milder ones")
    first = row_sets.original(catalogue.find(dataset), built, prompt)
    return [replace(one, rows=[row for row in one.rows if row["id"] in changed]) for one in (first, *made)]


def curve(record: Record, dataset: str, recipe: str, prompt: str, wanted: Sequence[Strength]) -> Curve:
    """Return the accuracy at every strength, the original first; the band is the drop's interval."""
    lines: dict[str, Line] = {line.name: line for table in record.tables for line in table.lines}
    found = [lines[one.name] for one in wanted if one.name in lines and not lines[one.name].is_capability]
    if not found or found[0].before is None:
        return Curve(dataset, recipe, prompt, 0, ())
    before = found[0].before
    points = [At("original", before, (before, before))]
    for line in found:
        low, high = line.interval or (0.0, 0.0)
        band = (max(0.0, before - high), min(1.0, before - low))
        points.append(At(line.name, line.after or 0.0, band))
    return Curve(dataset, recipe, prompt, found[0].n, tuple(points))
