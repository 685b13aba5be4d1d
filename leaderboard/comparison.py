"""Comparison of the drops of two systems on the same rows."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from itertools import combinations
from typing import NamedTuple

from dnc_leaderboard.figures import words
from dnc_metrics import intervals, verdict_words, verdicts
from dnc_metrics.capabilities import PROBE
from dnc_metrics.drop_tables import RETYPED, is_retyped
from dnc_metrics.errors import RecordError
from dnc_metrics.record import Cell, Outcome, Record, by_cell
from dnc_metrics.row_labels import WEAK
from dnc_metrics.verdict_words import listed
from dnc_metrics.verdicts import Sample

# Measures of a line: the originals, the perturbed rows, or the loss between them.
ORIGINAL, PERTURBED, DROP = "accuracy on originals", "accuracy on perturbed rows", "drop"
NO_DIFFERENCE = "no difference shown"


@dataclass(frozen=True)
class Difference:
    """One figure of two systems on the same rows; `difference` is the first's minus the second's.

    Figures are shares from 0 to 1. The originals and the capabilities are one family of lines, the configs
    another. Within a family, p is Holm's adjusted p-value, the interval is simultaneous and consistent with p
    at zero, and the verdict names the better system if p decides. A drop over rows whose answers have all
    changed their type has no figures, and the verdict states this.
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
    capability: str = ""  # of a line that pools its perturbations

    @property
    def is_main(self) -> bool:
        """Return whether the line is about the originals or a capability, not a perturbation or a probe."""
        return self.measure == ORIGINAL or self.capability not in ("", PROBE)


def compare(
    systems: Sequence[tuple[Record, Sequence[Outcome]]], alpha: float = intervals.ALPHA
) -> list[Difference]:
    """Return the differences of all pairs of systems on each shared original, perturbation and capability."""
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
    judged: dict[int, Difference] = {}
    for family in (True, False):
        own = [(at, line) for at, line in enumerate(lines) if line.values and line.is_main == family]
        samples = [_sample(line) for _, line in own]
        p_values = intervals.holm([min(verdicts.p_drop(one), verdicts.p_gain(one)) for one in samples])
        for (at, line), sample, p in zip(own, samples, p_values, strict=True):
            judged[at] = _difference(line, sample, p, alpha, len(own))
    return [judged[at] if at in judged else _without_figures(line) for at, line in enumerate(lines)]


def sentences(found: Sequence[Difference]) -> list[str]:
    """Return one sentence per pair of systems: the capabilities with smaller losses, and the originals."""
    pairs: dict[tuple[str, str], list[tuple[str, Difference]]] = {}
    for title, one in titled(found):
        if one.is_main and one.difference is not None:
            pairs.setdefault((one.first, one.second), []).append((title, one))
    return [_sentence(*pair, lines) for pair, lines in pairs.items()]


def _sentence(first: str, second: str, lines: Sequence[tuple[str, Difference]]) -> str:
    places: dict[str, list[Difference]] = {}
    for title, one in lines:
        if one.capability:
            places.setdefault(title.replace(f"-{one.capability}", ""), []).append(one)
    parts = []
    for place, own in places.items():
        where = f"on {place}, " if len(places) > 1 else ""
        parts += [where + part for part in _losses(first, second, own)]
    for title, one in lines:
        if one.measure == ORIGINAL:
            points = f"{100 * abs(one.difference or 0.0):.1f} points"
            verdict = "no difference is shown" if one.verdict == NO_DIFFERENCE else one.verdict
            parts.append(f"on the originals of {title}, {verdict} ({points})")
    return f"{first} against {second}: {'; '.join(parts)}."


def _losses(first: str, second: str, lines: Sequence[Difference]) -> list[str]:
    parts = []
    for better, worse in ((first, second), (second, first)):
        lost = [_capability_loss(one) for one in lines if one.verdict == f"{better} is better"]
        if lost:
            verb = "is" if len(lost) == 1 else "are"
            parts.append(f"{better} loses less accuracy than {worse} where {listed(lost)} {verb} tested")
    undecided = [words(one.capability) for one in lines if one.verdict == NO_DIFFERENCE]
    return parts + ([f"no difference is shown in {listed(undecided)}"] if undecided else [])


def _capability_loss(one: Difference) -> str:
    low, high = sorted(abs(100 * end) for end in one.interval or (0.0, 0.0))
    return f"{words(one.capability)} ({100 * abs(one.difference or 0.0):.1f} points less, {low:.1f} to {high:.1f})"


def titled(found: Sequence[Difference]) -> list[tuple[str, Difference]]:
    """Return the lines with their displayed names: the config, and the prompt if there are several."""
    several = len({one.prompt for one in found}) > 1
    return [(f"{one.config} ({one.prompt})" if several else one.config, one) for one in found]


_Values = tuple[int, int, str]  # of one row: the one system's, the other's, and the cluster


class _Line(NamedTuple):
    """A comparison: the two names, the config, the prompt, the measure, and the values of each row."""

    names: tuple[str, str]
    config: str
    prompt: str
    measure: str
    values: Mapping[str, _Values]
    capability: str = ""

    @property
    def is_main(self) -> bool:
        return self.measure == ORIGINAL or self.capability not in ("", PROBE)


def _pair(
    one: Record,
    rows_one: Mapping[str, Sequence[Outcome]],
    other: Record,
    rows_other: Mapping[str, Sequence[Outcome]],
) -> list[_Line]:
    names = (one.system.name, other.system.name)
    theirs = {cell.key: cell for cell in other.cells}
    shared_cells = [cell for cell in one.cells if cell.key in theirs]
    # Rows that a server failed to answer differ between systems, and are rarely the easy ones.
    cells = [
        cell
        for cell in shared_cells
        if not cell.has_too_many_faults and not theirs[cell.key].has_too_many_faults
    ]
    if shared_cells and not cells:
        raise RecordError(
            f"{names[0]} and {names[1]}: more than 1 % of the rows of every shared config are server faults; run "
            "`dnc eval` with the same arguments once more to ask for these rows"
        )
    for cell in cells:
        _check_same_rows(names, cell, theirs[cell.key])
    originals = {(cell.dataset, cell.fold, cell.prompt): cell for cell in cells if not cell.perturbation}
    lines = []
    pooled: dict[tuple[str, str, str], dict[str, _Values]] = {}
    for cell in cells:
        mine, its = _by_id(rows_one, cell), _by_id(rows_other, cell)
        shared = [row for row in mine.values() if row.id in its and (row.perturbed or not cell.perturbation)]
        if not shared:
            continue
        right = {row.id: (int(row.right), int(its[row.id].right), _cluster(row)) for row in shared}
        lines.append(
            _Line(names, cell.config, cell.prompt, PERTURBED if cell.perturbation else ORIGINAL, right)
        )
        original = originals.get((cell.dataset, cell.fold, cell.prompt))
        if original is None or not cell.perturbation:
            continue
        before, before_its = _by_id(rows_one, original), _by_id(rows_other, original)
        # As in the drops of one system, weak rewrites do not count.
        both = [
            row
            for row in shared
            if row.id in before and row.id in before_its and row.labels.get("strength") != WEAK
        ]
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
            lines.append(_Line(names, cell.config, cell.prompt, DROP, drops))
            name = "-".join(filter(None, (cell.dataset, cell.fold, cell.capability, cell.setting)))
            own = pooled.setdefault((name, cell.prompt, cell.capability), {})
            for row, value in drops.items():  # a row that several perturbations share counts once
                own.setdefault(f"{row}\t{mine[row].digest or cell.key}", value)
    return lines + [
        _Line(names, name, prompt, DROP, values, capability)
        for (name, prompt, capability), values in pooled.items()
    ]


def _check_same_rows(names: tuple[str, str], mine: Cell, its: Cell) -> None:
    """Raise an error if two systems have different rows with the same ids, for example of another seed."""
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


def _sample(line: _Line) -> Sample:
    values = line.values.values()
    return verdicts.sample([mine - its for mine, its, _ in values], [cluster for _, _, cluster in values])


def _without_figures(line: _Line) -> Difference:
    return Difference(*line.names, line.config, line.prompt, line.measure, 0, 0, capability=line.capability)


def _difference(line: _Line, sample: Sample, p: float, alpha: float, together: int) -> Difference:
    values = line.values.values()
    one = sum(mine for mine, _, _ in values) / len(values)
    other = sum(its for _, its, _ in values) / len(values)
    low, high = verdicts.interval(sample, alpha / together)
    verdict = NO_DIFFERENCE
    if p >= alpha:
        low, high = min(low, 0.0), max(high, 0.0)
    else:  # Holm's test may reject where Bonferroni's interval contains zero; the interval then ends at zero
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
        clusters=sample.templates,
        one=one,
        other=other,
        difference=one - other,
        interval=(low, high),
        p=p,
        verdict=verdict,
        smallest=verdict_words.smallest_drop(sample, together),
        capability=line.capability,
    )
