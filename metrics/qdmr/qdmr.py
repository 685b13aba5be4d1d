"""Scores of decompositions as a module of the evaluate library; the work is done in dnc_metrics.decompositions."""

from __future__ import annotations

from typing import Any

import datasets
import evaluate

from dnc_metrics import decompositions

_DESCRIPTION = """
How near predicted question decompositions (QDMR) come to the gold ones: exact match, SARI, and operators.
"""
_INPUTS = """
questions: list of str.
predictions: list of str, decompositions such as "return pens ;return number of #1".
references: list of str, the gold ones.
"""
_CITATION = """
@article{wolfson2020break,
  title = {{Break} It Down: A Question Understanding Benchmark},
  author = {Wolfson, Tomer and Geva, Mor and Gupta, Ankit and Gardner, Matt and Goldberg, Yoav and Deutch, Daniel and
            Berant, Jonathan},
  journal = {Transactions of the Association for Computational Linguistics},
  volume = {8},
  year = {2020}
}
"""


class Qdmr(evaluate.Metric):  # type: ignore[misc]
    """Scores of decompositions for `evaluate.load`."""

    # The frame of every metric, written by `python -m dnc_metrics.frame --write`; do not edit.
    def _info(self) -> evaluate.MetricInfo:
        return evaluate.MetricInfo(
            description=_DESCRIPTION,
            citation=_CITATION,
            inputs_description=_INPUTS,
            features=self._features(),
        )

    # End of the frame.
    def _features(self) -> Any:
        text = datasets.Value("string")
        return datasets.Features({"questions": text, "predictions": text, "references": text})

    def _compute(
        self, questions: list[str], predictions: list[str], references: list[str]
    ) -> dict[str, float]:
        return decompositions.mean(questions, predictions, references)
