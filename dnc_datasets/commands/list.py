"""`dnc list`: every config, with its rows and how many of them are perturbed."""

from __future__ import annotations

import argparse
import json
from typing import Any

from dnc_datasets import sources
from dnc_datasets.commands import (
    add_from,
    add_seed,
    add_strict,
    console,
    given_folders,
    progress_bar,
    tell_failed,
)
from dnc_datasets.errors import SourceError
from dnc_datasets.problem import Problem
from dnc_datasets.serving import catalogue, index
from dnc_datasets.serving.catalogue import Variant
from dnc_datasets.serving.settings import failures


def add_arguments(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("dataset", nargs="*", help="list only these datasets")
    parser.add_argument("--names", action="store_true", help="print only the names, without counting rows")
    parser.add_argument("--json", action="store_true", help="print one JSON object per line")
    add_from(parser)
    add_seed(parser)
    add_strict(parser)


def run(arguments: argparse.Namespace) -> int:
    datasets = arguments.dataset or sources.names()
    variants = [variant for dataset in datasets for variant in catalogue.variants(dataset)]
    if arguments.names:
        print("\n".join(variant.name for variant in variants))
        return 0
    given = given_folders(arguments)
    lines = []
    failed: list[tuple[str, str]] = []
    originals: dict[tuple[str, str], dict[str, list[Problem]] | None] = {}
    with progress_bar("counting", len(variants)) as advance:
        for variant in variants:
            counts = index.counts(variant, arguments.seed) if variant.dataset not in given else None
            if counts is not None:
                lines.append(_line(variant, counts))
                continue
            key = (variant.dataset, variant.fold)
            if key not in originals:
                try:
                    originals[key] = catalogue.read(*key, given=given.get(variant.dataset))
                except SourceError:
                    originals[key] = None  # its files are not here: listed without counts
            lines.append(_line(variant, _counted(variant, originals[key], arguments.seed, failed)))
            advance(note=variant.name)
    if arguments.json:
        print("\n".join(json.dumps(line) for line in lines))
    else:
        _print_table(lines)
    return tell_failed(failed, arguments.strict)


def _counted(
    variant: Variant, splits: dict[str, list[Problem]] | None, seed: int, failed: list[tuple[str, str]]
) -> index.Counts | None:
    """The counts of a variant, by making its rows; None where its files are not here."""
    if splits is None:
        return None
    rows = variant.rows(splits, seed=seed)
    failed += failures(rows, variant.name)
    return {split: (len(some), sum(r.original is not None for r in some)) for split, some in rows.items()}


def _line(variant: Variant, counts: index.Counts | None) -> dict[str, Any]:
    line: dict[str, Any] = {
        "config": variant.name,
        "dataset": variant.dataset,
        "perturbation": variant.recipe,
        "capability": variant.capability,
        "setting": variant.setting,
    }
    if counts is not None:
        line["rows"] = {split: rows for split, (rows, _) in counts.items()}
        line["perturbed"] = {split: changed for split, (_, changed) in counts.items()}
    return line


def _print_table(lines: list[dict[str, Any]]) -> None:
    from rich.table import Table

    table = Table(title="DNC configs (rows of train / validation / test)")
    table.add_column("config", no_wrap=True)
    table.add_column("capability")
    table.add_column("setting")
    table.add_column("rows", justify="right", no_wrap=True)
    table.add_column("rows perturbed", justify="right", no_wrap=True)
    for line in lines:
        counts = [" / ".join(str(n) for n in line.get(key, {}).values()) for key in ("rows", "perturbed")]
        if "rows" not in line:
            counts[0] = f"dnc fetch {line['dataset']}"
        table.add_row(line["config"], line["capability"], line["setting"], *counts)
    console().print(table)
