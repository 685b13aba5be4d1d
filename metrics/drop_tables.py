"""Tables of a record: every perturbed cell against its original, row by row, capabilities first."""

from __future__ import annotations

from collections.abc import Container, Iterator, Mapping, Sequence
from dataclasses import replace
from typing import NamedTuple, Protocol

from dnc_metrics import verdicts
from dnc_metrics.capabilities import CAPABILITIES, PROBE, VALUES
from dnc_metrics.diagnosis import diagnose, pooled_pairs
from dnc_metrics.paired import Comparison, Pairs
from dnc_metrics.record import FAULT, Cell, Line, Outcome, Record, Table, by_cell
from dnc_metrics.row_labels import WEAK

# A contrast set has several members for an original; see `contrasts`.
_CONTRAST = "contrast"
RETYPED = "another type of answer"
NO_ROW = "no row changed"


class PairedRow(Protocol):
    """The fields of an outcome that the pairing of rows reads; a scored reply has them too."""

    @property
    def id(self) -> str: ...
    @property
    def right(self) -> bool: ...
    @property
    def perturbed(self) -> bool: ...
    @property
    def cluster(self) -> str: ...
    @property
    def digest(self) -> str: ...
    @property
    def labels(self) -> Mapping[str, str]: ...


class Rows(Protocol):
    """The rows of a cell: a list, or rows that are read at each iteration."""

    def __len__(self) -> int: ...

    def __iter__(self) -> Iterator[PairedRow]: ...


def tables(
    cells: Sequence[Cell],
    rows: Mapping[str, Rows],
    margin: float = verdicts.MARGIN,
    *,
    sees_values: bool = True,
) -> tuple[Table, ...]:
    """Return the tables of a record: one for each dataset (or fold), setting and prompt with an original."""
    originals = {(cell.dataset, cell.fold, cell.prompt): cell for cell in cells if not cell.perturbation}
    groups: dict[tuple[str, str, str, str], list[Cell]] = {}
    for cell in cells:
        if cell.perturbation and cell.setting != _CONTRAST:
            groups.setdefault((cell.dataset, cell.fold, cell.setting, cell.prompt), []).append(cell)
    complete = []
    for (dataset, fold, setting, prompt), perturbed in groups.items():
        original = originals.get((dataset, fold, prompt))
        if original is not None and rows.get(original.key):
            withheld = _withheld(original, perturbed, sees_values)
            lines = _lines(rows[original.key], perturbed, rows, margin, withheld)
            complete.append(
                Table(dataset, fold, setting, prompt, original.score, margin, lines, verdicts.METHOD)
            )
    return tuple(complete)


def refreshed(record: Record, outcomes: Sequence[Outcome]) -> Record:
    """Return the record judged by this version's method; unchanged without outcomes."""
    if not outcomes or all(table.method.startswith(verdicts.METHOD) for table in record.tables):
        return record
    rows = by_cell([one for one in outcomes if one.status != FAULT])
    margin = record.tables[0].margin
    judged = tables(record.cells, rows, margin, sees_values=record.system.sees_values)
    return replace(record, tables=judged)


def capability_pairs(cells: Sequence[Cell], rows: Mapping[str, Rows]) -> dict[str, Pairs]:
    """Return the paired outcomes of each capability, over the cells of one dataset, setting and prompt."""
    original = next(cell for cell in cells if not cell.perturbation)
    perturbed = [cell for cell in cells if cell.perturbation and cell.setting != _CONTRAST]
    gathered = _gathered(rows[original.key], perturbed, rows)
    pooled = pooled_pairs(*gathered.arguments(perturbed), clusters=gathered.clusters, texts=gathered.texts)
    return {name: pairs for name, pairs in pooled.items() if name != PROBE}


def is_retyped(before: Outcome, after: Outcome) -> bool:
    """Return whether the type of the answer has changed; guessing yes or no makes a drop meaningless."""
    return _answer_type(before) != _answer_type(after)


def _withheld(original: Cell, perturbed: Sequence[Cell], sees_values: bool) -> dict[str, str]:
    """Return the perturbations and capabilities that cannot be judged, with the reason."""
    reasons = {}
    for name in dict.fromkeys(name for cell in perturbed for name in (cell.capability, cell.perturbation)):
        own = [cell for cell in perturbed if name in (cell.capability, cell.perturbation)]
        if not sees_values and all(cell.capability == VALUES for cell in own):
            reasons[name] = verdicts.CANNOT_SEE
        elif any(cell.has_too_many_faults for cell in (original, *own)):
            count = sum(cell.faults for cell in (original, *own))
            reasons[name] = f"{count} server fault{'s' if count > 1 else ''}: no verdict"
    return reasons


def _lines(
    original: Rows,
    perturbed: Sequence[Cell],
    rows: Mapping[str, Rows],
    margin: float,
    withheld: Mapping[str, str],
) -> tuple[Line, ...]:
    gathered = _gathered(original, perturbed, rows)
    found = diagnose(
        *gathered.arguments(perturbed),
        clusters=gathered.clusters,
        texts=gathered.texts,
        withheld=withheld,
        margin=margin,
    )
    retyped = gathered.retyped
    lines = []
    for capability in dict.fromkeys((*CAPABILITIES, *(cell.capability for cell in perturbed))):
        own = [cell.perturbation for cell in perturbed if cell.capability == capability]
        if own:
            lines.append(_line(capability, capability, True, found.capabilities.get(capability), retyped))
            lines += [_line(name, capability, False, found.perturbations.get(name), retyped) for name in own]
    return tuple(lines)


class _Gathered(NamedTuple):
    """Outcomes by row id: the originals, each perturbation's changed rows and their texts."""

    before: dict[str, bool]
    clusters: dict[str, str]
    after: dict[str, dict[str, bool]]
    texts: dict[str, dict[str, str]]
    retyped: set[str]  # perturbations and capabilities with rows whose answer type has changed

    def arguments(
        self, perturbed: Sequence[Cell]
    ) -> tuple[dict[str, bool], dict[str, dict[str, bool]], dict[str, str]]:
        """Return arguments of `diagnose`: outcomes before and after, and each perturbation's capability."""
        return self.before, self.after, {cell.perturbation: cell.capability for cell in perturbed}


def _gathered(original: Rows, perturbed: Sequence[Cell], rows: Mapping[str, Rows]) -> _Gathered:
    before: dict[str, bool] = {}
    clusters: dict[str, str] = {}
    types: dict[str, str] = {}  # of the answers that have a type; most have none
    for one in original:
        row = one.id
        # A row that is its own cluster shares one string object, to save memory.
        clusters[row] = one.cluster if one.cluster and one.cluster != row else row
        before[row] = one.right
        if kind := _answer_type(one):
            types[row] = kind
    retyped: set[str] = set()
    after: dict[str, dict[str, bool]] = {}
    texts: dict[str, dict[str, str]] = {}
    for cell in perturbed:
        right = after[cell.perturbation] = {}
        digests = texts[cell.perturbation] = {}
        for one in rows.get(cell.key, ()):
            row = one.id
            if not one.perturbed or row not in before:
                continue
            row = clusters[row] if clusters[row] == row else row
            if one.labels.get("strength") == WEAK:
                continue
            if types.get(row, "") != _answer_type(one):
                retyped |= {cell.perturbation, cell.capability}
                continue
            right[row] = one.right
            if len(perturbed) > 1:  # the text identifies rows that perturbations share
                digests[row] = one.digest
    return _Gathered(before, clusters, after, texts, retyped)


def _answer_type(one: PairedRow) -> str:
    return one.labels.get("answer type", "")


def _line(
    name: str, capability: str, is_capability: bool, found: Comparison | None, retyped: Container[str] = ()
) -> Line:
    if found is None:
        why = RETYPED if name in retyped else NO_ROW
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
        p_alone=found.p_value,
        p_clear=found.p_clear,
        at_most=found.at_most,
        lost=found.lost,
        gained=found.gained,
    )
