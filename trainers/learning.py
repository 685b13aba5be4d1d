"""A model with its problems, as the loop trains it: what solvers, readers and fine-tuned models have in common."""

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
    likeliest_correct: bool  # would the beam's first hypothesis have been right?

    @property
    def output(self) -> str:
        """What was answered, as `dnc score` reads it."""
        return self.value

    def to_json(self) -> dict[str, Any]:
        """The answer as plain values: a row of predictions."""
        return {**vars(self), "output": self.output}


class Examples(Protocol):
    """Problems as a model reads them, cut into batches."""

    def training_order(self, batch: int, seed: int, epoch: int) -> list[list[int]]:
        """The trainable rows in batches of similar length, in an order that (seed, epoch) decides."""
        ...

    def batch(self, rows: Sequence[int]) -> Any:
        """These examples as one padded batch."""
        ...


class ProblemLearner(ABC, Generic[Settings, Scored]):
    """A model, and the problems that it is trained and validated on."""

    model: nn.Module
    train: Examples
    validated: Any  # the validation problems, as the model reads them
    # Training rows that cannot be learnt from: their answer cannot be written as the model writes it.
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
        """The problems as the model reads them."""

    @abstractmethod
    def answers(self, examples: Any, beam: int, accelerator: Any) -> list[Scored]:
        """A scored answer for every example, in order; the work is shared by all processes."""

    @abstractmethod
    def unread(self, problems: Sequence[Problem]) -> int:
        """How many of these problems lose something that the model needs, being too long for it."""

    @abstractmethod
    def save(self, folder: Path, record: Mapping[str, Any], weights: Mapping[str, Tensor]) -> None:
        """Leave the finished model in the run's folder, with its record."""

    @abstractmethod
    def load(self, folder: Path) -> None:
        """Take what `save` has left."""

    def order(self, epoch: int) -> list[list[int]]:
        """The rows of every batch of an epoch."""
        return self.train.training_order(self.config.batch, self.config.seed, epoch)

    def batch(self, rows: Sequence[int], device: torch.device) -> Any:
        """These training rows as a batch."""
        return self.train.batch(rows).to(device)

    def validate(self, accelerator: Any) -> dict[str, float]:
        """Answer accuracy on the validation problems, decoded greedily."""
        answers = self.answers(self.validated, 1, accelerator)
        return {"accuracy": sum(answer.correct for answer in answers) / max(len(answers), 1)}

    def solve(
        self, problems: Sequence[Problem], *, beam: int | None = None, accelerator: Any = None
    ) -> list[Scored]:
        """A scored answer for every problem, in order; one that is too long to be read is wrong."""
        accelerator = accelerator or loop.make_accelerator(self.config)
        return self.answers(self.examples(problems), beam or self.config.beam, accelerator)

    def baselines(self, problems: Sequence[Problem]) -> dict[str, float]:
        """The accuracy of what the model must beat, by name."""
        return {}

    def measures(self, problems: Sequence[Problem], answers: Sequence[Scored]) -> dict[str, float]:
        """What is stated beside the answers; of conversations, answers by type and by turn."""
        made: dict[str, float] = {}
        if not any(problem.segments for problem in problems):
            return made
        for name, part in (("type", _type), ("turn", _turn)):
            groups: dict[str, list[bool]] = {}
            for problem, one in zip(problems, answers, strict=True):
                groups.setdefault(part(problem), []).append(one.correct)
            if len(groups) > 1:
                made |= {f"{name} {key}": sum(g) / len(g) for key, g in sorted(groups.items())}
        return made

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
        """Train a model, or load it, if this run is already in the folder.

        Without validation problems the last epoch is kept.
        """
        accelerator = accelerator or loop.make_accelerator(config)
        learner = cls(config, training, validation, name)
        return learner, learner.run(folder, accelerator, progress)

    def run(self, folder: Path | None, accelerator: Any, progress: Callable[[str], None]) -> loop.History:
        """Train in place."""
        return loop.fit(self, self.config, folder, accelerator=accelerator, progress=progress)


def _type(problem: Problem) -> str:
    return problem.note("type") or problem.answer_type


def _turn(problem: Problem) -> str:
    return f"{len(problem.history) + 1:02d}"


def same_equation(a: str, b: str) -> bool:
    """Are two equations the same as written, up to spacing, brackets and the spelling of numbers?

    >>> same_equation("(2 + 3)", "2+3"), same_equation("2 + 3", "3 + 2"), same_equation("", "2")
    (True, False, False)
    """
    try:
        return bool(a and b) and expression.same(a, b)
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
