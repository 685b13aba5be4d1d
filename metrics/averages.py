"""Table 12 of the DNC paper, averages over the two stages, computed again from its printed changes."""

from __future__ import annotations

import csv
from collections.abc import Mapping
from fractions import Fraction
from pathlib import Path
from typing import NamedTuple

from dnc_metrics import path
from dnc_metrics.stages import NUMERICAL, SEMANTIC

_PERTURBATIONS = {
    NUMERICAL: ("language", "type", "noise", "distribution"),
    SEMANTIC: ("verbosity", "extra", "logic", "order"),
}
_TRANSFORMERS = ("t5-base", "bart-base", "gpt2")
_ASDIV = ("asdiv_a",)
_HALF_CENT = Fraction(1, 200)  # printed figures have two decimals
_ALL = ("asdiv_a", "drop_num", "tatqa_a")


class Average(NamedTuple):
    """A printed average, over which cells it is said to be, and what is known of it where it does not follow."""

    name: str
    printed: str
    kind: str  # drop or recovery
    stages: tuple[str, ...]
    models: tuple[str, ...]  # none: every one
    datasets: tuple[str, ...]
    note: str = ""

    def computed(self) -> str:
        """The mean over the printed cells, as it would be printed; half a cent is rounded as the paper has it."""
        changes = _changes(self)
        mean = sum(changes, Fraction(0)) / len(changes)
        return self.printed if abs(mean - Fraction(self.printed)) <= _HALF_CENT else f"{float(mean):.2f}"


AVERAGES = (
    Average("drop, semantic, all models", "19.66", "drop", (SEMANTIC,), (), _ALL),
    Average("drop, numerical, all models", "13.15", "drop", (NUMERICAL,), (), _ALL),
    Average(
        "drop, semantic, transformers", "17.42", "drop", (SEMANTIC,), (*_TRANSFORMERS, "tagops"), _ALL,
        "it is the numerical mean of T5, BART and GPT2 on ASDiv-a",
    ),
    Average("drop, numerical, T5, BART and GPT2 on ASDiv-a", "17.42", "drop", (NUMERICAL,), _TRANSFORMERS, _ASDIV),
    Average(
        "drop, semantic, Graph2Tree", "3.07", "drop", (SEMANTIC,), ("graph2tree",), _ASDIV,
        "it is Graph2Tree's numerical mean",
    ),
    Average("drop, numerical, Graph2Tree", "3.07", "drop", (NUMERICAL,), ("graph2tree",), _ASDIV),
    Average(
        "recovery, semantic, all models", "17.96", "recovery", (SEMANTIC,), (), _ALL,
        "no set of cells that was tried gives it",
    ),
    Average(
        "recovery, numerical, all models", "6.52", "recovery", (NUMERICAL,), (), _ALL, "it holds on ASDiv-a alone"
    ),
    Average("recovery, numerical, ASDiv-a", "6.52", "recovery", (NUMERICAL,), (), _ASDIV),
    Average(
        "recovery, transformers", "12.53", "recovery", (NUMERICAL, SEMANTIC), (*_TRANSFORMERS, "tagops"), _ALL,
        "no set of cells that was tried gives it",
    ),
    Average(
        "recovery, Graph2Tree", "11.58", "recovery", (NUMERICAL, SEMANTIC), ("graph2tree",), _ASDIV,
        "no set of cells that was tried gives it",
    ),
)  # fmt: skip


def _changes(average: Average) -> list[Fraction]:
    """What is lost under attack, or what a defense takes back where both are printed, of answers."""
    printed = _printed()
    names = [name for stage in average.stages for name in _PERTURBATIONS[stage]]
    found = []
    for (setting, name, dataset, model), change in printed.items():
        wanted = (not average.models or model in average.models) and dataset in average.datasets
        if setting != "attack" or name not in names or not wanted:
            continue
        if average.kind == "drop":
            found.append(-change)
        elif (defended := printed.get(("defense", name, dataset, model))) is not None:
            found.append(defended - change)
    return found


def _printed() -> Mapping[tuple[str, str, str, str], Fraction]:
    """(setting, perturbation, dataset, model) -> the printed change of the answers' accuracy."""
    with (Path(path("robustness")) / "published.csv").open(encoding="utf-8", newline="") as file:
        return {
            (row["setting"], row["perturbation"], row["dataset"], row["model"]): Fraction(row["change"])
            for row in csv.DictReader(file)
            if row["target"] == "answer" and row["change"]
        }
