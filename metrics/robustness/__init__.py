"""Robustness under the name of its metric: drops on paired rows, how sure they are, and a verdict."""

from dnc_metrics.paired import Change, Comparison, change, compare, corrected, table

__all__ = ["Change", "Comparison", "change", "compare", "corrected", "table"]
