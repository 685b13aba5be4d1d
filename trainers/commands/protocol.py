"""`dnc protocol`: the attack and defense experiment, folds, cross-dataset tests; finished cells are kept."""

from __future__ import annotations

import argparse
import json
from pathlib import Path
from typing import Any

from dnc_datasets.commands import add_from, add_seed, given_folders, progress_bar
from dnc_datasets.errors import DncError
from dnc_datasets.serving import catalogue
from dnc_trainers import data, protocol, tables
from dnc_trainers.commands import (
    add_pretrained_arguments,
    add_run_arguments,
    also_trained,
    is_first_process,
    pretrained_config,
    require_torch,
    words,
    write_records,
)
from dnc_trainers.config import Training


def add_arguments(parser: argparse.ArgumentParser) -> None:
    add_run_arguments(parser, optional=True)
    parser.add_argument(
        "--model",
        default="",
        help="a pretrained model to fine-tune instead of a solver: a folder or a Hub name",
    )
    add_pretrained_arguments(parser)
    parser.add_argument("--data", required=True, help="a dataset, e.g. asdiv_a")
    parser.add_argument(
        "--settings", default="", help="attack, defense, augment, joined by commas (default: none)"
    )
    parser.add_argument("--perturbations", default="all", help="names joined by commas, or all (default)")
    parser.add_argument(
        "--tau",
        default="",
        metavar="SHARE,...",
        help="with augment: add this share of the training problems under each perturbation, all at once "
        "(default: every problem that a perturbation changes, one perturbation at a time)",
    )
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
        help="beside the fair scores those of models trained on both whose epoch the test set chooses: only to "
        "compare with scores published so",
    )
    parser.add_argument("--test", action="append", default=[], metavar="CONFIG", help="further test sets")
    parser.add_argument(
        "--breakdown",
        action="store_true",
        help="accuracy by operation, operators, quantities, variation; Easy/Hard with the no_question attack",
    )
    parser.add_argument("--plan", action="store_true", help="only list the cells and whether they are there")
    parser.add_argument("--json", action="store_true", help="the cells as JSON lines instead of tables")
    add_from(parser)
    add_seed(parser)


def run(arguments: argparse.Namespace) -> int:
    require_torch()
    if bool(arguments.solver) == bool(arguments.model):
        raise DncError("name a solver, or a pretrained model with --model, and not both")
    config: Training
    if arguments.model:
        config = pretrained_config(arguments.model, arguments)
    else:
        config = protocol.default_config(arguments.solver, arguments.seed, arguments.config, words(arguments))
    settings = [name for name in arguments.settings.split(",") if name]
    if arguments.tau and "augment" not in settings:
        raise DncError("--tau says how much --settings augment adds; give both")
    jobs = [
        job
        for on_test in ((False, True) if arguments.choose_on_test else (False,))
        for job in protocol.plan(
            config,
            arguments.data,
            settings=settings,
            recipes=protocol.recipes_for(arguments.data, arguments.perturbations) if settings else (),
            taus=protocol.shares(arguments.tau),
            seeds=arguments.seeds,
            folds=arguments.folds,
            other_tests=arguments.test,
            refit=arguments.refit,
            on_test=on_test,
            added=also_trained(arguments),
        )
    ]
    if arguments.plan:
        for job in jobs:
            for test in job.tests:
                done = (arguments.results / job.cell(test)).exists()
                print(f"{'done ' if done else 'to do'}  {job.cell(test).removesuffix('.json')}")
        print(_hours(jobs, arguments.results))
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
        written = write_records(jobs, cells, arguments, command="dnc protocol")
        if arguments.json:
            for cell in cells:
                print(json.dumps(cell, ensure_ascii=False))
        else:
            _print(cells, jobs, arguments)
            print(written)
    return 0


def _hours(jobs: list[protocol.Job], results: Path) -> str:
    """How long the trainings that are left will take, as long as those that are done took on average."""
    seconds, left = [], 0
    for job in jobs:
        cells = [results / job.cell(test) for test in job.tests]
        left += not all(cell.exists() for cell in cells)
        for cell in filter(Path.exists, cells[:1]):
            try:
                seconds.append(float(json.loads(cell.read_text(encoding="utf-8"))["train_seconds"]))
            except (OSError, ValueError, KeyError, TypeError):
                continue  # a cell of before, or one that is being written
    if not left:
        return f"all {len(jobs)} trainings are done"
    if not seconds:
        return f"{left} trainings to do; how many hours that is will be told when the first is done"
    hours = left * sum(seconds) / len(seconds) / 3600
    return f"{left} of {len(jobs)} trainings to do: about {hours:.1f} hours, as the {len(seconds)} done went"


def _print(cells: list[dict[str, Any]], jobs: list[protocol.Job], arguments: argparse.Namespace) -> None:
    for name in dict.fromkeys(job.train.original.name for job in jobs):
        for table in (tables.attack_table, tables.defense_table, tables.augment_table):
            if part := table(cells, name):
                print(f"{jobs[0].config.model_name} on {name}\n\n{part}")
    for seed in sorted({job.config.seed for job in jobs if job.mixed and not job.on_test}):
        own = [job for job in jobs if job.mixed and job.config.seed == seed]
        print(f"validation problems choose --tau {protocol.best_of(own, cells).tau:g} (seed {seed})")
    if arguments.folds:
        print(tables.fold_table(cells, arguments.data))
    for cell in cells:
        if tables.config_of(cell) == cell["test"] or cell["test"] in arguments.test:
            how = ", epoch chosen on test" if cell.get("chosen_on_test") else ""
            print(
                f"{cell['train']} -> {cell['test']}, seed {cell['seed']}: answer {cell['accuracy']:.1%}{how}"
            )
    if arguments.breakdown:
        cells = [cell for cell in cells if not cell.get("chosen_on_test")]
        full = {f"seed {c['seed']}": c for c in cells if c["train"] == c["test"] == arguments.data}
        blind = {f"seed {c['seed']}": c for c in cells if c["test"] == f"{arguments.data}-no_question-attack"}
        problems = [row.problem for row in data.rows(catalogue.find(arguments.data))["test"]]
        print(f"\n{tables.breakdown_tables(full, blind, problems)}")
