"""`dnc protocol`: the attack and defense experiment, folds, cross-dataset tests; finished cells are kept."""

from __future__ import annotations

import argparse
import json
from pathlib import Path
from typing import Any

from dnc_datasets.commands import add_from, add_seed, given_folders, progress_bar
from dnc_datasets.errors import DncError
from dnc_trainers import protocol, searching
from dnc_trainers.commands import (
    add_pretrained_arguments,
    add_run_arguments,
    also_trained,
    is_first_process,
    join_data,
    pretrained_config,
    protocol_tables,
    require_torch,
    words,
    write_records,
)
from dnc_trainers.config import Training, from_words


def add_arguments(parser: argparse.ArgumentParser) -> None:
    add_run_arguments(parser, optional=True)
    parser.add_argument(
        "--model",
        default="",
        help="a pretrained model to fine-tune instead of a solver: a folder or a Hub name",
    )
    add_pretrained_arguments(parser)
    parser.add_argument(
        "--data", required=True, help="a dataset, e.g. asdiv_a; A+B trains on both and tests on both"
    )
    parser.add_argument(
        "--settings",
        default="",
        help="attack, defense, augment, joined by commas (default: none); or search (look for rewordings that flip "
        "right answers) and retrain (train again on those found in the training part, and search again)",
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
        "--folds", nargs="?", type=int, const=0, metavar="N",
        help="every published fold instead of the standard split, or the first N; tables are of all of them together",
    )  # fmt: skip
    parser.add_argument(
        "--cross",
        action="store_true",
        help="score every model, defended and augmented ones too, on the clean test set, under every attack and on the "
        "--test sets",
    )
    parser.add_argument(
        "--vary", action="append", default=[], metavar="NAME=VALUE",
        help="run all of it once more with this setting, and put the drops side by side (may be repeated)",
    )  # fmt: skip
    parser.add_argument(
        "--search",
        default="all",
        help=f"with search: {', '.join(searching.SEARCHES)}, joined by commas (default all)",
    )
    parser.add_argument(
        "--budget", type=int, default=100, help="with search: most queries for one problem (default 100)"
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
        "--whole",
        action="store_true",
        help="ask every problem of the --test sets, not their test split alone",
    )
    parser.add_argument(
        "--breakdown",
        action="store_true",
        help="accuracy by type, operation, operators, quantities, variation; what each weighs; Easy/Hard with the "
        "no_question attack",
    )
    parser.add_argument("--plan", action="store_true", help="only list the cells and whether they are there")
    parser.add_argument("--json", action="store_true", help="the cells as JSON lines instead of tables")
    add_from(parser)
    add_seed(parser)


def run(arguments: argparse.Namespace) -> int:
    require_torch()
    if bool(arguments.solver) == bool(arguments.model):
        raise DncError("name a solver, or a pretrained model with --model, and not both")
    join_data(arguments)
    config: Training
    if arguments.model:
        if arguments.encoder:
            raise DncError("--encoder is for solvers; a pretrained model reads by itself")
        config = pretrained_config(arguments.model, arguments)
    else:
        config = protocol.default_config(arguments.solver, arguments.seed, arguments.config, words(arguments))
    settings = [name for name in arguments.settings.split(",") if name]
    if arguments.tau and "augment" not in settings:
        raise DncError("--tau says how much --settings augment adds; give both")
    if arguments.whole and not arguments.test:
        raise DncError(
            "--whole says how much of the --test sets is asked; name one, e.g. --test mawps --whole"
        )
    searched = [name for name in settings if name in searching.SETTINGS]
    plain = [name for name in settings if name not in searching.SETTINGS]
    # One list of jobs for the settings as they are, and one for each --vary.
    varied = {
        name: _planned(config.with_settings(from_words([name]) if name else {}), plain, arguments)
        for name in ("", *arguments.vary)
    }
    jobs = [job for some in varied.values() for job in some]
    # What is asked for is looked at before anything is trained.
    searches = searching.chosen(arguments.search)
    behind = searching.planned(varied[""], searched, searches, arguments.budget)
    if arguments.plan:
        for name in (*(job.cell(test) for job in jobs for test in job.tests), *behind):
            done = (arguments.results / name).exists()
            print(f"{'done ' if done else 'to do'}  {name.removesuffix('.json')}")
        print(_hours(jobs, arguments.results))
        return 0
    where: Any = {"given": given_folders(arguments)}
    steps = config.epochs * len(jobs) + searching.steps(varied[""], searched, searches)
    with progress_bar("training", steps) as advance:
        where["progress"] = lambda note: advance(note=note)
        made = {
            name: protocol.run(some, arguments.results, arguments.runs, **where)
            for name, some in varied.items()
        }
        stages = searching.run(
            varied[""], searched, arguments.results, arguments.runs,
            searches=searches, budget=arguments.budget, **where,
        )  # fmt: skip
    if not is_first_process():
        return 0
    cells = [cell for some in made.values() for cell in some]
    written = write_records(jobs, cells, arguments, command="dnc protocol")
    if arguments.json:
        for cell in (*cells, *stages):
            print(json.dumps(cell, ensure_ascii=False))
    else:
        protocol_tables.show(made, stages, varied[""], arguments)
        print(written)
    return 0


def _planned(config: Training, settings: list[str], arguments: argparse.Namespace) -> list[protocol.Job]:
    """The jobs of the arguments, under these settings of the solver."""
    named = settings or arguments.cross
    return [
        job
        for on_test in ((False, True) if arguments.choose_on_test else (False,))
        for job in protocol.plan(
            config,
            arguments.data,
            settings=settings,
            recipes=protocol.recipes_for(arguments.data, arguments.perturbations) if named else (),
            taus=protocol.shares(arguments.tau),
            seeds=arguments.seeds,
            folds=arguments.folds is not None,
            first_folds=arguments.folds or 0,
            other_tests=arguments.test,
            whole=arguments.whole,
            cross=arguments.cross,
            refit=arguments.refit,
            on_test=on_test,
            added=also_trained(arguments),
        )
    ]


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
