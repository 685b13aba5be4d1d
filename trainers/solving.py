"""A solver with its data: what the loop trains, and how its predictions are scored, exactly."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from fractions import Fraction
from pathlib import Path
from typing import Any

import torch
from torch import Tensor, nn

from dnc_datasets import expression
from dnc_datasets.errors import ExpressionError
from dnc_datasets.problem import Problem, to_row
from dnc_trainers import checkpoint, loop, solvers
from dnc_trainers.batches import Batch, Examples
from dnc_trainers.config import Config
from dnc_trainers.representation import Prediction, Representation
from dnc_trainers.trained import TrainedSolver, save_vocabulary


@dataclass(frozen=True)
class Answer:
    """A prediction for one problem, scored: `correct` by exact value, `same_equation` as written."""

    id: str
    equation: str
    value: str
    correct: bool
    same_equation: bool
    likeliest_correct: bool  # would the beam's first hypothesis have been right?

    def to_json(self) -> dict[str, Any]:
        """The answer as plain values."""
        return vars(self)


class SolverLearner:
    """A solver, its representation, and the problems it is trained and validated on."""

    def __init__(
        self, config: Config, train: Sequence[Problem], validation: Sequence[Problem], name: str = "data"
    ) -> None:
        self.config = config
        self.representation = Representation.of(config, train)
        loop.seed_torch(config.seed, "weights")
        self.model: nn.Module = solvers.build(config, self.representation.vocabulary)
        self.trained = TrainedSolver(config, self.representation, self.model)
        self.train = self.trained.examples(train)
        self.validation = validation
        self._validation = self.trained.examples(validation)
        # Rows whose equation cannot be written over the text's numbers and the constants.
        self.dropped = sum(example.target is None for example in self.train.examples)
        self.name = f"{config.solver} on {name} ({data_fingerprint(train, validation)})"

    def order(self, epoch: int) -> list[list[int]]:
        """The rows of every batch of an epoch."""
        return self.train.training_order(self.config.batch, self.config.seed, epoch)

    def batch(self, rows: Sequence[int], device: torch.device) -> Batch:
        """These training rows as a batch."""
        return self.train.batch(rows).to(device)

    def validate(self, accelerator: Any) -> dict[str, float]:
        """Answer accuracy on the validation problems, decoded greedily."""
        answers = self._answers(self._validation, 1, accelerator)
        return {"accuracy": sum(answer.correct for answer in answers) / max(len(answers), 1)}

    def solve(
        self, problems: Sequence[Problem], *, beam: int | None = None, accelerator: Any = None
    ) -> list[Answer]:
        """A scored answer for every problem, in order; the work is shared by all processes."""
        return self._answers(self.trained.examples(problems), beam or self.config.beam, accelerator)

    def unread(self, problems: Sequence[Problem]) -> int:
        """How many of these problems are too long to be read: a solver reads any."""
        return 0

    def save(self, folder: Path, record: Mapping[str, Any], weights: Mapping[str, Tensor]) -> None:
        """Leave weights and vocabulary, which `load_solver` reads."""
        words = save_vocabulary(folder, self.name, self.representation.vocabulary)
        checkpoint.save(folder, loop.MODEL, self.model.state_dict(), {**record, **words})

    def load(self, folder: Path) -> None:
        """Take the weights that `save` has left."""
        found = checkpoint.load(folder, loop.MODEL)
        assert found
        tensors, record = found
        self.model.load_state_dict(tensors)
        # A run of an earlier version has left no vocabulary, or one without a checksum.
        words = save_vocabulary(folder, self.name, self.representation.vocabulary)
        if record != record | words:
            checkpoint.save_record(folder, loop.MODEL, record | words)

    def _answers(self, examples: Examples, beam: int, accelerator: Any) -> list[Answer]:
        predictions = self.trained.predict(examples, beam, accelerator)
        return [
            score(example.problem, prediction)
            for example, prediction in zip(examples.examples, predictions, strict=True)
        ]


def score(problem: Problem, prediction: Prediction, gold: Fraction | None = None) -> Answer:
    """Compare a prediction with the problem, exactly: no tolerance.

    A problem with an equation asks for the equation's value before any rounding that the source applies to
    its answer; one without asks for its answer. `gold` is another value to ask for.
    """
    gold = problem.exact_value() if gold is None else gold
    same = bool(prediction.equation and problem.equation) and _same(prediction.equation, problem.equation)
    value = "" if prediction.value is None else expression.canonical(prediction.value)
    correct = prediction.value is not None and prediction.value == gold
    likeliest = prediction.likeliest is not None and prediction.likeliest == gold
    return Answer(problem.id, prediction.equation, value, correct, same, likeliest)


def _same(a: str, b: str) -> bool:
    try:
        return expression.exact(a, b)
    except ExpressionError:
        return False


def data_fingerprint(*parts: Sequence[Problem]) -> str:
    """Twelve hex digits of the problems, so that a run never goes on with other data."""
    digest = hashlib.sha256()
    for part in parts:
        for problem in part:
            digest.update(json.dumps(to_row(problem), sort_keys=True).encode())
        digest.update(b"\0")
    return digest.hexdigest()[:12]


def train(
    config: Config,
    training: Sequence[Problem],
    validation: Sequence[Problem],
    *,
    name: str = "data",
    folder: Path | None = None,
    accelerator: Any = None,
    progress: Any = lambda note: None,
) -> tuple[SolverLearner, loop.History]:
    """Train a solver (or load it, if this run is already in the folder); `load_solver` reads the folder.

    Without validation problems the last epoch is kept.
    """
    accelerator = accelerator or loop.make_accelerator(config)
    learner = SolverLearner(config, training, validation, name)
    return learner, loop.fit(learner, config, folder, accelerator=accelerator, progress=progress)
