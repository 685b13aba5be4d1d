"""Texts as word pieces, and pieces as states: a pretrained encoder, or a BiLSTM trained from scratch."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from typing import Any

import torch
from torch import Tensor, nn

from dnc_datasets import files
from dnc_datasets.errors import DncError
from dnc_trainers.readers.replies import Reading
from dnc_trainers.solvers.encoders import BiLstm, encoder_folder

_PADDING, _UNKNOWN, _START, _END = range(4)
_SPECIALS = ("<padding>", "<unknown>", "<start>", "<end>")
_MAX_REMEMBERED = 20_000  # maximum number of texts whose frozen states are cached, in half precision
# (encoder, frozen layers) -> ids -> states. Frozen states are the same for every run of a process.
_STATES: dict[tuple[str, int], dict[tuple[int, ...], Tensor]] = {}


class Pieces:
    """Mapping of words to ids: a pretrained model's own tokenizer, or a vocabulary of training words."""

    def __init__(self, config: Reading, vocabulary: Sequence[str] = ()) -> None:
        self.vocabulary = tuple(vocabulary)
        self._known = {word: at for at, word in enumerate(self.vocabulary)}
        self._remembered: dict[str, tuple[int, ...]] = {}
        self.tokenizer: Any = _tokenizer(config.encoder) if config.encoder else None
        self.start, self.end, self.padding = _START, _END, _PADDING
        if self.tokenizer:
            own = self.tokenizer
            self.start = own.cls_token_id if own.cls_token_id is not None else own.bos_token_id
            self.end = own.sep_token_id if own.sep_token_id is not None else own.eos_token_id
            self.padding = own.pad_token_id or 0

    def of(self, word: str) -> tuple[int, ...]:
        """Return the ids of one word, independent of its neighbours."""
        ids = self._remembered.get(word)
        if ids is None:
            ids = self._remembered[word] = self._lookup(word)
        return ids

    def _lookup(self, word: str) -> tuple[int, ...]:
        if self.tokenizer is None:
            return (self._known.get(shape(word), _UNKNOWN),)
        ids = self.tokenizer([word], is_split_into_words=True, add_special_tokens=False)["input_ids"]
        # A word of characters that the tokenizer drops is still one token.
        return tuple(ids[:16]) or (self.tokenizer.unk_token_id or 0,)


def shape(word: str) -> str:
    """Return the vocabulary entry of a word: lower case, numbers by their length only.

    >>> [shape(word) for word in ("Sales", "1,865", "2019", "7.5%")]
    ['sales', '#4', '#year', '#2%']
    """
    digits = sum(character.isdigit() for character in word)
    if not digits:
        return word.lower()
    if len(word) == digits == 4 and word[:2] in ("19", "20"):
        return "#year"
    return f"#{digits}{'%' * word.endswith('%')}"


def vocabulary(words: Iterable[str], least: int) -> tuple[str, ...]:
    """Return the words with at least `least` occurrences by descending frequency, after the special ones."""
    counts = Counter(shape(word) for word in words)
    frequent = sorted(
        (word for word, n in counts.items() if n >= least), key=lambda word: (-counts[word], word)
    )
    return (*_SPECIALS, *frequent)


def _tokenizer(name: str) -> Any:
    from transformers import AutoTokenizer

    online = files.may_go_online()
    try:
        with files.hub(online=online):
            tokenizer: Any = AutoTokenizer.from_pretrained(
                encoder_folder(name), use_fast=True, add_prefix_space=True, local_files_only=not online
            )
    except (OSError, ValueError) as error:
        raise _load_error(name, error) from error
    return tokenizer


def _load_error(name: str, error: Exception) -> DncError:
    return DncError(
        f"the encoder {name!r} cannot be loaded: {error}; give a folder or a Hub name of an encoder with "
        f"weights as safetensors (minilm: the installed package); with {files.ONLINE}=1 it is downloaded"
    )


class Encoder(nn.Module):
    """Encoder from ids [B, L] to states [B, L, H].

    The lower layers of a pretrained encoder may be frozen. They then read each text once and without a batch,
    so that their states are bitwise independent of the batch, and a resumed run equals an uninterrupted one.
    """

    def __init__(self, config: Reading, pieces: Pieces) -> None:
        super().__init__()
        self.frozen = config.frozen_layers
        self._seen = _STATES.setdefault((config.encoder, config.frozen_layers), {})
        self.dropout = nn.Dropout(config.dropout)
        if config.encoder:
            self.pretrained: Any = _pretrained(config)
            self.size = int(self.pretrained.config.hidden_size)
        else:
            self.pretrained = None
            self.words = nn.Embedding(len(pieces.vocabulary), config.embedding, padding_idx=_PADDING)
            self.lstm = BiLstm(config.embedding, config.hidden, config.layers, config.dropout)
            self.size = config.hidden

    def forward(self, ids: Tensor, lengths: Tensor) -> Tensor:
        """Return the states of every piece; those after a row's end are undefined."""
        if self.pretrained is None:
            states: Tensor = self.lstm(self.dropout(self.words(ids)), lengths)[0]
            dropped: Tensor = self.dropout(states)
            return dropped
        mask = torch.arange(ids.shape[1], device=ids.device) < lengths[:, None]
        if not self.frozen:
            read: Tensor = self.pretrained(input_ids=ids, attention_mask=mask.long()).last_hidden_state
            return read
        hidden = ids.new_zeros(*ids.shape, self.size, dtype=torch.float)
        for row, length in enumerate(lengths.tolist()):
            hidden[row, :length] = self._frozen_states(ids[row, :length]).to(hidden)
        return self._layers(hidden, mask, self.frozen, None)

    @torch.no_grad()
    def _frozen_states(self, ids: Tensor) -> Tensor:
        key = tuple(ids.tolist())
        states = self._seen.get(key)
        if states is None:
            was = self.pretrained.training
            self.pretrained.eval()
            hidden = self.pretrained.embeddings(ids[None])
            whole = torch.ones(1, len(ids), dtype=torch.bool, device=ids.device)
            states = self._layers(hidden, whole, 0, self.frozen)[0].half().cpu()
            self.pretrained.train(was)
            if len(self._seen) < _MAX_REMEMBERED:
                self._seen[key] = states
        return states

    def _layers(self, hidden: Tensor, mask: Tensor, first: int, last: int | None) -> Tensor:
        length = hidden.shape[1]
        added = torch.zeros(mask.shape, dtype=hidden.dtype, device=hidden.device)
        added = added.masked_fill(~mask, torch.finfo(hidden.dtype).min)
        added = added[:, None, None, :].expand(-1, 1, length, length)
        for layer in self.pretrained.encoder.layer[first:last]:
            output: Any = layer(hidden, added)
            hidden = output[0] if isinstance(output, tuple) else output
        return hidden


def _pretrained(config: Reading) -> Any:
    from transformers import AutoModel

    online = files.may_go_online()
    try:
        # Only weights that cannot run code; no network unless it is allowed.
        with files.hub(online=online):
            model: Any = AutoModel.from_pretrained(
                encoder_folder(config.encoder), use_safetensors=True, local_files_only=not online
            )
    except (OSError, ValueError) as error:
        raise _load_error(config.encoder, error) from error
    model = model.get_encoder() if model.config.is_encoder_decoder else model
    if not config.frozen_layers and not config.encoder_layers:
        return model
    layers = getattr(getattr(model, "encoder", None), "layer", None)
    if layers is None or not hasattr(model, "embeddings"):
        raise DncError(
            f"the encoder {config.encoder!r} is not built as BERT and RoBERTa are; leave frozen_layers "
            "and encoder_layers at 0"
        )
    if config.encoder_layers:
        model.encoder.layer = layers = layers[: config.encoder_layers]
    if config.frozen_layers > len(layers):
        raise DncError(
            f"frozen_layers is {config.frozen_layers}; {config.encoder!r} has {len(layers)} layers"
        )
    for part in (model.embeddings, *layers[: config.frozen_layers]):
        part.requires_grad_(False)
    return model


def padded(rows: Sequence[Sequence[int]], filler: int) -> Tensor:
    """Return rows of different lengths as one tensor [B, L]."""
    tensor = torch.full((len(rows), max(map(len, rows), default=1) or 1), filler, dtype=torch.long)
    for at, row in enumerate(rows):
        tensor[at, : len(row)] = torch.tensor(row, dtype=torch.long)
    return tensor


def pooled(states: Tensor, groups: Tensor, count: int) -> Tensor:
    """Return the mean of the states of each group [B, count, H]; in `groups` [B, L], `count` means none."""
    size, _, width = states.shape
    sums = states.new_zeros(size, count + 1, width)
    sums = sums.scatter_add(1, groups[..., None].expand_as(states), states)
    counts = states.new_zeros(size, count + 1)
    counts = counts.scatter_add(1, groups, torch.ones_like(groups, dtype=states.dtype))
    return (sums / counts.clamp(min=1)[..., None])[:, :count]


def record(pieces: Pieces) -> Mapping[str, Any]:
    """Return the values that restore `Pieces`, in addition to the settings."""
    return {"vocabulary": list(pieces.vocabulary)}
