"""The record of a diagnosis (`diagnosis.json`): which model, which rows, what result, and how sure."""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import asdict, dataclass, field
from pathlib import Path
from typing import Any

from dnc_datasets.errors import DncError

SCHEMA = "dnc-diagnosis/1"


class SchemaError(DncError, ValueError):
    """A file that is not a diagnosis, or one of another schema."""


@dataclass(frozen=True)
class TaskResult:
    """The scores of one config asked in one way; `rules` counts how answers were found in the replies."""

    task: str
    config: str
    prompt: str
    rows: int
    changed: int  # rows that the perturbation changed
    scores: Mapping[str, float]
    rules: Mapping[str, int]
    data: Mapping[str, Any]  # version, seed and checksum of the rows
    left_out: int = 0  # rows of the split that cannot be asked in this way, as they have no equation


@dataclass(frozen=True)
class Cell:
    """What a perturbation does: the paired comparison on the rows it changed, and on all rows.

    The one on changed rows is the headline; it is None where the perturbation changed none of the rows.
    Comparisons are those of `dnc_metrics.robustness`, as plain values.
    """

    perturbation: str
    capability: str
    changed: Mapping[str, Any] | None
    all: Mapping[str, Any]


@dataclass(frozen=True)
class Table:
    """The cells of one dataset (or fold), prompt and setting; p-values are corrected within the table."""

    dataset: str
    fold: str
    prompt: str
    setting: str
    score: str  # the score that outcomes are taken from
    cells: tuple[Cell, ...]
    capabilities: Mapping[str, Mapping[str, Any]]  # changed rows of all its perturbations, by capability


@dataclass(frozen=True)
class Diagnosis:
    """Everything that one run says about one model."""

    dnc_version: str
    harness: str  # "lm-eval 0.4.13"
    model: Mapping[str, Any]
    settings: Mapping[str, Any]
    tasks: tuple[TaskResult, ...]
    tables: tuple[Table, ...] = ()
    schema: str = field(default=SCHEMA)

    def text(self) -> str:
        """As JSON; NaN and infinity, which JSON does not have, are an error."""
        return json.dumps(asdict(self), indent=1, ensure_ascii=False, allow_nan=False) + "\n"


def read(path: Path) -> Diagnosis:
    """The diagnosis in a file that `Diagnosis.text` was written to."""
    try:
        found = json.loads(path.read_text(encoding="utf-8"))
    except (OSError, ValueError) as error:
        raise SchemaError(f"{path} cannot be read as a diagnosis: {error}") from error
    schema = found.get("schema") if isinstance(found, dict) else None
    if schema != SCHEMA:
        raise SchemaError(f"{path} has schema {schema!r}; this version reads {SCHEMA}. Run `dnc eval` again")
    try:
        tasks = tuple(TaskResult(**task) for task in found.pop("tasks"))
        tables = tuple(
            Table(**{**table, "cells": tuple(Cell(**cell) for cell in table["cells"])})
            for table in found.pop("tables")
        )
        return Diagnosis(**found, tasks=tasks, tables=tables)
    except (KeyError, TypeError) as error:
        raise SchemaError(f"{path} is damaged: {error}. Run `dnc eval` again") from error
