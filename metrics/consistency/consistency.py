"""Consistency as a module of the evaluate library; the work is done in dnc_metrics.contrast."""

from __future__ import annotations

from collections import defaultdict
from dataclasses import asdict
from typing import Any

import datasets
import evaluate

from dnc_metrics import contrast
from dnc_metrics.errors import MetricError

_DESCRIPTION = """
The share of questions that a model gets right in the original and in every form that was made of it.
"""
_INPUTS = """
ids: list of str, the id of each scored row; a perturbed row has the id of its original.
variants: list of str, "original", or the name of the perturbation.
scores: list of float from 0 to 1, such as F1 or 0/1.
constraints: dict of id to list of 0/1, optional: answer constraints as further members of a group.
threshold: float, the score from which a member is right; 0.8 by default.
strict: bool, whether a member must exceed the threshold.
"""
_CITATION = """
@article{geva2022break,
  title = {Break, Perturb, Build: Automatic Perturbation of Reasoning Paths Through Question Decomposition},
  author = {Geva, Mor and Wolfson, Tomer and Berant, Jonathan},
  journal = {Transactions of the Association for Computational Linguistics},
  volume = {10},
  year = {2022}
}
"""
ORIGINAL = "original"


class Consistency(evaluate.Metric):  # type: ignore[misc]
    """Consistency for `evaluate.load`."""

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
        return datasets.Features({"ids": text, "variants": text, "scores": datasets.Value("float64")})

    def _compute(
        self,
        ids: list[str],
        variants: list[str],
        scores: list[float],
        constraints: dict[str, list[float]] | None = None,
        threshold: float = contrast.THRESHOLD,
        strict: bool = False,
    ) -> dict[str, Any]:
        original: dict[str, float] = {}
        perturbed: dict[str, dict[str, list[float]]] = defaultdict(lambda: defaultdict(list))
        for row, variant, score in zip(ids, variants, scores, strict=True):
            if variant != ORIGINAL:
                perturbed[variant][row].append(score)
            elif row in original:
                raise MetricError(f"the original {row!r} is given twice")
            else:
                original[row] = score
        result = contrast.score(
            original, perturbed, constraints=constraints, threshold=threshold, strict=strict
        )
        return asdict(result)
