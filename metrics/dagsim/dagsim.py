"""DAGsim and GEM as a module of the evaluate library."""

from __future__ import annotations

from typing import Any

from dnc_metrics import graphs
from dnc_metrics.evaluate_module import metric_class


def score(predictions: Any, references: Any, **options: Any) -> dict[str, Any]:
    """Score predicted graphs against the gold ones."""
    return dict(graphs.score(references, predictions, **options))


Dagsim = metric_class(
    __name__,
    score,
    columns={"predictions": [["string"]], "references": [["string"]]},
    description="""
How alike predicted and gold reasoning graphs are (DAGsim), and how many are the same (GEM).
""",
    inputs="""
predictions: list of graphs; a graph is a list of edges ["<q>", "<p1>"] and its root is "<q>".
references: list of graphs, the gold ones.
texts: list of dict of node id to text, optional: one for each question; without it ids are the texts.
similarity: "edit" (default), "identity", "embedding", or a function of two texts.
ties: "highest" (default) or "lowest": which of several best matchings counts.
weights: "graph" (default) or "path": weights of the larger graph, or of the longer of two matched paths.
released_code: bool, follow the published script instead of the paper.
""",
    citation="""
@inproceedings{zhang2021noahqa,
  title = {{NOAHQA}: Numerical Reasoning with Interpretable Graph Question Answering Dataset},
  author = {Zhang, Qiyuan and Wang, Lei and Yu, Sicheng and Wang, Shuohang and Wang, Yang and Jiang, Jing and
            Lim, Ee-Peng},
  booktitle = {Findings of EMNLP},
  year = {2021}
}
""",
)
