"""Problems as tokens of a pretrained model: encoded once, batched by length, padded per batch."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, fields
from fractions import Fraction

import torch
from torch import Tensor

from dnc_datasets.problem import Problem
from dnc_trainers.batches import by_length, training_order
from dnc_trainers.finetuning import forms
from dnc_trainers.finetuning.config import Finetuning
from dnc_trainers.finetuning.pretrained import Pretrained, PretrainedError

IGNORED = -100  # the label that transformers excludes from the loss


@dataclass
class Batch:
    """Padded tensors; for a causal model the source is padded on the left and targets are right-aligned."""

    ids: Tensor  # [B, L]
    mask: Tensor  # [B, L]
    labels: Tensor  # [B, T], IGNORED where there is no target

    def symbols(self) -> int:
        """Return the number of target tokens that the loss averages over."""
        return int((self.labels != IGNORED).sum())

    def to(self, device: torch.device) -> Batch:
        """Return the batch on another device."""
        return Batch(**{field.name: getattr(self, field.name).to(device) for field in fields(self)})


@dataclass(frozen=True)
class Example:
    """A problem as token ids; `target` is None if it cannot be written or the source exceeds the limit."""

    problem: Problem
    source: tuple[int, ...]
    target: tuple[int, ...] | None
    values: tuple[Fraction, ...]
    too_long: bool


class Examples:
    """The examples of one split, encoded once, from which batches are built."""

    def __init__(self, problems: Sequence[Problem], model: Pretrained, config: Finetuning) -> None:
        self._model, self._config = model, config
        limit = model.limit(config.source_length)
        self.examples = [self._example(problem, limit) for problem in problems]
        self._lengths = [len(example.source) for example in self.examples]
        # In a causal model source and target are one sequence.
        self._targets = [len(example.target or ()) for example in self.examples]

    def __len__(self) -> int:
        return len(self.examples)

    @property
    def too_long(self) -> int:
        """Return the number of problems that exceed the model's length limit."""
        return sum(example.too_long for example in self.examples)

    def _example(self, problem: Problem, limit: int) -> Example:
        put = forms.put(problem, self._config)
        source, target = (self._pair if self._model.encoder_decoder else self._prompt)(put)
        room = 0 if self._model.encoder_decoder else self._config.target_length
        too_long = len(source) + room > limit
        if target and (too_long or len(target) > self._config.target_length):
            target = None
        return Example(problem, tuple(source), tuple(target) if target else None, put.values, too_long)

    def _pair(self, put: forms.Put) -> tuple[list[int], list[int] | None]:
        """Return source and target of an encoder-decoder, with the special tokens of its tokenizer."""
        tokenizer = self._model.tokenizer
        source = tokenizer(put.first, put.second, verbose=False)["input_ids"]
        return source, self._target_ids(put.target, special=True)

    def _prompt(self, put: forms.Put) -> tuple[list[int], list[int] | None]:
        """Return the prompt and the target of a causal model."""
        tokenizer = self._model.tokenizer
        if self._config.form == "chat":
            return self._conversation(put)
        source = tokenizer(forms.asked(put, self._config), verbose=False)["input_ids"]
        if source and source[-1] == self._model.end and tokenizer.bos_token_id != self._model.end:
            source = source[:-1]  # a prompt has no end-of-text token
        target = self._target_ids(None if put.target is None else f" {put.target}", special=False)
        return source, None if target is None else [*target, self._model.end]

    def _conversation(self, put: forms.Put) -> tuple[list[int], list[int] | None]:
        """Return the user's turn as the prompt, and the assistant's turn with its end token as the target."""
        tokenizer = self._model.tokenizer
        turns = [{"role": "user", "content": forms.instruction(put, self._config)}]
        prompt = tokenizer.apply_chat_template(turns, tokenize=False, add_generation_prompt=True)
        source = tokenizer(prompt, add_special_tokens=False, verbose=False)["input_ids"]
        if put.target is None:
            return source, None
        turns.append({"role": "assistant", "content": put.target})
        whole = tokenizer.apply_chat_template(turns, tokenize=False)
        if not whole.startswith(prompt):
            raise PretrainedError(
                f"the chat template of {self._config.model} changes the prompt when an answer follows; "
                "use form=plain"
            )
        target = tokenizer(whole[len(prompt) :].rstrip(), add_special_tokens=False, verbose=False)
        ids = list(target["input_ids"])
        return source, ids if self._model.end in ids else [*ids, self._model.end]

    def _target_ids(self, target: str | None, *, special: bool) -> list[int] | None:
        """Return the tokens of a target, or None if the tokenizer cannot represent it."""
        if target is None:
            return None
        tokenizer = self._model.tokenizer
        ids = list(tokenizer(text_target=target, add_special_tokens=special, verbose=False)["input_ids"])
        back = tokenizer.decode(ids, skip_special_tokens=True, clean_up_tokenization_spaces=False)
        if back.replace(" ", "") != target.replace(" ", ""):
            return None
        return ids if not special or ids[-1] == self._model.end else [*ids, self._model.end]

    def batch(self, rows: Sequence[int]) -> Batch:
        """Return these examples as one padded batch with targets."""
        chosen = [self.examples[row] for row in rows]
        targets = [list(example.target or ()) for example in chosen]
        if self._model.encoder_decoder:
            ids, mask = self._padded([list(example.source) for example in chosen], left=False)
            width = max(map(len, targets))
            labels = torch.tensor([target + [IGNORED] * (width - len(target)) for target in targets])
            return Batch(ids, mask, labels)
        whole = [[*example.source, *target] for example, target in zip(chosen, targets, strict=True)]
        ids, mask = self._padded(whole, left=True)
        width = max(map(len, targets))
        labels = torch.tensor([[IGNORED] * (width - len(target)) + target for target in targets])
        return Batch(ids, mask, labels)

    def sources(self, rows: Sequence[int]) -> tuple[Tensor, Tensor]:
        """Return the sources of these examples, padded for decoding, and their mask."""
        chosen = [list(self.examples[row].source) for row in rows]
        return self._padded(chosen, left=not self._model.encoder_decoder)

    def _padded(self, rows: list[list[int]], *, left: bool) -> tuple[Tensor, Tensor]:
        width = max(map(len, rows))
        ids = torch.full((len(rows), width), self._model.pad)
        mask = torch.zeros(len(rows), width, dtype=torch.long)
        for i, row in enumerate(rows):
            place = slice(width - len(row), width) if left else slice(0, len(row))
            ids[i, place] = torch.tensor(row)
            mask[i, place] = 1
        return ids, mask

    def training_order(self, batch: int, seed: int, epoch: int) -> list[list[int]]:
        """Return the trainable rows in batches of similar length, in an order determined by (seed, epoch)."""
        rows = [row for row, example in enumerate(self.examples) if example.target]
        lengths = list(zip(self._lengths, self._targets, strict=True))
        return training_order(rows, lengths, batch, seed, epoch)

    def by_length(self, batch: int) -> list[list[int]]:
        """Return every row within the length limit once, in batches of similar length, for evaluation."""
        rows = [row for row, example in enumerate(self.examples) if not example.too_long]
        return by_length(rows, self._lengths, batch)
