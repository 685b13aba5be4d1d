"""A model with its problems for the loop: the shared base of solvers, readers and fine-tuned models."""

from __future__ import annotations

import hashlib
import json
from abc import ABC, abstractmethod
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any, Generic, Protocol, TypeVar

import torch
from torch import Tensor, nn

from dnc_datasets import expression
from dnc_datasets.errors import ExpressionError
from dnc_datasets.problem import Problem, to_row
from dnc_trainers import data, loop
from dnc_trainers.config import Training

if TYPE_CHECKING:
    from typing_extensions import Self

Settings = TypeVar("Settings", bound=Training)
Scored = TypeVar("Scored", bound="Answer")


@dataclass(frozen=True)
class Answer:
    """A prediction for one problem, scored: `correct` by exact value, `same_equation` as written."""

    id: str
    equation: str
    value: str
    correct: bool
    same_equation: bool
    likeliest_correct: bool  # whether the beam's first hypothesis is right

    @property
    def output(self) -> str:
        """Return the answer in the form that `dnc score` reads."""
        return self.value

    def to_json(self) -> dict[str, Any]:
        """Return the answer as JSON values: a row of predictions."""
        return {**vars(self), "output": self.output}


class Examples(Protocol):
    """Problems as a model reads them, in batches."""

    def training_order(self, batch: int, seed: int, epoch: int) -> list[list[int]]:
        """Return the trainable rows in batches of similar length, in an order determined by (seed, epoch)."""
        ...

    def batch(self, rows: Sequence[int]) -> Any:
        """Return these examples as one padded batch."""
        ...


class ProblemLearner(ABC, Generic[Settings, Scored]):
    """A model, and the problems that it is trained and validated on."""

    model: nn.Module
    train: Examples
    validated: Any  # the validation problems, as the model reads them
    # Training rows without a usable target: their answer cannot be written in the model's output form.
    dropped: int

    def __init__(
        self, config: Settings, train: Sequence[Problem], validation: Sequence[Problem], name: str = "data"
    ) -> None:
        self.config = config
        self.name = f"{config.model_name} on {name} ({data_fingerprint(train, validation)})"
        self.rows_sha256 = data.digest(train, validation)
        loop.seed_torch(config.seed, "weights")

    @abstractmethod
    def examples(self, problems: Sequence[Problem]) -> Any:
        """Return the problems as examples for the model."""

    @abstractmethod
    def answers(self, examples: Any, beam: int, accelerator: Any) -> list[Scored]:
        """Return a scored answer for every example, in order; all processes share the work."""

    @abstractmethod
    def unread(self, problems: Sequence[Problem]) -> int:
        """Return the number of problems that lose needed content to the model's length limit."""

    @abstractmethod
    def save(self, folder: Path, record: Mapping[str, Any], weights: Mapping[str, Tensor]) -> None:
        """Save the finished model in the run's folder, with its record."""

    @abstractmethod
    def load(self, folder: Path) -> None:
        """Load the model that `save` wrote."""

    def order(self, epoch: int) -> list[list[int]]:
        """Return the rows of every batch of an epoch."""
        return self.train.training_order(self.config.batch, self.config.seed, epoch)

    def batch(self, rows: Sequence[int], device: torch.device) -> Any:
        """Return these training rows as a batch."""
        return self.train.batch(rows).to(device)

    def validate(self, accelerator: Any) -> dict[str, float]:
        """Return the answer accuracy on the validation problems, decoded greedily."""
        answers = self.answers(self.validated, 1, accelerator)
        return {"accuracy": sum(answer.correct for answer in answers) / max(len(answers), 1)}

    def solve(
        self, problems: Sequence[Problem], *, beam: int | None = None, accelerator: Any = None
    ) -> list[Scored]:
        """Return a scored answer for every problem, in order; a problem over the length limit is wrong."""
        accelerator = accelerator or loop.make_accelerator(self.config)
        return self.answers(self.examples(problems), beam or self.config.beam, accelerator)

    def baselines(self, problems: Sequence[Problem]) -> dict[str, float]:
        """Return the accuracy of each baseline, by name."""
        return {}

    def measures(self, problems: Sequence[Problem], answers: Sequence[Scored]) -> dict[str, float]:
        """Return additional measures of a result; for conversations, accuracies by answer type and turn."""
        measures: dict[str, float] = {}
        if not any(problem.segments for problem in problems):
            return measures
        for name, part in (("type", _type), ("turn", _turn)):
            groups: dict[str, list[bool]] = {}
            for problem, one in zip(problems, answers, strict=True):
                groups.setdefault(part(problem), []).append(one.correct)
            if len(groups) > 1:
                measures |= {f"{name} {key}": sum(g) / len(g) for key, g in sorted(groups.items())}
        return measures

    @classmethod
    def fit(
        cls,
        config: Settings,
        training: Sequence[Problem],
        validation: Sequence[Problem],
        *,
        name: str = "data",
        folder: Path | None = None,
        accelerator: Any = None,
        progress: Callable[[str], None] = lambda note: None,
    ) -> tuple[Self, loop.History]:
        """Train a model, or load it if this run is already finished in the folder.

        Without validation problems the weights of the last epoch remain.
        """
        accelerator = accelerator or loop.make_accelerator(config)
        learner = cls(config, training, validation, name)
        return learner, learner.run(folder, accelerator, progress)

    def run(self, folder: Path | None, accelerator: Any, progress: Callable[[str], None]) -> loop.History:
        """Train the model in place and return the history."""
        return loop.fit(self, self.config, folder, accelerator=accelerator, progress=progress)


def _type(problem: Problem) -> str:
    return problem.note("type") or problem.answer_type


def _turn(problem: Problem) -> str:
    return f"{len(problem.history) + 1:02d}"


def same_equation(a: str, b: str) -> bool:
    """Return whether two equations are equal as written, up to spacing, brackets and the spelling of numbers.

    >>> same_equation("(2 + 3)", "2+3"), same_equation("2 + 3", "3 + 2"), same_equation("", "2")
    (True, False, False)
    """
    try:
        return bool(a and b) and expression.same(a, b)
    except ExpressionError:
        return False


def data_fingerprint(*parts: Sequence[Problem]) -> str:
    """Return twelve hex digits that identify the problems, so that a run never resumes with other data."""
    digest = hashlib.sha256()
    for part in parts:
        for problem in part:
            digest.update(json.dumps(to_row(problem), sort_keys=True).encode())
        digest.update(b"\0")
    return digest.hexdigest()[:12]
