"""Reads upstream JSON, CSV and id lists. Errors for unexpected content name the place."""

from __future__ import annotations

import csv
import json
from collections.abc import Iterator, Sequence
from fractions import Fraction
from io import StringIO, TextIOWrapper
from pathlib import Path
from typing import Any

from dnc_datasets import filesystem, json_lines
from dnc_datasets.errors import SourceError

_NEXT = "Is it the right file, of the pinned version? `dnc fetch` gets that one"
# A float's shortest spelling has up to 17 digits; one third is recognised in 0.3333333333333333.
_FLOAT_DECIMALS = 11
_FLOAT_ERROR = Fraction(1, 10**11)
_LARGEST_DENOMINATOR = 1000


def read_json(path: Path, keys: Sequence[str], nested: Sequence[str] = ()) -> list[dict[str, Any]]:
    """Return the objects of a JSON list, each with at least these keys and text as their values.

    Numbers remain text, digit by digit. The values of the keys in `nested` may be objects.
    """
    try:
        records = json.loads(_text(path), parse_float=str, parse_int=str)
    except (ValueError, RecursionError) as error:
        raise SourceError(f"{path}: expected JSON, but {error}. {_NEXT}") from error
    if not isinstance(records, list):
        raise SourceError(f"{path}: expected a JSON list of objects, found {type(records).__name__}. {_NEXT}")
    for number, record in enumerate(records, 1):
        if not isinstance(record, dict):
            raise SourceError(f"{path}: record {number} is {type(record).__name__}, not an object. {_NEXT}")
        _demand(path, f"record {number}", keys, record)
        for key in keys:
            if not isinstance(record[key], (str, dict) if key in nested else str):
                shown = json.dumps(record[key])[:60]
                raise SourceError(f"{path}: record {number}: {key!r} is {shown}, expected text. {_NEXT}")
    return records


def read_json_lines(path: Path, keys: Sequence[str]) -> list[dict[str, Any]]:
    """Return the objects of a file of JSON lines, each with at least these keys and text values."""
    records = []
    for number, record in json_lines.objects(path, error=SourceError, exact=True):
        _demand(path, f"line {number}", keys, record)
        for key in keys:
            if not isinstance(record[key], str):
                shown = json.dumps(record[key])[:60]
                raise SourceError(f"{path}: line {number}: {key!r} is {shown}, expected text. {_NEXT}")
        records.append(record)
    return records


def stream_json(path: Path, keys: Sequence[str]) -> Iterator[dict[str, Any]]:
    """Yield the objects of a JSON list one at a time, without holding the entire file in memory.

    Each has at least these keys. Numbers remain text, digit by digit.
    """
    number = 0
    try:
        with TextIOWrapper(filesystem.open_regular(path), encoding="utf-8-sig") as file:
            for record in json_lines.items(file):
                number += 1
                if not isinstance(record, dict):
                    found = type(record).__name__
                    raise SourceError(f"{path}: record {number} is {found}, not an object. {_NEXT}")
                _demand(path, f"record {number}", keys, record)
                yield record
    except RecursionError as error:
        raise SourceError(f"{path}: record {number + 1} is nested too deeply. {_NEXT}") from error
    except UnicodeDecodeError as error:
        raise SourceError(f"{path}: expected UTF-8 text, but {error}. {_NEXT}") from error
    except ValueError as error:
        raise SourceError(
            f"{path}: expected a JSON list of objects, but record {number + 1}: {error}. {_NEXT}"
        ) from error
    except OSError as error:
        raise SourceError(f"{path}: cannot be read: {error}") from error


def read_object(path: Path) -> dict[str, Any]:
    """Return the members of a JSON object whose values are objects. Numbers remain text."""
    try:
        found = json.loads(_text(path), parse_float=str, parse_int=str)
    except (ValueError, RecursionError) as error:
        raise SourceError(f"{path}: expected JSON, but {error}. {_NEXT}") from error
    if not isinstance(found, dict):
        raise SourceError(f"{path}: expected a JSON object, found {type(found).__name__}. {_NEXT}")
    for key, value in found.items():
        if not isinstance(value, dict):
            raise SourceError(f"{path}: {key!r} is {type(value).__name__}, not an object. {_NEXT}")
    return found


def read_csv(path: Path, columns: Sequence[str]) -> list[dict[str, str]]:
    """Return the rows of a CSV file with a header that has at least these columns."""
    try:
        reader = csv.DictReader(StringIO(_text(path), newline=""), strict=True)
        _demand(path, "the header", columns, reader.fieldnames or ())
        rows = list(reader)
    except csv.Error as error:
        raise SourceError(f"{path}: expected CSV, but {error}. {_NEXT}") from error
    for number, row in enumerate(rows, 1):
        if None in row or None in row.values():
            raise SourceError(f"{path}: row {number} has not as many cells as the header. {_NEXT}")
    return rows


def read_ids(path: Path) -> list[str]:
    """Return the ids of a list with one on each line."""
    ids = _text(path).split()
    if not ids:
        raise SourceError(f"{path}: expected one id on each line, found none. {_NEXT}")
    return ids


def rational(text: str) -> Fraction:
    """Return the number of a spelling, including one that was a float before.

    >>> rational("0.72"), rational("56.0"), rational("0.4166666666666667"), rational("27.799999999999997")
    (Fraction(18, 25), Fraction(56, 1), Fraction(5, 12), Fraction(139, 5))
    """
    value = Fraction(text)
    if len(text.partition(".")[2]) < _FLOAT_DECIMALS:
        return value
    near = value.limit_denominator(_LARGEST_DENOMINATOR)
    return near if abs(near - value) < _FLOAT_ERROR else value


def contradiction(place: str, stated: str, equation: str, gives: str) -> SourceError:
    """Return the error for a row whose answer its own equation does not give."""
    return SourceError(
        f"{place} states the answer {stated}, but {equation} gives {gives}. Fix the row, or take it out"
    )


def _text(path: Path) -> str:
    try:
        return filesystem.read_regular_text(path, "utf-8-sig")
    except UnicodeDecodeError as error:
        raise SourceError(f"{path}: expected UTF-8 text, but {error}. {_NEXT}") from error
    except OSError as error:
        raise SourceError(f"{path}: cannot be read: {error}") from error


def _demand(path: Path, place: str, names: Sequence[str], found: Sequence[str] | dict[str, Any]) -> None:
    missing = [name for name in names if name not in found]
    if missing:
        lacks, has = (", ".join(map(repr, some)) for some in (missing, found))
        raise SourceError(f"{path}: {place} lacks {lacks}; it has {has or 'nothing'}. {_NEXT}")
