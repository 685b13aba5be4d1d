"""Consistency as a module of the evaluate library."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Sequence
from dataclasses import asdict
from typing import Any

from dnc_metrics import contrast
from dnc_metrics.errors import MetricError
from dnc_metrics.evaluate_module import metric_class

ORIGINAL = "original"


def score(
    ids: Sequence[str], variants: Sequence[str], scores: Sequence[float], **options: Any
) -> dict[str, Any]:
    """Group the rows by original and score the groups."""
    original: dict[str, float] = {}
    perturbed: dict[str, dict[str, list[float]]] = defaultdict(lambda: defaultdict(list))
    for row, variant, value in zip(ids, variants, scores, strict=True):
        if variant != ORIGINAL:
            perturbed[variant][row].append(value)
        elif row in original:
            raise MetricError(f"the original {row!r} is given twice")
        else:
            original[row] = value
    return asdict(contrast.score(original, perturbed, **options))


Consistency = metric_class(
    __name__,
    score,
    columns={"ids": "string", "variants": "string", "scores": "float64"},
    description="""
The share of questions that a model gets right in the original and in every form that was made of it.
""",
    inputs="""
ids: list of str, the id of each scored row; a perturbed row has the id of its original.
variants: list of str, "original", or the name of the perturbation.
scores: list of float from 0 to 1, such as F1 or 0/1.
constraints: dict of id to list of 0/1, optional: answer constraints as further members of a group.
threshold: float, the score from which a member is right; 0.8 by default.
strict: bool, whether a member must exceed the threshold.
""",
    citation="""
@article{geva2022break,
  title = {Break, Perturb, Build: Automatic Perturbation of Reasoning Paths Through Question Decomposition},
  author = {Geva, Mor and Wolfson, Tomer and Berant, Jonathan},
  journal = {Transactions of the Association for Computational Linguistics},
  volume = {10},
  year = {2022}
}
""",
)
