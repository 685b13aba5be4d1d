"""A diagnosis in sentences: which capabilities a system has, lacks, or was not shown to have."""

from __future__ import annotations

from collections.abc import Sequence

from dnc_leaderboard.figures import PROBE, VALUES, interval, percent, points, words
from dnc_leaderboard.record import Line, Record, Table


def sentences(record: Record) -> list[str]:
    """One sentence per table of a record, with the figures that it rests on."""
    return [_sentence(record, table) for table in record.tables]


def judged(record: Record, line: Line) -> bool:
    """Does the line say something of the system? Not where the system is never shown the values."""
    return line.drop is not None and (record.system.sees_values or line.capability != VALUES)


def _sentence(record: Record, table: Table) -> str:
    lines = [line for line in table.lines if line.is_capability and line.capability != PROBE]
    parts = []
    for verdict, said in (
        ("drop", "loses accuracy where {} tested"),
        ("gain", "gains accuracy where {} tested"),
        ("no drop above the margin", f"shows no drop above {100 * table.margin:g} points in {{}}"),
        ("undecided", "is undecided in {}"),
    ):
        found = [line for line in lines if line.verdict == verdict and judged(record, line)]
        if found:
            named = _names(found) if verdict == "undecided" else _listed(found, tested="tested" in said)
            parts.append(said.format(named))
    unseen = [line for line in lines if line.drop is not None and not judged(record, line)]
    if unseen:
        parts.append(f"cannot see values, so that {_names(unseen)} is not judged")
    for line in table.lines:
        if line.is_capability and line.capability == PROBE and line.drop is not None:
            parts.append(f"with a part taken away (probe) it still answers {percent(line.after)} %")
    asked = ", ".join(part for part in (table.setting, table.prompt) if part)
    where = " ".join(part for part in (table.dataset, table.fold, f"({asked})" if asked else "") if part)
    if not parts:
        return f"{record.system.name} on {where}: nothing to compare."
    return f"{record.system.name} on {where}: {'; '.join(parts)}."


def _listed(lines: Sequence[Line], tested: bool) -> str:
    shown = [f"{words(line.name)} ({points(line.drop)} points {interval(line.interval)})" for line in lines]
    return _and(shown) + ((" is" if len(lines) == 1 else " are") if tested else "")


def _names(lines: Sequence[Line]) -> str:
    return _and([words(line.name) for line in lines])


def _and(names: Sequence[str]) -> str:
    return " and ".join(filter(None, (", ".join(names[:-1]), names[-1])))
