"""DROP's exact match and F1 as a module of the evaluate library; the work is done in dnc_metrics.drop."""

from __future__ import annotations

from typing import Any

import datasets
import evaluate

from dnc_metrics import drop

_DESCRIPTION = """
Exact match and numeracy-aware F1 of the DROP dataset, best over the reference answers of each question.
"""
_INPUTS = """
predictions: list of str, or list of list of str where answers have several spans.
references: for each question a list of reference answers, of the same form as the predictions.
"""
_CITATION = """
@inproceedings{dua2019drop,
  title = {{DROP}: A Reading Comprehension Benchmark Requiring Discrete Reasoning Over Paragraphs},
  author = {Dua, Dheeru and Wang, Yizhong and Dasigi, Pradeep and Stanovsky, Gabriel and Singh, Sameer and
            Gardner, Matt},
  booktitle = {Proceedings of NAACL},
  year = {2019}
}
"""


class DropF1(evaluate.Metric):  # type: ignore[misc]
    """DROP's exact match and F1 for `evaluate.load`."""

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
        spans = datasets.Sequence(text)
        return [
            datasets.Features({"predictions": text, "references": spans}),
            datasets.Features({"predictions": spans, "references": datasets.Sequence(spans)}),
        ]

    def _compute(
        self, predictions: list[drop.Answer], references: list[list[drop.Answer]]
    ) -> dict[str, float]:
        return drop.mean(predictions, references)
