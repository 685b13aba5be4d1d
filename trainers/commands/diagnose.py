"""`dnc diagnose`: the main job on the embedded corpus: build, verify, train, attack, and report."""

from __future__ import annotations

import argparse
import os
from dataclasses import replace
from pathlib import Path
from types import ModuleType
from typing import TYPE_CHECKING

from dnc_datasets.commands import add_renamed, add_seed, build, console, progress_bar
from dnc_trainers import protocol, runner
from dnc_trainers.commands import own_model, require_torch

if TYPE_CHECKING:
    from dnc_metrics.record import Record

_DATASET = "tiny"
# Chosen among fourteen trials of GTS by their accuracy on the validation problems, decoded as in the test.
# Word dropout is high because test templates have words that no training template has.
_SETTINGS = ("hidden=128", "embedding=64", "word_dropout=0.3", "epochs=14")
# GTS reads slots. Weighing its hypotheses by the numbers lets it use values; see docs/diagnose.md.
_GTS_SETTINGS = ("dropout=0.3", "batch=32", "lr=3e-3", "choice=plausible")  # other solvers keep their own
_GTS = "it writes equations as trees and weighs them by the numbers"
_NEXT = "dnc diagnose --model hf:MODEL  # the same diagnosis of your own model"


def add_arguments(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("--solver", default="gts", help="train this solver (default gts)")
    parser.add_argument(
        "--set", dest="settings", action="append", default=[], metavar="NAME=VALUE", help="change a setting"
    )
    parser.add_argument(
        "--built",
        type=Path,
        metavar="DIR",
        default=Path("dnc"),
        help="build into this folder (default ./dnc)",
    )
    add_renamed(parser, "--out", "--built", type=Path)
    parser.add_argument(
        "--report",
        type=Path,
        metavar="DIR",
        help="write the report to this folder (default ./report, or report/NAME of a model)",
    )
    parser.add_argument(
        "--runs", type=Path, default=Path("runs"), help="write models and predictions here (default ./runs)"
    )
    parser.add_argument(
        "--results", type=Path, default=Path("results"), help="write result files here (default ./results)"
    )
    parser.add_argument(
        "--jobs",
        type=int,
        default=os.cpu_count() or 1,
        help="run this number of processes (default: all cores)",
    )
    parser.add_argument("--all", action="store_true", help="attack with every perturbation")
    parser.add_argument("--details", action="store_true", help="print all tables, not one screen")
    parser.add_argument("--json", action="store_true", help="print the record instead of the screen")
    add_seed(parser)
    own_model.add_arguments(parser)


def run(arguments: argparse.Namespace) -> int:
    if own_model.is_asked(arguments):
        return own_model.run(arguments)
    require_torch()
    arguments.report = arguments.report or Path("report")
    from dnc_leaderboard import report
    from dnc_metrics import record

    report.may_write(arguments.report)
    record.may_write(arguments.report, "dnc diagnose")
    _one_thread()
    settings = [*_SETTINGS, *(_GTS_SETTINGS if arguments.solver == "gts" else ()), *arguments.settings]
    config = protocol.default_config(arguments.solver, arguments.seed, None, settings)
    recipes = protocol.recipes_for(
        _DATASET, protocol.PLAUSIBLE if arguments.all else ",".join(own_model.RECIPES)
    )
    # Only the configs of the attack: `dnc build tiny` adds the other settings to the same folder.
    configs = [_DATASET, *(f"{_DATASET}-{recipe}-attack" for recipe in recipes)]
    folder = ["--out", str(arguments.built), "--jobs", str(arguments.jobs), "--verify"]
    if code := build.built(configs, _parse_words(build, folder)):
        return code
    jobs = protocol.plan(config, _DATASET, settings=("attack",), recipes=recipes)
    about = f": {_GTS}" if arguments.solver == "gts" else ""
    print(f"Training a small solver on {_DATASET}, {config.epochs} epochs ({config.model_name}{about}).")
    print(f"Then it is asked the test problems and {len(recipes)} changed forms of them.")
    with progress_bar("training", config.epochs) as advance:
        runner.run(
            jobs,
            arguments.results,
            arguments.runs,
            command="dnc diagnose",
            progress=lambda note: advance(note=note.split(": ")[-1]),
        )

    from dnc_leaderboard import screen

    path = arguments.results / jobs[0].file_name
    outcomes = record.outcomes(path, record.load(path))
    result = record.write(
        _with_readable_name(record.load(path), arguments.solver, arguments.seed), outcomes, arguments.report
    )
    page = report.write([(result, outcomes)], arguments.report)
    if arguments.json:
        print(result.text(), end="")
        return 0
    screen.show(result, outcomes, console(), details=arguments.details, page=str(page), next_command=_NEXT)
    return 0


def _with_readable_name(result: Record, solver: str, seed: int) -> Record:
    """Return the record under a readable name; in `results/` it keeps the name that states its settings."""
    name = f"{'GTS' if solver == 'gts' else solver} solver{f' (seed {seed})' if seed else ''}"
    return replace(result, system=replace(result.system, name=name))


def _one_thread() -> None:
    """Use one thread: small tensors gain nothing from several, which busy-wait for each other."""
    if "OMP_NUM_THREADS" not in os.environ:
        import torch

        torch.set_num_threads(1)


def _parse_words(command: ModuleType, words: list[str]) -> argparse.Namespace:
    parser = argparse.ArgumentParser()
    command.add_arguments(parser)
    return parser.parse_args(words)
