"""`dnc research reproduce`: run the missing or stale cells of the papers' tables, the most valuable first."""

from __future__ import annotations

import argparse
import sys
import time
from collections.abc import Mapping
from pathlib import Path

from dnc_datasets.commands import add_from, given_folders
from dnc_datasets.errors import DncError
from dnc_trainers import reproduction_queue, row_digests, runner, stored
from dnc_trainers.commands import protocol, require_torch
from dnc_trainers.reproduction_queue import CURRENT, Experiment, Ledger


def add_arguments(parser: argparse.ArgumentParser) -> None:
    parser.add_argument(
        "--only", default="", metavar="PAPER|TABLE", help='run one paper or table, e.g. SVAMP or "table 2"'
    )
    parser.add_argument(
        "--hours", type=float, default=0.0, help="start no training after this time (default: no limit)"
    )
    parser.add_argument(
        "--plan", action="store_true", help="list the experiments with state and cost, and stop"
    )
    parser.add_argument(
        "--stored",
        type=Path,
        default=stored.FOLDER,
        help="read and add results here (default benchmarks/results)",
    )
    parser.add_argument(
        "--work",
        type=Path,
        default=Path("runs/reproduce"),
        help="keep checkpoints here (default runs/reproduce)",
    )
    add_from(parser)


def run(arguments: argparse.Namespace) -> int:
    require_torch()
    if not arguments.stored.is_dir():
        raise DncError(f"{arguments.stored} holds no stored results; name the folder with --stored")
    folders = given_folders(arguments)
    lines = list(stored.read("cells", arguments.stored))
    ledger = Ledger(lines, row_digests.stale(lines, folders))
    chosen = [one for one in reproduction_queue.experiments() if arguments.only.lower() in one.name.lower()]
    if not chosen:
        names = ", ".join(dict.fromkeys(one.name for one in reproduction_queue.experiments()))
        raise DncError(f"--only {arguments.only}: no experiment has this in its name; there are {names}")
    left = [one for one in chosen if any(ledger.state(one, row) != CURRENT for row in one.rows)]
    left.sort(key=lambda one: (one.rank, ledger.hours(one)))
    for one in left:
        states = [ledger.state(one, row) for row in one.rows]
        counts = ", ".join(f"{states.count(state)} {state}" for state in dict.fromkeys(states))
        print(f"{ledger.hours(one):5.1f} core-hours  {one.name}: {counts}")
    print(
        f"{sum(map(ledger.hours, left)):5.1f} core-hours in all; {len(chosen) - len(left)} experiments are current"
    )
    if arguments.plan:
        return 0
    end = time.monotonic() + 3600 * arguments.hours if arguments.hours else float("inf")
    return max([_run(one, arguments, folders, end) for one in left], default=0)


def _run(experiment: Experiment, arguments: argparse.Namespace, given: Mapping[str, Path], end: float) -> int:
    """Train and score job by job, storing the cells after each; a killed run resumes at its checkpoint."""
    parser = argparse.ArgumentParser()
    protocol.add_arguments(parser)
    words = parser.parse_args([*experiment.words])
    results, runs = arguments.work / "results" / experiment.group, arguments.work / "runs"
    try:
        for job in protocol.planned(words):
            if time.monotonic() > end:
                return 0
            runner.run([job], results, runs, given=given)
            count = stored.add(results, experiment.group, arguments.stored)
            print(f"{experiment.name}: {job.name} is done; {count} results are stored")
    except DncError as error:  # for example a missing model; the other experiments still run
        print(f"dnc: {experiment.name}: {error}", file=sys.stderr)
        return 1
    return 0
