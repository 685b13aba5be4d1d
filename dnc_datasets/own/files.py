"""Reads a user's own file of problems, JSON lines or CSV, line by line and without holding it."""

from __future__ import annotations

import csv
import json
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import IO, Any, NamedTuple

from dnc_datasets.errors import ProblemError
from dnc_datasets.problem import FIELDS

Record = dict[str, Any]

_SEPARATED = (".csv", ".tsv")
_DELIMITERS = ",;\t|"
# Characters of one CSV field; Python's own limit is 131,072, less than a long report.
_MAX_FIELD = 1 << 24
_LISTS = ("table", "history", "segments", "answers", "evidence")
_NAMES = frozenset((*FIELDS, "passage", "problem", "text"))
_DEFAULT_ENCODING = "utf-8-sig"  # with or without the mark that some programs put first


class Line(NamedTuple):
    """What stands on one line: JSON text that is still to be read, or the cells of a CSV row by name."""

    number: int
    content: str | Record


def lines(path: Path, encoding: str = "") -> Iterator[Line]:
    """The lines of a file that hold something; a file that cannot be read is an error that names the line."""
    if not path.is_file():
        raise ProblemError(f"there is no file {path}; give one with problems as JSON lines or CSV")
    encoding = encoding or _DEFAULT_ENCODING
    try:
        with path.open(encoding=encoding, newline="") as file:
            yield from _separated(file, path) if path.suffix.lower() in _SEPARATED else _plain(file)
    except LookupError:
        raise ProblemError(
            f"--encoding {encoding}: no such encoding; known are utf-8, latin-1, cp1252, utf-16 and others"
        ) from None
    except UnicodeError as error:
        raise ProblemError(
            f"{path}{_place(path, encoding)}: not {encoding.removesuffix('-sig')} ({error}); name the file's own "
            "encoding, e.g. --encoding latin-1 or --encoding utf-16"
        ) from error
    except csv.Error as error:
        raise ProblemError(
            f"{path}: {error}; write it as CSV with one problem a row, or as JSON lines"
        ) from error
    except OSError as error:
        raise ProblemError(f"{path} cannot be read: {error.strerror}") from error


def record(line: Line) -> Record:
    """The fields of one line, under the names that problems have for them."""
    content = line.content
    if isinstance(content, str):
        try:
            # Numbers stay text, so that no digit of an answer is lost in a float.
            content = json.loads(content, parse_float=str, parse_int=str, parse_constant=str)
        except RecursionError:
            raise ProblemError("its JSON is nested too deeply; write one plain object per line") from None
        except ValueError as error:
            raise ProblemError(f"not JSON ({error}); write one object per line") from None
        if not isinstance(content, dict):
            raise ProblemError(f"{_kind(content)} instead of an object; write one object per line")
    if content.keys() <= _NAMES:
        return content
    # "Question" is "question"; what has both is left alone.
    small = {key: key.lower() for key in content if key not in _NAMES and key.lower() in _NAMES}
    return {small.get(key, key) if small.get(key) not in content else key: content[key] for key in content}


def _kind(value: object) -> str:
    if isinstance(value, list):
        return "a list"
    return "nothing" if value is None else "a single value"


def _plain(file: IO[str]) -> Iterator[Line]:
    for number, text in enumerate(file, 1):
        if text.strip():
            yield Line(number, text)


def _separated(file: IO[str], path: Path) -> Iterator[Line]:
    csv.field_size_limit(_MAX_FIELD)
    heading = file.readline()
    if not heading.strip():
        return
    delimiter = _delimiter(heading)
    names = next(csv.reader([heading], delimiter=delimiter), [])
    if not {name.strip().lower() for name in names} & _NAMES:
        raise ProblemError(
            f"{path}, line 1: no column is called question (found: {', '.join(names)[:200] or 'nothing'}); "
            "the first line of a CSV names its columns: id, body, question, equation, answer"
        )
    names = [name.strip() for name in names]
    reader = csv.reader(file, delimiter=delimiter)
    for cells in reader:
        if any(cell.strip() for cell in cells):
            # Line 1 was read before; a row that spans several lines goes by its last.
            yield Line(reader.line_num + 1, _cells(names, cells))


def _cells(names: Sequence[str], cells: Sequence[str]) -> Record:
    found: Record = {}
    for name, cell in zip(names, cells, strict=False):
        is_json = name.lower() in _LISTS and cell.lstrip().startswith("[")
        found[name] = cell if not is_json else _json_or_text(cell)
    return {name: cell for name, cell in found.items() if name and cell != ""}


def _json_or_text(cell: str) -> Any:
    try:
        return json.loads(cell, parse_float=str, parse_int=str)
    except (ValueError, RecursionError):
        return cell


def _delimiter(heading: str) -> str:
    """The sign that parts the heading into the most names that we know; a comma where none does."""

    def known(sign: str) -> int:
        names = next(csv.reader([heading], delimiter=sign), [])
        return len({name.strip().lower() for name in names} & _NAMES)

    return max(_DELIMITERS, key=known)


def _place(path: Path, encoding: str) -> str:
    """The first line that cannot be read, where lines can be told apart before they are."""
    with path.open("rb") as file:
        for number, raw in enumerate(file, 1):
            try:
                raw.decode(encoding)
            except UnicodeError:
                return f", line {number}"
    return ""
