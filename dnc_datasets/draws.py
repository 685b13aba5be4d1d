"""The only randomness in DNC: numbers derived by hashing (seed, dataset, row id, perturbation)."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator, Sequence
from functools import cache
from hashlib import blake2b
from itertools import count
from struct import unpack
from typing import Final, TypeVar

T = TypeVar("T")

# A block of BLAKE2b gives eight 64-bit words; most rows need no second block.
_BLOCK: Final = ">8Q"
_WORD_RANGE: Final = 1 << 64
_UNIFORM_RANGE: Final = 1 << 52


class Draw:
    """A stream of random values that depends only on its four keys.

    The same keys give the same values on every machine, in any order of rows and with any number of
    processes. A draw serves one row and one perturbation.

    >>> Draw(0, "tiny", "t-1", "noise").integer(1, 9) == Draw(0, "tiny", "t-1", "noise").integer(1, 9)
    True
    """

    __slots__ = ("word",)

    word: Callable[[], int]  # the next 64 random bits

    def __init__(self, seed: int, dataset: str, row_id: str, perturbation: str) -> None:
        self.word = _words(seed, dataset, row_id, perturbation).__next__

    def integer(self, low: int, high: int) -> int:
        """Draw an integer from low to high, both included, with equal probability."""
        span = high - low + 1
        if span < 1:
            raise ValueError(f"integer({low}, {high}): the range is empty")
        word = self.word()
        if word > _WORD_RANGE - span:
            # Reject words of the last, incomplete interval, so that no value is favoured.
            limit = _WORD_RANGE - _WORD_RANGE % span
            while word >= limit:
                word = self.word()
        return low + word % span

    def normal(self, mu: float, sigma: float) -> int:
        """Return the floor of a draw from N(mu, sigma^2), by the inverse of its distribution function."""
        return math.floor(mu + sigma * _inverse_normal()(((self.word() >> 12) + 0.5) / _UNIFORM_RANGE))

    def normals(self, mu: float, sigma: float) -> Iterator[int]:
        """Yield one draw of `normal` after another."""
        inverse, floor = _inverse_normal(), math.floor
        for word in iter(self.word, None):
            yield floor(mu + sigma * inverse(((word >> 12) + 0.5) / _UNIFORM_RANGE))

    def choice(self, items: Sequence[T]) -> T:
        """Draw one of the items."""
        if not items:
            raise ValueError("choice(): nothing to choose from")
        return items[self.integer(0, len(items) - 1)]

    def shuffled(self, items: Sequence[T]) -> list[T]:
        """Return the items in a random order (Fisher-Yates)."""
        order = list(items)
        for last in range(len(order) - 1, 0, -1):
            other = self.integer(0, last)
            order[last], order[other] = order[other], order[last]
        return order


def _words(seed: int, dataset: str, row_id: str, perturbation: str) -> Iterator[int]:
    """Yield 64 random bits at a time, block after block. Many perturbations draw nothing, so the key is made late."""
    # JSON-like quoting is not needed: the unit separator cannot occur in names or ids.
    key = f"{seed}\x1f{dataset}\x1f{row_id}\x1f{perturbation}"
    for block in count():
        yield from unpack(_BLOCK, blake2b(f"{key}\x1f{block}".encode("utf-8", "surrogatepass")).digest())


@cache
def _inverse_normal() -> Callable[[float], float]:
    from statistics import NormalDist  # the import takes 10 ms, and most commands never draw

    return NormalDist().inv_cdf
