"""The ranking of systems: a row per system, dataset, setting and prompt, the most robust first."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass

from dnc_leaderboard.figures import percent, words
from dnc_leaderboard.summary import is_probe_finding, judged, recalled
from dnc_metrics import verdict_words
from dnc_metrics.capabilities import CAPABILITIES, PROBE
from dnc_metrics.record import Line, Outcome, Record, Table

# The order of systems. The first one is the default.
SORTS = ("robust accuracy", "worst drop", "mean drop", "consistency", "accuracy")
OPENNESS = ("open", "closed", "not stated")
# Name -> range of billions of parameters; the upper end is excluded.
SIZES = {
    "below 1": (0.0, 1.0),
    "1 to 10": (1.0, 10.0),
    "10 to 100": (10.0, 100.0),
    "100 and more": (100.0, float("inf")),
}
JUDGED = tuple(name for name in CAPABILITIES if name != PROBE)
MEMORISED = "knows the originals by heart"
_MAX_NAME = 80
_DATE = re.compile(r"\d{4}-\d\d-\d\d")


@dataclass(frozen=True)
class Ranked:
    """A system's row: accuracies and drops as shares, over the selected capabilities.

    `robust` is the accuracy on the changed rows of the capability with the lowest accuracy.
    """

    system: str
    dataset: str
    setting: str
    prompt: str
    openness: str
    billions: float | None
    accuracy: float | None
    robust: float | None
    robust_where: str
    worst: float | None
    worst_where: str
    worst_interval: tuple[float, float] | None
    mean: float | None
    consistency: float | None
    n: int
    verdict: str  # of the worst drop, in words
    lines: Mapping[str, Line]  # capability -> its line
    margin: float
    findings: tuple[str, ...] = ()  # memorised answers, and probes that the system should have failed
    date: str = ""
    link: str = ""  # to the report of the system

    @property
    def place(self) -> tuple[str, str, str]:
        """Return the place of the rows; systems with the same place can be compared."""
        return self.dataset, self.setting, self.prompt


def rows(
    systems: Iterable[tuple[Record, Sequence[Outcome]]], capability: str = "", links: Sequence[str] = ()
) -> list[Ranked]:
    """Return a row for each table of each record.

    With a capability, drops are of that one alone, else of all but probes.
    """
    ranked_rows = []
    for at, (found, outcomes) in enumerate(systems):
        right = _outcomes_by_cell(outcomes)
        link = links[at] if links else ""
        ranked_rows += [_row(found, table, right, capability, link) for table in found.tables]
    return ranked_rows


def _row(
    result: Record,
    table: Table,
    right: Mapping[str, Mapping[str, tuple[bool, bool]]],
    capability: str,
    link: str,
) -> Ranked:
    known = [line for line in table.lines if line.is_capability and judged(line)]
    lines = [line for line in known if _is_selected(line.name, capability)]
    worst = max(lines, key=lambda line: line.drop or 0.0, default=None)
    weakest = min(lines, key=lambda line: line.after or 0.0, default=None)
    model = result.system.model
    billions, openness = model.get("billions"), str(model.get("openness", ""))
    return Ranked(
        system=result.system.name[:_MAX_NAME],
        dataset=" ".join(filter(None, (table.dataset, table.fold))),
        setting=table.setting,
        prompt=table.prompt,
        openness=openness if openness in OPENNESS else OPENNESS[-1],
        billions=float(billions) if isinstance(billions, (int, float)) else None,
        accuracy=_accuracy(result, table),
        robust=weakest.after if weakest else None,
        robust_where=words(weakest.name) if weakest else "",
        worst=worst.drop if worst else None,
        worst_where=words(worst.name) if worst else "",
        worst_interval=worst.interval if worst else None,
        mean=sum(line.drop or 0.0 for line in lines) / len(lines) if lines else None,
        consistency=_consistency(result, table, right, capability),
        n=sum(line.n for line in lines),
        verdict=verdict_words.words(worst.verdict, table.margin) if worst else "",
        lines={line.name: line for line in table.lines if line.is_capability and line.name in JUDGED},
        margin=table.margin,
        findings=_findings(result, table),
        date=result.made.date if _DATE.fullmatch(result.made.date) else "",
        link=link,
    )


def _findings(result: Record, table: Table) -> tuple[str, ...]:
    """Return findings that a drop does not show: memorised answers, and parts that are not needed."""
    memorised = (MEMORISED,) if recalled(result) else ()
    return (*memorised, *(line.verdict for line in table.lines if is_probe_finding(line)))


def ranked(
    found: Sequence[Ranked],
    *,
    dataset: str = "",
    setting: str = "",
    openness: str = "",
    size: str = "",
    sort: str = SORTS[0],
) -> list[Ranked]:
    """Return the rows that match the filters, best first; a row without the figure comes last."""
    low, high = SIZES.get(size, (0.0, float("inf")))
    fitting = [
        row
        for row in found
        if dataset in ("", row.dataset)
        and setting in ("", row.setting)
        and openness in ("", row.openness)
        and (not size or (row.billions is not None and low <= row.billions < high))
    ]
    key = {"robust accuracy": "robust", "worst drop": "worst", "mean drop": "mean"}.get(sort, sort)
    sign = 1 if "drop" in sort else -1

    def order(row: Ranked) -> tuple[bool, float, str]:
        value = getattr(row, key)
        return value is None, sign * (value or 0.0), row.system

    return sorted(fitting, key=order)


def main_place(found: Sequence[Ranked]) -> tuple[str, str, str]:
    """Return the dataset, setting and prompt with the most systems."""
    counts = Counter(row.place for row in found)
    return max(counts, key=lambda place: counts[place]) if counts else ("", "", "")


def conclusion(found: Sequence[Ranked]) -> str:
    """Name the most robust of several systems with the same rows, and the others in order."""
    place = main_place(found)
    order = [row for row in ranked(found) if row.place == place and row.robust is not None]
    if len(order) < 2:
        return ""
    first, *others = order
    dataset, *asked = place
    unusual = [part for part in asked if part not in ("", "attack", "direct")]
    where = f"{dataset} ({', '.join(unusual)})" if unusual else dataset
    rest = "; ".join(
        f"{row.system} with {percent(row.accuracy)} % and {percent(row.robust)} % ({row.robust_where})"
        for row in others[:3]
    )
    more = f"; {len(others) - 3} more are in the table" if len(others) > 3 else ""
    return (
        f"{first.system} is the most robust of {len(order)} systems on {where}. It answers "
        f"{percent(first.accuracy)} % of the original problems, and {percent(first.robust)} % of the changed ones in "
        f"the capability where it answers the fewest ({first.robust_where}). It is followed by {rest}{more}."
    )


def _is_selected(name: str, wanted: str) -> bool:
    """Return whether a capability is selected; probes only by name, since losses there are expected."""
    return name == wanted if wanted else name != PROBE


def _outcomes_by_cell(outcomes: Iterable[Outcome]) -> dict[str, dict[str, tuple[bool, bool]]]:
    """Map cell -> row id -> (is right, was changed)."""
    by_cell: dict[str, dict[str, tuple[bool, bool]]] = {}
    for one in outcomes:
        by_cell.setdefault(one.cell, {})[one.id] = one.right, one.perturbed
    return by_cell


def _accuracy(result: Record, table: Table) -> float | None:
    place = (table.dataset, table.fold, table.prompt)
    for cell in result.cells:
        if (cell.dataset, cell.fold, cell.prompt) == place and not cell.perturbation:
            return cell.scores.get(cell.score)
    return None


def _consistency(
    result: Record, table: Table, right: Mapping[str, Mapping[str, tuple[bool, bool]]], capability: str
) -> float | None:
    """Return the share of rows with all changed forms right, among rows that are right unchanged."""
    place = (table.dataset, table.fold, table.prompt)
    cells = [cell for cell in result.cells if (cell.dataset, cell.fold, cell.prompt) == place]
    before: Mapping[str, tuple[bool, bool]] = {}
    for cell in cells:
        if not cell.perturbation:
            before = right.get(cell.key, {})
    changed: dict[str, bool] = {}
    for cell in cells:
        if cell.perturbation and cell.setting == table.setting and _is_selected(cell.capability, capability):
            for row, (is_right, was_changed) in right.get(cell.key, {}).items():
                if was_changed and before.get(row, (False, False))[0]:
                    changed[row] = changed.get(row, True) and is_right
    return sum(changed.values()) / len(changed) if changed else None
