"""DAGsim and GEM as a module of the evaluate library; the work is done in dnc_metrics.graphs."""

from __future__ import annotations

from typing import Any

import datasets
import evaluate

from dnc_metrics import graphs

_DESCRIPTION = """
How alike predicted and gold reasoning graphs are (DAGsim), and how many are the same (GEM).
"""
_INPUTS = """
predictions: list of graphs; a graph is a list of edges ["<q>", "<p1>"] and its root is "<q>".
references: list of graphs, the gold ones.
texts: list of dict of node id to text, optional: one for each question; without it ids are the texts.
similarity: "edit" (default), "identity", "embedding", or a function of two texts.
ties: "highest" (default) or "lowest": which of several best matchings counts.
released_code: bool, follow the published script instead of the paper.
"""
_CITATION = """
@inproceedings{zhang2021noahqa,
  title = {{NOAHQA}: Numerical Reasoning with Interpretable Graph Question Answering Dataset},
  author = {Zhang, Qiyuan and Wang, Lei and Yu, Sicheng and Wang, Shuohang and Wang, Yang and Jiang, Jing and
            Lim, Ee-Peng},
  booktitle = {Findings of EMNLP},
  year = {2021}
}
"""


class Dagsim(evaluate.Metric):  # type: ignore[misc]
    """DAGsim and GEM for `evaluate.load`."""

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
        graph = datasets.Sequence(datasets.Sequence(datasets.Value("string")))
        return datasets.Features({"predictions": graph, "references": graph})

    def _compute(
        self,
        predictions: list[list[list[str]]],
        references: list[list[list[str]]],
        texts: list[dict[str, str]] | None = None,
        similarity: str = "edit",
        ties: str = "highest",
        released_code: bool = False,
    ) -> dict[str, float]:
        return graphs.score(
            references,
            predictions,
            texts=texts,
            similarity=similarity,
            ties=ties,
            released_code=released_code,
        )
