"""`dnc finetune`: fine-tune a pretrained model on a config, under attack or defense, and score it."""

from __future__ import annotations

import argparse
import json

from dnc_datasets.commands import add_from, add_seed, given_folders, progress_bar
from dnc_datasets.errors import DncError, UnknownNameError
from dnc_datasets.serving import catalogue
from dnc_datasets.serving.settings import SETTINGS
from dnc_trainers import data, protocol
from dnc_trainers.commands import (
    add_pretrained_arguments,
    add_row_arguments,
    add_settings_arguments,
    is_first_process,
    pretrained_config,
    require_torch,
    write_records,
)


def add_arguments(parser: argparse.ArgumentParser) -> None:
    parser.add_argument(
        "model", help="an encoder-decoder or a causal model: a folder, or a name on the Hub (see --download)"
    )
    parser.add_argument("--data", required=True, help="a dataset or a config, e.g. asdiv_a, asdiv_a-fold0")
    parser.add_argument(
        "--setting",
        default="",
        help="attack: train clean, test perturbed; defense: all perturbed; augment: train on both (default: clean)",
    )
    parser.add_argument("--perturbations", default="", help="names joined by commas, or all")
    parser.add_argument(
        "--tau",
        default="",
        metavar="SHARE,...",
        help="with augment: add this share of the training problems under each perturbation, all at once; of "
        "several shares the one is taken that validation problems choose",
    )
    parser.add_argument(
        "--direction",
        default="",
        metavar="DIRECTION",
        help="with --data break_qdmr: question-to-decomposition or decomposition-to-question, for dnc qdmr",
    )
    add_row_arguments(parser)
    add_pretrained_arguments(parser)
    add_settings_arguments(parser)
    add_from(parser)
    add_seed(parser)


def run(arguments: argparse.Namespace) -> int:
    require_torch()
    if arguments.direction:
        return _decompositions(arguments)
    jobs = _jobs(arguments)
    epochs = jobs[0].config.epochs
    with progress_bar("fine-tuning", epochs * len(jobs)) as advance:
        cells = protocol.run(
            jobs,
            arguments.results,
            arguments.runs,
            given=given_folders(arguments),
            progress=lambda note: advance(note=note),
        )
    if not is_first_process():
        return 0
    told = write_records(jobs, cells, arguments, command="dnc finetune")
    for cell in cells:
        if arguments.json:
            print(json.dumps({key: value for key, value in cell.items() if key != "outcomes"}))
        else:
            print(_line(cell))
    if not arguments.json:
        for job in jobs:
            print(f"the model is in {arguments.runs / job.name / 'model'}")
        if arguments.tau:
            chosen = protocol.best_of(jobs, cells)
            print(f"validation problems choose --tau {chosen.tau:g}")
        print(told)
    return 0


def _decompositions(arguments: argparse.Namespace) -> int:
    """Fine-tune a model that writes the steps of questions, or the questions of steps."""
    from dnc_trainers import decompositions

    if arguments.setting or arguments.perturbations:
        raise DncError("--direction trains on questions as they are; leave --setting and --perturbations out")
    variant = catalogue.find(arguments.data)
    splits = catalogue.read(variant.dataset, given=given_folders(arguments).get(variant.dataset))
    if variant.recipe or not all(problem.note("qdmr") for problem in splits["train"]):
        raise DncError(f"--data {arguments.data} has no decompositions; use break_qdmr or drop_qdmr")
    config = pretrained_config(arguments.model, arguments)
    given = {item.partition("=")[0] for item in arguments.settings_given}
    length = {} if "target_length" in given else {"target_length": decompositions.TARGET_LENGTH}
    config = config.with_settings({"target": "answer", **length})
    name = f"{config.model_name}-{arguments.data}-{arguments.direction}-{config.fingerprint()}"
    with progress_bar("fine-tuning", config.epochs) as advance:
        made = decompositions.train(
            config,
            dict(splits),
            arguments.direction,
            arguments.runs / name,
            progress=lambda note: advance(note=note),
        )
    if is_first_process():
        if arguments.json:
            print(json.dumps({"model": str(made.folder), "training_rows": made.training_rows, **made.scores}))
        else:
            told = ", ".join(f"{key} {value:.3f}" for key, value in made.scores.items() if key != "rows")
            print(
                f"{made.training_rows} training pairs; on {made.scores['rows']:.0f} of the test part: {told}"
            )
            print(f"the model is in {made.folder}")
    return 0


def _jobs(arguments: argparse.Namespace) -> list[protocol.Job]:
    config = pretrained_config(arguments.model, arguments)
    variant = catalogue.find(arguments.data)
    others = tuple(catalogue.find(name) for name in arguments.test)
    added = data.adversarial(arguments.extra_train) if arguments.extra_train else ()
    if arguments.setting and arguments.setting not in SETTINGS:
        raise UnknownNameError("setting", arguments.setting, SETTINGS)
    if arguments.tau and arguments.setting != "augment":
        raise DncError("--tau says how much --setting augment adds; give both")
    if bool(arguments.setting) != bool(arguments.perturbations):
        raise DncError(
            "--setting and --perturbations go together, e.g. --setting defense --perturbations type"
        )
    if not arguments.setting:
        return [protocol.Job(config, variant, (variant, *others), added)]
    if variant.setting:
        raise DncError(
            f"--data {arguments.data} is perturbed already; leave --setting out, or name the original"
        )
    recipes = protocol.recipes_for(variant.dataset, arguments.perturbations)
    if arguments.tau:
        return [
            protocol.augmented(config, variant, recipes, share, others)
            for share in protocol.shares(arguments.tau)
        ]
    made = [protocol.variant(variant, recipe, arguments.setting) for recipe in recipes]
    if arguments.setting == "attack":
        return [protocol.Job(config, variant, (variant, *made, *others), added)]
    return [protocol.Job(config, one, (one, *others), added) for one in made]


def _line(cell: dict[str, object]) -> str:
    left_out = f"{cell['dropped_training_rows']} dropped"
    if cell["too_long_training_rows"]:
        left_out += f", {cell['too_long_training_rows']} of them too long for the model"
    tested = f"{cell['rows']} rows"
    if cell["too_long_rows"]:
        tested += f", {cell['too_long_rows']} of them too long for the model and counted as wrong"
    return (
        f"{cell['solver']} fine-tuned on {cell['train']} ({cell['training_rows']} rows, {left_out}; epoch "
        f"{int(str(cell['epoch'])) + 1} of {cell['epochs']}), tested on {cell['test']} ({tested}): "
        f"answer {cell['accuracy']:.1%}, equation {cell['equation_accuracy']:.1%}"
    )
