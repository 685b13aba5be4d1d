"""Writes a report: the page, a Markdown version, figures as SVG and PNG, and failures as JSON lines."""

from __future__ import annotations

import json
import logging
from collections.abc import Iterator, Sequence
from dataclasses import replace
from pathlib import Path

from dnc_datasets import filesystem, owned_folder
from dnc_datasets.owned_folder import OwnedFolder
from dnc_leaderboard import charts, failures, markdown, page, recovery
from dnc_metrics import drop_tables, record
from dnc_metrics.errors import RecordError
from dnc_metrics.record import Line, Outcome, Record

PAGE, MARKDOWN, FAILURES, FIGURES = "report.html", "report.md", "failures.jsonl", "figures"
_COMMAND = "dnc report"
_LOG = logging.getLogger(__name__)
_NAMES = (PAGE, MARKDOWN, FAILURES, FIGURES)
Systems = list[tuple[Record, list[Outcome]]]
# Settings that a run determines itself.
_RESULTS = ("epoch",)
_MAX_SHOWN = 4  # maximum number of settings in a name


def found_in(paths: Sequence[Path]) -> list[Path]:
    """Return the records in these files and folders; a folder of results has one folder for each."""
    records = []
    for path in paths:
        inner = sorted(file.parent for file in path.glob(f"*/{record.FILE_NAME}")) if path.is_dir() else []
        records += [path] if not inner or (path / record.FILE_NAME).is_file() else inner
    return records


def load(paths: Sequence[Path]) -> list[tuple[Record, list[Outcome]]]:
    """Return the records of these files and folders, each with its outcomes.

    A folder may hold several. An unreadable one of them is logged and omitted. A record that was named
    directly is an error if it is unreadable.
    """
    systems, bad = [], []
    for given in paths:
        files = _files(given)
        for path in files:
            try:
                found = record.load(path)
                outcomes = record.outcomes(path, found)
            except RecordError as error:
                if files == [given]:
                    raise
                bad.append(str(error))
                _LOG.warning("left out: %s", error)
                continue
            systems.append((drop_tables.refreshed(found, outcomes), outcomes))
    if not systems:
        raise RecordError(bad[0] if bad else "nothing to report; name at least one record")
    return with_unique_names(systems)


def _files(path: Path) -> list[Path]:
    """Return the record of a folder, all that end in `.record.json`, or those of the folders below it."""
    if not path.is_dir() or (path / record.FILE_NAME).exists():
        return [path]
    return sorted(path.glob(f"*{record.ENDING}")) or found_in([path])


def may_write(folder: Path) -> None:
    """Raise an error if the folder holds files of these names that are not a report's."""
    owned_folder.check(folder, _COMMAND, _NAMES, _adopts)


def _adopts(folder: Path) -> list[str]:
    """Return the files of a report that a version without marks wrote, recognised by their first bytes."""
    if not (
        _starts_with(folder / PAGE, b"<!doctype html>") and _starts_with(folder / MARKDOWN, b"# DNC report")
    ):
        return []
    figures = (folder / FIGURES).glob("*-[0-9]*.[ps][nv]g")
    return [PAGE, MARKDOWN, FAILURES, *(f"{FIGURES}/{file.name}" for file in figures)]


def _starts_with(file: Path, start: bytes) -> bool:
    try:
        with filesystem.open_regular(file) as opened:
            return opened.read(len(start)) == start
    except OSError:
        return False


def write(
    systems: Sequence[tuple[Record, Sequence[Outcome]]],
    folder: Path,
    *,
    pictures: bool = True,
    force: bool = False,
) -> Path:
    """Write a report into a folder and return the path of the page; pictures need their packages."""
    pictures = pictures and charts.can_draw()
    with OwnedFolder(folder, _COMMAND, names=_NAMES, adopts=_adopts, force=force) as out:
        out.write_text(PAGE, page.page(systems))
        records, recovered = [found for found, _ in systems], recovery.recoveries(systems)
        out.write_text(MARKDOWN, markdown.text(records, pictures, recovered))
        lines = "".join(f"{json.dumps(one, ensure_ascii=False)}\n" for one in failures.failures(systems))
        out.write_text(FAILURES, lines)
        for name, svg in figures(systems) if pictures else ():
            out.write_text(f"{FIGURES}/{name}.svg", svg)
            out.write_bytes(f"{FIGURES}/{name}.png", charts.png(svg))
    return folder / PAGE


def figures(systems: Sequence[tuple[Record, Sequence[Outcome]]]) -> Iterator[tuple[str, str]]:
    """Yield every figure of the report: its file name, and the SVG."""
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
                yield f"causes-{at}-{filesystem.safe_name(causes.name)}", charts.causes(title, causes.lines)


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


def with_unique_names(systems: Systems) -> Systems:
    """Return the systems; those that share a name and a config get their settings appended.

    Two records of one name over different configs, or with the same settings, are one system and remain
    unchanged.
    """
    unique = list(systems)
    for name in dict.fromkeys(system.system.name for system, _ in systems):
        places = [at for at, (system, _) in enumerate(systems) if system.system.name == name]
        alike = [systems[at][0] for at in places]
        if len(alike) < 2 or not _share_a_config(alike):
            continue
        for at in places:
            found, outcomes = systems[at]
            if settings := ", ".join(_own_settings(found, alike)):
                unique[at] = (
                    replace(found, system=replace(found.system, name=f"{name} ({settings})")),
                    outcomes,
                )
    return unique


def _share_a_config(records: Sequence[Record]) -> bool:
    configs = [cell.key for found in records for cell in found.cells]
    return len(set(configs)) < len(configs)


def _own_settings(result: Record, alike: Sequence[Record]) -> list[str]:
    """Return the settings in which a record differs from at least one of the others."""
    settings = result.made.settings
    differ = [
        name
        for name, value in settings.items()
        if name not in _RESULTS and any(other.made.settings.get(name) != value for other in alike)
    ]
    return [f"{name}={settings[name]}" for name in differ[:_MAX_SHOWN]]
