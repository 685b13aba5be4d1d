"""Seq2Seq: a BiLSTM encoder and an LSTM decoder that attends to the text."""

from __future__ import annotations

from dataclasses import dataclass

import torch
from torch import Tensor, nn

from dnc_trainers.batches import Batch
from dnc_trainers.config import Config
from dnc_trainers.representation import Vocabulary
from dnc_trainers.solvers import register
from dnc_trainers.solvers.encoders import TextEncoder
from dnc_trainers.solvers.solver import Memory, PerRow, Solver

_OUTPUT_EMBEDDING = 32


@dataclass
class LstmState(PerRow):
    """The decoder's output for the next symbol, and its hidden state."""

    output: Tensor  # [N, H]
    hidden: Tensor  # [N, H]
    cell: Tensor  # [N, H]


class AttentiveDecoder(nn.Module):
    """An LSTM over the previous symbols; its states attend to the text (multiplicative attention)."""

    def __init__(self, config: Config, vocabulary: Vocabulary) -> None:
        super().__init__()
        symbols = len(vocabulary.symbols)
        self.begin = symbols  # one more id, for the start of the sequence
        self.embedding = nn.Embedding(symbols + 1, _OUTPUT_EMBEDDING)
        self.lstm = nn.LSTM(_OUTPUT_EMBEDDING, config.hidden, batch_first=True)
        self.key = nn.Linear(config.hidden, config.hidden, bias=False)
        self.combine = nn.Linear(2 * config.hidden, config.hidden)
        self.score = nn.Linear(config.hidden, symbols)
        self.dropout = nn.Dropout(config.dropout)

    def forward(self, symbols: Tensor, hidden: Tensor, cell: Tensor) -> tuple[Tensor, Tensor, Tensor]:
        """Return the outputs [N, T, H] after these symbols [N, T], and the last state."""
        outputs, (hidden, cell) = self.lstm(self.embedding(symbols), (hidden[None], cell[None]))
        return outputs, hidden[0], cell[0]

    def attention(self, memory: Memory, outputs: Tensor) -> Tensor:
        """Return the attention of each output over the words [N, T, L]; it sums to 1."""
        energy = torch.bmm(outputs, self.key(memory.states).transpose(1, 2))
        return energy.masked_fill(~memory.mask[:, None], float("-inf")).softmax(-1)

    def scores(self, memory: Memory, outputs: Tensor) -> Tensor:
        """Return the scores of the symbols [N, T, V]."""
        context = torch.bmm(self.attention(memory, outputs), memory.states)
        both = torch.relu(self.combine(self.dropout(torch.cat((outputs, context), -1))))
        scored: Tensor = self.score(self.dropout(both))
        return scored


@register("seq2seq")
class Seq2Seq(Solver):
    """Seq2Seq: attention over the encoder's states, with their summary as the decoder's first state."""

    def __init__(self, config: Config, vocabulary: Vocabulary) -> None:
        super().__init__(config, vocabulary)
        self.encoder = self.make_encoder(config, vocabulary)
        self.decoder = AttentiveDecoder(config, vocabulary)

    def make_encoder(self, config: Config, vocabulary: Vocabulary) -> nn.Module:
        """Return the encoder, a module that returns states and a summary; subclasses override this."""
        return TextEncoder(config, vocabulary, shared_numbers=False)

    def encode(self, batch: Batch) -> Memory:
        states, summary = self.encoder(batch)
        return Memory(states, batch.mask, summary, batch.slots)

    def start(self, memory: Memory) -> LstmState:
        nothing = torch.full((len(memory.root),), self.decoder.begin, device=memory.root.device)
        return self._next_state(nothing, memory.root, torch.zeros_like(memory.root))

    def _next_state(self, symbols: Tensor, hidden: Tensor, cell: Tensor) -> LstmState:
        outputs, hidden, cell = self.decoder(symbols[:, None], hidden, cell)
        return LstmState(outputs[:, 0], hidden, cell)

    def scores(self, memory: Memory, state: LstmState) -> Tensor:
        return self.decoder.scores(memory, state.output[:, None])[:, 0]

    def advance(self, memory: Memory, state: LstmState, symbols: Tensor) -> LstmState:
        return self._next_state(symbols, state.hidden, state.cell)

    def target_scores(self, memory: Memory, targets: Tensor) -> Tensor:
        return self.decoder.scores(memory, self._outputs(memory, targets))

    def target_attention(self, memory: Memory, targets: Tensor) -> Tensor:
        """Return the attention over the words [N, T, L] before each symbol of these targets [N, T]."""
        return self.decoder.attention(memory, self._outputs(memory, targets))

    def _outputs(self, memory: Memory, targets: Tensor) -> Tensor:
        # With a known target, all steps go through the LSTM in one call.
        nothing = torch.full_like(targets[:, :1], self.decoder.begin)
        inputs = torch.cat((nothing, targets[:, :-1].clamp(min=0)), 1)
        outputs: Tensor = self.decoder(inputs, memory.root, torch.zeros_like(memory.root))[0]
        return outputs
