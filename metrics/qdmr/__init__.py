"""Scores of decompositions under the name of their metric; `qdmr.py` is the evaluate module."""

from dnc_metrics.decompositions import mean, sari, score

__all__ = ["mean", "sari", "score"]
