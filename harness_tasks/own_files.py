"""A user's own problems, as `dnc perturb` wrote them: the perturbed rows, and the originals that they hold."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from dnc_datasets import json_lines, perturbations
from dnc_harness.errors import HarnessError

Row = dict[str, Any]


class OwnFile:
    """The rows of a perturbed file; `name` is the original's config, `perturbed` the other's."""

    def __init__(self, path: Path) -> None:
        self.path = path
        self.rows = [_row(path, *one) for one in json_lines.objects(path, error=HarnessError)]
        recipes = {row["perturbation"] for row in self.rows}
        if not self.rows or len(recipes) != 1 or not all(recipes):
            raise HarnessError(
                f"{path} is not what `dnc perturb` writes: its rows name no perturbation, or several"
            )
        (self.recipe,) = recipes
        self.name = path.stem.replace("-", "_")
        self.perturbed = f"{self.name}-{self.recipe}-attack"

    @property
    def originals(self) -> list[Row]:
        """The rows before they were perturbed."""
        return [_original(row) for row in self.rows]

    def of(self, config: str) -> list[Row]:
        """The rows of one of its two configs."""
        if config not in (self.name, self.perturbed):
            raise HarnessError(
                f"{self.path} holds {self.name} (the originals) and {self.perturbed}, not {config}"
            )
        return self.originals if config == self.name else self.rows

    def place(self, config: str) -> dict[str, str]:
        """Where the config stands in a record."""
        steps = perturbations.recipe(self.recipe)
        capability = "+".join(dict.fromkeys(step.capability.value for step in steps))
        original = config == self.name
        return {
            "config": config,
            "dataset": self.name,
            "fold": "",
            "perturbation": "" if original else self.recipe,
            "setting": "" if original else "attack",
            "capability": "" if original else capability,
        }


def _original(row: Row) -> Row:
    source = row["source"]
    kept = {"id": row["id"], "perturbed": False, "source": None, "perturbation": ""}
    return {**row, **kept} if source is None else {**row, **source, **kept}


def _row(path: Path, number: int, found: Row) -> Row:
    needed = ("id", "question", "answer", "perturbation", "perturbed", "source")
    missing = [name for name in needed if name not in found]
    if missing:
        raise HarnessError(f"{path}, line {number}: no {missing[0]!r}; give a file that `dnc perturb` wrote")
    return found
