"""Scores of question decompositions as a module of the evaluate library."""

from __future__ import annotations

from dnc_metrics import decompositions
from dnc_metrics.evaluate_module import metric_class

Qdmr = metric_class(
    __name__,
    decompositions.mean,
    columns={"questions": "string", "predictions": "string", "references": "string"},
    description="""
How near predicted question decompositions (QDMR) come to the gold ones: exact match, SARI, and operators.
""",
    inputs="""
questions: list of str.
predictions: list of str, decompositions such as "return pens ;return number of #1".
references: list of str, the gold ones.
""",
    citation="""
@article{wolfson2020break,
  title = {{Break} It Down: A Question Understanding Benchmark},
  author = {Wolfson, Tomer and Geva, Mor and Gupta, Ankit and Gardner, Matt and Goldberg, Yoav and Deutch, Daniel and
            Berant, Jonathan},
  journal = {Transactions of the Association for Computational Linguistics},
  volume = {8},
  year = {2020}
}
""",
)
