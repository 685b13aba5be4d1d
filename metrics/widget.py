"""The web page of a metric's Space: columns in as JSON, the result out as JSON."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

from dnc_metrics import path
from dnc_metrics.errors import MetricError

# The widget of the evaluate library itself needs gradio 3.


def compute(metric: Any, columns: str) -> dict[str, Any]:
    """The metric's result for a JSON object of columns and options; an error comes back as {"error": ...}."""
    try:
        given = json.loads(columns)
        if not isinstance(given, dict):
            raise MetricError('give a JSON object, such as {"predictions": [...], "references": [...]}')
        result: dict[str, Any] = metric.compute(**given)
    except (ValueError, TypeError, KeyError) as error:
        return {"error": f"{type(error).__name__}: {error}"}
    return result


def examples(name: str) -> list[str]:
    """The inputs of the metric's cases, as JSON."""
    cases = json.loads((Path(path(name)) / "cases.json").read_text(encoding="utf-8"))
    return [json.dumps({**case["inputs"], **case.get("options", {})}, ensure_ascii=False) for case in cases]


def interface(name: str) -> Any:
    """The gradio interface of a metric; `.launch()` serves it."""
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
