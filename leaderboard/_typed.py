"""Reads plain JSON values into dataclasses; whatever does not fit is an error that names the field."""

from __future__ import annotations

import math
import types
import typing
from collections.abc import Mapping
from dataclasses import MISSING, fields, is_dataclass
from functools import cache
from typing import Any, NamedTuple, TypeVar

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
    hints, needed, plain = _plan(typing.cast(Any, kind))
    given: dict[str, Any] = {}
    one: Any
    for name, one in value.items():
        wanted = plain.get(name)
        # Most fields of the many rows: right at once, without a name for a message that nobody will read.
        if wanted is not None and type(one) is wanted and (wanted is not str or len(str(one)) <= _MAX_TEXT):
            given[name] = one
        elif hints.get(name) == _TEXTS and type(one) is list and all(map(_is_text, one)):
            given[name] = tuple(one)
        elif name in hints:
            given[name] = _as(hints[name], one, f"{where}.{name}")
        else:
            raise RecordError(f"{where} has an unknown field {name!r:.60}")
    for name in needed:
        if name not in given:
            raise RecordError(f"{where}.{name} is missing")
    return kind(**given)


_TEXTS = tuple[str, ...]


def _is_text(one: Any) -> bool:
    return type(one) is str and len(one) <= _MAX_TEXT


class _Plan(NamedTuple):
    """How a dataclass is read: the types of its fields, those without a default, and those of plain values."""

    hints: dict[str, Any]
    needed: tuple[str, ...]
    plain: dict[str, type]


@cache
def _plan(kind: Any) -> _Plan:
    hints = typing.get_type_hints(kind)
    needed = (
        field.name for field in fields(kind) if field.default is MISSING and field.default_factory is MISSING
    )
    plain = {name: hint for name, hint in hints.items() if hint in (str, int, bool)}
    return _Plan(hints, tuple(needed), plain)


def _as(kind: Any, value: Any, where: str) -> Any:
    origin, arguments = typing.get_origin(kind), typing.get_args(kind)
    if kind is Any:
        return _bounded(value, where)
    if origin in (typing.Union, types.UnionType):
        if value is None and type(None) in arguments:
            return None
        inner = [one for one in arguments if one is not type(None)]
        # Of several the one that it is; else the last, whose message says what is wrong.
        return _as(next((one for one in inner if type(value) is one), inner[-1]), value, where)
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
