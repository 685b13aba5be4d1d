"""Robustness under the name of its metric; `robustness.py` is the evaluate module."""

from dnc_metrics.paired import Change, Comparison, change, compare, table
from dnc_metrics.verdicts import MARGIN

__all__ = ["MARGIN", "Change", "Comparison", "change", "compare", "table"]
