"""`dnc list`: the datasets, or the configs of some datasets with their rows and perturbed rows."""

from __future__ import annotations

import argparse
import json
import os
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from dnc_datasets import sources
from dnc_datasets.commands import (
    add_built,
    add_from,
    add_seed,
    add_strict,
    console,
    given_folders,
    progress_bar,
    tell_failed,
)
from dnc_datasets.errors import BuildError, SourceError
from dnc_datasets.problem import Problem
from dnc_datasets.serving import catalogue, checksums, index
from dnc_datasets.serving.catalogue import Variant
from dnc_datasets.serving.settings import failures


def add_arguments(parser: argparse.ArgumentParser) -> None:
    parser.add_argument(
        "dataset", nargs="*", help="list the configs of these datasets (default: all datasets)"
    )
    parser.add_argument("--names", action="store_true", help="print only the names of the configs")
    parser.add_argument("--count", action="store_true", help="compute rows whose number is not stored")
    parser.add_argument("--json", action="store_true", help="print one JSON object per config and line")
    add_built(parser)
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
    counts = _stored_counts(variants, arguments, given)
    failed: list[tuple[str, str]] = []
    if arguments.count:
        _count_others(variants, counts, arguments.seed, given, failed)
    lines = [_line(variant, counts.get(variant.name)) for variant in variants]
    if arguments.json:
        print("\n".join(json.dumps(line) for line in lines))
    elif arguments.dataset:
        _print_configs(lines)
    else:
        _print_datasets(lines)
    return tell_failed(failed, arguments.strict)


def _stored_counts(
    variants: Sequence[Variant], arguments: argparse.Namespace, given: Mapping[str, Path]
) -> dict[str, index.Counts]:
    """Return the counts that the index or a built folder holds, by config."""
    counts: dict[str, index.Counts] = {}
    folder = arguments.built or Path(os.environ.get("DNC_DATA") or "dnc")
    try:
        built = checksums.read(folder)
    except BuildError:
        if arguments.built:
            raise
        built = None
    for variant in variants:
        if variant.dataset in given:
            continue
        stored = index.counts(variant, arguments.seed)
        config = built.configs.get(variant.name) if built and built.seed == arguments.seed else None
        if stored is None and config is not None:
            stored = {split: (count.rows, count.perturbed) for split, count in config.splits.items()}
        if stored is not None:
            counts[variant.name] = stored
    return counts


def _count_others(
    variants: Sequence[Variant],
    counts: dict[str, index.Counts],
    seed: int,
    given: Mapping[str, Path],
    failed: list[tuple[str, str]],
) -> None:
    """Add the counts of all other variants whose files are here, by computing their rows."""
    originals: dict[tuple[str, str], dict[str, list[Problem]] | None] = {}
    others = [variant for variant in variants if variant.name not in counts]
    with progress_bar("counting", len(others)) as advance:
        for variant in others:
            key = (variant.dataset, variant.fold)
            if key not in originals:
                try:
                    originals[key] = catalogue.read(*key, given=given.get(variant.dataset))
                except SourceError:
                    originals[key] = None
            splits = originals[key]
            if splits is not None:
                rows = variant.rows(splits, seed=seed)
                failed += failures(rows, variant.name)
                counts[variant.name] = {
                    split: (len(some), sum(row.original is not None for row in some))
                    for split, some in rows.items()
                }
            advance(note=variant.name)


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


def _print_datasets(lines: Sequence[Mapping[str, Any]]) -> None:
    from rich.table import Table

    table = Table(title="DNC datasets", caption="`dnc list DATASET` lists the configs of a dataset.")
    table.add_column("dataset", no_wrap=True)
    table.add_column("configs", justify="right")
    table.add_column("rows (train / validation / test)", justify="right", no_wrap=True)
    table.add_column("files")
    for dataset in dict.fromkeys(line["dataset"] for line in lines):
        own = [line for line in lines if line["dataset"] == dataset]
        table.add_row(dataset, str(len(own)), _numbers(own[0], "rows"), _origin(sources.get(dataset)))
    console().print(table)


def _origin(source: sources.Source) -> str:
    """Return the way to obtain the files of a source."""
    if not source.files:
        return "embedded"
    return f"--from {source.name}=DIR" if source.manual else f"dnc fetch {source.name}"


def _print_configs(lines: Sequence[Mapping[str, Any]]) -> None:
    from rich.table import Table

    table = Table(title="DNC configs (rows of train / validation / test)")
    table.add_column("config", no_wrap=True)
    table.add_column("capability")
    table.add_column("setting")
    table.add_column("rows", justify="right", no_wrap=True)
    table.add_column("rows perturbed", justify="right", no_wrap=True)
    for line in lines:
        counts = [_numbers(line, key) for key in ("rows", "perturbed")]
        table.add_row(line["config"], line["capability"], line["setting"], *counts)
    console().print(table)
    if any("rows" not in line for line in lines):
        console().print("--count computes the rows that are not counted; `dnc build` stores their number.")


def _numbers(line: Mapping[str, Any], key: str) -> str:
    return " / ".join(str(number) for number in line[key].values()) if key in line else "not counted"
