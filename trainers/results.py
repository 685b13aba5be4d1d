"""Results of trained systems for the tables: one cell of a record, with its outcomes by row id."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from typing import Any

from dnc_datasets.errors import DncError
from dnc_datasets.serving import catalogue
from dnc_datasets.serving.catalogue import Variant
from dnc_metrics import record as records
from dnc_metrics.record import Cell, Outcome, Provenance, Record, System, TrainingRun, by_cell
from dnc_trainers import solvers
from dnc_trainers.config import Config
from dnc_trainers.finetuning.config import Finetuning
from dnc_trainers.protocol import Job

# The scores of an outcome: the answer is correct, the equation equals the gold one (up to brackets and the
# spelling of numbers), the decoder's first hypothesis is correct. The first score is the headline.
ANSWER, EQUATION, LIKELIEST = "answer", "equation", "likeliest"


@dataclass(frozen=True)
class Result:
    """One trained system on one test set."""

    system: System
    made: Provenance
    cell: Cell
    outcomes: Mapping[str, Outcome]
    folds: int = 1  # the number of folds that were pooled
    stale: str = ""  # the reason why the result is not of current rows

    @property
    def training(self) -> TrainingRun:
        """Return the training of the system."""
        assert self.system.training is not None
        return self.system.training

    @property
    def model(self) -> str:
        """Return the solver, reader or pretrained model."""
        return self.training.model

    @property
    def data(self) -> str:
        """Return the name of the training rows: a config, and the added rows."""
        return self.training.data

    @property
    def train(self) -> str:
        """Return the training config, without the name of the added rows."""
        return self.data.partition("+added_")[0]

    @property
    def test(self) -> str:
        """Return the test config."""
        return self.cell.config

    @cached_property
    def tested(self) -> Variant:
        """Return the test config as a variant of the catalogue."""
        return catalogue.find(self.test)

    @property
    def seed(self) -> int:
        """Return the seed of the training."""
        return self.made.seed

    @property
    def settings(self) -> Mapping[str, Any]:
        """Return the settings of the training."""
        return self.made.settings

    @property
    def is_fair(self) -> bool:
        """Return whether the epoch was chosen without the test rows."""
        return not self.training.chosen_on_test

    @property
    def accuracy(self) -> float:
        """Return the share of correct answers."""
        return self.cell.right / self.cell.rows

    def share(self, score: str) -> float:
        """Return the mean of a score over all rows; 0 if the result does not have it."""
        return self.cell.scores.get(score, 0.0)

    def clusters(self) -> dict[str, str]:
        """Map each row id to the group that the row belongs to, such as a template or a passage."""
        return {row: outcome.cluster or row for row, outcome in self.outcomes.items()}


def results(record: Record, outcomes: Sequence[Outcome]) -> Iterator[Result]:
    """Yield the results of a record, one for each cell."""
    rows = by_cell(outcomes)
    for cell in record.cells:
        own = {outcome.id: outcome for outcome in rows.get(cell.key, ())}
        if len(own) != cell.rows:
            raise DncError(
                f"{cell.config} has {cell.rows} rows and {len(own)} ids; outcomes are joined by id"
            )
        yield Result(record.system, record.made, cell, own)


def load(path: Path) -> list[Result]:
    """Return the results of a record file; the error for an unreadable file states the remedy."""
    try:
        record = records.load(path)
        return list(results(record, records.outcomes(path, record)))
    except DncError as error:
        raise DncError(f"{error}; remove {path.name} to train or score again") from error


def load_folder(folder: Path, ending: str = records.ENDING) -> list[Result]:
    """Return the results of every record of a trained system in a folder, by file name."""
    every = (load(path) for path in sorted(folder.glob(f"*{ending}")))
    return [result for some in every for result in some if result.system.training is not None]


WEIGHING = " + weighing"


def system(job: Job) -> System:
    """Describe the model of a job.

    A model that reads slots and decodes without weighing never sees a value. Graph2Tree does: an edge from
    every number to each smaller one shows which of two is larger. The name states the differences from the
    model that was trained on the clean problems with seed 0.
    """
    config = job.config
    weighs = isinstance(config, Config) and config.choice != "likeliest"
    slots = getattr(config, "numbers", "") in ("replacement", "slots")
    compares = type(config) is Config and solvers.get(config.solver).needs_graphs
    differences = [f"trained on {job.data}"] if job.train.setting or job.mixed or job.added else []
    differences += [job.train.fold] if job.train.fold else []
    differences += ["refitted"] if job.refit else []
    differences += ["epoch chosen on test"] if job.on_test else []
    differences += [f"seed {config.seed}"] if config.seed else []
    return System(
        name=config.model_name + WEIGHING * weighs + (f" ({', '.join(differences)})" if differences else ""),
        kind="pretrained model" if isinstance(config, Finetuning) else "solver",
        trained_on=job.data,
        sees_values=weighs or compares or not slots,
    )
