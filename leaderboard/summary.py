"""A diagnosis in sentences: which capabilities a system has, lacks, or was not shown to have."""

from __future__ import annotations

from collections.abc import Sequence

from dnc_leaderboard.figures import VALUES, interval, points, words
from dnc_leaderboard.record import Line, Record, Table


def sentences(record: Record) -> list[str]:
    """One sentence per table of a record, with the figures that it rests on."""
    return [_sentence(record, table) for table in record.tables]


def judged(record: Record, line: Line) -> bool:
    """Does the line say something of the system? Not where the system is never shown the values."""
    return line.drop is not None and (record.system.sees_values or line.capability != VALUES)


def _sentence(record: Record, table: Table) -> str:
    lines = [line for line in table.lines if line.is_capability]
    parts = []
    for verdict, said in (
        ("drop", "loses accuracy where {} tested"),
        ("gain", "gains accuracy where {} tested"),
        ("no drop above the margin", f"shows no drop above {100 * table.margin:g} points in {{}}"),
        ("undecided", "is undecided in {}"),
    ):
        found = [line for line in lines if line.verdict == verdict and judged(record, line)]
        if found:
            parts.append(said.format(_listed(found, tested="tested" in said)))
    unseen = [line for line in lines if line.drop is not None and not judged(record, line)]
    if unseen:
        parts.append(f"cannot see values, so that {_names(unseen)} is not judged")
    where = " ".join(part for part in (table.dataset, table.fold, table.setting, table.prompt) if part)
    if not parts:
        return f"{record.system.name} on {where}: nothing to compare."
    return f"{record.system.name} on {where}: {'; '.join(parts)}."


def _listed(lines: Sequence[Line], tested: bool) -> str:
    shown = [f"{words(line.name)} ({points(line.drop)} points {interval(line.interval)})" for line in lines]
    verb = (" is" if len(lines) == 1 else " are") if tested else ""
    return (shown[0] if len(shown) == 1 else f"{', '.join(shown[:-1])} and {shown[-1]}") + verb


def _names(lines: Sequence[Line]) -> str:
    return " and ".join(words(line.name) for line in lines)
