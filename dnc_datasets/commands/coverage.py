"""`dnc coverage`: how many rows each perturbation changes in each dataset and split, as a page."""

from __future__ import annotations

import argparse
from collections.abc import Mapping
from pathlib import Path

from dnc_datasets import atomic, perturbations, sources
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
from dnc_datasets.serving.settings import failures
from dnc_datasets.sources import Source

# (perturbation, shape) -> why it does not act there.
_REASONS = {
    ("noise", "passage"): "DROP gives no equations, so the new answer could not be computed",
    ("distribution", "passage"): "DROP gives no equations, so the new answer could not be computed",
    ("logic", "passage"): "DROP gives no equations, so the new answer could not be computed",
    ("order", "passage"): "another order of sentences would break the narrative",
    ("logic", "dialogue"): "later questions refer to the operation of earlier ones",
    ("order", "dialogue"): "later questions refer to earlier ones, and evidence to places in the passage",
}
_FILTERS = {
    "language": "rows without a number in digits stay as they are",
    "type": "rows without a whole number in digits that stands for an amount stay as they are",
    "noise": "every operand must be a whole number that stands at just one place",
    "distribution": "every operand must stand at just one place, and be no percentage in a table",
    "verbosity": "rows without a number that stands for an amount stay as they are",
    "extra": "a statement about other things and numbers must be found in the split",
    "logic": "a template must match the question and its equation",
    "order": "there must be parts that can change places",
    "no_question": "every row with a text and a question changes",
    "language_table": "as language, with the cells of the table",
    "type_table": "as type, with the cells of the table",
    "verbosity_table": "as verbosity, with the cells of the table",
}
_INTRODUCTION = """# Coverage

Rows of each dataset, and how many of them each perturbation changes (setting `defense`, which perturbs
every split). Rows that do not qualify stay as they are. Written by `dnc coverage --write docs/coverage.md`.
"""


def add_arguments(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("dataset", nargs="*", help="only these datasets")
    parser.add_argument("--write", type=Path, metavar="FILE", help="write the page to this file")
    add_from(parser)
    add_seed(parser)
    add_strict(parser)


def run(arguments: argparse.Namespace) -> int:
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
        arguments.write.parent.mkdir(parents=True, exist_ok=True)
        atomic.write_text(arguments.write, page)
        print(f"{arguments.write}: {len(names)} datasets")
    else:
        print(page)
    return tell_failed(failed, arguments.strict)


def section(source: Source, given: Path | None, seed: int, failed: list[tuple[str, str]]) -> str:
    """The part of the page about one dataset; rows that failed join `failed`."""
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
        f"{heading} Rows: {sizes} (train / validation / test).",
        "",
        "| perturbation | train | validation | test | |",
        "|---|---:|---:|---:|---|",
    ]
    for name in perturbations.names(source.shape):
        step = perturbations.get(name, source.shape)
        reason = why_not(step, source)
        counts = [""] * len(SPLITS) if reason else _counts(source, name, splits, seed, failed)
        lines.append(f"| {name} | {' | '.join(counts)} | {reason} |")
    return "\n".join([*lines, ""])


def why_not(step: Perturbation, source: Source) -> str:
    """Why the perturbation does not act on this source; nothing where it does."""
    if step.acts_on(source.shape, source.language):
        return ""
    if source.language not in step.languages:
        return f"not for {source.language}"
    shapes = " and ".join(shape.replace("_", " ") for shape in step.shapes)
    return _REASONS.get((step.name, source.shape), f"for {shapes} sources only")


def _counts(
    source: Source,
    name: str,
    splits: Mapping[str, list[Problem]],
    seed: int,
    failed: list[tuple[str, str]],
) -> list[str]:
    variant = catalogue.find(f"{source.name}-{name}-defense")
    made = variant.rows(splits, seed=seed)
    failed += failures(made, variant.name)
    return [f"{sum(row.original is not None for row in made.get(split, ())):,}" for split in SPLITS]


def _legend() -> str:
    lines = [f"- `{name}`: {_FILTERS[name]}." for name in perturbations.names("table") if name in _FILTERS]
    return "\n".join(["## What qualifies", "", *lines, ""])
