"""Remembers what was made of the latest texts, bounded by their size and not by their number."""

from __future__ import annotations

from collections.abc import Callable
from functools import wraps
from typing import Any, ParamSpec, TypeVar

P = ParamSpec("P")
R = TypeVar("R")

# Characters of all texts that one function remembers: hundreds of long reports, thousands of word problems.
MOST = 1 << 20
_OTHERS = 100  # characters that each entry costs in addition, so that short texts are bounded too


def _characters(argument: object) -> int:
    """The characters of a text, or of all texts of a table."""
    if isinstance(argument, str):
        return len(argument)
    return sum(map(_characters, argument)) if isinstance(argument, tuple) else 0


def memoized(function: Callable[P, R]) -> Callable[P, R]:
    """Keep the results by the (positional) arguments; when they are too many characters, all are forgotten.

    A text longer than an eighth of them is not kept at all. `cache_clear()` forgets at once.
    """
    found: dict[Any, R] = {}
    held = 0

    @wraps(function)
    def recall(*arguments: P.args, **named: P.kwargs) -> R:
        nonlocal held
        if named:
            return function(*arguments, **named)
        if arguments in found:
            return found[arguments]
        made = function(*arguments, **named)
        size = _OTHERS
        for argument in arguments:
            size += len(argument) if type(argument) is str else _characters(argument)
        if size > MOST // 8:
            return made
        if held + size > MOST:
            forget()
        held += size
        found[arguments] = made
        return made

    def forget() -> None:
        nonlocal held
        found.clear()
        held = 0

    recall.cache_clear = forget  # type: ignore[attr-defined]
    return recall
