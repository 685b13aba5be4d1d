"""A small transformer encoder-decoder, trained from scratch."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Any

import torch
from torch import Tensor, nn

from dnc_trainers.batches import Batch
from dnc_trainers.config import Config, ConfigError
from dnc_trainers.representation import Vocabulary
from dnc_trainers.solvers import register
from dnc_trainers.solvers.encoders import Pretrained, Words
from dnc_trainers.solvers.solver import Memory, PerRow, Solver

_HEADS = 4


@dataclass
class Written(PerRow):
    """The previous symbols, after a begin symbol."""

    symbols: Tensor  # [N, T]


@register("transformer", dropout=0.1, lr=5e-4, layers=2, batch=32, epochs=60)
class Transformer(Solver):
    """A transformer with sinusoidal positions, pre-norm layers, and equally deep encoder and decoder."""

    def __init__(self, config: Config, vocabulary: Vocabulary) -> None:
        super().__init__(config, vocabulary)
        hidden, symbols = config.hidden, len(vocabulary.symbols)
        if hidden % _HEADS:
            raise ConfigError(f"transformer divides hidden by {_HEADS}; {hidden} does not")
        self.begin = symbols
        self.pretrained = Pretrained(config, shared_numbers=False) if config.encoder else None
        self.dropout = nn.Dropout(config.dropout)
        if not config.encoder:
            self.words = Words(config, vocabulary, shared_numbers=False)
        size = self.pretrained.size if self.pretrained is not None else config.embedding
        self.widen = nn.Linear(size, hidden)
        layer: dict[str, Any] = {
            "d_model": hidden, "nhead": _HEADS, "dim_feedforward": 4 * hidden, "dropout": config.dropout,
        }  # fmt: skip
        self.encoder = nn.TransformerEncoder(
            nn.TransformerEncoderLayer(**layer, batch_first=True, norm_first=True),
            config.layers,
            norm=nn.LayerNorm(hidden),
            enable_nested_tensor=False,
        )
        self.embedding = nn.Embedding(symbols + 1, hidden)
        self.decoder = nn.TransformerDecoder(
            nn.TransformerDecoderLayer(**layer, batch_first=True, norm_first=True),
            config.layers,
            norm=nn.LayerNorm(hidden),
        )
        self.score = nn.Linear(hidden, symbols)

    def encode(self, batch: Batch) -> Memory:
        words = self.words(batch) if self.pretrained is None else self.dropout(self.pretrained(batch))
        inputs = self.widen(words)
        inputs = inputs + _positional_encoding(inputs)
        states = self.encoder(inputs, src_key_padding_mask=~batch.mask)
        return Memory(states, batch.mask, states[:, 0], batch.slots)

    def start(self, memory: Memory) -> Written:
        return Written(torch.full((len(memory.root), 1), self.begin, device=memory.root.device))

    def advance(self, memory: Memory, state: Written, symbols: Tensor) -> Written:
        return Written(torch.cat((state.symbols, symbols[:, None]), 1))

    def scores(self, memory: Memory, state: Written) -> Tensor:
        return self._all_scores(memory, state.symbols)[:, -1]

    def target_scores(self, memory: Memory, targets: Tensor) -> Tensor:
        nothing = torch.full_like(targets[:, :1], self.begin)
        return self._all_scores(memory, torch.cat((nothing, targets[:, :-1].clamp(min=0)), 1))

    def _all_scores(self, memory: Memory, symbols: Tensor) -> Tensor:
        inputs = self.embedding(symbols)
        inputs = inputs + _positional_encoding(inputs)
        later = torch.ones(symbols.shape[1], symbols.shape[1], dtype=torch.bool, device=symbols.device).triu(
            1
        )
        outputs = self.decoder(inputs, memory.states, tgt_mask=later, memory_key_padding_mask=~memory.mask)
        scored: Tensor = self.score(outputs)
        return scored


def _positional_encoding(inputs: Tensor) -> Tensor:
    """Return sines and cosines of the position [L, H], wavelengths from 2 pi to 10000 * 2 pi."""
    length, size = inputs.shape[1:]
    rates = torch.exp(torch.arange(0, size, 2, device=inputs.device) * (-math.log(10000.0) / size))
    angles = torch.arange(length, device=inputs.device)[:, None] * rates
    return torch.stack((angles.sin(), angles.cos()), -1).flatten(1).to(inputs.dtype)
