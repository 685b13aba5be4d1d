"""The forms in which people keep tables: rows, records, columns, Markdown, HTML and CSV, all read as rows of cells."""

from __future__ import annotations

import csv
import re
from collections.abc import Mapping, Sequence
from html.parser import HTMLParser
from typing import Any, Final

_RULE: Final = re.compile(r"[|:\s-]+")
_MOST: Final = 1 << 20  # characters of a table in one text


def rows_of(table: Any) -> list[list[str]] | None:
    """The rows of a table in any of these forms; None where it is none of them.

    >>> rows_of([{"year": "2019", "sales": "5"}])
    [['year', 'sales'], ['2019', '5']]
    >>> rows_of("| year | sales |\\n|---|---|\\n| 2019 | 5 |")
    [['year', 'sales'], ['2019', '5']]
    """
    if isinstance(table, str):
        return _of_text(table) if len(table) <= _MOST else None
    if isinstance(table, Mapping):
        columns = list(table.values())
        if not columns or not all(map(_is_list, columns)) or len({len(column) for column in columns}) > 1:
            return None
        return [list(map(str, table)), *([_cell(cell) for cell in row] for row in zip(*columns, strict=True))]
    if not _is_list(table) or not table:
        return None
    if all(isinstance(row, Mapping) for row in table):
        names = list(dict.fromkeys(name for row in table for name in row))
        return [list(map(str, names)), *([_cell(row.get(name)) for name in names] for row in table)]
    return [[_cell(cell) for cell in row] for row in table] if all(map(_is_list, table)) else None


def _is_list(value: Any) -> bool:
    return isinstance(value, Sequence) and not isinstance(value, str)


def _cell(value: Any) -> str:
    return "" if value is None else str(value)


def _of_text(text: str) -> list[list[str]] | None:
    lines = [line.strip() for line in text.strip().splitlines() if line.strip()]
    if "<t" in text.lower():
        reader = _Html()
        reader.feed(text)
        return [row for row in reader.rows if row] or None
    if len(lines) > 1 and all("|" in line for line in lines):
        cells = [
            [cell.strip() for cell in line.strip("|").split("|")]
            for line in lines
            if not _RULE.fullmatch(line)
        ]
        return cells or None
    delimiter = max("\t;,", key=lambda sign: min(line.count(sign) for line in lines)) if lines else ","
    if len(lines) < 2 or not all(delimiter in line for line in lines):
        return None
    return [[cell.strip() for cell in row] for row in csv.reader(lines, delimiter=delimiter)]


class _Html(HTMLParser):
    """Collects the cells of the rows of a table."""

    def __init__(self) -> None:
        super().__init__()
        self.rows: list[list[str]] = []
        self._open = False

    def handle_starttag(self, tag: str, attrs: object) -> None:
        if tag == "tr":
            self.rows.append([])
        self._open = tag in ("td", "th") or (self._open and tag not in ("tr", "table"))
        if tag in ("td", "th") and self.rows:
            self.rows[-1].append("")

    def handle_endtag(self, tag: str) -> None:
        self._open = self._open and tag not in ("td", "th", "tr")

    def handle_data(self, data: str) -> None:
        if self._open and self.rows and self.rows[-1]:
            self.rows[-1][-1] = " ".join(f"{self.rows[-1][-1]} {data}".split())
