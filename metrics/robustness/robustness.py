"""Robustness as a module of the evaluate library; the work is done in dnc_metrics.paired."""

from __future__ import annotations

from collections import defaultdict
from typing import Any

import datasets
import evaluate

from dnc_metrics import intervals, paired
from dnc_metrics.errors import MetricError

_DESCRIPTION = """
How much accuracy each perturbation costs on paired rows: the drop, an interval that holds for all
perturbations together, and a verdict that follows from it.
"""
_INPUTS = """
ids: list of str, the id of each row; a perturbed row has the id of its original.
variants: list of str, "original", or the name of the perturbation.
outcomes: list of 0/1, whether the row was answered right.
clusters: dict of id to a name, optional: what each row belongs to, such as its passage.
margin: float, the drop that the verdict "no drop above the margin" rules out; 0.05 by default.
alpha: float, the level of tests and intervals; 0.05 by default.
"""
_CITATION = """
@inproceedings{xu2022towards,
  title = {Towards Robust Numerical Question Answering: Diagnosing Numerical Capabilities of {NLP} Systems},
  author = {Xu, Jialiang and Zhou, Mengyu and He, Xinyi and Han, Shi and Zhang, Dongmei},
  booktitle = {Proceedings of EMNLP},
  year = {2022}
}
"""
ORIGINAL = "original"


class Robustness(evaluate.Metric):  # type: ignore[misc]
    """Robustness for `evaluate.load`."""

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
        return datasets.Features({"ids": text, "variants": text, "outcomes": datasets.Value("float64")})

    def _compute(
        self,
        ids: list[str],
        variants: list[str],
        outcomes: list[float],
        clusters: dict[str, str] | None = None,
        margin: float = paired.MARGIN,
        alpha: float = intervals.ALPHA,
    ) -> dict[str, Any]:
        rows: dict[str, dict[str, bool]] = defaultdict(dict)
        for row, variant, outcome in zip(ids, variants, outcomes, strict=True):
            if row in rows[variant]:
                raise MetricError(f"row {row!r} of {variant!r} is given twice")
            rows[variant][row] = outcome  # type: ignore[assignment]  # 0.0 and 1.0; others are refused
        original = rows.pop(ORIGINAL, {})
        cells = paired.table(original, rows, clusters=clusters, margin=margin, alpha=alpha)
        return {name: cell.as_dict() for name, cell in cells.items()}
