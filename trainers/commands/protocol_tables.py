"""What `dnc protocol` prints of its cells: tables over seeds and folds, break-downs, stages, settings side by side."""

from __future__ import annotations

import argparse
from collections.abc import Mapping, Sequence
from typing import Any

from dnc_datasets.commands import given_folders
from dnc_datasets.problem import Problem
from dnc_trainers import breakdowns, data, pooling, protocol, searching, summaries, tables

Cells = Sequence[dict[str, Any]]


def show(
    made: Mapping[str, Cells],
    stages: Cells,
    jobs: Sequence[protocol.Job],
    arguments: argparse.Namespace,
) -> None:
    """Print the tables: `made` holds the cells of each --vary, those of the settings as they are under ""."""
    cells, dataset = list(made[""]), arguments.data
    over = pooling.over_folds if arguments.folds is not None else list
    together: Cells = over(cells)
    what = f"{jobs[0].config.model_name} on {dataset}"
    if arguments.folds is not None:
        what += f", {len({job.train.fold for job in jobs})} folds together"
    for table in (
        tables.attack_table,
        tables.defense_table,
        tables.augment_table,
        summaries.stage_table,
        summaries.cross_table,
    ):
        if part := table(together, dataset):
            print(f"{what}\n\n{part}")
    mixed = [cell for cell in tables.fair(together) if cell.get("tau")]
    for seed in sorted({cell["seed"] for cell in mixed}):
        best = max((c for c in mixed if c["seed"] == seed), key=lambda c: c["validation_accuracy"])
        print(f"validation problems choose --tau {best['tau']:g} (seed {seed})")
    if len(made) > 1:
        sides = {name or "as given": over(some) for name, some in made.items()}
        print(f"{what}: settings side by side\n\n{summaries.side_by_side(sides, dataset)}")
    if stages:
        print(f"{what}: searched for rewordings\n\n{searching.table(stages)}")
    if arguments.folds is not None:
        print(tables.fold_table(cells, dataset))
    _lines(cells, arguments)
    if arguments.breakdown:
        _breakdowns(together, jobs, arguments)


def _lines(cells: Cells, arguments: argparse.Namespace) -> None:
    """A line for each clean test set, and for each further one."""
    for cell in cells:
        if tables.config_of(cell) == cell["test"] or cell["test"] in arguments.test:
            how = ", epoch chosen on test" if cell.get("chosen_on_test") else ""
            rows = (
                f" (all {cell['rows']} problems, {cell['seen_rows']} of them in training)"
                if cell.get("whole")
                else ""
            )
            print(
                f"{cell['train']} -> {cell['test']}{rows}, seed {cell['seed']}: answer {cell['accuracy']:.1%}{how}"
                f"{_too_long(cell)}"
            )


def _too_long(cell: Mapping[str, Any]) -> str:
    """How many problems were longer than the model can read."""
    trained, tested = (cell.get(name, 0) for name in ("too_long_training_rows", "too_long_rows"))
    if not trained and not tested:
        return ""
    return (
        f"; too long to be read: {trained} training rows, left out, and {tested} test rows, counted as wrong"
    )


def _breakdowns(cells: Cells, jobs: Sequence[protocol.Job], arguments: argparse.Namespace) -> None:
    """By kind of problem, what each kind weighs, Easy and Hard; of the dataset and of every further test set."""
    fair = [cell for cell in tables.fair(cells) if not cell.get("tau")]
    given = given_folders(arguments)
    clean = [job for job in jobs if not job.train.recipe and not job.mixed and not job.on_test]
    for name in (arguments.data, *arguments.test):
        own = [cell for cell in fair if tables.config_of(cell) == arguments.data]
        full = [cell for cell in own if cell["test"] == name]
        if not full:
            continue
        blind = [cell for cell in own if cell["test"] == f"{name}-no_question-attack"]
        asked = [(test, test.name in job.whole) for job in clean for test in job.tests]
        problems: dict[str, Problem] = {
            row.problem.id: row.problem
            for test, whole in dict.fromkeys(asked)
            if not test.recipe and pooling.without_fold(test.name) == name
            for row in data.asked(test, given.get(test.dataset), whole=whole)
        }
        seeds, without = ({f"seed {cell['seed']}": cell for cell in some} for some in (full, blind))
        print(f"\n{breakdowns.breakdown_tables(seeds, without, list(problems.values()))}")
        for kind in breakdowns.WEIGHED:
            if labels := breakdowns.labels_of(list(problems.values()), kind):
                print(f"what each {kind} weighs in {name}\n\n{breakdowns.weight_table(full, labels, kind)}")
