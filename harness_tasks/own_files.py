"""A user's own problems, as `dnc perturb` wrote them: the perturbed rows, and the originals that they hold."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from dnc_datasets import json_lines, perturbations
from dnc_harness.errors import HarnessError

Row = dict[str, Any]


def named(path: Path) -> str:
    """The config of a file's originals: no part of a config's name holds a dash.

    >>> named(Path("my-pens.jsonl"))
    'my_pens'
    """
    return path.stem.replace("-", "_")


class OwnFile:
    """The rows of a perturbed file; `name` is the original's config, `perturbed` the other's."""

    def __init__(self, path: Path) -> None:
        self.path = path
        lines: dict[str, int] = {}
        self.rows = [_row(path, *one, lines) for one in json_lines.objects(path, error=HarnessError)]
        recipes = {row["perturbation"] for row in self.rows}
        if not self.rows or len(recipes) != 1 or not all(recipes):
            raise HarnessError(
                f"{path} is not what `dnc perturb` writes: its rows name no perturbation, or several"
            )
        (self.recipe,) = recipes
        self.name = named(path)
        self.perturbed = f"{self.name}-{self.recipe}-attack"

    @property
    def originals(self) -> list[Row]:
        """The rows before they were perturbed."""
        return [_original(row) for row in self.rows]

    def of(self, config: str) -> list[Row]:
        """The rows of one of its two configs that have an answer: no other reply can be right or wrong."""
        found = [row for row in self._all(config) if _is_answered(row)]
        if not found:
            raise HarnessError(
                f"{self.path}: no row of {config} has an answer, so that none can be scored; give `answer` to "
                "`dnc perturb` with each problem"
            )
        return found

    def unanswered(self, config: str) -> list[str]:
        """The ids of its other rows, which are left out."""
        return [row["id"] for row in self._all(config) if not _is_answered(row)]

    def _all(self, config: str) -> list[Row]:
        if config not in (self.name, self.perturbed):
            raise HarnessError(
                f"{self.path} holds {self.name} (the originals) and {self.perturbed}, not {config}"
            )
        return self.originals if config == self.name else self.rows

    def place(self, config: str) -> dict[str, Any]:
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
            "left_out": len(self.unanswered(config)),
        }


def _original(row: Row) -> Row:
    source = row["source"]
    kept = {"id": row["id"], "perturbed": False, "source": None, "perturbation": ""}
    return {**row, **kept} if source is None else {**row, **source, **kept}


def _is_answered(row: Row) -> bool:
    return bool(str(row["answer"] or "").strip() or row.get("answers"))


def _row(path: Path, number: int, found: Row, lines: dict[str, int]) -> Row:
    needed = ("id", "question", "answer", "perturbation", "perturbed", "source")
    missing = [name for name in needed if name not in found]
    if missing:
        raise HarnessError(f"{path}, line {number}: no {missing[0]!r}; give a file that `dnc perturb` wrote")
    before = lines.setdefault(found["id"], number)
    if before != number:
        raise HarnessError(
            f"{path}, line {number}: the id {found['id']!r:.60} is that of line {before} too; give every problem "
            "an id of its own and perturb the file again"
        )
    return found
