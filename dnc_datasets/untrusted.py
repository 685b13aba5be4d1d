"""Reads JSON from other authors: bounded, cleaned, and with one kind of failure.

Files of other people may be damaged or hostile. Size, depth, number of values and magnitude of numbers are
bounded, NaN and infinity are refused, and lone surrogates, which UTF-8 lacks, become U+FFFD. Each failure is
the `DncError` subclass that the caller names, with the file, the place in it, and the remedy.
"""

from __future__ import annotations

import json
import math
import re
import types
import typing
from collections.abc import Iterator, Mapping
from dataclasses import fields, is_dataclass
from functools import cache
from pathlib import Path
from typing import Any, NoReturn, TypeVar

from dnc_datasets import filesystem
from dnc_datasets.errors import DncError

T = TypeVar("T")
MAX_BYTES = 512 << 20  # of a file
MAX_LINE = 16 << 20  # bytes of a line
MAX_DEPTH = 64
MAX_VALUES = 4_000_000
MAX_INTEGER = 2**53  # floats hold every integer up to here
_MAX_DIGITS = 17  # of an integer up to 2^53, with its sign
_BYTE_ORDER_MARK = b"\xef\xbb\xbf"
_SURROGATE = re.compile(r"[\ud800-\udfff]")
_ESCAPED_SURROGATE = re.compile(rb"\\u[dD][89a-fA-F]")
# Control characters except tab and line feed, and characters that are invisible or change the direction of text.
_HIDDEN = re.compile(
    "[\x00-\x08\x0b-\x1f\x7f-\x9f\xad\u034f\u061c\u115f\u1160\u17b4\u17b5\u180b-\u180f\u200b-\u200f\u2028-\u202e"
    "\u2060-\u206f\u3164\ufe00-\ufe0f\ufeff\uffa0\ufff0-\ufffb\U0001bca0-\U0001bca3\U0001d173-\U0001d17a"
    "\U000e0000-\U000e0fff]"
)


def read_json(
    path: Path,
    *,
    error: type[DncError] = DncError,
    remedy: str = "write the file once more",
    max_bytes: int = MAX_BYTES,
    exact: bool = False,
    names: bool = False,
) -> Any:
    """Return the JSON value of a file.

    With `names`, its texts are names and are cleaned as `clean_name` does.
    """
    try:
        if path.stat().st_size > max_bytes:
            raise error(f"{path} has more than {max_bytes} bytes; {remedy}")
        data = filesystem.read_regular(path)
    except OSError as reason:
        raise error(f"{path} cannot be read: {reason.strerror or reason}; {remedy}") from reason
    return parse(data, str(path), error=error, remedy=remedy, max_bytes=max_bytes, exact=exact, names=names)


def parse(
    data: bytes,
    where: str,
    *,
    error: type[DncError] = DncError,
    remedy: str = "write it once more",
    max_bytes: int = MAX_LINE,
    exact: bool = False,
    names: bool = False,
) -> Any:
    """Return the JSON value of these bytes. With `exact`, numbers (and NaN) remain text, so that no digit is lost.

    >>> parse(b'{"reply": "\\\\ud83d 7"}', "replies.jsonl, line 3")
    {'reply': '\\ufffd 7'}
    >>> parse(b'{"rows": 1e999}', "record.json")
    Traceback (most recent call last):
    dnc_datasets.errors.DncError: record.json, rows is not a finite number; write it once more
    """
    if len(data) > max_bytes:
        raise error(f"{where}: more than {max_bytes} bytes; {remedy}")
    opened = data.count(b"[") + data.count(b"{")
    if opened + data.count(b",") > MAX_VALUES:
        raise error(f"{where}: more than {MAX_VALUES} values; {remedy}")
    try:
        text = data.removeprefix(_BYTE_ORDER_MARK).decode()
    except UnicodeDecodeError as reason:
        raise error(f"{where}: not UTF-8 ({reason}); save the file as UTF-8") from reason
    try:
        value = _decoded(text, _EXACT if exact else _BOUNDED)
    except _OutOfBoundsError as reason:
        raise error(f"{where}, {_number_out_of_bounds(text)}; {remedy}") from reason
    except RecursionError as reason:
        raise error(f"{where}: not JSON of at most {MAX_DEPTH} levels; {remedy}") from reason
    except ValueError as reason:
        raise error(f"{where}: not JSON ({reason}); {remedy}") from reason
    if opened > MAX_DEPTH:
        for place, problem in _problems(value):
            raise error(f"{where}, {place.lstrip('.') or 'the value'} {problem}; {remedy}")
    if names:
        return _cleaned(value, clean_name)
    return _cleaned(value, clean_text) if _ESCAPED_SURROGATE.search(data) else value


def _decoded(text: str, decoder: json.JSONDecoder) -> Any:
    """Return `decoder.decode(text)`; a line that is one object or list needs none of its searches for blanks."""
    if text.startswith(("{", "[")):
        value, end = decoder.raw_decode(text)
        if not text[end:].strip(" \t\n\r"):
            return value
    return decoder.decode(text)


def clean_text(text: str) -> str:
    """Replace lone surrogates, which cannot be written, by U+FFFD."""
    return _SURROGATE.sub("\ufffd", text)


def clean_name(text: str) -> str:
    r"""Remove control, invisible and bidirectional characters. Replace lone surrogates.

    >>> clean_name("gpt\u202e\u200b\x1b[31m")
    'gpt[31m'
    """
    if text.isascii() and text.isprintable():
        return text
    return _HIDDEN.sub("", clean_text(text))


def convert(value: Any, kind: type[T], where: str, error: type[DncError] = DncError) -> T:
    """Return a parsed value as an instance of the dataclass `kind`. `where` is its name in messages.

    >>> from dataclasses import dataclass
    >>> @dataclass
    ... class Score:
    ...     name: str
    ...     share: float = 0.0
    >>> convert({"name": "exact", "share": 1}, Score, "score")
    Score(name='exact', share=1.0)
    >>> convert({"name": 7}, Score, "score")
    Traceback (most recent call last):
    dnc_datasets.errors.DncError: score.name is a number instead of a text
    """
    import msgspec  # not needed to read plain JSON

    try:
        if is_dataclass(kind):  # other kinds, such as the rows of a file, may have more fields
            for place, name in _unknown_fields(value, kind):
                raise error(f"{where}{place} has an unknown field {name!r:.60}")
        return msgspec.convert(value, type=kind)
    except msgspec.ValidationError as reason:
        raise error(_in_our_words(str(reason), where)) from reason
    except RecursionError as reason:
        raise error(f"{where} has more than {MAX_DEPTH} levels") from reason


class _OutOfBoundsError(ValueError):
    """A number that floats cannot hold."""


def _refuse_constant(name: str) -> NoReturn:
    raise ValueError(f"it holds {name}, which is not a number")


def _integer(text: str) -> int:
    if len(text) > _MAX_DIGITS or abs(value := int(text)) > MAX_INTEGER:
        raise _OutOfBoundsError
    return value


def _float(text: str) -> float:
    if not math.isfinite(value := float(text)):
        raise _OutOfBoundsError
    return value


def _number_out_of_bounds(text: str) -> str:
    """Name the place of the number. The place is unknown where the text is not JSON."""
    try:
        place, problem = next(_problems(_UNBOUNDED.decode(text)))
    except (ValueError, RecursionError, StopIteration):
        return "a number is out of bounds"
    return f"{place.lstrip('.') or 'the value'} {problem}"


def _any_integer(text: str) -> int:
    return int(text) if len(text) <= _MAX_DIGITS else MAX_INTEGER + 1


_BOUNDED = json.JSONDecoder(parse_int=_integer, parse_float=_float, parse_constant=_refuse_constant)
_EXACT = json.JSONDecoder(parse_int=str, parse_float=str, parse_constant=str)
_UNBOUNDED = json.JSONDecoder(parse_int=_any_integer, parse_constant=str)  # finds the place of a number


def _problems(value: Any) -> Iterator[tuple[str, str]]:
    """Yield the place of each value that is too deep or too large, without recursion."""
    pending: list[tuple[str, int, Any]] = [("", 0, value)]
    while pending:
        place, depth, node = pending.pop()
        if isinstance(node, int) and abs(node) > MAX_INTEGER:
            yield place, "is an integer above 2^53"
        elif isinstance(node, float) and not math.isfinite(node):
            yield place, "is not a finite number"
        elif isinstance(node, dict | list):
            if depth >= MAX_DEPTH:
                yield place[:200], f"has more than {MAX_DEPTH} levels"
                continue
            items = (
                [(f".{key[:60]}", inner) for key, inner in node.items()]
                if isinstance(node, dict)
                else [(f"[{at}]", inner) for at, inner in enumerate(node)]
            )
            pending += [
                (place + step, depth + 1, inner)
                for step, inner in items
                if isinstance(inner, dict | list | int | float)
            ]


def _cleaned(value: Any, clean: typing.Callable[[str], str]) -> Any:
    """Return the value with its texts and keys cleaned. `_problems` has bounded its depth."""
    if isinstance(value, str):
        return clean(value)
    if isinstance(value, dict):
        return {clean(key): _cleaned(item, clean) for key, item in value.items()}
    return [_cleaned(item, clean) for item in value] if isinstance(value, list) else value


def _unknown_fields(value: Any, kind: Any, place: str = "") -> Iterator[tuple[str, str]]:
    """Yield the place and name of each field that a dataclass does not have."""
    origin, arguments = typing.get_origin(kind), typing.get_args(kind)
    if is_dataclass(kind) and isinstance(value, dict):
        known, nested = _fields(typing.cast(Any, kind))
        if not value.keys() <= known:
            yield place, min(value.keys() - known)
        for name, inner in nested.items():
            if name in value:
                yield from _unknown_fields(value[name], inner, f"{place}.{name}")
    elif origin in (typing.Union, types.UnionType):
        for inner in arguments:
            yield from _unknown_fields(value, inner, place)
    elif origin is tuple and isinstance(value, list):
        for at, item in enumerate(value):
            yield from _unknown_fields(item, arguments[0], f"{place}[{at}]")
    elif origin is Mapping and isinstance(value, dict):
        for key, item in value.items():
            yield from _unknown_fields(item, arguments[1], f"{place}.{key[:60]}")


@cache
def _fields(kind: Any) -> tuple[frozenset[str], dict[str, Any]]:
    """Return the names of a dataclass's fields, and the types of those that hold dataclasses."""
    hints = typing.get_type_hints(kind)
    nested = {name: hint for name, hint in hints.items() if _holds_dataclass(hint)}
    return frozenset(field.name for field in fields(kind)), nested


def _holds_dataclass(hint: Any) -> bool:
    return is_dataclass(hint) or any(map(_holds_dataclass, typing.get_args(hint)))


_KINDS = {
    "str": "a text", "int": "an integer", "float": "a number", "bool": "true or false", "null": "null",
    "array": "a list", "object": "an object",
}  # fmt: skip
_MISMATCH = re.compile(r"Expected `([^`]*)`, got `([^`]*)`(?: - at (?:the key in )?`\$([^`]*)`)?")
_MISSING = re.compile(r"Object missing required field `([^`]*)`(?: - at `\$([^`]*)`)?")


def _in_our_words(message: str, where: str) -> str:
    r"""Name the field that msgspec's message rejects, and the fault.

    >>> _in_our_words("Object missing required field `rows` - at `$.cells[0]`", "record")
    'record.cells[0].rows is missing'
    """
    if mismatch := _MISMATCH.fullmatch(message):
        expected, given, place = mismatch.groups()
        wanted = " or ".join(_KINDS.get(one.strip(), one.strip()) for one in expected.split("|"))
        is_number = given in ("int", "float") and "a number" not in wanted and "an integer" not in wanted
        got = "a number" if is_number else _KINDS.get(given, given)
        return f"{where}{place or ''} is {got} instead of {wanted}"
    if missing := _MISSING.fullmatch(message):
        return f"{where}{missing[2] or ''}.{missing[1]} is missing"
    problem, _, place = message.partition(" - at `$")
    return f"{where}{place.rstrip('`')}: {problem}"
