"""Robustness as a module of the evaluate library."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Mapping, Sequence
from typing import Any

from dnc_metrics import paired
from dnc_metrics.diagnosis import diagnose
from dnc_metrics.errors import MetricError
from dnc_metrics.evaluate_module import metric_class

ORIGINAL = "original"


def score(
    ids: Sequence[str],
    variants: Sequence[str],
    outcomes: Sequence[float],
    capabilities: Mapping[str, str] | None = None,
    **options: Any,
) -> dict[str, Any]:
    """Pair the rows of every variant with their originals and compare."""
    rows: dict[str, dict[str, bool]] = defaultdict(dict)
    for row, variant, outcome in zip(ids, variants, outcomes, strict=True):
        if row in rows[variant]:
            raise MetricError(f"row {row!r} of {variant!r} is given twice")
        rows[variant][row] = outcome  # type: ignore[assignment]  # 0.0 and 1.0; others are refused
    original = rows.pop(ORIGINAL, {})
    if capabilities is None:
        cells = paired.table(original, rows, **options)
    else:
        if missing := [name for name in rows if name not in capabilities]:
            raise MetricError(f"the perturbation {missing[0]!r} has no capability; name one for each")
        found = diagnose(original, rows, capabilities, **options)
        cells = {**found.capabilities, **found.perturbations}
    return {name: cell.as_dict() for name, cell in cells.items()}


Robustness = metric_class(
    __name__,
    score,
    columns={"ids": "string", "variants": "string", "outcomes": "float64"},
    description="""
How much accuracy each perturbation costs on paired rows: the drop with its interval, and a verdict that allows
for all perturbations that are judged together.
""",
    inputs="""
ids: list of str, the id of each row; a perturbed row has the id of its original.
variants: list of str, "original", or the name of the perturbation.
outcomes: list of 0/1, whether the row was answered right.
clusters: dict of id to a name, optional: the template, passage or table of each row.
capabilities: dict of perturbation to capability, optional: judges capabilities too, as a DNC record does.
margin: float, the drop that the verdict "no drop above the margin" rules out; 0.05 by default.
alpha: float, the level of tests and intervals; 0.05 by default.
""",
)
