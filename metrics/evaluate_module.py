"""The factory for the `evaluate` modules: it derives a metric class from a plain function."""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import Any, TypeAlias

from dnc_metrics import path
from dnc_metrics.errors import MetricError

# A column's type: the name of a scalar type, or a list that holds the type of the elements.
Column: TypeAlias = "str | list[Column]"
Columns: TypeAlias = Mapping[str, Column]

DNC_PAPER = """
@inproceedings{xu2022towards,
  title = {Towards Robust Numerical Question Answering: Diagnosing Numerical Capabilities of {NLP} Systems},
  author = {Xu, Jialiang and Zhou, Mengyu and He, Xinyi and Han, Shi and Zhang, Dongmei},
  booktitle = {Proceedings of EMNLP},
  year = {2022}
}
"""


def metric_class(
    module: str,
    function: Callable[..., dict[str, Any]],
    *,
    columns: Columns | Sequence[Columns],
    description: str,
    inputs: str,
    citation: str = DNC_PAPER,
) -> Any:
    """Return a subclass of `evaluate.Metric` that calls the function with its columns and options by name.

    `evaluate.load` takes the first metric class in the namespace of the file that it loads, so every module assigns
    the result to a name. `module` is the `__name__` of that file. Several sets of columns are alternatives.
    """
    import evaluate

    class Metric(evaluate.Metric):  # type: ignore[misc]
        def _info(self) -> evaluate.MetricInfo:
            return evaluate.MetricInfo(
                description=description,
                citation=citation,
                inputs_description=inputs,
                features=_features(columns),
            )

        def _compute(self, **given: Any) -> dict[str, Any]:
            return function(**given)

    Metric.__module__ = module
    return Metric


def _features(columns: Columns | Sequence[Columns]) -> Any:
    import datasets

    if isinstance(columns, Mapping):
        return datasets.Features({name: _feature(column) for name, column in columns.items()})
    return [_features(alternative) for alternative in columns]


def _feature(column: Column) -> Any:
    import datasets

    if isinstance(column, str):
        return datasets.Value(column)
    return datasets.Sequence(_feature(column[0]))


# The widget of the evaluate library itself needs gradio 3.


def compute(metric: Any, columns: str) -> dict[str, Any]:
    """Return the metric's result for a JSON object of columns and options; errors are {"error": ...}."""
    try:
        given = json.loads(columns)
        if not isinstance(given, dict):
            raise MetricError('give a JSON object, such as {"predictions": [...], "references": [...]}')
        result: dict[str, Any] = metric.compute(**given)
    except (ValueError, TypeError, KeyError) as error:
        return {"error": f"{type(error).__name__}: {error}"}
    return result


def examples(name: str) -> list[str]:
    """Return the inputs of the metric's cases, as JSON."""
    cases = json.loads((Path(path(name)) / "cases.json").read_text(encoding="utf-8"))
    return [json.dumps({**case["inputs"], **case.get("options", {})}, ensure_ascii=False) for case in cases]


def interface(name: str) -> Any:
    """Return the gradio interface of a metric; `.launch()` serves it."""
    import evaluate
    import gradio

    metric = evaluate.load(path(name))
    shown = examples(name)
    return gradio.Interface(
        fn=lambda columns: compute(metric, columns),
        inputs=gradio.Textbox(value=shown[0], lines=8, label="columns and options, as JSON"),
        outputs=gradio.JSON(label=name),
        examples=[[example] for example in shown],
        title=name,
        description=metric.info.description,
        article=metric.info.inputs_description,
        flagging_mode="never",
    )
