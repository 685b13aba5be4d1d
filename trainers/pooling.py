"""Folds made one: the cells of every fold of a dataset as one cell, so that each table can be of all folds."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping, Sequence
from typing import Any

from dnc_datasets.errors import DncError
from dnc_datasets.serving import catalogue

_FOLD = re.compile(r"-fold[0-9]+(?=[-+]|\Z)")
_ADDED = re.compile(r"\+added_[0-9a-f]{1,64}")
# Shares that are means over rows, and what they are shares of.
_SHARES = {
    "accuracy": "rows", "likeliest_accuracy": "rows", "equation_accuracy": "rows",
    "validation_accuracy": "validation_rows",
}  # fmt: skip
_SUMS = (
    "rows",
    "too_long_rows",
    "training_rows",
    "dropped_training_rows",
    "validation_rows",
    "train_seconds",
)


def without_fold(name: str) -> str:
    """The name of a config, or of training data, without its fold.

    >>> without_fold("asdiv_a-fold3-noise-attack"), without_fold("mawps-fold0+0.05_type")
    ('asdiv_a-noise-attack', 'mawps+0.05_type')
    """
    return _FOLD.sub("", name, count=1)


def over_folds(cells: Iterable[Mapping[str, Any]]) -> list[dict[str, Any]]:
    """One cell for all folds of the same solver, data, test, seed and settings; accuracy is over all their rows.

    A cell whose test is no fold (`--test svamp`) is left out: several models have the same rows there.
    """
    groups: dict[tuple[Any, ...], list[Mapping[str, Any]]] = {}
    for cell in cells:
        if not catalogue.find(cell["test"]).fold:
            continue
        settings = {key: value for key, value in cell.get("settings", {}).items() if key != "seed"}
        # Each fold has its own added problems, so that their fingerprints differ.
        trained = _ADDED.sub("+added_", without_fold(cell["train"]))
        key = (
            cell["solver"], trained, without_fold(cell["test"]), cell["seed"],
            bool(cell.get("refit")), bool(cell.get("chosen_on_test")), repr(sorted(settings.items())),
        )  # fmt: skip
        groups.setdefault(key, []).append(cell)
    return [_together(group, key[1], key[2]) for key, group in groups.items()]


def _together(cells: Sequence[Mapping[str, Any]], train: str, test: str) -> dict[str, Any]:
    outcomes: dict[str, int] = {}
    for cell in cells:
        if both := outcomes.keys() & cell["outcomes"].keys():
            raise DncError(f"{test}: {min(both)} is tested in two folds; folds must not share test rows")
        outcomes |= cell["outcomes"]
    made: dict[str, Any] = {**cells[0], "train": train, "test": test, "outcomes": outcomes}
    if any("clusters" in cell for cell in cells):
        made["clusters"] = {row: name for cell in cells for row, name in cell.get("clusters", {}).items()}
    for name in _SUMS:
        if name in cells[0]:
            made[name] = sum(cell[name] for cell in cells)
    for name, count in _SHARES.items():
        if name in cells[0]:
            made[name] = sum(cell[name] * cell[count] for cell in cells) / (made[count] or 1)
    for name in made.get("baselines", ()):
        shares = [cell["baselines"][name] * cell["rows"] for cell in cells]
        made["baselines"] = {**made["baselines"], name: sum(shares) / made["rows"]}
    made["folds"] = len(cells)
    return made
