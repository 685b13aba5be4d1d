"""Tables that `dnc research protocol` prints: results over seeds and folds, break-downs, stages, settings."""

from __future__ import annotations

import argparse
from collections.abc import Mapping, Sequence

from dnc_datasets.commands import given_folders
from dnc_datasets.problem import Problem
from dnc_trainers import breakdowns, data, pooling, protocol, readers, searching, tables
from dnc_trainers.results import Result


def show(
    made: Mapping[str, Sequence[Result]],
    stages: Sequence[searching.Stage],
    jobs: Sequence[protocol.Job],
    arguments: argparse.Namespace,
) -> None:
    """Print the tables; `made` maps each --vary to its results, and "" to those without it."""
    results, dataset = list(made[""]), arguments.data
    over = pooling.over_folds if arguments.folds is not None else list
    together: list[Result] = over(results)
    what = f"{jobs[0].config.model_name} on {dataset}"
    if arguments.folds is not None:
        what += f", {len({job.train.fold for job in jobs})} folds together"
    for table in (
        tables.attack_table,
        tables.defense_table,
        tables.augment_table,
        breakdowns.stage_table,
        breakdowns.cross_table,
    ):
        if part := table(together, dataset):
            print(f"{what}\n\n{part}")
    mixed = [result for result in tables.fair(together) if result.training.tau]
    for seed in sorted({result.seed for result in mixed}):
        best = max((c for c in mixed if c.seed == seed), key=lambda c: c.training.validation_accuracy)
        print(f"validation problems choose --tau {best.training.tau:g} (seed {seed})")
    if len(made) > 1:
        sides = {name or "as given": over(some) for name, some in made.items()}
        print(f"{what}: settings side by side\n\n{breakdowns.side_by_side(sides, dataset)}")
        print(_best_setting(made))
    if stages:
        print(f"{what}: searched for rewordings\n\n{searching.table(stages)}")
    if arguments.folds is not None:
        print(tables.fold_table(results, dataset))
    _lines(results, arguments)
    if arguments.breakdown:
        _breakdowns(together, jobs, arguments)


def _best_setting(results: Mapping[str, Sequence[Result]]) -> str:
    """Return the settings with the best validation accuracy, and the validation accuracy of each --vary."""
    shares = {name or "as given": tables.validation_accuracy(some) for name, some in results.items()}
    best = max(shares, key=lambda name: shares[name])  # a tie keeps the settings as given
    listed = ", ".join(f"{name} {tables.percent(share)}" for name, share in shares.items())
    return f"validation problems choose: {best} ({listed})"


def _lines(results: Sequence[Result], arguments: argparse.Namespace) -> None:
    """Print a line for each clean test set, and for each additional one."""
    for result in results:
        if result.train == result.test or result.test in arguments.test:
            how = ", epoch chosen on test" if result.training.chosen_on_test else ""
            rows = (
                f" (all {result.cell.rows} problems, {result.cell.seen_rows} of them in training)"
                if result.cell.all_splits
                else ""
            )
            print(
                f"{result.data} -> {result.test}{rows}, seed {result.seed}: answer {result.accuracy:.1%}{how}"
                f"{_length_note(result)}"
            )


def _length_note(result: Result) -> str:
    """Return a note of the number of problems that exceed the model's length limit."""
    trained, tested = result.training.too_long_rows, result.cell.too_long
    if not trained and not tested:
        return ""
    if result.model in readers.names():  # a reader reads the rest of a text that it cuts
        return (
            f"; cut at the length limit: {trained} training and {tested} test rows, which may lose evidence"
        )
    return (
        f"; too long to be read: {trained} training rows, left out, and {tested} test rows, counted as wrong"
    )


def _breakdowns(
    results: Sequence[Result], jobs: Sequence[protocol.Job], arguments: argparse.Namespace
) -> None:
    """Print accuracy and weight by kind of problem, and Easy and Hard, for the dataset and --test sets."""
    fair = [result for result in tables.fair(results) if not result.training.tau]
    folders = given_folders(arguments)
    clean = [job for job in jobs if not job.train.recipe and not job.mixed and not job.on_test]
    for name in (arguments.data, *arguments.test):
        own = [result for result in fair if result.train == arguments.data]
        full = [result for result in own if result.test == name]
        if not full:
            continue
        blind = [result for result in own if result.test == f"{name}-no_question-attack"]
        tests = [(test, test.name in job.whole) for job in clean for test in job.tests]
        problems: dict[str, Problem] = {
            row.problem.id: row.problem
            for test, whole in dict.fromkeys(tests)
            if not test.recipe and pooling.without_fold(test.name) == name
            for row in data.asked(test, folders.get(test.dataset), whole=whole)
        }
        seeds, without = ({f"seed {one.seed}": one for one in some} for some in (full, blind))
        print(f"\n{breakdowns.breakdown_tables(seeds, without, list(problems.values()))}")
        for kind in breakdowns.WEIGHED:
            if labels := breakdowns.labels_of(list(problems.values()), kind):
                print(f"weight of each {kind} in {name}\n\n{breakdowns.weight_table(full, labels, kind)}")
