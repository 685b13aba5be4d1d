"""The problems of a config as a trainer uses them: always with a validation part that is no test row."""

from __future__ import annotations

from collections.abc import Mapping
from functools import lru_cache
from pathlib import Path

from dnc_datasets import catalogue
from dnc_datasets.catalogue import Variant
from dnc_datasets.draws import Draw
from dnc_datasets.problem import Problem
from dnc_datasets.settings import Row

_SHARE = 0.1  # of the training rows, held out where a source has no validation split


@lru_cache(maxsize=4)
def _originals(dataset: str, fold: str, given: Path | None) -> Mapping[str, list[Problem]]:
    splits = catalogue.read(dataset, fold, given)
    if splits.get("validation"):
        return splits
    train, validation = hold_out(splits["train"], dataset)
    return {**splits, "train": train, "validation": validation}


@lru_cache(maxsize=4)
def rows(variant: Variant, given: Path | None = None) -> Mapping[str, list[Row]]:
    """The rows of each split of a variant; train, validation and test are always there."""
    return variant.rows(_originals(variant.dataset, variant.fold, given))


def hold_out(problems: list[Problem], dataset: str) -> tuple[list[Problem], list[Problem]]:
    """Train and validation parts of training problems, chosen by hash; both keep their order."""
    order = sorted(problems, key=lambda problem: Draw(0, dataset, problem.id, "validation").word())
    held = {problem.id for problem in order[: int(len(problems) * _SHARE)]}
    return [p for p in problems if p.id not in held], [p for p in problems if p.id in held]
