"""The records of a leaderboard: every record of a folder, judged by the same margin."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from urllib.parse import quote

from dnc_datasets import escaping
from dnc_datasets.errors import DncError
from dnc_leaderboard import ranking, report
from dnc_leaderboard.ranking import Ranked
from dnc_metrics import drop_tables, record, verdicts
from dnc_metrics.errors import RecordError
from dnc_metrics.record import Outcome, Record


@dataclass(frozen=True)
class Entry:
    """A record of the folder, with its outcomes."""

    folder: Path
    found: Record
    outcomes: tuple[Outcome, ...]

    @property
    def link(self) -> str:
        """Return the address of the system's report in the app."""
        return f"?report={quote(self.folder.name)}"


def load(folder: Path) -> tuple[list[Entry], list[str]]:
    """Return every record of a folder of results, and the errors of others; one bad record stops nothing."""
    entries, bad = [], []
    for path in report.found_in([folder]) if folder.is_dir() else []:
        try:
            found = record.load(path)
            record.refuse_faults(found)
            outcomes = tuple(record.outcomes(path, found))
            entry = Entry(path, _rejudged(found, outcomes), outcomes)
            rows([entry])  # a record that cannot be shown must not stop the others
            entries.append(entry)
        except Exception as error:
            bad.append(
                escaping.line(
                    f"{path.name}: {error!s:.500}"
                    if isinstance(error, DncError)
                    else f"{path.name}: {type(error).__name__}"
                )
            )
    return entries, bad


def rows(entries: Iterable[Entry], capability: str = "") -> list[Ranked]:
    """Return the rows of the ranking, each with the link to its report."""
    shown = list(entries)
    systems = [(entry.found, entry.outcomes) for entry in shown]
    return ranking.rows(systems, capability, [entry.link for entry in shown])


def _rejudged(result: Record, outcomes: Sequence[Outcome]) -> Record:
    """Return the record judged by the margin of the board instead of its maker's."""
    current = drop_tables.refreshed(result, outcomes)
    if all(table.margin == verdicts.MARGIN for table in current.tables):
        return current
    if not outcomes:
        raise RecordError("its verdicts use another margin than the board, and its rows are missing")
    answered = record.by_cell([one for one in outcomes if one.status != record.FAULT])
    sees = result.system.sees_values
    judged_tables = drop_tables.tables(result.cells, answered, verdicts.MARGIN, sees_values=sees)
    return replace(current, tables=judged_tables)
