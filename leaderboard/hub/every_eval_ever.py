"""A record as a document of every_eval_ever, the shared form of evaluation results (schema 0.3.0)."""

from __future__ import annotations

import json
from collections.abc import Iterator
from datetime import datetime
from hashlib import sha256
from typing import Any
from uuid import UUID

from dnc_metrics import intervals
from dnc_metrics.record import Cell, Record, Table

SCHEMA_VERSION = "0.3.0"
# lm-eval backend -> deployment of the model; that of a server is unknown.
_DEPLOYMENT = {"hf": "self_deployed", "vllm": "self_deployed", "dnc-text": "self_deployed"}
MARK = "published.txt"
ABOUT = (
    "Written by `dnc publish`: `.eval_results` and README.md go to the model's repository with\n"
    "`dnc publish results`, `every_eval_ever` to the repository of that project.\n"
)


def document(found: Record, model: str, dataset: str, date: datetime) -> tuple[str, dict[str, Any]]:
    """Return the path below the published folder, and the document."""
    when = str(int(date.timestamp()))
    library = {"dnc eval": "lm-eval"}.get(found.made.command, "")
    value = {
        "schema_version": SCHEMA_VERSION,
        "evaluation_id": f"dnc/{model.replace('/', '_')}/{when}",
        "evaluation_timestamp": when,
        "retrieved_timestamp": when,
        "source_metadata": {
            "source_name": "DNC",
            "source_type": "evaluation_run",
            "source_organization_name": model.partition("/")[0],
            "evaluator_relationship": "other",
        },
        "eval_library": {
            "name": "dnc-bench",
            "version": found.made.version,
            "additional_details": {
                "command": found.made.command,
                **({library: found.made.libraries[library]} if library in found.made.libraries else {}),
            },
        },
        "model_info": {
            "name": found.system.name,
            "id": model,
            "developer": model.partition("/")[0],
            "additional_details": {
                "kind": found.system.kind,
                "revision": found.system.revision,
                "deployment_type": _DEPLOYMENT.get(str(found.system.model.get("backend", "")), "unknown"),
                "model_availability": "unknown",
            },
        },
        "evaluation_results": [*_accuracies(found, dataset), *_drops(found, dataset)],
    }
    # File names must be UUIDs of version 4; ours is derived from the content.
    digest = sha256(json.dumps(value, sort_keys=True).encode()).digest()
    name = UUID(bytes=digest[:16], version=4)
    return f"every_eval_ever/data/dnc/{model}/{name}.json", value


def _accuracies(result: Record, dataset: str) -> Iterator[dict[str, Any]]:
    for cell in result.cells:
        low, high = intervals.wilson(cell.right, cell.rows) if cell.rows else (0.0, 1.0)
        yield {
            "evaluation_result_id": f"{cell.config}/{cell.prompt}/{cell.score}",
            "evaluation_name": " ".join(filter(None, (cell.config, cell.prompt))),
            "source_data": _source(dataset, cell.config, cell.rows),
            "metric_config": {
                "evaluation_description": f"{cell.score}: share of rows answered rightly",
                "metric_id": f"dnc.{cell.score}",
                "metric_name": cell.score.replace("_", " "),
                "metric_kind": "accuracy",
                "metric_unit": "proportion",
                "lower_is_better": False,
                "score_type": "continuous",
                "min_score": 0,
                "max_score": 1,
            },
            "score_details": {
                "score": cell.scores.get(cell.score, 0.0),
                "details": {name: str(count) for name, count in cell.statuses.items()},
                "uncertainty": {
                    "confidence_interval": {
                        "lower": low,
                        "upper": high,
                        "confidence_level": 0.95,
                        "method": "Wilson, rows taken as independent",
                    },
                    "num_samples": cell.rows,
                },
            },
            "generation_config": _generation(result, cell),
        }


def _drops(result: Record, dataset: str) -> Iterator[dict[str, Any]]:
    for table in result.tables:
        for line in table.lines:
            if line.drop is None or line.interval is None:
                continue
            yield {
                "evaluation_result_id": f"{_where(table).replace(' ', '/')}/{line.name}/drop",
                "evaluation_name": f"{_where(table)} {line.name}: drop",
                "source_data": _source(dataset, f"{table.dataset}-{line.name}-{table.setting}", line.n),
                "metric_config": {
                    "evaluation_description": "accuracy on originals less accuracy on the same rows perturbed",
                    "metric_id": "dnc.drop",
                    "metric_name": "drop",
                    "metric_kind": "accuracy_difference",
                    "metric_unit": "proportion",
                    "lower_is_better": True,
                    "score_type": "continuous",
                    "min_score": -1,
                    "max_score": 1,
                },
                "score_details": {
                    "score": line.drop,
                    "details": {
                        "verdict": line.verdict,
                        "reason": line.reason,
                        "templates": str(line.clusters),
                    },
                    "uncertainty": {
                        "confidence_interval": {
                            "lower": line.interval[0],
                            "upper": line.interval[1],
                            "confidence_level": 0.95,
                            "method": "Tango's score interval of the line alone, on effective rows",
                        },
                        "num_samples": line.n,
                    },
                },
            }


def _source(dataset: str, config: str, count: int) -> dict[str, Any]:
    return {
        "dataset_name": f"DNC {config}",
        "source_type": "hf_dataset",
        "hf_repo": dataset,
        "hf_split": "test",
        "samples_number": count,
    }


def _generation(result: Record, cell: Cell) -> dict[str, Any]:
    """Return the prompt as sent, and all settings as text."""
    settings = dict(result.made.settings)
    sent = (settings.pop("prompts", None) or {}).get(cell.prompt)
    stated = {name: json.dumps(value) for name, value in settings.items() if value not in (None, "", {})}
    arguments: dict[str, Any] = {"additional_details": {"prompt": cell.prompt, **stated}}
    return {"generation_args": {"prompt_template": sent}, **arguments} if sent else arguments


def _where(table: Table) -> str:
    return " ".join(filter(None, (table.dataset, table.fold, table.setting, table.prompt)))
