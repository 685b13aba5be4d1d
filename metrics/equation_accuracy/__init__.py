"""Equation accuracy under the name of its metric; `equation_accuracy.py` is the evaluate module."""

from dnc_metrics.equations import EquationScore, accuracy, score

__all__ = ["EquationScore", "accuracy", "score"]
