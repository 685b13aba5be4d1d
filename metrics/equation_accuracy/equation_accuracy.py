"""Equation accuracy as a module of the evaluate library; the work is done in dnc_metrics.equations."""

from __future__ import annotations

from typing import Any

import datasets
import evaluate

from dnc_metrics import equations

_DESCRIPTION = """
The shares of predicted equations that are written exactly as the gold equation, that do the same calculation,
and that evaluate to the gold answer. Infix, prefix and number slots ("number0"); exact rational arithmetic.
"""
_INPUTS = """
predictions: list of str, what the model wrote.
references: list of str, the gold equations.
answers: list of str, optional: the gold answers; otherwise the gold equation's value is taken.
numbers: list of list of str, optional: the numbers that fill each row's slots.
roundings: list of str, optional: how each answer follows from its equation ("floor", "ceil", "places:2").
"""
_CITATION = """
@inproceedings{xu2022towards,
  title = {Towards Robust Numerical Question Answering: Diagnosing Numerical Capabilities of {NLP} Systems},
  author = {Xu, Jialiang and Zhou, Mengyu and He, Xinyi and Han, Shi and Zhang, Dongmei},
  booktitle = {Proceedings of EMNLP},
  year = {2022}
}
"""


class EquationAccuracy(evaluate.Metric):  # type: ignore[misc]
    """Equation accuracy for `evaluate.load`."""

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
        answers: list[str] | None = None,
        numbers: list[list[str]] | None = None,
        roundings: list[str] | None = None,
    ) -> dict[str, Any]:
        return equations.accuracy(
            predictions, references, answers=answers, numbers=numbers, roundings=roundings
        )
