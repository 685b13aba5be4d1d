"""Files with one JSON object on each line: read one at a time, with errors that name the line."""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import Any

from dnc_datasets.errors import DncError


def objects(
    path: Path, *, error: type[DncError] = DncError, exact: bool = False
) -> Iterator[tuple[int, dict[str, Any]]]:
    """The number and the object of each line that is not blank.

    What cannot be read is an `error` with the file and the line. With `exact` numbers stay the text that they
    are, so that no digit is lost in a float.
    """
    try:
        with path.open("rb") as file:
            yield from parsed(file, path, error=error, exact=exact)
    except OSError as reason:
        raise error(f"{path} cannot be read: {reason.strerror}") from reason


def parsed(
    lines: Iterable[bytes], path: Path, *, error: type[DncError] = DncError, exact: bool = False
) -> Iterator[tuple[int, dict[str, Any]]]:
    """The same of lines at hand; `path` is only where the error says that they are from."""
    kept: Any = str if exact else None
    for number, line in enumerate(lines, 1):
        if not line.strip():
            continue
        try:
            text = line.decode("utf-8-sig" if number == 1 else "utf-8")
            found = json.loads(text, parse_float=kept, parse_int=kept)
        except UnicodeDecodeError as reason:
            raise error(f"{path}, line {number}: not UTF-8 ({reason}); save the file as UTF-8") from reason
        except (ValueError, RecursionError) as reason:
            raise error(
                f"{path}, line {number}: not JSON ({reason}); write one object on each line"
            ) from reason
        if not isinstance(found, dict):
            raise error(
                f"{path}, line {number}: {type(found).__name__} instead of an object; write one object on each line"
            )
        yield number, found


def unbroken(lines: Iterable[bytes]) -> Iterator[dict[str, Any]]:
    """The objects of a journal; a line that a kill has cut off is passed over, since its work is done again.

    >>> list(unbroken([b'{"id": "a"}', b'{"id": "b']))
    [{'id': 'a'}]
    """
    for line in lines:
        try:
            found = json.loads(line)
        except (ValueError, RecursionError):
            continue
        if isinstance(found, dict):
            yield found
