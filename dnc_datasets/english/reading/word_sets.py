"""The words of a sentence as a set, found once for everything that asks which words it holds."""

from __future__ import annotations

import re
from functools import lru_cache

_RUN = re.compile(r"\w+")


@lru_cache(maxsize=256)
def words_in(sentence: str) -> frozenset[str]:
    """Return the runs of letters and digits of a sentence.

    >>> sorted(words_in("Amy's 2 pens"))
    ['2', 'Amy', 'pens', 's']
    """
    return frozenset(_RUN.findall(sentence))
