"""`dnc research protocol`: the attack and defense experiment, with folds and cross-dataset tests."""

from __future__ import annotations

import argparse
from typing import Any

from dnc_datasets.commands import add_from, add_seed, given_folders, progress_bar
from dnc_datasets.errors import DncError
from dnc_trainers import protocol, runner, searching
from dnc_trainers.commands import (
    add_pretrained_arguments,
    add_run_arguments,
    also_trained,
    as_json,
    is_first_process,
    join_data,
    pretrained_config,
    protocol_tables,
    require_torch,
    warn_of_former_results,
    words,
    written,
)
from dnc_trainers.config import Training, from_words
from dnc_trainers.results import load


def add_arguments(parser: argparse.ArgumentParser) -> None:
    add_run_arguments(parser, optional=True)
    parser.add_argument(
        "--model",
        default="",
        metavar="KIND:NAME",
        help="fine-tune a pretrained model instead of a solver: hf:NAME (a folder or a name on the Hub)",
    )
    add_pretrained_arguments(parser)
    parser.add_argument(
        "--data", required=True, help="name a dataset, e.g. asdiv_a; A+B trains and tests on both"
    )
    parser.add_argument(
        "--settings",
        default="",
        help="choose attack, defense, augment, joined by commas (default none); or search (find rewordings that flip "
        "correct answers) and retrain (train on those of the training part, and search once more)",
    )
    parser.add_argument(
        "--perturbations", default="all", help="name perturbations joined by commas, or all (default)"
    )
    parser.add_argument(
        "--tau",
        default="",
        metavar="SHARE,...",
        help="with augment: add this share of the training problems under each perturbation, all at once (default: "
        "every problem that a perturbation changes, one perturbation at a time)",
    )
    parser.add_argument(
        "--seeds", type=int, default=1, help="run this number of seeds, starting at --seed (default 1)"
    )
    parser.add_argument(
        "--folds", nargs="?", type=int, const=0, metavar="N",
        help="run every published fold instead of the standard split, or the first N; tables combine them",
    )  # fmt: skip
    parser.add_argument(
        "--cross",
        action="store_true",
        help="score every model on the clean test set, under every attack and on the --test sets",
    )
    parser.add_argument(
        "--vary", action="append", default=[], metavar="NAME=VALUE",
        help="repeat the experiment with this setting and compare the drops (repeatable)",
    )  # fmt: skip
    parser.add_argument(
        "--search",
        default="all",
        help=f"with search: {', '.join(searching.SEARCHES)}, joined by commas (default all)",
    )
    parser.add_argument(
        "--budget", type=int, default=100, help="with search: limit the queries per problem (default 100)"
    )
    epoch = parser.add_mutually_exclusive_group()
    epoch.add_argument(
        "--refit",
        action="store_true",
        help="train on training and validation problems up to the last epoch, with settings that validation chose",
    )
    epoch.add_argument(
        "--choose-on-test",
        action="store_true",
        help="also report models trained on both whose epoch the test set chooses, to compare with scores published "
        "that way",
    )
    parser.add_argument("--test", action="append", default=[], metavar="CONFIG", help="add test sets")
    parser.add_argument(
        "--whole",
        action="store_true",
        help="ask every problem of the --test sets, not only their test split",
    )
    parser.add_argument(
        "--breakdown",
        action="store_true",
        help="report accuracy by type, operation, operators, quantities, variation; the weight of each; Easy/Hard "
        "with the no_question attack",
    )
    parser.add_argument(
        "--plan",
        action="store_true",
        help="list the test sets and stop: done, to do, or stale (of other rows)",
    )
    parser.add_argument(
        "--json", action="store_true", help="print the results as JSON lines instead of tables"
    )
    add_from(parser)
    add_seed(parser)


def run(arguments: argparse.Namespace) -> int:
    require_torch()
    if bool(arguments.solver) == bool(arguments.model):
        raise DncError("name a solver, or a pretrained model with --model, and not both")
    join_data(arguments)
    config = _config(arguments)
    settings = [name for name in arguments.settings.split(",") if name]
    if arguments.tau and "augment" not in settings:
        raise DncError("--tau is the share that --settings augment adds; give both")
    if arguments.whole and not arguments.test:
        raise DncError("--whole is for the --test sets; name one, e.g. --test mawps --whole")
    searched = [name for name in settings if name in searching.SETTINGS]
    plain = [name for name in settings if name not in searching.SETTINGS]
    # One list of jobs for the settings as given, and one for each --vary.
    varied = {
        name: _planned(config.with_settings(from_words([name]) if name else {}), plain, arguments)
        for name in ("", *arguments.vary)
    }
    jobs = [job for some in varied.values() for job in some]
    # Validate the requested searches before training starts.
    searches = searching.chosen(arguments.search)
    stages_to_run = searching.planned(varied[""], searched, searches, arguments.budget)
    places = runner.Places(arguments.results, arguments.runs, given_folders(arguments))
    if arguments.plan:
        _show_plan(jobs, stages_to_run, places)
        return 0
    warn_of_former_results(arguments.results)
    where: Any = {"given": places.given}
    steps = config.epochs * len(jobs) + searching.steps(varied[""], searched, searches)
    with progress_bar("training", steps) as advance:
        where["progress"] = lambda note: advance(note=note)
        results = {
            name: runner.run(some, arguments.results, arguments.runs, **where)
            for name, some in varied.items()
        }
        stages = searching.run(
            varied[""], searched, arguments.results, arguments.runs,
            searches=searches, budget=arguments.budget, **where,
        )  # fmt: skip
    if not is_first_process():
        return 0
    if arguments.json:
        print(*as_json([*(result for some in results.values() for result in some)]), sep="\n")
        print(*as_json([stage.result for stage in stages]), sep="\n", end="\n" if stages else "")
    else:
        protocol_tables.show(results, stages, varied[""], arguments)
        print(written(jobs, arguments))
    return 0


def planned(arguments: argparse.Namespace) -> list[protocol.Job]:
    """Return the jobs of a command line that has no searches and no varied settings."""
    join_data(arguments)
    settings = [name for name in arguments.settings.split(",") if name]
    return _planned(_config(arguments), settings, arguments)


def _config(arguments: argparse.Namespace) -> Training:
    if arguments.model:
        if arguments.encoder:
            raise DncError("--encoder is for solvers; a pretrained model has its own")
        return pretrained_config(arguments.model, arguments)
    return protocol.default_config(arguments.solver, arguments.seed, arguments.set_file, words(arguments))


def _planned(config: Training, settings: list[str], arguments: argparse.Namespace) -> list[protocol.Job]:
    """Return the jobs of the arguments under these settings of the solver."""
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


def _show_plan(jobs: list[protocol.Job], searches: list[str], places: runner.Places) -> None:
    """Print the status of every test set of every job, the searches, and the remaining hours."""
    seconds: list[float] = []
    left = 0
    for job in jobs:
        statuses = runner.statuses(job, places)
        for test, status in statuses.items():
            print(f"{status:<5}  {job.name}-on-{job.asked(test)}")
        if any(status != runner.DONE for status in statuses.values()):
            left += 1
        else:
            seconds += [result.training.seconds for result in load(places.results / job.file_name)[:1]]
    for name in searches:
        done = (places.results / name).exists()
        print(f"{runner.DONE if done else runner.MISSING:<5}  {name.removesuffix('.json')}")
    print(_hours(len(jobs), left, seconds))


def _hours(jobs: int, left: int, seconds: list[float]) -> str:
    """Return the estimated hours of the remaining trainings, from the mean of the finished ones."""
    if not left:
        return f"all {jobs} trainings are done"
    if not seconds:
        return f"{left} trainings to do; the hours are estimated once the first is done"
    hours = left * sum(seconds) / len(seconds) / 3600
    return f"{left} of {jobs} trainings to do: about {hours:.1f} hours, as the {len(seconds)} done went"
