"""What every reader is: problems become examples, examples a batch, a batch a loss or replies."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, ClassVar

import torch
from torch import Tensor, nn

from dnc_datasets.problem import Problem
from dnc_trainers.readers.encoding import Encoder, Pieces, padded
from dnc_trainers.readers.reading import Reading, Reply, Scored

Baseline = Callable[[Problem], Reply]


@dataclass
class Batch:
    """Examples with their padded ids; a reader's own tensors are in `extra`."""

    examples: Sequence[Any]
    ids: Tensor  # [B, L]
    lengths: Tensor  # [B]
    extra: dict[str, Tensor]

    def symbols(self) -> int:
        """How many examples the loss is the mean over."""
        return len(self.examples)

    def to(self, device: torch.device) -> Batch:
        """The same batch on another device."""
        extra = {name: tensor.to(device) for name, tensor in self.extra.items()}
        return Batch(self.examples, self.ids.to(device), self.lengths.to(device), extra)


class Reader(nn.Module):
    """Base of the readers. An example has `ids`, and `labels`, which is None where none can be given."""

    learns: ClassVar[bool] = True
    # What a learner must beat, by name: printed beside it, on the same rows with the same scoring.
    baselines: ClassVar[Mapping[str, Baseline]] = {}

    def __init__(self, config: Reading, pieces: Pieces) -> None:
        super().__init__()
        self.config, self.pieces = config, pieces
        self.encoder = Encoder(config, pieces)

    @classmethod
    def words(cls, problem: Problem) -> Iterable[str]:
        """Every word that a problem shows: what a vocabulary from scratch is made of."""
        raise NotImplementedError

    def example(self, problem: Problem) -> Any:
        """A problem as ids, with its labels."""
        raise NotImplementedError

    def lost(self, problem: Problem) -> bool:
        """Was something cut that the answer needs?"""
        return False

    def collate(self, examples: Sequence[Any]) -> Batch:
        """Examples as a batch."""
        ids = padded([example.ids for example in examples], self.pieces.padding)
        return Batch(examples, ids, torch.tensor([len(example.ids) for example in examples]), {})

    @classmethod
    def measures(cls, problems: Sequence[Problem], scored: Sequence[Scored]) -> dict[str, float]:
        """What a reader scores beside its answers, by name."""
        return {}

    def replies(self, batch: Batch) -> list[Reply]:
        """An answer for every example."""
        raise NotImplementedError
