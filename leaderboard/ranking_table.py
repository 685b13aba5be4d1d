"""The ranking as a sortable HTML table, the same on the report page and the leaderboard."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass

from dnc_datasets.escaping import html as escape
from dnc_leaderboard import charts
from dnc_leaderboard.figures import interval, percent, points, words
from dnc_leaderboard.ranking import JUDGED, OPENNESS, Ranked
from dnc_leaderboard.summary import judged
from dnc_metrics import verdict_words
from dnc_metrics.record import Line

_MARKS = ", ".join(map(verdict_words.words, (*charts.COLOURS, "not judged")))
_CAPTION = (
    "Robust accuracy: the share of changed problems that a system answers, in the capability where it answers the "
    f"fewest. Capabilities show the points of accuracy that are lost, with the 95 % interval, and a verdict: {_MARKS}. "
    "Consistency: of the problems that are right unchanged, the share that is right in every changed form."
)


@dataclass(frozen=True)
class _Column:
    """A column: its heading, the value to sort by, the HTML of a cell, and whether small values come first."""

    heading: str
    value: Callable[[Ranked], float | str | None]
    shown: Callable[[Ranked], str]
    is_text: bool = False
    small_first: bool = False


def html(rows: Sequence[Ranked], caption: str = _CAPTION) -> str:
    """Return the table, without columns that have no values, or the same place in all rows."""
    columns = [column for column in _columns(rows) if any(column.value(row) is not None for row in rows)]
    head = "".join(
        f'<th scope="col"{_kind(column)} data-first="{"ascending" if column.small_first else "descending"}">'
        f'<button type="button">{escape(column.heading)}</button></th>'
        for column in columns
    )
    lines = []
    for at, row in enumerate(rows, 1):
        name = escape(row.system)
        linked = f'<a href="{escape(row.link)}">{name}</a>' if row.link else name
        cells = "".join(_cell(column, row) for column in columns)
        findings = "".join(
            f'<span class="finding">{verdict_words.PROBE_FINDING} {escape(one)}</span>'
            for one in row.findings
        )
        lines.append(
            f'<tr><td data-label="rank" data-value="{at}">{at}</td>'
            f'<th scope="row" data-value="{name}">{linked}{findings}</th>{cells}</tr>'
        )
    return (
        f'<table class="ranking"><caption>{escape(caption)}</caption><thead><tr>'
        '<th scope="col" data-first="ascending" aria-sort="ascending"><button type="button">rank</button></th>'
        '<th scope="col" class="text" data-first="ascending"><button type="button">system</button></th>'
        f"{head}</tr></thead><tbody>{''.join(lines)}</tbody></table>"
    )


def _kind(column: _Column) -> str:
    return ' class="text"' if column.is_text else ""


def _cell(column: _Column, row: Ranked) -> str:
    value = column.value(row)
    key = "" if value is None else f"{value:g}" if isinstance(value, float) else str(value)
    content = "" if value is None else column.shown(row)
    return (
        f'<td{_kind(column)} data-label="{escape(column.heading)}" data-value="{escape(key)}">{content}</td>'
    )


def _columns(rows: Sequence[Ranked]) -> list[_Column]:
    where = [
        _text(name, field)
        for name, field in (("dataset", "dataset"), ("setting", "setting"), ("prompt", "prompt"))
        if len({getattr(row, field) for row in rows}) > 1
    ]
    figures = [
        _Column("original accuracy %", lambda row: row.accuracy, lambda row: percent(row.accuracy)),
        _Column("robust accuracy %", lambda row: row.robust, lambda row: f"<b>{percent(row.robust)}</b>"),
    ]
    return [
        *where,
        *figures,
        *(_capability(name) for name in JUDGED),
        _Column("consistency %", lambda row: row.consistency, lambda row: percent(row.consistency)),
        _Column("billions", lambda row: row.billions, lambda row: f"{row.billions:g}"),
        _Column(
            "open or closed",
            lambda row: row.openness if row.openness != OPENNESS[-1] else None,
            lambda row: escape(row.openness),
            is_text=True,
        ),
        _text("date", "date"),
    ]


def _text(heading: str, field: str) -> _Column:
    return _Column(
        heading,
        lambda row: getattr(row, field) or None,
        lambda row: escape(getattr(row, field)),
        is_text=True,
    )


def _capability(name: str) -> _Column:
    def value(row: Ranked) -> float | None:
        line = row.lines.get(name)
        return line.drop if line is not None and judged(line) else None

    def shown(row: Ranked) -> str:
        return _verdict(row.lines[name], row.margin)

    return _Column(words(name), value, shown, small_first=True)


def _verdict(line: Line, margin: float) -> str:
    """Return the mark in the colour of its verdict, the drop, and its interval; the words are the tooltip."""
    mark = verdict_words.mark(line.verdict)
    label = verdict_words.words(line.verdict, margin)[2:]
    return (
        f'<span class="verdict" title="{escape(label)}"><span style="color:{charts.colour(line)}" '
        f'role="img" aria-label="{escape(label)}">{mark}</span> {points(line.drop)}'
        f"<small>{interval(line.interval)}</small></span>"
    )
