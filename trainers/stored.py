"""Stored results: one line of JSON per result, one file per kind. All readers of them use this module.

python -m dnc_trainers.stored results --group papers     # add the records of `dnc research protocol` to the stored ones

`former_result` reads results of version 0.2.0 and earlier, which are dictionaries of another form. They do
not name their rows. `row_digests.py` adds the digests of the rows that can be rebuilt.
"""

from __future__ import annotations

import argparse
import json
from collections.abc import Iterator, Mapping
from dataclasses import asdict, replace
from pathlib import Path
from typing import Any, NamedTuple

from dnc_datasets import atomic
from dnc_datasets.serving import catalogue
from dnc_metrics import record as records
from dnc_metrics.record import RIGHT, WRONG, Cell, Outcome, Provenance, System, TrainingRun
from dnc_trainers import results
from dnc_trainers.results import ANSWER, EQUATION, LIKELIEST, Result
from dnc_trainers.searching import BEFORE, Stage

# The results of a checkout; an installed package has none.
FOLDER = Path(__file__).parents[1] / "benchmarks" / "results"
# Kind of result -> the pattern of its files in a results folder.
KINDS = {"cells": f"*{records.ENDING}", "searches": "*-under-*.json"}
# Parts of an outcome that no table reads.
_LEFT_OUT = ("reply", "stated", "sentence", "gold", "text", "before", "labels", "causes", "answer")


class Stored(NamedTuple):
    """A result, the group that its tables belong to, and the name of its file."""

    group: str
    name: str
    result: dict[str, Any]

    def results(self) -> Iterator[Result]:
        """Yield the results of the line for the tables."""
        if "record" not in self.result:
            yield former_result(self.result)
            return
        record = records.from_json(self.result["record"], self.name)
        outcomes = [records.outcome_from_json(one, self.name) for one in self.result["outcomes"]]
        yield from results.results(record, outcomes)


def cells(group: str, folder: Path = FOLDER) -> list[Result]:
    """Return the scores of a group: one trained system on one config each."""
    return [one for line in read("cells", folder) if line.group == group for one in line.results()]


def searches(group: str, folder: Path = FOLDER) -> list[Stage]:
    """Return the searches of a group: one trained system under one kind of search each."""
    stages = [one for line in read("searches", folder) if line.group == group for one in line.results()]
    return [Stage(str(one.settings["stage"]), one.cell.perturbation, one) for one in stages]


def groups(prefix: str, folder: Path = FOLDER) -> list[str]:
    """Return the groups of scores whose name starts with the prefix."""
    return sorted({one.group for one in read("cells", folder) if one.group.startswith(prefix)})


def read(kind: str, folder: Path = FOLDER) -> Iterator[Stored]:
    """Read every result of a kind, in the order of groups and names."""
    path = folder / f"{kind}.jsonl"
    if path.is_file():
        for line in path.read_text(encoding="utf-8").splitlines():
            yield Stored(**json.loads(line))


def write(kind: str, lines: Iterator[Stored], folder: Path = FOLDER) -> None:
    """Write every result of a kind, in the order of groups and names."""
    ordered = sorted(lines, key=lambda line: (line.group, line.name))
    texts = (json.dumps(one._asdict(), ensure_ascii=False, separators=(",", ":")) for one in ordered)
    atomic.write_text(folder / f"{kind}.jsonl", "".join(f"{text}\n" for text in texts))


def add(source: Path, group: str, folder: Path = FOLDER) -> int:
    """Store the records of a folder; they replace the results of the same group, runs and test sets."""
    count = 0
    for kind, pattern in KINDS.items():
        by_name = {(one.group, one.name): one for one in read(kind, folder)}
        for path in sorted(source.glob(pattern)):
            record = records.load(path)
            outcomes = [asdict(one) for one in records.outcomes(path, record)]
            small = asdict(replace(record, tables=(), causes=(), contrasts=(), curves=(), rows=None))
            reduced = [{key: one[key] for key in one if key not in _LEFT_OUT} for one in outcomes]
            line = Stored(group, path.name, {"record": small, "outcomes": reduced})
            new = set(map(_run_of, line.results()))
            old = [key for key, one in by_name.items() if one.group == group and _runs_of(one) <= new]
            for key in old:
                del by_name[key]
            by_name[group, path.name] = line
            count += 1
        write(kind, iter(by_name.values()), folder)
    return count


def _runs_of(line: Stored) -> set[tuple[Any, ...]]:
    return set(map(_run_of, line.results()))


def _run_of(result: Result) -> tuple[Any, ...]:
    """Return the key of a result's training and test set, independent of their rows."""
    training = result.training
    settings = sorted((name, str(value)) for name, value in result.settings.items())
    options = (training.tau, training.refit, training.chosen_on_test)
    return (
        result.model,
        result.data,
        result.test,
        result.seed,
        options,
        tuple(settings),
        result.cell.all_splits,
    )


def main() -> None:
    """Add the results of a folder."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("results", type=Path)
    parser.add_argument(
        "--group", required=True, help="store as solvers, papers, encoders, searches or readers/NAME"
    )
    arguments = parser.parse_args()
    print(f"{add(arguments.results, arguments.group)} results stored in {FOLDER}")


# Bits of an outcome: correct, the gold equation as written, perturbed, correct before a search.
_RIGHT, _SAME_EQUATION, _PERTURBED, _BEFORE = 1, 2, 4, 8
UNKNOWN = "rows unknown"


def former_result(found: Mapping[str, Any]) -> Result:
    """Read a dictionary of version 0.2.0 as a result. Without the digests of its rows it is stale."""
    digests = found.get("digests", {})
    training = TrainingRun(
        model=found["solver"],
        data=found["train"],
        rows_sha256=digests.get("training", ""),
        rows=found.get("training_rows", 0),
        dropped_rows=found.get("dropped_training_rows", 0),
        too_long_rows=found.get("too_long_training_rows", 0),
        added_rows=found["added_training_rows"],
        validation_rows=found.get("validation_rows", 0),
        validation_accuracy=found.get("validation_accuracy", 0.0),
        epoch=found.get("epoch", 0),
        epochs=found.get("epochs", 0),
        seconds=found.get("train_seconds", 0.0),
        parameters=found.get("parameters", 0),
        tau=found.get("tau", 0.0),
        refit=found.get("refit", False),
        chosen_on_test=found.get("chosen_on_test", False),
        saw_gsm8k_test=found.get("trained_on_gsm8k_test", False),
    )
    settings = found["settings"] | {name: found[name] for name in ("stage", "budget") if name in found}
    provenance = Provenance(
        "dnc research protocol",
        found.get("version", ""),
        found["seed"],
        settings,
        processes=found.get("processes", 1),
    )
    cell = _cell(found)
    outcomes = {row: _outcome(cell.key, row, bits, found) for row, bits in found["outcomes"].items()}
    stale = "" if digests.get("training") and digests.get("test") else UNKNOWN
    system = System(found["solver"], "solver", trained_on=found["train"], training=training)
    return Result(system, provenance, cell, outcomes, stale=stale)


def _cell(former: Mapping[str, Any]) -> Cell:
    variant = catalogue.find(former["test"])
    search = former.get("search", "")
    bits = former["outcomes"].values()
    right = sum(bool(one & _RIGHT) for one in bits)
    scores = {
        ANSWER: right / len(bits),
        EQUATION: former.get("equation_accuracy", 0.0),
        LIKELIEST: former.get("likeliest_accuracy", 0.0),
    }
    return Cell(
        config=former["test"],
        dataset=variant.dataset,
        fold=variant.fold,
        perturbation=search or variant.recipe,
        setting="search" if search else variant.setting,
        capability="" if search else variant.capability,
        prompt="",
        score=ANSWER,
        rows=len(bits),
        changed=sum(bool(one & _PERTURBED) for one in bits),
        right=right,
        scores={BEFORE: former["right"] / len(bits), **scores} if search else scores,
        statuses={},
        baselines=former.get("baselines", {}),
        data={"version": former.get("version", ""), "sha256": former.get("digests", {}).get("test", "")},
        measures={name: former[name] for name in ("flipped", "queries")}
        if search
        else former.get("measures", {}),
        too_long=former.get("too_long_rows", 0),
        all_splits=bool(former.get("whole")),
        seen_rows=former.get("seen_rows", 0),
    )


def _outcome(cell: str, row: str, bits: int, former: Mapping[str, Any]) -> Outcome:
    right = bool(bits & _RIGHT)
    return Outcome(
        cell,
        row,
        right=right,
        status=RIGHT if right else WRONG,
        perturbed=bool(bits & _PERTURBED),
        cluster=former.get("clusters", {}).get(row, row),
        scores={ANSWER: right, EQUATION: bool(bits & _SAME_EQUATION), BEFORE: bool(bits & _BEFORE)},
    )


if __name__ == "__main__":
    main()
