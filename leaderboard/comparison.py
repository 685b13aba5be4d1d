"""Which of two systems is more robust: their drops on the same rows against each other."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from itertools import combinations
from typing import NamedTuple

from dnc_leaderboard._typed import RecordError
from dnc_leaderboard.record import Cell, Outcome, Record, by_cell
from dnc_leaderboard.statistics import RETYPED, is_retyped
from dnc_metrics import intervals, paired
from dnc_metrics.paired import Evidence

# What a line is about: the originals, the perturbed rows, or what is lost between them.
ORIGINAL, PERTURBED, DROP = "accuracy on originals", "accuracy on perturbed rows", "drop"


@dataclass(frozen=True)
class Difference:
    """One figure of two systems on the same rows; `difference` is the first's minus the second's.

    Shares from 0 to 1; p is Holm's over all lines, the interval holds for all of them together and says the same
    as p of zero, and the verdict names the better system where it decides. A drop over rows whose answers are all
    of another type than before has no figures, and the verdict says so.
    """

    first: str
    second: str
    config: str  # the perturbed config, a capability, or an original
    prompt: str
    measure: str
    n: int
    clusters: int
    one: float | None = None
    other: float | None = None
    difference: float | None = None
    interval: tuple[float, float] | None = None
    p: float | None = None
    verdict: str = RETYPED
    smallest: float | None = None


def compare(
    systems: Sequence[tuple[Record, Sequence[Outcome]]], alpha: float = intervals.ALPHA
) -> list[Difference]:
    """Every pair of systems on every original, perturbation and capability that both were scored on."""
    if len(systems) < 2:
        raise RecordError("a comparison needs at least two systems; give two or more records")
    names = [record.system.name for record, _ in systems]
    if len(set(names)) < len(names):
        raise RecordError(
            f"two of the systems have the same name ({', '.join(names)}); score them under names of their own"
        )
    lines: list[_Line] = []
    for (one, rows_one), (other, rows_other) in combinations(systems, 2):
        lines += _pair(one, by_cell(rows_one), other, by_cell(rows_other))
    if not lines:
        raise RecordError("the systems share no config with the same rows; evaluate them on the same tasks")
    filled = [line for line in lines if line.values]
    found = [_evidence(line, alpha / len(filled)) for line in filled]
    adjusted = iter(zip(found, intervals.holm([one.p_value for one in found]), strict=True))
    return [_difference(line, *next(adjusted), alpha) if line.values else _retyped(line) for line in lines]


def titled(found: Sequence[Difference]) -> list[tuple[str, Difference]]:
    """The lines with their names for people: the config, and how it was asked where that differs between lines."""
    several = len({one.prompt for one in found}) > 1
    return [(f"{one.config} ({one.prompt})" if several else one.config, one) for one in found]


_Values = tuple[int, int, str]  # of one row: the one system's, the other's, and the cluster


class _Line(NamedTuple):
    """What is compared: the two names, the config and how it was asked, the measure, and the values of each row."""

    names: tuple[str, str]
    config: str
    prompt: str
    measure: str
    values: Mapping[str, _Values]


def _pair(
    one: Record,
    rows_one: Mapping[str, Sequence[Outcome]],
    other: Record,
    rows_other: Mapping[str, Sequence[Outcome]],
) -> list[_Line]:
    names = (one.system.name, other.system.name)
    theirs = {cell.key: cell for cell in other.cells}
    cells = [cell for cell in one.cells if cell.key in theirs]
    for cell in cells:
        _check_same_rows(names, cell, theirs[cell.key])
    originals = {(cell.dataset, cell.fold, cell.prompt): cell for cell in cells if not cell.perturbation}
    made = []
    pooled: dict[tuple[str, str], dict[str, _Values]] = {}
    for cell in cells:
        mine, its = _by_id(rows_one, cell), _by_id(rows_other, cell)
        shared = [row for row in mine.values() if row.id in its and (row.perturbed or not cell.perturbation)]
        if not shared:
            continue
        right = {row.id: (int(row.right), int(its[row.id].right), _cluster(row)) for row in shared}
        made.append(
            _Line(names, cell.config, cell.prompt, PERTURBED if cell.perturbation else ORIGINAL, right)
        )
        original = originals.get((cell.dataset, cell.fold, cell.prompt))
        if original is None or not cell.perturbation:
            continue
        before, before_its = _by_id(rows_one, original), _by_id(rows_other, original)
        both = [row for row in shared if row.id in before and row.id in before_its]
        drops = {
            row.id: (
                before[row.id].right - row.right,
                before_its[row.id].right - its[row.id].right,
                _cluster(before[row.id]),
            )
            for row in both
            if not is_retyped(before[row.id], row)
        }
        if both:
            made.append(_Line(names, cell.config, cell.prompt, DROP, drops))
            name = "-".join(filter(None, (cell.dataset, cell.fold, cell.capability, cell.setting)))
            values = {f"{cell.key}\t{row}": value for row, value in drops.items()}
            pooled.setdefault((name, cell.prompt), {}).update(values)
    return made + [_Line(names, name, prompt, DROP, values) for (name, prompt), values in pooled.items()]


def _check_same_rows(names: tuple[str, str], mine: Cell, its: Cell) -> None:
    """Ids alone do not say that two systems were asked the same: another seed makes other rows of them."""
    one, other = mine.data.get("sha256"), its.data.get("sha256")
    if one and other and one != other:
        raise RecordError(
            f"{names[0]} and {names[1]} were scored on different rows of {mine.config} (checksums "
            f"{str(one)[:12]} and {str(other)[:12]}); score both on the same build"
        )


def _by_id(rows: Mapping[str, Sequence[Outcome]], cell: Cell) -> dict[str, Outcome]:
    return {one.id: one for one in rows.get(cell.key, ())}


def _cluster(row: Outcome) -> str:
    return row.cluster or row.id


def _evidence(line: _Line, alpha: float) -> Evidence:
    """As sure as `dnc score` would be of a drop from the one to the other."""
    values = line.values.values()
    return paired.evidence(
        [mine - its for mine, its, _ in values], [cluster for _, _, cluster in values], alpha
    )


def _retyped(line: _Line) -> Difference:
    return Difference(*line.names, line.config, line.prompt, line.measure, 0, 0)


def _difference(line: _Line, found: Evidence, p: float, alpha: float) -> Difference:
    values = line.values.values()
    one = sum(mine for mine, _, _ in values) / len(values)
    other = sum(its for _, its, _ in values) / len(values)
    low, high = found.interval
    verdict = "no difference shown"
    if p >= alpha:
        low, high = min(low, 0.0), max(high, 0.0)
    else:  # Holm's test may reject where Bonferroni's interval still holds zero: its own then ends there
        low, high = (max(low, 0.0), high) if one > other else (low, min(high, 0.0))
        first_is_better = (one > other) != (line.measure == DROP)
        verdict = f"{line.names[0] if first_is_better else line.names[1]} is better"
    return Difference(
        first=line.names[0],
        second=line.names[1],
        config=line.config,
        prompt=line.prompt,
        measure=line.measure,
        n=len(values),
        clusters=len({cluster for _, _, cluster in values}),
        one=one,
        other=other,
        difference=one - other,
        interval=(low, high),
        p=p,
        verdict=verdict,
        smallest=found.smallest,
    )
