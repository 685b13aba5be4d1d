"""Reads a user's own file of problems (JSON lines, a JSON list or CSV) one record at a time."""

from __future__ import annotations

import csv
import difflib
import json
from collections.abc import Iterable, Iterator, Sequence
from contextlib import suppress
from pathlib import Path
from typing import IO, Any, NamedTuple

from dnc_datasets import json_lines
from dnc_datasets.errors import ProblemError
from dnc_datasets.own import native
from dnc_datasets.problem import FIELDS

Record = dict[str, Any]
# JSON text that is still to be read, fields by name, or the reason why a record cannot be read.
Content = str | Record | ProblemError

_SEPARATED = (".csv", ".tsv")
_DELIMITERS = ",;\t|"
# Characters of one CSV field; Python's own limit is 131,072, less than a long report.
_MAX_FIELD = 1 << 24
_LISTS = ("table", "history", "segments", "answers", "evidence")
_NAMES = frozenset((*FIELDS, "passage", "problem", "text"))
# Names of the same fields in other datasets, in lower case without spaces, dashes and underscores.
_SYNONYMS = {
    "index": "id", "nr": "id", "iindex": "id", "uid": "id", "qid": "id", "questionid": "id", "problemid": "id",
    "context": "body", "story": "body", "background": "body", "paragraph": "body", "paragraphs": "body",
    "query": "question", "squestion": "problem", "originaltext": "problem", "wordproblem": "problem",
    "storyproblem": "problem",
    "formula": "equation", "equations": "equation", "lequations": "equation", "expression": "equation",
    "program": "equation", "derivation": "equation", "calculation": "equation", "eq": "equation", "expr": "equation",
    "ans": "answer", "solution": "answer", "lsolutions": "answer", "finalanswer": "answer", "gold": "answer",
    "target": "answer", "exeans": "answer", "goldanswer": "answer", "correctanswer": "answer", "result": "answer",
    "expected": "answer", "expectedanswer": "answer", "label": "answer",
    "units": "unit",
}  # fmt: skip
# Fields of the rows that `dnc perturb` writes, beside those of a problem.
_WRITTEN = frozenset(("perturbation", "setting", "perturbed", "seed", "parameters", "certificate", "prompt",
                      "target", "original_id", "source"))  # fmt: skip
_ALIKE = 0.7  # similarity of two names above which one is probably a typing error of the other
_LOOK = 1 << 12  # characters
_DEFAULT_ENCODING = "utf-8-sig"  # with or without the mark that some programs put first


class Line(NamedTuple):
    """One problem of a file. The problems of a JSON list are numbered, because several may share a line."""

    number: int
    content: Content


def lines(path: Path, encoding: str = "") -> Iterator[Line]:
    """Yield the non-empty lines of a file. The error for an unreadable file names the line."""
    if not path.is_file():
        raise ProblemError(f"there is no file {path}; give one with problems as JSON lines or CSV")
    encoding = encoding or _DEFAULT_ENCODING
    try:
        with path.open(encoding=encoding, newline="") as file:
            if path.suffix.lower() in _SEPARATED:
                yield from _separated(file, path)
            else:
                yield from _json_list(file, path) if _is_list(file) else _plain(file)
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
    """Return the fields of one line, under the field names of a problem."""
    content = line.content
    if isinstance(content, ProblemError):
        raise content
    if isinstance(content, str):
        content = _object(content)
    if not content.keys() <= _NAMES:
        columns = fields(content)
        content = {columns[key] or key: content[key] for key in content}
    # An empty cell of a CSV file and an empty text of JSON are both no value.
    return {key: value for key, value in content.items() if value != ""}


def _object(text: str) -> Record:
    try:
        # Numbers stay text, so that no digit of an answer is lost in a float.
        content = json.loads(text, parse_float=str, parse_int=str, parse_constant=str)
    except RecursionError:
        raise ProblemError("its JSON is nested too deeply; write one plain object per line") from None
    except ValueError as error:
        raise ProblemError(f"not JSON ({error}); write one object per line") from None
    if not isinstance(content, dict):
        raise ProblemError(f"{_kind(content)} instead of an object; write one object per line")
    return content


def fields(names: Iterable[str]) -> dict[str, str]:
    """Return the field that each column is read as, or "" for a column that is not read.

    A column with the field's own name comes before one with a synonym, and the first synonym before others.

    >>> fields(["ID", "Question", "Formula", "program", "title"])
    {'ID': 'id', 'Question': 'question', 'Formula': 'equation', 'program': '', 'title': ''}
    """
    names = list(names)
    found = {name: name for name in names if name in _NAMES}
    for known in (lambda name: name.strip().lower(), lambda name: _SYNONYMS.get(_plain_name(name), "")):
        for name in names:
            field = known(name)
            if name not in found and field in _NAMES and field not in found.values():
                found[name] = field
    return {name: found.get(name, "") for name in names}


def _plain_name(name: str) -> str:
    return name.strip().lower().replace("_", "").replace("-", "").replace(" ", "")


def _is_known(name: str) -> bool:
    return name.strip().lower() in _NAMES or _plain_name(name) in _SYNONYMS


def _kind(value: object) -> str:
    if isinstance(value, list):
        return "a list"
    return "nothing" if value is None else "a single value"


def unknown(record: Record) -> dict[str, str]:
    """Return the fields of a record that no part of DNC reads, each with its most similar known field or "".

    >>> unknown({"question": "How many?", "anwser": "3", "title": "Pens"})
    {'anwser': 'answer', 'title': ''}
    """
    return {name: _probable(name) for name in record if name not in _NAMES and name not in _WRITTEN}


def _probable(name: str) -> str:
    near = difflib.get_close_matches(_plain_name(name), (*_NAMES, *_SYNONYMS), n=1, cutoff=_ALIKE)
    return _SYNONYMS.get(near[0], near[0]) if near else ""


def _is_list(file: IO[str]) -> bool:
    """Return whether the file holds one JSON list. The file is read from its start afterwards."""
    first = ""
    while not first and (text := file.read(_LOOK)):
        first = text.lstrip()
    file.seek(0)
    return first.startswith("[")


def _json_list(file: IO[str], path: Path) -> Iterator[Line]:
    number = 0
    try:
        for item in json_lines.items(file):
            for content in _contents(item):
                number += 1
                yield Line(number, content)
    except UnicodeError:
        raise
    except (ValueError, RecursionError) as error:
        raise ProblemError(
            f"{path}, after problem {number}: not a JSON list ({error}); write a list of objects, or JSON lines"
        ) from error


def _contents(item: Any) -> Iterable[Content]:
    """Yield the problems of a list item: the item itself, or each question of a record of a known dataset."""
    if not isinstance(item, dict):
        return [json.dumps(item)]
    try:
        rows = native.rows(item)
    except ProblemError as error:
        return [error]
    return [item] if rows is None else rows


def _plain(file: IO[str]) -> Iterator[Line]:
    for number, text in enumerate(file, 1):
        if not text.strip():
            continue
        contents: Iterable[Content] = [text]
        if native.is_possible(text):
            with suppress(ProblemError):  # text that is not JSON is reported where it is read
                contents = _contents(_object(text))
        yield from (Line(number, content) for content in contents)


def _separated(file: IO[str], path: Path) -> Iterator[Line]:
    csv.field_size_limit(_MAX_FIELD)
    heading = file.readline()
    if not heading.strip():
        return
    delimiter = _delimiter(heading)
    names = next(csv.reader([heading], delimiter=delimiter), [])
    if not any(map(_is_known, names)):
        raise ProblemError(
            f"{path}, line 1: no column is called question (found: {', '.join(names)[:200] or 'nothing'}); "
            "the first line of a CSV names its columns, e.g. id, body, question, equation, answer"
        )
    names = [name.strip() for name in names]
    reader = csv.reader(file, delimiter=delimiter)
    for cells in reader:
        if any(cell.strip() for cell in cells):
            # Line 1 was read before. A row that spans several lines has the number of its last line.
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
    """Return the delimiter that splits the heading into the most known names, or a comma where none does."""

    def known(sign: str) -> int:
        names = next(csv.reader([heading], delimiter=sign), [])
        return sum(map(_is_known, names))

    return max(_DELIMITERS, key=known)


def _place(path: Path, encoding: str) -> str:
    """Return ", line N" for the first line that cannot be decoded, or an empty string."""
    with path.open("rb") as file:
        for number, raw in enumerate(file, 1):
            try:
                raw.decode(encoding)
            except UnicodeError:
                return f", line {number}"
    return ""
