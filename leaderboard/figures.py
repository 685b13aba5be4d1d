"""The figures of a comparison as a reader sees them: percentages, and changes in points."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

HEADINGS = ("pairs", "before", "after", "change", "95 %", "p", "verdict")


def figures(compared: Mapping[str, Any] | None) -> tuple[str, ...]:
    """One text per heading; None is a perturbation that changed no row."""
    if compared is None:
        return ("0", "", "", "", "", "", "no row changed")
    low, high = compared["drop_interval"]
    return (
        str(compared["pairs"]),
        f"{100 * compared['original']:.1f}",
        f"{100 * compared['perturbed']:.1f}",
        _points(compared["drop"]),
        f"{_points(high)}..{_points(low)}",
        f"{compared['p_adjusted']:.2g}",
        str(compared["verdict"]),
    )


def _points(drop: float) -> str:
    # A loss is negative, as papers print it; 0.0 - keeps a zero from getting a minus sign.
    return f"{0.0 - 100 * drop:+.1f}"
