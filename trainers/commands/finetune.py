"""`dnc research finetune`: fine-tune a pretrained model on a config, under attack or defense, and score it."""

from __future__ import annotations

import argparse
import json

from dnc_datasets.commands import add_from, add_seed, given_folders, progress_bar
from dnc_datasets.errors import DncError, UnknownNameError
from dnc_datasets.serving import catalogue
from dnc_datasets.serving.settings import SETTINGS
from dnc_trainers import data, protocol, runner
from dnc_trainers.commands import (
    add_pretrained_arguments,
    add_row_arguments,
    add_settings_arguments,
    as_json,
    is_first_process,
    pretrained_config,
    require_torch,
    warn_of_former_results,
    written,
)
from dnc_trainers.data import training_rows
from dnc_trainers.results import EQUATION, Result


def add_arguments(parser: argparse.ArgumentParser) -> None:
    parser.add_argument(
        "model",
        metavar="hf:NAME",
        help="name an encoder-decoder or causal model: a folder, or a name on the Hub (see --download)",
    )
    parser.add_argument(
        "--data", required=True, help="name a dataset or a config, e.g. asdiv_a, asdiv_a-fold0"
    )
    parser.add_argument(
        "--setting",
        default="",
        help="choose attack (train clean, test perturbed), defense (all perturbed) or augment (train on both); "
        "default: clean",
    )
    parser.add_argument("--perturbations", default="", help="name perturbations joined by commas, or all")
    parser.add_argument(
        "--tau",
        default="",
        metavar="SHARE,...",
        help="with augment: add this share of the training problems under each perturbation, all at once; validation "
        "problems choose among several shares",
    )
    parser.add_argument(
        "--direction",
        default="",
        metavar="DIRECTION",
        help="with --data break_qdmr: train question-to-decomposition or decomposition-to-question, for qdmr",
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
    warn_of_former_results(arguments.results)
    folders = given_folders(arguments)
    with progress_bar("fine-tuning", epochs * len(jobs)) as advance:
        results = runner.run(
            jobs,
            arguments.results,
            arguments.runs,
            given=folders,
            command="dnc research finetune",
            progress=lambda note: advance(note=note),
        )
    if not is_first_process():
        return 0
    if arguments.json:
        print(*as_json(results), sep="\n")
        return 0
    for result in results:
        print(_line(result))
    for job in jobs:
        folder = runner.model_folder(job, arguments.runs, training_rows(job, folders))
        print(f"the model is in {folder / 'model'}")
    if arguments.tau:
        best = max(results, key=lambda result: result.training.validation_accuracy)
        print(f"validation problems choose --tau {best.training.tau:g}")
    print(written(jobs, arguments))
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
    names = {item.partition("=")[0] for item in arguments.settings_given}
    length = {} if "target_length" in names else {"target_length": decompositions.TARGET_LENGTH}
    config = config.with_settings({"target": "answer", **length})
    name = f"{config.model_name}-{arguments.data}-{arguments.direction}-{config.fingerprint()}"
    with progress_bar("fine-tuning", config.epochs) as advance:
        trained = decompositions.train(
            config,
            dict(splits),
            arguments.direction,
            arguments.runs / name,
            progress=lambda note: advance(note=note),
        )
    if is_first_process():
        if arguments.json:
            print(
                json.dumps(
                    {"model": str(trained.folder), "training_rows": trained.training_rows, **trained.scores}
                )
            )
        else:
            scores = ", ".join(f"{key} {value:.3f}" for key, value in trained.scores.items() if key != "rows")
            print(
                f"{trained.training_rows} training pairs; on {trained.scores['rows']:.0f} of the test part: {scores}"
            )
            print(f"the model is in {trained.folder}")
    return 0


def _jobs(arguments: argparse.Namespace) -> list[protocol.Job]:
    config = pretrained_config(arguments.model, arguments)
    variant = catalogue.find(arguments.data)
    others = tuple(catalogue.find(name) for name in arguments.test)
    added = data.adversarial(arguments.extra_train) if arguments.extra_train else ()
    if arguments.setting and arguments.setting not in SETTINGS:
        raise UnknownNameError("setting", arguments.setting, SETTINGS)
    if arguments.tau and arguments.setting != "augment":
        raise DncError("--tau is the share that --setting augment adds; give both")
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
    variants = [protocol.variant(variant, recipe, arguments.setting) for recipe in recipes]
    if arguments.setting == "attack":
        return [protocol.Job(config, variant, (variant, *variants, *others), added)]
    return [protocol.Job(config, one, (one, *others), added) for one in variants]


def _line(result: Result) -> str:
    training, cell = result.training, result.cell
    left_out = f"{training.dropped_rows} dropped"
    if training.too_long_rows:
        left_out += f", {training.too_long_rows} of them too long for the model"
    tested = f"{cell.rows} rows"
    if cell.too_long:
        tested += f", {cell.too_long} of them too long for the model and counted as wrong"
    return (
        f"{result.model} fine-tuned on {result.data} ({training.rows} rows, {left_out}; epoch "
        f"{training.epoch + 1} of {training.epochs}), tested on {result.test} ({tested}): "
        f"answer {result.accuracy:.1%}, equation {result.share(EQUATION):.1%}"
    )
