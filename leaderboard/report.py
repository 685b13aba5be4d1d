"""Writes a report: the page, the same as Markdown, every figure as SVG and PNG, and all failures as JSON lines."""

from __future__ import annotations

import json
from collections.abc import Iterator, Sequence
from pathlib import Path

from dnc_datasets import atomic, outputs
from dnc_leaderboard import charts, failures, markdown, naming, page, record, recovery
from dnc_leaderboard._typed import RecordError
from dnc_leaderboard.record import Line, Outcome, Record

PAGE, MARKDOWN, FAILURES, FIGURES = "report.html", "report.md", "failures.jsonl", "figures"


def found_in(paths: Sequence[Path]) -> list[Path]:
    """The records that these files and folders are or hold: a folder of results has one folder for each."""
    found = []
    for path in paths:
        inner = sorted(file.parent for file in path.glob(f"*/{record.FILE_NAME}")) if path.is_dir() else []
        found += [path] if not inner or (path / record.FILE_NAME).is_file() else inner
    return found


def load(paths: Sequence[Path]) -> list[tuple[Record, list[Outcome]]]:
    """The records of these files and folders, each with its outcomes; a folder may hold several."""
    systems = []
    for path in (file for given in paths for file in _files(given)):
        found = record.load(path)
        systems.append((found, record.outcomes(path, found)))
    if not systems:
        raise RecordError("nothing to report; name at least one record")
    return naming.told_apart(systems)


def _files(path: Path) -> list[Path]:
    """The record of a folder, or all that end in `.record.json`, as `dnc protocol` leaves them."""
    if not path.is_dir() or (path / record.FILE_NAME).exists():
        return [path]
    return sorted(path.glob(f"*{record.ENDING}")) or [path]


def may_write(folder: Path, *others: str) -> None:
    """Raise an error where the folder holds files of these names, or of `others`, that are not a report's."""
    outputs.folder(folder, PAGE, (MARKDOWN, FAILURES, FIGURES, *others))


def write(
    systems: Sequence[tuple[Record, Sequence[Outcome]]], folder: Path, *, pictures: bool = True
) -> Path:
    """Write all of a report into a folder; returns the path of the page."""
    may_write(folder)
    folder.mkdir(parents=True, exist_ok=True)
    atomic.write_text(folder / PAGE, page.page(systems))
    records, recovered = [found for found, _ in systems], recovery.recoveries(systems)
    atomic.write_text(folder / MARKDOWN, markdown.text(records, pictures, recovered))
    lines = "".join(f"{json.dumps(one, ensure_ascii=False)}\n" for one in failures.failures(systems))
    atomic.write_text(folder / FAILURES, lines)
    if pictures:
        (folder / FIGURES).mkdir(exist_ok=True)
        for name, svg in figures(systems):
            atomic.write_text(folder / FIGURES / f"{name}.svg", svg)
            atomic.write_bytes(folder / FIGURES / f"{name}.png", charts.png(svg))
    return folder / PAGE


def figures(systems: Sequence[tuple[Record, Sequence[Outcome]]]) -> Iterator[tuple[str, str]]:
    """Every figure of the report: its file name, and the SVG."""
    records = [found for found, _ in systems]
    yield from _heat(records)
    for number, (title, series) in enumerate(page.severity_curves(records).items()):
        yield f"severity-{number}", charts.curves(title, series)
    for number, (name, lines) in enumerate(recovery.recoveries(systems).items()):
        yield f"recovery-{number}", charts.recovery(name, lines)
    for at, found in enumerate(records):
        for number, table in enumerate(found.tables):
            where = " ".join(
                part for part in (table.dataset, table.fold, table.setting, table.prompt) if part
            )
            yield f"drops-{at}-{number}", charts.drops(f"{found.system.name}: {where}", table.lines)
        for causes in found.causes:
            if causes.is_capability:
                title = f"{found.system.name}: why answers are wrong, {causes.name.replace('_', ' ')}"
                yield f"causes-{at}-{causes.name}", charts.causes(title, causes.lines)


def _heat(records: Sequence[Record]) -> Iterator[tuple[str, str]]:
    keys = dict.fromkeys((t.dataset, t.fold, t.setting, t.prompt) for found in records for t in found.tables)
    for number, key in enumerate(keys):
        cells: dict[tuple[str, str], Line] = {}
        for found in records:
            for table in found.tables:
                if (table.dataset, table.fold, table.setting, table.prompt) == key:
                    cells |= {
                        (found.system.name, line.name): line for line in table.lines if not line.is_capability
                    }
        systems = list(dict.fromkeys(system for system, _ in cells))
        columns = list(dict.fromkeys(column for _, column in cells))
        yield f"heat-{number}", charts.heat(" ".join(part for part in key if part), systems, columns, cells)
