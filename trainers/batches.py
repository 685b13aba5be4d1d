"""Examples as tensors: encoded once, grouped into batches of similar length, padded per batch."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, fields
from typing import Any

import torch
from torch import Tensor

from dnc_datasets.draws import Draw
from dnc_trainers.graphs import GRAPHS, word_graphs
from dnc_trainers.representation import SLOTS, Example

IGNORED = -1  # marks the end of a shorter target


@dataclass
class Batch:
    """Padded tensors of some examples; `rows` are their indices in the data."""

    rows: Tensor  # [B]
    words: Tensor  # [B, L], 0 is padding
    lengths: Tensor  # [B]
    positions: Tensor  # [B, SLOTS], token positions of the numbers; 0 where there is none
    slots: Tensor  # [B, SLOTS], which numbers exist
    targets: Tensor  # [B, T], IGNORED after the end
    graphs: Tensor | None = None  # [B, GRAPHS, L, L]
    tokens: tuple[tuple[str, ...], ...] = ()  # for pretrained encoders, which have their own vocabulary

    @property
    def mask(self) -> Tensor:
        """Return a mask [B, L] that is true on tokens and false on padding."""
        return torch.arange(self.words.shape[1], device=self.words.device) < self.lengths[:, None]

    def symbols(self) -> int:
        """Return the number of target tokens that the loss averages over."""
        return int((self.targets != IGNORED).sum())

    def to(self, device: torch.device) -> Batch:
        """Return the batch on another device."""
        moved: dict[str, Any] = {field.name: getattr(self, field.name) for field in fields(self)}
        moved |= {name: value.to(device) for name, value in moved.items() if isinstance(value, Tensor)}
        return Batch(**moved)


class Examples:
    """The examples of one split, encoded once, from which batches are built."""

    def __init__(self, examples: Sequence[Example], graphs: bool = False, tokens: bool = False) -> None:
        self.examples = examples
        self._tokens = tokens
        self._lengths = [len(example.words) for example in examples]
        self._targets = [len(example.target or ()) for example in examples]
        self._words = [torch.tensor(example.words, dtype=torch.long) for example in examples]
        self._graphs = [word_graphs(example.text) for example in examples] if graphs else None

    def __len__(self) -> int:
        return len(self.examples)

    def batch(self, rows: Sequence[int]) -> Batch:
        """Return these examples as one padded batch."""
        size, length = len(rows), max(max(self._lengths[row] for row in rows), 1)
        words = torch.zeros(size, length, dtype=torch.long)
        positions = torch.zeros(size, SLOTS, dtype=torch.long)
        slots = torch.zeros(size, SLOTS, dtype=torch.bool)
        targets = torch.full((size, max(max(self._targets[row] for row in rows), 1)), IGNORED)
        graphs = torch.zeros(size, GRAPHS, length, length) if self._graphs else None
        for i, row in enumerate(rows):
            example, n = self.examples[row], self._lengths[row]
            words[i, :n] = self._words[row]
            places = example.text.positions[:SLOTS]
            positions[i, : len(places)] = torch.tensor(places, dtype=torch.long)
            slots[i, : len(places)] = True
            if example.target:
                targets[i, : len(example.target)] = torch.tensor(example.target)
            if self._graphs and graphs is not None:
                graphs[i, :, :n, :n] = self._graphs[row]
        return Batch(
            torch.tensor(rows),
            words,
            torch.tensor([max(self._lengths[row], 1) for row in rows]),
            positions,
            slots,
            targets,
            graphs,
            tuple(self.examples[row].text.tokens for row in rows) if self._tokens else (),
        )

    def training_order(self, batch: int, seed: int, epoch: int) -> list[list[int]]:
        """Return the trainable rows in batches of similar length, in an order determined by (seed, epoch)."""
        rows = [row for row, example in enumerate(self.examples) if example.target]
        lengths = list(zip(self._lengths, self._targets, strict=True))
        return training_order(rows, lengths, batch, seed, epoch)

    def by_length(self, batch: int) -> list[list[int]]:
        """Return every row once, in batches of similar length, for evaluation."""
        return by_length(range(len(self)), self._lengths, batch)


def training_order(
    rows: Sequence[int], lengths: Sequence[tuple[int, int]], batch: int, seed: int, epoch: int
) -> list[list[int]]:
    """Return rows in batches of similar source and target length, in an order determined by (seed, epoch).

    Rows are shuffled and sorted by length within pools of 16 batches. Then the batches are shuffled.
    This keeps padding small and changes the neighbours of a row in every epoch.
    """
    draw = Draw(seed, "training", str(epoch), "order")
    mixed = draw.shuffled(rows)
    pool = batch * 16
    batches: list[list[int]] = []
    for start in range(0, len(mixed), pool):
        near = sorted(mixed[start : start + pool], key=lambda row: lengths[row])
        batches += [near[at : at + batch] for at in range(0, len(near), batch)]
    return draw.shuffled(batches)


def by_length(rows: Iterable[int], lengths: Sequence[int], batch: int) -> list[list[int]]:
    """Return rows in batches of similar length, the shortest first."""
    ordered = sorted(rows, key=lambda row: lengths[row])
    return [ordered[at : at + batch] for at in range(0, len(ordered), batch)]
