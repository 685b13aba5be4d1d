"""Constrained decoding: allows only tokens that can lead to a complete expression, for any tokenizer.

The solvers' grammar is over symbols in prefix order; a pretrained model writes infix in pieces of text. This
grammar therefore reads character by character. An operand is a number, a slot of the problem, or an
expression in brackets. Operators separate operands. An equation may be followed by "=" and an answer. A token
is allowed if all its characters are, and if the text can still be completed within the limit.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, replace
from functools import lru_cache
from typing import Any

import torch
from torch import Tensor

from dnc_trainers.finetuning.config import Finetuning
from dnc_trainers.finetuning.pretrained import Pretrained
from dnc_trainers.representation import OPERATORS, SLOT_NAME, SLOTS

_OPERAND, _WHOLE, _POINT, _DECIMALS, _SLOT, _CLOSED = range(6)  # position within an expression
_ENDS = (_WHOLE, _DECIMALS, _CLOSED)
_AFTER_DIGIT = {_OPERAND: _WHOLE, _WHOLE: _WHOLE, _POINT: _DECIMALS, _DECIMALS: _DECIMALS}
_MAX_DEPTH = 8


@dataclass(frozen=True)
class State:
    """State at the end of a text: position, open brackets, prefix of a slot's name, and the expected rest."""

    place: int = _OPERAND
    depth: int = 0
    name: str = ""
    spaced: bool = False  # a space was just read; a second one is not allowed
    first: bool = True  # only spaces so far: a minus sign is allowed
    answer: bool = False  # inside the answer, which has no operators
    answer_follows: bool = False


class Grammar:
    """The texts that a target may be, for a problem with this number of slots.

    >>> grammar = Grammar("equation", 0)
    >>> [grammar.ends(grammar.after(grammar.start(), text)) for text in ("7", "7 +", "(7 + 2", "(7 + 2)")]
    [True, False, False, True]
    """

    def __init__(self, target: str, slots: int) -> None:
        self._target = target
        self._names = tuple(SLOT_NAME.format(i) for i in range(slots))

    def start(self) -> State:
        """Return the state of an empty text."""
        return State(answer=self._target == "answer", answer_follows=self._target == "equation_answer")

    def after(self, state: State | None, text: str) -> State | None:
        """Return the state after these characters, or None if the grammar does not allow them."""
        for character in text:
            if state is None:
                return None
            state = self._step(state, character)
        return state

    def ends(self, state: State | None) -> bool:
        """Return whether the text is complete."""
        return state is not None and self._is_complete(state) and not state.depth and not state.answer_follows

    def _is_complete(self, state: State) -> bool:
        return state.place in _ENDS or (state.place == _SLOT and state.name in self._names)

    def _step(self, state: State, character: str) -> State | None:
        whole = self._is_complete(state)
        if character == " ":
            if state.spaced or not (whole or state.place == _OPERAND):
                return None
            return replace(state, place=_CLOSED if whole else _OPERAND, spaced=True, name="")
        if character == "-" and state.first:
            return replace(state, first=False, spaced=False)
        state = replace(state, first=False)
        if "0" <= character <= "9" and state.place in _AFTER_DIGIT:
            return replace(state, place=_AFTER_DIGIT[state.place], spaced=False)
        if character == "." and state.place == _WHOLE:
            return replace(state, place=_POINT)
        if whole and (character == "/" if state.answer else character in OPERATORS):
            return replace(state, place=_OPERAND, name="", spaced=False)
        if character == "=" and whole and state.answer_follows and not state.depth:
            return State(answer=True)
        if character == "(" and state.place == _OPERAND and not state.answer and state.depth < _MAX_DEPTH:
            return replace(state, depth=state.depth + 1, spaced=True)
        if character == ")" and whole and state.depth:
            return replace(state, place=_CLOSED, depth=state.depth - 1, name="", spaced=False)
        if state.place in (_OPERAND, _SLOT) and not state.answer:
            name = state.name + character
            if any(known.startswith(name) for known in self._names):
                return replace(state, place=_SLOT, name=name, spaced=False)
        return None

    def cost(self, state: State) -> int:
        """Return the minimum number of characters that complete the text."""
        left = 0 if self._is_complete(state) else 1
        if state.place == _SLOT and left:
            left = min(len(known) for known in self._names if known.startswith(state.name)) - len(state.name)
        return left + state.depth + 2 * state.answer_follows


class Constraint:
    """The tokens of one tokenizer as pieces of text, and the allowed next tokens."""

    def __init__(self, model: Pretrained, config: Finetuning) -> None:
        tokenizer = model.tokenizer
        self._end = model.end
        self._target, self._length = config.target, config.target_length
        # The tokens that the tokenizer adds before every target of an encoder-decoder, such as <s>.
        with_specials = tokenizer(text_target="1")["input_ids"]
        first = tokenizer(text_target="1", add_special_tokens=False)["input_ids"][0]
        self.prefix = with_specials[: with_specials.index(first)] if model.encoder_decoder else []
        anchor = tokenizer(text_target="1", add_special_tokens=False)["input_ids"][-1]
        alphabet = {*"0123456789.() =", *OPERATORS, *SLOT_NAME.format("0123456789")}
        size = model.network.get_input_embeddings().weight.shape[0]
        special = set(tokenizer.all_special_ids)
        known = range(min(len(tokenizer), size))
        texts = tokenizer.batch_decode(
            [[anchor, token] for token in known], clean_up_tokenization_spaces=False
        )
        (before,) = tokenizer.batch_decode([[anchor]], clean_up_tokenization_spaces=False)
        self._pieces: Mapping[int, str] = {
            token: text[len(before) :]
            for token, text in zip(known, texts, strict=True)
            if token not in special and len(text) > len(before) and set(text[len(before) :]) <= alphabet
        }
        self._grammars = [Grammar(self._target, slots) for slots in range(SLOTS + 1)]
        self._allowed = lru_cache(maxsize=4096)(self._compute_allowed)

    def allowed(self, slots: int, tokens: Iterable[int]) -> list[int]:
        """Return the tokens that may follow `tokens`, for a problem with this number of slots."""
        previous = list(tokens)
        if len(previous) < len(self.prefix):
            return [self.prefix[len(previous)]]
        grammar = self._grammars[slots]
        state: State | None = grammar.start()
        for token in previous[len(self.prefix) :]:
            state = grammar.after(state, self._pieces.get(token, "?"))
        if state is None:
            return [self._end]
        return self._allowed(slots, state, self._length - len(previous) - 1)

    def _compute_allowed(self, slots: int, state: State, left: int) -> list[int]:
        """Return the tokens after which the text can be completed within `left` more, or the end token."""
        grammar = self._grammars[slots]
        tokens = [self._end] if grammar.ends(state) else []
        for token, piece in self._pieces.items():
            after = grammar.after(state, piece)
            if after is not None and grammar.cost(after) + 1 <= left:
                tokens.append(token)
        return tokens or [self._end]


class Processor:
    """Logits processor for `generate` that masks tokens outside the grammar; `slots` is per row."""

    def __init__(self, constraint: Constraint, start: int, slots: list[int], end: int) -> None:
        self._constraint, self._start, self._slots, self._end = constraint, start, slots, end

    def __call__(self, ids: Tensor, scores: Tensor) -> Tensor:
        beams = len(ids) // len(self._slots)
        masked = torch.full_like(scores, float("-inf"))
        for row, tokens in enumerate(ids[:, self._start :].tolist()):
            allowed: Any = slice(None)
            if self._end not in tokens:
                allowed = self._constraint.allowed(self._slots[row // beams], tokens)
            masked[row, allowed] = scores[row, allowed]
        return masked
