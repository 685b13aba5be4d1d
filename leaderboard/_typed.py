"""Reads plain JSON values into dataclasses; whatever does not fit is an error that names the field."""

from __future__ import annotations

import math
import types
import typing
from collections.abc import Mapping
from dataclasses import MISSING, fields, is_dataclass
from typing import Any, TypeVar

from dnc_datasets.errors import DncError

T = TypeVar("T")
# What a file may hold at the most, so that a hostile one ends in a message and not in a full memory.
_MAX_TEXT = 200_000
_MAX_ITEMS = 2_000_000


class RecordError(DncError, ValueError):
    """A file that is not a record, one of another version, or one whose fields are not what they should be."""


def read(kind: type[T], value: Any, where: str) -> T:
    """`value` as an instance of the dataclass `kind`; `where` is its name in messages.

    >>> from dataclasses import dataclass
    >>> @dataclass
    ... class Score:
    ...     name: str
    ...     share: float = 0.0
    >>> read(Score, {"name": "exact", "share": 1}, "score")
    Score(name='exact', share=1.0)
    """
    if not isinstance(value, dict):
        raise RecordError(f"{where} is {_named(value)} instead of an object")
    hints = _hints(kind)
    unknown = [name for name in value if name not in hints]
    if unknown:
        raise RecordError(f"{where} has an unknown field {unknown[0]!r:.60}")
    given = {}
    for field in fields(kind):  # type: ignore[arg-type]
        if field.name in value:
            given[field.name] = _as(hints[field.name], value[field.name], f"{where}.{field.name}")
        elif field.default is MISSING and field.default_factory is MISSING:
            raise RecordError(f"{where}.{field.name} is missing")
    return kind(**given)


_HINTS: dict[Any, dict[str, Any]] = {}


def _hints(kind: Any) -> dict[str, Any]:
    """The types of a dataclass's fields, looked up once."""
    if kind not in _HINTS:
        _HINTS[kind] = typing.get_type_hints(kind)
    return _HINTS[kind]


def _as(kind: Any, value: Any, where: str) -> Any:
    origin, arguments = typing.get_origin(kind), typing.get_args(kind)
    if kind is Any:
        return _bounded(value, where)
    if origin in (typing.Union, types.UnionType):
        if value is None and type(None) in arguments:
            return None
        (inner,) = (one for one in arguments if one is not type(None))
        return _as(inner, value, where)
    if is_dataclass(kind) and isinstance(kind, type):
        return read(kind, value, where)
    if origin is tuple:
        if not isinstance(value, list) or len(value) > _MAX_ITEMS:
            raise RecordError(f"{where} is {_named(value)} instead of a list")
        if arguments[-1:] == (...,):
            return tuple(_as(arguments[0], one, f"{where}[{at}]") for at, one in enumerate(value))
        if len(value) != len(arguments):
            raise RecordError(f"{where} has {len(value)} values instead of {len(arguments)}")
        return tuple(
            _as(inner, one, f"{where}[{at}]")
            for at, (inner, one) in enumerate(zip(arguments, value, strict=True))
        )
    if origin in (dict, Mapping):
        if not isinstance(value, dict) or len(value) > _MAX_ITEMS:
            raise RecordError(f"{where} is {_named(value)} instead of an object")
        return {key: _as(arguments[1], one, f"{where}.{key[:60]}") for key, one in value.items()}
    return _plain(kind, value, where)


def _plain(kind: Any, value: Any, where: str) -> Any:
    if kind is float and type(value) in (int, float):
        if not math.isfinite(value):
            raise RecordError(f"{where} is {value}, which is no number")
        return float(value)
    if type(value) is not kind:
        raise RecordError(f"{where} is {_named(value)} instead of {_NAMES[kind]}")
    return _bounded(value, where)


def _bounded(value: Any, where: str) -> Any:
    if isinstance(value, str) and len(value) > _MAX_TEXT:
        raise RecordError(f"{where} has {len(value)} characters; at most {_MAX_TEXT} are accepted")
    if isinstance(value, float) and not math.isfinite(value):
        raise RecordError(f"{where} is {value}, which is no number")
    if isinstance(value, dict):
        for key, one in value.items():
            _bounded(one, f"{where}.{key[:60]}")
    if isinstance(value, list):
        for at, one in enumerate(value):
            _bounded(one, f"{where}[{at}]")
    return value


_NAMES = {str: "a text", int: "a whole number", float: "a number", bool: "true or false"}


def _named(value: Any) -> str:
    if value is None:
        return "null"
    if isinstance(value, bool):
        return "true or false"
    if isinstance(value, (int, float)):
        return "a number"
    return "a text" if isinstance(value, str) else "a list" if isinstance(value, list) else "an object"
