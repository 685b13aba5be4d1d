"""From outcomes to tables: every perturbed cell against its original, row by row, capabilities first."""

from __future__ import annotations

from collections.abc import Container, Mapping, Sequence

from dnc_leaderboard.figures import CAPABILITIES
from dnc_leaderboard.record import Cell, Line, Outcome, Table
from dnc_metrics import robustness
from dnc_metrics.robustness import Comparison

# A contrast set has several members for an original; see `contrasts`.
_CONTRAST = "contrast"
RETYPED = "another type of answer"


def tables(
    cells: Sequence[Cell], rows: Mapping[str, Sequence[Outcome]], margin: float = robustness.MARGIN
) -> tuple[Table, ...]:
    """The tables of a record: one for each dataset (or fold), setting and prompt that has an original."""
    originals = {(cell.dataset, cell.fold, cell.prompt): cell for cell in cells if not cell.perturbation}
    groups: dict[tuple[str, str, str, str], list[Cell]] = {}
    for cell in cells:
        if cell.perturbation and cell.setting != _CONTRAST:
            groups.setdefault((cell.dataset, cell.fold, cell.setting, cell.prompt), []).append(cell)
    made = []
    for (dataset, fold, setting, prompt), perturbed in groups.items():
        original = originals.get((dataset, fold, prompt))
        if original is not None and rows.get(original.key):
            lines = _lines(rows[original.key], perturbed, rows, margin)
            made.append(Table(dataset, fold, setting, prompt, original.score, margin, lines))
    return tuple(made)


def is_retyped(before: Outcome, after: Outcome) -> bool:
    """Is the answer of another type now? Yes or no is guessed where a number is not: no drop follows from that."""
    return before.labels.get("answer type", "") != after.labels.get("answer type", "")


def _lines(
    original: Sequence[Outcome],
    perturbed: Sequence[Cell],
    rows: Mapping[str, Sequence[Outcome]],
    margin: float,
) -> tuple[Line, ...]:
    asked = {one.id: one for one in original}
    before = {one.id: one.right for one in original}
    retyped: set[str] = set()
    clusters = {one.id: one.cluster or one.id for one in original}
    after: dict[str, dict[str, bool]] = {}
    pooled: dict[str, dict[str, bool]] = {}
    for cell in perturbed:
        touched = [one for one in rows.get(cell.key, ()) if one.perturbed and one.id in before]
        changed = {one.id: one.right for one in touched if not is_retyped(asked[one.id], one)}
        if len(changed) < len(touched):
            retyped |= {cell.perturbation, cell.capability}
        after[cell.perturbation] = changed
        # A row that several perturbations of a capability changed counts with each, in one cluster.
        pooled.setdefault(cell.capability, {}).update(
            {f"{cell.perturbation}\t{row}": right for row, right in changed.items()}
        )
    wide = {pair: before[_row(pair)] for pairs in pooled.values() for pair in pairs}
    owners = {pair: clusters[_row(pair)] for pair in wide}
    total = len(after) + len(pooled)
    compared = _compared(before, after, clusters, margin, total)
    by_capability = _compared(wide, pooled, owners, margin, total)
    lines = []
    order = dict.fromkeys((*CAPABILITIES, *(cell.capability for cell in perturbed)))
    for capability in (name for name in order if name in pooled):
        lines.append(_line(capability, capability, True, by_capability.get(capability), retyped))
        lines += [
            _line(cell.perturbation, capability, False, compared.get(cell.perturbation), retyped)
            for cell in perturbed
            if cell.capability == capability
        ]
    return tuple(lines)


def _compared(
    before: Mapping[str, bool],
    after: Mapping[str, Mapping[str, bool]],
    clusters: Mapping[str, str],
    margin: float,
    lines: int,
) -> dict[str, Comparison]:
    filled = {name: rows for name, rows in after.items() if rows}
    return robustness.table(before, filled, clusters=clusters, margin=margin, lines=lines) if filled else {}


def _line(
    name: str, capability: str, is_capability: bool, found: Comparison | None, retyped: Container[str] = ()
) -> Line:
    if found is None:
        why = RETYPED if name in retyped else "no row changed"
        return Line(name, capability, is_capability, 0, 0, verdict=why)
    return Line(
        name=name,
        capability=capability,
        is_capability=is_capability,
        n=found.pairs,
        clusters=found.clusters,
        before=found.original,
        after=found.perturbed,
        drop=found.drop,
        interval=found.drop_interval,
        p=found.p_adjusted,
        verdict=found.verdict,
        reason=found.reason,
        smallest=found.minimal_detectable_drop,
        relative=found.relative_drop,
        decide=found.decide,
    )


def _row(pair: str) -> str:
    return pair.partition("\t")[2]
