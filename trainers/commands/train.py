"""`dnc train`: train a solver on a config and score it on the config's test split."""

from __future__ import annotations

import argparse
import json

from dnc_datasets.commands import add_from, add_seed, given_folders, progress_bar
from dnc_datasets.serving import catalogue
from dnc_trainers import data, protocol
from dnc_trainers.commands import (
    add_row_arguments,
    add_run_arguments,
    also_trained,
    is_first_process,
    join_data,
    require_torch,
    words,
    write_records,
)


def add_arguments(parser: argparse.ArgumentParser) -> None:
    add_run_arguments(parser)
    parser.add_argument(
        "--data",
        required=True,
        help="a config, e.g. asdiv_a, asdiv_a-fold0, tiny-extra-defense; A+B trains on both",
    )
    add_row_arguments(parser)
    add_from(parser)
    add_seed(parser)


def run(arguments: argparse.Namespace) -> int:
    require_torch()
    config = protocol.default_config(arguments.solver, arguments.seed, arguments.config, words(arguments))
    join_data(arguments)
    variant = catalogue.find(arguments.data)
    tests = (variant, *(catalogue.find(name) for name in arguments.test))
    added = data.adversarial(arguments.extra_train) if arguments.extra_train else ()
    job = protocol.Job(config, variant, tests, (*added, *also_trained(arguments)))
    with progress_bar("training", config.epochs) as advance:
        cells = protocol.run(
            [job],
            arguments.results,
            arguments.runs,
            given=given_folders(arguments),
            progress=lambda note: advance(note=note),
        )
    if not is_first_process():
        return 0
    told = write_records([job], cells, arguments, command="dnc train")
    for cell in cells:
        if arguments.json:
            print(json.dumps({key: value for key, value in cell.items() if key != "outcomes"}))
        else:
            print(
                f"{cell['solver']} trained on {cell['train']} ({cell['training_rows']} rows, "
                f"{cell['dropped_training_rows']} dropped; epoch {cell['epoch'] + 1} of {cell['epochs']}), "
                f"tested on {cell['test']} ({cell['rows']} rows): "
                f"answer {cell['accuracy']:.1%}, equation {cell['equation_accuracy']:.1%}"
            )
    if not arguments.json:
        print(f"the solver is in {arguments.runs / job.name}\n{told}")
    return 0
