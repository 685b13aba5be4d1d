"""Base of the solvers: an encoder, a decoder that scores the next symbol, and lockstep search over both."""

from __future__ import annotations

from dataclasses import dataclass, fields
from typing import Any, TypeVar

import torch
from torch import Tensor, nn
from torch.nn import functional

from dnc_trainers.batches import IGNORED, Batch
from dnc_trainers.config import Config
from dnc_trainers.representation import SLOTS, Vocabulary
from dnc_trainers.solvers.grammar import Grammar

Rows = TypeVar("Rows", bound="PerRow")


@dataclass
class PerRow:
    """Tensors with one entry per row of the batch, which beam search repeats and reorders together."""

    def select(self: Rows, rows: Tensor) -> Rows:
        """Return the entries of these rows, in this order."""
        return type(self)(**{field.name: getattr(self, field.name)[rows] for field in fields(self)})


@dataclass
class Memory(PerRow):
    """The encoder's output for the decoder."""

    states: Tensor  # [B, L, H]
    mask: Tensor  # [B, L]
    root: Tensor  # [B, H], the summary of the problem
    slots: Tensor  # [B, SLOTS], which numbers exist


class Solver(nn.Module):
    """Base of the solvers; a subclass defines how to encode, start, score and advance.

    `forward` is the training loss and `decode` the search; both process a batch in lockstep.
    """

    needs_graphs = False  # whether it reads the graphs over the tokens (`dnc_trainers.graphs`)

    def __init__(self, config: Config, vocabulary: Vocabulary) -> None:
        super().__init__()
        self.config = config
        self.vocabulary = vocabulary
        self.grammar = Grammar(config, vocabulary)

    def encode(self, batch: Batch) -> Any:
        """Return a `Memory` of the batch."""
        raise NotImplementedError

    def start(self, memory: Any) -> Any:
        """Return the decoder's state before the first symbol."""
        raise NotImplementedError

    def scores(self, memory: Any, state: Any) -> Tensor:
        """Return unnormalised scores of the next symbol [N, V]."""
        raise NotImplementedError

    def advance(self, memory: Any, state: Any, symbols: Tensor) -> Any:
        """Return the state after these symbols [N]."""
        raise NotImplementedError

    def existing(self, slots: Tensor) -> Tensor:
        """Return a mask [N, V] that is false for slots that a problem does not have."""
        known = torch.ones(len(slots), len(self.vocabulary.symbols), dtype=torch.bool, device=slots.device)
        first = self.vocabulary.first_slot
        known[:, first : first + SLOTS] = slots
        return known

    def target_scores(self, memory: Any, targets: Tensor) -> Tensor:
        """Return scores at every position of the target [B, T, V], given the symbols before it."""
        lengths = (targets != IGNORED).sum(1)
        scores: Tensor = memory.root.new_zeros(*targets.shape, len(self.vocabulary.symbols))
        state, rows = self.start(memory), torch.arange(len(targets), device=targets.device)
        for step in range(targets.shape[1]):
            if step:
                # Most targets are short; only unfinished rows are computed.
                going = (lengths[rows] > step).nonzero().squeeze(1)
                if len(going) < len(rows):
                    rows, memory, state = rows[going], memory.select(going), state.select(going)
                state = self.advance(memory, state, targets[rows, step - 1])
            scores[rows, step] = self.scores(memory, state).to(scores.dtype)
        return scores

    def forward(self, batch: Batch) -> Tensor:
        """Return the mean cross-entropy of the target symbols."""
        memory = self.encode(batch)
        scores = self.target_scores(memory, batch.targets)
        scores = scores.masked_fill(~self.existing(batch.slots)[:, None], float("-inf"))
        return functional.cross_entropy(
            scores.flatten(0, 1).float(), batch.targets.flatten(), ignore_index=IGNORED
        )

    @torch.no_grad()
    def decode(self, batch: Batch, beam: int) -> tuple[Tensor, Tensor]:
        """Return the sequences [B, beam, T] of a beam search, likeliest first, and log-likelihoods [B, beam].

        The positions after the end of a sequence are IGNORED, and so are missing sequences if there are fewer
        than `beam`.
        """
        memory = self.encode(batch)
        size, device = len(batch.rows), batch.words.device
        first = torch.arange(size, device=device)[:, None] * beam  # the first hypothesis of each row
        memory = memory.select(torch.arange(size, device=device).repeat_interleave(beam))
        existing = self.existing(batch.slots).repeat_interleave(beam, 0)
        state, progress = self.start(memory), self.grammar.start(size * beam, device)
        total = torch.full((size, beam), float("-inf"), device=device)
        total[:, 0] = 0.0
        sequences = torch.empty(size * beam, 0, dtype=torch.long, device=device)
        for step in range(self.grammar.max_length):
            scores = self.scores(memory, state).float()
            allowed = self.grammar.allowed(progress, step) & existing
            scores = scores.masked_fill(~allowed, float("-inf")).log_softmax(-1)
            # A finished hypothesis continues at no cost, with one symbol only.
            scores = torch.where(progress.done[:, None], self.grammar.idle.to(device), scores)
            symbols = scores.shape[1]
            ranked = (total.view(-1, 1) + scores).view(size, beam * symbols)
            total, place = ranked.topk(beam, dim=1)
            origin = (first + place // symbols).flatten()
            chosen = (place % symbols).flatten()
            progress, sequences = progress.select(origin), sequences[origin]
            chosen_or_none = chosen.masked_fill(progress.done, IGNORED)
            sequences = torch.cat((sequences, chosen_or_none[:, None]), 1)
            progress = self.grammar.advance(progress, chosen)
            if progress.done.all():
                break
            state = self.advance(memory, state.select(origin), chosen)
        none = total.isinf()[..., None]
        return sequences.view(size, beam, -1).masked_fill(none, IGNORED), total
