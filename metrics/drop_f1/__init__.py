"""DROP's exact match and F1 under the name of its metric; `drop_f1.py` is the evaluate module."""

from dnc_metrics.drop import DropScore, mean, reference, score

__all__ = ["DropScore", "mean", "reference", "score"]
