"""DROP's exact match and F1 as a module of the evaluate library."""

from __future__ import annotations

from dnc_metrics import drop
from dnc_metrics.evaluate_module import metric_class

DropF1 = metric_class(
    __name__,
    drop.mean,
    columns=(
        {"predictions": "string", "references": ["string"]},
        {"predictions": ["string"], "references": [["string"]]},
    ),
    description="""
Exact match and numeracy-aware F1 of the DROP dataset, best over the reference answers of each question.
""",
    inputs="""
predictions: list of str, or list of list of str where answers have several spans.
references: for each question a list of reference answers, of the same form as the predictions.
""",
    citation="""
@inproceedings{dua2019drop,
  title = {{DROP}: A Reading Comprehension Benchmark Requiring Discrete Reasoning Over Paragraphs},
  author = {Dua, Dheeru and Wang, Yizhong and Dasigi, Pradeep and Stanovsky, Gabriel and Singh, Sameer and
            Gardner, Matt},
  booktitle = {Proceedings of NAACL},
  year = {2019}
}
""",
)
