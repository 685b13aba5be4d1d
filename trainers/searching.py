"""Adversarial rewording: search for forms that flip correct answers, train on them, and search again.

The forms for training come from the training part. One stage is one model under one search; finished stages
are kept. See Kumar et al. (2021), tables 2 and 3: the question first (reordering), other words (paraphrase),
or both.
"""

from __future__ import annotations

import os
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

from dnc_datasets.attack import models
from dnc_datasets.attack.attempt import Settings
from dnc_datasets.attack.run import Report, attack
from dnc_datasets.errors import DncError, UnknownNameError
from dnc_datasets.problem import Problem, from_row
from dnc_datasets.version import __version__
from dnc_metrics import record as records
from dnc_metrics.record import RIGHT, WRONG, Cell, Outcome, Provenance, Record, TrainingRun
from dnc_trainers import data, pooling, results, runner, tables
from dnc_trainers.config import Config
from dnc_trainers.data import training_rows
from dnc_trainers.finetuning.config import Finetuning
from dnc_trainers.protocol import Job
from dnc_trainers.results import ANSWER, Result, system

SETTINGS = ("search", "retrain")
# Search -> the maximum number of paraphrases per sentence, and the perturbations of the entire problem.
SEARCHES: Mapping[str, tuple[int, tuple[str, ...]]] = {
    "reordering": (0, ("question_reordering",)),
    "paraphrase": (7, ()),
    "both": (7, ("question_reordering",)),
}
# The score of a row before the search. `ANSWER` is correct if no rewording flipped it.
BEFORE = "before"
_FIRST = "trained"


@dataclass(frozen=True)
class Stage:
    """One model under one search of its test set."""

    name: str  # "trained", or "trained again on" the rewordings of a search
    search: str
    result: Result


def chosen(words: str) -> list[str]:
    """Return the searches of a comma-separated list; `all` is every one."""
    names = list(SEARCHES) if words == "all" else [name for name in words.split(",") if name]
    for name in names:
        if name not in SEARCHES:
            raise UnknownNameError("search", name, SEARCHES)
    return names


def run(
    jobs: Sequence[Job],
    settings: Sequence[str],
    folder: Path,
    runs: Path,
    *,
    searches: Sequence[str] = tuple(SEARCHES),
    budget: int = 100,
    given: dict[str, Path] | None = None,
    progress: Callable[[str], None] = lambda note: None,
) -> list[Stage]:
    """Return the stages of every clean job; finished ones are read, and missing models are trained."""
    if not settings:
        return []
    if os.environ.get("WORLD_SIZE", "1") != "1":
        raise DncError("--settings search asks one model in one process; run it without torchrun")
    stages = []
    for job in searchable(jobs):
        how: Any = {"budget": budget, "given": given or {}, "progress": progress}
        stages += [_stage(job, _FIRST, name, folder, runs, **how) for name in searches]
        for name in searches if "retrain" in settings else ():
            flipped = _flipped_problems(_search(job, name, "train", runs, **how))
            if not flipped:  # the model would be the same
                first = _stage(job, _FIRST, name, folder, runs, **how)
                stages.append(replace(first, name=f"trained again on {name}"))
                continue
            again = replace(job, added=(*job.added, *flipped), tests=(job.train,))
            runner.run([again], folder, runs, given=given, progress=progress)
            stages.append(_stage(again, f"trained again on {name}", name, folder, runs, **how))
    return stages


def searchable(jobs: Sequence[Job]) -> list[Job]:
    """Return the clean jobs, whose models are searched; raise an error for readers."""
    clean = [job for job in jobs if not (job.train.recipe or job.mixed or job.on_test)]
    for job in clean:
        if not isinstance(job.config, (Config, Finetuning)):
            raise DncError(
                f"--settings search is for solvers and fine-tuned models; {job.config.model_name} is a reader"
            )
    return clean


def planned(jobs: Sequence[Job], settings: Sequence[str], searches: Sequence[str], budget: int) -> list[str]:
    """Return the files of the first stages, and descriptions of later ones, whose names depend on results."""
    lines = [_file(job, name, budget) for job in searchable(jobs) for name in searches] if settings else []
    if "retrain" in settings:
        lines += [f"{job.name}, trained again on {name}" for job in searchable(jobs) for name in searches]
    return lines


def steps(jobs: Sequence[Job], settings: Sequence[str], searches: Sequence[str]) -> int:
    """Return the maximum number of progress notes of `run`: one per search and per epoch of retraining."""
    own = searchable(jobs) if settings else []
    again = sum(job.config.epochs + 2 for job in own) if "retrain" in settings else 0
    return (len(own) + again) * len(searches)


def _file(job: Job, search: str, budget: int) -> str:
    return f"{job.name}-under-{search}_{budget}.json"


def _stage(job: Job, name: str, search: str, folder: Path, runs: Path, **how: Any) -> Stage:
    """Return one model under one search of its test set; a finished stage of the same rows is read."""
    path = folder / _file(job, search, how["budget"])
    folders: Mapping[str, Path] = how["given"]
    training = TrainingRun(
        model=job.config.model_name,
        data=job.data,
        rows_sha256=training_rows(job, folders).sha256,
        settings_sha256=job.config.digest(),
        added_rows=len(job.added),
    )
    tested = data.asked_digest(job.train, folders.get(job.train.dataset))
    if path.exists():
        (result,) = results.load(path)
        if (result.system.training, result.cell.data.get("sha256")) == (training, tested):
            return Stage(name, search, result)
    report = _search(job, search, "test", runs, **how)
    provenance = Provenance(
        "dnc research protocol",
        __version__,
        seed=job.config.seed,
        settings={**job.config.to_dict(), "stage": name, "search": search, "budget": how["budget"]},
        date=records.today(),
    )
    cell = _cell(job, search, report, tested)
    outcomes = [
        Outcome(
            cell.key,
            one.id,
            right=one.right and not one.flipped,
            status=RIGHT if one.right and not one.flipped else WRONG,
            perturbed=one.flipped,
            scores={ANSWER: one.right and not one.flipped, BEFORE: one.right},
        )
        for one in report.outcomes
    ]
    record = Record(replace(system(job), training=training), provenance, (cell,))
    records.write(record, outcomes, folder, path.name)
    (result,) = results.load(path)
    return Stage(name, search, result)


def _cell(job: Job, search: str, report: Report, digest: str) -> Cell:
    rows = len(report.outcomes)
    before = sum(one.right for one in report.outcomes)
    flipped = sum(one.flipped for one in report.outcomes)
    return Cell(
        config=job.train.name,
        dataset=job.train.dataset,
        fold=job.train.fold,
        perturbation=search,
        setting="search",
        capability="",
        prompt="",
        score=ANSWER,
        rows=rows,
        changed=flipped,
        right=before - flipped,
        scores={ANSWER: (before - flipped) / rows, BEFORE: before / rows},
        statuses={RIGHT: before - flipped, WRONG: rows - before + flipped},
        data={"version": __version__, "sha256": digest},
        measures={"flipped": flipped, "queries": sum(one.queries for one in report.outcomes)},
    )


def _search(
    job: Job,
    search: str,
    split: str,
    runs: Path,
    *,
    budget: int,
    given: Mapping[str, Path],
    progress: Callable[[str], None],
) -> Report:
    """Run the search over one split; a journal in the model's folder allows resuming."""
    folder = runner.trained_model(job, runs, given=given, progress=progress)
    most, recipes = SEARCHES[search]
    settings = Settings(
        job.train.name, f"solver:{folder}", "full", most, budget, job.config.seed, recipes, split=split
    )
    problems = [row.problem for row in data.rows(job.train, given.get(job.train.dataset))[split]]
    progress(f"{job.config.model_name} {job.data}: searching {split} by {search}")
    digest = data.digest(problems, ())
    out = folder / "searches" / f"{search}-{split}-{budget}-{digest[:8]}"
    return attack(problems, models.load(f"solver:{folder}"), settings, out)


def _flipped_problems(report: Report) -> tuple[Problem, ...]:
    """Return the flipped problems, in the form that flipped them."""
    return tuple(from_row(one.adversarial) for one in report.outcomes if one.adversarial is not None)


def table(stages: Sequence[Stage]) -> str:
    """Tabulate each stage over all folds and seeds: accuracy before the search and under it."""
    groups: dict[tuple[str, str], list[Result]] = {}
    for stage in stages:
        groups.setdefault((stage.name, stage.search), []).append(stage.result)
    lines = []
    for (name, search), some in groups.items():
        rows = sum(one.cell.rows for one in some)
        lines.append(
            [
                name,
                search,
                str(rows),
                tables.percent(pooling.share(some, BEFORE)),
                tables.percent(pooling.share(some)),
                tables.interval(pooling.share_interval(some)),
                f"{sum(one.cell.measures['flipped'] for one in some):.0f}",
                f"{sum(one.cell.measures['queries'] for one in some) / rows:.1f}",
                str(sum(one.training.added_rows for one in some)),
            ]
        )
    header = (
        "stage", "search", "rows", "before", "under the search", "95 % interval", "flipped", "queries a row",
        "training rows added",
    )  # fmt: skip
    return tables.markdown(header, lines)


def read_stages(folder: Path) -> list[Stage]:
    """Return every stage of a results folder, by file name."""
    stored = (results.load(path)[0] for path in sorted(folder.glob("*-under-*.json")))
    return [Stage(one.settings["stage"], one.cell.perturbation, one) for one in stored]
