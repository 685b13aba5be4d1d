"""From a job's cells to a record: what a trained model answered on each test set, in the form all results have."""

from __future__ import annotations

import glob
from collections.abc import Mapping, Sequence
from fractions import Fraction
from pathlib import Path
from typing import Any

from dnc_datasets import json_lines
from dnc_datasets.errors import DncError
from dnc_datasets.serving import catalogue
from dnc_datasets.serving import rows as dataset_rows
from dnc_datasets.version import __version__
from dnc_leaderboard import making
from dnc_leaderboard import record as records
from dnc_leaderboard.making import Asked, Scored
from dnc_leaderboard.record import NOT_FOUND, RIGHT, WRONG, Outcome, Provenance, Record, System
from dnc_metrics import baselines
from dnc_metrics.clusters import cluster
from dnc_metrics.robustness import MARGIN
from dnc_trainers import data, solvers
from dnc_trainers.config import Config
from dnc_trainers.finetuning.config import Finetuning
from dnc_trainers.protocol import Job, read_cell

SCORE = "answer"
WEIGHING = " + weighing"


def write(
    jobs: Sequence[Job],
    cells: Sequence[Mapping[str, Any]],
    results: Path,
    runs: Path,
    *,
    command: str,
    given: Mapping[str, Path] | None = None,
    margin: float = MARGIN,
) -> tuple[list[Path], list[str]]:
    """Write the record of each finished job beside its cells; returns the files, and why others are missing.

    `cells` are those of all jobs, in order. A record also holds what the same model was tested on by commands before.
    A cell of before whose predictions are gone is no reason to fail.
    """
    made, missing = [], []
    at = 0
    for job in jobs:
        own = cells[at : at + len(job.tests)]
        at += len(job.tests)
        name = f"{job.name}{records.ENDING}"
        try:
            everything = [*own, *_before(job, results, runs)]
            found, outcomes = record(job, runs, everything, command=command, given=given, margin=margin)
        except DncError as error:
            missing.append(f"{name}: {error}")
            continue
        records.write(found, outcomes, results, name)
        made.append(results / name)
    return made, missing


def _before(job: Job, results: Path, runs: Path) -> list[dict[str, Any]]:
    """The cells of the same model that no test of this job has, where its predictions are still there."""
    now = {job.cell(test) for test in job.tests}
    paths = sorted(
        path for path in results.glob(f"{glob.escape(job.name)}-on-*.json") if path.name not in now
    )
    kept = []
    for path in paths:
        cell = read_cell(path)
        if _answered(job, cell, runs).exists():
            kept.append(cell)
    return kept


def _answered(job: Job, cell: Mapping[str, Any], runs: Path) -> Path:
    """The file of what a job's model answered in a cell."""
    asked = f"{cell['test']}+whole" if cell.get("whole") else str(cell["test"])
    return runs / job.name / "predictions" / f"{asked}.jsonl"


def record(
    job: Job,
    runs: Path,
    cells: Sequence[Mapping[str, Any]],
    *,
    command: str,
    given: Mapping[str, Path] | None = None,
    margin: float = MARGIN,
) -> tuple[Record, list[Outcome]]:
    """The record of a finished job, from the predictions beside its model and the cells of its tests."""
    first = cells[0]
    made = Provenance(
        command,
        __version__,
        seed=job.config.seed,
        settings={**job.config.to_dict(), "epoch": first["epoch"], "chosen_on_test": first["chosen_on_test"]},
        processes=int(first["processes"]),
    )
    asked = [
        _asked(job, cell, runs, (given or {}).get(str(cell["test"]).partition("-")[0])) for cell in cells
    ]
    return making.make(system(job), made, asked, margin)


def system(job: Job) -> System:
    """The model of a job. One that is given slots and decodes without weighing never sees a value.

    Graph2Tree does: an edge from every number to each smaller one tells it which of two is larger.

    Its name says what tells it from the model trained on the clean problems with seed 0.
    """
    config = job.config
    weighs = isinstance(config, Config) and config.choice != "likeliest"
    slots = getattr(config, "numbers", "") in ("replacement", "slots")
    compares = type(config) is Config and solvers.get(config.solver).needs_graphs
    differs = [f"trained on {job.data}"] if job.train.setting or job.mixed or job.added else []
    differs += [job.train.fold] if job.train.fold else []
    differs += ["refitted"] if job.refit else []
    differs += ["epoch chosen on test"] if job.on_test else []
    differs += [f"seed {config.seed}"] if config.seed else []
    return System(
        name=config.model_name + WEIGHING * weighs + (f" ({', '.join(differs)})" if differs else ""),
        kind="pretrained model" if isinstance(config, Finetuning) else "solver",
        trained_on=job.data,
        sees_values=weighs or compares or not slots,
    )


def _asked(job: Job, cell: Mapping[str, Any], runs: Path, given: Path | None) -> Asked:
    test = catalogue.find(str(cell["test"]))
    rows = [
        dataset_rows.to_record(row, test) for row in data.asked(test, given, whole=bool(cell.get("whole")))
    ]
    answers = _predictions(_answered(job, cell, runs))
    missing = [row["id"] for row in rows if row["id"] not in answers]
    if missing:
        raise DncError(
            f"{runs / job.name} has no prediction for {missing[0]!r} of {test.name}; remove its cells and run it again"
        )
    before = {row["id"]: row["source"]["answer"] for row in rows if row["source"]}
    return Asked(
        config=test.name,
        dataset=test.dataset,
        fold=test.fold,
        perturbation=test.recipe,
        setting=test.setting,
        capability=test.capability,
        prompt="",
        score=SCORE,
        replies=[_scored(row, answers[row["id"]]) for row in rows],
        baselines=baselines.accuracies(rows, before or None),
        data={"version": __version__, "seed": 0, "sha256": dataset_rows.digest({"test": rows})},
    )


def _scored(row: Mapping[str, Any], answer: Mapping[str, Any]) -> Scored:
    right, value = bool(answer["correct"]), str(answer["value"])
    return Scored(
        row=row,
        right=right,
        status=RIGHT if right else WRONG if value or answer.get("text") else NOT_FOUND,
        answer=Fraction(value) if value else None,
        stated=str(answer["equation"] or answer.get("text", "")),
        cluster=cluster(row),
        scores={SCORE: right, "equation": bool(answer["same_equation"])},
    )


def _predictions(path: Path) -> dict[str, Mapping[str, Any]]:
    try:
        return {str(one["id"]): one for _, one in json_lines.objects(path)}
    except (DncError, KeyError) as error:
        raise DncError(
            f"{path} cannot be read ({error}); remove the cells of its run and run it again"
        ) from error
