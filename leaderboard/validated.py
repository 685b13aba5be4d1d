"""Rows that people judged valid: a system's accuracy on those alone, and on a random sample of the same mix."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import NamedTuple

from dnc_datasets.draws import Draw
from dnc_datasets.errors import DncError
from dnc_datasets.review import VERDICTS, Mark, read_marks
from dnc_leaderboard.judges import majority
from dnc_leaderboard.record import Outcome, Record
from dnc_metrics import intervals


class Part(NamedTuple):
    """Some perturbed rows of a record: which, how many, how many of them right, and the interval."""

    name: str
    rows: int
    right: int
    interval: tuple[float, float]


def parts(record: Record, outcomes: Sequence[Outcome], marks: Sequence[Mark], *, seed: int = 0) -> list[Part]:
    """All perturbed rows of the configs that were judged, those judged valid, and as many drawn at random.

    Valid is what more than half of its judges call good, be they one or many. The random rows are drawn config by
    config, as many as are valid there, among all perturbed rows: what is left unjudged, and bad, among them.
    """
    valid = _valid(marks)
    judged = {mark.config for mark in marks}
    cells = {cell.key: cell.config for cell in record.cells if cell.config in judged}
    asked = [one for one in outcomes if one.cell in cells and one.perturbed]
    if not asked:
        raise DncError(
            f"the marks are of {', '.join(sorted(judged)) or 'nothing'}, of which no perturbed row was scored"
        )
    good = [one for one in asked if (cells[one.cell], one.id) in valid]
    drawn = [one for key in cells for one in _drawn(key, asked, good, seed)]
    named = (("all perturbed rows", asked), ("judged valid", good), ("random, the same mix", drawn))
    return [_part(name, some) for name, some in named if some]


def _valid(marks: Sequence[Mark]) -> set[tuple[str, str]]:
    """The config and id of every row that most of its judges call good."""
    return {key for key, verdict in majority(marks, least=1).items() if verdict == VERDICTS[0]}


def _drawn(key: str, asked: Sequence[Outcome], good: Sequence[Outcome], seed: int) -> Iterator[Outcome]:
    """As many rows of a cell as are valid there."""
    many = sum(one.cell == key for one in good)
    own = sorted((one for one in asked if one.cell == key), key=lambda one: one.id)
    yield from Draw(seed, key, "sample", "marks").shuffled(own)[:many]


def _part(name: str, some: Sequence[Outcome]) -> Part:
    right = sum(one.right for one in some)
    return Part(name, len(some), right, intervals.wilson(right, len(some)))


def read(paths: Sequence[Path]) -> list[Mark]:
    """The marks of these files."""
    for path in paths:
        if not path.is_file():
            raise DncError(f"there is no file of marks {path}; `dnc review` writes one")
    return [mark for path in paths for mark in read_marks(path)]


def told(record: Record, outcomes: Sequence[Outcome], marks: Sequence[Mark]) -> str:
    """The parts as lines, and how many rows judged valid are none of them."""
    lines = [
        f"{part.name}: {100 * part.right / part.rows:.1f} % of {part.rows} "
        f"[{100 * part.interval[0]:.1f}, {100 * part.interval[1]:.1f}]"
        for part in parts(record, outcomes, marks)
    ]
    configs = {cell.key: cell.config for cell in record.cells}
    left = len(_valid(marks) - {(configs[one.cell], one.id) for one in outcomes})
    if left:
        lines.append(f"{left} more rows were judged valid and not scored")
    return "\n".join(lines)
