"""Robustness: the accuracy that a perturbation costs on paired rows, and its uncertainty."""

from __future__ import annotations

from collections import Counter
from collections.abc import Hashable, Mapping, Sequence
from dataclasses import asdict, dataclass
from fractions import Fraction
from typing import Any, NamedTuple

from dnc_datasets import numerals
from dnc_metrics import intervals, verdict_words, verdicts
from dnc_metrics.errors import MetricError
from dnc_metrics.verdicts import ALPHA, MARGIN, Judgement, Sample

Number = int | float | str | Fraction


@dataclass(frozen=True)
class Change:
    """Two accuracies and the drop between them, exactly; `relative` is None if the first is 0.

    A drop is positive if accuracy is lost; the tables of the DNC paper print it with the opposite sign.
    """

    original: Fraction
    perturbed: Fraction
    absolute: Fraction
    relative: Fraction | None


@dataclass(frozen=True)
class Comparison:
    """The figures of a diagnosis line; shares are from 0 to 1, and a drop is a loss.

    `drop_interval`, `at_most` and `p_value` are of this line alone. `p_adjusted`, `p_clear` (of a drop as
    large as the margin) and the verdict are adjusted for the lines that are judged together. `decide` is the
    number of templates that would decide an open line.
    """

    pairs: int
    clusters: int
    left_out: int  # originals without a perturbed row
    original: float
    original_interval: tuple[float, float]
    perturbed: float
    perturbed_interval: tuple[float, float]
    drop: float
    drop_interval: tuple[float, float]
    at_most: float
    relative_drop: float | None
    lost: int  # right, then wrong
    gained: int  # wrong, then right
    p_value: float
    p_adjusted: float
    p_clear: float
    minimal_detectable_drop: float | None
    decide: int | None
    margin: float
    verdict: str
    reason: str

    def as_dict(self) -> dict[str, Any]:
        """Return the values for JSON, with intervals as lists."""
        return {
            name: list(value) if isinstance(value, tuple) else value for name, value in asdict(self).items()
        }


class Pairs(NamedTuple):
    """Outcomes of the same rows, before and after, and the template of each row."""

    before: list[int]
    after: list[int]
    groups: list[Hashable]

    def sample(self) -> Sample:
        """Return the differences by template."""
        return verdicts.sample(
            [was - now for was, now in zip(self.before, self.after, strict=True)], self.groups
        )


def change(original: Number, perturbed: Number) -> Change:
    """Return the drop between two accuracies of any scale, such as two cells of a printed table.

    >>> change("68.03", "49.18").absolute
    Fraction(377, 20)
    """
    before, after = _exact(original), _exact(perturbed)
    return Change(before, after, before - after, (before - after) / before if before else None)


def compare(
    original: Mapping[str, bool],
    perturbed: Mapping[str, bool],
    *,
    clusters: Mapping[str, Hashable] | None = None,
    margin: float = MARGIN,
    alpha: float = ALPHA,
) -> Comparison:
    """Compare outcomes (row id -> correct?) on the rows that have a perturbed counterpart.

    `clusters` names the template, passage or table of each row if rows are not independent.

    >>> rows = [str(i) for i in range(40)]
    >>> result = compare(dict.fromkeys(rows, True), {row: int(row) >= 10 for row in rows})
    >>> result.drop, result.verdict
    (0.25, 'drop')
    """
    check_levels(margin, alpha)
    pairs = paired(original, perturbed, clusters)
    judged = verdicts.judge({"": pairs.sample()}, verdicts.hochberg, margin, alpha)[""]
    return comparison(pairs, judged, margin=margin, alpha=alpha, together=1, originals=len(original))


def table(
    original: Mapping[str, bool],
    perturbed: Mapping[str, Mapping[str, bool]],
    *,
    clusters: Mapping[str, Hashable] | None = None,
    margin: float = MARGIN,
    alpha: float = ALPHA,
) -> dict[str, Comparison]:
    """Compare several perturbations (name -> row id -> correct?), judged together (Benjamini-Hochberg).

    `diagnosis.diagnose` also judges capabilities, as records do.
    """
    if not perturbed:
        raise MetricError("no perturbed results; give at least one perturbation")
    check_levels(margin, alpha)
    pairs = {name: named_pairs(name, original, rows, clusters) for name, rows in perturbed.items()}
    samples = {name: some.sample() for name, some in pairs.items()}
    judged = verdicts.judge(samples, verdicts.benjamini_hochberg, margin, alpha)
    return {
        name: comparison(
            some, judged[name], margin=margin, alpha=alpha, together=len(pairs), originals=len(original)
        )
        for name, some in pairs.items()
    }


def comparison(
    pairs: Pairs,
    judged: Judgement,
    *,
    margin: float,
    alpha: float = ALPHA,
    together: int = verdict_words.CAPABILITIES,
    originals: int = 0,
    reason: str = "",
) -> Comparison:
    """Return the figures of a line that was judged."""
    count, of = len(pairs.before), pairs.sample()
    exact = change(Fraction(sum(pairs.before), count), Fraction(sum(pairs.after), count))
    least = verdicts.LEAST_RIGHT * margin
    can_clear = exact.original >= least
    rarely_right = (
        f"{100 * float(exact.original):.1f} % of these rows were right before the change; to rule out a loss of "
        f"{100 * margin:g} points, {100 * least:g} % are needed"
    )
    # An all-clear or a gain is meaningless for a system that is nearly always wrong.
    is_rarely_right = not can_clear and (judged.verdict == verdicts.NO_DROP or exact.perturbed < least)
    if judged.verdict in (verdicts.NO_DROP, verdicts.GAIN) and is_rarely_right:
        judged = judged._replace(verdict=verdicts.RARELY_RIGHT)
        reason = rarely_right
    is_open = judged.verdict == verdicts.OPEN
    if is_open and not can_clear and not reason:
        reason = f"{rarely_right}; {verdict_words.hint(of, margin, together, can_clear=False)}"
    return Comparison(
        pairs=count,
        clusters=of.templates,
        left_out=max(0, originals - count),
        original=float(exact.original),
        original_interval=_share_interval(pairs.before, pairs.groups, alpha),
        perturbed=float(exact.perturbed),
        perturbed_interval=_share_interval(pairs.after, pairs.groups, alpha),
        drop=float(exact.absolute),
        drop_interval=verdicts.interval(of, alpha),
        at_most=verdicts.at_most(of, alpha),
        relative_drop=None if exact.relative is None else float(exact.relative),
        lost=of.lost,
        gained=of.gained,
        p_value=judged.p_alone,
        p_adjusted=judged.p,
        p_clear=judged.p_clear,
        minimal_detectable_drop=verdict_words.smallest_drop(of, together),
        decide=(
            verdict_words.templates_to_decide(of, margin, together, can_clear=can_clear) if is_open else None
        ),
        margin=margin,
        verdict=judged.verdict,
        reason=reason or verdict_words.reason(of, judged, margin, together),
    )


def check_levels(margin: float, alpha: float) -> None:
    """Raise an error if the margin or the level is not a share."""
    if not 0 < alpha < 1:
        raise MetricError(f"alpha must be between 0 and 1, not {alpha}")
    if not 0 < margin < 1:
        raise MetricError(f"the margin must be between 0 and 1 (0.05 is 5 points), not {margin}")


def named_pairs(
    name: str,
    original: Mapping[str, bool],
    perturbed: Mapping[str, bool],
    clusters: Mapping[str, Hashable] | None,
) -> Pairs:
    """Return `paired`; an error names the perturbation."""
    try:
        return paired(original, perturbed, clusters)
    except MetricError as error:
        raise MetricError(f"{name}: {error}") from None


def _share_interval(outcomes: Sequence[int], groups: Sequence[Hashable], alpha: float) -> tuple[float, float]:
    """Return Wilson's interval of an accuracy on effective rows."""
    sums = dict.fromkeys(groups, 0)
    for outcome, group in zip(outcomes, groups, strict=True):
        sums[group] += outcome
    sizes, right = Counter(groups), sum(outcomes)
    effect = intervals.design_effect([sizes[group] for group in sums], list(sums.values()), right)
    return intervals.wilson(right / effect, len(outcomes) / effect, alpha)


def paired(
    original: Mapping[str, bool], perturbed: Mapping[str, bool], clusters: Mapping[str, Hashable] | None
) -> Pairs:
    """Join outcomes on the row id; an error names the row that does not match."""
    if not perturbed:
        raise MetricError("no perturbed rows to compare")
    for row in perturbed:
        if row not in original:
            raise MetricError(
                f"row {row!r} has a perturbed outcome but no original one; pairs join on the row id"
            )
        if clusters is not None and row not in clusters:
            raise MetricError(f"row {row!r} has no cluster; name one for every row")
    before = [_outcome(original[row], row) for row in perturbed]
    after = [_outcome(value, row) for row, value in perturbed.items()]
    groups = [clusters[row] if clusters is not None else row for row in perturbed]
    return Pairs(before, after, groups)


def _outcome(value: object, row: str) -> int:
    # True, 1, 1.0 and numpy's booleans are valid; 0.37 and NaN are not outcomes.
    if value == 0 or value == 1:
        return int(bool(value))
    raise MetricError(
        f"row {row!r}: an outcome must be right (1) or wrong (0), not {value!r:.60}; apply a threshold first"
    )


def _exact(value: Number) -> Fraction:
    # A float such as 68.03 means that decimal, not the nearest binary fraction.
    exact = Fraction(value) if isinstance(value, (int, Fraction)) else numerals.parse(str(value))
    if exact is None or exact < 0:
        raise MetricError(f"an accuracy must be a number and not negative, not {value!r:.60}")
    return exact
