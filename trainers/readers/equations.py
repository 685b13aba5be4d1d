"""Decoders that write an equation over the numbers of a text, on top of a reader.

`Equations` has the solvers' grammar and beam. `Generator` is a pointer-generator without a grammar, which can
also write answers such as yes and unknown.
"""

from __future__ import annotations

from dataclasses import dataclass
from fractions import Fraction
from typing import Any

import torch
from torch import Tensor, nn
from torch.nn import functional

from dnc_datasets import expression
from dnc_datasets.errors import ExpressionError
from dnc_trainers.batches import IGNORED
from dnc_trainers.config import Config
from dnc_trainers.readers.replies import CLOSED, Reply
from dnc_trainers.representation import OPERATORS, SLOTS, Representation, Vocabulary, slotted_prefix
from dnc_trainers.solvers.solver import PerRow, Solver

CONSTANTS = ("1", "2", "3", "4", "5", "7", "10", "12", "24", "60", "100", "1000", "3.14", "0.5")


@dataclass
class Memory(PerRow):
    """Input of the decoder: the words, a vector of the entire text, and the numbers."""

    states: Tensor  # [B, L, H]
    mask: Tensor  # [B, L]
    root: Tensor  # [B, H]
    numbers: Tensor  # [B, SLOTS, H]


@dataclass
class State(PerRow):
    """State of the decoder after some symbols."""

    hidden: Tensor  # [N, H]


@dataclass
class Asked:
    """The parts of a batch that `Solver` reads."""

    memory: Memory
    slots: Tensor  # [B, SLOTS]: which numbers exist
    targets: Tensor  # [B, T], IGNORED after the end
    rows: Tensor
    words: Tensor


class Equations(Solver):
    """A GRU with attention that points at numbers and writes operators and constants, in prefix order."""

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
        # A number is represented by its state in the text, an operator or a constant by a learned embedding.
        first = self.vocabulary.first_slot
        rows = torch.arange(len(symbols), device=symbols.device)
        seen = memory.numbers[rows, (symbols - first).clamp(min=0)]
        inputs = torch.where((symbols >= first)[:, None], seen, self.embedding(symbols))
        context = self._context(memory, state)
        return State(self.cell(torch.cat((inputs, context), -1), state.hidden))

    def target(self, equation: str, values: list[Fraction]) -> tuple[int, ...] | None:
        """Return the ids of an equation over these numbers, or None if it is not representable."""
        try:
            symbols = slotted_prefix(equation, values)
        except ExpressionError:
            return None
        if not all(symbol in self.ids for symbol in symbols) or len(symbols) > self.config.decoded_length:
            return None
        return tuple(self.ids[symbol] for symbol in symbols)

    def reply(self, ids: list[int], values: list[Fraction]) -> Reply:
        """Return the reply of decoded symbols."""
        prediction = self.representation.read_symbols(ids, values[:SLOTS])
        return Reply(prediction.equation, prediction.value)

    def forced(self, batch: Asked) -> list[list[int]]:
        """Return the likeliest symbol at each position of the gold equation, given the gold prefix."""
        scores = self.target_scores(batch.memory, batch.targets)
        scores = scores.masked_fill(~self.existing(batch.slots)[:, None], float("-inf"))
        best = scores.argmax(-1)
        return [row[gold != IGNORED].tolist() for row, gold in zip(best, batch.targets, strict=True)]


_BRACKETS = ("(", ")")
_END = "<end>"
_PRECEDENCE = {"+": 1, "-": 1, "*": 2, "/": 2, "%": 2, "^": 3}
_ATOM = 4
_MAX_LENGTH = 24


def infix(prefix: list[str]) -> list[str]:
    """Return the tokens of an equation in infix, with the necessary brackets.

    >>> infix(["*", "+", "number0", "2", "number1"])
    ['(', 'number0', '+', '2', ')', '*', 'number1']
    """
    parts: list[tuple[list[str], int]] = []
    for symbol in reversed(prefix):
        if symbol not in OPERATORS:
            parts.append(([symbol], _ATOM))
            continue
        (left, before), (right, after) = parts.pop(), parts.pop()
        own = _PRECEDENCE[symbol]
        if before < own or (before == own and symbol == "^"):
            left = [_BRACKETS[0], *left, _BRACKETS[1]]
        if after < own or (after == own and symbol not in "+*"):
            right = [_BRACKETS[0], *right, _BRACKETS[1]]
        parts.append(([*left, symbol, *right], own))
    return parts[0][0]


class Generator(nn.Module):
    """The decoder of the published RGNet: a GRU that writes a token or copies a number, without a grammar.

    Tokens are brackets, operators, constants and closed answers. A gate divides the probability between both.
    """

    TOKENS = (*_BRACKETS, *OPERATORS, *CONSTANTS, *CLOSED, _END)

    def __init__(self, hidden: int) -> None:
        super().__init__()
        self.ids = {token: at for at, token in enumerate(self.TOKENS)}
        self.embedding = nn.Embedding(len(self.TOKENS), hidden)
        self.cell = nn.GRUCell(2 * hidden, hidden)
        self.begin = nn.Linear(hidden, hidden)
        self.look = nn.Linear(hidden, hidden)
        self.made = nn.Linear(2 * hidden, hidden)
        self.write = nn.Linear(hidden, len(self.TOKENS))
        self.point = nn.Linear(hidden, hidden)
        self.gate = nn.Linear(2 * hidden, 1)

    def target(self, equation: str, values: list[Fraction]) -> tuple[int, ...] | None:
        """Return the ids of an equation over these numbers, or None if it is not representable."""
        try:
            tokens = infix(slotted_prefix(equation, values))
        except ExpressionError:
            return None
        slots = {f"number{at}": len(self.TOKENS) + at for at in range(SLOTS)}
        ids = [self.ids.get(token, slots.get(token, -1)) for token in tokens]
        return (*ids, self.ids[_END]) if min(ids) >= 0 and len(ids) < _MAX_LENGTH else None

    def closed(self, answer: str) -> tuple[int, ...]:
        """Return the ids of a closed answer."""
        return (self.ids[answer], self.ids[_END])

    def _step(self, batch: Asked, hidden: Tensor) -> tuple[Tensor, Tensor]:
        """Return the log-likelihoods of tokens and numbers [B, T + SLOTS], and the context."""
        memory = batch.memory
        looked = torch.einsum("blh,bh->bl", memory.states, self.look(hidden)).masked_fill(~memory.mask, -1e9)
        context = torch.einsum("bl,blh->bh", looked.softmax(-1), memory.states)
        both = torch.cat((hidden, context), -1)
        mixed = torch.tanh(self.made(both))
        gate = self.gate(both).float()
        written = self.write(mixed).float().log_softmax(-1) + functional.logsigmoid(gate)
        pointed = torch.einsum("bsh,bh->bs", memory.numbers, self.point(mixed)).float()
        pointed = pointed.masked_fill(~batch.slots, -1e9).log_softmax(-1) + functional.logsigmoid(-gate)
        return torch.cat((written, pointed.masked_fill(~batch.slots, -1e9)), -1), context

    def _advance(self, batch: Asked, hidden: Tensor, context: Tensor, ids: Tensor) -> Tensor:
        first = len(self.TOKENS)
        rows = torch.arange(len(ids), device=ids.device)
        copied = batch.memory.numbers[rows, (ids - first).clamp(min=0)]
        inputs = torch.where((ids >= first)[:, None], copied, self.embedding(ids.clamp(max=first - 1)))
        state: Tensor = self.cell(torch.cat((inputs, context), -1), hidden)
        return state

    def _teacher_forced(self, batch: Asked) -> Tensor:
        hidden, scores = torch.tanh(self.begin(batch.memory.root)), []
        for ids in batch.targets.unbind(1):
            likely, context = self._step(batch, hidden)
            scores.append(likely)
            hidden = self._advance(batch, hidden, context, ids.clamp(min=0))
        return torch.stack(scores, 1)

    def forward(self, asked: Asked) -> Tensor:
        """Return the mean loss of the target tokens."""
        likely = self._teacher_forced(asked).flatten(0, 1)
        return functional.nll_loss(likely, asked.targets.flatten(), ignore_index=IGNORED)

    def forced(self, asked: Asked) -> list[list[int]]:
        """Return the likeliest token at each position of the gold answer, given the gold prefix."""
        if not asked.targets.shape[1]:
            return [[] for _ in asked.rows]
        best = self._teacher_forced(asked).argmax(-1)
        return [row[gold != IGNORED].tolist() for row, gold in zip(best, asked.targets, strict=True)]

    def greedy(self, asked: Asked) -> list[list[int]]:
        """Return the greedily decoded tokens."""
        hidden, tokens = torch.tanh(self.begin(asked.memory.root)), []
        for _ in range(_MAX_LENGTH):
            likely, context = self._step(asked, hidden)
            tokens.append(likely.argmax(-1))
            hidden = self._advance(asked, hidden, context, tokens[-1])
        return torch.stack(tokens, 1).tolist()

    def reply(self, ids: list[int], values: list[Fraction]) -> Reply:
        """Return the answer of the tokens before the end token; empty if they are no equation."""
        ids = ids[: ids.index(self.ids[_END])] if self.ids[_END] in ids else ids
        if len(ids) == 1 and ids[0] < len(self.TOKENS) and self.TOKENS[ids[0]] in CLOSED:
            return Reply(words=(self.TOKENS[ids[0]],))
        first = len(self.TOKENS)
        text = " ".join(
            self.TOKENS[one] if one < first else f"({expression.canonical(values[one - first])})"
            for one in ids
        )
        try:
            return Reply(text, expression.parse(text).value())
        except ExpressionError:
            return Reply()
