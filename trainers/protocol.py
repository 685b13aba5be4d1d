"""Plans the experiment of the DNC paper and related ones: train, then score on clean and perturbed tests.

A *job* is one training and the test sets that its model is scored on. `runner` runs it and writes its record.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from pathlib import Path

from dnc_datasets import perturbations, sources
from dnc_datasets.errors import DncError, UnknownNameError
from dnc_datasets.problem import Problem
from dnc_datasets.serving import catalogue
from dnc_datasets.serving.catalogue import Variant
from dnc_metrics.record import ENDING
from dnc_trainers import readers, solvers
from dnc_trainers.config import Training

# Settings of training and testing; contrast sets have no training part.
TRAINED = ("attack", "defense", "augment")
# Lists of perturbations: all, or for a diagnosis the plausible form where one exists.
ALL, PLAUSIBLE = "all", "plausible"


@dataclass(frozen=True)
class Job:
    """One training and the test sets that its model is scored on."""

    config: Training
    train: Variant
    tests: tuple[Variant, ...]
    added: tuple[Problem, ...] = ()  # additional training problems, e.g. of an attack
    # Perturbations that each add perturbed forms of a share of the training problems.
    mixed: tuple[str, ...] = ()
    tau: float = 0.0
    # After validation problems have chosen the settings, train on them too, for all epochs.
    refit: bool = False
    # Train on all of them and choose the epoch on the test set, as many published scores do.
    on_test: bool = False
    # Test sets of which every problem is asked, not only the test split.
    whole: tuple[str, ...] = ()

    @property
    def data(self) -> str:
        """Return the name of the training data: the config, and the additions."""
        name = self.train.name
        if self.mixed:
            name = f"{name}+{self.tau:g}_{'_'.join(self.mixed)}"
        if not self.added:
            return name
        from dnc_trainers.learning import data_fingerprint

        return f"{name}+added_{data_fingerprint(self.added)[:8]}"

    @property
    def name(self) -> str:
        """Return the name of the run's folder: solver, training data, seed and settings."""
        data = f"{self.data}+validation" if self.refit or self.on_test else self.data
        data = f"{data}_by_test" if self.on_test else data
        return f"{self.config.model_name}-{data}-seed{self.config.seed}-{self.config.fingerprint()}"

    def asked(self, test: Variant) -> str:
        """Return the name of a test set in file names."""
        return f"{test.name}+whole" if test.name in self.whole else test.name

    @property
    def file_name(self) -> str:
        """Return the file name of the job's record."""
        return f"{self.name}{ENDING}"


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
    """Return the jobs of a protocol: per seed and fold one on clean data, and one per perturbed training set.

    The clean model is scored on its own test set, on the attacked ones if `settings` has "attack", and on
    `other_tests`.

    `recipes` are perturbations, or several joined by +. With `taus`, "augment" is one job for each of these
    shares, with all perturbations at once (`augmented`). `added` are additional training problems, perturbed
    as the others are. With `cross` every model is scored on the clean test set, on every attack and on
    `other_tests`, not only on its own. `first_folds` is the number of folds. With `whole`, every problem of
    `other_tests` is asked.
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
                    # Never chosen on test: published scores that choose that way have no tau.
                    mixed = [augmented(own, clean, recipes, tau, others) for tau in taus if not on_test]
                    jobs += [replace(job, added=added, refit=refit, whole=asked_whole) for job in mixed]
                elif setting != "attack":
                    trained = [variant(clean, recipe, setting) for recipe in recipes]
                    for v in trained:
                        tests = _tests_of(v, clean, (*attacked, *others), cross)
                        more = _perturb(added, v)
                        jobs.append(Job(own, v, tests, more, refit=refit, on_test=on_test, whole=asked_whole))
    return jobs


def _tests_of(own: Variant, clean: Variant, others: Sequence[Variant], cross: bool) -> tuple[Variant, ...]:
    """Return the tests of a model trained on perturbed problems: its own test set; with `cross`, all."""
    same = variant(clean, own.recipe, "attack")
    return tuple(dict.fromkeys((own, clean, *(test for test in others if test != same)))) if cross else (own,)


def _perturb(added: tuple[Problem, ...], variant: Variant) -> tuple[Problem, ...]:
    """Return additional training problems under the variant's perturbation."""
    splits = variant.rows({"train": added, "validation": (), "test": ()}) if added else {"train": []}
    return tuple(row.problem for row in splits["train"])


def augmented(
    config: Training, clean: Variant, recipes: Sequence[str], tau: float, other_tests: Sequence[Variant] = ()
) -> Job:
    """Return the job that trains on the clean problems and a share `tau` of them under each perturbation.

    Its epoch is chosen on the validation problems, clean and under every perturbation. They are the same for
    every `tau`, so they can also choose `tau`.
    """
    if not 0 < tau <= 1:
        raise DncError(f"--tau {tau:g}: a share of the training problems, above 0 and at most 1")
    if not recipes:
        raise DncError("--tau needs perturbations to add problems of; name them with --perturbations")
    attacked = [variant(clean, recipe, "attack") for recipe in recipes]
    return Job(config, clean, (clean, *attacked, *other_tests), mixed=tuple(recipes), tau=tau)


def shares(words: str) -> list[float]:
    """Return the shares of a --tau option."""
    try:
        return [float(word) for word in words.split(",") if word]
    except ValueError:
        raise DncError(f"--tau {words}: write shares such as 0.05 or 0.02,0.05,0.1") from None


def recipes_for(dataset: str, names: str) -> list[str]:
    """Return the perturbations of a comma-separated list; `all` is every one that applies to the dataset.

    `plausible` is every one for a diagnosis, in its plausible form if it has one.
    """
    if names not in (ALL, PLAUSIBLE):
        return [name for name in names.split(",") if name]
    attacks = [v for v in catalogue.variants(dataset) if v.setting == "attack"]
    return [v.recipe for v in attacks if names == ALL or not v.has_plausible_form]


def variant(clean: Variant, recipe: str, setting: str) -> Variant:
    """Return the config under a perturbation."""
    perturbations.recipe(recipe)
    return catalogue.find("-".join(part for part in (clean.dataset, clean.fold, recipe, setting) if part))


def default_config(solver: str, seed: int, file: Path | None, words: list[str]) -> Training:
    """Return the settings of a solver or reader, overridden by the YAML file, then by the command line."""
    from dnc_trainers.config import from_words, from_yaml

    if solver not in (*solvers.names(), *readers.names()):
        raise UnknownNameError("solver", solver, (*solvers.names(), *readers.names()))
    known: Training = (readers if solver in readers.names() else solvers).default_config(solver)
    config = known.with_settings(from_yaml(file) if file else {})
    return config.with_settings({"seed": seed, **from_words(words)})
