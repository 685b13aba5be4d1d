"""Forms of tables in users' files: rows, records, columns, Markdown, HTML and CSV.

All are read as rows of cells.
"""

from __future__ import annotations

import csv
import re
from collections.abc import Mapping, Sequence
from html.parser import HTMLParser
from typing import Any, Final

from dnc_datasets.errors import ProblemError

_RULE_MARKS: Final = frozenset("|:- \t")
_MOST: Final = 1 << 20  # characters of a table in one text
_MOST_SPANNED: Final = 50
_FEWEST_LINES: Final = 2
# A vertical bar that no backslash escapes.
_BAR: Final = re.compile(r"(?<!\\)\|")
_START: Final = re.compile(r"<table\b", re.IGNORECASE)
_END: Final = re.compile(r"</table ?>", re.IGNORECASE)
# Names of the two parts of a table that is kept as its heading and its rows.
_HEADINGS: Final = ("header", "headers", "columns")
_ROWS: Final = ("rows", "data")


def rows_of(table: Any) -> list[list[str]] | None:
    """Return the rows of a table in any of these forms, or None for another form.

    >>> rows_of([{"year": "2019", "sales": "5"}])
    [['year', 'sales'], ['2019', '5']]
    >>> rows_of("| year | sales |\\n|---|---|\\n| 2019 | 5 |")
    [['year', 'sales'], ['2019', '5']]
    """
    if isinstance(table, str):
        return _of_text(table) if len(table) <= _MOST else None
    if isinstance(table, Mapping):
        return _of_parts(table) or _of_columns(table)
    if not _is_list(table) or not table:
        return None
    if all(isinstance(row, Mapping) for row in table):
        names = list(dict.fromkeys(name for row in table for name in row))
        return [list(map(str, names)), *([_cell(row.get(name)) for name in names] for row in table)]
    return [[_cell(cell) for cell in row] for row in table] if all(map(_is_list, table)) else None


def lifted(body: str) -> tuple[list[list[str]], str] | None:
    """Return the Markdown or HTML table inside a text and the text without it, or None where there is none.

    A text with several tables is an error: a problem has one.

    >>> lifted("Sales:\\n| year | sales |\\n|---|---|\\n| 2019 | 5 |\\nAll in dollars.")
    ([['year', 'sales'], ['2019', '5']], 'Sales:\\n\\nAll in dollars.')
    """
    if len(body) > _MOST:
        return None
    places = _markup(body) or _drawn(body)
    if len(places) > 1:
        raise ProblemError(
            f"its text holds {len(places)} tables; give the one that the question needs in the field 'table', and "
            "leave the others out"
        )
    if not places:
        return None
    start, end = places[0]
    rows = _of_text(body[start:end])
    return (rows, _joined(body[:start], body[end:])) if rows else None


def _drawn(body: str) -> list[tuple[int, int]]:
    """Return the start and end of each table of lines with vertical bars."""
    places = []
    at, start = 0, -1
    block: list[str] = []
    for line in (*body.splitlines(keepends=True), ""):
        if _BAR.search(line):
            start = start if block else at
            block.append(line.strip())
        else:
            if _is_table(block):
                places.append((start, at))
            block = []
        at += len(line)
    return places


def _is_table(lines: Sequence[str]) -> bool:
    """Return whether lines with bars are a table: it has a rule, or equally many cells in each row."""
    if len(lines) < _FEWEST_LINES:
        return False
    if _is_rule(lines[1]):
        return len(lines) > _FEWEST_LINES
    widths = {len(_bars(line)) for line in lines}
    return len(widths) == 1 and any(sign.isdigit() for line in lines[1:] for sign in line)


def _markup(body: str) -> list[tuple[int, int]]:
    """Return where the HTML tables of a text start and end."""
    places = []
    at = 0
    while (start := _START.search(body, at)) and (end := _END.search(body, start.end())):
        places.append((start.start(), end.end()))
        at = end.end()
    return places


def _is_rule(line: str) -> bool:
    """Return whether a line is the rule below the heading of a Markdown table."""
    return "-" in line and _RULE_MARKS.issuperset(line)


def _joined(before: str, after: str) -> str:
    return "\n\n".join(part for part in (before.strip(), after.strip()) if part)


def _of_parts(table: Mapping[Any, Any]) -> list[list[str]] | None:
    """Return the rows of {"header": [...], "rows": [[...], ...]}."""
    heading = next((table[name] for name in _HEADINGS if name in table), None)
    rows = next((table[name] for name in _ROWS if name in table), None)
    if not _is_list(heading) or not _is_list(rows) or not rows or not all(map(_is_list, rows)):
        return None
    return [[_cell(cell) for cell in row] for row in (heading, *rows)]


def _of_columns(table: Mapping[Any, Any]) -> list[list[str]] | None:
    columns = list(table.values())
    if not columns or not all(map(_is_list, columns)) or len({len(column) for column in columns}) > 1:
        return None
    return [list(map(str, table)), *([_cell(cell) for cell in row] for row in zip(*columns, strict=True))]


def _is_list(value: Any) -> bool:
    return isinstance(value, Sequence) and not isinstance(value, str)


def _cell(value: Any) -> str:
    return "" if value is None else str(value)


def _of_text(text: str) -> list[list[str]] | None:
    if "<t" in text.lower():
        reader = _Html()
        reader.feed(text)
        return reader.table() or None
    lines = [line for line in text.splitlines() if line.strip()]
    if len(lines) > 1 and all("|" in line for line in lines):
        return [_bars(line) for at, line in enumerate(lines) if at != 1 or not _is_rule(line)]
    delimiter = max("\t;,", key=lambda sign: min(line.count(sign) for line in lines)) if lines else ","
    if len(lines) < 2 or not all(delimiter in line for line in lines):
        return None
    return [[cell.strip() for cell in row] for row in csv.reader(lines, delimiter=delimiter)]


def _bars(line: str) -> list[str]:
    """Return the cells of a line of Markdown, without the bars at both ends."""
    line = line.strip()
    framed = line.removeprefix("|")
    framed = framed if framed.endswith("\\|") else framed.removesuffix("|")
    return [cell.strip().replace("\\|", "|") for cell in _BAR.split(framed)]


class _Html(HTMLParser):
    """Collects the cells of the rows of a table. A cell that spans several places fills the first of them."""

    def __init__(self) -> None:
        super().__init__()
        self._rows: list[list[str]] = []
        self._below: dict[int, int] = {}  # column -> rows below that a cell of an earlier row still fills
        self._open = False
        self._at = 0  # the place of the open cell in its row

    def table(self) -> list[list[str]]:
        """The rows that have cells."""
        return [[" ".join(cell.split()) for cell in row] for row in self._rows if row]

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        if tag == "tr":
            self._rows.append([])
        elif tag in ("td", "th") and self._rows:
            row, spans = self._rows[-1], dict(attrs)
            self._fill(row)
            for extra in range(_spanned(spans.get("colspan"))):
                if (rows := _spanned(spans.get("rowspan"))) > 1:
                    self._below[len(row)] = rows - 1
                row.append("")
                self._at = len(row) - 1 - extra
        elif self._open and tag in ("br", "p", "div", "li"):
            self._write(" ")
        elif self._open and tag == "sup":
            self._write(" (")
        self._open = tag in ("td", "th") or (self._open and tag not in ("tr", "table"))

    def handle_endtag(self, tag: str) -> None:
        if self._open and tag == "sup":
            self._write(")")
        if tag == "tr" and self._rows:
            self._fill(self._rows[-1])
        self._open = self._open and tag not in ("td", "th", "tr")

    def handle_data(self, data: str) -> None:
        if self._open:
            self._write(data)

    def _fill(self, row: list[str]) -> None:
        """Skip the places that a cell of an earlier row fills."""
        while self._below.get(len(row), 0):
            self._below[len(row)] -= 1
            row.append("")

    def _write(self, text: str) -> None:
        if self._rows and self._rows[-1]:
            self._rows[-1][self._at] += text


def _spanned(value: str | None) -> int:
    return (
        min(int(value), _MOST_SPANNED) if value and value.isascii() and value.isdigit() and int(value) else 1
    )
