"""Answer accuracy as a module of the evaluate library; the work is done in dnc_metrics.answers."""

from __future__ import annotations

from typing import Any

import datasets
import evaluate

from dnc_metrics import answers
from dnc_metrics.acceptance import ROUNDED

_DESCRIPTION = """
The share of answers that are right: the number read from a model's text is the gold answer, or the gold answer
rounded as far as it shows. Tells wrong answers from answers that were not found and from replies cut off.
"""
_INPUTS = """
predictions: list of str, what the model wrote.
references: list of str, the gold answers.
mode: "lenient" (default: the last number counts where the model marks none) or "strict".
acceptance: "rounded" (default: 0.333 is 1/3) or "exact".
roundings: list of str, optional: how the source rounds each answer, such as "places:2".
"""
_CITATION = """
@inproceedings{xu2022towards,
  title = {Towards Robust Numerical Question Answering: Diagnosing Numerical Capabilities of {NLP} Systems},
  author = {Xu, Jialiang and Zhou, Mengyu and He, Xinyi and Han, Shi and Zhang, Dongmei},
  booktitle = {Proceedings of EMNLP},
  year = {2022}
}
"""


class AnswerAccuracy(evaluate.Metric):  # type: ignore[misc]
    """Answer accuracy for `evaluate.load`."""

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
        return datasets.Features({"predictions": text, "references": text})

    def _compute(
        self,
        predictions: list[str],
        references: list[str],
        mode: str = answers.LENIENT,
        acceptance: str = ROUNDED,
        roundings: list[str] | None = None,
    ) -> dict[str, Any]:
        return answers.accuracy(
            predictions, references, mode=mode, acceptance=acceptance, roundings=roundings
        )
