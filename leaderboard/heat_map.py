"""The heat map of a report: drops of several systems, by perturbation, over the full width of the page."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from dnc_datasets.escaping import html as escape
from dnc_leaderboard import charts
from dnc_leaderboard._html import wide
from dnc_leaderboard.figures import interval, percent, points, words
from dnc_metrics import verdict_words
from dnc_metrics.capabilities import PROBE
from dnc_metrics.record import Line, Record, Table

Place = tuple[str, str, str, str]
MEASURES = {"drop": "drop in points", "relative": "relative drop in %", "after": "accuracy after"}
# Up to this number, systems are columns; more systems are rows, with the perturbations as columns.
_MAX_ACROSS = 6
_FLAT = 0.03  # smaller drops and gains have no colour, in light and dark
_NO_CELL = '<td class="none">–</td>'
_Cells = Mapping[str, Mapping[str, str]]  # system -> perturbation -> cell


def place(table: Table) -> Place:
    """Return the key that tables of several systems must share to be shown together."""
    return table.dataset, table.fold, table.setting, table.prompt


def section(records: Sequence[Record]) -> str:
    """Return a heat map for each place with results; empty for one system."""
    if len(records) < 2:
        return ""
    places = dict.fromkeys(place(table) for record in records for table in record.tables)
    switch = "".join(
        f'<label><input type="radio" name="measure" value="{value}"{" checked" * (value == "drop")}> {text}</label>'
        for value, text in MEASURES.items()
    )
    return (
        f'<section id="heat"><h2>Heat map</h2><fieldset class="switch"><legend>Show</legend>{switch}</fieldset>'
        f"{''.join(_heat_map(one, records) for one in places)}</section>"
    )


def _heat_map(at: Place, records: Sequence[Record]) -> str:
    groups: dict[str, dict[str, None]] = {}
    cells: dict[str, dict[str, str]] = {}
    for record in records:
        for line in (line for table in record.tables if place(table) == at for line in table.lines):
            if not line.is_capability:
                groups.setdefault(line.capability, {})[line.name] = None
                cells.setdefault(record.system.name, {})[line.name] = _cell(line)
    content = _by_perturbation(groups, cells) if len(cells) <= _MAX_ACROSS else _by_system(groups, cells)
    where = " ".join(part for part in at if part)
    legend = escape(", ".join(map(verdict_words.words, charts.COLOURS)))
    return f"<h3>{escape(where)}</h3>" + wide(
        f"Heat map {where}",
        f'<table class="heat"><caption>On the rows that each perturbation changed; {legend}</caption>'
        f"{content}</table>",
    )


def _by_system(groups: Mapping[str, Mapping[str, None]], cells: _Cells) -> str:
    top = "".join(
        f'<th colspan="{len(names)}" scope="colgroup">{escape(words(group))}</th>'
        for group, names in groups.items()
    )
    ordered = [name for names in groups.values() for name in names]
    head = "".join(f'<th scope="col">{escape(words(name))}</th>' for name in ordered)
    body = "".join(
        f'<tr><th scope="row">{escape(system)}</th>{"".join(own.get(name, _NO_CELL) for name in ordered)}</tr>'
        for system, own in cells.items()
    )
    return f'<thead><tr><td></td>{top}</tr><tr><th scope="col">system</th>{head}</tr></thead><tbody>{body}</tbody>'


def _by_perturbation(groups: Mapping[str, Mapping[str, None]], cells: _Cells) -> str:
    head = "".join(f'<th scope="col">{escape(system)}</th>' for system in cells)
    parts = []
    for group, names in groups.items():
        parts.append(f'<tr><th colspan="{len(cells) + 1}" scope="rowgroup">{escape(words(group))}</th></tr>')
        for name in names:
            own = "".join(own_cells.get(name, _NO_CELL) for own_cells in cells.values())
            parts.append(f'<tr><th scope="row">{escape(words(name))}</th>{own}</tr>')
    top = f'<tr><th scope="col">perturbation</th>{head}</tr>'
    return f"<thead>{top}</thead><tbody>{''.join(parts)}</tbody>"


def _cell(line: Line) -> str:
    if line.drop is None:
        return _NO_CELL
    verdict, mark = line.verdict, verdict_words.mark(line.verdict)
    is_probe = line.capability == PROBE
    if is_probe or abs(line.drop) < _FLAT:
        look = f'class="cell flat{" warn" * (is_probe and mark == verdict_words.PROBE_FINDING)}"'
    else:
        look = (
            f'class="cell{" dark" * charts.is_dark(line.drop)}" style="background:{charts.shade(line.drop)}"'
        )
    return (
        f"<td {look} "
        f'data-drop="{points(line.drop)}" data-relative="{percent(line.relative)}" data-after="{percent(line.after)}" '
        f'title="{escape(verdict)} {interval(line.interval)}, n = {line.n}"><span aria-hidden="true">{mark} </span>'
        f'<b>{points(line.drop)}</b><span class="said"> {escape(verdict)}</span></td>'
    )
