"""Predictions that somebody already has: a JSON-lines or CSV file of row ids and outputs, for `dnc score`."""

from __future__ import annotations

import csv
import json
import sys
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any

from dnc_datasets import json_lines
from dnc_harness.errors import HarnessError

# What the column of outputs may be called; the first that a row has is taken.
OUTPUTS = ("output", "prediction", "reply", "response", "completion", "answer")
_MAX_FIELD = 16 * 1024 * 1024
_SHOWN = 3


def read(path: Path, config: str = "") -> dict[str, dict[str, str]]:
    """Config -> row id -> output. Rows name their config in a column `config`, or all belong to `config`."""
    found: dict[str, dict[str, str]] = {}
    doubles: list[str] = []
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
        of = str(row.get("config") or config)
        if not of:
            raise HarnessError(
                f"{path}, line {number}: which config is it? Give --config NAME, or a column `config`"
            )
        rows = found.setdefault(of, {})
        if str(row_id) in rows:
            doubles.append(f"{row_id} (line {number})")
        rows[str(row_id)] = output if isinstance(output, str) else json.dumps(output, ensure_ascii=False)
    if doubles:
        raise HarnessError(f"{path}: {_some(doubles)} given more than once; keep one output for each id")
    if not found:
        raise HarnessError(f"{path} holds no predictions")
    return found


def matched(
    config: str, outputs: Mapping[str, str], ids: Sequence[str], *, partial: bool = False
) -> dict[str, str]:
    """The outputs of these rows; ids that are missing or unknown are an error that names some of them."""
    known = set(ids)
    unknown = [row for row in outputs if row not in known]
    if unknown:
        raise HarnessError(
            f"{config}: {_some(unknown)} no test row of it; were the predictions made for another config or "
            "version?"
        )
    missing = [row for row in ids if row not in outputs]
    if missing and not partial:
        raise HarnessError(
            f"{config}: {_some(missing)} without an output, of {len(ids)} rows; add them, or give --partial to "
            "score the others alone"
        )
    return {row: outputs[row] for row in ids if row in outputs}


def _some(ids: Sequence[str]) -> str:
    shown = ", ".join(map(str, ids[:_SHOWN]))
    more = f" and {len(ids) - _SHOWN} more" if len(ids) > _SHOWN else ""
    return f"row{'s' if len(ids) > 1 else ''} {shown}{more} {'are' if len(ids) > 1 else 'is'}"


def _rows(path: Path) -> Iterator[tuple[int, Mapping[str, Any]]]:
    if not path.is_file():
        raise HarnessError(f"there is no file {path}")
    if path.suffix.lower() != ".csv":
        yield from json_lines.objects(path, error=HarnessError)
        return
    try:
        with path.open(encoding="utf-8-sig", newline="") as file:
            csv.field_size_limit(min(_MAX_FIELD, sys.maxsize))
            reader = csv.DictReader(file)
            for row in reader:
                found = {key: value for key, value in row.items() if key and value is not None}
                yield reader.line_num, found
    except (UnicodeDecodeError, csv.Error) as error:
        raise HarnessError(f"{path} cannot be read: {error}; save it as UTF-8") from error
