"""Files of JSON objects, one on each line or in one list: read one at a time, with errors that name the place."""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import IO, Any, BinaryIO

from dnc_datasets import filesystem, untrusted
from dnc_datasets.errors import DncError

_REMEDY = "write one object on each line"
_CHUNK = 1 << 16  # characters


def objects(
    path: Path,
    *,
    error: type[DncError] = DncError,
    exact: bool = False,
    max_line: int = untrusted.MAX_LINE,
) -> Iterator[tuple[int, dict[str, Any]]]:
    """Yield the number and the object of each line that is not blank.

    A line that cannot be read is an `error` with the file and the line. With `exact`, numbers remain text, so that
    no digit is lost in a float.
    """
    try:
        with filesystem.open_regular(path) as file:
            yield from parsed(_bounded(file, max_line), path, error=error, exact=exact, max_line=max_line)
    except OSError as reason:
        raise error(f"{path} cannot be read: {reason.strerror}") from reason


def parsed(
    lines: Iterable[bytes],
    path: Path,
    *,
    error: type[DncError] = DncError,
    exact: bool = False,
    max_line: int = untrusted.MAX_LINE,
) -> Iterator[tuple[int, dict[str, Any]]]:
    """Yield the number and the object of each of these lines that is not blank. Errors name `path`."""
    for number, line in enumerate(lines, 1):
        if not line.strip():
            continue
        where = f"{path}, line {number}"
        value = untrusted.parse(line, where, error=error, remedy=_REMEDY, max_bytes=max_line, exact=exact)
        if not isinstance(value, dict):
            raise error(f"{where}: {type(value).__name__} instead of an object; {_REMEDY}")
        yield number, value


def _bounded(file: BinaryIO, max_line: int) -> Iterator[bytes]:
    """Yield the lines of a file.

    One that is too long is cut, so that it is refused before it fills the memory.
    """
    while line := file.readline(max_line + 1):
        yield line


def unbroken(lines: Iterable[bytes]) -> Iterator[dict[str, Any]]:
    """Yield the objects of a journal.

    A line that a kill has cut off is left out, because its work is repeated.

    >>> list(unbroken([b'{"id": "a"}', b'{"id": "b']))
    [{'id': 'a'}]
    """
    for line in lines:
        try:
            value = untrusted.parse(line, "journal")
        except DncError:
            continue
        if isinstance(value, dict):
            yield value


def items(file: IO[str], max_item: int = 1 << 28) -> Iterator[Any]:
    """Yield the items of a file that holds one JSON list, with only an item and a chunk in memory.

    Numbers remain text, digit by digit. A ValueError describes the fault, including an item of more than
    `max_item` characters.
    """
    decode = json.JSONDecoder(parse_float=str, parse_int=str, parse_constant=str).raw_decode
    rest = file.read(_CHUNK).lstrip()
    if not rest.startswith("["):
        raise ValueError("it is not a list")
    rest = rest[1:]
    while True:
        rest = rest.lstrip(" \t\r\n,")
        try:
            item, end = decode(rest)
        except ValueError:
            if rest.startswith("]"):
                return
            # An item that spans chunks is decoded after each of them, so the chunks grow with it.
            more = file.read(max(_CHUNK, len(rest)))
            if not more or len(rest) > max_item:
                raise
            rest += more
            continue
        yield item
        rest = rest[end:]
