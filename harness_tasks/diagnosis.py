"""From lm-eval's samples to a diagnosis: every perturbed config compared with its original, row by row.

The headline of a perturbation is its comparison on the rows that it changed: rows that did not qualify are
the same text, and would only water a drop down. The comparison on all rows is given beside it.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import Any

from dnc_datasets.serving.catalogue import Variant
from dnc_datasets.version import __version__
from dnc_harness import data, listing, scoring
from dnc_leaderboard.schema import Cell, Diagnosis, Table, TaskResult
from dnc_metrics.robustness import Comparison, table

Samples = Mapping[str, Sequence[Mapping[str, Any]]]
# Prompt -> how its replies are read.
_RULES: dict[str, Callable[[str], str]] = {
    listing.DIRECT: scoring.answer_rule,
    listing.COT: scoring.answer_rule,
    listing.EQUATION: scoring.equation_rule,
}


def diagnose(
    samples: Samples,
    *,
    model: Mapping[str, Any],
    settings: Mapping[str, Any],
    harness: str,
    built: Path,
) -> Diagnosis:
    """The diagnosis of lm-eval's samples (task name -> logged samples)."""
    known = {task.name: task for task in listing.tasks()}
    asked = {known[name]: rows for name, rows in samples.items()}
    results = tuple(
        TaskResult(
            task=task.name,
            config=task.variant.name,
            prompt=task.prompt,
            rows=len(rows),
            changed=sum(row["doc"]["perturbed"] for row in rows),
            scores={name: sum(row[name] for row in rows) / len(rows) for name in listing.SCORES[task.prompt]},
            rules=dict(Counter(_RULES[task.prompt](row["filtered_resps"][0]) for row in rows).most_common()),
            data=data.provenance(task.variant, built),
            left_out=data.without_equation(task.variant, built) if task.prompt == listing.EQUATION else 0,
        )
        for task, rows in asked.items()
    )
    tables: dict[tuple[str, str, str, str], dict[Variant, Sequence[Mapping[str, Any]]]] = {}
    for task, rows in asked.items():
        variant = task.variant
        if variant.recipe:
            key = (variant.dataset, variant.fold, task.prompt, variant.setting)
            tables.setdefault(key, {})[variant] = rows
    made = []
    for (dataset, fold, prompt, setting), variants in tables.items():
        original = asked.get(listing.HarnessTask(Variant(dataset, fold), prompt))
        if original is not None:
            cells, capabilities = _compared(original, variants, listing.SCORES[prompt][0])
            made.append(Table(dataset, fold, prompt, setting, listing.SCORES[prompt][0], cells, capabilities))
    return Diagnosis(__version__, harness, model, settings, results, tuple(made))


def _compared(
    original: Sequence[Mapping[str, Any]],
    variants: Mapping[Variant, Sequence[Mapping[str, Any]]],
    score: str,
) -> tuple[tuple[Cell, ...], dict[str, dict[str, Any]]]:
    before = _outcomes(original, score)
    clusters = {row["doc"]["id"]: row["doc"]["cluster"] for row in original}
    every: dict[str, dict[str, bool]] = {}
    some: dict[str, dict[str, bool]] = {}
    pooled: dict[str, dict[str, bool]] = {}
    for variant, rows in variants.items():
        after = _outcomes(rows, score)
        changed = _outcomes([row for row in rows if row["doc"]["perturbed"]], score)
        every[variant.recipe] = after
        if changed:
            some[variant.recipe] = changed
        for row, right in changed.items():
            pooled.setdefault(variant.capability, {})[f"{variant.recipe}\t{row}"] = right
    wide = {pair: before[_row(pair)] for after in pooled.values() for pair in after}
    owners = {pair: clusters[_row(pair)] for pair in wide}
    lines = len(some) + len(pooled)
    on_all = table(before, every, clusters=clusters)
    on_changed = table(before, some, clusters=clusters, lines=lines) if some else {}
    by_capability: dict[str, Comparison] = table(wide, pooled, clusters=owners, lines=lines) if pooled else {}
    cells = tuple(
        Cell(
            perturbation=variant.recipe,
            capability=variant.capability,
            changed=on_changed[variant.recipe].as_dict() if variant.recipe in on_changed else None,
            all=on_all[variant.recipe].as_dict(),
        )
        for variant in variants
    )
    return cells, {name: cell.as_dict() for name, cell in by_capability.items()}


def _outcomes(rows: Sequence[Mapping[str, Any]], score: str) -> dict[str, bool]:
    return {row["doc"]["id"]: bool(row[score]) for row in rows}


def _row(pair: str) -> str:
    return pair.partition("\t")[2]
