"""An equation written symbol by symbol over the numbers of a text: the solvers' grammar and beam on top of a reader."""

from __future__ import annotations

from dataclasses import dataclass
from fractions import Fraction
from typing import Any

import torch
from torch import Tensor, nn

from dnc_datasets.errors import ExpressionError
from dnc_trainers.batches import IGNORED
from dnc_trainers.config import Config
from dnc_trainers.readers.replies import Reply
from dnc_trainers.representation import SLOTS, Representation, Vocabulary, slotted_prefix
from dnc_trainers.solvers.solver import PerRow, Solver

CONSTANTS = ("1", "2", "3", "4", "5", "7", "10", "12", "24", "60", "100", "1000", "3.14", "0.5")


@dataclass
class Memory(PerRow):
    """What the decoder sees: the words, the whole as one vector, and the numbers."""

    states: Tensor  # [B, L, H]
    mask: Tensor  # [B, L]
    root: Tensor  # [B, H]
    numbers: Tensor  # [B, SLOTS, H]


@dataclass
class State(PerRow):
    """The decoder after some symbols."""

    hidden: Tensor  # [N, H]


@dataclass
class Asked:
    """What `Solver` wants of a batch."""

    memory: Memory
    slots: Tensor  # [B, SLOTS]: which numbers exist
    targets: Tensor  # [B, T], IGNORED after the end
    rows: Tensor
    words: Tensor


class Equations(Solver):
    """A GRU with attention that points at numbers and writes operators and constants, in prefix."""

    def __init__(self, hidden: int) -> None:
        config, vocabulary = Config(), Vocabulary((), CONSTANTS)
        super().__init__(config, vocabulary)
        self.representation = Representation(config, vocabulary)
        self.ids = {symbol: at for at, symbol in enumerate(vocabulary.symbols)}
        self.embedding = nn.Embedding(len(vocabulary.symbols), hidden)
        self.cell = nn.GRUCell(2 * hidden, hidden)
        self.begin = nn.Linear(hidden, hidden)
        self.look = nn.Linear(hidden, hidden)
        self.made = nn.Linear(2 * hidden, hidden)
        self.write = nn.Linear(hidden, vocabulary.first_slot)
        self.point = nn.Linear(hidden, hidden)

    def encode(self, batch: Any) -> Memory:
        memory: Memory = batch.memory
        return memory

    def start(self, memory: Memory) -> State:
        return State(torch.tanh(self.begin(memory.root)))

    def _context(self, memory: Memory, state: State) -> Tensor:
        scores = torch.einsum("nlh,nh->nl", memory.states, self.look(state.hidden))
        scores = scores.masked_fill(~memory.mask, -1e9).softmax(-1)
        return torch.einsum("nl,nlh->nh", scores, memory.states)

    def scores(self, memory: Memory, state: State) -> Tensor:
        mixed = torch.tanh(self.made(torch.cat((state.hidden, self._context(memory, state)), -1)))
        pointed = torch.einsum("nsh,nh->ns", memory.numbers, self.point(mixed))
        return torch.cat((self.write(mixed), pointed), -1)

    def advance(self, memory: Memory, state: State, symbols: Tensor) -> State:
        # A number is what it is in the text, an operator or a constant what is learnt.
        first = self.vocabulary.first_slot
        rows = torch.arange(len(symbols), device=symbols.device)
        seen = memory.numbers[rows, (symbols - first).clamp(min=0)]
        given = torch.where((symbols >= first)[:, None], seen, self.embedding(symbols))
        context = self._context(memory, state)
        return State(self.cell(torch.cat((given, context), -1), state.hidden))

    def target(self, equation: str, values: list[Fraction]) -> tuple[int, ...] | None:
        """The ids of an equation over these numbers; None where it cannot be written."""
        try:
            symbols = slotted_prefix(equation, values)
        except ExpressionError:
            return None
        if not all(symbol in self.ids for symbol in symbols) or len(symbols) > self.config.decoded_length:
            return None
        return tuple(self.ids[symbol] for symbol in symbols)

    def reply(self, ids: list[int], values: list[Fraction]) -> Reply:
        """What decoded symbols say."""
        found = self.representation.read_symbols(ids, values[:SLOTS])
        return Reply(found.equation, found.value)

    def forced(self, batch: Asked) -> list[list[int]]:
        """The likeliest symbol at every place of the gold equation, the gold ones before it being given."""
        scores = self.target_scores(batch.memory, batch.targets)
        scores = scores.masked_fill(~self.existing(batch.slots)[:, None], float("-inf"))
        best = scores.argmax(-1)
        return [row[gold != IGNORED].tolist() for row, gold in zip(best, batch.targets, strict=True)]
