"""Structure-aware mutations of valid files: JSON, JSON lines and any bytes."""

from __future__ import annotations

import json
import random
from collections.abc import Sequence
from typing import Any

_LEAVES: list[Any] = [
    None, True, False, 0, -1, 1, 2**53, 2**53 + 1, 10**400, 1e308, -0.5, 0.05, float("nan"), float("inf"), "", "0",
    "a" * 5000, "../../outside.txt", "/etc/passwd", "\ud83d", "\x00", "\x1b[31m", "\u202e\u200b", "<script>", "=1+1",
    "tiny|direct", "type", "right", "server fault", [], {}, [[]], {"": {}}, ["../x"],
]  # fmt: skip


def text_of(value: Any) -> bytes:
    """Return a value as JSON; NaN and lone surrogates remain."""
    return json.dumps(value).encode()


def mutate_json(text: bytes, draw: random.Random) -> bytes:
    """Return JSON with mutated values (four times in five) and damaged bytes (three times in ten)."""
    data = text_of(_mutated(json.loads(text), draw)) if draw.random() < 0.8 else text
    return mutate_bytes(data, draw) if draw.random() < 0.3 else data


def mutate_lines(lines: Sequence[bytes], draw: random.Random) -> bytes:
    """Return JSON lines of which one or two are mutated."""
    mutated = list(lines)
    for _ in range(draw.choice((1, 2))):
        at = draw.randrange(len(lines))
        mutated[at] = mutate_json(lines[at], draw)
    return b"\n".join(mutated) + b"\n"


def mutate_bytes(data: bytes, draw: random.Random) -> bytes:
    """Return the bytes with a part cut, doubled or replaced."""
    start = draw.randrange(len(data) + 1)
    end = min(len(data), start + draw.choice((0, 1, 5, 100)))
    kind = draw.randrange(11)
    piece = data[start:end] * 2 if kind == 10 else _PIECES[kind]
    return data[:start] + piece + (data[end:] if draw.random() < 0.9 else b"")


_PIECES = (b"", b"\xff", b"\x00", b"{", b"]", b'"', b"\\ud800", b"\n", b"9" * 400, b"[" * 3000)


def _mutated(value: Any, draw: random.Random) -> Any:
    """Return the JSON value with some of its parts replaced, removed, exchanged, renamed, doubled or nested."""
    root = [value]
    for _ in range(draw.choice((1, 1, 1, 2, 3))):
        container, key = draw.choice(_places(root))
        kind = draw.randrange(6)
        if kind <= 1 or container is root:
            container[key] = _copied(draw.choice(_LEAVES))
        elif kind == 2:
            del container[key]
        elif kind == 3:
            other, other_key = draw.choice(_places(root))
            container[key] = _copied(other[other_key])
        elif kind == 4 and isinstance(container, dict):
            container[draw.choice((key + "x", "", "schema", "id"))] = container[key]
        elif kind == 4:
            container += _copied(container[:50])
        else:
            for _ in range(draw.choice((1, 3, 70))):
                container[key] = [container[key]]
    return root[0]


def _places(value: Any) -> list[tuple[Any, Any]]:
    """Return the container and the key of each value below a JSON value."""
    pending, places = [value], []
    while pending:
        one = pending.pop()
        keys = list(one) if isinstance(one, dict) else range(len(one)) if isinstance(one, list) else []
        places += [(one, key) for key in keys]
        pending += [one[key] for key in keys]
    return places


def _copied(value: Any) -> Any:
    """Return a deep copy of a JSON value; through its text, which is faster than `copy.deepcopy`."""
    return json.loads(json.dumps(value)) if isinstance(value, (list, dict)) else value
