"""`dnc protocol`: the attack and defense experiment, folds, cross-dataset tests; finished cells are kept."""

from __future__ import annotations

import argparse
from typing import Any

from dnc_datasets.commands import add_from, add_seed, given_folders, progress_bar
from dnc_datasets.serving import catalogue
from dnc_trainers import data, protocol, tables
from dnc_trainers.commands import add_run_arguments, is_first_process, require_torch, words


def add_arguments(parser: argparse.ArgumentParser) -> None:
    add_run_arguments(parser)
    parser.add_argument("--data", required=True, help="a dataset, e.g. asdiv_a")
    parser.add_argument(
        "--settings", default="", help="attack, defense, augment, joined by commas (default: none)"
    )
    parser.add_argument("--perturbations", default="all", help="names joined by commas, or all (default)")
    parser.add_argument("--seeds", type=int, default=1, help="how many seeds, from --seed on (default 1)")
    parser.add_argument(
        "--folds", action="store_true", help="every published fold instead of the standard split"
    )
    epoch = parser.add_mutually_exclusive_group()
    epoch.add_argument(
        "--refit",
        action="store_true",
        help="train on training and validation problems, to the last epoch: for settings that validation chose",
    )
    epoch.add_argument(
        "--choose-on-test",
        action="store_true",
        help="train on both and choose the epoch on the test set: only to compare with scores published so",
    )
    parser.add_argument("--test", action="append", default=[], metavar="CONFIG", help="further test sets")
    parser.add_argument(
        "--breakdown",
        action="store_true",
        help="accuracy by operation, operators, quantities, variation; Easy/Hard with the no_question attack",
    )
    parser.add_argument("--plan", action="store_true", help="only list the cells and whether they are there")
    add_from(parser)
    add_seed(parser)


def run(arguments: argparse.Namespace) -> int:
    require_torch()
    config = protocol.default_config(arguments.solver, arguments.seed, arguments.config, words(arguments))
    settings = [name for name in arguments.settings.split(",") if name]
    jobs = protocol.plan(
        config,
        arguments.data,
        settings=settings,
        recipes=protocol.recipes_for(arguments.data, arguments.perturbations) if settings else (),
        seeds=arguments.seeds,
        folds=arguments.folds,
        other_tests=arguments.test,
        refit=arguments.refit,
        on_test=arguments.choose_on_test,
    )
    if arguments.plan:
        for job in jobs:
            for test in job.tests:
                done = (arguments.results / job.cell(test)).exists()
                print(f"{'done ' if done else 'to do'}  {job.cell(test).removesuffix('.json')}")
        return 0
    with progress_bar("training", config.epochs * len(jobs)) as advance:
        cells = protocol.run(
            jobs,
            arguments.results,
            arguments.runs,
            given=given_folders(arguments),
            progress=lambda note: advance(note=note),
        )
    if is_first_process():
        _print(cells, jobs, arguments)
    return 0


def _print(cells: list[dict[str, Any]], jobs: list[protocol.Job], arguments: argparse.Namespace) -> None:
    for name in dict.fromkeys(job.train.original.name for job in jobs):
        for part in (tables.attack_table(cells, name), tables.defense_table(cells, name)):
            if part:
                print(f"{arguments.solver} on {name}\n\n{part}")
    if arguments.folds:
        print(tables.fold_table(cells, arguments.data))
    for cell in cells:
        if cell["train"] == cell["test"] or cell["test"] in arguments.test:
            print(f"{cell['train']} -> {cell['test']}, seed {cell['seed']}: answer {cell['accuracy']:.1%}")
    if arguments.breakdown:
        full = {f"seed {c['seed']}": c for c in cells if c["train"] == c["test"] == arguments.data}
        blind = {f"seed {c['seed']}": c for c in cells if c["test"] == f"{arguments.data}-no_question-attack"}
        problems = [row.problem for row in data.rows(catalogue.find(arguments.data))["test"]]
        print(f"\n{tables.breakdown_tables(full, blind, problems)}")
