"""Which of two systems is more robust: their drops on the same rows against each other."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import combinations
from typing import NamedTuple

from dnc_leaderboard._typed import RecordError
from dnc_leaderboard.record import Cell, Outcome, Record, by_cell
from dnc_metrics import intervals

# What a line is about: the originals, the perturbed rows, or what is lost between them.
ORIGINAL, PERTURBED, DROP = "accuracy on originals", "accuracy on perturbed rows", "drop"


@dataclass(frozen=True)
class Difference:
    """One figure of two systems on the same rows; `difference` is the first's minus the second's.

    Shares from 0 to 1; p is Holm's over all lines, the interval holds for all of them together and says the same
    as p of zero, and the verdict names the better system where it decides.
    """

    first: str
    second: str
    config: str  # the perturbed config, a capability, or an original
    measure: str
    n: int
    clusters: int
    one: float
    other: float
    difference: float
    interval: tuple[float, float]
    p: float
    verdict: str
    smallest: float | None


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
    made = [_difference(line, alpha / len(lines)) for line in lines]
    adjusted = intervals.holm([one.p for one in made])
    return [_judged(found, p, alpha) for found, p in zip(made, adjusted, strict=True)]


class _Line(NamedTuple):
    """What is compared: the two names, the config, the measure, and by row both values and the cluster."""

    names: tuple[str, str]
    config: str
    measure: str
    values: Mapping[str, tuple[int, int, str]]


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
    pooled: dict[str, dict[str, tuple[int, int, str]]] = {}
    for cell in cells:
        mine, its = _right(rows_one[cell.key]), _right(rows_other[cell.key])
        if not cell.perturbation:
            values = {row: (int(mine[row][0]), int(its[row][0]), mine[row][1]) for row in mine if row in its}
            made.append(_Line(names, cell.config, ORIGINAL, values))
            continue
        original = originals.get((cell.dataset, cell.fold, cell.prompt))
        changed = [row.id for row in rows_one[cell.key] if row.perturbed and row.id in its]
        after = {row: (int(mine[row][0]), int(its[row][0]), mine[row][1]) for row in changed}
        if after:
            made.append(_Line(names, cell.config, PERTURBED, after))
        if original is None or not after:
            continue
        before, before_its = _right(rows_one[original.key]), _right(rows_other[original.key])
        drops = {
            row: (before[row][0] - mine[row][0], before_its[row][0] - its[row][0], before[row][1])
            for row in changed
            if row in before and row in before_its
        }
        if drops:
            made.append(_Line(names, cell.config, DROP, drops))
            name = "-".join(filter(None, (cell.dataset, cell.fold, cell.capability, cell.setting)))
            pooled.setdefault(name, {}).update({f"{cell.key}\t{row}": value for row, value in drops.items()})
    return made + [_Line(names, name, DROP, values) for name, values in pooled.items()]


def _check_same_rows(names: tuple[str, str], mine: Cell, its: Cell) -> None:
    """Ids alone do not say that two systems were asked the same: another seed makes other rows of them."""
    one, other = mine.data.get("sha256"), its.data.get("sha256")
    if one and other and one != other:
        raise RecordError(
            f"{names[0]} and {names[1]} were scored on different rows of {mine.config} (checksums "
            f"{str(one)[:12]} and {str(other)[:12]}); score both on the same build"
        )


def _right(rows: Sequence[Outcome]) -> dict[str, tuple[int, str]]:
    return {one.id: (int(one.right), one.cluster or one.id) for one in rows}


def _difference(line: _Line, alpha: float) -> Difference:
    values = line.values
    sizes: dict[str, int] = {}
    sums: dict[str, int] = {}
    for mine, its, cluster in values.values():
        sizes[cluster] = sizes.get(cluster, 0) + 1
        sums[cluster] = sums.get(cluster, 0) + mine - its
    count = len(values)
    one = sum(mine for mine, _, _ in values.values()) / count
    other = sum(its for _, its, _ in values.values()) / count
    by_group = [sums[name] for name in sizes]
    disagree = sum(mine != its for mine, its, _ in values.values())
    squares = sum((mine - its) ** 2 for mine, its, _ in values.values())
    effective = count / intervals.design_effect(list(sizes.values()), by_group, squares)
    return Difference(
        first=line.names[0],
        second=line.names[1],
        config=line.config,
        measure=line.measure,
        n=count,
        clusters=len(sizes),
        one=one,
        other=other,
        difference=one - other,
        interval=_interval(list(sizes.values()), by_group, line.measure, alpha),
        p=intervals.sign_flip(by_group),
        verdict="",
        smallest=intervals.minimal_detectable(effective, disagree / count, alpha=alpha),
    )


def _interval(sizes: list[int], by_group: list[int], measure: str, alpha: float) -> tuple[float, float]:
    """Whole clusters drawn again; where none differs, how many may differ that were not seen."""
    if any(by_group):
        return intervals.bootstrap(sizes, by_group, alpha=alpha)
    low, high = intervals.paired_difference(0, 0, len(sizes), alpha)
    most = 2 if measure == DROP else 1  # one system may lose what the other gains
    return most * low, most * high


def _judged(found: Difference, p: float, alpha: float) -> Difference:
    verdict = "no difference shown"
    low, high = found.interval
    if p >= alpha:
        low, high = min(low, 0.0), max(high, 0.0)
    else:  # Holm's test may reject where Bonferroni's interval still holds zero: its own then ends there
        low, high = (max(low, 0.0), high) if found.difference > 0 else (low, min(high, 0.0))
        first_is_better = (found.difference > 0) != (found.measure == DROP)
        verdict = f"{found.first if first_is_better else found.second} is better"
    return replace(found, interval=(low, high), p=p, verdict=verdict)
