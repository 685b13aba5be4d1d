"""Answer accuracy as a module of the evaluate library."""

from __future__ import annotations

from dnc_metrics import answers
from dnc_metrics.evaluate_module import metric_class

AnswerAccuracy = metric_class(
    __name__,
    answers.accuracy,
    columns={"predictions": "string", "references": "string"},
    description="""
The share of answers that are right: the number read from a model's text is the gold answer, or the gold answer
rounded as far as it shows. Tells wrong answers from answers that were not found and from replies cut off.
""",
    inputs="""
predictions: list of str, what the model wrote.
references: list of str, the gold answers.
mode: "lenient" (default: the last number counts where the model marks none) or "strict".
acceptance: "rounded" (default: 0.333 is 1/3) or "exact".
roundings: list of str, optional: how the source rounds each answer, such as "places:2".
""",
)
