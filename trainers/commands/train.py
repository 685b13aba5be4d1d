"""`dnc research train`: train a solver on a config and score it on the config's test split."""

from __future__ import annotations

import argparse

from dnc_datasets.commands import add_from, add_seed, given_folders, progress_bar
from dnc_datasets.serving import catalogue
from dnc_trainers import data, protocol, runner
from dnc_trainers.commands import (
    add_row_arguments,
    add_run_arguments,
    also_trained,
    as_json,
    is_first_process,
    join_data,
    require_torch,
    warn_of_former_results,
    words,
    written,
)
from dnc_trainers.data import training_rows
from dnc_trainers.results import EQUATION


def add_arguments(parser: argparse.ArgumentParser) -> None:
    add_run_arguments(parser)
    parser.add_argument(
        "--data",
        required=True,
        help="name a config, e.g. asdiv_a, asdiv_a-fold0, tiny-extra-defense; A+B trains on both",
    )
    add_row_arguments(parser)
    add_from(parser)
    add_seed(parser)


def run(arguments: argparse.Namespace) -> int:
    require_torch()
    config = protocol.default_config(arguments.solver, arguments.seed, arguments.set_file, words(arguments))
    join_data(arguments)
    variant = catalogue.find(arguments.data)
    tests = (variant, *(catalogue.find(name) for name in arguments.test))
    added = data.adversarial(arguments.extra_train) if arguments.extra_train else ()
    job = protocol.Job(config, variant, tests, (*added, *also_trained(arguments)))
    warn_of_former_results(arguments.results)
    folders = given_folders(arguments)
    with progress_bar("training", config.epochs) as advance:
        results = runner.run(
            [job],
            arguments.results,
            arguments.runs,
            given=folders,
            command="dnc research train",
            progress=lambda note: advance(note=note),
        )
    if not is_first_process():
        return 0
    if arguments.json:
        print(*as_json(results), sep="\n")
        return 0
    for result in results:
        training = result.training
        print(
            f"{result.model} trained on {result.data} ({training.rows} rows, {training.dropped_rows} dropped; epoch "
            f"{training.epoch + 1} of {training.epochs}), tested on {result.test} ({result.cell.rows} rows): "
            f"answer {result.accuracy:.1%}, equation {result.share(EQUATION):.1%}"
        )
    folder = runner.model_folder(job, arguments.runs, training_rows(job, folders))
    print(f"the solver is in {folder}\n{written([job], arguments)}")
    return 0
