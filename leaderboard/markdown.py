"""Records as Markdown: the sentences, the drops, and the causes of wrong answers."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from dnc_leaderboard.figures import (
    CANNOT_SEE,
    HEADINGS,
    consistency,
    figures,
    interval,
    members,
    originals,
    percent,
    words,
)
from dnc_leaderboard.record import Causes, Contrast, Curve, Record, Table
from dnc_leaderboard.recovery import HEADINGS as RECOVERY
from dnc_leaderboard.recovery import Recovery
from dnc_leaderboard.summary import judged, sentences


def text(
    records: Sequence[Record],
    pictures: bool = False,
    recovered: Mapping[str, Sequence[Recovery]] | None = None,
) -> str:
    """A page for these systems; with `pictures`, the drops of each table as an image beside the page."""
    parts = ["# DNC report", *(f"- {escaped(one)}" for record in records for one in sentences(record))]
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
    lines = [f"\n### {escaped(config)}, {table.setting}{prompt}\n"]
    scores = [cell for cell in record.cells if (cell.config, cell.prompt) == (config, table.prompt)]
    for cell in scores:
        shown = ", ".join(f"{words(name)} {percent(share)}" for name, share in cell.scores.items())
        lines.append(
            f"Original, {cell.rows} rows, in %: {shown}. Below: {words(table.score)} on changed rows.\n"
        )
    rows = []
    for line in table.lines:
        texts = list(figures(line))
        if line.drop is not None and not judged(record, line):
            texts[-1] = CANNOT_SEE
        name = escaped(words(line.name))
        name = f"**{name}**" if line.is_capability else name
        rows.append([name, *texts])
    return "\n".join([*lines, grid(("perturbation", *HEADINGS), rows)])


def _curve(record: Record, one: Curve) -> str:
    where = " ".join(part for part in (one.dataset, one.prompt) if part)
    head = (
        f"\n### {escaped(record.system.name)}: accuracy against the strength of {escaped(one.perturbation)}"
    )
    rows = [[escaped(words(at.name)), percent(at.accuracy), interval(at.band)] for at in one.strengths]
    return f"{head}, {escaped(where)}, {one.n} rows\n\n{grid(('strength', 'accuracy', 'band'), rows)}"


def _recovery(name: str, lines: Sequence[Recovery]) -> str:
    rows = [
        [escaped(f"{words(one.perturbation)} ({one.dataset}, {one.setting})"), *one.texts()] for one in lines
    ]
    return f"\n### Recovery under defense: {escaped(name)}\n\n{grid(('perturbation', *RECOVERY), rows)}"


def _contrast(one: Contrast) -> str:
    config = "-".join(part for part in (one.dataset, one.fold) if part)
    top, lines = members(one)
    prompt = f", {one.prompt} prompt" if one.prompt else ""
    head = (
        f"\n### {escaped(config)}, contrast set {escaped(one.perturbation)}{prompt}\n\n{consistency(one)}.\n"
    )
    return f"{head}\n{grid(top, [[escaped(text) for text in line] for line in lines])}"


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
    said = originals(causes, causes.name)
    note = f"\n{said}.\n" if said else ""
    return (
        f"\nWhy answers are wrong, {words(causes.name)} ({causes.wrong} wrong):\n\n{grid(head, rows)}{note}"
    )


def grid(head: Sequence[str], rows: Sequence[Sequence[str]]) -> str:
    """A Markdown table: the first column to the left, the others to the right."""
    rule = ["---", *["---:"] * (len(head) - 1)]
    return "".join(f"| {' | '.join(line)} |\n" for line in (head, rule, *rows))


def escaped(text: str) -> str:
    """Text that Markdown shows as it is: names and replies are data."""
    for sign in "\\`<>|[]":
        text = text.replace(sign, f"&#{ord(sign)};" if sign in "<>|[]" else f"\\{sign}")
    return text.replace("\n", " ")
