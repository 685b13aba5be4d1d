"""Caches of results by text, bounded by the total size of the texts, and of the latest result."""

from __future__ import annotations

from collections.abc import Callable
from functools import wraps
from typing import Any, ParamSpec, TypeVar

P = ParamSpec("P")
R = TypeVar("R")
A = TypeVar("A")
B = TypeVar("B")

# Characters of all texts that one function remembers: hundreds of long reports, thousands of word problems.
MOST = 1 << 20
_UNKNOWN: Any = object()
_OTHERS = 100  # characters that each entry costs in addition, so that short texts are bounded too


def _characters(argument: object) -> int:
    """Count the characters of a text, or of all texts of a table."""
    if type(argument) is str:
        return len(argument)
    if not isinstance(argument, tuple):
        return 0
    return sum([len(one) if type(one) is str else _characters(one) for one in argument])


def once_per_pair(function: Callable[[A, B], R]) -> Callable[[A, B], R]:
    """Cache the result for the latest two arguments, compared by identity, for several consecutive steps."""
    latest: tuple[A, B, R] | None = None

    @wraps(function)
    def recall(first: A, second: B) -> R:
        nonlocal latest
        known = latest
        if known is not None and known[0] is first and known[1] is second:
            return known[2]
        made = function(first, second)
        latest = first, second, made
        return made

    def forget() -> None:
        nonlocal latest
        latest = None

    recall.cache_clear = forget  # type: ignore[attr-defined]
    return recall


def memoized(function: Callable[P, R]) -> Callable[P, R]:
    """Cache the results by positional arguments.

    When their texts exceed MOST characters, the cache is emptied.

    A call with more than MOST / 8 characters is not cached. `cache_clear()` empties the cache.
    """
    results: dict[Any, Any] = {}
    held = 0

    @wraps(function)
    def recall(*arguments: P.args, **named: P.kwargs) -> R:
        nonlocal held
        if named:
            return function(*arguments, **named)
        known = results.get(arguments, _UNKNOWN)  # one look, because a text and its places take time to hash
        if known is not _UNKNOWN:
            return known  # type: ignore[no-any-return]
        result = function(*arguments, **named)
        size = _OTHERS
        for argument in arguments:
            if type(argument) is str:
                size += len(argument)
            elif type(argument) is tuple:
                size += _characters(argument)
        if size > MOST // 8:
            return result
        if held + size > MOST:
            forget()
        held += size
        results[arguments] = result
        return result

    def forget() -> None:
        nonlocal held
        results.clear()
        held = 0

    recall.cache_clear = forget  # type: ignore[attr-defined]
    return recall
