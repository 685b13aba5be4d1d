"""Answer accuracy under the name of its metric; `answer_accuracy.py` is the evaluate module."""

from dnc_metrics.answers import Outcome, accuracy, score

__all__ = ["Outcome", "accuracy", "score"]
