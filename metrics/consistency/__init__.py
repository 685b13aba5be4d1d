"""Consistency under the name of its metric; `consistency.py` is the evaluate module."""

from dnc_metrics.contrast import CONSTRAINTS, Consistency, Pairs, holds, score

__all__ = ["CONSTRAINTS", "Consistency", "Pairs", "holds", "score"]
