"""Base of the readers: problems become examples, examples a batch, a batch a loss or replies."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, ClassVar

import torch
from torch import Tensor, nn

from dnc_datasets.problem import Problem
from dnc_trainers.batches import by_length, training_order
from dnc_trainers.readers.encoding import Encoder, Pieces, padded
from dnc_trainers.readers.replies import Reading, Reply, Scored

Baseline = Callable[[Problem], Reply]


@dataclass
class Batch:
    """Examples with their padded ids; a reader's own tensors are in `extra`."""

    examples: Sequence[Any]
    ids: Tensor  # [B, L]
    lengths: Tensor  # [B]
    extra: dict[str, Tensor]

    def symbols(self) -> int:
        """Return the number of examples that the loss averages over."""
        return len(self.examples)

    def to(self, device: torch.device) -> Batch:
        """Return the batch on another device."""
        extra = {name: tensor.to(device) for name, tensor in self.extra.items()}
        return Batch(self.examples, self.ids.to(device), self.lengths.to(device), extra)


class Examples:
    """Problems as a reader reads them, in batches of similar length."""

    def __init__(self, reader: Reader, problems: Sequence[Problem]) -> None:
        self.problems = list(problems)
        self.examples: list[Any] = [reader.example(problem) for problem in self.problems]
        self._reader = reader
        self._lengths = [len(example.ids) for example in self.examples]

    def batch(self, rows: Sequence[int]) -> Batch:
        """Return these examples as a batch."""
        return self._reader.collate([self.examples[row] for row in rows])

    def training_order(self, batch: int, seed: int, epoch: int) -> list[list[int]]:
        """Return the rows that have labels, in an order determined by (seed, epoch)."""
        rows = [row for row, example in enumerate(self.examples) if example.labels is not None]
        return training_order(rows, [(length, 0) for length in self._lengths], batch, seed, epoch)

    def by_length(self, batch: int) -> list[list[int]]:
        """Return every row once, in batches of similar length, for evaluation."""
        return by_length(range(len(self.examples)), self._lengths, batch)


class Reader(nn.Module):
    """Base of the readers. An example has `ids`, and `labels`, which is None without a usable answer."""

    learns: ClassVar[bool] = True
    # Baselines of a trained reader by name, reported on the same rows with the same scoring.
    baselines: ClassVar[Mapping[str, Baseline]] = {}

    def __init__(self, config: Reading, pieces: Pieces) -> None:
        super().__init__()
        self.config, self.pieces = config, pieces
        self.encoder = Encoder(config, pieces)

    @classmethod
    def words(cls, problem: Problem) -> Iterable[str]:
        """Yield every word of a problem, for a vocabulary from scratch."""
        raise NotImplementedError

    def example(self, problem: Problem) -> Any:
        """Return a problem as ids, with its labels."""
        raise NotImplementedError

    def lost(self, problem: Problem) -> bool:
        """Return whether the length limit cut something that the answer needs."""
        return False

    def collate(self, examples: Sequence[Any]) -> Batch:
        """Return examples as a batch."""
        ids = padded([example.ids for example in examples], self.pieces.padding)
        return Batch(examples, ids, torch.tensor([len(example.ids) for example in examples]), {})

    @classmethod
    def measures(cls, problems: Sequence[Problem], scored: Sequence[Scored]) -> dict[str, float]:
        """Return the reader's additional measures, by name."""
        return {}

    def replies(self, batch: Batch) -> list[Reply]:
        """Return an answer for every example."""
        raise NotImplementedError
