"""The figures of a line for display; terminal, Markdown and page show the same."""

from __future__ import annotations

from collections.abc import Sequence

from dnc_metrics import verdict_words, verdicts
from dnc_metrics.capabilities import PROBE, VALUES
from dnc_metrics.record import MEMORISED, Causes, Contrast, Line

HEADINGS = ("rows", "templates", "before", "after", "drop", "interval", "p", "could show", "verdict")


def figures(line: Line, margin: float = verdicts.MARGIN) -> tuple[str, ...]:
    """Return one text per heading.

    >>> figures(Line("type", "number_detection", False, 40, 40, 1.0, 0.75, 0.25, (0.1, 0.4), 0.002, "drop"))
    ('40', '40', '100.0', '75.0', '25.0', '[10.0, 40.0]', '0.002', '', '▼ drop')
    """
    if line.drop is None or line.interval is None:
        return (str(line.n), str(line.clusters), *[""] * 6, verdict_words.words(line.verdict, margin))
    return (
        str(line.n),
        str(line.clusters),
        percent(line.before),
        percent(line.after),
        points(line.drop),
        interval(line.interval),
        p_value(line.p),
        percent(line.smallest),
        verdict_words.words(line.verdict, margin),
    )


def consistency(one: Contrast) -> str:
    """Return the result of a contrast set as a sentence."""
    return (
        f"{one.consistent} of {one.originals} originals right with all their members, consistency "
        f"{percent(one.consistency)} (members alone {percent(one.worst_case)})"
    )


def members(one: Contrast) -> tuple[list[str], list[list[str]]]:
    """Return the head and the lines of a contrast set's table: each kind of member, with constant answers."""
    floors = list(dict.fromkeys(name for kind in one.kinds.values() for name in kind.baselines))
    lines = [
        [
            words(name),
            str(kind.rows),
            percent(kind.right / kind.rows),
            *(percent(kind.baselines.get(floor)) for floor in floors),
        ]
        for name, kind in one.kinds.items()
    ]
    return ["member", "rows", "right", *floors], lines


def originals(one: Causes, capability: str) -> str:
    """Explain wrong answers that are those of the unperturbed problems; empty if chance explains them.

    If the numbers have changed, only knowledge of the published answers explains them. If the question or the
    facts have changed, the system may also have missed the change.
    """
    if one.p_memorised >= MEMORISED:
        return ""
    why = (
        "a sign that the model knows the published answers"
        if capability == VALUES
        else "the model ignores the change"
    )
    p = p_value(one.p_memorised)
    chance = f"p {p}" if p.startswith("<") else f"p = {p}"
    return (
        f"{one.originals} of these {one.wrong} wrong answers are those of the unperturbed problems "
        f"({chance} by chance): {why}"
    )


def judged_capabilities(lines: Sequence[Line]) -> int:
    """Return the number of capabilities that are judged together in a table."""
    return sum(
        line.is_capability and line.capability != PROBE and line.verdict in verdicts.RANKING for line in lines
    )


def percent(share: float | None) -> str:
    """Format a share in percent: 0.5549 -> 55.5"""
    return "" if share is None else f"{100 * share:.1f}"


def points(drop: float | None) -> str:
    """Format a drop in points; a zero has no sign."""
    return "" if drop is None else f"{100 * drop + 0.0:.1f}".replace("-0.0", "0.0")


def interval(ends: tuple[float, float] | None) -> str:
    """Format an interval in points: (0.1, 0.25) -> [10.0, 25.0]"""
    return "" if ends is None else f"[{points(ends[0])}, {points(ends[1])}]"


def p_value(p: float | None) -> str:
    """Format a p-value with two significant digits; small ones are a bound."""
    return "" if p is None else "< 0.0001" if p < 0.0001 else f"{p:.2g}"


def words(name: str) -> str:
    """Replace underscores by spaces: number_detection -> number detection"""
    return name.replace("_", " ")
