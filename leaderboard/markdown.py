"""Records as Markdown: the sentences, the drops, and the causes of wrong answers."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from dnc_datasets.escaping import markdown as escaped
from dnc_leaderboard.figures import (
    HEADINGS,
    consistency,
    figures,
    interval,
    judged_capabilities,
    members,
    originals,
    percent,
    words,
)
from dnc_leaderboard.recovery import HEADINGS as RECOVERY
from dnc_leaderboard.recovery import Recovery
from dnc_leaderboard.summary import behaviours, sentences
from dnc_metrics import verdict_words
from dnc_metrics.record import Causes, Contrast, Curve, Record, Table


def text(
    records: Sequence[Record],
    pictures: bool = False,
    recovered: Mapping[str, Sequence[Recovery]] | None = None,
) -> str:
    """Return a page for these systems; with `pictures`, each table's drops are an image beside the page."""
    lead = [one for record in records for one in (*sentences(record), *behaviours(record))]
    parts = ["# DNC report", *(f"- {escaped(one)}" for one in lead)]
    parts += [_curve(record, one) for record in records for one in record.curves]
    parts += [_recovery(name, lines) for name, lines in (recovered or {}).items()]
    for at, record in enumerate(records):
        parts.append(f"\n## {escaped(record.system.name)}")
        for number, table in enumerate(record.tables):
            parts.append(_drops(record, table))
            if pictures:
                parts.append(f"![Drops of {escaped(record.system.name)}](figures/drops-{at}-{number}.svg)\n")
        parts += [_contrast(one) for one in record.contrasts]
        parts += [_causes(causes) for causes in record.causes if causes.is_capability]
    return "\n".join(parts) + "\n"


def _drops(record: Record, table: Table) -> str:
    config = "-".join(part for part in (table.dataset, table.fold) if part)
    prompt = f", {table.prompt} prompt" if table.prompt else ""
    lines = [f"\n### {escaped(f'{config}, {table.setting}{prompt}')}\n"]
    scores = [cell for cell in record.cells if (cell.config, cell.prompt) == (config, table.prompt)]
    for cell in scores:
        shares = ", ".join(f"{escaped(words(name))} {percent(share)}" for name, share in cell.scores.items())
        lines.append(
            f"Original, {cell.rows} rows, in %: {shares}. Below: {escaped(words(table.score))} on changed rows.\n"
        )
    rows = []
    for line in table.lines:
        texts = map(escaped, figures(line, table.margin))
        name = escaped(words(line.name))
        name = f"**{name}**" if line.is_capability else name
        rows.append([name, *texts])
    footer = verdict_words.footer(judged_capabilities(table.lines))
    return "\n".join([*lines, grid(("perturbation", *HEADINGS), rows), footer])


def _curve(record: Record, one: Curve) -> str:
    where = " ".join(part for part in (one.dataset, one.prompt) if part)
    head = (
        f"\n### {escaped(record.system.name)}: accuracy against the strength of {escaped(one.perturbation)}"
    )
    rows = [[escaped(words(at.name)), percent(at.accuracy), interval(at.band)] for at in one.strengths]
    return f"{head}, {escaped(where)}, {one.n} rows\n\n{grid(('strength', 'accuracy', 'band'), rows)}"


def _recovery(name: str, lines: Sequence[Recovery]) -> str:
    rows = [
        [escaped(f"{words(one.perturbation)} ({one.dataset}, {one.setting})"), *map(escaped, one.texts())]
        for one in lines
    ]
    return f"\n### Recovery under defense: {escaped(name)}\n\n{grid(('perturbation', *RECOVERY), rows)}"


def _contrast(one: Contrast) -> str:
    config = "-".join(part for part in (one.dataset, one.fold) if part)
    top, lines = members(one)
    prompt = f", {one.prompt} prompt" if one.prompt else ""
    head = (
        f"\n### {escaped(config)}, contrast set {escaped(one.perturbation + prompt)}\n\n{consistency(one)}.\n"
    )
    return f"{head}\n{grid([escaped(name) for name in top], [[escaped(text) for text in line] for line in lines])}"


def _causes(causes: Causes) -> str:
    rows = [
        [
            escaped(line.cause),
            f"{line.count:.1f}",
            percent(line.share),
            interval(line.interval),
            percent(line.null),
        ]
        for line in causes.lines
    ]
    head = ("cause", "replies", "share", "interval", "by chance")
    sentence = originals(causes, causes.name)
    note = f"\n{sentence}.\n" if sentence else ""
    return f"\nWhy answers are wrong, {escaped(words(causes.name))} ({causes.wrong} wrong):\n\n{grid(head, rows)}{note}"


def grid(head: Sequence[str], rows: Sequence[Sequence[str]]) -> str:
    """Return a Markdown table: the first column left-aligned, the others right-aligned."""
    rule = ["---", *["---:"] * (len(head) - 1)]
    return "".join(f"| {' | '.join(line)} |\n" for line in (head, rule, *rows))
