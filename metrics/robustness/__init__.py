"""Robustness under the name of its metric; `robustness.py` is the evaluate module."""

from dnc_metrics.paired import MARGIN, Change, Comparison, change, compare, table

__all__ = ["MARGIN", "Change", "Comparison", "change", "compare", "table"]
