"""Verdicts in words: marks, reasons and hints, the same in the terminal, on the page and in JSON."""

from __future__ import annotations

import math
from collections.abc import Sequence
from statistics import NormalDist

from dnc_metrics import verdicts
from dnc_metrics.verdicts import Judgement, Sample

# Shapes and words, so that colour is not needed.
MARKS = {
    verdicts.DROP: "▼",
    verdicts.SMALL_DROP: "▽",
    verdicts.GAIN: "▲",
    verdicts.NO_DROP: "●",
    verdicts.POINTS_TO_DROP: "◇",
    verdicts.POINTS_TO_GAIN: "◇",
    verdicts.OPEN: "○",
}
PROBE_FINDING = "◆"
NOT_JUDGED = "–"
CAPABILITIES = 4  # judged together in a complete table
_POWER = 0.8
_SHOWN = 0.1  # the drop of a hint
_FEWEST, _MOST_TIMES = 20, 10
_NORMAL = NormalDist()
_NUMBERS = ("No", "One", "Two", "Three", "Four", "Five", "Six")


def mark(verdict: str) -> str:
    """Return the mark of a verdict.

    >>> mark("drop"), mark("does not need the question"), mark("no row changed")
    ('▼', '◆', '–')
    """
    if verdict.startswith(verdicts.NEEDS_NOT.format("")):
        return PROBE_FINDING
    if verdict.startswith(verdicts.NEEDS.format("")):
        return MARKS[verdicts.NO_DROP]
    return MARKS.get(verdict, NOT_JUDGED)


def words(verdict: str, margin: float = verdicts.MARGIN) -> str:
    """Return the verdict with its mark, for display.

    >>> words("no drop above the margin")
    '● no drop above 5 points'
    """
    shown = f"no drop above {100 * margin:g} points" if verdict == verdicts.NO_DROP else verdict
    return f"{mark(verdict)} {shown}"


def footer(capabilities: int) -> str:
    """Return the error guarantee of a table's verdicts; empty if no capability was judged."""
    if not capabilities:
        return ""
    number = _NUMBERS[capabilities] if capabilities < len(_NUMBERS) else str(capabilities)
    subject = f"{number} capabilities are judged together" if capabilities > 1 else "One capability is judged"
    return (
        f"{subject}: at most 5 of 100 reports name a drop or gain that is not there, and at most 5 a wrong "
        "all-clear. Rows of one template count as one piece of evidence."
    )


def smallest_drop(of: Sample, together: int = CAPABILITIES) -> float | None:
    """Return the smallest drop that such a run detects with 80 % power, or None."""
    smallest = _quantile(together) * math.sqrt(_spread(of) / of.templates)
    return smallest if smallest <= of.scale else None


def templates_to_show(of: Sample, drop: float, together: int = CAPABILITIES) -> int | None:
    """Return the approximate number of templates that would detect this drop with 80 % power.

    It depends on the variance between templates, never on the p-value of this run.
    """
    return _rounded((_quantile(together) / drop) ** 2 * _spread(of), of.templates)


def templates_to_clear(of: Sample, margin: float, together: int = CAPABILITIES) -> int | None:
    """Return the approximate number of templates that would rule out the margin without further losses."""
    lost = max(0, math.ceil((of.lost - of.gained) * of.templates / of.rows))
    alpha = verdicts.ALPHA / together
    low, high = of.templates, _MOST_TIMES * of.templates
    if _binomial(lost, high, margin) > alpha:
        return None
    while low < high:
        middle = (low + high) // 2
        low, high = (low, middle) if _binomial(lost, middle, margin) <= alpha else (middle + 1, high)
    return _rounded(low, of.templates)


def reason(of: Sample, judged: Judgement, margin: float, together: int = CAPABILITIES) -> str:
    """Return the reason for the verdict of a line as one phrase."""
    low, high = (f"{100 * end:.1f}" for end in verdicts.interval(of))
    drop = f"{100 * abs(of.drop):.1f} points"
    where = f"({low} to {high}; {_count(of.templates, 'template')})"
    verdict = judged.verdict
    if verdict == verdicts.DROP:
        return f"loses {drop} {where}"
    if verdict == verdicts.SMALL_DROP:
        return f"loses about {drop} {where}, less than {100 * margin:g}"
    if verdict == verdicts.GAIN:
        return f"gains {drop} {where}"
    if verdict == verdicts.NO_DROP:
        return _cleared(of, margin)
    if verdict in (verdicts.POINTS_TO_DROP, verdicts.POINTS_TO_GAIN):
        return f"{drop} {where}, p = {judged.p_alone:.2g} alone, not after allowing for the other lines"
    if verdict == verdicts.TOO_FEW:
        return f"{_count(of.templates, 'template')}; {verdicts.FEWEST_TEMPLATES} needed"
    if verdict == verdicts.OPEN:
        return hint(of, margin, together)
    return f"{100 * of.drop:.1f} points {where}"


def _cleared(of: Sample, margin: float) -> str:
    templates = _count(of.templates, "template")
    if of.lost:
        bound = 100 * verdicts.at_most(of)
        return f"{of.lost} lost, {of.gained} gained on {templates}: at most {bound:.1f} points"
    chance = 100 * (1 - (1 - margin) ** of.templates)
    shown = "more than 99.9" if chance > 99.9 else f"{chance:.1f}"
    return (
        f"nothing lost on {templates}; a true loss of {100 * margin:g} points would have shown with "
        f"{shown} % chance"
    )


def hint(of: Sample, margin: float, together: int = CAPABILITIES, *, can_clear: bool = True) -> str:
    """Return the drops that would have shown, and the number of templates that would decide the line.

    A system that is right too rarely (`can_clear` is false) is not cleared by any number of templates. Its
    hint is short, because the share of right answers precedes it.
    """
    smallest = smallest_drop(of, together)
    parts = []
    if smallest is None:
        parts.append("these templates could show no drop")
    else:
        parts.append(f"a drop of {100 * smallest:.0f} points or more would have shown in 4 of 5 runs")
    here = f"(this run: {of.templates})"
    if smallest is None or smallest > _SHOWN:
        needed = templates_to_show(of, _SHOWN, together)
        if needed:
            parts.append(f"about {needed} templates {here} would show {100 * _SHOWN:g} points")
    needed = templates_to_clear(of, margin, together) if can_clear and of.drop < margin else None
    if needed and needed > of.templates:
        parts.append(
            f"about {needed} templates {here} without another loss would rule out {100 * margin:g} points"
        )
    return "; ".join(parts if can_clear else parts[-1:])


def templates_to_decide(
    of: Sample, margin: float, together: int = CAPABILITIES, *, can_clear: bool = True
) -> int | None:
    """Return the smaller number of templates in the hint of an open line."""
    wanted = [templates_to_show(of, _SHOWN, together)]
    if can_clear and of.drop < margin:
        wanted.append(templates_to_clear(of, margin, together))
    return min((one for one in wanted if one and one > of.templates), default=None)


def _quantile(together: int) -> float:
    return _NORMAL.inv_cdf(1 - verdicts.ALPHA / 2 / together) + _NORMAL.inv_cdf(_POWER)


def _spread(of: Sample) -> float:
    """Return the variance of the templates' mean differences, with one imagined lost template."""
    means = [of.scale * total / size for total, size in zip(of.sums, of.sizes, strict=True)]
    centre = sum(means) / len(means)
    return float(sum((one - centre) ** 2 for one in means) + 1) / len(means)


def _rounded(templates: float, present: int) -> int | None:
    """Return two significant digits, rounded up; None if the number is too small or too large for a hint."""
    wanted = max(1, math.ceil(templates))
    unit = 10 ** max(0, len(str(wanted)) - 2)
    rounded = -(-wanted // unit) * unit
    return rounded if _FEWEST <= rounded <= _MOST_TIMES * present else None


def _binomial(most: int, count: int, share: float) -> float:
    """Return the probability of at most `most` successes among `count`."""
    term = (1 - share) ** count
    total = term
    for k in range(1, most + 1):
        term *= (count - k + 1) / k * share / (1 - share)
        total += term
    return total


def _count(number: int, noun: str) -> str:
    return f"{number} {noun}{'' if number == 1 else 's'}"


def listed(names: Sequence[str]) -> str:
    """Join names as in "a, b and c"."""
    return " and ".join(filter(None, (", ".join(names[:-1]), names[-1]))) if names else ""
