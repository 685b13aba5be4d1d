"""The leaderboard's rows: each system on each dataset, setting and prompt, by worst drop, mean drop or consistency."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from pathlib import Path

from dnc_leaderboard import record, report
from dnc_leaderboard._typed import RecordError
from dnc_leaderboard.figures import PROBE
from dnc_leaderboard.record import Outcome, Record, System, Table
from dnc_leaderboard.summary import judged

SORTS = ("worst drop", "mean drop", "consistency", "accuracy")
OPENNESS = ("open", "closed", "not told")
# Name -> from how many to below how many billions of parameters.
SIZES = {
    "below 1": (0.0, 1.0),
    "1 to 10": (1.0, 10.0),
    "10 to 100": (10.0, 100.0),
    "100 and more": (100.0, float("inf")),
}
_MAX_NAME = 80


@dataclass(frozen=True)
class Row:
    """A system's line; drops in shares, over the capabilities that were asked for."""

    system: str
    dataset: str
    setting: str
    prompt: str
    openness: str
    billions: float | None
    accuracy: float | None
    worst: float | None
    worst_where: str
    mean: float | None
    consistency: float | None
    n: int


@dataclass(frozen=True)
class Entry:
    """A record of the store, with its outcomes and the folder that holds it."""

    folder: Path
    found: Record
    outcomes: tuple[Outcome, ...]


def load(folder: Path) -> tuple[list[Entry], list[str]]:
    """Every record of a folder of results, and why others cannot be shown; one bad record stops nothing."""
    entries, bad = [], []
    for path in report.found_in([folder]) if folder.is_dir() else []:
        try:
            found = record.load(path)
            entries.append(Entry(path, found, tuple(record.outcomes(path, found))))
        except RecordError as error:
            bad.append(str(error))
    return entries, bad


def rows(entries: Iterable[Entry], capability: str = "") -> list[Row]:
    """A line for each table of each record; with a capability, drops are of that one alone, else of all but probes."""
    made = []
    for entry in entries:
        right = _right(entry.outcomes)
        for table in entry.found.tables:
            lines = [
                line
                for line in table.lines
                if line.is_capability and judged(entry.found, line) and _counts(line.name, capability)
            ]
            worst = max(lines, key=lambda line: line.drop or 0.0, default=None)
            system = entry.found.system
            billions = system.model.get("billions")
            made.append(
                Row(
                    system=system.name[:_MAX_NAME],
                    dataset=" ".join(filter(None, (table.dataset, table.fold))),
                    setting=table.setting,
                    prompt=table.prompt,
                    openness=_openness(system),
                    billions=float(billions) if isinstance(billions, (int, float)) else None,
                    accuracy=_accuracy(entry.found, table),
                    worst=worst.drop if worst else None,
                    worst_where=worst.name.replace("_", " ") if worst else "",
                    mean=sum(line.drop or 0.0 for line in lines) / len(lines) if lines else None,
                    consistency=_consistency(entry.found, table, right, capability),
                    n=sum(line.n for line in lines),
                )
            )
    return made


def ranked(
    found: Sequence[Row],
    *,
    dataset: str = "",
    setting: str = "",
    openness: str = "",
    size: str = "",
    sort: str = SORTS[0],
) -> list[Row]:
    """The rows that fit, best first; what has no figure comes last."""
    low, high = SIZES.get(size, (0.0, float("inf")))
    fitting = [
        row
        for row in found
        if dataset in ("", row.dataset)
        and setting in ("", row.setting)
        and openness in ("", row.openness)
        and (not size or (row.billions is not None and low <= row.billions < high))
    ]
    key = {"worst drop": "worst", "mean drop": "mean"}.get(sort, sort)
    sign = 1 if "drop" in sort else -1

    def place(row: Row) -> tuple[bool, float, str]:
        value = getattr(row, key)
        return value is None, sign * (value or 0.0), row.system

    return sorted(fitting, key=place)


def _counts(name: str, wanted: str) -> bool:
    """Is this the capability that is looked at? A probe only where it is: who understands loses there too."""
    return name == wanted if wanted else name != PROBE


def _openness(system: System) -> str:
    told = str(system.model.get("openness", ""))
    return told if told in OPENNESS else OPENNESS[-1]


def _right(outcomes: Iterable[Outcome]) -> dict[str, dict[str, tuple[bool, bool]]]:
    """Cell -> row id -> was it right, was it changed?"""
    found: dict[str, dict[str, tuple[bool, bool]]] = {}
    for one in outcomes:
        found.setdefault(one.cell, {})[one.id] = one.right, one.perturbed
    return found


def _accuracy(found: Record, table: Table) -> float | None:
    for cell in found.cells:
        if (cell.dataset, cell.fold, cell.prompt) == (
            table.dataset,
            table.fold,
            table.prompt,
        ) and not cell.perturbation:
            return cell.scores.get(cell.score)
    return None


def _consistency(
    found: Record, table: Table, right: dict[str, dict[str, tuple[bool, bool]]], capability: str
) -> float | None:
    """Of the rows that are right as they were, the share whose every changed form is right too."""
    place = (table.dataset, table.fold, table.prompt)
    cells = [cell for cell in found.cells if (cell.dataset, cell.fold, cell.prompt) == place]
    before: dict[str, tuple[bool, bool]] = {}
    for cell in cells:
        if not cell.perturbation:
            before = right.get(cell.key, {})
    changed: dict[str, bool] = {}
    for cell in cells:
        if cell.perturbation and cell.setting == table.setting and _counts(cell.capability, capability):
            for row, (is_right, was_changed) in right.get(cell.key, {}).items():
                if was_changed and before.get(row, (False, False))[0]:
                    changed[row] = changed.get(row, True) and is_right
    return sum(changed.values()) / len(changed) if changed else None
