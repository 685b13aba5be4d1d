"""Answer accuracy under the name of its metric; `answer_accuracy.py` is the evaluate module."""

from dnc_metrics.answers import AnswerScore, accuracy, score

__all__ = ["AnswerScore", "accuracy", "score"]
