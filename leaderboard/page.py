"""The report as one HTML file that needs no network: summary, heat map, drops, causes, break-downs, failures.

Every figure is written by Python, so that the page says the same without scripts and in print; the script
only filters, switches and searches. All text of records is escaped: names and replies are data.
"""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from html import escape
from importlib.resources import files

from dnc_datasets.version import __version__
from dnc_leaderboard import charts, failures, recovery
from dnc_leaderboard._html import folded, table, wide
from dnc_leaderboard.figures import (
    CANNOT_SEE,
    CAPABILITIES,
    HEADINGS,
    PROBE,
    consistency,
    figures,
    interval,
    members,
    originals,
    percent,
    points,
    verdict,
    words,
)
from dnc_leaderboard.record import Line, Outcome, Record, Strength, Table, by_cell
from dnc_leaderboard.summary import judged, sentences

System = tuple[Record, Sequence[Outcome]]
_SECTIONS = {
    "summary": "Summary",
    "heat": "Heat map",
    "severity": "Severity",
    "recovery": "Recovery",
    "system0": "Systems",
    "failures": "Failures",
    "notes": "Notes",
}
_MEASURES = {"drop": "drop in points", "relative": "relative drop in %", "after": "accuracy after"}
_KINDS = (
    "operation",
    "operators",
    "quantities",
    "answer size",
    "answer type",
    "turn",
    "variation",
    "category",
)
_MAX_TILED = 6  # tables whose capabilities are shown as tiles; the heat map says the same of many
# Perturbations side by side in a heat map; more of them stand below each other, where systems are fewer.
_MAX_ACROSS = 12
_LEAD = """Does a system understand the numbers of a problem, or does it only look as if it did? {} answered the same
problems twice: as they are, and after a change that a reader who understands them does not mind. The accuracy that a
change costs shows which capability is missing:"""
_NOTES = """<h2>How to read this</h2><p>Accuracy before and after is on the rows that a perturbation changed,
in %; a drop is a loss in points. Intervals hold for all lines of a table together, over clusters of rows that
belong together (a template, a passage, a table, a conversation); verdicts follow from them alone. <b>▼ drop</b>
and <b>▲ gain</b>: zero is outside. <b>● no drop above the margin</b>: all of the interval is below the margin.
<b>○ undecided</b>: more rows are needed, about as many as it says if the drop stays. A cause is the share of wrong
answers that it explains; what it would explain by chance is measured on other rows' wrong answers.</p>"""


def page(systems: Sequence[System], title: str = "DNC report") -> str:
    """The whole page."""
    assets = files("dnc_leaderboard").joinpath("assets")
    style, script = (assets.joinpath(f"page.{end}").read_text("utf-8") for end in ("css", "js"))
    parts = [
        _summary(systems),
        _heat_maps(systems),
        _severity(systems),
        _recovery(systems),
        *(_system(at, record, rows) for at, (record, rows) in enumerate(systems)),
        failures.section(list(failures.failures(systems))),
        _notes(systems),
    ]
    body = "".join(parts)
    links = "".join(
        f'<a href="#{name}">{text}</a>' for name, text in _SECTIONS.items() if f' id="{name}"' in body
    )
    return (
        '<!doctype html>\n<html lang="en"><head><meta charset="utf-8">'
        '<meta name="viewport" content="width=device-width, initial-scale=1">'
        '<meta http-equiv="Content-Security-Policy" content="default-src \'none\'; '
        "style-src 'unsafe-inline'; script-src 'unsafe-inline'; img-src data:\">"
        f"<title>{escape(title)}</title><style>{style}</style></head><body>"
        f'<a class="skip" href="#main">Skip to the content</a><header><h1>{escape(title)}</h1>'
        f'<nav aria-label="Sections">{links}</nav><button id="theme" type="button">Light or dark</button></header>'
        f'<main id="main">{body}</main><script>{script}</script></body></html>\n'
    )


def _summary(systems: Sequence[System]) -> str:
    tables = [(record, found) for record, _ in systems for found in record.tables]
    few = len(tables) <= _MAX_TILED
    parts = [
        f"<li>{escape(sentence)}{_tiles(record, found) if few else ''}</li>"
        for record, _ in systems
        for sentence, found in zip(sentences(record), record.tables, strict=True)
    ]
    lead = _LEAD.format("This system" if len(systems) == 1 else f"These {len(systems)} systems")
    tested = {line.capability for _, found in tables for line in found.lines}
    meanings = "".join(
        f"<dt>{escape(words(name))}</dt><dd>{escape(meaning)}</dd>"
        for name, meaning in CAPABILITIES.items()
        if name in tested
    )
    return (
        f'<section id="summary"><h2>In short</h2><p>{lead}</p><dl>{meanings}</dl>'
        f'<ul class="sentences">{"".join(parts)}</ul></section>'
    )


def _tiles(record: Record, found: Table) -> str:
    """The capabilities side by side, each with its verdict in shape and words."""
    tiles = []
    for line in found.lines:
        if not line.is_capability or line.drop is None:
            continue
        said = verdict(line.verdict, line.decide) if judged(record, line) else f"– {CANNOT_SEE}"
        faulted = judged(record, line) and line.capability != PROBE
        colour = charts.COLOURS.get(line.verdict, "") if faulted else ""
        style = f' style="border-color:{colour}"' if colour else ""
        tiles.append(
            f'<div class="tile"{style}><b>{escape(words(line.name))}</b><span>{escape(said)}</span>'
            f"<span>{percent(line.before)} → {percent(line.after)} %</span>"
            f"<small>{points(line.drop)} points {interval(line.interval)}</small>"
            f"<small>on {line.n} changed rows</small></div>"
        )
    return f'<div class="tiles">{"".join(tiles)}</div>'


def _heat_maps(systems: Sequence[System]) -> str:
    keys = dict.fromkeys(_key(found) for record, _ in systems for found in record.tables)
    switch = "".join(
        f'<label><input type="radio" name="measure" value="{value}"{" checked" * (value == "drop")}> {text}</label>'
        for value, text in _MEASURES.items()
    )
    return (
        f'<section id="heat"><h2>Heat map</h2><fieldset class="switch"><legend>Show</legend>{switch}</fieldset>'
        f"{''.join(_heat_map(key, systems) for key in keys)}</section>"
    )


def _key(found: Table) -> tuple[str, str, str, str]:
    return found.dataset, found.fold, found.setting, found.prompt


def _where(found: Table) -> str:
    return " ".join(part for part in _key(found) if part)


def _heat_map(key: tuple[str, str, str, str], systems: Sequence[System]) -> str:
    """One table: systems by perturbations, these side by side or, where they are many, below each other."""
    columns: dict[str, dict[str, None]] = {}
    rows: dict[str, dict[str, str]] = {}
    for record, _ in systems:
        for line in (line for found in record.tables if _key(found) == key for line in found.lines):
            if not line.is_capability:
                columns.setdefault(line.capability, {})[line.name] = None
                rows.setdefault(record.system.name, {})[line.name] = _heat_cell(record, line)
    across = sum(map(len, columns.values())) <= max(_MAX_ACROSS, len(rows))
    content = _side_by_side(columns, rows) if across else _below_each_other(columns, rows)
    where = " ".join(part for part in key if part)
    legend = escape(", ".join(map(verdict, charts.COLOURS)))
    return f"<h3>{escape(where)}</h3>" + wide(
        f"Heat map {where}",
        f'<table class="heat"><caption>On the rows that each perturbation changed; {legend}</caption>'
        f"{content}</table>",
    )


_NO_CELL = '<td class="none">–</td>'
_Cells = Mapping[str, Mapping[str, str]]  # system -> perturbation -> cell


def _side_by_side(columns: Mapping[str, Mapping[str, None]], rows: _Cells) -> str:
    groups = "".join(
        f'<th colspan="{len(names)}" scope="colgroup">{escape(words(group))}</th>'
        for group, names in columns.items()
    )
    ordered = [name for names in columns.values() for name in names]
    head = "".join(f'<th scope="col">{escape(words(name))}</th>' for name in ordered)
    body = "".join(
        f'<tr><th scope="row">{escape(system)}</th>{"".join(found.get(name, _NO_CELL) for name in ordered)}</tr>'
        for system, found in rows.items()
    )
    top = f'<tr><td></td>{groups}</tr><tr><th scope="col">system</th>{head}</tr>'
    return f"<thead>{top}</thead><tbody>{body}</tbody>"


def _below_each_other(columns: Mapping[str, Mapping[str, None]], rows: _Cells) -> str:
    head = "".join(f'<th scope="col">{escape(system)}</th>' for system in rows)
    parts = []
    for group, names in columns.items():
        parts.append(f'<tr><th colspan="{len(rows) + 1}" scope="rowgroup">{escape(words(group))}</th></tr>')
        for name in names:
            cells = "".join(found.get(name, _NO_CELL) for found in rows.values())
            parts.append(f'<tr><th scope="row">{escape(words(name))}</th>{cells}</tr>')
    top = f'<tr><th scope="col">perturbation</th>{head}</tr>'
    return f"<thead>{top}</thead><tbody>{''.join(parts)}</tbody>"


def _heat_cell(record: Record, line: Line) -> str:
    if line.drop is None:
        return _NO_CELL
    seen = judged(record, line)
    said = line.verdict if seen else CANNOT_SEE
    mark = verdict(line.verdict).partition(" ")[0] if seen else "–"
    shaded = None if line.capability == PROBE else line.drop
    return (
        f'<td class="cell{" dark" * charts.is_dark(shaded)}" style="background:{charts.shade(shaded)}" '
        f'data-drop="{points(line.drop)}" data-relative="{percent(line.relative)}" data-after="{percent(line.after)}" '
        f'title="{escape(said)} {interval(line.interval)}, n = {line.n}"><span aria-hidden="true">{mark} </span>'
        f'<b>{points(line.drop)}</b><span class="said"> {escape(said)}</span></td>'
    )


def severity_curves(records: Sequence[Record]) -> dict[str, dict[str, Sequence[Strength]]]:
    """The severity curves of all systems by what was varied: a title, and a curve for each system."""
    found: dict[str, dict[str, Sequence[Strength]]] = {}
    for record in records:
        for one in record.curves:
            where = " ".join(part for part in (one.dataset, one.prompt) if part)
            title = f"{words(one.perturbation)} on {where}"
            if one.strengths:
                found.setdefault(title, {})[record.system.name] = one.strengths
    return found


def _severity(systems: Sequence[System]) -> str:
    parts = []
    for title, series in severity_curves([record for record, _ in systems]).items():
        rows = [
            [f"{name}: {words(one.name)}", percent(one.accuracy), interval(one.band)]
            for name, found in series.items()
            for one in found
        ]
        shown = wide(f"Severity {title}", table(("strength", "accuracy", "band"), rows))
        parts.append(f"<figure>{charts.curves(title, series)}</figure>{folded('The same as a table', shown)}")
    if not parts:
        return ""
    return f'<section id="severity"><h2>Accuracy against strength</h2>{"".join(parts)}</section>'


def _recovery(systems: Sequence[System]) -> str:
    parts = []
    for name, lines in recovery.recoveries(systems).items():
        rows = [[f"{words(one.perturbation)} ({one.dataset}, {one.setting})", *one.texts()] for one in lines]
        shown = wide(f"Recovery {name}", table(("perturbation", *recovery.HEADINGS), rows, kind="drops"))
        parts.append(f"<h3>{escape(name)}</h3>{shown}<figure>{charts.recovery(name, lines)}</figure>")
    if not parts:
        return ""
    return (
        '<section id="recovery"><h2>Recovery under defense</h2><p>The rows that each perturbation changed: the '
        "model trained on clean problems, on them as they were and attacked, and the model trained on perturbed "
        f"problems.</p>{''.join(parts)}</section>"
    )


def _system(at: int, record: Record, rows: Sequence[Outcome]) -> str:
    system, made = record.system, record.made
    described = {
        "kind": system.kind,
        "trained on": system.trained_on,
        "revision": system.revision,
        "command": made.command,
        "version": made.version,
        "seed": str(made.seed),
    }
    said = "; ".join(f"{name} {value}" for name, value in described.items() if value)
    parts = [f"<h2>{escape(system.name)}</h2><p>{escape(said)}</p>", _scores(record)]
    for found in record.tables:
        where = _where(found)
        parts.append(f"<h3>Drops: {escape(where)}</h3>{wide(f'Drops {where}', _drops(record, found))}")
        lines = [line for line in found.lines if judged(record, line)]
        if lines:
            parts.append(f"<figure>{charts.drops(f'{system.name}: {where}', lines)}</figure>")
    for one in record.contrasts:
        where = " ".join(part for part in (one.dataset, one.fold, one.perturbation, one.prompt) if part)
        shown = wide(f"Contrast set {where}", table(*members(one)))
        parts.append(f"<h3>Contrast set: {escape(where)}</h3><p>{escape(consistency(one))}</p>{shown}")
    parts += [_causes(record)]
    parts.append(_breakdowns(record, by_cell(rows)))
    return f'<section class="system" id="system{at}">{"".join(parts)}</section>'


def _scores(record: Record) -> str:
    names = list(dict.fromkeys(name for cell in record.cells for name in cell.scores))
    rows = [
        [
            " ".join(part for part in (cell.config, cell.prompt) if part),
            str(cell.rows),
            str(cell.changed),
            *(percent(cell.scores.get(name)) for name in names),
            *(str(cell.statuses.get(name, 0)) for name in ("not found", "truncated")),
            ", ".join(f"{name} {percent(share)}" for name, share in cell.baselines.items()),
        ]
        for cell in record.cells
    ]
    head = ["config", "rows", "changed", *map(words, names), "not found", "truncated", "constant answers"]
    return folded("Scores of every config, in %", wide("Scores", table(head, rows)))


def _drops(record: Record, found: Table) -> str:
    rows = []
    for line in found.lines:
        shown = list(figures(line))
        if line.drop is not None and not judged(record, line):
            shown[-1] = CANNOT_SEE
        rows.append([words(line.name), *shown])
    marked = [at for at, line in enumerate(found.lines) if line.is_capability]
    return table(("perturbation", *HEADINGS), rows, kind="drops", marked=marked)


def _causes(record: Record) -> str:
    parts = []
    for one in record.causes:
        if not one.is_capability:
            continue
        title = f"Why answers are wrong: {words(one.name)} ({one.wrong} wrong)"
        parts.append(f"<figure>{charts.causes(title, one.lines)}</figure>")
        said = originals(one, one.name)
        if said:
            parts.append(f'<p class="warn">{escape(said)}.</p>')
    return "".join(parts)


def _breakdowns(record: Record, rows: Mapping[str, Sequence[Outcome]]) -> str:
    parts = []
    for cell in record.cells:
        for kind in () if cell.perturbation else _KINDS:
            counts: dict[str, list[bool]] = {}
            for row in rows.get(cell.key, ()):
                if kind in row.labels:
                    counts.setdefault(row.labels[kind], []).append(row.right)
            if len(counts) > 1:
                lines = [
                    [name, str(len(of)), percent(sum(of) / len(of))] for name, of in sorted(counts.items())
                ]
                parts.append(table((kind, "rows", "right in %"), lines, caption=f"{cell.config} by {kind}"))
    return folded("Break-downs", f'<div class="tables">{"".join(parts)}</div>') if parts else ""


def _notes(systems: Sequence[System]) -> str:
    data = dict.fromkeys(
        f"{cell.config}: {json.dumps(dict(cell.data), sort_keys=True)}"
        for record, _ in systems
        for cell in record.cells
        if cell.data
    )
    listed = "".join(f"<li>{escape(one)}</li>" for one in data)
    return (
        f'<section id="notes">{_NOTES}{folded("Data", f"<ul>{listed}</ul>")}'
        f"<p>dnc-bench {escape(__version__)}</p></section>"
    )
