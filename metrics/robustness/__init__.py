"""Robustness under the name of its metric; `robustness.py` is the evaluate module."""

from dnc_metrics.paired import Change, Comparison, change, compare, corrected, table

__all__ = ["Change", "Comparison", "change", "compare", "corrected", "table"]
