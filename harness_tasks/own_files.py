"""A user's own problems in a file of `dnc perturb`: the perturbed rows, and their originals."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any, TypedDict

from dnc_datasets import json_lines, perturbations, untrusted
from dnc_datasets.errors import DncError
from dnc_datasets.own.problems import contradiction
from dnc_datasets.problem import from_row
from dnc_datasets.writer import kinds
from dnc_datasets.writer.judge import same_model
from dnc_harness.errors import HarnessError

Row = dict[str, Any]
_TURN = dict[str, str]


class _Fields(TypedDict, total=False):
    """The optional columns of a problem that scoring reads."""

    body: str | None
    equation: str | None
    unit: str | None
    answer_type: str | None
    table: list[list[str]] | None
    segments: list[str] | None
    answers: list[str] | None
    history: list[_TURN] | None
    meta: dict[str, str] | str | None
    original_id: str | None


class _Source(_Fields):
    """The problem before it was perturbed."""

    question: str
    answer: str | None


class _PerturbedRow(_Source):
    """A line of a file of `dnc perturb`."""

    id: str
    perturbation: str
    perturbed: bool
    source: _Source | None


def named(path: Path) -> str:
    """Return the config of a file's originals; config names contain no dash.

    >>> named(Path("my-pens.jsonl"))
    'my_pens'
    """
    return path.stem.replace("-", "_")


def is_own(path: Path) -> bool:
    """Return whether `dnc perturb` wrote this file: its first row has a perturbation and a certificate."""
    try:
        first = next(iter(json_lines.objects(path, error=HarnessError)), None)
    except (HarnessError, OSError):
        return False
    return first is not None and {"perturbation", "certificate", "source"} <= first[1].keys()


def inconsistent(path: Path) -> int:
    """Count the problems whose answer is not the value of their equation."""
    rows = (_original(row) for _, row in json_lines.objects(path, error=HarnessError))
    return sum(bool(contradiction(from_row(row))) for row in rows if row.get("equation") and row["answer"])


class OwnFile:
    """The rows of a perturbed file; `name` is the config of the originals, `perturbed` that of the others."""

    def __init__(self, path: Path) -> None:
        self.path = path
        lines: dict[str, int] = {}
        recipes: set[str] = set()
        self._gates: set[str] = set()  # models whose answers selected rows
        self._answered: dict[bool, dict[str, bool]] = {True: {}, False: {}}  # original? -> id -> answered?
        for number, row in json_lines.objects(path, error=HarnessError):
            _check(path, number, row, lines)
            recipes.add(row["perturbation"])
            self._gates |= _gates(row)
            for is_original, answered in self._answered.items():
                answered[row["id"]] = _is_answered(_original(row) if is_original else row)
        if not lines or len(recipes) != 1 or not all(recipes):
            raise HarnessError(
                f"{path} is not what `dnc perturb` writes: its rows name no perturbation, or several"
            )
        (self.recipe,) = recipes
        self.name = named(path)
        self.perturbed = f"{self.name}-{self.recipe}-attack"

    def check_model(self, model: str) -> None:
        """Raise an error if the answers of this model selected the rows."""
        for gate in sorted(self._gates):
            if same_model(gate, model):
                raise HarnessError(
                    f"{self.path}: its rows were chosen by the answers of {gate:.80} (--agree), so that it cannot be "
                    "scored on them; score another model, or let another model agree"
                )

    def config_of(self, row: Mapping[str, Any]) -> str:
        """Return the config of a prediction that names it in a column `perturbed`; empty without one."""
        changed = str(row.get("perturbed", "")).strip().lower()
        return {"true": self.perturbed, "1": self.perturbed, "false": self.name, "0": self.name}.get(
            changed, ""
        )

    @property
    def originals(self) -> Iterator[Row]:
        """Yield the rows before they were perturbed, read from the file."""
        return (_original(row) for _, row in json_lines.objects(self.path, error=HarnessError))

    def of(self, config: str) -> Iterator[Row]:
        """Yield the rows of one of the two configs that have an answer, read from the file."""
        answered = self._answers(config)
        rows = json_lines.objects(self.path, error=HarnessError)
        found = (_original(row) if config == self.name else row for _, row in rows)
        return (row for row in found if answered.get(row["id"]))

    def ids(self, config: str) -> list[str]:
        """Return the ids of the rows with an answer; only their replies can be scored."""
        ids = [row for row, is_answered in self._answers(config).items() if is_answered]
        if not ids:
            raise HarnessError(
                f"{self.path}: no row of {config} has an answer, so that none can be scored; give `answer` to "
                "`dnc perturb` with each problem"
            )
        return ids

    def unanswered(self, config: str) -> set[str]:
        """Return the ids of the rows without an answer, which are omitted."""
        return {row for row, is_answered in self._answers(config).items() if not is_answered}

    def _answers(self, config: str) -> dict[str, bool]:
        if config not in (self.name, self.perturbed):
            raise HarnessError(
                f"{self.path} holds {self.name} (the originals) and {self.perturbed}, not {config}"
            )
        return self._answered[config == self.name]

    def place(self, config: str) -> dict[str, Any]:
        """Return the fields that place the config in a record."""
        if kind := kinds.of_label(self.recipe):
            capability = kind.capability
        else:
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


def _gates(row: Row) -> set[str]:
    """Return the models that were asked whether they agree with a rewrite."""
    parameters = row.get("parameters")
    steps = parameters.values() if isinstance(parameters, dict) else ()
    found = [step.get("asked") for step in steps if isinstance(step, dict)]
    return {str(name) for some in found if isinstance(some, list) for name in some}


def _original(row: Row) -> Row:
    source = row["source"]
    kept = {"id": row["id"], "perturbed": False, "source": None, "perturbation": ""}
    return {**row, **kept} if source is None else {**row, **source, **kept}


def _is_answered(row: Row) -> bool:
    return bool(str(row["answer"] or "").strip() or row.get("answers"))


def _check(path: Path, number: int, found: Row, lines: dict[str, int]) -> None:
    """Raise an error for a line that `dnc perturb` does not write, or for a repeated id."""
    where = f"{path}, line {number}"
    try:
        untrusted.convert(found, _PerturbedRow, f"{where}: row", HarnessError)
        for notes in (found.get("meta"), (found["source"] or {}).get("meta")):
            if isinstance(notes, str) and not isinstance(untrusted.parse(notes.encode(), where), dict):
                raise HarnessError(f"{where}: `meta` is no object")
    except DncError as error:
        raise HarnessError(f"{error}; give a file that `dnc perturb` wrote") from error
    before = lines.setdefault(found["id"], number)
    if before != number:
        raise HarnessError(
            f"{path}, line {number}: the id {found['id']!r:.60} is that of line {before} too; give every problem "
            "an id of its own and perturb the file again"
        )
