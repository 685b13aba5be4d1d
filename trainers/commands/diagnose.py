"""`dnc diagnose`: the main job on the embedded corpus: build, verify, train, attack, and report."""

from __future__ import annotations

import argparse
import os
from pathlib import Path
from types import ModuleType

from dnc_datasets import perturbations
from dnc_datasets.commands import add_seed, build, console, progress_bar, show
from dnc_datasets.serving import catalogue
from dnc_trainers import protocol
from dnc_trainers.commands import require_torch

_DATASET = "tiny"
# Chosen among fourteen trials of GTS by their accuracy on the validation problems, decoded as in the test.
# Words are dropped often because test templates have words that no training template has.
_SETTINGS = ("hidden=128", "embedding=64", "word_dropout=0.3", "epochs=14")
_GTS_SETTINGS = ("dropout=0.3", "batch=32", "lr=3e-3")  # other solvers keep their own


def add_arguments(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("--solver", default="gts", help="the solver to train (default gts)")
    parser.add_argument(
        "--set", dest="settings", action="append", default=[], metavar="NAME=VALUE", help="a setting"
    )
    parser.add_argument("--out", type=Path, default=Path("dnc"), help="the folder to build (default ./dnc)")
    parser.add_argument(
        "--report", type=Path, default=Path("report"), help="the report's folder (default ./report)"
    )
    parser.add_argument(
        "--runs", type=Path, default=Path("runs"), help="models and predictions (default ./runs)"
    )
    parser.add_argument(
        "--results", type=Path, default=Path("results"), help="result files (default ./results)"
    )
    parser.add_argument(
        "--jobs", type=int, default=os.cpu_count() or 1, help="processes (default: all cores)"
    )
    parser.add_argument("--pairs", type=int, default=2, help="how many example pairs to show (default 2)")
    parser.add_argument("--json", action="store_true", help="print the record instead of tables, at the end")
    add_seed(parser)


def run(arguments: argparse.Namespace) -> int:
    require_torch()
    from dnc_leaderboard import record, report

    report.may_write(arguments.report, record.FILE_NAME)
    _one_thread()
    settings = [*_SETTINGS, *(_GTS_SETTINGS if arguments.solver == "gts" else ()), *arguments.settings]
    config = protocol.default_config(arguments.solver, arguments.seed, None, settings)
    recipes = protocol.recipes_for(_DATASET, "all")
    # Only what is attacked with: `dnc build tiny` adds the other settings to the same folder.
    configs = [_DATASET, *(f"{_DATASET}-{recipe}-attack" for recipe in recipes)]
    folder = ["--out", str(arguments.out), "--jobs", str(arguments.jobs), "--verify"]
    if code := build.built(configs, _parsed(build, folder)):
        return code
    _show_pairs(arguments.pairs)
    jobs = protocol.plan(config, _DATASET, settings=("attack",), recipes=recipes)
    print(
        f"Training {config.model_name} on {_DATASET} from scratch ({config.epochs} epochs), "
        f"then {len(recipes)} attacks"
    )
    with progress_bar("training", config.epochs) as advance:
        cells = protocol.run(
            jobs, arguments.results, arguments.runs, progress=lambda note: advance(note=note.split(": ")[-1])
        )

    from dnc_leaderboard import terminal
    from dnc_trainers import recording

    found, outcomes = recording.record(jobs[0], arguments.runs, cells, command="dnc diagnose")
    found = record.write(found, outcomes, arguments.report)
    if arguments.json:
        print(found.text(), end="")
    else:
        terminal.show(found, console())
    print(f"written: {report.write([(found, outcomes)], arguments.report)}")
    return 0


def _one_thread() -> None:
    """Tensors this small gain nothing from several threads, which wait for each other busily."""
    if "OMP_NUM_THREADS" not in os.environ:
        import torch

        torch.set_num_threads(1)


def _show_pairs(count: int) -> None:
    splits = catalogue.read(_DATASET)
    for name in perturbations.names()[:count]:
        rows = catalogue.find(f"{_DATASET}-{name}-attack").rows(splits)["test"]
        changed = next((row for row in rows if row.original is not None), None)
        if changed:
            console().print(show.pair_table(changed, f"{_DATASET}-{name}-attack"))


def _parsed(command: ModuleType, words: list[str]) -> argparse.Namespace:
    parser = argparse.ArgumentParser()
    command.add_arguments(parser)
    return parser.parse_args(words)
