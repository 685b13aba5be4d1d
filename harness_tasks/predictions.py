"""Existing predictions for `dnc score`: a JSON-lines or CSV file of row ids and outputs."""

from __future__ import annotations

import csv
import json
import sqlite3
import sys
from collections.abc import Callable, Iterator, Mapping, Sequence
from collections.abc import Set as AbstractSet
from pathlib import Path
from typing import Any

from dnc_datasets import json_lines, untrusted
from dnc_datasets.errors import DncError
from dnc_harness.errors import HarnessError

# Allowed names of the column of outputs; the first that a row has is used.
OUTPUTS = ("output", "prediction", "reply", "response", "completion", "answer")
_CACHE = 8 << 10  # kilobytes of the database that remain in memory
_MAX_FIELD = 16 * 1024 * 1024
_SHOWN = 3
ConfigOf = Callable[[Mapping[str, Any]], str]  # the config of a prediction; empty if it is not stated


class Outputs(Mapping[str, str]):
    """The outputs of one config by row id, in a temporary database."""

    def __init__(self, database: sqlite3.Connection, config: str) -> None:
        self._database, self._config = database, config

    def __getitem__(self, row: str) -> str:
        found = self._database.execute(
            "SELECT output FROM outputs WHERE config = ? AND id = ?", (self._config, row)
        )
        output = found.fetchone()
        if output is None:
            raise KeyError(row)
        return str(output[0])

    def __iter__(self) -> Iterator[str]:
        rows = self._database.execute(
            "SELECT id FROM outputs WHERE config = ? ORDER BY place", (self._config,)
        )
        return (str(row) for (row,) in rows)

    def __len__(self) -> int:
        found = self._database.execute("SELECT count(*) FROM outputs WHERE config = ?", (self._config,))
        return int(found.fetchone()[0])


class Predictions:
    """Outputs by config and row id, in a database that SQLite keeps in memory or in a temporary file."""

    def __init__(self) -> None:
        # The empty name is a temporary database, which SQLite removes when it is closed.
        self._database = sqlite3.connect("", isolation_level=None, check_same_thread=False)
        self._database.execute(f"PRAGMA cache_size = -{_CACHE}")
        self._database.execute("PRAGMA journal_mode = OFF")
        self._database.execute(
            "CREATE TABLE outputs (place INTEGER PRIMARY KEY, config TEXT, id TEXT, output TEXT, UNIQUE (config, id))"
        )
        self._database.execute("BEGIN")

    def add(self, path: Path, config: str = "", config_of: ConfigOf = lambda row: "") -> None:
        """Add a file. The config is in a column `config`, or from `config_of`, or the same for all rows."""
        before, own, doubles = set(self.configs()), set[str](), list[str]()
        for number, of, row_id, output in _outputs(path, config, config_of):
            if of in before:
                raise HarnessError(f"{path}: predictions of {of} were given before; give each config once")
            own.add(of)
            added = self._database.execute(
                "INSERT OR IGNORE INTO outputs (config, id, output) VALUES (?, ?, ?)", (of, row_id, output)
            )
            if not added.rowcount:
                doubles.append(f"{row_id} (line {number})")
        if doubles:
            raise HarnessError(f"{path}: {_some(doubles)} given more than once; keep one output for each id")
        if not own:
            raise HarnessError(f"{path} holds no predictions")

    def configs(self) -> list[str]:
        """Return the configs in the order of their first output."""
        found = self._database.execute("SELECT config FROM outputs GROUP BY config ORDER BY min(place)")
        return [config for (config,) in found]

    def of(self, config: str) -> Outputs:
        """Return the outputs of a config."""
        return Outputs(self._database, config)


def is_question(line: str) -> bool:
    """Return whether the first line of a file is a question as `--questions` writes it, without a reply.

    >>> is_question('{"config": "tiny", "id": "a", "prompt": "How many?"}')
    True
    >>> is_question('{"config": "tiny", "id": "a", "prompt": "How many?", "output": "7"}')
    False
    """
    try:
        found = untrusted.parse(line.encode(), "the first line")
    except DncError:
        return False
    return isinstance(found, dict) and found.keys() == {"config", "id", "prompt"}


def read(path: Path, config: str = "") -> dict[str, Outputs]:
    """Return config -> row id -> output of one file."""
    given = Predictions()
    given.add(path, config)
    return {name: given.of(name) for name in given.configs()}


def _outputs(path: Path, config: str, config_of: ConfigOf) -> Iterator[tuple[int, str, str, str]]:
    """Yield the line, the config, the row id and the output of each prediction."""
    for number, row in _rows(path):
        row_id, column = row.get("id"), next((name for name in OUTPUTS if name in row), "")
        output = row.get(column)
        if row_id is not None and column and output is None:
            raise HarnessError(
                f"{path}, line {number}: `{column}` of row {row_id!r:.60} is null; give the reply as text, an empty "
                'one as ""'
            )
        if row_id is None or output is None:
            raise HarnessError(
                f"{path}, line {number}: a row needs `id` and one of {', '.join(OUTPUTS)}; it has "
                f"{', '.join(map(str, row)) or 'nothing'}"
            )
        of = str(row.get("config") or config_of(row) or config)
        if not of:
            raise HarnessError(
                f"{path}, line {number}: which config is it? Give --config NAME, or a column `config`"
            )
        text = output if isinstance(output, str) else json.dumps(output, ensure_ascii=False)
        yield number, of, str(row_id), text


def check(
    config: str,
    outputs: Mapping[str, str],
    ids: Sequence[str],
    *,
    partial: bool = False,
    left_out: AbstractSet[str] = frozenset(),
) -> None:
    """Raise an error that names some missing or unknown ids; `left_out` may have outputs."""
    known = {*left_out, *ids}
    unknown = [row for row in outputs if row not in known]
    if unknown:
        raise HarnessError(
            f"{config}: {_some(unknown)} no test row of it; were the predictions made for another config or "
            "version?"
        )
    # Every output is known and ids are distinct, so the count shows whether a row has no output.
    is_complete = len(outputs) - len(left_out) >= len(ids)
    missing = [] if partial or is_complete else [row for row in ids if row not in outputs]
    if missing:
        raise HarnessError(
            f"{config}: {_some(missing)} without an output, of {len(ids)} rows; add them, or give --partial to "
            "score the others alone"
        )


def _some(ids: Sequence[str]) -> str:
    shown = ", ".join(map(str, ids[:_SHOWN]))
    more = f" and {len(ids) - _SHOWN} more" if len(ids) > _SHOWN else ""
    return f"row{'s' if len(ids) > 1 else ''} {shown}{more} {'are' if len(ids) > 1 else 'is'}"


def _rows(path: Path) -> Iterator[tuple[int, Mapping[str, Any]]]:
    if not path.is_file():
        raise HarnessError(f"there is no file {path}")
    if path.suffix.lower() != ".csv":
        yield from json_lines.objects(path, error=HarnessError, exact=True)
        return
    try:
        with path.open(encoding="utf-8-sig", newline="") as file:
            csv.field_size_limit(min(_MAX_FIELD, sys.maxsize))
            reader = csv.DictReader(file)
            for row in reader:
                found = {key: value for key, value in row.items() if key and value is not None}
                yield reader.line_num, found
    except (OSError, UnicodeDecodeError, csv.Error) as error:
        raise HarnessError(f"{path} cannot be read: {error}; save it as UTF-8") from error
