"""Contamination: the advantage of a system on published rows over fresh rows of the same templates."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from dnc_metrics import paired, verdicts
from dnc_metrics.errors import MetricError
from dnc_metrics.paired import Comparison
from dnc_metrics.record import Outcome, Record, by_cell
from dnc_metrics.verdicts import MARGIN

PUBLISHED, FRESH = "tiny_all", "tiny_release"
_WORDS = {
    verdicts.DROP: "The model knows the published rows: its score on them overstates it.",
    verdicts.SMALL_DROP: "The model knows some of the published rows, but that changes its score little.",
    verdicts.NO_DROP: "The published rows give the model no advantage above the margin.",
    verdicts.POINTS_TO_DROP: "This points to knowledge of the published rows; more templates would decide.",
}
_UNDECIDED = "This does not decide whether the model knows the published rows."


@dataclass(frozen=True)
class Contamination:
    """Accuracy on published and fresh rows of the same templates, compared template by template."""

    comparison: Comparison

    @property
    def verdict(self) -> str:
        return self.comparison.verdict

    def text(self) -> str:
        """Return two sentences: the figures with their interval, and the conclusion."""
        one = self.comparison
        low, high = (100 * end for end in one.drop_interval)
        return (
            f"Published rows {one.original:.1%}, fresh rows {one.perturbed:.1%}: a difference of {100 * one.drop:.1f} "
            f"points ({low:.1f} to {high:.1f}; {one.clusters} templates). {_WORDS.get(one.verdict, _UNDECIDED)}"
        )


def compare(
    published: Mapping[str, bool], fresh: Mapping[str, bool], *, margin: float = MARGIN
) -> Contamination:
    """Compare the outcomes of published and fresh rows by template.

    >>> rows = [f"t{number}" for number in range(100)]
    >>> compare(dict.fromkeys(rows, True), {row: row < "t5" for row in rows}).verdict
    'drop'
    """
    shared = {template: fresh[template] for template in published if template in fresh}
    if not shared:
        raise MetricError("published and fresh rows share no template; score both with the same version")
    return Contamination(paired.compare(published, shared, margin=margin))


def of_record(record: Record, outcomes: list[Outcome], margin: float = MARGIN) -> Contamination:
    """Return the contamination of a record that scores both the embedded corpus and a release."""
    found = {
        cell.dataset: {row.cluster: row.right for row in by_cell(outcomes).get(cell.key, ())}
        for cell in record.cells
        if cell.dataset in (PUBLISHED, FRESH) and not cell.perturbation
    }
    return compare(found.get(PUBLISHED, {}), found.get(FRESH, {}), margin=margin)
