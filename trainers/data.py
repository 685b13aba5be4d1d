"""The problems of a config for a trainer, always with a validation part disjoint from the test rows."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property, lru_cache
from pathlib import Path

from dnc_datasets import sources
from dnc_datasets.attack.run import CONFIG
from dnc_datasets.corpus.socratic import PREFIX as SOCRATIC
from dnc_datasets.draws import Draw
from dnc_datasets.errors import DncError
from dnc_datasets.plain_output import tell_failed
from dnc_datasets.problem import Problem, from_row, to_row
from dnc_datasets.serving import catalogue
from dnc_datasets.serving.catalogue import Variant
from dnc_datasets.serving.rows import digest as rows_digest
from dnc_datasets.serving.rows import read, to_record
from dnc_datasets.serving.settings import Row, failures
from dnc_datasets.sources import tatqa_a
from dnc_datasets.sources.formats.slotted import text_key
from dnc_trainers import data
from dnc_trainers.protocol import Job, variant

_SHARE = 0.1  # of the training rows, held out if a source has no validation split


@lru_cache(maxsize=4)
def _originals(dataset: str, fold: str, given: Path | None) -> Mapping[str, list[Problem]]:
    if sources.get(dataset).test_only:
        raise DncError(f"{dataset} has test rows only; train on another dataset, such as tiny")
    splits = catalogue.read(dataset, fold, given)
    if splits.get("validation"):
        return splits
    train, validation = hold_out(splits["train"], dataset)
    return {**splits, "train": train, "validation": validation}


@lru_cache(maxsize=4)
def rows(variant: Variant, given: Path | None = None) -> Mapping[str, list[Row]]:
    """Return the rows of each split of a variant: always train, validation and test."""
    splits = variant.rows(_originals(variant.dataset, variant.fold, given))
    tell_failed(failures(splits, variant.name))
    return splits


def asked(variant: Variant, given: Path | None = None, *, whole: bool = False) -> list[Row]:
    """Return the test rows of a model: the test split, or every problem that is the dataset's own."""
    splits = rows(variant, given)
    if not whole:
        return splits["test"]
    if variant.recipe:
        raise DncError(f"only the test split of {variant.name} is perturbed; --whole is for originals")
    borrowed = variant.source.borrowed
    return [row for split, found in splits.items() if split == "test" or not borrowed for row in found]


def digest(training: Iterable[Problem], validation: Iterable[Problem]) -> str:
    """Return the SHA-256 of the rows that a model is trained and validated on, in their order."""
    return rows_digest({"train": map(to_row, training), "validation": map(to_row, validation)})


@lru_cache(maxsize=4096)
def asked_digest(variant: Variant, given: Path | None = None, *, whole: bool = False) -> str:
    """Return the SHA-256 of the rows of `asked`, as every result names it."""
    return rows_digest({"test": (to_record(row, variant) for row in asked(variant, given, whole=whole))})


def seen(training: Iterable[Problem], tested: Iterable[Problem]) -> int:
    """Return the number of tested problems that are in the training data, up to case and punctuation."""
    known = {text_key(problem.text) for problem in training}
    return sum(text_key(problem.text) in known for problem in tested)


def hold_out(problems: list[Problem], dataset: str) -> tuple[list[Problem], list[Problem]]:
    """Split training problems into train and validation parts by hash; both keep their order."""
    order = sorted(problems, key=lambda problem: Draw(0, dataset, problem.id, "validation").word())
    held = {problem.id for problem in order[: int(len(problems) * _SHARE)]}
    return [p for p in problems if p.id not in held], [p for p in problems if p.id in held]


def share(rows: Iterable[Row], tau: float, seed: int, dataset: str, recipe: str) -> list[Problem]:
    """Return a sample of a perturbation's changed rows, as large as the share `tau` of all rows, in order."""
    rows = list(rows)
    changed = [row.problem for row in rows if row.original is not None]
    order = sorted(changed, key=lambda one: Draw(seed, dataset, one.id, f"{recipe}+share").word())
    sample = {problem.id for problem in order[: round(tau * len(rows))]}
    return [problem for problem in changed if problem.id in sample]


def adversarial(folder: Path) -> tuple[Problem, ...]:
    """Return the adversarial problems of an attack on a training split."""
    table = folder / CONFIG / "train.parquet"
    if not table.exists():
        others = sorted(path.stem for path in folder.glob(f"{CONFIG}/*.parquet"))
        reason = (
            f"holds an attack on the {others[0]} split, which may not be trained on"
            if others
            else "holds no finished attack"
        )
        raise DncError(
            f"{folder} {reason}; `dnc research attack DATASET --split train --out {folder}` writes it"
        )
    return tuple(from_row(record) for record in read(table) if record["perturbed"])


def also(name: str, dataset: str, given: Mapping[str, Path] | None = None) -> tuple[Problem, ...]:
    """Return additional training problems for a dataset, from another config or from a file of TAT-QA.

    Problems over a table, passage or conversation of the dataset's validation or test part are excluded. For
    a dataset of numbers, problems without an equation are excluded too.
    """
    given = given or {}
    if name.endswith(".json"):
        problems = list(tatqa_a.read_contexts(Path(name)))
    else:
        other = catalogue.find(name)
        problems = [row.problem for row in rows(other, given.get(other.dataset))["train"]]
    splits = _originals(dataset, "", given.get(dataset))
    apart = {_context(problem) for part in ("validation", "test") for problem in splits[part]}
    ids = {problem.id for part in splits.values() for problem in part}
    if catalogue.find(dataset).source.numeric:
        problems = [problem for problem in problems if problem.equation]
    return tuple(problem for problem in problems if _context(problem) not in apart and problem.id not in ids)


def _context(problem: Problem) -> tuple[object, ...]:
    """Return the context that several questions may share: the table, or else the text."""
    return (problem.table,) if problem.table else (problem.segments or problem.body,)


def check_gsm8k(training: Iterable[Problem], tests: Iterable[Variant]) -> bool:
    """Return whether training has Socratic problems (GSM8K's test set); if so, refuse to score on gsm8k."""
    has_socratic = any(problem.id.startswith(SOCRATIC) for problem in training)
    if has_socratic and any(test.dataset == "gsm8k" for test in tests):
        raise DncError(
            "the Socratic conversations are problems of GSM8K's test set; do not score a model of them on gsm8k"
        )
    return has_socratic


def check_unseen(added: Iterable[Problem], test: str, tested: Iterable[Problem]) -> None:
    """Raise an error if a training problem is a form of a tested one."""
    both = {problem.id for problem in added} & {problem.id for problem in tested}
    if both:
        raise DncError(
            f"{len(both)} of the training problems are test problems of {test}, e.g. {min(both)}; "
            "add an attack on the training split of the same config, and use --whole only with other datasets"
        )


@dataclass(frozen=True)
class TrainingRows:
    """The training and validation rows of a job."""

    training: Sequence[Problem]
    validation: Sequence[Problem]
    added: int  # number of training rows that are not of the config
    saw_gsm8k_test: bool

    @cached_property
    def sha256(self) -> str:
        """Return the digest of all rows, in their order."""
        return data.digest(self.training, self.validation)


def training_rows(job: Job, given: Mapping[str, Path]) -> TrainingRows:
    """Return the rows of a job; raise an error that names rows that may not be trained on."""
    folder = given.get(job.train.dataset)
    splits = data.rows(job.train, folder)
    training, validation = ([row.problem for row in splits[name]] for name in ("train", "validation"))
    for recipe in job.mixed:
        perturbed = data.rows(variant(job.train, recipe, "defense"), folder)
        training += data.share(perturbed["train"], job.tau, job.config.seed, job.train.dataset, recipe)
        validation += [row.problem for row in perturbed["validation"] if row.original is not None]
    # Validation rows may be held out of the source's training split; an attack on it may contain them.
    held_out = {problem.id for problem in validation}
    added = [problem for problem in job.added if problem.id not in held_out]
    training += added
    for test in job.tests:
        # Only a config's own test split is known to be disjoint from its training rows.
        risky = [*training, *validation] if test.name in job.whole else added
        if risky:
            data.check_unseen(risky, test.name, tested(job, test, given))
    if job.refit or job.on_test:
        training += validation
        validation = []
    if job.on_test:
        validation = [row.problem for row in data.rows(job.tests[0], folder)["test"]]
    return TrainingRows(training, validation, len(added), data.check_gsm8k(training, job.tests))


def tested(job: Job, test: Variant, given: Mapping[str, Path]) -> list[Problem]:
    """Return the problems of a test set of a job."""
    rows = data.asked(test, given.get(test.dataset), whole=test.name in job.whole)
    return [row.problem for row in rows]
