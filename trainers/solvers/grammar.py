"""Grammar of the output: the allowed next symbols, so that every sequence is a complete expression."""

from __future__ import annotations

from dataclasses import dataclass, fields

import torch
from torch import Tensor

from dnc_trainers.config import Config
from dnc_trainers.representation import CLOSE, DIGITS, OPERATORS, Vocabulary

# State within a number in digits: outside, in the integer part, after the point, in the decimals.
_OUTSIDE, _WHOLE, _POINT, _DECIMALS = range(4)


@dataclass
class Progress:
    """Progress of N sequences: the number of missing operands, and the state within a number."""

    need: Tensor  # [N]
    inside: Tensor  # [N]

    @property
    def done(self) -> Tensor:
        """Return whether each sequence is a complete expression [N]."""
        return self.need == 0

    def select(self, rows: Tensor) -> Progress:
        """Return the entries of these rows, in this order."""
        return Progress(**{field.name: getattr(self, field.name)[rows] for field in fields(self)})


class Grammar:
    """Prefix expressions over operators, constants, slots and numbers in digits, optionally with an answer.

    In prefix notation an operator adds one missing operand and a leaf removes one. The end is therefore known
    without an end symbol. An answer after the equation is one more operand, in digits.
    """

    def __init__(self, config: Config, vocabulary: Vocabulary) -> None:
        symbols = vocabulary.symbols
        self.max_length = config.decoded_length
        self._answer = int(config.target != "equation")
        self._equation = int(config.target != "answer")
        self._digits_in_equation = config.numbers == "tokenization"
        self._operator = torch.tensor([symbol in OPERATORS for symbol in symbols])
        self._digit = torch.tensor([symbol in DIGITS[:-1] for symbol in symbols])
        self._point = torch.tensor([symbol == DIGITS[-1] for symbol in symbols])
        self._close = torch.tensor([symbol == CLOSE for symbol in symbols])
        self._leaf = ~(self._operator | self._digit | self._point | self._close)
        self.idle = torch.full((len(symbols),), float("-inf"))
        self.idle[0] = 0.0

    def start(self, rows: int, device: torch.device) -> Progress:
        """Return the progress of empty sequences."""
        need = torch.full((rows,), self._equation + self._answer, device=device)
        return Progress(need, torch.zeros_like(need))

    def _cost(self, need: Tensor, inside: Tensor) -> Tensor:
        """Return the minimum number of symbols that finish a sequence: two per number in digits, else one."""
        in_equation = (need - self._answer).clamp(min=0)
        leaf = 2 if self._digits_in_equation else 1
        begun = (inside > 0).long() - (inside == _POINT).long()
        return in_equation * leaf + torch.minimum(need, torch.full_like(need, self._answer)) * 2 - begun

    def allowed(self, progress: Progress, step: int) -> Tensor:
        """Return the allowed symbols of this step [N, V]; all false if the sequence is complete."""
        need, inside = progress.need, progress.inside
        left = self.max_length - step - 1
        outside = inside == _OUTSIDE
        in_equation = outside & (need > self._answer)
        room = self._cost(need + 1, inside) <= left
        operator = in_equation & room
        leaf = in_equation & (not self._digits_in_equation)
        begin = outside & (in_equation & self._digits_in_equation | (need == self._answer) & (need > 0))
        further = ~outside & (self._cost(need, torch.full_like(inside, _WHOLE)) <= left)
        point = (inside == _WHOLE) & (self._cost(need, torch.full_like(inside, _POINT)) <= left)
        close = (inside == _WHOLE) | (inside == _DECIMALS)
        device = need.device
        return (
            operator[:, None] & self._operator.to(device)
            | leaf[:, None] & self._leaf.to(device)
            | (begin | further)[:, None] & self._digit.to(device)
            | point[:, None] & self._point.to(device)
            | close[:, None] & self._close.to(device)
        )

    def advance(self, progress: Progress, symbols: Tensor) -> Progress:
        """Return the progress after these symbols [N]; complete sequences do not change."""
        need, inside = progress.need, progress.inside
        device = need.device
        operator, digit, point = (
            kind.to(device)[symbols] for kind in (self._operator, self._digit, self._point)
        )
        ends = self._leaf.to(device)[symbols] | self._close.to(device)[symbols]
        after = need + operator.long() - ends.long()
        place = torch.where(digit & (inside == _OUTSIDE), torch.full_like(inside, _WHOLE), inside)
        place = torch.where(digit & (inside == _POINT), torch.full_like(inside, _DECIMALS), place)
        place = torch.where(point, torch.full_like(inside, _POINT), place)
        place = torch.where(ends, torch.full_like(inside, _OUTSIDE), place)
        return Progress(torch.where(progress.done, need, after), torch.where(progress.done, inside, place))
