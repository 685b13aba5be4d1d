"""A record in the terminal: scores, drops by capability, and causes of wrong answers."""

from __future__ import annotations

from typing import TYPE_CHECKING

from dnc_leaderboard.figures import (
    HEADINGS,
    consistency,
    figures,
    interval,
    judged_capabilities,
    members,
    percent,
    words,
)
from dnc_leaderboard.summary import behaviours, is_probe_finding, sentences
from dnc_metrics import baselines, verdict_words, verdicts
from dnc_metrics.record import FAULT

if TYPE_CHECKING:
    from rich.console import Console
    from rich.table import Table as RichTable

    from dnc_metrics.record import Causes, Cell, Contrast, Line, Record, Table

_FOLDED = 13  # maximum number of letters of a word in one line
_LESSER = ("could show", "templates", "p", "truncated", "not found", "equation")  # optional columns


def show(record: Record, console: Console) -> None:
    """Print all of a record."""
    details(record, console)
    for sentence in (*sentences(record), *behaviours(record)):
        console.print(sentence, markup=False, highlight=False)


def details(record: Record, console: Console) -> None:
    """Print the tables of a record, and their error guarantees."""
    console.print(whole(_scores(record), console.width))
    for note in notes(record):
        console.print(note, markup=False, highlight=False)
    for table in record.tables:
        console.print(whole(_drops(record, table), console.width))
    for one in record.contrasts:
        console.print(whole(_contrast(one), console.width))
    for causes in record.causes:
        if causes.is_capability:
            console.print(whole(causes_table(causes), console.width))
    for footer in dict.fromkeys(
        verdict_words.footer(judged_capabilities(table.lines)) for table in record.tables
    ):
        if footer:
            console.print(footer, markup=False, highlight=False)
    if not record.tables and not record.contrasts:
        console.print("nothing to compare: score an original together with its perturbed configs")


def notes(record: Record) -> list[str]:
    """Return notes on the scores: replies that were cut off, rows that were asked several times."""
    lines = []
    for cell in record.cells:
        where = " ".join(part for part in (cell.config, cell.prompt) if part)
        if cell.cut_off:
            lines.append(f"{where}: {cell.cut_off} of {cell.rows} replies hit the limit of tokens")
        if cell.repeated:
            repeated = cell.repeated
            lines.append(
                f"{where}: pass@1 {percent(repeated.pass_at_1)} {interval(repeated.interval)}, {repeated.times} "
                f"replies a row; variance {repeated.within:.3f} within rows, {repeated.between:.3f} between them"
            )
    return lines


def _scores(record: Record) -> RichTable:
    names = list(dict.fromkeys(name for cell in record.cells for name in cell.scores))
    table = grid(
        f"{record.system.name}: scores in %", "config", "rows", "changed", *map(words, names),
        "not found", "truncated", "server faults", "best constant",
    )  # fmt: skip
    for cell in record.cells:
        table.add_row(
            " ".join(part for part in (cell.config, cell.prompt) if part),
            str(cell.rows),
            str(cell.changed),
            *(percent(cell.scores.get(name)) for name in names),
            *(str(cell.statuses.get(name, 0)) for name in ("not found", "truncated", FAULT)),
            _best_constant(cell),
        )
    return table


def _best_constant(cell: Cell) -> str:
    """Return the best baseline, except the original's answer, which some perturbations keep."""
    floors = {name: share for name, share in cell.baselines.items() if name != baselines.ORIGINAL}
    best = max(floors, key=lambda name: floors[name], default="")
    return f"{best} {percent(floors[best])}" if best and floors[best] else percent(floors.get(best))


def _drops(record: Record, table: Table) -> RichTable:
    from rich.text import Text

    where = " ".join(part for part in (table.dataset, table.fold, table.setting, table.prompt) if part)
    shown = grid(
        f"{where}: {words(table.score)} in % on the rows that were changed", "perturbation", *HEADINGS
    )
    for line in table.lines:
        texts = figures(line, table.margin)
        name = Text(words(line.name), "bold") if line.is_capability else Text(f"  {words(line.name)}")
        shown.add_row(name, *texts, style="red" if _is_finding(line) else "")
    return shown


def _is_finding(line: Line) -> bool:
    return line.verdict == verdicts.DROP or is_probe_finding(line)


def _contrast(one: Contrast) -> RichTable:
    where = " ".join(part for part in (one.dataset, one.fold, one.perturbation, one.prompt) if part)
    (first, *head), lines = members(one)
    shown = grid(f"{where}: {consistency(one)}", first, *head)
    for line in lines:
        shown.add_row(*line)
    return shown


def causes_table(causes: Causes) -> RichTable:
    """Return the table of causes of wrong answers, with their shares and the shares expected by chance."""
    title = f"Why answers are wrong: {words(causes.name)} ({causes.wrong} wrong)"
    table = grid(title, "cause", "replies", "share", "interval", "by chance", "")
    for line in causes.lines:
        more = "more than chance" if line.above_chance else ""
        table.add_row(
            line.cause,
            f"{line.count:.1f}",
            percent(line.share),
            interval(line.interval),
            percent(line.null),
            more,
        )
    return table


def whole(table: RichTable, width: int) -> RichTable:
    """Return the table with complete figures; a narrow terminal folds words and drops optional columns."""
    from rich.cells import cell_len

    needed = {}
    for column in table.columns:
        texts = [*str(column.header).split(), *map(str, column.cells)]
        if column.justify == "left":
            texts = [word[:_FOLDED] for text in texts for word in text.split()]
        needed[column.header] = max(map(cell_len, texts), default=0)
    for lesser in _LESSER:
        if sum(needed.values()) + 3 * len(needed) > width:
            needed.pop(lesser, None)
    columns = [column for column in table.columns if column.header in needed]
    shown = grid("", *(str(column.header) for column in columns))
    shown.title = table.title
    for column in shown.columns:
        folds = column.justify == "left"
        column.min_width = needed[column.header]
        column.no_wrap, column.overflow = not folds, "fold" if folds else "ellipsis"
        column.header = str(column.header).replace(" ", "\n")
    for row, *cells in zip(table.rows, *(column.cells for column in columns), strict=True):
        shown.add_row(*cells, style=row.style)
    return shown


def grid(title: str, first: str, *others: str) -> RichTable:
    """Return a plain table: the first and the last column left-aligned, figures right-aligned."""
    from rich import box
    from rich.table import Table as RichTable

    shown = RichTable(title=title, title_justify="left", box=box.SIMPLE, pad_edge=False, padding=(0, 1, 0, 0))
    shown.add_column(first, no_wrap=True)
    for name in others:
        shown.add_column(name, justify="left" if name in ("verdict", "") else "right", no_wrap=True)
    return shown
