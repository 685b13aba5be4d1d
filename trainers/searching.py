"""The experiment of adversarial rewording: train, search for forms that flip right answers, train on those found
in the training part, search again. One stage is one model under one search; finished stages are kept.

See Kumar et al. (2021), tables 2 and 3: the question first (reordering), other words (paraphrase), or both.
"""

from __future__ import annotations

import os
from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

from dnc_datasets import atomic
from dnc_datasets.attack import models
from dnc_datasets.attack.attempt import Settings
from dnc_datasets.attack.run import Report, attack
from dnc_datasets.errors import DncError, UnknownNameError
from dnc_datasets.problem import Problem, from_row
from dnc_trainers import data, protocol, tables
from dnc_trainers.config import Config
from dnc_trainers.finetuning.config import Finetuning
from dnc_trainers.protocol import RIGHT, Job, cell_text, read_cell

SETTINGS = ("search", "retrain")
# Search -> most paraphrases of a sentence, and the perturbations laid over the whole problem.
SEARCHES: Mapping[str, tuple[int, tuple[str, ...]]] = {
    "reordering": (0, ("question_reordering",)),
    "paraphrase": (7, ()),
    "both": (7, ("question_reordering",)),
}
# A bit of a row's outcome: it was right before the search; RIGHT says that it still is.
BEFORE = 8
_FIRST = "trained"


def chosen(words: str) -> list[str]:
    """The searches of a comma-separated list; `all` is every one."""
    names = list(SEARCHES) if words == "all" else [name for name in words.split(",") if name]
    for name in names:
        if name not in SEARCHES:
            raise UnknownNameError("search", name, SEARCHES)
    return names


def run(
    jobs: Sequence[Job],
    settings: Sequence[str],
    results: Path,
    runs: Path,
    *,
    searches: Sequence[str] = tuple(SEARCHES),
    budget: int = 100,
    given: dict[str, Path] | None = None,
    progress: Callable[[str], None] = lambda note: None,
) -> list[dict[str, Any]]:
    """The stages of every clean job; what is done is read, and a model that is gone is trained again."""
    if not settings:
        return []
    if os.environ.get("WORLD_SIZE", "1") != "1":
        raise DncError("--settings search asks one model in one process; run it without torchrun")
    stages = []
    for job in searchable(jobs):
        how: Any = {"budget": budget, "given": given or {}, "progress": progress}
        stages += [_stage(job, _FIRST, name, results, runs, **how) for name in searches]
        for name in searches if "retrain" in settings else ():
            found = _found(_searched(job, name, "train", runs, **how))
            if not found:  # the model would be the same
                first = _stage(job, _FIRST, name, results, runs, **how)
                stages.append({**first, "stage": f"trained again on {name}"})
                continue
            again = replace(job, added=(*job.added, *found), tests=(job.train,))
            protocol.run([again], results, runs, given=given, progress=progress)
            stages.append(_stage(again, f"trained again on {name}", name, results, runs, **how))
    return stages


def searchable(jobs: Sequence[Job]) -> list[Job]:
    """The clean jobs, whose models are searched; an error where they are none that a text can be put to."""
    clean = [job for job in jobs if not (job.train.recipe or job.mixed or job.on_test)]
    for job in clean:
        if not isinstance(job.config, (Config, Finetuning)):
            raise DncError(
                f"--settings search is for solvers and fine-tuned models; {job.config.model_name} is a reader"
            )
    return clean


def planned(jobs: Sequence[Job], settings: Sequence[str], searches: Sequence[str], budget: int) -> list[str]:
    """The files of the first stages; and what comes behind them, whose names what is found will tell."""
    lines = [_file(job, name, budget) for job in searchable(jobs) for name in searches] if settings else []
    if "retrain" in settings:
        lines += [f"{job.name}, trained again on {name}" for job in searchable(jobs) for name in searches]
    return lines


def steps(jobs: Sequence[Job], settings: Sequence[str], searches: Sequence[str]) -> int:
    """How often `run` tells of its progress at most: once a search, and in each epoch of training again."""
    own = searchable(jobs) if settings else []
    again = sum(job.config.epochs + 2 for job in own) if "retrain" in settings else 0
    return (len(own) + again) * len(searches)


def _file(job: Job, search: str, budget: int) -> str:
    return f"{job.name}-under-{search}_{budget}.json"


def _stage(job: Job, stage: str, search: str, results: Path, runs: Path, **how: Any) -> dict[str, Any]:
    """One model under one search of its test part."""
    path = results / _file(job, search, how["budget"])
    if path.exists():
        return read_cell(path)
    report = _searched(job, search, "test", runs, **how)
    record = {
        "solver": job.config.model_name,
        "train": job.data,
        "test": job.train.name,
        "seed": job.config.seed,
        "encoder": getattr(job.config, "encoder", ""),
        "stage": stage,
        "search": search,
        "budget": how["budget"],
        **report.figures(),
        "added_training_rows": len(job.added),
        "settings": job.config.to_dict(),
        "outcomes": {
            one.id: BEFORE * one.right + RIGHT * (one.right and not one.flipped) for one in report.outcomes
        },
    }
    atomic.write_text(path, cell_text(record))
    return record


def _searched(
    job: Job,
    search: str,
    split: str,
    runs: Path,
    *,
    budget: int,
    given: Mapping[str, Path],
    progress: Callable[[str], None],
) -> Report:
    """The search over one part; a journal beside the model keeps what is done."""
    protocol.train_again(job, runs, given=given, progress=progress)
    folder = runs / job.name
    most, recipes = SEARCHES[search]
    settings = Settings(
        job.train.name, f"solver:{folder}", "full", most, budget, job.config.seed, recipes, split=split
    )
    problems = [row.problem for row in data.rows(job.train, given.get(job.train.dataset))[split]]
    progress(f"{job.config.model_name} {job.data}: searching {split} by {search}")
    out = folder / "searches" / f"{search}-{split}-{budget}"
    return attack(problems, models.load(f"solver:{folder}"), settings, out)


def _found(report: Report) -> tuple[Problem, ...]:
    """The problems that were flipped, in the form that flipped them."""
    return tuple(from_row(one.adversarial) for one in report.outcomes if one.adversarial is not None)


def table(stages: Sequence[Mapping[str, Any]]) -> str:
    """One line a stage, over all folds and seeds: accuracy before the search and under it."""
    groups: dict[tuple[str, str], list[Mapping[str, Any]]] = {}
    for one in stages:
        groups.setdefault((one["stage"], one["search"]), []).append(one)
    lines = []
    for (stage, search), some in groups.items():
        rows = sum(len(one["outcomes"]) for one in some)
        lines.append(
            [
                stage,
                search,
                str(rows),
                tables.percent(tables.share(some, BEFORE)),
                tables.percent(tables.share(some)),
                tables.interval(tables.share_interval(some)),
                str(sum(one["flipped"] for one in some)),
                f"{sum(one['queries'] for one in some) / rows:.1f}",
                str(sum(one["added_training_rows"] for one in some)),
            ]
        )
    header = (
        "stage", "search", "rows", "before", "under the search", "95 % interval", "flipped", "queries a row",
        "training rows added",
    )  # fmt: skip
    return tables.markdown(header, lines)


def read_stages(folder: Path) -> list[dict[str, Any]]:
    """Every stage of a results folder, by file name."""
    return [read_cell(path) for path in sorted(folder.glob("*-under-*.json"))]
