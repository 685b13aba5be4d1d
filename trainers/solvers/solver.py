"""What every solver is: an encoder, a decoder that scores the next symbol, and lockstep search over both."""

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
    """Tensors with one entry per row of the batch, to be repeated and reordered together in beam search."""

    def select(self: Rows, rows: Tensor) -> Rows:
        """The entries of these rows, in this order."""
        return type(self)(**{field.name: getattr(self, field.name)[rows] for field in fields(self)})


@dataclass
class Memory(PerRow):
    """What the encoder leaves for the decoder."""

    states: Tensor  # [B, L, H]
    mask: Tensor  # [B, L]
    root: Tensor  # [B, H], the problem as one vector
    slots: Tensor  # [B, SLOTS], which numbers exist


class Solver(nn.Module):
    """Base of the solvers; a subclass says how to encode, start, score and advance.

    `forward` is the training loss and `decode` the search; both go through a whole batch in lockstep.
    """

    needs_graphs = False  # does it read the graphs over the tokens (`dnc_trainers.graphs`)?

    def __init__(self, config: Config, vocabulary: Vocabulary) -> None:
        super().__init__()
        self.config = config
        self.vocabulary = vocabulary
        self.grammar = Grammar(config, vocabulary)

    def encode(self, batch: Batch) -> Any:
        """A `Memory` of the batch."""
        raise NotImplementedError

    def start(self, memory: Any) -> Any:
        """The decoder's state before the first symbol."""
        raise NotImplementedError

    def scores(self, memory: Any, state: Any) -> Tensor:
        """[N, V]: unnormalised scores of the next symbol."""
        raise NotImplementedError

    def advance(self, memory: Any, state: Any, symbols: Tensor) -> Any:
        """The state after these symbols [N]."""
        raise NotImplementedError

    def existing(self, slots: Tensor) -> Tensor:
        """[N, V]: false for the slots that a problem does not have, true for all other symbols."""
        known = torch.ones(len(slots), len(self.vocabulary.symbols), dtype=torch.bool, device=slots.device)
        first = self.vocabulary.first_slot
        known[:, first : first + SLOTS] = slots
        return known

    def target_scores(self, memory: Any, targets: Tensor) -> Tensor:
        """[B, T, V]: scores at every place of the target, the symbols before it being given."""
        lengths = (targets != IGNORED).sum(1)
        scores: Tensor = memory.root.new_zeros(*targets.shape, len(self.vocabulary.symbols))
        state, rows = self.start(memory), torch.arange(len(targets), device=targets.device)
        for step in range(targets.shape[1]):
            if step:
                # Most targets are short: only the rows that go on are computed.
                going = (lengths[rows] > step).nonzero().squeeze(1)
                if len(going) < len(rows):
                    rows, memory, state = rows[going], memory.select(going), state.select(going)
                state = self.advance(memory, state, targets[rows, step - 1])
            scores[rows, step] = self.scores(memory, state).to(scores.dtype)
        return scores

    def forward(self, batch: Batch) -> Tensor:
        """The mean cross-entropy of the target symbols."""
        memory = self.encode(batch)
        scores = self.target_scores(memory, batch.targets)
        scores = scores.masked_fill(~self.existing(batch.slots)[:, None], float("-inf"))
        return functional.cross_entropy(
            scores.flatten(0, 1).float(), batch.targets.flatten(), ignore_index=IGNORED
        )

    @torch.no_grad()
    def decode(self, batch: Batch, beam: int) -> tuple[Tensor, Tensor]:
        """The valid symbol sequences [B, beam, T] that beam search ends with, likeliest first.

        IGNORED is after the end of each, and everywhere where there are fewer than `beam`. Their
        log-likelihoods [B, beam] come with them.
        """
        memory = self.encode(batch)
        size, device = len(batch.rows), batch.words.device
        first = torch.arange(size, device=device)[:, None] * beam  # the first hypothesis of each row
        memory = memory.select(torch.arange(size, device=device).repeat_interleave(beam))
        existing = self.existing(batch.slots).repeat_interleave(beam, 0)
        state, progress = self.start(memory), self.grammar.start(size * beam, device)
        total = torch.full((size, beam), float("-inf"), device=device)
        total[:, 0] = 0.0
        written = torch.empty(size * beam, 0, dtype=torch.long, device=device)
        for step in range(self.grammar.max_length):
            scores = self.scores(memory, state).float()
            allowed = self.grammar.allowed(progress, step) & existing
            scores = scores.masked_fill(~allowed, float("-inf")).log_softmax(-1)
            # A finished hypothesis goes on at no cost, in one way only.
            scores = torch.where(progress.done[:, None], self.grammar.idle.to(device), scores)
            symbols = scores.shape[1]
            ranked = (total.view(-1, 1) + scores).view(size, beam * symbols)
            total, place = ranked.topk(beam, dim=1)
            origin = (first + place // symbols).flatten()
            chosen = (place % symbols).flatten()
            progress, written = progress.select(origin), written[origin]
            chosen_or_none = chosen.masked_fill(progress.done, IGNORED)
            written = torch.cat((written, chosen_or_none[:, None]), 1)
            progress = self.grammar.advance(progress, chosen)
            if progress.done.all():
                break
            state = self.advance(memory, state.select(origin), chosen)
        none = total.isinf()[..., None]
        return written.view(size, beam, -1).masked_fill(none, IGNORED), total
