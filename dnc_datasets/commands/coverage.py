"""`dnc list coverage`: the number of changed rows by perturbation, dataset and split, as a page."""

from __future__ import annotations

import argparse
import json
from collections import Counter
from collections.abc import Mapping
from pathlib import Path
from statistics import median

from dnc_datasets import owned_folder, perturbations, sources
from dnc_datasets.commands import (
    add_from,
    add_seed,
    add_strict,
    given_folders,
    progress_bar,
    tell_failed,
)
from dnc_datasets.errors import SourceError
from dnc_datasets.perturbations import Perturbation
from dnc_datasets.problem import SPLITS, Problem
from dnc_datasets.serving import catalogue
from dnc_datasets.serving.settings import Row, failures
from dnc_datasets.sources import Source

_INTRODUCTION = """# Coverage

Rows of each dataset, and how many of them each perturbation changes (setting `defense`, which perturbs
every split). Rows that do not qualify remain unchanged. Written by `dnc list coverage --write docs/coverage.md`.
"""


def add_arguments(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("dataset", nargs="*", help="count only these datasets")
    parser.add_argument("--write", type=Path, metavar="PATH", help="write the page to this file")
    add_from(parser)
    add_seed(parser)
    add_strict(parser)


def _is_ours(line: str) -> bool:
    return not line or line.startswith("# Coverage")


def run(arguments: argparse.Namespace) -> int:
    if arguments.write:
        owned_folder.owned_file(arguments.write, _is_ours)
    given = given_folders(arguments)
    parts = [_INTRODUCTION]
    names = arguments.dataset or sources.names()
    failed: list[tuple[str, str]] = []
    with progress_bar("counting", len(names)) as advance:
        for name in names:
            parts.append(section(sources.get(name), given.get(name), arguments.seed, failed))
            advance(note=name)
    parts.append(_legend())
    page = "\n".join(parts)
    if arguments.write:
        owned_folder.write_owned_text(arguments.write, page, _is_ours)
        print(f"{arguments.write}: {len(names)} datasets")
    else:
        print(page)
    return tell_failed(failed, arguments.strict)


def section(source: Source, given: Path | None, seed: int, failed: list[tuple[str, str]]) -> str:
    """Return the part of the page about one dataset. Failed rows are added to `failed`."""
    heading = f"## {source.name}\n\n{source.title}."
    try:
        splits = catalogue.read(source.name, given=given)
    except SourceError:
        return f"{heading} Its files were not there when this page was written.\n"
    if given:
        heading += (
            " Read from copies given with `--from`, whose bytes were not checked: the counts are theirs."
        )
    sizes = " / ".join(f"{len(splits.get(split, ())):,}" for split in SPLITS)
    lines = [
        f"{heading} Rows: {sizes} (train / validation / test).{_without_equation(splits)}",
        "",
        "| perturbation | train | validation | test | |",
        "|---|---:|---:|---:|---|",
    ]
    idle: dict[str, list[str]] = {}
    for name in perturbations.names(source.shape):
        if reason := catalogue.why_not(perturbations.get(name, source.shape), source):
            idle.setdefault(reason, []).append(name)
        else:
            counts, extent = _counts(source, name, splits, seed, failed)
            lines.append(f"| {name} | {' | '.join(counts)} | {extent} |")
    lines += [f"| {', '.join(some)} |  |  |  | {reason} |" for reason, some in idle.items()]
    return "\n".join([*lines, ""])


def _without_equation(splits: Mapping[str, list[Problem]]) -> str:
    """Return the number of rows without an equation, and the reasons."""
    reasons = Counter(why for rows in splits.values() for row in rows if (why := row.note("no_equation")))
    stated = ", ".join(f"{why} {count:,}" for why, count in reasons.most_common())
    return f" Without an equation: {reasons.total():,} ({stated})." if reasons else ""


def _counts(
    source: Source,
    name: str,
    splits: Mapping[str, list[Problem]],
    seed: int,
    failed: list[tuple[str, str]],
) -> tuple[list[str], str]:
    setting = "attack" if source.test_only else "defense"
    variant = catalogue.find(f"{source.name}-{name}-{setting}")
    made = variant.rows(splits, seed=seed)
    failed += failures(made, variant.name)
    counts = [f"{sum(row.original is not None for row in made.get(split, ())):,}" for split in SPLITS]
    said = perturbations.get(name, source.shape).promises
    return counts, _extent(name, made) if "heads_kept" in said else ""


def _extent(name: str, made: Mapping[str, list[Row]]) -> str:
    """Return the number of words that a paraphrase replaces, and the number of rules."""
    changed = [json.loads(row.parameters)[name] for rows in made.values() for row in rows if row.parameters]
    if not changed:
        return ""
    share, rules = (median(row[key] for row in changed) for key in ("changed", "rules"))
    return f"{share:.0%} of the words replaced, {rules:g} rules a row (medians)"


def _legend() -> str:
    steps = [perturbations.get(name) for name in perturbations.names("table")]
    lines = [f"- `{step.name}`: {_filter(step)}." for step in steps if step.qualifies]
    return "\n".join(["## What qualifies", "", *lines, ""])


def _filter(step: Perturbation) -> str:
    return f"{step.qualifies}, with the cells of the table" if step.fixed else step.qualifies
