"""Stored facts about the embedded corpora: counts of every config, and the card's pairs.

`python -m dnc_datasets.serving.index` (or `make index`) rewrites `index.json`. A test makes every row and
compares. Other values (another seed, a plug-in's perturbation, a user's files) are computed on request.
"""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from functools import cache
from pathlib import Path
from typing import Any

from dnc_datasets import sources
from dnc_datasets.problem import Problem
from dnc_datasets.serving import catalogue
from dnc_datasets.serving.catalogue import Variant
from dnc_datasets.serving.settings import CHANGED, CONTRAST

SEED = 0
_FILE = Path(__file__).with_name("index.json")
# Split -> its rows, and how many of them are perturbed.
Counts = Mapping[str, tuple[int, int]]


def counts(variant: Variant, seed: int) -> Counts | None:
    """Return the row counts of a config of an embedded corpus, or None if the index lacks them."""
    found = _read()["counts"].get(variant.name) if seed == SEED else None
    return None if found is None else {split: (rows, changed) for split, (rows, changed) in found.items()}


def example(perturbation: str, seed: int) -> list[str] | None:
    """Return the lines of the card about one of our perturbations, or None if the index lacks them."""
    lines: list[str] | None = _read()["examples"].get(perturbation) if seed == SEED else None
    return lines


@cache
def _read() -> dict[str, Any]:
    found: dict[str, Any] = json.loads(_FILE.read_text(encoding="utf-8"))
    return found


def made() -> str:
    """Return the text of the index, computed from every row of the embedded corpora."""
    from dnc_datasets import perturbations
    from dnc_datasets.serving import card

    ours = {"", *catalogue.CONTRAST_SETS}
    counted: dict[str, dict[str, list[int]]] = {}
    for dataset in sources.names():
        if sources.get(dataset).files or not sources.is_own(dataset):
            continue
        splits = catalogue.read(dataset)
        known: dict[tuple[str, ...], list[int]] = {}
        for variant in catalogue.variants(dataset):
            if all(name in ours or perturbations.is_own(name) for name in variant.recipe.split("+")):
                counted[variant.name] = {
                    split: _counted(variant, split, rows, known) for split, rows in splits.items()
                }
    examples = {
        name: card.made_example(name, SEED) for name in perturbations.names() if perturbations.is_own(name)
    }
    return json.dumps({"counts": counted, "examples": examples}, ensure_ascii=False, indent=0) + "\n"


def _counted(
    variant: Variant, split: str, problems: Sequence[Problem], known: dict[tuple[str, ...], list[int]]
) -> list[int]:
    """Count the rows of a split and the perturbed ones, once for all settings with the same rows."""
    passes = variant.passes(split)
    kind = CONTRAST if variant.setting == CONTRAST else ""
    key = (split, kind, *passes, variant.recipe if CHANGED in passes else "")
    if key not in known:
        rows = list(variant.stream(split, problems, seed=SEED))
        known[key] = [len(rows), sum(row.original is not None for row in rows)]
    return known[key]


if __name__ == "__main__":
    _FILE.write_text(made(), encoding="utf-8")
