"""The report as one HTML file without network access: conclusion, ranking, plots, heat map, failures.

Python writes every figure, so that the page is complete without scripts and in print. The script only
filters, sorts, switches and searches. All text of records is escaped: names and replies are data.
"""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping, Sequence
from importlib.resources import files

from dnc_datasets.escaping import html as escape
from dnc_datasets.version import __version__
from dnc_leaderboard import charts, failures, heat_map, ranking, ranking_table, recovery
from dnc_leaderboard._html import folded, table, wide
from dnc_leaderboard.figures import (
    HEADINGS,
    consistency,
    figures,
    interval,
    judged_capabilities,
    members,
    originals,
    percent,
    points,
    words,
)
from dnc_leaderboard.ranking import Ranked
from dnc_leaderboard.summary import behaviours, is_probe_finding, judged, sentences
from dnc_metrics import verdict_words
from dnc_metrics.behaviours import MEMORISED
from dnc_metrics.capabilities import CAPABILITIES, PROBE
from dnc_metrics.record import FAULT, Cell, Line, Outcome, Record, Strength, Table, by_cell

System = tuple[Record, Sequence[Outcome]]
_SECTIONS = {
    "summary": "Conclusion",
    "capabilities": "Capabilities",
    "heat": "Heat map",
    "severity": "Severity",
    "recovery": "Recovery",
    "system0": "Systems",
    "failures": "Failures",
    "notes": "Notes",
}
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
_MAX_TILED = 6  # maximum number of tables with tiles for capabilities; the heat map shows more
_MAX_DETAILED = 3  # maximum number of systems with lines for perturbations in the forest plots
_MAX_DRAWN = 12  # maximum number of systems in a figure; the table has all
_LEAD = """{} answered the same problems twice: unchanged, and after a change that does not matter to a reader who
understands them. The accuracy that a change costs shows which capability is missing."""
_NOTES = """<h2>How to read this</h2><p>Accuracy before and after is on the rows that a perturbation changed,
in %; a drop is a loss in points. Each interval is of its line alone. Verdicts allow for the lines that are judged
together, and rows of one template (passage, table, conversation) count as one piece of evidence. <b>▼ drop</b>:
accuracy is lost. <b>▽ small drop</b>: it is lost, and less than the margin. <b>▲ gain</b>: accuracy is gained.
<b>● no drop above the margin</b>: such a drop is ruled out. <b>◇ points to</b> a drop or gain: shown by this line
alone, not after allowing for the others. <b>○ open</b>: this run can neither show a drop nor rule it out. <b>–</b>:
not judged. <b>◆ does not need the question</b>: most rows are still right when that part is removed. A cause is the
share of wrong answers that it explains; the share that it would explain by chance is measured on other rows' wrong
answers.</p>"""


def page(systems: Sequence[System], title: str = "DNC report") -> str:
    """Return the complete page."""
    assets = files("dnc_leaderboard").joinpath("assets")
    style, script = (
        "".join(assets.joinpath(name).read_text("utf-8") for name in names)
        for names in (("page.css", "components.css"), ("page.js", "ranking.js"))
    )
    parts = [
        _summary(systems),
        _capabilities([record for record, _ in systems]),
        heat_map.section([record for record, _ in systems]),
        _severity(systems),
        _recovery(systems),
        *(_system(at, *system, is_only=len(systems) == 1) for at, system in enumerate(systems)),
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
    """Return the conclusion, the ranking with original accuracies, and a sentence for each finding."""
    rows = ranking.rows(systems, links=[f"#system{at}" for at in range(len(systems))])
    parts = [_standings(rows)] if len(systems) > 1 else []
    sentences_of = []
    for record, _ in systems:
        for sentence, found in zip(sentences(record), record.tables, strict=True):
            tiles = _tiles(found) if len(systems) == 1 and len(record.tables) <= _MAX_TILED else ""
            warns = ' class="warn"' * any(map(is_probe_finding, found.lines))
            sentences_of.append(f"<li{warns}>{escape(sentence)}{_original(record, found)}{tiles}</li>")
        for one, behaviour in zip(behaviours(record), record.behaviours, strict=True):
            warns = ' class="warn"' * (behaviour.name == MEMORISED)
            sentences_of.append(f"<li{warns}>{escape(one)}</li>")
    lead = _LEAD.format("The system" if len(systems) == 1 else f"The {len(systems)} systems")
    return (
        f'<section id="summary"><h2>Conclusion</h2>{"".join(parts)}'
        f'<ul class="sentences">{"".join(sentences_of)}</ul><p class="soft">{lead}</p></section>'
    )


def _standings(rows: Sequence[Ranked]) -> str:
    """Return the most robust system as a sentence, and a figure and a table for each place with results."""
    main = ranking.main_place(rows)
    conclusion = ranking.conclusion(rows)
    parts = [f'<p class="lead">{escape(conclusion)}</p>'] if conclusion else []
    for place in dict.fromkeys((main, *(row.place for row in rows))):
        own = ranking.ranked([row for row in rows if row.place == place])
        where = " ".join(filter(None, place))
        drawn = charts.standings(f"Original and robust accuracy: {where}", own[:_MAX_DRAWN])
        section = (
            f'<figure class="chart">{drawn}</figure>' + f"{wide(f'Ranking {where}', ranking_table.html(own))}"
        )
        parts.append(section if place == main else folded(f"Ranking: {where}", section))
    return "".join(parts)


def _original(record: Record, drop_table: Table) -> str:
    """Return the accuracy on the original problems, as a sentence."""
    place = (drop_table.dataset, drop_table.fold, drop_table.prompt)
    for cell in record.cells:
        if (cell.dataset, cell.fold, cell.prompt) == place and not cell.perturbation:
            share = cell.scores.get(cell.score)
            return f" It answers {percent(share)} % of the {cell.rows:,} original problems."
    return ""


def _tiles(drop_table: Table) -> str:
    """Return the capabilities side by side, each with its verdict in shape and words."""
    tiles = []
    for line in drop_table.lines:
        if not line.is_capability or line.drop is None:
            continue
        verdict = verdict_words.words(line.verdict, drop_table.margin)
        colour = charts.colour(line) if judged(line) else ""
        style = f' style="border-color:{colour}"' if colour else ""
        tiles.append(
            f'<div class="tile"{style}><b>{escape(words(line.name))}</b><span>{escape(verdict)}</span>'
            f"<span>{percent(line.before)} → {percent(line.after)} %</span>"
            f"<small>{points(line.drop)} points {interval(line.interval)}</small>"
            f"<small>{escape(line.reason)}</small></div>"
        )
    return f'<div class="tiles">{"".join(tiles)}</div>'


def _capabilities(records: Sequence[Record]) -> str:
    """Return a forest plot for each capability, with all systems; further places are folded."""
    places = dict.fromkeys(heat_map.place(table) for record in records for table in record.tables)
    parts = []
    for at, place in enumerate(places):
        drawn = [
            (record.system.name, table.lines)
            for record in records[:_MAX_DRAWN]
            for table in record.tables
            if heat_map.place(table) == place
        ]
        where = " ".join(part for part in place if part)
        plots = forests(drawn)
        parts.append(
            f"<h3>{escape(where)}</h3>{plots}" if not at else folded(f"Capabilities: {where}", plots)
        )
    if not parts:
        return ""
    return f'<section id="capabilities"><h2>Accuracy lost by capability</h2>{"".join(parts)}</section>'


def forests(systems: Sequence[tuple[str, Iterable[Line]]]) -> str:
    """Return a forest plot for each capability: the lines of each system, and perturbations of a few."""
    drawn = [(name, line) for name, lines in systems for line in lines if judged(line)]
    drawn = [(name, line) for name, line in drawn if line.capability != PROBE]
    ends, plots = charts.span(line for _, line in drawn), []
    for capability in dict.fromkeys(line.capability for _, line in drawn):
        labelled = [
            ((name if len(systems) > 1 else "all changes") if line.is_capability else words(line.name), line)
            for name, line in drawn
            if line.capability == capability and (line.is_capability or len(systems) <= _MAX_DETAILED)
        ]
        meaning = escape(CAPABILITIES.get(capability, ""))
        plot = charts.forest(words(capability), labelled, ends=ends)
        plots.append(f"<figure>{plot}<figcaption>{meaning}</figcaption></figure>")
    return f'<div class="forests">{"".join(plots)}</div>'


def _where(drop_table: Table) -> str:
    return " ".join(part for part in heat_map.place(drop_table) if part)


def severity_curves(records: Sequence[Record]) -> dict[str, dict[str, Sequence[Strength]]]:
    """Return the severity curves of all systems: title -> system -> curve."""
    curves: dict[str, dict[str, Sequence[Strength]]] = {}
    for record in records:
        for one in record.curves:
            where = " ".join(part for part in (one.dataset, one.prompt) if part)
            title = f"{words(one.perturbation)} on {where}"
            if one.strengths:
                curves.setdefault(title, {})[record.system.name] = one.strengths
    return curves


def _severity(systems: Sequence[System]) -> str:
    parts = []
    for title, series in severity_curves([record for record, _ in systems]).items():
        rows = [
            [f"{name}: {words(one.name)}", percent(one.accuracy), interval(one.band)]
            for name, found in series.items()
            for one in found
        ]
        section = wide(f"Severity {title}", table(("strength", "accuracy", "band"), rows))
        parts.append(
            f'<figure class="chart">{charts.curves(title, series)}</figure>'
            f"{folded('The same as a table', section)}"
        )
    if not parts:
        return ""
    return f'<section id="severity"><h2>Accuracy against strength</h2>{"".join(parts)}</section>'


def _recovery(systems: Sequence[System]) -> str:
    parts = []
    for name, lines in recovery.recoveries(systems).items():
        rows = [[f"{words(one.perturbation)} ({one.dataset}, {one.setting})", *one.texts()] for one in lines]
        section = wide(f"Recovery {name}", table(("perturbation", *recovery.HEADINGS), rows, kind="drops"))
        parts.append(f"<h3>{escape(name)}</h3>{section}<figure>{charts.recovery(name, lines)}</figure>")
    if not parts:
        return ""
    return (
        '<section id="recovery"><h2>Recovery under defense</h2><p>The rows that each perturbation changed: the '
        "model trained on clean problems, on them as they were and attacked, and the model trained on perturbed "
        f"problems.</p>{''.join(parts)}</section>"
    )


def _system(at: int, record: Record, rows: Sequence[Outcome], *, is_only: bool) -> str:
    system, made = record.system, record.made
    described = {
        "kind": system.kind,
        "trained on": system.trained_on,
        "revision": system.revision,
        "command": made.command,
        "version": made.version,
        "seed": str(made.seed),
        "date": made.date,
    }
    origin = "; ".join(f"{name}: {value}" for name, value in described.items() if value)
    parts = [f"<h2>{escape(system.name)}</h2><p>{escape(origin)}</p>"]
    tiled = not is_only and len(record.tables) <= _MAX_TILED
    for found in record.tables:
        where = _where(found)
        shown = (_tiles(found) if tiled else "") + wide(f"Drops {where}", _drops(found), stacked=True)
        heading = f"Drops: {where}"
        parts.append(f"<h3>{escape(heading)}</h3>{shown}" if is_only else folded(heading, shown))
    for one in record.contrasts:
        where = " ".join(part for part in (one.dataset, one.fold, one.perturbation, one.prompt) if part)
        shown = wide(f"Contrast set {where}", table(*members(one)), stacked=True)
        parts.append(f"<h3>Contrast set: {escape(where)}</h3><p>{escape(consistency(one))}</p>{shown}")
    parts += [_causes(record), _scores(record), _breakdowns(record, by_cell(rows))]
    return f'<section class="system" id="system{at}">{"".join(parts)}</section>'


def _scores(record: Record) -> str:
    names = list(dict.fromkeys(name for cell in record.cells for name in cell.scores))
    rows = [
        [
            " ".join(part for part in (cell.config, cell.prompt) if part),
            str(cell.rows),
            str(cell.changed),
            *(percent(cell.scores.get(name)) for name in names),
            *(str(cell.statuses.get(name, 0)) for name in ("not found", "truncated", FAULT)),
            ", ".join(f"{name} {percent(share)}" for name, share in cell.baselines.items()),
        ]
        for cell in record.cells
    ]
    head = [
        "config",
        "rows",
        "changed",
        *map(words, names),
        "not found",
        "truncated",
        "server faults",
        "constant answers",
    ]
    return folded("Scores of every config, in %", wide("Scores", table(head, rows), stacked=True))


def _drops(drop_table: Table) -> str:
    rows = []
    for line in drop_table.lines:
        rows.append([words(line.name), *figures(line, drop_table.margin)])
    marked = [at for at, line in enumerate(drop_table.lines) if line.is_capability]
    footer = escape(verdict_words.footer(judged_capabilities(drop_table.lines)))
    return table(("perturbation", *HEADINGS), rows, kind="drops", marked=marked) + f"<p>{footer}</p>"


def _causes(record: Record) -> str:
    figures_of, warnings = [], []
    for one in record.causes:
        if not one.is_capability:
            continue
        title = f"{words(one.name)} ({one.wrong} wrong)"
        figures_of.append(f"<figure>{charts.causes(title, one.lines)}</figure>")
        if sentence := originals(one, one.name):
            warnings.append(f'<p class="warn">{escape(words(one.name))}: {escape(sentence)}.</p>')
    if not figures_of:
        return ""
    section = f'<div class="forests">{"".join(figures_of)}</div>'
    return "".join(warnings) + folded("Why answers are wrong, by capability", section)


def _breakdowns(record: Record, rows: Mapping[str, Sequence[Outcome]]) -> str:
    parts = [shown for cell in record.cells if (shown := _by_strength(cell, record, rows))]
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


def _by_strength(cell: Cell, record: Record, rows: Mapping[str, Sequence[Outcome]]) -> str:
    """Return accuracy before and after rewrites of a cell, by the share of replaced words."""
    if not cell.perturbation:
        return ""
    originals = [
        one
        for one in record.cells
        if not one.perturbation and one.dataset == cell.dataset and one.prompt == cell.prompt
    ]
    before = {row.id: row.right for one in originals for row in rows.get(one.key, ())}
    counts: dict[str, list[tuple[bool, bool]]] = {}
    for row in rows.get(cell.key, ()):
        if row.perturbed and "strength" in row.labels and row.id in before:
            counts.setdefault(row.labels["strength"], []).append((before[row.id], row.right))
    lines = [
        [name, str(len(pairs)), *(percent(sum(side) / len(pairs)) for side in zip(*pairs, strict=True))]
        for name, pairs in sorted(counts.items())
    ]
    caption = f"{cell.config} by the share of words replaced"
    return table(("strength", "rows", "before in %", "after in %"), lines, caption=caption) if lines else ""


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
