"""The only randomness in DNC: numbers derived by hashing (seed, dataset, row id, perturbation)."""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from functools import cache
from hashlib import blake2b
from struct import unpack
from typing import Final, TypeVar

T = TypeVar("T")

# A block of BLAKE2b gives eight 64-bit words; most rows need no second block.
_WORDS_PER_BLOCK: Final = 8
_WORD_RANGE: Final = 1 << 64
_UNIFORM_RANGE: Final = 1 << 52


class Draw:
    """A stream of random values that depends on nothing but its four keys.

    The same keys give the same values on every machine, in any order of rows and with any number
    of processes. A draw is made for one row and one perturbation, used, and thrown away.

    >>> Draw(0, "tiny", "t-1", "noise").integer(1, 9) == Draw(0, "tiny", "t-1", "noise").integer(1, 9)
    True
    """

    __slots__ = ("_key", "_used", "_words")

    def __init__(self, seed: int, dataset: str, row_id: str, perturbation: str) -> None:
        # JSON-like quoting is not needed: the unit separator cannot occur in names or ids.
        self._key = f"{seed}\x1f{dataset}\x1f{row_id}\x1f{perturbation}"
        self._words: list[int] = []
        self._used = 0

    def word(self) -> int:
        """The next 64 random bits."""
        used = self._used
        if used == len(self._words):
            self._fill()
        self._used = used + 1
        return self._words[used]

    def _fill(self) -> None:
        block = len(self._words) // _WORDS_PER_BLOCK
        digest = blake2b(f"{self._key}\x1f{block}".encode("utf-8", "surrogatepass")).digest()
        self._words += unpack(">8Q", digest)

    def integer(self, low: int, high: int) -> int:
        """A whole number from low to high, both included, each equally likely."""
        span = high - low + 1
        if span < 1:
            raise ValueError(f"integer({low}, {high}): the range is empty")
        # Reject the last incomplete stretch, so that no value is favoured.
        limit = _WORD_RANGE - _WORD_RANGE % span
        while (word := self.word()) >= limit:
            pass
        return low + word % span

    def normal(self, mu: float, sigma: float) -> int:
        """The floor of a draw from N(mu, sigma^2), by the inverse of its distribution function."""
        return math.floor(mu + sigma * _inverse_normal()(((self.word() >> 12) + 0.5) / _UNIFORM_RANGE))

    def choice(self, items: Sequence[T]) -> T:
        """One of the items."""
        if not items:
            raise ValueError("choice(): nothing to choose from")
        return items[self.integer(0, len(items) - 1)]

    def shuffled(self, items: Sequence[T]) -> list[T]:
        """The items in a random order (Fisher-Yates)."""
        order = list(items)
        for last in range(len(order) - 1, 0, -1):
            other = self.integer(0, last)
            order[last], order[other] = order[other], order[last]
        return order


@cache
def _inverse_normal() -> Callable[[float], float]:
    from statistics import NormalDist  # 10 ms, and most commands never draw

    return NormalDist().inv_cdf
