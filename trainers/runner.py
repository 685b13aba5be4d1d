"""Runs jobs: trains or loads each model, scores the missing test sets, and writes the record.

A record names the digests of its training rows, its settings and its test rows. Only results with current
digests are used. A model is trained again if its training rows have changed, and scored again if a test set
has.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Iterable, Mapping, Sequence
from contextlib import nullcontext
from dataclasses import dataclass, replace
from fractions import Fraction
from pathlib import Path
from typing import TYPE_CHECKING, Any

from dnc_datasets import atomic, owned_folder
from dnc_datasets.errors import DncError
from dnc_datasets.owned_folder import OwnedFolder
from dnc_datasets.problem import Problem
from dnc_datasets.serving import catalogue
from dnc_datasets.serving.catalogue import Variant
from dnc_datasets.serving.rows import to_record
from dnc_datasets.version import __version__
from dnc_metrics import baselines, record_builder
from dnc_metrics import record as records
from dnc_metrics.record import NOT_FOUND, RIGHT, WRONG, Provenance, TrainingRun
from dnc_metrics.record_builder import Asked, Scored
from dnc_metrics.row_labels import cluster
from dnc_trainers import data, results
from dnc_trainers.config import Training
from dnc_trainers.data import TrainingRows, training_rows
from dnc_trainers.protocol import Job
from dnc_trainers.results import ANSWER, EQUATION, LIKELIEST, Result, system

if TYPE_CHECKING:
    from dnc_trainers.learning import Answer, ProblemLearner

DONE, STALE, MISSING = "done", "stale", "to do"
Progress = Callable[[str], None]


@dataclass(frozen=True)
class Places:
    """The folders of a run (results, models, the user's own copies of datasets), and its command."""

    results: Path
    runs: Path
    given: Mapping[str, Path]
    command: str = "dnc research protocol"


def run(
    jobs: Iterable[Job],
    results: Path,
    runs: Path,
    *,
    given: Mapping[str, Path] | None = None,
    command: str = "dnc research protocol",
    progress: Progress = lambda note: None,
) -> list[Result]:
    """Run the missing parts of these jobs and return the results of all their test sets, in order.

    Models, logs and predictions go to one folder per run below `runs`, records to `results`.
    """
    owned_folder.usable(results)
    owned_folder.usable(runs)
    places = Places(results, runs, given or {}, command)
    return [result for job in jobs for result in _run_job(job, places, progress)]


def statuses(job: Job, places: Places) -> dict[Variant, str]:
    """Return whether each test set of a job is done, was done with other rows, or is missing."""
    stored = _stored_results(job, places)
    if not stored:
        return dict.fromkeys(job.tests, MISSING)
    current = _current_results(stored, training_rows(job, places.given).sha256, job.config.digest())
    done = {test: _is_current(current, job, test, places) for test in job.tests}
    return {
        test: DONE if is_done else STALE if test.name in stored else MISSING for test, is_done in done.items()
    }


def model_folder(job: Job, runs: Path, rows: TrainingRows) -> Path:
    """Return the folder of the model that a job trains on these rows.

    A folder of version 0.2.0, which does not name the rows, is used if they are the same.
    """
    from dnc_trainers import checkpoint, loop
    from dnc_trainers.learning import data_fingerprint

    former = runs / job.name
    record = checkpoint.load_record(former, loop.MODEL) or {}
    same = f"({data_fingerprint(rows.training, rows.validation)})"
    return former if str(record.get("learner", "")).endswith(same) else runs / f"{job.name}-{rows.sha256[:8]}"


def trained_model(
    job: Job, runs: Path, *, given: Mapping[str, Path], progress: Progress = lambda note: None
) -> Path:
    """Return the folder of the model of a job; train it if it is missing."""
    from dnc_trainers import loop

    rows = training_rows(job, given)
    folder = model_folder(job, runs, rows)
    if not (folder / f"{loop.MODEL}.json").exists():
        _fit(job, rows, folder, loop.make_accelerator(job.config), progress)
    return folder


def _run_job(job: Job, places: Places, progress: Progress) -> list[Result]:
    rows = training_rows(job, places.given)
    stored = _stored_results(job, places)
    current = _current_results(stored, rows.sha256, job.config.digest())
    if stored and not current:
        progress(f"{job.name}: the training rows have changed; it is trained again")
    if not all(_is_current(current, job, test, places) for test in job.tests):
        _train_and_score(job, rows, current, places, progress)
        current = _stored_results(job, places)
    return [current[test.name] for test in job.tests]


def _stored_results(job: Job, places: Places) -> dict[str, Result]:
    """Return the results of a job's record by test set; empty without a record, or for version 0.2.0."""
    path = places.results / job.file_name
    every = results.load(path) if path.exists() else []
    return {result.test: result for result in every if result.system.training is not None}


def _current_results(stored: Mapping[str, Result], rows: str, settings: str) -> dict[str, Result]:
    """Return the results of the model that was trained on these rows with these settings."""
    return {
        test: result
        for test, result in stored.items()
        if (result.training.rows_sha256, result.training.settings_sha256) == (rows, settings)
    }


def _is_current(current: Mapping[str, Result], job: Job, test: Variant, places: Places) -> bool:
    """Return whether the test set was scored on its current rows."""
    result = current.get(test.name)
    whole = test.name in job.whole
    if result is None or result.cell.all_splits != whole:
        return False
    return bool(
        result.cell.data.get("sha256") == data.asked_digest(test, places.given.get(test.dataset), whole=whole)
    )


def _train_and_score(
    job: Job, rows: TrainingRows, current: Mapping[str, Result], places: Places, progress: Progress
) -> None:
    """Train the model or load it, score the missing test sets, and write the record of all."""
    from dnc_trainers import loop

    accelerator = loop.make_accelerator(job.config)
    folder = model_folder(job, places.runs, rows)
    learner, history = _fit(job, rows, folder, accelerator, progress)
    tests = []
    known: dict[Problem, Answer] = {}
    for test in job.tests:
        if _is_current(current, job, test, places):
            tests.append(_stored_test(current[test.name], test, places.given))
            continue
        answers = _answers(_problems(job, test, places), known, learner, accelerator)
        tests.append(_scored_test(job, test, answers, learner, rows, places))
        if accelerator.is_main_process:
            lines = "".join(json.dumps(answer.to_json()) + "\n" for answer in answers)
            atomic.write_text(folder / "predictions" / f"{job.asked(test)}.jsonl", lines)
    tests += _other_tests(job, current, places)
    if accelerator.is_main_process:
        training = _training(job, rows, learner, history)
        provenance = Provenance(
            places.command,
            __version__,
            seed=job.config.seed,
            settings=job.config.to_dict(),
            processes=accelerator.num_processes,
            date=records.today(),
        )
        record, outcomes = record_builder.make(replace(system(job), training=training), provenance, tests)
        records.write(record, outcomes, places.results, job.file_name)
    accelerator.wait_for_everyone()


def _answers(
    problems: Sequence[Problem],
    known: dict[Problem, Answer],
    learner: ProblemLearner[Any, Any],
    accelerator: Any,
) -> list[Answer]:
    """Return the answers in order, and add them to `known`, so that shared problems are solved once.

    Notes (`meta`) do not distinguish problems, since perturbations with the same rows write different ones.
    """
    keys = [problem.replace(meta=()) for problem in problems]
    new = {key: problem for key, problem in zip(keys, problems, strict=True) if key not in known}
    if new:
        known |= zip(new, learner.solve(list(new.values()), accelerator=accelerator), strict=True)
    return [known[key] for key in keys]


def _fit(
    job: Job, rows: TrainingRows, folder: Path, accelerator: Any, progress: Progress
) -> tuple[ProblemLearner[Any, Any], Any]:
    who = f"{job.config.model_name} {job.data} seed {job.config.seed}"
    # One process of a run writes; a second run in the folder ends with an error.
    owned = OwnedFolder(folder, "dnc research train", names=("log.jsonl",), adopts=_adopts)
    with owned if accelerator.is_main_process else nullcontext() as alone:
        if alone:
            alone.claim("log.jsonl")
        return _learner(job.config).fit(
            job.config,
            rows.training,
            rows.validation,
            name=job.data,
            folder=folder,
            accelerator=accelerator,
            progress=lambda note: progress(f"{who}: {note}"),
        )


def _adopts(folder: Path) -> tuple[str, ...]:
    """Return the log's name for a run of a version without marks, recognised by a checkpoint beside it."""
    return ("log.jsonl",) if any(folder.glob("*-*.safetensors")) else ()


def _learner(config: Training) -> type[ProblemLearner[Any, Any]]:
    """Return the class that trains a model with these settings."""
    from dnc_trainers.finetuning.config import Finetuning
    from dnc_trainers.finetuning.learner import FinetuneLearner
    from dnc_trainers.readers.learner import ReaderLearner
    from dnc_trainers.readers.replies import Reading
    from dnc_trainers.solving import SolverLearner

    if isinstance(config, Finetuning):
        return FinetuneLearner
    return ReaderLearner if isinstance(config, Reading) else SolverLearner


def _training(job: Job, rows: TrainingRows, learner: ProblemLearner[Any, Any], history: Any) -> TrainingRun:
    return TrainingRun(
        model=job.config.model_name,
        data=job.data,
        rows_sha256=rows.sha256,
        settings_sha256=job.config.digest(),
        rows=len(rows.training) - learner.dropped,
        dropped_rows=learner.dropped,
        too_long_rows=learner.unread(rows.training),
        added_rows=rows.added,
        validation_rows=len(rows.validation),
        validation_accuracy=history.best,
        epoch=history.best_epoch,
        epochs=len(history.epochs),
        seconds=round(history.seconds, 1),
        parameters=sum(p.numel() for p in learner.model.parameters()),
        tau=job.tau,
        refit=job.refit,
        chosen_on_test=job.on_test,
        saw_gsm8k_test=rows.saw_gsm8k_test,
    )


def _problems(job: Job, test: Variant, places: Places) -> list[Problem]:
    rows = data.asked(test, places.given.get(test.dataset), whole=test.name in job.whole)
    return [row.problem for row in rows]


def _scored_test(
    job: Job,
    test: Variant,
    answers: Sequence[Answer],
    learner: ProblemLearner[Any, Any],
    rows: TrainingRows,
    places: Places,
) -> Asked:
    """Return a test set with the model's answers."""
    whole, given = test.name in job.whole, places.given.get(test.dataset)
    dataset_rows = _records(test, given, whole=whole)
    if len({row["id"] for row in dataset_rows}) != len(dataset_rows):
        raise DncError(f"{test.name} has rows with the same id; outcomes are joined by id")
    problems = _problems(job, test, places)
    before = {row["id"]: row["source"]["answer"] for row in dataset_rows if row["source"]}
    replies = [_score_answer(row, answer) for row, answer in zip(dataset_rows, answers, strict=True)]
    return replace(
        _test_set(test, replies, given, whole=whole),
        baselines=baselines.accuracies(dataset_rows, before or None) | learner.baselines(problems),
        measures=learner.measures(problems, answers),
        too_long=learner.unread(problems),
        seen_rows=data.seen(rows.training, problems) if whole else 0,
    )


def _stored_test(result: Result, test: Variant, given: Mapping[str, Path]) -> Asked:
    """Return a test set from the record; its rows must be current."""
    cell, folder = result.cell, given.get(test.dataset)
    rows = _records(test, folder, whole=cell.all_splits)
    replies = [Scored.of(row, result.outcomes[row["id"]]) for row in rows]
    return replace(
        _test_set(test, replies, folder, whole=cell.all_splits),
        baselines=cell.baselines,
        measures=cell.measures,
        too_long=cell.too_long,
        seen_rows=cell.seen_rows,
    )


def _other_tests(job: Job, current: Mapping[str, Result], places: Places) -> list[Asked]:
    """Return the test sets that earlier commands scored with the same model, if their rows are current."""
    tests = []
    now = {test.name for test in job.tests}
    for name, result in current.items():
        if name in now:
            continue
        test = catalogue.find(name)
        folder = places.given.get(test.dataset)
        try:
            digest = data.asked_digest(test, folder, whole=result.cell.all_splits)
        except DncError:
            continue  # its files are not available
        if digest == result.cell.data.get("sha256"):
            tests.append(_stored_test(result, test, places.given))
    return tests


def _records(test: Variant, given: Path | None, *, whole: bool) -> list[dict[str, Any]]:
    return [to_record(row, test) for row in data.asked(test, given, whole=whole)]


def _test_set(test: Variant, replies: Sequence[Scored], given: Path | None, *, whole: bool) -> Asked:
    return Asked(
        config=test.name,
        dataset=test.dataset,
        fold=test.fold,
        perturbation=test.recipe,
        setting=test.setting,
        capability=test.capability,
        prompt="",
        score=ANSWER,
        replies=replies,
        data={"version": __version__, "seed": 0, "sha256": data.asked_digest(test, given, whole=whole)},
        all_splits=whole,
    )


def _score_answer(row: Mapping[str, Any], answer: Answer) -> Scored:
    status = RIGHT if answer.correct else WRONG if answer.output else NOT_FOUND
    words = "" if answer.value else answer.output
    return Scored(
        row=row,
        right=answer.correct,
        status=status,
        answer=Fraction(answer.value) if answer.value else None,
        stated=answer.equation or words,
        cluster=cluster(row),
        scores={
            ANSWER: answer.correct,
            EQUATION: answer.same_equation,
            LIKELIEST: answer.likeliest_correct,
        },
    )
