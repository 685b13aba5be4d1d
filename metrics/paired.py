"""Robustness: how much accuracy a perturbation costs on paired rows, and how sure that is."""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Hashable, Mapping, Sequence
from dataclasses import asdict, dataclass, replace
from fractions import Fraction
from typing import Any, NamedTuple

from dnc_datasets import numerals
from dnc_metrics import intervals
from dnc_metrics.errors import MetricError

DROP, GAIN, NO_DROP, UNDECIDED = VERDICTS = ("drop", "gain", "no drop above the margin", "undecided")
# What a verdict of "no drop" rules out, in shares of rows; to be set before looking at results.
MARGIN = 0.05
Number = int | float | str | Fraction


@dataclass(frozen=True)
class Change:
    """Two accuracies and the drop between them, exactly; `relative` is None where the first is 0.

    A drop is positive where accuracy is lost; the tables of the DNC paper print it with the other sign.
    """

    original: Fraction
    perturbed: Fraction
    absolute: Fraction
    relative: Fraction | None


@dataclass(frozen=True)
class Comparison:
    """All that a diagnosis says of one perturbation; shares are from 0 to 1, and a drop is a loss.

    `drop_interval`, `p_adjusted` and the verdict hold for all lines of its table together; the verdict
    follows from the interval alone. `decide`: about how many rows would decide where these did not.
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
    relative_drop: float | None
    lost: int  # right, then wrong
    gained: int  # wrong, then right
    p_value: float
    p_adjusted: float
    minimal_detectable_drop: float | None
    decide: int | None
    margin: float
    verdict: str
    reason: str

    def as_dict(self) -> dict[str, Any]:
        """For JSON: intervals as lists."""
        return {
            name: list(value) if isinstance(value, tuple) else value for name, value in asdict(self).items()
        }


def change(original: Number, perturbed: Number) -> Change:
    """The drop between two accuracies of any scale, such as two cells of a printed table.

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
    alpha: float = intervals.ALPHA,
    lines: int = 1,
) -> Comparison:
    """Compare outcomes (row id -> right?) on the rows that have a perturbed counterpart.

    `clusters` names what each row belongs to, such as its passage, where rows are not independent: whole
    clusters are then tested, and counted as less evidence than as many single rows. `lines` is how many
    comparisons stand in one table: the interval and the p-value are for all of them together (Bonferroni).

    >>> rows = [str(i) for i in range(40)]
    >>> result = compare(dict.fromkeys(rows, True), {row: int(row) >= 10 for row in rows})
    >>> result.drop, result.verdict
    (0.25, 'drop')
    """
    if not 0 < alpha < 1:
        raise MetricError(f"alpha must be between 0 and 1, not {alpha}")
    if not 0 < margin < 1:
        raise MetricError(f"the margin must be between 0 and 1 (0.05 is 5 points), not {margin}")
    before, after, groups = _paired(original, perturbed, clusters)
    differences = [was - now for was, now in zip(before, after, strict=True)]
    count = len(before)
    found = evidence(differences, groups, alpha / lines)
    exact = change(Fraction(sum(before), count), Fraction(sum(after), count))
    p_adjusted = min(1.0, found.p_value * lines)
    low, high = found.interval
    result = Comparison(
        pairs=count,
        clusters=len(set(groups)),
        left_out=len(original) - count,
        original=float(exact.original),
        original_interval=_of_a_share(before, groups, alpha),
        perturbed=float(exact.perturbed),
        perturbed_interval=_of_a_share(after, groups, alpha),
        drop=float(exact.absolute),
        drop_interval=(min(low, 0.0), max(high, 0.0)) if p_adjusted >= alpha else (low, high),
        relative_drop=None if exact.relative is None else float(exact.relative),
        lost=differences.count(1),
        gained=differences.count(-1),
        p_value=found.p_value,
        p_adjusted=p_adjusted,
        minimal_detectable_drop=found.smallest,
        decide=_rows_to_decide(float(exact.absolute), count, found, margin, alpha / lines),
        margin=margin,
        verdict="",
        reason="",
    )
    return _judged(result)


class Evidence(NamedTuple):
    """What paired rows say of their mean difference.

    `pairs`: lost, gained and all of as many independent pairs as would tell the same. `smallest`: the smallest
    difference that would have shown.
    """

    pairs: tuple[float, float, float]
    interval: tuple[float, float]
    p_value: float
    smallest: float | None


def evidence(differences: Sequence[int], groups: Sequence[Hashable], alpha: float) -> Evidence:
    """The interval and the test of the mean of rows' differences, with rows of a group as one piece of evidence.

    Between two outcomes a row differs by 1 at the most. Between two drops it may be 2, where one system loses what
    the other gains; every row then counts as two pairs.

    >>> found = evidence([1] * 6 + [0] * 34, range(40), 0.05)
    >>> [round(end, 2) for end in found.interval], round(found.p_value, 3)
    ([0.05, 0.29], 0.031)
    """
    most = max(1, *map(abs, differences))
    sums = dict.fromkeys(groups, 0)
    for difference, group in zip(differences, groups, strict=True):
        sums[group] += difference
    sizes = Counter(groups)
    lost = sum(one for one in differences if one > 0)
    gained = lost - sum(differences)
    count = most * len(differences)
    # The number of independent pairs that would tell as much.
    effective = count / intervals.design_effect(
        [most * sizes[group] for group in sums], list(sums.values()), lost + gained
    )
    share = effective / count
    pairs = (lost * share, gained * share, effective)
    low, high = intervals.paired_difference(*pairs, alpha)
    smallest = intervals.minimal_detectable(effective, (lost + gained) / count, alpha=alpha)
    return Evidence(
        pairs=pairs,
        interval=(most * low, most * high),
        # Both tests must reject: the one of the interval, and the exact one over whole clusters.
        p_value=max(intervals.sign_flip(list(sums.values())), intervals.paired_p(*pairs)),
        smallest=None if smallest is None else most * smallest,
    )


def _of_a_share(outcomes: Sequence[int], groups: Sequence[Hashable], alpha: float) -> tuple[float, float]:
    """The interval of an accuracy, with rows of a group as less evidence than as many single ones."""
    sums = dict.fromkeys(groups, 0)
    for outcome, group in zip(outcomes, groups, strict=True):
        sums[group] += outcome
    sizes, right = Counter(groups), sum(outcomes)
    effect = intervals.design_effect([sizes[group] for group in sums], list(sums.values()), right)
    return intervals.wilson(right / effect, len(outcomes) / effect, alpha)


def table(
    original: Mapping[str, bool],
    perturbed: Mapping[str, Mapping[str, bool]],
    *,
    clusters: Mapping[str, Hashable] | None = None,
    margin: float = MARGIN,
    alpha: float = intervals.ALPHA,
    lines: int = 0,
) -> dict[str, Comparison]:
    """`compare` for each perturbation (name -> row id -> right?), for all of them together.

    `lines`: how many lines the table has, where it has more than these.
    """
    if not perturbed:
        raise MetricError("no perturbed results; give at least one perturbation")
    together = max(lines, len(perturbed))
    cells = {}
    for name, rows in perturbed.items():
        try:
            cells[name] = compare(
                original, rows, clusters=clusters, margin=margin, alpha=alpha, lines=together
            )
        except MetricError as error:
            raise MetricError(f"{name}: {error}") from None
    return cells


def _paired(
    original: Mapping[str, bool], perturbed: Mapping[str, bool], clusters: Mapping[str, Hashable] | None
) -> tuple[list[int], list[int], list[Hashable]]:
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
    return before, after, groups


def _outcome(value: object, row: str) -> int:
    # True, 1, 1.0 and numpy's booleans are all fine; 0.37 and NaN are not outcomes.
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


def _judged(cell: Comparison) -> Comparison:
    """The verdict that the interval gives, and the reason in words."""
    low, high = cell.drop_interval
    counts = f"{cell.lost} lost, {cell.gained} gained of {cell.pairs} pairs"
    shown = f"{100 * cell.drop:.1f} points [{100 * low:.1f}, {100 * high:.1f}]: {counts}"
    margin = f"{100 * cell.margin:g} points"
    decide = None
    if low > 0:
        verdict, reason = DROP, shown
    elif high < 0:
        verdict, reason = GAIN, shown
    elif high < cell.margin:
        verdict, reason = NO_DROP, f"{shown}; a drop of {margin} or more is ruled out"
    else:
        verdict, decide = UNDECIDED, cell.decide
        more = (
            f"about {decide} rows would decide"
            if decide
            else "too close to the margin to decide with more rows"
        )
        reason = f"{shown}; neither zero nor a drop of {margin} is ruled out; {more}"
        if not cell.lost + cell.gained and cell.clusters < cell.pairs:
            reason += f"; nothing shows how rows that belong together differ: {cell.clusters} clusters count as rows"
    return replace(cell, verdict=verdict, reason=reason, decide=decide)


def _rows_to_decide(drop: float, count: int, found: Evidence, margin: float, alpha: float) -> int | None:
    """About how many rows would end the interval short of zero or of the margin, if the drop stays."""
    times = [math.inf]
    if drop:
        times.append(intervals.times_to_show(found.p_value, alpha))
    if drop < margin:
        times.append(intervals.times_to_show(intervals.paired_p(*found.pairs, margin), alpha))
    fewest = min(times)
    return math.ceil(count * max(1.0, fewest)) + 1 if fewest < math.inf else None
