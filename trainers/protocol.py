"""The experiment of the DNC paper and its relatives: train, score on clean and perturbed tests, keep all.

A *job* is one training; a *cell* is its score on one test set. Cells are files: a cell that is there is not
run again, so a table can be built up over days, and any part can be deleted to be run anew.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Iterable, Mapping, Sequence
from contextlib import nullcontext
from dataclasses import dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

from dnc_datasets import atomic, outputs, perturbations, sources
from dnc_datasets.errors import DncError, UnknownNameError
from dnc_datasets.problem import Problem
from dnc_datasets.serving import catalogue
from dnc_datasets.serving.catalogue import Variant
from dnc_datasets.serving.rows import to_record
from dnc_datasets.serving.settings import Row
from dnc_datasets.version import __version__
from dnc_metrics.clusters import cluster
from dnc_trainers import data, readers, solvers
from dnc_trainers.config import Training

if TYPE_CHECKING:
    from dnc_trainers.learning import ProblemLearner

# What models are trained and tested under; contrast sets have no training part.
TRAINED = ("attack", "defense", "augment")
# Bits of a row's outcome in a cell.
RIGHT, SAME_EQUATION, PERTURBED = 1, 2, 4


@dataclass(frozen=True)
class Job:
    """One training and the test sets that its model is scored on."""

    config: Training
    train: Variant
    tests: tuple[Variant, ...]
    added: tuple[Problem, ...] = ()  # further training problems, e.g. of an attack
    # Perturbations of which a share of the training problems is added in perturbed form, each for itself.
    mixed: tuple[str, ...] = ()
    tau: float = 0.0
    # Once validation problems have chosen the settings, train on them too, to the last epoch.
    refit: bool = False
    # Train on all of them and choose the epoch on the test set, as many published scores do.
    on_test: bool = False
    # Test sets of which every problem is asked, not the test split alone.
    whole: tuple[str, ...] = ()

    @property
    def data(self) -> str:
        """The name of the training data: the config, and what was added to it."""
        name = self.train.name
        if self.mixed:
            name = f"{name}+{self.tau:g}_{'_'.join(self.mixed)}"
        if not self.added:
            return name
        from dnc_trainers.learning import data_fingerprint

        return f"{name}+added_{data_fingerprint(self.added)[:8]}"

    @property
    def name(self) -> str:
        """The folder of the run: solver, training data, seed and settings."""
        data = f"{self.data}+validation" if self.refit or self.on_test else self.data
        data = f"{data}_by_test" if self.on_test else data
        return f"{self.config.model_name}-{data}-seed{self.config.seed}-{self.config.fingerprint()}"

    def asked(self, test: Variant) -> str:
        """The name of a test set, as files have it."""
        return f"{test.name}+whole" if test.name in self.whole else test.name

    def cell(self, test: Variant) -> str:
        """The file name of a cell."""
        return f"{self.name}-on-{self.asked(test)}.json"


def plan(
    config: Training,
    dataset: str,
    *,
    settings: Sequence[str] = (),
    recipes: Sequence[str] = (),
    taus: Sequence[float] = (),
    seeds: int = 1,
    folds: bool = False,
    first_folds: int = 0,
    other_tests: Sequence[str] = (),
    whole: bool = False,
    cross: bool = False,
    refit: bool = False,
    on_test: bool = False,
    added: tuple[Problem, ...] = (),
) -> list[Job]:
    """The jobs of a protocol: per seed and fold one on clean data, and one per defended (or augmented) set.

    The clean model is scored on its own test set, on the attacked ones where "attack" is asked for, and on
    the test sets of `other_tests`. `recipes` are perturbations, or several joined by +. With `taus`, "augment" is
    one job for each of these shares, with all perturbations at once (`augmented`). `added` are further training
    problems, perturbed as the others are. With `cross` every model is scored on the clean test set, on every attack
    and on `other_tests`, not on its own alone. `first_folds`: only so many of the folds. `whole`: `other_tests` are
    asked whole.
    """
    source = sources.get(dataset)
    for setting in settings:
        if setting not in TRAINED:
            raise UnknownNameError("setting", setting, (*TRAINED, "search", "retrain"))
    if folds and not source.folds:
        raise DncError(f"{dataset} has no published folds; leave --folds out")
    if first_folds < 0:
        raise DncError(f"--folds {first_folds}: how many of the folds, from the first on")
    if seeds < 1:
        raise DncError(f"--seeds {seeds}: at least one seed is needed")
    others = tuple(catalogue.find(name) for name in other_tests)
    asked_whole = tuple(other_tests) if whole else ()
    jobs = []
    for seed in range(config.seed, config.seed + seeds):
        own = config.with_settings({"seed": seed})
        for fold in source.folds[: first_folds or None] if folds else ("",):
            clean = Variant(dataset, fold)
            attacked = [
                variant(clean, recipe, "attack") for recipe in recipes if cross or "attack" in settings
            ]
            jobs.append(
                Job(
                    own, clean, (clean, *attacked, *others), added,
                    refit=refit, on_test=on_test, whole=asked_whole,
                )
            )  # fmt: skip
            for setting in settings:
                if setting == "augment" and taus:
                    # Never chosen on test: what is compared with published scores has no tau.
                    made = [augmented(own, clean, recipes, tau, others) for tau in taus if not on_test]
                    jobs += [replace(job, added=added, refit=refit, whole=asked_whole) for job in made]
                elif setting != "attack":
                    trained = [variant(clean, recipe, setting) for recipe in recipes]
                    for v in trained:
                        tests = _across(v, clean, (*attacked, *others), cross)
                        more = _perturbed(added, v)
                        jobs.append(Job(own, v, tests, more, refit=refit, on_test=on_test, whole=asked_whole))
    return jobs


def _across(own: Variant, clean: Variant, others: Sequence[Variant], cross: bool) -> tuple[Variant, ...]:
    """The tests of a model trained on perturbed problems: its own, which has the rows of that attack, and others."""
    same = variant(clean, own.recipe, "attack")
    return tuple(dict.fromkeys((own, clean, *(test for test in others if test != same)))) if cross else (own,)


def _perturbed(added: tuple[Problem, ...], variant: Variant) -> tuple[Problem, ...]:
    """Further training problems as the variant has them."""
    made = variant.rows({"train": added, "validation": (), "test": ()}) if added else {"train": []}
    return tuple(row.problem for row in made["train"])


def augmented(
    config: Training, clean: Variant, recipes: Sequence[str], tau: float, other_tests: Sequence[Variant] = ()
) -> Job:
    """The job whose training data are the clean problems and a share `tau` of them under each perturbation.

    Its epoch is chosen on the validation problems, clean and under every perturbation, which are the same for
    every `tau`: so `tau` can be chosen on them too.
    """
    if not 0 < tau <= 1:
        raise DncError(f"--tau {tau:g}: a share of the training problems, above 0 and at most 1")
    if not recipes:
        raise DncError("--tau needs perturbations to add problems of; name them with --perturbations")
    attacked = [variant(clean, recipe, "attack") for recipe in recipes]
    return Job(config, clean, (clean, *attacked, *other_tests), mixed=tuple(recipes), tau=tau)


def shares(words: str) -> list[float]:
    """The shares of a --tau option."""
    try:
        return [float(word) for word in words.split(",") if word]
    except ValueError:
        raise DncError(f"--tau {words}: write shares such as 0.05 or 0.02,0.05,0.1") from None


def recipes_for(dataset: str, names: str) -> list[str]:
    """The perturbations of a comma-separated list; `all` is every one that acts on the dataset."""
    if names != "all":
        return [name for name in names.split(",") if name]
    return [v.recipe for v in catalogue.variants(dataset) if v.setting == "attack"]


def variant(clean: Variant, recipe: str, setting: str) -> Variant:
    """A config under a perturbation."""
    perturbations.recipe(recipe)
    return catalogue.find("-".join(part for part in (clean.dataset, clean.fold, recipe, setting) if part))


def run(
    jobs: Iterable[Job],
    results: Path,
    runs: Path,
    *,
    given: dict[str, Path] | None = None,
    progress: Callable[[str], None] = lambda note: None,
) -> list[dict[str, Any]]:
    """Run what is missing of these jobs and return all their cells, in order.

    Models, logs and predictions go to a folder per run below `runs`, cells to `results`.
    """
    outputs.folder(results)
    outputs.folder(runs)
    cells = []
    for job in jobs:
        missing = [test for test in job.tests if not (results / job.cell(test)).exists()]
        if missing:
            _run_job(job, missing, results, runs, given or {}, progress)
        cells += [read_cell(results / job.cell(test)) for test in job.tests]
    return cells


def train_again(
    job: Job, runs: Path, *, given: Mapping[str, Path], progress: Callable[[str], None] = lambda note: None
) -> None:
    """Train the model of a job whose cells were kept without it; where it is there, nothing is done."""
    from dnc_trainers import loop

    if not (runs / job.name / f"{loop.MODEL}.json").exists():
        _run_job(job, (), runs, runs, given, progress)


def _run_job(
    job: Job,
    tests: Sequence[Variant],
    results: Path,
    runs: Path,
    given: Mapping[str, Path],
    progress: Callable[[str], None],
) -> None:
    from dnc_trainers import loop

    accelerator = loop.make_accelerator(job.config)
    splits = data.rows(job.train, given.get(job.train.dataset))
    training, validation = ([row.problem for row in splits[name]] for name in ("train", "validation"))
    for recipe in job.mixed:
        perturbed = data.rows(variant(job.train, recipe, "defense"), given.get(job.train.dataset))
        training += data.share(perturbed["train"], job.tau, job.config.seed, job.train.dataset, recipe)
        validation += [row.problem for row in perturbed["validation"] if row.original is not None]
    # Where validation rows are held out of the source's training split, an attack on it has met them.
    held_out = {problem.id for problem in validation}
    added = [problem for problem in job.added if problem.id not in held_out]
    training += added

    def asked(test: Variant) -> Sequence[Row]:
        """The rows of a test set of this job."""
        return data.asked(test, given.get(test.dataset), whole=test.name in job.whole)

    for test in job.tests:
        if test.name in job.whole:
            data.check_unseen([*training, *validation], test.name, (r.problem for r in asked(test)))
    for test in job.tests if added else ():
        data.check_unseen(added, test.name, (row.problem for row in asked(test)))
    if job.refit or job.on_test:
        training += validation
        validation = []
    if job.on_test:
        validation = [row.problem for row in data.rows(job.tests[0], given.get(job.train.dataset))["test"]]
    seen = data.check_gsm8k(training, job.tests)
    folder = runs / job.name
    who = f"{job.config.model_name} {job.data} seed {job.config.seed}"
    settings: dict[str, Any] = {
        "name": job.data,
        "folder": folder,
        "accelerator": accelerator,
        "progress": lambda note: progress(f"{who}: {note}"),
    }
    # One process of a run writes; a second run in the folder is told so.
    with atomic.alone_in(folder) if accelerator.is_main_process else nullcontext():
        learner, history = _learner(job.config).fit(job.config, training, validation, **settings)
    too_long = learner.unread(training)
    for test in tests:
        rows = asked(test)
        problems = [row.problem for row in rows]
        answers = learner.solve(problems, accelerator=accelerator)
        outcomes = {
            row.problem.id: RIGHT * answer.correct
            + SAME_EQUATION * answer.same_equation
            + PERTURBED * (row.original is not None)
            for row, answer in zip(rows, answers, strict=True)
        }
        if len(outcomes) != len(rows):
            raise DncError(f"{test.name} has rows with the same id; outcomes join on the id")
        record = {
            "solver": job.config.model_name,
            "train": job.data,
            "test": test.name,
            **({"whole": True} if test.name in job.whole else {}),
            "seed": job.config.seed,
            "accuracy": sum(answer.correct for answer in answers) / len(answers),
            "likeliest_accuracy": sum(answer.likeliest_correct for answer in answers) / len(answers),
            "equation_accuracy": sum(answer.same_equation for answer in answers) / len(answers),
            "rows": len(answers),
            **({"seen_rows": data.seen(training, problems)} if test.name in job.whole else {}),
            # Longer than the model can read: such rows are not trained on, and count as wrong in a test.
            "too_long_rows": learner.unread(problems),
            "too_long_training_rows": too_long,
            "training_rows": len(training) - learner.dropped,
            "dropped_training_rows": learner.dropped,
            "added_training_rows": len(added),
            "tau": job.tau,
            "validation_rows": len(validation),
            "validation_accuracy": history.best,
            "epoch": history.best_epoch,
            "epochs": len(history.epochs),
            "refit": job.refit,
            "chosen_on_test": job.on_test,
            "train_seconds": round(history.seconds, 1),
            "processes": accelerator.num_processes,
            "parameters": sum(p.numel() for p in learner.model.parameters()),
            "version": __version__,
            **({"trained_on_gsm8k_test": True} if seen else {}),
            **({"clusters": together} if (together := _clusters(rows, test)) else {}),
            "settings": job.config.to_dict(),
            "outcomes": outcomes,
        }
        if others := learner.baselines(problems):
            record["baselines"] = others
        if more := learner.measures(problems, answers):
            record["measures"] = more
        if accelerator.is_main_process:
            lines = "".join(json.dumps(answer.to_json()) + "\n" for answer in answers)
            atomic.write_text(folder / "predictions" / f"{job.asked(test)}.jsonl", lines)
            atomic.write_text(results / job.cell(test), cell_text(record))
        accelerator.wait_for_everyone()


def _clusters(rows: Sequence[Row], test: Variant) -> dict[str, str]:
    """Row id -> what the row belongs to, such as a template or a passage, where that is more than its problem."""
    made = {row.problem.id: cluster(to_record(row, test)) for row in rows}
    return {name: found for name, found in made.items() if found != name}


def _learner(config: Training) -> type[ProblemLearner[Any, Any]]:
    """What is trained with these settings."""
    from dnc_trainers.finetuning.config import Finetuning
    from dnc_trainers.finetuning.learner import FinetuneLearner
    from dnc_trainers.readers.learner import ReaderLearner
    from dnc_trainers.readers.reading import Reading
    from dnc_trainers.solving import SolverLearner

    if isinstance(config, Finetuning):
        return FinetuneLearner
    return ReaderLearner if isinstance(config, Reading) else SolverLearner


def best_of(jobs: Sequence[Job], cells: Sequence[dict[str, Any]]) -> Job:
    """The job whose model did best on validation problems, which must be the same for all."""
    scores = {(cell["train"], cell["seed"]): cell["validation_accuracy"] for cell in cells}
    return max(jobs, key=lambda job: scores[job.data, job.config.seed])


def cell_text(record: dict[str, Any]) -> str:
    """A cell as JSON: the figures one per line, what is told row by row all on one."""
    rows = ("clusters", "outcomes")
    head = json.dumps({key: value for key, value in record.items() if key not in rows}, indent=1)
    lines = [f' "{key}": {json.dumps(record[key], separators=(",", ":"))}' for key in rows if key in record]
    return ",\n".join([head.removesuffix("\n}"), *lines]) + "\n}\n"


def read_cell(path: Path) -> dict[str, Any]:
    """The record of a cell."""
    try:
        record = json.loads(path.read_text(encoding="utf-8"))
    except (OSError, ValueError) as error:
        raise DncError(
            f"{path} is not a result of `dnc protocol` ({error}); remove it to run the cell again"
        ) from error
    if not isinstance(record, dict) or "outcomes" not in record:
        raise DncError(f"{path} is not a result of `dnc protocol`; remove it to run the cell again")
    return record


def read_cells(folder: Path) -> list[dict[str, Any]]:
    """Every cell of a results folder, by file name."""
    return [read_cell(path) for path in sorted(folder.glob("*-on-*.json"))]


def default_config(solver: str, seed: int, file: Path | None, words: list[str]) -> Training:
    """The settings of a solver or reader, then the YAML file's, then the command line's."""
    from dnc_trainers.config import from_words, from_yaml

    if solver not in (*solvers.names(), *readers.names()):
        raise UnknownNameError("solver", solver, (*solvers.names(), *readers.names()))
    known: Training = (readers if solver in readers.names() else solvers).default_config(solver)
    config = known.with_settings(from_yaml(file) if file else {})
    return config.with_settings({"seed": seed, **from_words(words)})
